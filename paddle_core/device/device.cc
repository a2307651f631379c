// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The registry of device kinds and of the devices made so far.
#include "paddle_core/device/device.h"

#include <charconv>
#include <map>
#include <mutex>
#include <ostream>
#include <tuple>

#include "paddle_core/device/host_device.h"

namespace paddle {
namespace {

const char* kind_name(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::kCpu:
      return "cpu";
    case DeviceKind::kGpu:
      return "gpu";
    case DeviceKind::kCustom:
      return "custom";
    case DeviceKind::kUndefined:
      break;
  }
  return "undefined";
}

struct Registry {
  std::mutex mutex;
  std::map<DeviceKind, DeviceFactory> factories;
  std::map<std::tuple<DeviceKind, uint8_t, int16_t>, std::unique_ptr<Device>> devices;

  static Registry& instance() {
    static Registry* registry = new Registry;  // devices outlive every static object
    return *registry;
  }
};

}  // namespace

std::ostream& operator<<(std::ostream& out, Place place) {
  out << "Place(" << kind_name(place.kind);
  if (place.kind == DeviceKind::kGpu || place.kind == DeviceKind::kCustom)
    out << ':' << place.index;
  return out << ')';
}

PADDLE_API std::string place_text(Place place);
PADDLE_API Place place_from_text(std::string_view text);

std::string place_text(Place place) {
  std::string text = kind_name(place.kind);
  if (place.kind == DeviceKind::kCustom) text += std::to_string(place.custom_type);
  if (place.kind != DeviceKind::kUndefined && place.kind != DeviceKind::kCpu) {
    text += ':' + std::to_string(place.index);
  }
  return text;
}

Place place_from_text(std::string_view text) {
  const size_t colon = text.find(':');
  std::string_view name = text.substr(0, colon);
  const auto number = [&](std::string_view digits, int64_t limit) {
    int64_t value = 0;
    const auto end = digits.data() + digits.size();
    const auto read = std::from_chars(digits.data(), end, value);
    PADDLE_CHECK_VALUE(read.ec == std::errc() && read.ptr == end && value >= 0 && value <= limit,
                       "device: place has value ", text, "; \"cpu\" or \"gpu:0\" is expected.");
    return value;
  };
  Place place;
  for (const DeviceKind kind :
       {DeviceKind::kUndefined, DeviceKind::kCpu, DeviceKind::kGpu, DeviceKind::kCustom}) {
    if (!name.starts_with(kind_name(kind))) continue;
    place.kind = kind;
    name.remove_prefix(std::string_view(kind_name(kind)).size());
    if (kind == DeviceKind::kCustom && !name.empty()) {
      place.custom_type = static_cast<uint8_t>(number(name, 255));
      name = {};
    }
    if (!name.empty()) break;
    if (colon != std::string_view::npos) {
      place.index = static_cast<int16_t>(number(text.substr(colon + 1), 32767));
    }
    return place;
  }
  throw_error(ErrorKind::kValue,
              str("device: place has value ", text, "; \"cpu\" or \"gpu:0\" is expected."));
}

void register_device_kind(DeviceKind kind, DeviceFactory factory) {
  Registry& r = Registry::instance();
  const std::lock_guard lock(r.mutex);
  PADDLE_CHECK_VALUE(kind != DeviceKind::kCpu && r.factories.try_emplace(kind, factory).second,
                     "register_device_kind: kind has value ", kind_name(kind),
                     "; that kind is registered already; register each kind once.");
}

Device& device_of(Place place) {
  if (place.kind == DeviceKind::kCpu) return host_device();
  Registry& r = Registry::instance();
  const auto key = std::tuple(place.kind, place.custom_type, place.index);
  DeviceFactory factory;
  {
    const std::lock_guard lock(r.mutex);
    if (const auto it = r.devices.find(key); it != r.devices.end()) return *it->second;
    if (const auto it = r.factories.find(place.kind); it != r.factories.end()) factory = it->second;
  }
  PADDLE_CHECK_VALUE(factory, "device: place has value ", place,
                     "; this build or machine has no such device; use Place(cpu).");
  // Made outside the lock: a factory may look up other devices. A second maker loses.
  std::unique_ptr<Device> made = factory(place);
  PADDLE_CHECK_VALUE(made, "device: place has value ", place,
                     "; no device has that index; use a smaller one.");
  const std::lock_guard lock(r.mutex);
  return *r.devices.try_emplace(key, std::move(made)).first->second;
}

bool has_device_kind(DeviceKind kind) {
  if (kind == DeviceKind::kCpu) return true;
  Registry& r = Registry::instance();
  const std::lock_guard lock(r.mutex);
  return r.factories.contains(kind);
}

}  // namespace paddle
