// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Cases: the tables, the life of devices, and what is said of wrong questions.
#include <cstring>

#include "cases.h"

namespace paddle::conformance {
namespace {

void tables(const Subject& s, Figures&) {
  const PdPlugin& p = s.plugin();
  expect(p.struct_size >= offsetof(PdPlugin, kernels) + sizeof p.kernels,
         "PdPlugin has a struct_size that is too small");
  expect(p.device_type && *p.device_type, "device_type is empty");
  for (const char* c = p.device_type; *c; ++c) {
    const bool fits = (*c >= 'a' && *c <= 'z') || (c != p.device_type && *c >= '0' && *c <= '9') ||
                      (c != p.device_type && *c == '_');
    expect(fits, std::string("device_type is \"") + p.device_type + "\"; [a-z][a-z0-9_]* is meant");
  }
  expect(p.version, "version is null");
  const PdDeviceGroup& d = s.device();
  expect(PD_HAS(&d, synchronize), "the group device has a struct_size that is too small");
  expect(d.count && d.open && d.close && d.properties && d.has && d.synchronize,
         "a function of the group device is null");
  if (p.memory) {
    const PdMemoryGroup& m = *p.memory;
    expect(PD_HAS(&m, free_host), "the group memory has a struct_size that is too small");
    expect(m.allocate && m.free && m.copy && m.fill, "a function of the group memory is null");
    expect(!m.allocate_host == !m.free_host, "one of allocate_host and free_host is null");
  }
  if (p.streams) {
    const PdStreamGroup& g = *p.streams;
    expect(PD_HAS(&g, synchronize), "the group streams has a struct_size that is too small");
    expect(g.create && g.destroy && g.query && g.synchronize,
           "a function of the group streams is null");
  }
  if (p.events) {
    const PdEventGroup& g = *p.events;
    expect(p.streams, "there are events without streams");
    expect(PD_HAS(&g, synchronize), "the group events has a struct_size that is too small");
    expect(g.create && g.destroy && g.record && g.wait && g.query && g.synchronize,
           "a function of the group events is null");
  }
  if (p.kernels) {
    expect(p.memory, "there are kernels without memory");
    expect(PD_HAS(p.kernels, strided_copy),
           "the group kernels has a struct_size that is too small");
    expect(p.kernels->find, "kernels.find is null");
  }
}

void open_and_close(const Subject& s, Figures&) {
  const int32_t count = s.count();
  for (int32_t i = 0; i < count; ++i) {
    for (int round = 0; round < 3; ++round) Device(s, i).close();
  }
  if (count < 2) return;
  Device first(s, 0);
  Device second(s, 1);
  expect(first.raw != second.raw, "two devices are one");
  first.close();
  second.synchronize();
  Device again(s, 0);
  second.close();
  again.synchronize();
}

void wrong_indices(const Subject& s, Figures&) {
  for (const int32_t index : {-1, s.count(), INT32_MAX}) {
    PdOpenArgs args{};
    args.index = index;
    s.call_wrongly(s.device().open, args, ("device.open of " + std::to_string(index)).c_str());
  }
  Device(s, 0).synchronize();
}

void properties(const Subject& s, Figures&) {
  for (int32_t i = 0; i < s.count(); ++i) {
    const Device device(s, i);
    const PdPropertiesArgs p = device.properties();
    expect(std::memchr(p.name, 0, sizeof p.name), "the name has no zero byte at its end");
    expect(p.name[0], "the name is empty");
    expect(p.total_memory > 0, "total_memory is " + std::to_string(p.total_memory));
    expect(p.multiprocessors >= 0, "multiprocessors is negative");
  }
}

#if PD_VERSION_MINOR >= 1
void memory_info(const Subject& s, Figures&) {
  if (!PD_HAS(&s.device(), memory_info) || !s.device().memory_info) {
    throw NotThere{"device.memory_info is null"};
  }
  const Device device(s, 0);
  const auto ask = [&] {
    PdMemoryInfoArgs args{};
    args.device = device.raw;
    args.free = args.total = -1;
    s.call(s.device().memory_info, args, "device.memory_info");
    expect(args.free >= 0 && args.free <= args.total, "free memory is not within all of it");
    return args;
  };
  const PdMemoryInfoArgs before = ask();
  const Block block(device, before.total / 4);
  const int64_t taken = before.free - ask().free;
  expect(taken >= before.total / 4, "a block of a quarter of the memory leaves as much free");
}
#endif

void unknown_capabilities(const Subject& s, Figures&) {
  const Device device(s, 0);
  for (const int32_t unknown : {0, 9999, -5}) {
    expect(!device.has(unknown), "it has capability " + std::to_string(unknown) +
                                     ", which no version of the interface has");
  }
  if (device.has(PD_CAPABILITY_PINNED_MEMORY)) {
    expect(s.memory().allocate_host, "it has pinned memory, and memory.allocate_host is null");
  }
}

// A host of a later version gives longer structs.
void longer_structs(const Subject& s, Figures&) {
  struct Longer {
    PdPropertiesArgs args;
    unsigned char later[64];
  } given;
  std::memset(&given, 0x5A, sizeof given);
  const Device device(s, 0);
  given.args.struct_size = sizeof given;
  given.args.context = s.plugin().context;
  given.args.device = device.raw;
  if (PdError* error = s.device().properties(&given.args)) fail(s.told(error));
  for (const unsigned char byte : given.later) {
    expect(byte == 0x5A, "device.properties wrote behind the fields of version 1.0");
  }
  expect(given.args.struct_size == sizeof given, "device.properties changed struct_size");
}

}  // namespace

std::vector<Case> life_cases() {
  return {
    {"device/tables", "bronze", "its tables are whole", tables},
        {"device/open_and_close", "bronze", "devices open and close in any order", open_and_close},
        {"device/wrong_indices", "bronze", "devices that are not there are refused", wrong_indices},
        {"device/properties", "bronze", "properties make sense", properties},
#if PD_VERSION_MINOR >= 1
        {"device/memory_info", "gold", "it tells how much memory is free", memory_info},
#endif
        {"device/unknown_capabilities", "bronze", "what it does not know it does not have",
         unknown_capabilities},
        {"device/longer_structs", "silver", "structs of later hosts are taken", longer_structs},
  };
}

}  // namespace paddle::conformance
