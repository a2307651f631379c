// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Capture: while one is active on a thread, operator calls append operations to its program instead
// of running. Tensors that existed before become captured inputs; those of them that are written
// become writes, applied after each run. Tensors made during the capture that outlive it become
// `created`, filled by the run that follows.
#pragma once

#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "paddle_core/autograd/autograd.h"
#include "paddle_core/autograd/gradient_sink.h"
#include "paddle_core/shape/sym.h"
#include "pir/capture/aliases.h"
#include "pir/dialect/dialect.h"
#include "pir/dialect/host_function.h"

namespace paddle::pir {

struct CapturedInput {
  Value* value = nullptr;
  Tensor tensor;   // the tensor itself, or
  Tensor grad_of;  // the leaf whose .grad it was
};

struct CapturedWrite {
  Tensor target;
  Value* value = nullptr;
  bool zero = false;  // of a gradient: zeros, without a value
  Tensor grad_of{};   // the target is .grad of this leaf as a call finds it
};

// The states of a leaf's gradient for which the program is right.
struct FoundGradient {
  Tensor leaf;
  uint8_t states = 0;  // of autograd::GradState
};

// A captured function. Values belong to `program`.
struct PADDLE_API Captured {
  std::unique_ptr<Program> program;
  std::vector<Value*> inputs;
  std::vector<CapturedInput> captured;
  std::vector<Value*> outputs;
  std::vector<CapturedWrite> writes;
  std::vector<std::pair<size_t, Value*>> input_writes;  // position among inputs, its last value
  std::vector<CapturedWrite> grads;                     // new .grad of a leaf; no value: cleared
  std::vector<FoundGradient> found_grads;               // what a call must find
  std::vector<CapturedWrite> created;  // the target has no values until the next run
  std::vector<SymbolFact> facts;
  std::vector<std::shared_ptr<HostFunction>> host_functions;  // that the program calls
  bool for_export = false;
  bool has_control_flow = false;  // then gradients are those of the recorded run
  bool has_gradient = false;      // cf.grad: a run records itself up to the last one
  bool of_operators = false;      // the gradient is that of the operators, without hooks
  bool as_fed = false;            // runs on other extents than its types tell: no pass may use them
  // Gradient part: operations after num_forward; empty when there is none.
  size_t num_forward = 0;
  std::vector<Value*> output_grads;  // per output; null: not differentiable
  std::vector<int> grad_inputs;      // position among inputs, or -1 - position in captured
  std::vector<Value*> input_grads;   // per grad_inputs; null: no gradient
};

// Runs the passes over a finished capture and follows its values through them.
PADDLE_API void optimize(Captured& captured);

class PADDLE_API Capture final : public CaptureSink, public autograd::GradientSink {
 public:
  // With `for_export`, operators that saved programs do not know are recorded as what they are
  // composed of.
  explicit Capture(bool for_export = false);
  ~Capture() override;

  // Installs this capture on the thread; end() uninstalls it.
  void begin();
  void end();
  // Ends without a result: tensors that exist outside are what they were before.
  void abandon();
  bool active() const { return active_; }
  // Leaves the thread and comes back to it, for programs that are recorded in several parts.
  void suspend();
  void resume();

  // A tensor that stands for an input. A negative extent is dynamic: a fresh symbol with the
  // example, if one is given. Callers give tensors of that place.
  Tensor add_input(const std::string& name, const std::vector<int64_t>& shape, DType dtype,
                   bool stop_gradient, const std::vector<int64_t>& examples = {},
                   Place where = Place());
  // What was recorded so far, and the last values of the tensors that it writes.
  const Captured& recorded() const { return *result_; }
  std::vector<CapturedWrite> current_writes() const;
  std::vector<SymbolFact> current_facts() const;
  // Takes over what another capture knows of a program of which this one has a copy.
  using ValueCopies = std::unordered_map<const Value*, Value*>;
  void adopt(const Capture& other, const std::vector<CapturedWrite>& writes, ValueCopies copies);
  bool owns(const Tensor& t) const { return t->capture.program == id_; }
  // What stands for a tensor without values here; null: nothing does.
  Value* own_value(const Tensor& t) const {
    return t->capture.program == id_ ? latest(static_cast<Value*>(t->capture.value))
                                     : copied_value(t);
  }
  // Whether value_of would find a value for a tensor.
  bool knows(const Tensor& t) const { return t.has_storage() || own_value(t); }
  // The tensor of that name among those made by recorded calls; undefined when there is none.
  Tensor find(std::string_view name) const;
  // Whether a tensor of one integer was computed from shapes and constants alone, and what it is.
  bool extent_of(const Tensor& t, Dim& out) const;
  // The same for a list of integers that are all numbers.
  bool sizes_of(const Tensor& t, Shape& out) const;
  // The tensors that inputs and recorded calls gave, in order.
  const TensorList& made() const { return born_; }
  // A further tensor that stands for a value.
  Tensor stand_in(Value* v);
  // Declares the outputs and, when `differentiate`, appends the gradient of all inputs and captured
  // tensors that need one.
  void set_outputs(const TensorList& outputs, bool differentiate);
  std::unique_ptr<Captured> finish();

