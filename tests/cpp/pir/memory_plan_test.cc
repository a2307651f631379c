// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of the placement of blocks by their lifetimes.
#include "pir/interpreter/memory_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace paddle::pir {
namespace {

size_t most_alive(const std::vector<Lifetime>& blocks) {
  size_t most = 0;
  for (const Lifetime& at : blocks) {
    size_t alive = 0;
    for (const Lifetime& b : blocks) {
      if (b.first <= at.first && at.first <= b.last) alive += b.bytes;
    }
    most = std::max(most, alive);
  }
  return most;
}

TEST(MemoryPlan, AChainTakesTurns) {
  const std::vector<Lifetime> chain = {{0, 1, 6}, {1, 2, 6}, {2, 3, 6}, {3, 4, 6}};
  size_t total = 0;
  const std::vector<size_t> offsets = place(chain, total);
  EXPECT_EQ(total, 12u);
  EXPECT_EQ(offsets[0], offsets[2]);
  EXPECT_EQ(offsets[1], offsets[3]);
}

TEST(MemoryPlan, ABlockTakesTheSmallestGap) {
  //  time 1: 8 above 4 above 6; time 3: only the 4 is left of them
  const std::vector<Lifetime> blocks = {{0, 1, 8}, {0, 2, 6}, {0, 3, 4}, {3, 3, 5}};
  size_t total = 0;
  place(blocks, total);
  EXPECT_EQ(total, 18u);
}

TEST(MemoryPlan, BlocksThatLiveTogetherDoNotOverlap) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<Lifetime> blocks;
    for (size_t i = 0; i < 40; ++i) {
      const size_t first = random() % 60;
      blocks.push_back({first, first + random() % 8, 1 + random() % 100});
    }
    size_t total = 0;
    const std::vector<size_t> offsets = place(blocks, total);
    for (size_t i = 0; i < blocks.size(); ++i) {
      ASSERT_LE(offsets[i] + blocks[i].bytes, total);
      for (size_t k = 0; k < i; ++k) {
        const bool together =
            blocks[i].first <= blocks[k].last && blocks[k].first <= blocks[i].last;
        const bool apart = offsets[i] + blocks[i].bytes <= offsets[k] ||
                           offsets[k] + blocks[k].bytes <= offsets[i];
        ASSERT_TRUE(!together || apart);
      }
    }
    EXPECT_LE(total, most_alive(blocks) * 3 / 2);
  }
}

TEST(MemoryPlan, NothingTakesNothing) {
  size_t total = 1;
  EXPECT_TRUE(place({}, total).empty());
  EXPECT_EQ(total, 0u);
}

}  // namespace
}  // namespace paddle::pir
