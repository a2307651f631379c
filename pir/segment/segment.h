// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Segments: streams of recorded calls (trace.h) that run together. A segment that comes up again is
// compiled into a program. The same calls on tensors of other sizes are the same segment: where
// sizes differ its program gets symbolic extents, with guards for what depends on them.
#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "pir/compiler_door/reported_group.h"
#include "pir/interpreter/interpreter.h"
#include "pir/segment/trace.h"

namespace paddle::pir {

// What a segment does: its calls, what is known of the tensors that it reads (dtype, rank, place),
// and which values are asked for. Extents are apart.
struct SegmentKey {
  Words calls, inputs, wanted, extents;
  std::vector<ValueId> input_ids, wanted_ids;  // as in inputs and wanted
  size_t num_values = 0, num_calls = 0;
  uint64_t structure() const;  // hash of all but extents
  bool same_structure(const SegmentKey& other) const;
  void clear();
};

// What became of a segment in one call of a function.
struct SegmentReport {
  std::string why, where;  // what ended it, and the user's line of that
  std::string how;         // "reused", "compiled", "run call by call"
  std::string anew;        // why no earlier program served; empty when one did
  std::vector<std::string> calls, guards;
  std::string decisions;  // of the compiler, on operations that are in no larger group
  std::vector<std::shared_ptr<ReportedGroup>> groups;  // what it made kernels of
  size_t inputs = 0, results = 0, writes = 0, program_operations = 0;
};

class Segment {
 public:
  explicit Segment(SegmentKey key) : key_(std::move(key)) {}
  const SegmentKey& key() const { return key_; }
  // Makes the program; extents where `varying` is true are symbols.
  void compile(const std::vector<bool>& varying);
  bool compiled() const { return interpreter_ != nullptr; }
  // Whether the program serves inputs of these extents.
  bool serves(const Words& extents) const;
  TensorList run(const TensorList& inputs) const { return interpreter_->run(inputs); }
  std::vector<std::string> guards() const;
  size_t num_operations() const;
  std::string text() const;
  const std::string& decisions() const { return grouping_; }
  std::vector<std::shared_ptr<ReportedGroup>> groups() const;

 private:
  SegmentKey key_;
  std::string grouping_;
  std::vector<bool> varying_;
  std::vector<Type> types_;
  std::vector<SymbolFact> facts_;
  std::unique_ptr<Program> program_;
  std::unique_ptr<Interpreter> interpreter_;
};

// The segments of one function. Any thread.
class PADDLE_API SegmentCache {
 public:
  // The compiled segment of this key; null: run it call by call (it is new, or too many are known).
  std::shared_ptr<const Segment> find(const SegmentKey& key, SegmentReport* report);
  size_t size() const;
  // So many segments came up that new ones are not kept.
  bool is_full() const;
  // Whether deferring is worth it: false once everything that comes is known and the programs are
  // not enough shorter than their calls. Recording costs about a third of a call on small tensors
  // and nothing that counts beside one on large tensors.
  bool pays() const;
  std::vector<std::string> programs() const;
  // Whether programs are compiled; none: as FLAGS_use_cinn says.
  std::optional<bool> compiled;

 private:
  std::shared_ptr<Segment> add(const SegmentKey& key, std::vector<std::shared_ptr<Segment>>& known,
                               SegmentReport* report);
  std::string difference(const SegmentKey& key) const;

  mutable std::mutex mutex_;
  std::unordered_map<uint64_t, std::vector<std::shared_ptr<Segment>>> by_structure_;
  size_t count_ = 0, runs_ = 0, hits_in_a_row_ = 0;
  // Of the hits: calls, operations that ran for them, bytes of what they read from outside.
  size_t recorded_ = 0, performed_ = 0, bytes_ = 0;
  size_t refused_ = 0;  // segments for which there was no room
};

}  // namespace paddle::pir
