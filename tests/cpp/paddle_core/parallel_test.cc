// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of parallel_for on several threads at once: who waits for whom, and what is left behind.
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>
#include <vector>

#include "paddle_core/device/parallel.h"

namespace paddle {
namespace {

TEST(ParallelFor, ACallerDoesNotWaitForTheRangesOfOthers) {
  set_num_threads(2);
  std::promise<void> release;
  const std::shared_future<void> released = release.get_future().share();
  std::atomic<int> blocked{0};
  std::thread other([&] {
    parallel_for(0, 2, 1, [&](int64_t, int64_t) {
      ++blocked;
      released.wait();
    });
  });
  while (blocked.load() < 1) std::this_thread::yield();
  int64_t sum = 0;
  std::atomic<int64_t> total{0};
  for (int round = 0; round < 100; ++round) {
    parallel_for(0, 1000, 10, [&](int64_t b, int64_t e) { total += e - b; });
    sum += 1000;
  }
  EXPECT_EQ(total.load(), sum);
  release.set_value();
  other.join();
  EXPECT_EQ(blocked.load(), 2);
}

TEST(ParallelFor, RangesOfManyThreadsAtOnceAreCoveredOnce) {
  set_num_threads(3);
  constexpr int kCallers = 8, kRounds = 300, kLength = 4096;
  std::atomic<int> wrong{0};
  std::vector<std::thread> callers;
  for (int c = 0; c < kCallers; ++c) {
    callers.emplace_back([&] {
      std::vector<int> hits(kLength);
      for (int round = 1; round <= kRounds; ++round) {
        parallel_for(0, kLength, 64, [&](int64_t b, int64_t e) {
          for (int64_t i = b; i < e; ++i) ++hits[static_cast<size_t>(i)];
        });
        for (const int h : hits) wrong += h != round;
      }
    });
  }
  for (std::thread& t : callers) t.join();
  EXPECT_EQ(wrong.load(), 0);
}

TEST(ParallelFor, ARangeInsideOfARangeRunsOnOneThread) {
  set_num_threads(2);
  std::atomic<int> inner{0};
  parallel_for(0, 4, 1, [&](int64_t b, int64_t e) {
    for (int64_t i = b; i < e; ++i) {
      const auto self = std::this_thread::get_id();
      parallel_for(0, 100, 1, [&](int64_t from, int64_t to) {
        if (std::this_thread::get_id() == self && from == 0 && to == 100) ++inner;
      });
    }
  });
  EXPECT_EQ(inner.load(), 4);
}

TEST(ParallelFor, AnExceptionLeavesTheThreadsUsable) {
  set_num_threads(2);
  for (int round = 0; round < 50; ++round) {
    EXPECT_ANY_THROW(parallel_for(0, 100, 1, [](int64_t b, int64_t) {
      if (b == 0) throw std::runtime_error("chunk");
    }));
    std::atomic<int64_t> total{0};
    parallel_for(0, 100, 1, [&](int64_t b, int64_t e) { total += e - b; });
    EXPECT_EQ(total.load(), 100);
  }
}

}  // namespace
}  // namespace paddle
