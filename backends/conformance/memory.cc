// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Cases: blocks, copies in all directions, fills, a full device.
#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>

#include "cases.h"

namespace paddle::conformance {
namespace {

constexpr int64_t kSizes[] = {1, 2, 3, 7, 63, 64, 65, 255, 4097, 65535, (1 << 20) + 1, 3 << 20};

void same(const std::vector<uint8_t>& got, const std::vector<uint8_t>& expected,
          const std::string& what) {
  for (size_t i = 0; i < expected.size(); ++i) {
    if (got[i] == expected[i]) continue;
    fail(what + ": byte " + std::to_string(i) + " of " + std::to_string(expected.size()) + " is " +
         std::to_string(got[i]) + ", not " + std::to_string(expected[i]));
  }
}

void sizes(const Subject& s, Figures&) {
  const Device device(s, 0);
  const Stream stream(device);
  Random random(1);
  for (const int64_t bytes : kSizes) {
    const Block block(device, bytes);
    const std::vector<uint8_t> given = random.bytes(bytes);
    write(stream, block, 0, given.data(), bytes);
    same(values(stream, block), given, "a block of " + std::to_string(bytes) + " bytes");
  }
  PdAllocateArgs args{};
  args.device = device.raw;
  args.bytes = -1;
  s.call_wrongly(s.memory().allocate, args, "memory.allocate of -1 bytes");
}

// Pieces of random size and place: each copy changes what it names and nothing else.
void copies(const Subject& s, Figures&) {
  const Device device(s, 0);
  const Stream stream(device);
  Random random(2);
  constexpr int64_t kBytes = 10007;
  const Block x(device, kBytes), y(device, kBytes);
  std::vector<uint8_t> in_x = random.bytes(kBytes), in_y = random.bytes(kBytes);
  write(stream, x, 0, in_x.data(), kBytes);
  write(stream, y, 0, in_y.data(), kBytes);
  std::deque<std::vector<uint8_t>> written;  // the host keeps what a stream may still read
  for (int round = 0; round < 300; ++round) {
    const int64_t bytes = 1 + random.below(round % 3 ? 90 : kBytes);
    const int64_t from = random.below(kBytes - bytes + 1), to = random.below(kBytes - bytes + 1);
    const size_t n = static_cast<size_t>(bytes);
    switch (round % 4) {
      case 0:
        written.push_back(random.bytes(bytes));
        write(stream, x, to, written.back().data(), bytes);
        std::memcpy(in_x.data() + to, written.back().data(), n);
        break;
      case 1:
        copy(stream, y, to, x, from, bytes);
        std::memcpy(in_y.data() + to, in_x.data() + from, n);
        break;
      case 2: {
        std::vector<uint8_t> got(n, 0xEE);
        read(stream, got.data(), y, from, bytes);
        stream.synchronize();
        same(got, {in_y.begin() + from, in_y.begin() + from + bytes}, "a part that was read");
        break;
      }
      default:
        fill(stream, x, to, bytes, round & 0xff);
        std::memset(in_x.data() + to, round & 0xff, n);
    }
  }
  same(values(stream, x), in_x, "after 300 copies and fills");
  same(values(stream, y), in_y, "after 300 copies and fills");
}

void between_devices(const Subject& s, Figures&) {
  const Device first(s, 0), second(s, 1);
  const Stream on_first(first), on_second(second);
  Random random(3);
  constexpr int64_t kBytes = 70001;
  const Block x(first, kBytes), y(second, kBytes), z(first, kBytes);
  const std::vector<uint8_t> given = random.bytes(kBytes);
  write(on_first, x, 0, given.data(), kBytes);
  on_first.synchronize();
  copy(on_second, y, 0, x, 0, kBytes);
  same(values(on_second, y), given, "copied to the second device");
  copy(on_second, z, 0, y, 0, kBytes);
  on_second.synchronize();
  same(values(on_first, z), given, "copied back");
}

void fills(const Subject& s, Figures&) {
  const Device device(s, 0);
  const Stream stream(device);
  const Block block(device, 1000);
  for (const int32_t value : {0, 1, 0x7f, 0xff}) {
    fill(stream, block, 0, 1000, value ^ 0xff);
    fill(stream, block, 333, 334, value);
    std::vector<uint8_t> expected(1000, static_cast<uint8_t>(value ^ 0xff));
    std::fill_n(expected.begin() + 333, 334, static_cast<uint8_t>(value));
    same(values(stream, block), expected, "filled with " + std::to_string(value));
  }
}

void blocks_apart(const Subject& s, Figures&) {
  const Device device(s, 0);
  const Stream stream(device);
  std::deque<Block> blocks;
  for (int i = 0; i < 64; ++i) {
    fill(stream, blocks.emplace_back(device, 100 + 37 * i), 0, 100 + 37 * i, i);
  }
  for (int i = 0; i < 64; ++i) {
    const Block& block = blocks[static_cast<size_t>(i)];
    same(values(stream, block),
         std::vector<uint8_t>(static_cast<size_t>(block.bytes), static_cast<uint8_t>(i)),
         "block " + std::to_string(i) + " of 64");
  }
}

// All of it, in blocks that are never touched; then it is there again.
void full(const Subject& s, Figures&) {
  const Device device(s, 0);
  const int64_t total = device.properties().total_memory;
  for (int round = 0; round < 2; ++round) {
    std::deque<Block> blocks;
    for (int64_t bytes = std::max<int64_t>(total / 8, 1);; bytes /= 2) {
      PdAllocateArgs args{};
      args.device = device.raw;
      args.bytes = bytes;
      expect(blocks.size() < 4096, "it gives more memory than it has");
      PdError* const error = s.attempt(s.memory().allocate, args);
      if (!error) {
        PdFreeArgs back{0, nullptr, device.raw, args.memory, nullptr, bytes};
        s.call(s.memory().free, back, "memory.free");
        blocks.emplace_back(device, bytes);
        bytes *= 2;  // as much again
        continue;
      }
      int32_t kind = 0;
      const std::string said = s.told(error, &kind);
      expect(kind == PD_ERROR_MEMORY, "a full device gives an error of kind " +
                                          std::to_string(kind) + ", not PD_ERROR_MEMORY: " + said);
      if (bytes <= total / 64) break;
    }
    expect(!blocks.empty(), "not even an eighth of total_memory can be had");
    for (Block& block : blocks) block.free();
  }
}

void pinned(const Subject& s, Figures&) {
  const Device device(s, 0);
  if (!device.has(PD_CAPABILITY_PINNED_MEMORY)) throw NotThere{"it has no pinned memory"};
  const Stream stream(device);
  Random random(5);
  for (const int64_t bytes : {int64_t{1}, int64_t{4097}, int64_t{1} << 20}) {
    PdAllocateArgs args{};
    args.device = device.raw;
    args.bytes = bytes;
    s.call(s.memory().allocate_host, args, "memory.allocate_host");
    expect(args.host, "memory.allocate_host gave a null address");
    expect(reinterpret_cast<uintptr_t>(args.host) % 64 == 0, "pinned memory is not aligned to 64");
    const std::vector<uint8_t> given = random.bytes(bytes);
    std::memcpy(args.host, given.data(), given.size());
    const Block block(device, bytes);
    write(stream, block, 0, args.host, bytes);
    same(values(stream, block), given, "out of pinned memory");
    PdFreeArgs back{0, nullptr, device.raw, nullptr, args.host, bytes};
    s.call(s.memory().free_host, back, "memory.free_host");
  }
}

}  // namespace

std::vector<Case> memory_cases() {
  return {
      {"memory/sizes", "bronze", "blocks of 1, of odd and of many bytes hold them", sizes},
      {"memory/copies", "bronze", "copies in all directions move what they name", copies},
      {"memory/fills", "bronze", "fills write what they name", fills},
      {"memory/blocks_apart", "bronze", "blocks do not overlap", blocks_apart},
      {"memory/full", "silver", "a full device says so, and recovers", full},
      {"memory/pinned", "silver", "page-locked host memory works", pinned},
      {"memory/between_devices", "gold", "values travel between devices", between_devices},
  };
}

}  // namespace paddle::conformance
