// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What a compiler says of a group of operations that it made a kernel of.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "paddle_core/base/export.h"

namespace paddle::pir {

// An operation that reads what another one made, at least one of them in the group.
struct ReportedEdge {
  std::string from, to;      // operators
  bool fused = false;        // both are in the group
  bool reads = false;        // not fused: the one in the group is `to`
  int64_t other_group = -1;  // not fused: the number of the group of the other one, if it is in one
  std::string why;
};

// A value that is needed more than once.
struct ReportedValue {
  std::string value;      // the operator that makes it
  std::string how;        // "register", "row memory", "stored" or "computed again"
  int64_t cost = 0;       // of computing it again, an addition counting 1; 0: it cannot be
  int64_t load_cost = 0;  // of keeping and reading it instead
  std::string why;
};

// What nothing else in the group depends on: a kernel. Equal ones are told once.
struct ReportedPart {
  int64_t count = 1;
  std::vector<std::string> sizes;  // "n0 = 64"
  std::string variant, why_variant;
  // "waiting" to be compiled, "ready", "failed", or "unknown" where the group was not called.
  std::string state, problem;
  std::string made;  // "compiled" or "disk"
  double compile_ms = 0;
  int64_t stages = 0;
  std::vector<ReportedValue> values;
  int64_t bytes_moved = 0, bytes_least = 0;
};

// One of the ways to run a group that FLAGS_cinn_autotune timed.
struct ReportedTrial {
  std::string name;
  double ms = 0;  // the shortest of a few calls; 0: not timed yet
  bool chosen = false;
};

struct GroupReport {
  int64_t number = 0;
  std::string name;
  std::vector<std::string> operators;
  std::vector<ReportedEdge> edges;
  std::vector<ReportedPart> parts;
  int64_t updated_inputs = 0;  // overwritten in place
  int64_t calls = 0;           // of the calls that were watched
  bool ran_compiled = false;   // the last of them
  std::string why_uncompiled;
  double call_ms = 0;  // of the last call that ran compiled; 0: none did
  double best_ms = 0;  // the shortest of several runs on the inputs of the last call, if asked for
  std::vector<ReportedTrial> trials;
  bool trials_from_disk = false;
};

// The stages of compiling one part, as text.
struct GroupCode {
  std::string form, loops, mlir, lowered, llvm, assembly;
};

class PADDLE_API ReportedGroup {
 public:
  virtual ~ReportedGroup();
  // `measure`: runs the kernels several times on what the last watched call was given, compiling
  // them first where that is to come.
  virtual GroupReport report(bool measure) = 0;
  // By part, for the class of sizes of the last watched call, else rows that fit the cache.
  // Compiles.
  virtual std::vector<GroupCode> code() const = 0;
};

// While one exists, groups that run on this thread remember what they were called with.
class PADDLE_API GroupWatch {
 public:
  GroupWatch();
  ~GroupWatch();
  GroupWatch(const GroupWatch&) = delete;
  GroupWatch& operator=(const GroupWatch&) = delete;
  static bool is_on();
};

}  // namespace paddle::pir
