// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Expectations that name a kind of error and show the values that they compared:
//
//   PADDLE_ENFORCE_GT(x.numel(), 0, common::errors::InvalidArgument("%s is empty.", "x"));
//
// In Python InvalidArgument is a ValueError, InvalidType a TypeError, OutOfRange an IndexError,
// ResourceExhausted a MemoryError, Unimplemented a NotImplementedError, External an OSError, the
// others are RuntimeErrors.
#pragma once

#include <functional>
#include <type_traits>

#include "paddle/extension/host.h"

PADDLE_EXTENSION_BEGIN
namespace detail {

// What went wrong, until the place where it did is known.
struct Failure {
  int kind = PADDLE_ERROR_RUNTIME;
  std::string message;
};

template <typename T, typename = void>
struct IsPrintable : std::false_type {};
template <typename T>
struct IsPrintable<T,
                   std::void_t<decltype(std::declval<std::ostream&>() << std::declval<const T&>())>>
    : std::true_type {};

// Copies `format` up to its next conversion, whose text ("%-5.2f") is returned; empty at the end.
inline std::string next_conversion(std::ostream& out, const char*& format) {
  for (; *format; ++format) {
    if (*format != '%') {
      out << *format;
    } else if (format[1] == '%') {
      out << *format++;
    } else {
      const char* begin = format++;
      while (*format &&
             std::string_view("-+ #0123456789.hljztL").find(*format) != std::string_view::npos) {
        ++format;
      }
      if (*format) ++format;
      return {begin, format};
    }
  }
  return {};
}

template <typename T>
void print_converted(std::ostream& out, const std::string& conversion, const T& value) {
  std::ostringstream one;
  const size_t digits = conversion.find_first_of("123456789."), dot = conversion.find('.');
  if (digits != std::string::npos && digits != dot) {
    one.width(std::strtol(conversion.c_str() + digits, nullptr, 10));
  }
  if (dot != std::string::npos) {
    one.precision(std::strtol(conversion.c_str() + dot + 1, nullptr, 10));
  }
  if (conversion.find('-') != std::string::npos) one << std::left;
  if (conversion.find('+') != std::string::npos) one << std::showpos;
  if (conversion.find("%0") == 0) one.fill('0');
  switch (conversion.back()) {
    case 'x':
    case 'X':
      one << std::hex;
      break;
    case 'f':
    case 'F':
      one << std::fixed;
      break;
    case 'e':
    case 'E':
      one << std::scientific;
      break;
    default:
      break;
  }
  if constexpr (std::is_enum_v<T> && !IsPrintable<T>::value) {
    one << static_cast<long long>(value);
  } else if constexpr (std::is_integral_v<T> && sizeof(T) == 1) {
    if (conversion.back() == 'd') {
      one << static_cast<int>(value);
    } else {
      one << std::boolalpha << value;
    }
  } else {
    one << value;
  }
  out << one.str();
}

// printf's conversions for values of any type that a stream prints; the types decide, not the
// letters. A text without values is taken as it is.
inline std::string formatted(const std::string& text) { return text; }
template <typename... Args, typename = std::enable_if_t<(sizeof...(Args) > 0)>>
std::string formatted(const std::string& format, const Args&... args) {
  std::ostringstream out;
  const char* at = format.c_str();
  const auto print = [&](const auto& value) {
    if (const std::string conversion = next_conversion(out, at); !conversion.empty()) {
      print_converted(out, conversion, value);
    }
  };
  (print(args), ...);
  for (std::string rest; !(rest = next_conversion(out, at)).empty();) out << rest;
  return out.str();
}

inline Failure failure() { return {}; }
inline Failure failure(Failure given) { return given; }
template <typename... Args>
Failure failure(const char* format, const Args&... args) {
  return {PADDLE_ERROR_RUNTIME, formatted(format, args...)};
}

[[noreturn]] inline void enforce_failed(const char* file, int line, const Failure& failure,
                                        const std::string& hint) {
  std::string message = failure.message;
  if (!hint.empty()) message += text(message.empty() ? "" : "\n  ", "[Hint: ", hint, "]");
  throw Exception(failure.kind, text(message, " (at ", file, ':', line, ')'));
}

template <typename Op, typename A, typename B>
bool holds(const A& a, const B& b) {
  if constexpr (std::is_arithmetic_v<A> && std::is_arithmetic_v<B>) {
    using Common = std::common_type_t<A, B>;
    return Op()(static_cast<Common>(a), static_cast<Common>(b));
  } else {
    return Op()(a, b);
  }
}

template <typename A, typename B>
std::string compared(const char* a_text, const char* op, const char* b_text, const char* inverse,
                     const A& a, const B& b) {
  std::string expected = text("Expected ", a_text, ' ', op, ' ', b_text, ", but received ", a_text);
  if constexpr (IsPrintable<A>::value && IsPrintable<B>::value) {
    return text(expected, ':', a, ' ', inverse, ' ', b_text, ':', b, '.');
  } else {
    return text(expected, ' ', inverse, ' ', b_text, '.');
  }
}

}  // namespace detail

