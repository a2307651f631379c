// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// `CallLabel`: what a member of a group calls, as it tells the others before any data is sent, and
// whether the calls of all members belong together.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "paddle_core/comm/process_group.h"

namespace paddle::distributed {

enum class Collective : uint8_t {
  kAllReduce,
  kAllGather,
  kReduceScatter,
  kAllToAll,
  kBroadcast,
  kBarrier,
  kReduce,
  kGather,
  kScatter,
  kRefused,  // the arguments of the member are wrong; `refusal` says how
  kGivenUp,  // the member calls nothing more in this group; `refusal` says why
};
PADDLE_API const char* name_of(Collective collective);
// Whether all members must say the same of their tensors.
bool is_uniform(Collective collective);

struct CallLabel {
  // Dimensions from the eighth on are multiplied, so that a shape has a largest size.
  static constexpr size_t kMaxDims = 8;
  static constexpr size_t kMaxRefusal = 1024;
  using Extents = std::vector<int64_t>;

  Collective collective = Collective::kBarrier;
  DType dtype = DType::kUndefined;
  ReduceKind kind = ReduceKind::kSum;
  int32_t root = 0;   // index of the member that gives or takes
  uint64_t call = 0;  // of the group, counted from 0
  // What the member gives: one shape for all members, or one for each; and what it expects of each
  // where that does not follow from what it gives.
  std::vector<Extents> gives, takes;
  std::string refusal;

  void give(const Tensor& x) { gives.push_back(extents_of(x)); }
  void take(const Tensor& x) { takes.push_back(extents_of(x)); }
  static Extents extents_of(const Tensor& x);

  // Labels of one collective that demands the same of all members have the same bytes exactly when
  // they agree.
  std::vector<char> encode() const;
  // ValueError when these are not the bytes of a label.
  static CallLabel decode(const char* data, size_t bytes);
  static size_t max_bytes(int64_t members);

  // "all_reduce SUM of float32 [2, 3]"
  std::string describe(const Ranks& ranks) const;
};

// Empty when the calls belong together, else who calls what.
PADDLE_API std::string disagreement(const std::vector<CallLabel>& labels, const Ranks& ranks);

}  // namespace paddle::distributed
