// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The flag registry, the built-in flags and the conversion of flag values.
#include "paddle_core/base/flags.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>

namespace paddle {
namespace {

struct Flag {
  FlagValue default_value;
  std::string doc;
  // The value; which one is used follows from the type of the default.
  std::atomic<bool> as_bool{false};
  std::atomic<int64_t> as_int{0};
  std::atomic<double> as_double{0};
  std::string as_string;

  FlagValue value() const {
    switch (default_value.index()) {
      case 0:
        return as_bool.load();
      case 1:
        return as_int.load();
      case 2:
        return as_double.load();
      default:
        return as_string;
    }
  }
  void store(const FlagValue& v) {
    switch (v.index()) {
      case 0:
        as_bool = std::get<bool>(v);
        break;
      case 1:
        as_int = std::get<int64_t>(v);
        break;
      case 2:
        as_double = std::get<double>(v);
        break;
      default:
        as_string = std::get<std::string>(v);
    }
  }
};

std::optional<bool> parse_bool(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  if (text == "1" || text == "true" || text == "on" || text == "yes") return true;
  if (text == "0" || text == "false" || text == "off" || text == "no" || text.empty()) return false;
  return std::nullopt;
}

template <typename T>
std::optional<T> parse_number(const std::string& text) {
  T value{};
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<FlagValue> to_bool(const FlagValue& v) {
  if (auto* b = std::get_if<bool>(&v)) return *b;
  if (auto* i = std::get_if<int64_t>(&v)) return *i != 0;
  if (auto* s = std::get_if<std::string>(&v)) return parse_bool(*s);
  return std::nullopt;
}

std::optional<FlagValue> to_int(const FlagValue& v) {
  if (auto* b = std::get_if<bool>(&v)) return int64_t{*b};
  if (auto* i = std::get_if<int64_t>(&v)) return *i;
  if (auto* d = std::get_if<double>(&v)) {
    if (*d != std::floor(*d) || !(std::fabs(*d) < 0x1p63)) return std::nullopt;
    return static_cast<int64_t>(*d);
  }
  return parse_number<int64_t>(std::get<std::string>(v));
}

std::optional<FlagValue> to_double(const FlagValue& v) {
  if (auto* b = std::get_if<bool>(&v)) return static_cast<double>(*b);
  if (auto* i = std::get_if<int64_t>(&v)) return static_cast<double>(*i);
  if (auto* d = std::get_if<double>(&v)) return *d;
  return parse_number<double>(std::get<std::string>(v));
}

std::string shown(const FlagValue& v) {
  if (auto* s = std::get_if<std::string>(&v)) return "'" + *s + "'";
  if (auto* b = std::get_if<bool>(&v)) return *b ? "True" : "False";
  if (auto* i = std::get_if<int64_t>(&v)) return str(*i);
  return str(std::get<double>(v));
}

// `value` in the type of `like`, or ValueError in the name of the flag.
FlagValue converted(const std::string& name, const FlagValue& value, const FlagValue& like,
                    const char* where) {
  static constexpr const char* kTypes[] = {"bool", "int", "float", "str"};
  std::optional<FlagValue> result;
  switch (like.index()) {
    case 0:
      result = to_bool(value);
      break;
    case 1:
      result = to_int(value);
      break;
    case 2:
      result = to_double(value);
      break;
    default:
      if (std::holds_alternative<std::string>(value)) result = value;
  }
  PADDLE_CHECK_VALUE(result.has_value(), where, ": ", name, " has value ", shown(value),
                     "; the flag is of type ", kTypes[like.index()], "; give it such a value.");
  return *result;
}

class Registry {
 public:
  static Registry& instance() {
    static Registry* registry = new Registry;  // outlives every static object that reads a flag
    return *registry;
  }
  void define(const std::string& name, FlagValue default_value, std::string doc) {
    FlagValue value = default_value;
    if (const char* text = std::getenv(name.c_str())) {
      value = converted(name, std::string(text), default_value, "environment");
    }
    const std::lock_guard lock(mutex_);
    const auto [it, inserted] = flags_.try_emplace(name);
    PADDLE_CHECK_VALUE(inserted, "define_flag: name has value '", name,
                       "'; that flag exists already; choose another name.");
    it->second.default_value = std::move(default_value);
    it->second.doc = std::move(doc);
    it->second.store(value);
  }
  template <typename Fn>
  auto with(const std::string& name, const char* op, Fn&& fn) {
    const std::lock_guard lock(mutex_);
    const auto it = flags_.find(name);
    PADDLE_CHECK_VALUE(it != flags_.end(), op, ": name has value '", name,
                       "'; there is no such flag; list_flags() names those that exist.");
    return fn(it->second);
  }
  bool has(const std::string& name) {
    const std::lock_guard lock(mutex_);
    return flags_.contains(name);
  }
  std::vector<FlagInfo> list() {
    const std::lock_guard lock(mutex_);
    std::vector<FlagInfo> all;
    for (const auto& [name, f] : flags_) all.push_back({name, f.value(), f.default_value, f.doc});
    return all;
  }

 private:
  Registry() {
    define("FLAGS_batch_invariant", false,
           "Products, normalisations, softmax and attention give each element the same bits in any "
           "batch: no implementation is chosen by the shape of the whole. Costs speed.");
    define("FLAGS_check_nan_inf", false,
           "Stop at the first operator that makes a NaN or infinity.");
    define("FLAGS_check_nan_inf_level", int64_t{0},
           "0: FLAGS_check_nan_inf raises; above: it warns and goes on.");
    define("FLAGS_force_decompose", false,
           "Operators that have a decomposition run as it even where a kernel exists, eager and in "
           "programs: shows whether both are the same.");
    define("FLAGS_forbid_fallback", false,
           "Raise where an operator has no kernel for its dtype or device, instead of warning.");
    define("FLAGS_paddle_num_threads", int64_t{0},
           "Threads of one operator on the CPU; 0: as many as the process may use.");
    define("FLAGS_prepared_weight_bytes", int64_t{1} << 30,
           "How many bytes of weights may be kept in the order of a kernel, beside the weights.");
    define("FLAGS_log_level", int64_t{0}, "0: warnings and errors; 1: also information; 2: debug.");
  }
  std::mutex mutex_;
  std::map<std::string, Flag> flags_;  // nodes never move: pointers to values stay valid
};

}  // namespace

void define_flag(const std::string& name, FlagValue default_value, std::string doc) {
  Registry::instance().define(name, std::move(default_value), std::move(doc));
}

bool has_flag(const std::string& name) { return Registry::instance().has(name); }

FlagValue get_flag(const std::string& name) {
  return Registry::instance().with(name, "get_flag", [](Flag& f) { return f.value(); });
}

void set_flag(const std::string& name, const FlagValue& value) {
  Registry::instance().with(name, "set_flag", [&](Flag& f) {
    f.store(converted(name, value, f.default_value, "set_flag"));
  });
}

std::vector<FlagInfo> list_flags() { return Registry::instance().list(); }

const std::atomic<bool>* bool_flag(const std::string& name) {
  return Registry::instance().with(name, "bool_flag", [&](Flag& f) {
    PADDLE_CHECK_TYPE(f.default_value.index() == 0, "bool_flag: ", name, " is not a bool flag.");
    return static_cast<const std::atomic<bool>*>(&f.as_bool);
  });
}

const std::atomic<int64_t>* int_flag(const std::string& name) {
  return Registry::instance().with(name, "int_flag", [&](Flag& f) {
    PADDLE_CHECK_TYPE(f.default_value.index() == 1, "int_flag: ", name, " is not an int flag.");
    return static_cast<const std::atomic<int64_t>*>(&f.as_int);
  });
}

}  // namespace paddle
