// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Branches and loops on tensors, as the code that to_static converted records them. A region is
// recorded into an operation that stands in no block yet; what it does to tensors from outside of
// it is undone when it is left and becomes a result: the phis and loop-carried variables.
#pragma once

#include <unordered_set>

#include "paddle_core/autograd/autograd.h"
#include "pir/capture/aliases.h"
#include "pir/capture/context.h"

namespace paddle::pir {

class PADDLE_API ControlFlow : public CapturePart {
 public:
  ControlFlow(Capture& capture, CaptureContext& context) : CapturePart(capture, context) {}

  // if: begin_if, the branches 0 and 1 between enter_branch and leave_branch (each any number of
  // times), end_if with the values of both; results in the same order.
  void begin_if(const Tensor& condition);
  void enter_branch(size_t i);
  void leave_branch(size_t i);
  TensorList end_if(const TensorList& first, const TensorList& second);

  // while: begin_while with the first values of the loop-carried variables, then bodies until
  // end_body is true: a body is recorded again when it writes tensors from outside or changes
  // extents. end_while gives the results.
  void begin_while(const Tensor& condition, const TensorList& values);
  TensorList begin_body();
  bool end_body(const Tensor& condition, const TensorList& next);
  TensorList end_while();
  void drop_while();  // inside of a body: as if begin_while had not been called
  // For loops without variables whose body is recorded only once: what the body wrote becomes
  // loop-carried by a change of what was recorded. end_while follows.
  void end_only_body(const Tensor& condition);
  // Whether the body that is being recorded wrote anything.
  bool body_writes() const { return scopes_.back()->writes; }
  // Whether a tensor, or what it is a view of, was written in the body that is being recorded.
  bool is_written_in_body(const Tensor& t);

  // How many branches and loops are open, and the innermost ones dropped until `depth` are: what
  // was recorded in them is gone, as an exception left them.
  size_t open_scopes() const { return scopes_.size(); }
  void drop_scopes(size_t depth);

  // -- for the other parts -----------------------------------------------------------------------
  bool is_open() const { return !scopes_.empty(); }
  // A tensor gets another value: if it is from outside of the region, it gets the old one back.
  void note_outer(const Tensor& t);
  void note_write() {
    for (const auto& scope : scopes_) scope->writes = true;
  }
  // Whether an open branch or loop stands in this block.
  bool stands_in(const Block* block) const;
  // Whether a region is being recorded and a tensor is from outside of it.
  bool is_outside_region(const Tensor& t);
  // Whether a value is of a region that was recorded again or left by an exception.
  bool is_discarded(const Value* v) const;
  // Views that take the value of their base are listed from here on, until unlist_views().
  void list_views();
  void unlist_views();
  // Drops what is open.
  void end(bool installed);
  // Forgets the tensors that were made in regions.
  void clear();

 private:
  // Where the gradient of a tensor goes.
  struct History {
    autograd::NodePtr grad_fn;
    uint32_t result = 0;
    bool stop_gradient = true;
    static History of(const Tensor& t);
    void give_to(const Tensor& t) const;
  };
  struct WrittenValue {
    Tensor tensor;
    Value* value[2] = {nullptr, nullptr};  // at the end of each region; null: as before
    History history[2];
  };
  // A tensor from outside of a region, and what it was before the region wrote it.
  struct Outer {
    Tensor tensor;
    CaptureHandle capture;
    History history;
  };
  // An operation with regions that is being recorded.
  struct Scope {
    explicit Scope(const Builder& at) : outer(at) {}
    Builder outer;
    std::unique_ptr<Operation> op;
    Value* condition = nullptr;
    const char* name = "";
    std::string where;
    bool inside = false;
    size_t num_made = 0, carried = 0;
    int attempts = 0;  // how often the body was recorded
    bool writes = false;
    size_t num_stale = 0;                   // when the body began
    Aliases::Stale stale_before, stale[2];  // before the branches and behind each
    std::vector<Outer> log;                 // outer tensors before the region
    std::unordered_set<TensorImpl*> noted;
    std::vector<WrittenValue> written;
    std::vector<Value*> initial;
    std::vector<bool> flows;  // whether the variables of a loop have a history
    std::vector<Type> types;
    std::unordered_set<uint32_t> open;  // symbols of extents that the body changes
  };
  void open_scope(const char* name, const Tensor& condition);
  void enter_region(Block& block);
  void leave_region(size_t region);
  TensorList close_scope(Scope& s, const std::vector<bool>& flows, size_t num_values);
  bool widen(Type& type, const Type& now, Scope& s);
  size_t num_stale();
  void discard(std::unique_ptr<Operation> op);

  std::vector<std::unique_ptr<Scope>> scopes_;
  // Regions that were recorded again or left by an exception: Python may have kept tensors of them.
  std::vector<std::unique_ptr<Operation>> discarded_;
  TensorList made_in_regions_;
  TensorList synced_views_;  // that took the value of their base in the open regions
  TensorList* outer_synced_views_ = nullptr;
};

}  // namespace paddle::pir
