// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of the device registry, the host allocator, parallel ranges and generators.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <thread>
#include <vector>

#include "paddle_core/device/arena.h"
#include "paddle_core/device/device.h"
#include "paddle_core/device/generator.h"
#include "paddle_core/device/parallel.h"

namespace paddle {
namespace {

TEST(Device, TheHostIsAlwaysThereAndOthersAreNamed) {
  EXPECT_EQ(device_of(Place()).place(), Place());
  EXPECT_EQ(str(Place()), "Place(cpu)");
  const Place custom{DeviceKind::kCustom, 9, 1};
  EXPECT_THROW(device_of(custom), Error);
  EXPECT_FALSE(has_device_kind(DeviceKind::kCustom));
}

TEST(Allocator, BlocksOfEverySizeAreAlignedAndCounted) {
  Allocator& a = host_allocator();
  const size_t before = a.stats().allocated;
  std::vector<std::pair<void*, size_t>> blocks;
  for (size_t n = 1; n < (size_t{16} << 20); n = n * 5 / 4 + 1) {
    void* p = a.allocate(n);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(p) % 64, 0u);
    std::memset(p, 1, n);
    blocks.emplace_back(p, n);
  }
  EXPECT_GT(a.stats().allocated, before);
  EXPECT_GE(a.stats().peak_allocated, a.stats().allocated);
  for (auto [p, n] : blocks) a.free(p, n);
  EXPECT_EQ(a.stats().allocated, before);
  a.reset_peak();
  EXPECT_EQ(a.stats().peak_allocated, before);
  EXPECT_EQ(a.allocate(0), nullptr);
}

TEST(Allocator, KeepsNoMoreThanItsBound) {
  Allocator& a = host_allocator();
  a.release_cached();
  a.reset_peak();
  for (int round = 0; round < 40; ++round) {
    const size_t n = (size_t{20} << 20) + (static_cast<size_t>(round) << 20);
    a.free(a.allocate(n), n);
    const MemoryStats s = a.stats();
    EXPECT_LE(s.cached, s.peak_allocated + (size_t{64} << 20));
  }
  a.release_cached();
  EXPECT_EQ(a.stats().cached, 0u);
}

TEST(Allocator, LargeBlocksShareMemoryWithBlocksOfOtherSizes) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "under AddressSanitizer no memory is kept";
#endif
  Allocator& a = host_allocator();
  constexpr size_t kPart = (size_t{3} << 20) - 4096;
  a.release_cached();
  std::vector<void*> parts;
  for (int i = 0; i < 4; ++i) parts.push_back(a.allocate(kPart));
  const size_t rest = a.stats().cached;
  for (const int i : {1, 3, 0, 2}) a.free(parts[static_cast<size_t>(i)], kPart);
  EXPECT_EQ(a.stats().cached, rest + 4 * kPart);
  void* whole = a.allocate(4 * kPart);  // the parts joined
  EXPECT_EQ(a.stats().cached, rest);
  void* more = a.allocate(size_t{1} << 20);
  a.free(whole, 4 * kPart);
  void* larger = a.allocate(6 * kPart);
  std::memset(larger, 1, 6 * kPart);
  std::memset(more, 1, size_t{1} << 20);
  EXPECT_LT(a.stats().cached, 4 * kPart + (size_t{4} << 20));
  a.free(larger, 6 * kPart);
  a.free(more, size_t{1} << 20);
  a.release_cached();
  EXPECT_EQ(a.stats().cached, 0u);
}

TEST(Allocator, LargeBlocksJoinWhereOthersMapMemoryBetweenThem) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "under AddressSanitizer no memory is kept";
#endif
  Allocator& a = host_allocator();
  constexpr size_t kPart = (size_t{3} << 20) - 4096, kMapped = size_t{4} << 20;
  a.release_cached();
  std::vector<void*> parts, mapped;
  for (int i = 0; i < 8; ++i) {
    parts.push_back(a.allocate(kPart));
    mapped.push_back(mmap(nullptr, kMapped, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  }
  const size_t rest = a.stats().cached;
  for (void* part : parts) a.free(part, kPart);
  void* whole = a.allocate(8 * kPart);
  EXPECT_EQ(a.stats().cached, rest);
  a.free(whole, 8 * kPart);
  for (void* part : mapped) munmap(part, kMapped);
  a.release_cached();
  whole = a.allocate(kPart);  // addresses that were given back serve again
  std::memset(whole, 1, kPart);
  a.free(whole, kPart);
}

TEST(Allocator, BlocksOfOneSizeDoNotLiePowersOfTwoApart) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "under AddressSanitizer no memory is kept";
#endif
  Allocator& a = host_allocator();
  constexpr size_t kBytes = size_t{32} << 20;
  a.release_cached();
  void* first = a.allocate(kBytes);
  void* second = a.allocate(kBytes);
  const auto apart = reinterpret_cast<uintptr_t>(first) - reinterpret_cast<uintptr_t>(second);
  EXPECT_NE(apart % (size_t{1} << 20), 0u);
  a.free(first, kBytes);
  a.free(second, kBytes);
  a.release_cached();
}

