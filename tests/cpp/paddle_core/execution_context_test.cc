// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Contexts bound to threads, logs of draws, and maps from a part of a tensor to the whole.
#include "paddle_core/device/execution_context.h"

#include <gtest/gtest.h>

#include <thread>

namespace paddle {
namespace {

constexpr DrawLogScope::Mode kRecord = DrawLogScope::Mode::kRecord;
constexpr DrawLogScope::Mode kReplay = DrawLogScope::Mode::kReplay;

TEST(ExecutionContext, BelongsToTheThreadThatBindsIt) {
  ExecutionContext mine(3);
  const ExecutionContextScope scope(mine);
  EXPECT_EQ(&default_generator(), &mine.generator);
  std::thread([&] { EXPECT_EQ(&default_generator(), &process_context().generator); }).join();
  {
    ExecutionContext inner(4);
    const ExecutionContextScope inside(inner);
    EXPECT_EQ(draw_state(7).seed, 4u);
  }
  EXPECT_EQ(draw_state(1).offset, 0u);
}

TEST(DrawLog, RepeatsWhatWasDrawnWhateverOthersDrawBetween) {
  ExecutionContext context(5);
  const ExecutionContextScope scope(context);
  DrawLog log;
  std::vector<uint64_t> first;
  {
    const DrawLogScope noted(log, kRecord);
    for (const uint64_t count : {2u, 3u, 5u}) {
      first.push_back(draw_state(count).offset);
      std::thread([&] { context.generator.reserve(100); }).join();
    }
  }
  EXPECT_EQ(first, (std::vector<uint64_t>{0, 102, 205}));
  const uint64_t now = context.generator.state().offset;
  for (int run = 0; run < 2; ++run) {
    const DrawLogScope repeated(log, kReplay);
    std::vector<uint64_t> again;
    for (const uint64_t count : {2u, 3u, 5u}) again.push_back(draw_state(count).offset);
    EXPECT_EQ(again, first);
    EXPECT_THROW(draw_state(2), Error);
  }
  EXPECT_EQ(context.generator.state().offset, now);
}

TEST(DrawLog, AnOuterLogNotesWhatAnInnerOneDraws) {
  ExecutionContext context(6);
  const ExecutionContextScope scope(context);
  DrawLog outer, inner;
  {
    const DrawLogScope all(outer, kRecord);
    draw_state(1);
    const DrawLogScope some(inner, kRecord);
    draw_state(2);
  }
  const DrawLogScope all(outer, kReplay);
  EXPECT_EQ(draw_state(1).offset, 0u);
  DrawLog again;
  {
    const DrawLogScope some(again, kRecord);
    EXPECT_EQ(draw_state(2).offset, 1u);
  }
  const DrawLogScope some(again, kReplay);
  EXPECT_EQ(draw_state(2).offset, 1u);
}

TEST(ElementMap, GivesThePlaceInTheWhole) {
  const ElementMap::Axis axes[] = {{4, 1, 2, 2}, {5, 1, 1, 3}};
  const ElementMap map(axes);
  EXPECT_EQ(map.numel(), 6);
  EXPECT_EQ(map.whole_numel(), 20);
  const int64_t expected[] = {6, 7, 8, 16, 17, 18};
  for (int64_t i = 0; i < 6; ++i) EXPECT_EQ(map(i), expected[i]);
  int64_t seen = 1;
  map.each_run(1, 6, [&](int64_t i, int64_t at, int64_t count) {
    EXPECT_EQ(i, seen);
    EXPECT_EQ(at, expected[i]);
    for (int64_t k = 0; k < count; ++k) EXPECT_EQ(expected[i + k], at + k);
    seen += count;
  });
  EXPECT_EQ(seen, 6);
  const ElementMap::Axis outside[] = {{4, 1, 2, 3}};
  EXPECT_THROW(ElementMap{outside}, Error);
}

}  // namespace
}  // namespace paddle
