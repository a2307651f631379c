// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Calls into the host: the table that the entry point received, and its errors as exceptions. The
// names of an extension stand in an inline namespace, so that they never meet those of the
// framework's own library in one process.
#pragma once

#include <cstddef>
#include <exception>
#include <sstream>
#include <string>
#include <utility>

#include "paddle/extension/abi.h"

#define PADDLE_EXTENSION_BEGIN \
  namespace paddle {           \
  inline namespace extension_v1 {
#define PADDLE_EXTENSION_END \
  }                          \
  }

PADDLE_EXTENSION_BEGIN

// What PD_CHECK and failing calls throw. Outside of an operator it is a plain std::exception.
class Exception : public std::exception {
 public:
  Exception(int kind, std::string message) : kind_(kind), message_(std::move(message)) {}
  int kind() const noexcept { return kind_; }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  int kind_;
  std::string message_;
};

namespace detail {

inline const PaddleHost* installed_host = nullptr;
// Where a library that Python imported finds its host.
inline const PaddleHost* (*find_host)() = nullptr;

inline const PaddleHost& host() {
  if (!installed_host && find_host) installed_host = find_host();
  if (!installed_host) {
    throw Exception(PADDLE_ERROR_RUNTIME,
                    "extension: tensors exist only after the library was loaded by "
                    "paddle.utils.cpp_extension; do not make them in static initialisers.");
  }
  return *installed_host;
}

inline void check(int status) {
  if (status != PADDLE_OK) throw Exception(status, host().last_error());
}

// Runs a function of the library for the host: an exception becomes a status.
template <typename Fn>
int guarded(Fn&& fn) noexcept {
  try {
    fn();
    return PADDLE_OK;
  } catch (const Exception& e) {
    installed_host->set_error(e.kind(), e.what());
    return e.kind();
  } catch (const std::bad_alloc&) {
    installed_host->set_error(PADDLE_ERROR_MEMORY, "out of memory.");
    return PADDLE_ERROR_MEMORY;
  } catch (const std::exception& e) {
    installed_host->set_error(PADDLE_ERROR_RUNTIME, e.what());
  } catch (...) {
    installed_host->set_error(PADDLE_ERROR_RUNTIME, "an exception of unknown type was thrown.");
  }
  return PADDLE_ERROR_RUNTIME;
}

template <typename... Args>
std::string text(const Args&... args) {
  std::ostringstream out;
  static_cast<void>((out << ... << args));
  return out.str();
}

[[noreturn]] inline void fail_at(const char* file, int line, const std::string& message) {
  throw Exception(PADDLE_ERROR_OS, text(message, " [", file, ':', line, ']'));
}
[[noreturn]] inline void failed_check(const char* condition, const char* file, int line,
                                      const std::string& message) {
  fail_at(file, line, message.empty() ? text("the check ", condition, " failed.") : message);
}

}  // namespace detail

PADDLE_EXTENSION_END

// Tests an expectation: PD_CHECK(x.numel() > 0, "x is empty"). In Python the failure is an OSError.
#define PD_CHECK(condition, ...)                                           \
  do {                                                                     \
    if (!(condition))                                                      \
      ::paddle::detail::failed_check(#condition, __FILE__, __LINE__,       \
                                     ::paddle::detail::text(__VA_ARGS__)); \
  } while (0)
#define PD_THROW(...) \
  ::paddle::detail::fail_at(__FILE__, __LINE__, ::paddle::detail::text(__VA_ARGS__))
