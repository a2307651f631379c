// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Typed run-time flags, named FLAGS_*. A flag is defined once with a default and takes the value of
// the environment variable of the same name, if there is one. Hot paths keep the pointer that
// bool_flag() or int_flag() returns and read it relaxed: it stays valid for the whole process.
//
//   static const std::atomic<bool>* const check = bool_flag("FLAGS_check_nan_inf");
//   if (check->load(std::memory_order_relaxed)) ...
//
// Thread-safe. An unknown name is a ValueError; so is a value that the flag's type cannot hold.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "paddle_core/base/error.h"

namespace paddle {

using FlagValue = std::variant<bool, int64_t, double, std::string>;

struct FlagInfo {
  std::string name;
  FlagValue value, default_value;
  std::string doc;
};

// The default's type is the flag's type. ValueError when the name is taken.
PADDLE_API void define_flag(const std::string& name, FlagValue default_value, std::string doc);
PADDLE_API bool has_flag(const std::string& name);
PADDLE_API FlagValue get_flag(const std::string& name);
// Converts between bool, int and float where no information is lost, and parses strings.
PADDLE_API void set_flag(const std::string& name, const FlagValue& value);
// All flags, sorted by name.
PADDLE_API std::vector<FlagInfo> list_flags();

PADDLE_API const std::atomic<bool>* bool_flag(const std::string& name);
PADDLE_API const std::atomic<int64_t>* int_flag(const std::string& name);

}  // namespace paddle
