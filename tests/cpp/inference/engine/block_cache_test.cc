// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
#include "inference/engine/block_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

namespace paddle::engine {
namespace {

using Tokens = std::vector<TokenId>;

Tokens range(TokenId first, int count) {
  Tokens out;
  for (int i = 0; i < count; ++i) out.push_back(first + i);
  return out;
}

TEST(BlockCache, SharesFullBlocksAndCopiesOnePartly) {
  std::vector<std::pair<int32_t, int32_t>> copies;
  BlockCache cache(8, 4, [&](int32_t from, int32_t to) { copies.emplace_back(from, to); });
  BlockCache::Table a, b;
  const Tokens tokens = range(10, 12);
  EXPECT_EQ(cache.take_known(a, tokens), 0);
  ASSERT_TRUE(cache.reserve(a, 12));
  cache.publish(a, tokens, 12);
  Tokens other = range(10, 10);
  other.push_back(99);
  other.push_back(98);
  // Two blocks are shared; of the third its first two tokens are copied.
  EXPECT_EQ(cache.take_known(b, other), 10);
  ASSERT_EQ(b.blocks.size(), 3u);
  EXPECT_EQ(b.blocks[0], a.blocks[0]);
  EXPECT_EQ(b.blocks[1], a.blocks[1]);
  EXPECT_NE(b.blocks[2], a.blocks[2]);
  EXPECT_EQ(copies, (std::vector<std::pair<int32_t, int32_t>>{{a.blocks[2], b.blocks[2]}}));
  EXPECT_EQ(cache.num_shared(), 2);
  cache.release(a);
  cache.release(b);
  EXPECT_EQ(cache.num_shared(), 0);
  EXPECT_EQ(cache.num_available(), 8);
}

TEST(BlockCache, LeavesOneTokenToCompute) {
  BlockCache cache(4, 4, [](int32_t, int32_t) {});
  BlockCache::Table a, b;
  const Tokens tokens = range(0, 8);
  ASSERT_TRUE(cache.reserve(a, 8));
  cache.publish(a, tokens, 8);
  EXPECT_EQ(cache.take_known(b, tokens), 7);
}

TEST(BlockCache, ForgetsWhatWasUsedLeastRecently) {
  BlockCache cache(4, 2, [](int32_t, int32_t) {});
  const auto keep = [&](const Tokens& tokens) {
    BlockCache::Table t;
    const int64_t known = cache.take_known(t, tokens);
    EXPECT_TRUE(cache.reserve(t, std::ssize(tokens)));
    cache.publish(t, tokens, std::ssize(tokens));
    cache.release(t);
    return known;
  };
  EXPECT_EQ(keep({1, 2, 3, 4}), 0);
  EXPECT_EQ(keep({5, 6, 7, 8}), 0);
  EXPECT_EQ(keep({1, 2, 3, 4}), 3);  // now the more recent one
  EXPECT_EQ(keep({9, 10}), 0);       // takes the leaf of the other
  EXPECT_EQ(keep({1, 2, 3, 4}), 3);
  EXPECT_EQ(keep({5, 6, 7, 8}), 0);
  cache.forget();
  EXPECT_EQ(keep({5, 6, 7, 8}), 0);
  EXPECT_EQ(cache.num_available(), 4);
}

// Sequences that begin alike come, grow, and go, against a plain account of who has which block.
TEST(BlockCache, NobodyLosesOrWritesABlockOfOthers) {
  constexpr int64_t kBlocks = 24, kSize = 4;
  std::vector<Tokens> held(kBlocks);  // the tokens whose keys lie in each block
  BlockCache cache(kBlocks, kSize, [&](int32_t from, int32_t to) {
    held[static_cast<size_t>(to)] = held[static_cast<size_t>(from)];
  });
  struct Sequence {
    BlockCache::Table table;
    Tokens tokens;
  };
  std::vector<Sequence> sequences;
  std::mt19937 random(7);
  int refused = 0, found = 0;
  for (int step = 0; step < 20000; ++step) {
    if (sequences.empty() || random() % 4 == 0) {
      Sequence s;
      const int length = 1 + static_cast<int>(random() % 20);
      for (int i = 0; i < length; ++i) s.tokens.push_back(static_cast<TokenId>(random() % 2));
      const int64_t known = cache.take_known(s.table, s.tokens);
      found += known > 0;
      for (int64_t i = 0; i < known; ++i) {
        const auto& block =
            held[static_cast<size_t>(s.table.blocks[static_cast<size_t>(i / kSize)])];
        ASSERT_EQ(block[static_cast<size_t>(i % kSize)], s.tokens[static_cast<size_t>(i)]);
      }
      if (!cache.reserve(s.table, length)) {
        cache.release(s.table);
        ++refused;
        continue;
      }
      for (int64_t i = known; i < length; ++i) {
        Tokens& block = held[static_cast<size_t>(s.table.blocks[static_cast<size_t>(i / kSize)])];
        block.resize(kSize);
        block[static_cast<size_t>(i % kSize)] = s.tokens[static_cast<size_t>(i)];
      }
      cache.publish(s.table, s.tokens, length);
      sequences.push_back(std::move(s));
    } else if (random() % 3 == 0) {
      const size_t at = random() % sequences.size();
      cache.release(sequences[at].table);
      sequences.erase(sequences.begin() + static_cast<std::ptrdiff_t>(at));
    } else {
      Sequence& s = sequences[random() % sequences.size()];
      const int64_t length = std::ssize(s.tokens) + 1;
      if (!cache.reserve(s.table, length)) continue;
      s.tokens.push_back(static_cast<TokenId>(random() % 2));
      const auto at = static_cast<size_t>(length - 1);
      Tokens& block = held[static_cast<size_t>(s.table.blocks[at / kSize])];
      block.resize(kSize);
      block[at % kSize] = s.tokens[at];
      cache.publish(s.table, s.tokens, length);
    }
    // Every block that is not published has one owner, and every sequence finds its tokens.
    std::map<int32_t, int> writers;
    std::set<int32_t> used;
    for (const Sequence& s : sequences) {
      for (size_t i = 0; i < s.tokens.size(); ++i) {
        const auto& block = held[static_cast<size_t>(s.table.blocks[i / kSize])];
        ASSERT_EQ(block[i % kSize], s.tokens[i]) << "step " << step;
      }
      for (size_t i = 0; i < s.table.blocks.size(); ++i) {
        used.insert(s.table.blocks[i]);
        if (i >= s.table.num_published) ++writers[s.table.blocks[i]];
      }
    }
    for (const auto& [block, count] : writers) ASSERT_EQ(count, 1) << block;
    ASSERT_EQ(cache.num_available(), kBlocks - std::ssize(used));
  }
  EXPECT_GT(refused, 100);
  EXPECT_GT(found, 1000);
  for (Sequence& s : sequences) cache.release(s.table);
  EXPECT_EQ(cache.num_available(), kBlocks);
}

}  // namespace
}  // namespace paddle::engine
