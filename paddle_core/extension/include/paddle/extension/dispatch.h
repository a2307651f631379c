// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Runs a block with `data_t` as the C++ type of a DataType:
//
//   PD_DISPATCH_FLOATING_TYPES(x.dtype(), "my_relu", ([&] { run<data_t>(x, out); }));
#pragma once

#include "paddle/extension/types.h"

PADDLE_EXTENSION_BEGIN
namespace detail {
[[noreturn]] inline void unsupported_dtype(const char* name, DataType dtype) {
  throw Exception(PADDLE_ERROR_OS,
                  text(name, ": not implemented for dtype ", dtype,
                       "; cast the input to a dtype that the operator dispatches on."));
}
}  // namespace detail
PADDLE_EXTENSION_END

#define PD_PRIVATE_CASE_TYPE_USING_HINT(NAME, enum_type, type, HINT, ...) \
  case enum_type: {                                                       \
    using HINT = type;                                                    \
    __VA_ARGS__();                                                        \
    break;                                                                \
  }
#define PADDLE_EXTENSION_CASE(dtype, type, ...) \
  PD_PRIVATE_CASE_TYPE_USING_HINT("", ::paddle::DataType::dtype, type, data_t, __VA_ARGS__)
#define PADDLE_EXTENSION_SWITCH(TYPE, NAME, ...)                                         \
  [&] {                                                                                  \
    const ::paddle::DataType dispatched_dtype = TYPE;                                    \
    switch (dispatched_dtype) {                                                          \
      __VA_ARGS__ default : ::paddle::detail::unsupported_dtype(NAME, dispatched_dtype); \
    }                                                                                    \
  }()

#define PADDLE_EXTENSION_FLOATING(...)               \
  PADDLE_EXTENSION_CASE(FLOAT32, float, __VA_ARGS__) \
  PADDLE_EXTENSION_CASE(FLOAT64, double, __VA_ARGS__)
#define PADDLE_EXTENSION_HALF(...)                               \
  PADDLE_EXTENSION_CASE(FLOAT16, ::paddle::float16, __VA_ARGS__) \
  PADDLE_EXTENSION_CASE(BFLOAT16, ::paddle::bfloat16, __VA_ARGS__)
#define PADDLE_EXTENSION_INTEGRAL(...)               \
  PADDLE_EXTENSION_CASE(INT32, int, __VA_ARGS__)     \
  PADDLE_EXTENSION_CASE(INT64, int64_t, __VA_ARGS__) \
  PADDLE_EXTENSION_CASE(INT8, int8_t, __VA_ARGS__)   \
  PADDLE_EXTENSION_CASE(UINT8, uint8_t, __VA_ARGS__) \
  PADDLE_EXTENSION_CASE(INT16, int16_t, __VA_ARGS__)
#define PADDLE_EXTENSION_COMPLEX(...)                                \
  PADDLE_EXTENSION_CASE(COMPLEX64, ::paddle::complex64, __VA_ARGS__) \
  PADDLE_EXTENSION_CASE(COMPLEX128, ::paddle::complex128, __VA_ARGS__)
// A type that is named by the program: only known by its DataType.
#define PADDLE_EXTENSION_NAMED(SPECIFIED, ...)                   \
  case SPECIFIED: {                                              \
    using data_t = ::paddle::detail::CppTypeOf<SPECIFIED>::type; \
    __VA_ARGS__();                                               \
    break;                                                       \
  }

