// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Errors that reach the user. `Error` carries the kind that names its Python exception type and a
// message of one sentence: operator, argument, actual values, rule, remedy. PADDLE_CHECK_* test
// input; the message is built only on failure. PADDLE_ASSERT tests our own invariants.
//
//   PADDLE_CHECK_VALUE(n >= 0, "full: shape has a negative dimension ", n, "; use sizes >= 0.");
#pragma once

#include <cstdint>
#include <exception>
#include <sstream>
#include <string>

#include "paddle_core/base/export.h"

namespace paddle {

enum class ErrorKind : uint8_t {
  kValue,
  kType,
  kIndex,
  kKey,
  kRuntime,
  kNotImplemented,
  kMemory,
  kOs,
  kOverflow,
  kPermission,
  kInterrupt,  // KeyboardInterrupt
  kPython,     // a Python exception is already set on this thread
};

class PADDLE_API Error : public std::exception {
 public:
  Error(ErrorKind kind, std::string message) : kind_(kind), message_(std::move(message)) {}
  ErrorKind kind() const { return kind_; }
  const std::string& message() const { return message_; }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  ErrorKind kind_;
  std::string message_;
};

[[noreturn]] PADDLE_API void throw_error(ErrorKind kind, std::string message);

// Concatenates anything that has operator<<.
template <typename... Args>
std::string str(const Args&... args) {
  std::ostringstream out;
  (out << ... << args);
  return std::move(out).str();
}

}  // namespace paddle

#define PADDLE_CHECK_KIND(kind, cond, ...)                     \
  do {                                                         \
    if (!(cond)) [[unlikely]]                                  \
      ::paddle::throw_error(kind, ::paddle::str(__VA_ARGS__)); \
  } while (0)
#define PADDLE_CHECK_VALUE(cond, ...) \
  PADDLE_CHECK_KIND(::paddle::ErrorKind::kValue, cond, __VA_ARGS__)
#define PADDLE_CHECK_TYPE(cond, ...) \
  PADDLE_CHECK_KIND(::paddle::ErrorKind::kType, cond, __VA_ARGS__)
#define PADDLE_CHECK_INDEX(cond, ...) \
  PADDLE_CHECK_KIND(::paddle::ErrorKind::kIndex, cond, __VA_ARGS__)
#define PADDLE_CHECK_RUNTIME(cond, ...) \
  PADDLE_CHECK_KIND(::paddle::ErrorKind::kRuntime, cond, __VA_ARGS__)
#define PADDLE_ASSERT(cond)                                                          \
  do {                                                                               \
    if (!(cond)) [[unlikely]]                                                        \
      ::paddle::throw_error(                                                         \
          ::paddle::ErrorKind::kRuntime,                                             \
          ::paddle::str("internal error at ", __FILE__, ":", __LINE__, ": " #cond)); \
  } while (0)
