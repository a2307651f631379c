// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// `OpDef`: everything the system knows of one operator. Eager calls, autograd, capture, the saved
// form, stubs, documents and tests all read this record; nothing else describes an operator.
// It is built by a chain of setters:
//
//   r.op("rsqrt")
//       .schema("rsqrt(Tensor x) -> (Tensor out)")
//       .doc("Reciprocal square root, elementwise: out = 1 / sqrt(x).",
//            "paddle.rsqrt(paddle.to_tensor([4.0]))")
//       .python("paddle.rsqrt").python("Tensor.rsqrt").inplace_python("Tensor.rsqrt_")
//       .elementwise()
//       .infer(infer::same_as_x_float)
//       .saves({"out"})
//       .vjp([](Vjp& v) { v.set(0, v.grad() * Scalar(-0.5) * v.out() * v.out() * v.out()); })
//       .decompose([](Args& a) -> TensorList { return {reciprocal(sqrt(a.tensor(0)))}; });
// docs/adding/operator.md walks through one.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "paddle_core/op/kernel.h"
#include "paddle_core/op/schema.h"

namespace paddle {

class Infer;      // op/infer.h
class Args;       // op/args.h
class Vjp;        // op/vjp.h
class SavedForm;  // op/saved_form.h
class Spmd;       // op/spmd.h

using InferFn = void (*)(Infer&);
using VjpFn = void (*)(Vjp&);
using SpmdFn = void (*)(Spmd&);
using DecomposeFn = TensorList (*)(Args&);
// Strides and offset of a view: returns the aliasing tensor, or an undefined one when the memory
// cannot be viewed that way (the kernel then copies).
using ViewFn = Tensor (*)(Args&);
// Inverse of a view for writes: the base with `value` in place of the viewed part, in operators.
using ViewScatterFn = Tensor (*)(Args&, const Tensor& base, const Tensor& value);
class IntegerArgs;  // op/integers.h
// The integers that the result holds (all results, one after the other, of a list), computed from
// those that the operands are known to hold.
using IntegersFn = std::optional<Shape> (*)(const IntegerArgs&);
using RandomCountFn = uint64_t (*)(const Slot* args, const Tensor* outs);
struct OpCost;  // op/cost.h
// Corrects the default cost of a call: each operand read and each result written once. `outs` are
// meta tensors.
using CostFn = void (*)(Args&, const Tensor* outs, OpCost& cost);
// Respells one operation of a program that is written to a file, or was read from one.
using SavedFormFn = void (*)(SavedForm&);

// The version of the program files that are written; older ones are read.
inline constexpr int kSavedVersion = 4;

// What a compiler has to do about an operator; every record is exactly one of the three.
enum class OpKind : uint8_t {
  kPrimitive,  // has to be known: everything composed ends in primitive and opaque operators
  kComposed,   // has a decomposition, which is its meaning
  kOpaque,     // a kernel that is called as it is; nothing composed is known to be the same
};

enum class AmpClass : uint8_t {
  kNeutral,  // runs in the dtype it is given
  kLow,      // faster in 16 bits: inputs are cast to the AMP dtype (matmul, conv, attention)
  kHigh,     // needs float32 (softmax, losses, norms' statistics)
  kWidest,   // several inputs, cast to the widest of them (add, concat)
  kParts,    // its decomposition is called instead: each of those operators has its own class
};

enum OpTrait : uint32_t {
  kElementwise = 1u << 0,  // out[i] depends on in[i] only, up to broadcasting
  kBroadcast = 1u << 1,    // tensor inputs broadcast against each other; the engine sums gradients
  kReduction = 1u << 2,
  kCommutative = 1u << 3,
  kRandom = 1u << 4,         // draws from the generator
  kSideEffect = 1u << 5,     // never removed or moved
  kPromote = 1u << 6,        // tensor inputs are brought to their promoted dtype before the call
  kDynamicOutput = 1u << 7,  // output sizes depend on values
  kOpaque = 1u << 8,         // OpKind::kOpaque; kind_reason says why
  kPrimitive = 1u << 9,      // OpKind::kPrimitive; kind_reason says why
  // A 0-d operand counts as a number: beside a tensor with axes, of the same kind of dtype
  // (integer, floating, complex), it does not widen the result.
  kNumberOperands = 1u << 10,
  // Linear in each of the two inputs that it saves: the gradient by one reads the other alone.
  kBilinear = 1u << 11,
  kUnsaved = 1u << 12,  // no program file holds it: an exported program gets its decomposition
  // Its gradient needs no extent that is an argument, so one that only a tensor knows may wait.
  kGradientByShape = 1u << 13,
  // A view, but to users the result of its functions is a tensor of its own.
  kLeavesBase = 1u << 14,
  // The result is argument 0 with some elements replaced. Kernels accept the memory of argument 0
  // as that of the result (through its strides, when they take strides), find every bad value
  // before they write, and leave the other elements alone: the in-place form costs what it writes.
  kPartialWrite = 1u << 15,
  // Moves values between places: the kernel of the host takes tensors of any place.
  kAnyPlace = 1u << 16,
  // Changes how its argument lies on a mesh: carried out by the sharded layer itself.
  kPlaces = 1u << 17,
};

// Meaning of an argument that shapes the results although only a run of the program may tell its
// value: shape rules take numbers of this meaning in its place.
enum class RuntimeValue : uint8_t {
  kAxis,             // one axis or several
  kAxisOfSameShape,  // an axis, which the extents of the results do not depend on
  kSplitAxis,        // the axis that the parts or sections of argument 1 divide
  kCount,            // positive numbers
};

// One public spelling. `signature` is "paddle.sum(x, axis=None, keepdim=False, name=None)" or just
// "paddle.sum" (then the schema's arguments, `name=None` and `*, out=None`). Parameter names are
// the schema's, aliases of them, or those that every operator understands: see
// docs/adding/operator.md.
struct PythonSpelling {
  std::string path;       // "paddle.sum", "Tensor.sum", "paddle.nn.functional.relu"
  std::string signature;  // parameters between the parentheses; empty: the schema's
  bool inplace = false;   // writes the first result into the first tensor argument
  bool overload = false;  // another calling form of a path that some record spells
  std::string result;     // "TopKRetType(values, indices)" of "... -> TopKRetType(values, indices)"
};

// An operation of files that becomes calls of ours (OpDef::upgrade).
struct SavedUpgrade {
  std::string name;  // that files have
  int version;       // of the last files that hold this form
  SavedFormFn fn;    // null: operands, attributes and results are those of the record
};

struct ParamAlias {
  std::string alias, name;
};

class PADDLE_API OpDef {
 public:
  static constexpr int kTopRank = 100;

