// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// `Place`: where a tensor lives, the names of the device types that are registered besides the
// host, and the place of new tensors. A type keeps its number until the process ends; types are
// never unregistered.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "paddle_core/base/export.h"

namespace paddle {

enum class DeviceKind : uint8_t { kUndefined = 0, kCpu = 1, kGpu = 2, kCustom = 3 };

struct PADDLE_API Place {
  DeviceKind kind = DeviceKind::kCpu;
  uint8_t custom_type = 0;  // of kCustom: which registered type
  int16_t index = 0;
  bool is_host() const { return kind == DeviceKind::kCpu; }
  friend bool operator==(const Place&, const Place&) = default;
};
static_assert(sizeof(Place) == 4);

// None: of a Place argument that leaves the place to the tensors of the call.
inline constexpr Place undefined_place() { return {DeviceKind::kUndefined, 0, 0}; }

// "cpu", "gpu:0", "<name of a registered type>:1", "undefined".
PADDLE_API std::string place_text(Place place);
// The inverse; "gpu" and "<name>" stand for index 0. ValueError, which lists the names there are,
// for any other text. That a device of that index exists is not checked.
PADDLE_API Place place_from_text(std::string_view text);
// Place(cpu), Place(gpu:0), Place(<name>:1).
PADDLE_API std::ostream& operator<<(std::ostream& out, Place place);

// A number for each device type: 0 for the host, 1 for gpu, 2 + custom_type for the others.
inline int device_type_of(Place place) {
  return place.kind == DeviceKind::kCpu   ? 0
         : place.kind == DeviceKind::kGpu ? 1
                                          : 2 + place.custom_type;
}

// The name of a registered custom type, or its index by name; -1 when nothing has that name.
PADDLE_API int custom_type_of(std::string_view name);
PADDLE_API std::vector<std::string> custom_type_names();

// Where new tensors are made by calls that have no tensor and name no place: the place of the
// innermost PlaceScope of the thread, else that of set_default_place (the process's; the host).
PADDLE_API Place default_place();
PADDLE_API void set_default_place(Place place);

// The place of new tensors of this thread alone; undefined_place(): that of the process again.
// Gives what it was.
PADDLE_API Place swap_thread_place(Place place);

// A decomposition or gradient rule makes its constants where the tensors of its call are.
class PADDLE_API PlaceScope {
 public:
  explicit PlaceScope(Place place);
  ~PlaceScope();
  PlaceScope(const PlaceScope&) = delete;
  PlaceScope& operator=(const PlaceScope&) = delete;

 private:
  Place outer_;
};

}  // namespace paddle
