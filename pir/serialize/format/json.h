// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// A small JSON reader for untrusted text: bounded depth, no recursion beyond it, ValueError with
// the byte position on malformed text.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "paddle_core/base/error.h"

namespace paddle::pir {

class Json {
 public:
  using Array = std::vector<Json>;
  using Object = std::vector<std::pair<std::string, Json>>;
  std::variant<std::monostate, bool, int64_t, double, std::string, Array, Object> data;

  Json();
  Json(Json&&) noexcept;
  Json& operator=(Json&&) noexcept;
  ~Json();

  static Json parse(std::string_view text);
  // The member; null when absent or when this is no object.
  const Json* find(std::string_view key) const;
  // ValueError when absent or of another kind.
  const Json& at(std::string_view key) const;
  const Array& array() const { return as<Array>("a list"); }
  const std::string& text() const { return as<std::string>("a string"); }
  int64_t integer() const;
  double number() const;
  bool boolean() const;

 private:
  template <typename T>
  const T& as(const char* what) const {
    const T* v = std::get_if<T>(&data);
    PADDLE_CHECK_VALUE(v, "program file: a value of another kind was found where ", what,
                       " is expected; the file is damaged.");
    return *v;
  }
};

std::string json_string(std::string_view text);
std::string json_double(double v);

}  // namespace paddle::pir
