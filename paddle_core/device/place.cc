// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Places as text, and the table of the names of device types.
#include "paddle_core/device/place.h"

#include <charconv>
#include <deque>
#include <mutex>
#include <ostream>
#include <shared_mutex>

#include "paddle_core/base/error.h"
#include "paddle_core/device/place_names.h"

namespace paddle {
namespace {

struct Names {
  std::shared_mutex mutex;
  std::deque<std::string> custom;  // by custom_type

  static Names& instance() {
    static Names* names = new Names;  // read by destructors of static objects
    return *names;
  }
};

[[noreturn]] void refuse(std::string_view text) {
  std::string known = "cpu, gpu:0";
  for (const std::string& name : custom_type_names()) known += ", " + name + ":0";
  throw_error(ErrorKind::kValue, str("place: the text is '", text, "'; a place is one of ", known,
                                     " or another index of these."));
}

}  // namespace

int custom_type_of(std::string_view name) {
  Names& names = Names::instance();
  const std::shared_lock lock(names.mutex);
  for (size_t i = 0; i < names.custom.size(); ++i) {
    if (names.custom[i] == name) return static_cast<int>(i);
  }
  return -1;
}

std::vector<std::string> custom_type_names() {
  Names& names = Names::instance();
  const std::shared_lock lock(names.mutex);
  return {names.custom.begin(), names.custom.end()};
}

int add_custom_type(const std::string& name) {
  Names& names = Names::instance();
  const std::unique_lock lock(names.mutex);
  PADDLE_CHECK_VALUE(names.custom.size() < 254, "register_device_type: name has value '", name,
                     "'; 254 device types are registered, which is the most there can be.");
  for (const std::string& other : names.custom) {
    PADDLE_CHECK_VALUE(other != name, "register_device_type: name has value '", name,
                       "'; that type is registered already; register each type once.");
  }
  names.custom.push_back(name);
  return static_cast<int>(names.custom.size()) - 1;
}

std::string place_text(Place place) {
  switch (place.kind) {
    case DeviceKind::kCpu:
      return "cpu";
    case DeviceKind::kGpu:
      return str("gpu:", place.index);
    case DeviceKind::kCustom: {
      Names& names = Names::instance();
      const std::shared_lock lock(names.mutex);
      const size_t type = place.custom_type;
      return str(type < names.custom.size() ? names.custom[type] : "custom", ":", place.index);
    }
    case DeviceKind::kUndefined:
      break;
  }
  return "undefined";
}

Place place_from_text(std::string_view text) {
  if (text == "cpu") return Place();
  if (text == "undefined") return {DeviceKind::kUndefined, 0, 0};
  const size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  Place place;
  if (colon != std::string_view::npos) {
    const std::string_view digits = text.substr(colon + 1);
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), place.index);
    if (error != std::errc() || end != digits.data() + digits.size() || place.index < 0) {
      refuse(text);
    }
  }
  if (name == "cpu") return Place();
  if (name == "gpu") {
    place.kind = DeviceKind::kGpu;
    return place;
  }
  const int type = custom_type_of(name);
  if (type < 0) refuse(text);
  place.kind = DeviceKind::kCustom;
  place.custom_type = static_cast<uint8_t>(type);
  return place;
}

std::ostream& operator<<(std::ostream& out, Place place) {
  return out << "Place(" << place_text(place) << ')';
}

}  // namespace paddle