  // -- read by everybody ----------------------------------------------------------------------
  const char* name() const { return schema_.name.c_str(); }
  uint32_t id = 0;              // position in the registry
  int default_rank = kTopRank;  // of a composed operator that says none
  uint32_t traits = 0;
  uint32_t interest = ~0u;  // ModeBits whose layers want to see this operator
  uint32_t modes = 0;       // ModeBits whose layers see every call of it
  AmpClass amp = AmpClass::kNeutral;
  uint8_t num_args = 0, num_results = 0;
  uint8_t num_tensor_args = 0;  // leading args that are Tensor / Tensor? / Tensor[]
  bool list_result = false;     // the only result is Tensor[]
  bool differentiable = true;
  bool tensors_first = true;                     // all tensor args stand before the others
  uint32_t saved_inputs = 0, saved_outputs = 0;  // bit per argument / result: read by value in vjp
  uint32_t shape_only = 0;  // bit per argument: values are never read (full_like)
  // Bit per argument / result: an activation whose axes follow the argument data_format, and which
  // the operator computes as well with channels last (dispatch/execute/layout.h).
  uint32_t layout_args = 0, layout_results = 0;
  // The argument that says where the channels are ("NCHW"), that which numbers an axis of all
  // tensors, those of a reduction: axes and whether they stay; -1: there is none.
  int8_t format_arg = -1, axis_arg = -1, reduced_axes_arg = -1, keepdim_arg = -1;
  uint32_t nondiff_results = 0;  // bit per result: never carries a gradient (mask, indices)
  // Native in-place operators (adamw_): result i is argument inplace_arg[i], or -1.
  SmallVector<int8_t, 4> inplace_arg;
  InferFn infer_fn = nullptr;
  VjpFn vjp_fn = nullptr;
  DecomposeFn decompose_fn = nullptr;
  ViewFn view_fn = nullptr;
  ViewScatterFn view_scatter_fn = nullptr;
  // Of a partial write that argument 1 fills: the part of argument 0 that it replaces, as a view;
  // an undefined tensor where no view is that part.
  ViewFn part_fn = nullptr;
  // How the call runs on parts of its tensors: a rule, or factors in an einsum-like notation.
  SpmdFn spmd_fn = nullptr;
  std::string spmd_text;
  RandomCountFn random_count_fn = nullptr;
  SavedFormFn saved_form_fn = nullptr;
  CostFn cost_fn = nullptr;
  IntegersFn integers_fn = nullptr;
  KernelTable kernels;
  int8_t kernel_dtype_arg = -1;  // argument whose dtype selects the kernel; -1: result 0
  int8_t runtime_arg = -1;       // argument whose value a run may tell, or -1
  RuntimeValue runtime_value = RuntimeValue::kAxis;
  int8_t saved_version = 1;  // of the first files that have the form that is written
  int8_t place_arg = -1;     // the Place argument, where results are made; -1: there is none