  // -- control flow: what to_static's converted code calls (control_flow.cc) ---------------------
  // if: begin_if, the branches 0 and 1 between enter_branch and leave_branch (each any number of
  // times), end_if with the values of both; results in the same order.
  void begin_if(const Tensor& condition);
  void enter_branch(size_t i);
  void leave_branch(size_t i);
  TensorList end_if(const TensorList& first, const TensorList& second);
  // branch_phi.cc: tensors that are one of two.
  // Whether a tensor without values was made outside of the branches that were recorded last.
  bool stood_before(const Tensor& t);
  // A branch or round sets stop_gradient of a tensor, which is a result of it then.
  void set_stop_gradient(const Tensor& t, bool stop);
  // A result of end_if is `kept`, a tensor from before it, unless the bool tensor `left` is true:
  // what is written to one of the two is then written to both. `other` is what it is where it is
  // not `kept`; writes go to it, too, if it `stood` there before.
  void join(const Tensor& joined, const Tensor& kept, const Tensor& left, const Tensor& other,
            bool stood);
  // A result of a branch or loop, or what it is where it is not `kept`, may be each of the others:
  // the program does not follow writes from one to the other, so they are used no more after one.
  void may_be(const Tensor& t, const TensorList& others);
  // Variables of a round or loop that only change places: no two of them are the same tensor.
  void apart(const TensorList& variables);
  // What a tensor may be written through: what it is a view of, and the others of choices.
  static TensorList memories(const Tensor& t);
  // dynamic_index.cc: the part of x at a place of an axis that the running program knows, a view of
  // x.
  Tensor pick(const Tensor& x, const Tensor& index, int64_t axis);
  // Whether the round that is being recorded wrote anything.
  bool round_writes() const { return scopes_.back()->writes; }
  // The tensors that a tensor is one of by join(), and the bool tensors that are true (or false)
  // where it is that one; a tensor that is not joined, or stood before, is itself.
  struct Alternative {
    Tensor tensor;
    std::vector<std::pair<Tensor, bool>> conditions;
  };
  std::vector<Alternative> alternatives(const Tensor& t);
  // Of a tensor that is `kept` unless one of several bool tensors is true, by join() or as it is
  // the same: these. Nothing for other tensors.
  static std::optional<TensorList> parting(const Tensor& t, const Tensor& kept);
  // Whether a tensor, or what it is a view of, was written in the round that is being recorded.
  bool is_written(const Tensor& t);
  // while: begin_while, then rounds until end_round is true: a round is recorded again when it
  // writes tensors from outside or changes extents. end_while gives the results.
  void begin_while(const Tensor& condition, const TensorList& values);
  TensorList begin_round();
  bool end_round(const Tensor& condition, const TensorList& next);
  TensorList end_while();
  void drop_while();  // inside of a round: as if begin_while had not been called
  // For loops without values whose body is recorded only once: what the round wrote is carried from
  // round to round by a change of what was recorded. end_while follows.
  void end_only_round(const Tensor& condition);
  // How many branches and loops are open, and the innermost ones dropped until `depth` are: what
  // was recorded in them is gone, as an exception left them.
  size_t open_scopes() const { return scopes_.size(); }
  void drop_scopes(size_t depth);
  bool has_control_flow() const { return has_control_flow_; }
  // Whether the function takes gradients through control flow itself.
  bool has_gradient() const { return result_->has_gradient; }
  // Whether gradients can only be taken when the program runs: through control flow, or through
  // operators whose extents are values of tensors.
  bool has_open_extents() const { return has_open_extents_; }
  bool gradients_wait() const { return has_control_flow_ || has_open_extents_; }
  // The same, and for other tensors of one integer a symbol that gets its value when the program
  // runs; nullopt for tensors that are no extents.
  std::optional<Dim> extent_from(const Tensor& t);
  // Gradients of targets through control flow, taken when the program runs; undefined for inputs
  // that take no part in them.
  TensorList record_gradient(const TensorList& targets, const TensorList& inputs,
                             const TensorList& target_gradients);
  // A call of `function` with the values that the tensors have when the program runs; its results
  // have the shapes and dtypes of `like`, and gradients where those have. Saved programs do without
  // calls for what they do, and cannot have results of one.
  TensorList host_call(HostFunction function, const TensorList& values,
                       const TensorList& like = {});
  // A hook on the gradient of a tensor of this capture, which a recorded run gives to the tensor.
  void record_hook(const Tensor& t, uint64_t id, HostFunction hook);
  void forget_hook(const Tensor& t, uint64_t id);
  // The value that stands for a tensor; adds a captured input for one with values.
  Value* value_of(const Tensor& t);
  // Gives a tensor with values another one, which stands in the program as an operation without
  // results that has the name of the tensor: builtin.set_parameter, builtin.shadow_output.
  void give_state(const Tensor& target, const Tensor& value, const std::string& operation);
  // An operation without results that names a value.
  void name_output(const Tensor& value, const std::string& name);
  // Forgets the write that such an operation stands for.
  void forget_state(const Operation& op);
  // Whatever reads a value, writes included, reads another one from now on.
  void replace_uses(Value* from, Value* to);
  // The same, and tensors that stand for the first value, those that gradients saved included,
  // stand for the second.
  void put_in_place(Value* from, Value* to);
  // What is recorded next stands before an operation of the program; null: at its end.
  void set_before(Operation* op);

