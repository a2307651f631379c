// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Rows in the order of the expert that is chosen for them.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "paddle_core/base/error.h"
#include "paddle_core/device/parallel.h"
#include "paddle_core/op/registry.h"

namespace paddle::cpu {

// Choices of ids [tokens, choices], numbered t * choices + c: those of an expert are
// order[first, first + count), ascending.
struct ExpertRows {
  struct Group {
    int64_t expert, first, count;
  };
  int64_t choices;
  std::vector<int64_t> order;
  std::vector<Group> groups;  // of the experts that are chosen, ascending

  // arguments: ids at `ids`
  ExpertRows(const KernelContext& c, int ids, int64_t experts)
      : choices(c.in(ids).shape[1].value()) {
    const auto* const at = c.in_data<int64_t>(ids);
    const int64_t count = c.in(ids).numel;
    std::vector<int64_t> begin(static_cast<size_t>(experts) + 1);
    for (int64_t i = 0; i < count; ++i) {
      PADDLE_CHECK_INDEX(at[i] >= 0 && at[i] < experts, c.op().name(), ": ids holds ", at[i],
                         " for token ", i / choices, "; it must lie in [0, ", experts, ").");
      ++begin[static_cast<size_t>(at[i]) + 1];
    }
    for (size_t e = 0; e < static_cast<size_t>(experts); ++e) {
      const int64_t chosen = begin[e + 1];
      begin[e + 1] += begin[e];
      if (chosen > 0) groups.push_back({static_cast<int64_t>(e), begin[e], chosen});
    }
    order.resize(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i) {
      order[static_cast<size_t>(begin[static_cast<size_t>(at[i])]++)] = i;
    }
  }

  // The row of an operand that belongs to a choice; `shared`: it has one for each token.
  int64_t row(int64_t choice, bool shared) const { return shared ? choice / choices : choice; }

  // Rows of `width` numbers, those of order[first, first + count) after each other: where they lie,
  // or copied into `room`.
  template <typename T>
  const T* gathered(const T* rows, int64_t width, bool shared, int64_t first, int64_t count,
                    std::vector<T>& room) const {
    const int64_t* const at = order.data() + first;
    bool dense = true;
    for (int64_t i = 0; i < count && dense; ++i) {
      dense = row(at[i], shared) == row(at[0], shared) + i;
    }
    if (dense) return rows + row(at[0], shared) * width;
    room.resize(static_cast<size_t>(count * width));
    for (int64_t i = 0; i < count; ++i) {
      std::memcpy(static_cast<void*>(room.data() + i * width), rows + row(at[i], shared) * width,
                  static_cast<size_t>(width) * sizeof(T));
    }
    return room.data();
  }

  // body(group, room of the thread): one after the other, each with all threads; or many small ones
  // side by side. `work`: multiply-adds of a choice.
  template <typename Body>
  void each_group(int64_t work, const Body& body) const {
    constexpr int64_t kLarge = 1 << 22;  // multiply-adds of a group that all threads share
    const auto count = static_cast<int64_t>(groups.size());
    const int64_t mean = work * static_cast<int64_t>(order.size()) / std::max<int64_t>(1, count);
    if (count < 2 * num_threads() || mean >= kLarge) {
      for (const Group& g : groups) body(g);
      return;
    }
    parallel_for(0, count, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) body(groups[static_cast<size_t>(i)]);
    });
  }
};

}  // namespace paddle::cpu