namespace errors {
#define PADDLE_EXTENSION_ERROR(NAME, KIND)                                           \
  template <typename... Args>                                                        \
  detail::Failure NAME(const std::string& format, const Args&... args) {             \
    return {KIND, detail::text("(" #NAME ") ", detail::formatted(format, args...))}; \
  }
PADDLE_EXTENSION_ERROR(InvalidArgument, PADDLE_ERROR_VALUE)
PADDLE_EXTENSION_ERROR(InvalidType, PADDLE_ERROR_TYPE)
PADDLE_EXTENSION_ERROR(OutOfRange, PADDLE_ERROR_INDEX)
PADDLE_EXTENSION_ERROR(ResourceExhausted, PADDLE_ERROR_MEMORY)
PADDLE_EXTENSION_ERROR(Unimplemented, PADDLE_ERROR_NOT_IMPLEMENTED)
PADDLE_EXTENSION_ERROR(External, PADDLE_ERROR_OS)
PADDLE_EXTENSION_ERROR(NotFound, PADDLE_ERROR_RUNTIME)
PADDLE_EXTENSION_ERROR(AlreadyExists, PADDLE_ERROR_RUNTIME)
PADDLE_EXTENSION_ERROR(PreconditionNotMet, PADDLE_ERROR_RUNTIME)
PADDLE_EXTENSION_ERROR(PermissionDenied, PADDLE_ERROR_RUNTIME)
PADDLE_EXTENSION_ERROR(ExecutionTimeout, PADDLE_ERROR_RUNTIME)
PADDLE_EXTENSION_ERROR(Unavailable, PADDLE_ERROR_RUNTIME)
PADDLE_EXTENSION_ERROR(Fatal, PADDLE_ERROR_RUNTIME)
#undef PADDLE_EXTENSION_ERROR
}  // namespace errors
namespace platform {
namespace errors = ::paddle::errors;
}
PADDLE_EXTENSION_END

namespace common {
namespace errors = ::paddle::errors;
}
namespace phi {
namespace errors = ::paddle::errors;
}

#define PADDLE_THROW(...) \
  ::paddle::detail::enforce_failed(__FILE__, __LINE__, ::paddle::detail::failure(__VA_ARGS__), "")
#define PADDLE_ENFORCE(condition, ...)                                                             \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      ::paddle::detail::enforce_failed(__FILE__, __LINE__, ::paddle::detail::failure(__VA_ARGS__), \
                                       "Expected " #condition " to be true.");                     \
    }                                                                                              \
  } while (0)
#define PADDLE_ENFORCE_NOT_NULL(pointer, ...)                                                      \
  do {                                                                                             \
    if ((pointer) == nullptr) {                                                                    \
      ::paddle::detail::enforce_failed(__FILE__, __LINE__, ::paddle::detail::failure(__VA_ARGS__), \
                                       #pointer " should not be null.");                           \
    }                                                                                              \
  } while (0)
#define PADDLE_EXTENSION_COMPARE(a, b, fn, op, inverse, ...)                                      \
  do {                                                                                            \
    const auto& paddle_enforced_a = (a);                                                          \
    const auto& paddle_enforced_b = (b);                                                          \
    if (!::paddle::detail::holds<fn>(paddle_enforced_a, paddle_enforced_b)) {                     \
      ::paddle::detail::enforce_failed(                                                           \
          __FILE__, __LINE__, ::paddle::detail::failure(__VA_ARGS__),                             \
          ::paddle::detail::compared(#a, op, #b, inverse, paddle_enforced_a, paddle_enforced_b)); \
    }                                                                                             \
  } while (0)
#define PADDLE_ENFORCE_EQ(a, b, ...) \
  PADDLE_EXTENSION_COMPARE(a, b, ::std::equal_to<>, "==", "!=", __VA_ARGS__)
#define PADDLE_ENFORCE_NE(a, b, ...) \
  PADDLE_EXTENSION_COMPARE(a, b, ::std::not_equal_to<>, "!=", "==", __VA_ARGS__)
#define PADDLE_ENFORCE_GT(a, b, ...) \
  PADDLE_EXTENSION_COMPARE(a, b, ::std::greater<>, ">", "<=", __VA_ARGS__)
#define PADDLE_ENFORCE_GE(a, b, ...) \
  PADDLE_EXTENSION_COMPARE(a, b, ::std::greater_equal<>, ">=", "<", __VA_ARGS__)
#define PADDLE_ENFORCE_LT(a, b, ...) \
  PADDLE_EXTENSION_COMPARE(a, b, ::std::less<>, "<", ">=", __VA_ARGS__)
#define PADDLE_ENFORCE_LE(a, b, ...) \
  PADDLE_EXTENSION_COMPARE(a, b, ::std::less_equal<>, "<=", ">", __VA_ARGS__)