  void record(const OpDef& op, const Slot* args, Outputs& outs) override;
  Shape extents_given(const OpDef& op, const Slot* args, int arg) override;
  void rebind(const Tensor& target, const Tensor& value) override;
  // shared_memory.cc: tensors over one memory.
  // The first is from now on a second tensor over the memory of the other.
  void share(const Tensor& copy, const Tensor& source);
  // From the first call on captures are notified of detach() on their tensors.
  static void follow_detached();
  // Whether the program has written the memory of a tensor with values so far.
  bool writes(const Tensor& t) const { return written_memory(t) != nullptr; }
  // The tensor leaves its memory for that of another one, whose shape and dtype it has then.
  void move_to(const Tensor& t, const Tensor& memory);
  void set_grad(const Tensor& leaf, const Tensor& grad) override;
  void gradient_touched(const Tensor& leaf, Touch touch) override;
  bool gradient_is_outer(const Tensor& leaf) override;
  bool follows_gradients() const override { return !in_parts_; }
  void give_history_of_run(const OpDef& op, const Outputs& results) override;
  [[noreturn]] void value_requested(const Tensor& t, const char* what) override;

 private:
  void record_call(const OpDef& op, const Slot* args, Outputs& outs, bool open_numbers);
  // Gradients of what is recorded are those of a run.
  void leave_gradients_to_run();
  // extents.cc: the numbers that a tensor, or a list of them, holds in the place of an argument.
  Shape numbers_in(const OpDef& op, int arg, const Slot& given);
  Dim number_of(const Tensor& t);
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
  // A tensor with values that the program writes. `last` is what it had when the program was left:
  // another program may record the tensor since.
  struct Written {
    Tensor tensor;
    Value* last = nullptr;
  };
  Value* latest(Value* v) const {
    for (auto at = put_.find(v); at != put_.end(); at = put_.find(v)) v = at->second;
    return v;
  }
  Value* last_value(const TensorImpl* impl, const Written& w) const {
    return impl->capture.program == id_ ? static_cast<Value*>(impl->capture.value) : w.last;
  }
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
    size_t born = 0, carried = 0;
    int rounds = 0;
    bool writes = false;
    size_t num_stale = 0;                   // when the round began
    Aliases::Stale stale_before, stale[2];  // before the branches and behind each
    std::vector<Outer> log;                 // outer tensors before the region
    std::unordered_set<TensorImpl*> noted;
    std::vector<WrittenValue> written;
    std::vector<Value*> initial;
    std::vector<bool> flows;  // whether the variables of a loop have a history
    std::vector<Type> types;
    std::unordered_set<uint32_t> open;  // symbols of extents that rounds change
  };
  class ControlFlowNode;
  // value_of for what an operation reads: constant where the tensor needs no gradient, and
  // RuntimeError for a value of a region that has ended.
  Value* operand_of(const Tensor& t);
  // The tensor's value, behind cf.detach when it needs no gradient but its value has one.
  Value* constant_of(const Tensor& t, Builder& at);
  // writes_without_history.cc: writes that leave a tensor the history that it has.
  // The value v, written to t without a gradient, with the history of t.
  Value* with_history_of(const Tensor& t, Value* v);
  // What rebind does, with the value as it is.
  void put(const Tensor& target, Value* v);
  // The value of a tensor of which a gradient is taken: what its later ones have their history of.
  Value* differentiated_value_of(const Tensor& t);
  bool is_visible(const Value* v);
  void discard(std::unique_ptr<Operation> op);
  bool is_discarded(const Value* v) const;
  void note_written(const Tensor& memory);
  void check_not_stale(const Tensor& t) const;
  size_t num_stale();
  void note_gradient(const Operation& op);
  void note_leaf(const Tensor& t);
  std::vector<Value*> gradient_of(const std::vector<Value*>& targets,
                                  const std::vector<Value*>& inputs,
                                  const std::vector<Value*>& seeds);
  bool widen(Type& type, const Type& now, Scope& s);
  void note_outer(const Tensor& t);
  void open_scope(const char* name, const Tensor& condition);
  void enter(Block& block);
  void leave(size_t region);
  TensorList close_scope(Scope& s, const std::vector<bool>& flows, size_t values);
  IntrusivePtr<ControlFlowNode> history_of_control_flow(bool under_no_grad = false);
  void set_control_flow_history(const Tensor& t, const IntrusivePtr<ControlFlowNode>& node,
                                size_t i);
  static std::string location_text();
  void attach(const Tensor& t, Value* v);
  void give_to_shared(const Tensor& written, Value* v);
  Value* written_memory(const Tensor& t) const;
  void leave_shared(const Tensor& t);
  Value* copied_value(const Tensor& t) const;
  Value* capture_input(const Tensor& t);
  bool record_composed(const OpDef& op, const Slot* args, Outputs& outs);
  void append_gradient(const TensorList& outputs);
  bool has_only_operators(const TensorList& outputs) const;
  void settle_hooks();
  TensorList results_of(Operation& call, const TensorList& like);
  void collect_input_writes();
  // What becomes of .grad of a tensor that exists outside.
  struct LeafGradient {
    Tensor leaf, before;
    autograd::GradState found = autograd::GradState::kNone;
    uint8_t states = 0;         // for which the program is right; 0: so far for all
    bool zeroed_first = false;  // the first touch, which makes `found` count only if it is seen
  };
  LeafGradient& leaf_gradient(const Tensor& leaf);
  void collect_grads();
  void collect_created();
  void restore();