PADDLE_EXTENSION_BEGIN
namespace detail {
template <DataType>
struct CppTypeOf;
template <>
struct CppTypeOf<DataType::BOOL> {
  using type = bool;
};
template <>
struct CppTypeOf<DataType::UINT8> {
  using type = uint8_t;
};
template <>
struct CppTypeOf<DataType::INT8> {
  using type = int8_t;
};
template <>
struct CppTypeOf<DataType::INT16> {
  using type = int16_t;
};
template <>
struct CppTypeOf<DataType::INT32> {
  using type = int32_t;
};
template <>
struct CppTypeOf<DataType::INT64> {
  using type = int64_t;
};
template <>
struct CppTypeOf<DataType::FLOAT16> {
  using type = float16;
};
template <>
struct CppTypeOf<DataType::BFLOAT16> {
  using type = bfloat16;
};
}  // namespace detail
PADDLE_EXTENSION_END

#define PD_DISPATCH_FLOATING_TYPES(TYPE, NAME, ...) \
  PADDLE_EXTENSION_SWITCH(TYPE, NAME, PADDLE_EXTENSION_FLOATING(__VA_ARGS__))
#define PD_DISPATCH_FLOATING_AND_HALF_TYPES(TYPE, NAME, ...) \
  PADDLE_EXTENSION_SWITCH(                                   \
      TYPE, NAME, PADDLE_EXTENSION_FLOATING(__VA_ARGS__) PADDLE_EXTENSION_HALF(__VA_ARGS__))
#define PD_DISPATCH_INTEGRAL_TYPES(TYPE, NAME, ...) \
  PADDLE_EXTENSION_SWITCH(TYPE, NAME, PADDLE_EXTENSION_INTEGRAL(__VA_ARGS__))
#define PD_DISPATCH_COMPLEX_TYPES(TYPE, NAME, ...) \
  PADDLE_EXTENSION_SWITCH(TYPE, NAME, PADDLE_EXTENSION_COMPLEX(__VA_ARGS__))
#define PD_DISPATCH_FLOATING_AND_INTEGRAL_TYPES(TYPE, NAME, ...) \
  PADDLE_EXTENSION_SWITCH(                                       \
      TYPE, NAME, PADDLE_EXTENSION_FLOATING(__VA_ARGS__) PADDLE_EXTENSION_INTEGRAL(__VA_ARGS__))
#define PD_DISPATCH_FLOATING_AND_COMPLEX_TYPES(TYPE, NAME, ...) \
  PADDLE_EXTENSION_SWITCH(                                      \
      TYPE, NAME, PADDLE_EXTENSION_FLOATING(__VA_ARGS__) PADDLE_EXTENSION_COMPLEX(__VA_ARGS__))
#define PD_DISPATCH_FLOATING_AND_COMPLEX_AND_1_TYPE(SPECIFIED, TYPE, NAME, ...) \
  PADDLE_EXTENSION_SWITCH(TYPE, NAME,                                           \
                          PADDLE_EXTENSION_NAMED(SPECIFIED, __VA_ARGS__)        \
                              PADDLE_EXTENSION_FLOATING(__VA_ARGS__)            \
                                  PADDLE_EXTENSION_COMPLEX(__VA_ARGS__))
#define PD_DISPATCH_FLOATING_AND_COMPLEX_AND_2_TYPES(FIRST, SECOND, TYPE, NAME, ...)         \
  PADDLE_EXTENSION_SWITCH(                                                                   \
      TYPE, NAME,                                                                            \
      PADDLE_EXTENSION_NAMED(FIRST, __VA_ARGS__) PADDLE_EXTENSION_NAMED(SECOND, __VA_ARGS__) \
          PADDLE_EXTENSION_FLOATING(__VA_ARGS__) PADDLE_EXTENSION_COMPLEX(__VA_ARGS__))
#define PD_DISPATCH_FLOATING_AND_INTEGRAL_AND_COMPLEX_TYPES(TYPE, NAME, ...) \
  PADDLE_EXTENSION_SWITCH(TYPE, NAME,                                        \
                          PADDLE_EXTENSION_FLOATING(__VA_ARGS__)             \
                              PADDLE_EXTENSION_INTEGRAL(__VA_ARGS__)         \
                                  PADDLE_EXTENSION_COMPLEX(__VA_ARGS__))
