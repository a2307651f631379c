// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The registry of device kinds and of the devices made so far.
#include "paddle_core/device/device.h"

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
