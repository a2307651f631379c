// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The registry of device types and of the devices made so far.
#include "paddle_core/device/device.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

#include "paddle_core/device/context.h"
#include "paddle_core/device/host_device.h"
#include "paddle_core/device/place_names.h"

namespace paddle {
namespace {

struct Registry {
  std::mutex mutex;
  std::map<int, DeviceType> types;  // by device_type_of
  std::map<std::tuple<int, int16_t>, std::unique_ptr<Device>> devices;
  std::multimap<std::string, std::function<void(Place)>> waiting;  // for a type of that name

  static Registry& instance() {
    static Registry* registry = new Registry;  // devices outlive every static object
    return *registry;
  }
};

std::atomic<int64_t> g_host_reads{0};

// Devices that were made, by type and index: what each call on a device asks for. Others are in the
// registry alone.
constexpr size_t kKnownTypes = 32, kKnownIndices = 64;
std::array<std::array<std::atomic<Device*>, kKnownIndices>, kKnownTypes> g_known{};

std::atomic<Device*>* known(Place place) {
  const auto type = static_cast<size_t>(device_type_of(place));
  const auto index = static_cast<size_t>(place.index);
  return type < kKnownTypes && index < kKnownIndices ? &g_known[type][index] : nullptr;
}

bool is_type_name(const std::string& name) {
  if (name.empty() || name[0] < 'a' || name[0] > 'z') return false;
  return name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos;
}

}  // namespace

struct Device::Handles {
  std::mutex mutex;
  std::map<std::pair<std::type_index, Stream*>, std::shared_ptr<void>> of;
};

Allocator& Device::pinned_allocator() { return host_allocator(); }

std::shared_ptr<void> Device::find_handle(std::type_index type, Stream& stream,
                                          const std::function<std::shared_ptr<void>()>& make) {
  static std::mutex creation;
  {
    const std::lock_guard lock(creation);
    if (!handles_) handles_ = std::make_shared<Handles>();
  }
  const std::lock_guard lock(handles_->mutex);
  std::shared_ptr<void>& handle = handles_->of[{type, &stream}];
  if (!handle) handle = make();
  return handle;
}

Place register_device_type(DeviceType type) {
  PADDLE_CHECK_VALUE(is_type_name(type.name) && type.name != "cpu" && type.name != "undefined",
                     "register_device_type: name has value '", type.name,
                     "'; a name of lower-case letters, digits and underscores is needed that is "
                     "neither cpu nor undefined.");
  PADDLE_CHECK_VALUE(type.make && type.count, "register_device_type: the type ", type.name,
                     " has no function that makes its devices or counts them; give both.");
  Place place;
  if (type.name == "gpu") {
    place.kind = DeviceKind::kGpu;
  } else {
    place.kind = DeviceKind::kCustom;
    place.custom_type = static_cast<uint8_t>(add_custom_type(type.name));
  }
  Registry& r = Registry::instance();
  std::vector<std::function<void(Place)>> waited;
  {
    const std::lock_guard lock(r.mutex);
    const std::string name = type.name;
    const bool added = r.types.try_emplace(device_type_of(place), std::move(type)).second;
    PADDLE_CHECK_VALUE(added,
                       "register_device_type: name has value 'gpu'; that type is registered "
                       "already; register each type once.");
    const auto [begin, end] = r.waiting.equal_range(name);
    for (auto at = begin; at != end; ++at) waited.push_back(std::move(at->second));
    r.waiting.erase(begin, end);
  }
  for (const auto& then : waited) then(place);
  return place;
}

void when_device_type_is_registered(const std::string& name, std::function<void(Place)> then) {
  Registry& r = Registry::instance();
  Place place;
  {
    const std::lock_guard lock(r.mutex);
    const auto at = std::find_if(r.types.begin(), r.types.end(),
                                 [&](const auto& entry) { return entry.second.name == name; });
    if (at == r.types.end()) {
      r.waiting.emplace(name, std::move(then));
      return;
    }
    place = place_from_text(name);
  }
  then(place);
}

Device& device_of(Place place) {
  if (place.is_host()) return host_device();
  std::atomic<Device*>* const at = place.kind == DeviceKind::kUndefined ? nullptr : known(place);
  if (at) {
    if (Device* const found = at->load(std::memory_order_acquire)) return *found;
  }
  Registry& r = Registry::instance();
  const auto key = std::tuple(device_type_of(place), place.index);
  DeviceFactory factory;
  if (place.kind != DeviceKind::kUndefined) {
    const std::lock_guard lock(r.mutex);
    if (const auto it = r.devices.find(key); it != r.devices.end()) return *it->second;
    const auto it = r.types.find(std::get<0>(key));
    if (it != r.types.end()) factory = it->second.make;
  }
  PADDLE_CHECK_VALUE(factory, "device: place has value ", place,
                     "; no device of that type is registered; use Place(cpu) or load its plugin.");
  // Made outside the lock: a factory may look up other devices. A second maker loses.
  std::unique_ptr<Device> made = factory(place);
  PADDLE_CHECK_VALUE(made, "device: place has value ", place,
                     "; no device has that index; use a smaller one.");
  const std::lock_guard lock(r.mutex);
  Device& kept = *r.devices.try_emplace(key, std::move(made)).first->second;
  if (at) at->store(&kept, std::memory_order_release);
  return kept;
}

bool has_device_kind(DeviceKind kind) {
  if (kind == DeviceKind::kCpu) return true;
  Registry& r = Registry::instance();
  const std::lock_guard lock(r.mutex);
  for (const auto& [type, unused] : r.types) {
    if (kind == (type == 1 ? DeviceKind::kGpu : DeviceKind::kCustom)) return true;
  }
  return false;
}

int device_count(Place place) {
  if (place.is_host()) return 1;
  std::function<int()> count;
  Registry& r = Registry::instance();
  {
    const std::lock_guard lock(r.mutex);
    const auto it = r.types.find(device_type_of(place));
    if (place.kind != DeviceKind::kUndefined && it != r.types.end()) count = it->second.count;
  }
  return count ? count() : 0;
}

void synchronize_for_host(Place place) {
  if (place.is_host()) return;
  g_host_reads.fetch_add(1, std::memory_order_relaxed);
  current_stream(place).synchronize();
}

int64_t host_reads() { return g_host_reads.load(std::memory_order_relaxed); }

}  // namespace paddle