  const Schema& schema() const { return schema_; }
  const std::string& doc() const { return doc_; }
  const std::string& example() const { return example_; }
  const std::vector<PythonSpelling>& spellings() const { return spellings_; }
  const std::vector<ParamAlias>& aliases() const { return aliases_; }
  // Of a record that seal() accepted.
  OpKind kind() const {
    if (has(kPrimitive)) return OpKind::kPrimitive;
    return has(kOpaque) ? OpKind::kOpaque : OpKind::kComposed;
  }
  // Why the operator is primitive or opaque; empty for a composed one.
  const std::string& kind_reason() const { return kind_reason_; }
  // Name in PaddlePaddle's saved programs, when it differs (exponential is saved as exponential_).
  const std::string& saved_name() const { return saved_name_.empty() ? schema_.name : saved_name_; }
  const std::vector<SavedUpgrade>& upgrades() const { return upgrades_; }
  // Decompositions call operators of lower ranks only, so none comes back to its own operator. 0 of
  // primitive and opaque operators.
  int rank() const {
    return kind() != OpKind::kComposed ? 0 : said_rank_ ? said_rank_ : default_rank;
  }
  bool says_rank() const { return said_rank_ != 0; }
  bool has(uint32_t trait) const { return (traits & trait) != 0; }
  bool reads_shape_only(int argument) const { return (shape_only >> argument) & 1u; }
  bool is_view() const { return view_fn != nullptr; }
  bool is_native_inplace() const { return !inplace_arg.empty(); }