TEST(Arena, GivesExpectedBlocksTheirPlacesAndOthersTheGaps) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "under AddressSanitizer no memory is kept";
#endif
  using host_memory::Arena;
  Allocator& a = host_allocator();
  constexpr size_t kPart = (size_t{1} << 20) - 4096;
  const size_t before = a.stats().allocated;
  void *low = nullptr, *high = nullptr, *outlives = nullptr;
  {
    Arena arena(3 * kPart);
    const Arena::Block blocks[] = {{2 * kPart, kPart}, {0, kPart}};
    {
      const Arena::Step step(arena, {blocks, 1});
      high = a.allocate(kPart);
      void* gap = a.allocate(2 * kPart);  // what the step needs besides
      EXPECT_EQ(static_cast<char*>(high) - static_cast<char*>(gap), 2 * kPart);
      a.free(gap, 2 * kPart);
      const host_memory::OutsideArena outside;
      outlives = a.allocate(kPart);
      EXPECT_GE(std::abs(static_cast<char*>(high) - static_cast<char*>(outlives)), 3 * kPart);
    }
    {
      const Arena::Step step(arena, {blocks + 1, 1});
      low = a.allocate(kPart);
      EXPECT_EQ(static_cast<char*>(high) - static_cast<char*>(low), 2 * kPart);
    }
    std::thread([&] { a.free(high, kPart); }).join();
    {
      const Arena::Step step(arena, blocks);  // the second place is taken
      high = a.allocate(kPart);
      void* elsewhere = a.allocate(kPart);
      EXPECT_EQ(static_cast<char*>(high) - static_cast<char*>(low), 2 * kPart);
      EXPECT_EQ(static_cast<char*>(elsewhere) - static_cast<char*>(low), kPart);
      a.free(elsewhere, kPart);
    }
  }
  std::memset(low, 1, kPart);  // outlives its arena
  for (void* block : {low, high, outlives}) a.free(block, kPart);
  EXPECT_EQ(a.stats().allocated, before);
  a.release_cached();
  EXPECT_EQ(a.stats().cached, 0u);
}

TEST(Arena, FreeMemoryOfAClosedArenaServesOthers) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "under AddressSanitizer no memory is kept";
#endif
  Allocator& a = host_allocator();
  a.release_cached();
  constexpr size_t kBytes = (size_t{8} << 20) - 4096;
  { const host_memory::Arena arena(kBytes); }
  const size_t rest = a.stats().cached;
  void* block = a.allocate(kBytes);
  EXPECT_EQ(a.stats().cached, rest - kBytes);
  a.free(block, kBytes);
  a.release_cached();
}

TEST(Allocator, RefusesImpossibleSizes) {
  try {
    host_allocator().allocate(size_t{1} << 48);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::kMemory);
  }
}

TEST(Allocator, BlocksMayDieOnOtherThreads) {
  Allocator& a = host_allocator();
  const size_t before = a.stats().allocated;
  for (int round = 0; round < 20; ++round) {
    std::vector<void*> blocks;
    std::thread maker([&] {
      for (size_t i = 0; i < 2000; ++i) blocks.push_back(a.allocate(1 + i * 7 % 5000));
    });
    maker.join();
    std::thread breaker([&] {
      for (size_t i = 0; i < 2000; ++i) a.free(blocks[i], 1 + i * 7 % 5000);
    });
    std::vector<void*> own;
    for (size_t i = 0; i < 500; ++i) own.push_back(a.allocate(64 + i));
    for (size_t i = 0; i < 500; ++i) a.free(own[i], 64 + i);
    breaker.join();
  }
  EXPECT_EQ(a.stats().allocated, before);
}

TEST(Parallel, CoversTheRangeOnceAtMultiplesOfTheGrain) {
  set_num_threads(4);
  std::vector<int> hits(1003);
  parallel_for(0, 1003, 10, [&](int64_t b, int64_t e) {
    EXPECT_EQ(b % 10, 0);
    EXPECT_FALSE(b > 0 && !must_run_serially());
    for (int64_t i = b; i < e; ++i) ++hits[static_cast<size_t>(i)];
  });
  for (const int h : hits) EXPECT_EQ(h, 1);
  EXPECT_THROW(set_num_threads(0), Error);
}

TEST(Parallel, ExceptionsReachTheCaller) {
  EXPECT_THROW(parallel_for(0, 100, 1,
                            [](int64_t b, int64_t) {
                              if (b > 0) throw_error(ErrorKind::kValue, "worker");
                            }),
               Error);
}

TEST(Parallel, AForkedChildRunsSerially) {
  parallel_for(0, 100, 1, [](int64_t, int64_t) {});
  const pid_t child = fork();
  if (child == 0) {
    int calls = 0;
    parallel_for(0, 100, 1, [&](int64_t, int64_t) { ++calls; });
    void* p = host_allocator().allocate(100000);
    host_allocator().free(p, 100000);
    _exit(calls == 1 && must_run_serially() ? 0 : 1);
  }
  int status = 1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_FALSE(must_run_serially());
}

TEST(Generator, PhiloxGivesThePublishedNumbers) {
  // Random123's known answers for philox4x32-10 with an all-zero counter and key.
  const auto r = philox({0, 0}, 0);
  EXPECT_EQ(r[0], 0x6627e8d5u);
  EXPECT_EQ(r[1], 0xe169c58du);
  EXPECT_EQ(r[2], 0xbc57ac4cu);
  EXPECT_EQ(r[3], 0x9b00dbd8u);
}

TEST(Generator, ReservingMovesTheOffset) {
  Generator g(7);
  EXPECT_EQ(g.reserve(5).offset, 0u);
  EXPECT_EQ(g.state().offset, 5u);
  g.manual_seed(8);
  EXPECT_EQ(g.state().offset, 0u);
  EXPECT_EQ(&default_generator(), &default_generator());
}

}  // namespace
}  // namespace paddle