  uint64_t id_;
  std::unordered_map<const Value*, Value*> put_;  // by put_in_place
  bool active_ = false, for_export_ = false;
  bool in_parts_ = false;         // of a static program
  CaptureSink* outer_ = nullptr;  // suspended by this one
  bool ran_backward_ = false;     // the function called backward() itself
  bool differentiating_ = false;  // the gradient part is being appended
  std::unique_ptr<SymbolScope> symbols_;
  std::unique_ptr<Captured> result_;
  Builder builder_;
  std::vector<std::unique_ptr<Scope>> scopes_;
  // Regions that were recorded anew or left by an exception: Python may have kept tensors of them.
  std::vector<std::unique_ptr<Operation>> discarded_;
  std::vector<std::pair<Tensor, Tensor>> chosen_;  // memory of what joined tensors may be
  Aliases aliases_;
  std::vector<TensorList> shared_;  // tensors without values that are over one memory
  bool has_control_flow_ = false;
  bool has_open_extents_ = false;
  TensorList inputs_, born_, inner_born_;
  TensorList synced_;  // views that took the value of their base in the open regions
  TensorList* outer_synced_ = nullptr;
  std::vector<std::pair<uint64_t, ValueCopies>> sources_;  // captures that this one copied
  struct RecordedHook {
    Tensor tensor;
    uint64_t id;
    Operation* op;  // in a block that may have been dropped with its region
    const Block* block;
  };
  std::vector<RecordedHook> hooks_;
  TensorList leaves_made_;  // in the function, by detach() and stop_gradient
  std::unordered_set<const Value*> differentiated_;  // a gradient may flow when a run is recorded
  std::unordered_map<const Value*, Value*> constants_;          // cf.detach of a value
  std::unordered_map<const TensorImpl*, Value*> first_values_;  // of leaves with_history_of
  std::unordered_map<TensorImpl*, size_t> by_impl_;             // captured inputs
  std::unordered_map<TensorImpl*, Written> written_;            // real tensors with a new value
  std::unordered_map<TensorImpl*, size_t> old_grad_;            // .grad at first sight -> leaves_
  std::unordered_map<TensorImpl*, size_t> by_leaf_;             // -> leaves_
  std::vector<LeafGradient> leaves_;
};

}  // namespace paddle::pir