  // -- the definition --------------------------------------------------------------------------
  OpDef& schema(std::string_view text);
  OpDef& doc(std::string text, std::string example = "");
  OpDef& python(std::string spelling);
  OpDef& inplace_python(std::string spelling);
  // A further calling form of a spelled function, tried before it: all required parameters must be
  // given and fit their types, as in "paddle.index_select(x, dim: int, index: Tensor)".
  OpDef& overload(std::string spelling);
  OpDef& alias(std::string alias, std::string name);
  OpDef& trait(uint32_t bits) { return traits |= bits, *this; }
  OpDef& elementwise() { return trait(kElementwise); }
  OpDef& primitive(std::string reason);
  OpDef& opaque(std::string reason);
  OpDef& amp_class(AmpClass c) { return amp = c, *this; }
  OpDef& infer(InferFn fn) { return infer_fn = fn, *this; }
  // Names of arguments and results that vjp reads by value; all others it sees as shape and dtype.
  OpDef& saves(std::initializer_list<const char*> names);
  // Names of tensor arguments of which only shape and dtype matter.
  OpDef& reads_shape_of(std::initializer_list<const char*> names);
  OpDef& vjp(VjpFn fn) { return vjp_fn = fn, *this; }
  OpDef& no_grad() { return differentiable = false, *this; }
  // Names of the activations among arguments and results: with channels in front ("NC...") the
  // dispatcher may pass them in channels-last memory, with a `format` argument that says so. An
  // integer in place of the format is an axis, which is renumbered.
  OpDef& follows_layout(std::initializer_list<const char*> args,
                        std::initializer_list<const char*> results, const char* format);
  // A reduction of argument 0 over the axes that an argument lists, none for all; another says
  // whether they stay with extent 1. Either may be missing (nullptr).
  OpDef& reduction(const char* axes, const char* keepdim);
  OpDef& no_grad_result(const char* name);
  OpDef& decompose(DecomposeFn fn) { return decompose_fn = fn, *this; }
  OpDef& spmd(SpmdFn fn) { return spmd_fn = fn, *this; }
  OpDef& spmd(const char* text) { return spmd_text = text, *this; }
  // Of a composed operator that other decompositions call: 1 + the highest rank of what its own one
  // calls. Without it the rank is kTopRank; of a record that is added after seal() it is higher
  // than those of all before it.
  OpDef& rank(int value) { return said_rank_ = value, *this; }
  OpDef& view(ViewFn fn, ViewScatterFn scatter) {
    return view_fn = fn, view_scatter_fn = scatter, *this;
  }
  // kPartialWrite; see part_fn.
  OpDef& partial_write(ViewFn part = nullptr) { return part_fn = part, trait(kPartialWrite); }
  OpDef& cost(CostFn fn) { return cost_fn = fn, *this; }
  OpDef& integers(IntegersFn fn) { return integers_fn = fn, *this; }
  OpDef& random(RandomCountFn fn) { return random_count_fn = fn, trait(kRandom); }
  OpDef& inplace(std::initializer_list<std::pair<const char*, const char*>> argument_to_result);
  OpDef& kernel_dtype_of(const char* argument);
  // Programs may pass the argument as a tensor whose value capture does not know; the results then
  // have open extents.
  OpDef& runtime(const char* argument, RuntimeValue meaning = RuntimeValue::kAxis);

  // -- the saved form: unless said otherwise, an operation with the name, the operands (tensors and
  // @operand), the attributes and the results of the schema --------------------------------------
  OpDef& saved_as(std::string name);
  // The rule by which a call is written where PaddlePaddle has another form, or none, for it.
  OpDef& saved_form(SavedFormFn fn);
  // Files have the form of today since this version; upgrades read those before.
  OpDef& since_version(int version);
  // Operations `name` of files up to `version` are calls of this operator, or become what it does,
  // by the rule; without one their operands, attributes and results are those of the record. A rule
  // for the name of the record itself, of all versions, tells apart what we have several operators
  // for.
  OpDef& upgrade(std::string name, SavedFormFn fn = nullptr, int version = kSavedVersion);

 private:
  Schema schema_;
  std::string doc_, example_, saved_name_, kind_reason_;
  int said_rank_ = 0;
  std::vector<PythonSpelling> spellings_;
  std::vector<ParamAlias> aliases_;
  std::vector<SavedUpgrade> upgrades_;
};

}  // namespace paddle
