// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The recorder of a thread: while a function runs under it, operator calls are recorded and results
// are tensors without memory; materialize() runs what was recorded as one segment and fills the
// tensors that are still referenced. What results, also of in-place writes, views and random draws,
// equals running each call at once.
#pragma once

#include "paddle_core/dispatch/deferred.h"
#include "pir/segment/segment.h"

namespace paddle::pir {

class PADDLE_API Recorder final : public DeferredSink {
 public:
  static Recorder& of_thread();
  // False: a function is being recorded already on this thread, a program is being captured, or
  // each operator is being watched.
  bool begin(SegmentCache& cache, std::vector<SegmentReport>* reports);
  // Leaves the thread after running what is left.
  void end();

  void record(const OpDef& op, const Slot* args, Outputs& outs) override;
  void rebind(const Tensor& target, const Tensor& value) override;
  void set_grad(const Tensor& leaf, const Tensor& grad) override;
  [[noreturn]] void value_requested(const Tensor& t, const char* what) override;
  void materialize(const char* why) override;
  bool is_pending(const Tensor& t) const override;
  void share(const Tensor& copy, const Tensor& source, bool aliased) override;
  bool has_aliases(const Tensor& t) const override;
  Tensor without_alias(const Tensor& t, const Tensor& other) override;
  Tensor copy(const Tensor& t) override;
  uint32_t pending_writes(const Storage* storage) const override;

 private:
  struct ValueInfo {
    size_t call = kNoCall;        // position of its call in the words
    ValueId root = 0;             // the value whose memory it shows
    uint32_t last_use = 0;        // number of the last call that reads it
    ValueId external = kNoValue;  // in whose memory an in-place operator left it
    bool view = false, aliased = false;
    Tensor kind;  // shape and dtype of one that a view is made by, as expand_as is by its y
  };
  // A tensor of outside that is written.
  struct Written {
    TensorImpl* target;
  };
  static constexpr size_t kNoCall = ~size_t{0};

  void run_now(const OpDef& op, const Slot* args, Outputs& outs);
  const char* cut_before(const OpDef& op, const Slot* args) const;
  bool conflicts(const OpDef& op, const Slot* args) const;
  ValueId id_of(TensorImpl* t);
  void add_results(const OpDef& op, const Slot* args, size_t call, Outputs& outs);
  void note_write(const Tensor& target);
  bool knows(const TensorImpl& t) const { return t.capture.program == id_; }
  static ValueId handle_of(const TensorImpl& t) {
    return static_cast<ValueId>(reinterpret_cast<uintptr_t>(t.capture.value));
  }
  void set_handle(TensorImpl& t, ValueId id) {
    t.capture = {id_, reinterpret_cast<void*>(uintptr_t{id})};
  }

  // materialize()
  void sweep();
  void describe_inputs();
  void choose_wanted();
  bool shows_living_memory(ValueId id) const;
  void run(const Segment* segment, TensorList& values);
  void run_calls(TensorList& values);
  void run_program(const Segment& segment, TensorList& values);
  void separate_memory(TensorList& values);
  void write_back(TensorList& values);
  void fill(TensorList& values);
  const Tensor& value_now(ValueId id, TensorList& values);
  void reset();
  bool repeatable() const;
  void fill_known(const TensorList& values);
  static uint64_t fresh_id();

  uint64_t id_ = 0;
  SegmentCache* cache_ = nullptr;
  std::vector<SegmentReport>* reports_ = nullptr;
  SegmentKey key_;
  uint32_t num_calls_ = 0;
  std::vector<ValueInfo> values_;
  TensorList externals_;  // inputs, in the order of key_.input_ids
  TensorList tracked_;    // every tensor that stands for a value without memory
  TensorList written_;    // tensors of outside that have a new value
  std::unordered_map<const Storage*, Written> pending_;
  std::vector<bool> living_;  // per value: a live tensor stands for it
  DecodedCall call_;
};

}  // namespace paddle::pir
