// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The shape rule, kernel and gradient rule that stand in the records of users' operators and call
// the library's functions.

#include <algorithm>
#include <deque>
#include <optional>

#include "paddle_core/dispatch/call.h"
#include "paddle_core/dispatch/core_ops.h"
#include "paddle_core/extension/custom_op.h"
#include "paddle_core/extension/host.h"
#include "paddle_core/op/args.h"
#include "paddle_core/op/infer.h"
#include "paddle_core/op/vjp.h"
#include "paddle_core/shape/sym.h"

namespace paddle::extension {
namespace {

constexpr int64_t kUnknown = -1;
using Sizes = std::vector<int64_t>;

// -- shapes and dtypes -----------------------------------------------------------------------

// Calls the library's rules for one call of an operator.
class Rules {
 public:
  Rules(const CustomOp& op, const Slot* args) : op_(op), args_(args) {
    for (size_t i = 0; i < op.attributes.size(); ++i) {
      attributes_.push_back(values_.of(args[op.num_tensors() + i]));
    }
  }

  // The tensors of argument i: none when it is absent.
  std::vector<const TensorImpl*> tensors(size_t i) const {
    const Slot& slot = args_[i];
    std::vector<const TensorImpl*> out;
    if (slot.kind == SlotKind::kTensor) out.push_back(slot.tensor);
    for (uint32_t k = 0; slot.kind == SlotKind::kTensorList && k < slot.count; ++k) {
      out.push_back(slot.list[k].impl());
    }
    return out;
  }

  // Results of the shape rule with every symbol replaced by what `size` gives.
  template <typename Size>
  std::vector<Sizes> shapes(Size size) const {
    std::vector<std::vector<Sizes>> dims(op_.inputs.size());
    std::vector<std::vector<const int64_t*>> pointers(op_.inputs.size());
    std::vector<std::vector<int32_t>> ndims(op_.inputs.size());
    std::vector<PaddleShapes> inputs(op_.inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i) {
      for (const TensorImpl* t : tensors(i)) {
        Sizes& sizes = dims[i].emplace_back();
        for (const Dim d : t->shape) sizes.push_back(d.is_symbolic() ? size(d) : d.value());
      }
      for (const Sizes& sizes : dims[i]) {
        pointers[i].push_back(sizes.data());
        ndims[i].push_back(static_cast<int32_t>(sizes.size()));
      }
      inputs[i] = {dims[i].size(), pointers[i].data(), ndims[i].data()};
    }
    std::vector<Sizes> results;
    const PaddleShapeCall call{sizeof(PaddleShapeCall),
                               inputs.data(),
                               inputs.size(),
                               attributes_.data(),
                               attributes_.size(),
                               [](void* receiver, const int64_t* sizes, uint64_t n) {
                                 static_cast<std::vector<Sizes>*>(receiver)->emplace_back(
                                     sizes, sizes + n);
                               },
                               &results};
    const int status = op_.raw->infer_shape(&call);
    if (status != PADDLE_OK) throw_reported(status, op_.name.c_str());
    return results;
  }

  std::vector<DType> dtypes() const {
    std::vector<std::vector<int32_t>> numbers(op_.inputs.size());
    std::vector<PaddleDTypes> inputs(op_.inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i) {
      for (const TensorImpl* t : tensors(i)) numbers[i].push_back(static_cast<int32_t>(t->dtype));
      inputs[i] = {numbers[i].size(), numbers[i].data()};
    }
    std::vector<DType> results;
    const PaddleDTypeCall call{sizeof(PaddleDTypeCall),
                               inputs.data(),
                               inputs.size(),
                               attributes_.data(),
                               attributes_.size(),
                               [](void* receiver, int32_t dtype) {
                                 const bool known = dtype > 0 && dtype < kNumDTypes;
                                 static_cast<std::vector<DType>*>(receiver)->push_back(
                                     known ? static_cast<DType>(dtype) : DType::kUndefined);
                               },
                               &results};
    const int status = op_.raw->infer_dtype(&call);
    if (status != PADDLE_OK) throw_reported(status, op_.name.c_str());
    return results;
  }

  std::vector<Dim> symbols() const {
    std::vector<Dim> found;
    for (size_t i = 0; i < op_.inputs.size(); ++i) {
      for (const TensorImpl* t : tensors(i)) {
        for (const Dim d : t->shape) {
          const bool seen = std::find(found.begin(), found.end(), d) != found.end();
          if (d.is_symbolic() && !seen) found.push_back(d);
        }
      }
    }
    return found;
  }

 private:
  const CustomOp& op_;
  const Slot* args_;
  Values values_;
  std::vector<PaddleValue> attributes_;
};

// A library's rule computes on integers. For symbolic extents it is asked several times, with
// different sizes in place of each symbol; an extent that is a symbol times a constant plus a
// constant in all answers is that expression, any other is known when the operator has run.
class SymbolicShapes {
 public:
  SymbolicShapes(const Rules& rules, const Infer& c) : c_(c), symbols_(rules.symbols()) {
    for (size_t round = 0; round < kRounds; ++round) {
      const auto ask = [&] {
        answers_.push_back(rules.shapes([&](Dim d) { return stand_in(index_of(d), round); }));
      };
      if (round + 1 < kRounds) {
        ask();
        continue;
      }
      try {
        ask();
      } catch (const Error&) {  // it asks for divisibility, so it does not round
      }
    }
  }

  std::vector<Shape> shapes() const {
    std::vector<Shape> out;
    for (size_t k = 0; k < answers_[0].size(); ++k) {
      Shape& shape = out.emplace_back();
      for (size_t axis = 0; axis < answers_[0][k].size(); ++axis) {
        shape.push_back(same_form(k) ? extent(k, axis) : c_.data_dependent_size());
      }
    }
    return out;
  }

 private:
  static constexpr size_t kRounds = 4;

  size_t index_of(Dim d) const {
    return static_cast<size_t>(std::find(symbols_.begin(), symbols_.end(), d) - symbols_.begin());
  }
  // Multiples of 256, so that rules which ask for divisibility are content; last a number that has
  // no small factor, so that rules which round are found out.
  static int64_t stand_in(size_t symbol, size_t round) {
    static constexpr int64_t kFactors[kRounds] = {7, 11, 17, 13};
    const int64_t size = 256 * (kFactors[round] * (1 + 31 * static_cast<int64_t>(symbol)) +
                                static_cast<int64_t>(symbol));
    return round + 1 == kRounds ? size + 1 : size;
  }
  bool same_form(size_t k) const {
    for (const std::vector<Sizes>& answer : answers_) {
      if (answer.size() != answers_[0].size() || answer[k].size() != answers_[0][k].size()) {
        return false;
      }
    }
    return true;
  }
  template <typename Expected>
  bool always(size_t k, size_t axis, Expected expected) const {
    for (size_t round = 0; round < answers_.size(); ++round) {
      if (answers_[round][k][axis] != expected(round)) return false;
    }
    return true;
  }
  Dim extent(size_t k, size_t axis) const {
    const int64_t first = answers_[0][k][axis], second = answers_[1][k][axis];
    if (first < 0) return c_.data_dependent_size();
    if (always(k, axis, [&](size_t) { return first; })) return Dim(first);
    for (size_t s = 0; s < symbols_.size(); ++s) {
      const int64_t run = stand_in(s, 1) - stand_in(s, 0);
      if ((second - first) % run != 0) continue;
      const int64_t factor = (second - first) / run, rest = first - factor * stand_in(s, 0);
      if (always(k, axis, [&](size_t round) { return factor * stand_in(s, round) + rest; })) {
        return symbols_[s] * Dim(factor) + Dim(rest);
      }
    }
    return c_.data_dependent_size();
  }

  const Infer& c_;
  std::vector<Dim> symbols_;
  std::vector<std::vector<Sizes>> answers_;
};

std::vector<Shape> ruled_shapes(const Rules& rules, const Infer& c) {
  if (!rules.symbols().empty()) return SymbolicShapes(rules, c).shapes();
  std::vector<Shape> out;
  for (const Sizes& sizes : rules.shapes([](Dim) { return kUnknown; })) {
    Shape& shape = out.emplace_back();
    for (const int64_t size : sizes) {
      PADDLE_CHECK_VALUE(size >= kUnknown, c.op_name(), ": the shape rule gave the extent ", size,
                         "; extents are >= 0, or -1 for one that the kernel determines.");
      shape.push_back(size == kUnknown ? c.data_dependent_size() : Dim(size));
    }
  }
  return out;
}

// Shape and dtype of every result in order; nullopt for an absent one.
struct Meta {
  Shape shape;
  DType dtype;
};

std::vector<std::optional<Meta>> infer_results(Infer& c, const CustomOp& op) {
  const Rules rules(op, &c.slot(0));
  std::vector<Shape> shapes;
  std::vector<DType> dtypes;
  if (op.raw->infer_shape) shapes = ruled_shapes(rules, c);
  if (op.raw->infer_dtype) dtypes = rules.dtypes();
  std::vector<std::optional<Meta>> results;
  // A rule may leave out what is changed in place: then its entries are those of the others.
  size_t next_shape = 0, next_dtype = 0, plain = 0;
  for (size_t k = 0; k < op.outputs.size(); ++k) plain += op.inplace_input[k] < 0;
  const bool only_plain = shapes.size() <= plain && dtypes.size() <= plain;
  for (size_t k = 0; k < op.outputs.size(); ++k) {
    const int like = op.like_of[k];
    const bool ruled = op.inplace_input[k] < 0 || !only_plain;
    if (like >= 0 && (!ruled || !op.raw->infer_shape || op.inplace_input[k] >= 0)) {
      const auto tensors = rules.tensors(static_cast<size_t>(like));
      if (tensors.empty() && !op.outputs[k].list) results.emplace_back();
      for (const TensorImpl* t : tensors) {
        const bool own = op.raw->infer_dtype && ruled && next_dtype < dtypes.size();
        results.push_back(Meta{t->shape, own ? dtypes[next_dtype] : t->dtype});
        if (own) ++next_dtype;
        if (ruled && op.raw->infer_shape) ++next_shape;
      }
      continue;
    }
    // A list, being the only output that is not in place, takes what is left.
    const size_t count =
        op.outputs[k].list ? shapes.size() - std::min(shapes.size(), next_shape) : 1;
    for (size_t j = 0; j < count; ++j, ++next_shape) {
      PADDLE_CHECK_VALUE(next_shape < shapes.size(), op.name, ": the shape rule gave ",
                         shapes.size(), " shapes; output ", op.outputs[k].declared, " has none.");
      DType dtype = DType::kUndefined;
      if (op.raw->infer_dtype) {
        PADDLE_CHECK_VALUE(next_dtype < dtypes.size(), op.name, ": the dtype rule gave ",
                           dtypes.size(), " dtypes; output ", op.outputs[k].declared, " has none.");
        dtype = dtypes[next_dtype++];
      } else {
        const auto tensors = rules.tensors(static_cast<size_t>(std::max(like, 0)));
        dtype = tensors.empty() ? DType::kFloat32 : tensors[0]->dtype;
      }
      PADDLE_CHECK_VALUE(dtype != DType::kUndefined, op.name, ": the dtype rule gave no dtype for ",
                         op.outputs[k].declared, ".");
      results.push_back(Meta{shapes[next_shape], dtype});
    }
  }
  return results;
}

// -- the kernel ------------------------------------------------------------------------------

bool unknown_or_equal(const Shape& ruled, const Shape& given) {
  if (ruled.size() != given.size()) return false;
  for (size_t k = 0; k < ruled.size(); ++k) {
    if (ruled[k] != given[k] && !(ruled[k] == Dim(0))) return false;
  }
  return true;
}

// One run of a library's kernel: its inputs, what it emits, and what becomes of it.
class KernelRun {
 public:
  KernelRun(KernelContext& c, const CustomOp& op) : c_(c), op_(op) {
    for (size_t i = 0; i < op.inputs.size(); ++i) inputs_.push_back(input(i));
    for (const TensorList& list : inputs_) slots_.push_back(Slot::of(list));
  }

  TensorList run() {
    Values values;
    std::vector<PaddleValue> arguments;
    for (size_t i = 0; i < op_.inputs.size(); ++i) {
      Slot slot = slots_[i];
      if (!op_.inputs[i].list) slot = slot.count ? Slot::of(inputs_[i][0]) : Slot();
      if (op_.inputs[i].list && op_.inputs[i].optional && slot.count == 0) slot = Slot();
      arguments.push_back(values.of(slot));
    }
    for (size_t i = 0; i < op_.attributes.size(); ++i) {
      arguments.push_back(values.of(c_.slot(static_cast<int>(op_.num_tensors() + i))));
    }
    const auto* device_kernel = static_cast<const PaddleDeviceKernel*>(c_.user());
    const PaddleKernelCall call{sizeof(PaddleKernelCall),
                                arguments.data(),
                                arguments.size(),
                                [](void* receiver, PaddleTensor t) {
                                  static_cast<TensorList*>(receiver)->emplace_back(
                                      IntrusivePtr<TensorImpl>::adopt(impl_of(t)));
                                },
                                &emitted_,
                                raw_of(c_.device().device().place()),
                                c_.device().stream().handle()};
    const ModeGuard guard(kModeAmp | kModeSharded | kModeAutograd | kModeCheck);
    const int status = device_kernel ? device_kernel->kernel(&call) : op_.raw->kernel(&call);
    if (status != PADDLE_OK) throw_reported(status, op_.name.c_str());
    return with_inplace();
  }

 private:
  bool is_changed(size_t i) const {
    return std::find(op_.inplace_input.begin(), op_.inplace_input.end(), static_cast<int>(i)) !=
           op_.inplace_input.end();
  }

  // What the kernel changes is a copy: the caller's tensor gets the values through autograd.
  TensorList input(size_t i) const {
    const Slot& slot = c_.slot(static_cast<int>(i));
    TensorList list;
    if (slot.kind == SlotKind::kTensor) list.push_back(c_.in_tensor(static_cast<int>(i)));
    if (slot.kind == SlotKind::kTensorList) list.assign(slot.list, slot.list + slot.count);
    if (!is_changed(i)) return list;
    for (Tensor& t : list) {
      Tensor copy = Tensor::empty(t.shape(), t.dtype(), t.place());
      copy.copy_data_from(t);
      t = std::move(copy);
    }
    return list;
  }

  // All results in order. A kernel may return those that are not changed in place, or all.
  TensorList with_inplace() {
    size_t changed = 0;
    for (const int i : op_.inplace_input) {
      if (i < 0) continue;
      const auto at = static_cast<size_t>(i);
      changed += op_.inputs[at].list ? inputs_[at].size() : 1;
    }
    size_t plain = 0;
    for (const int i : op_.inplace_input) plain += i < 0;
    if (changed == 0 || (emitted_.size() > plain && emitted_.size() == changed + plain)) {
      return separate(std::move(emitted_));
    }
    TensorList all;
    size_t next = 0;
    for (size_t k = 0; k < op_.outputs.size(); ++k) {
      const int source = op_.inplace_input[k];
      if (source < 0) {
        if (next < emitted_.size()) all.push_back(emitted_[next++]);
        continue;
      }
      const TensorList& list = inputs_[static_cast<size_t>(source)];
      all.insert(all.end(), list.begin(), list.end());
      if (list.empty() && !op_.outputs[k].list) all.emplace_back();
    }
    while (next < emitted_.size()) all.push_back(emitted_[next++]);  // too many: the check says so
    return separate(std::move(all));
  }

  // Results are memory of their own.
  TensorList separate(TensorList results) const {
    for (size_t k = 0; k < results.size(); ++k) {
      Tensor& t = results[k];
      if (!t.defined()) continue;
      PADDLE_CHECK_RUNTIME(t.has_storage(), op_.name, ": result ", k, " has no values.");
      bool shared = !t.is_contiguous();
      for (size_t j = 0; j < k && !shared; ++j) {
        shared = results[j].defined() && results[j].shares_storage(t);
      }
      for (size_t i = 0; i < inputs_.size() && !shared; ++i) {
        for (const Tensor& in : inputs_[i]) shared |= !is_changed(i) && in.shares_storage(t);
      }
      if (!shared) continue;
      Tensor own = Tensor::empty(t.shape(), t.dtype(), t.place());
      own.copy_data_from(t);
      t = std::move(own);
    }
    return results;
  }

  KernelContext& c_;
  const CustomOp& op_;
  std::vector<TensorList> inputs_;
  std::vector<Slot> slots_;
  TensorList emitted_;
};

size_t number_of_results(const KernelContext& c, const CustomOp& op) {
  if (!op.flat_list) return op.outputs.size();
  Outputs outs;
  infer_meta(c.op(), &c.slot(0), outs);
  return outs.size();
}

// A kernel may leave out the results that this call does not have.
void place_absent(const KernelContext& c, TensorList& results, size_t wanted) {
  size_t present = 0;
  for (size_t k = 0; k < wanted; ++k) present += c.wants(static_cast<int>(k));
  if (results.size() != present) return;
  for (size_t k = 0; k < wanted; ++k) {
    if (!c.wants(static_cast<int>(k))) {
      results.insert(results.begin() + static_cast<std::ptrdiff_t>(k), Tensor());
    }
  }
}

// -- the gradient ----------------------------------------------------------------------------

// Results of the operator by output: a flat list is cut by the lengths of what it follows.
std::vector<std::pair<size_t, size_t>> ranges_of_outputs(const Vjp& v, const CustomOp& op) {
  std::vector<std::pair<size_t, size_t>> ranges;
  if (!op.flat_list) {
    for (size_t k = 0; k < op.outputs.size(); ++k) ranges.emplace_back(k, 1);
    return ranges;
  }
  Outputs outs;
  infer_meta(v.args().op(), v.args().slots(), outs);
  size_t begin = 0, known = 0;
  std::vector<size_t> counts;
  for (size_t k = 0; k < op.outputs.size(); ++k) {
    const int like = op.like_of[k];
    const bool follows = op.outputs[k].list && like >= 0;
    counts.push_back(follows ? v.args().slot(like).count : 1);
    known += op.outputs[k].list && !follows ? 0 : counts.back();
  }
  for (size_t k = 0; k < op.outputs.size(); ++k) {
    if (op.outputs[k].list && op.like_of[k] < 0) counts[k] = outs.size() - known;
    ranges.emplace_back(begin, counts[k]);
    begin += counts[k];
  }
  return ranges;
}

// Where the outputs of a gradient that holds lists stand in its flat list of results.
void set_gradients(Vjp& v, const CustomOp& op, const CustomOp& gradient, const Outputs& outs) {
  size_t next = 0;
  for (size_t k = 0; k < gradient.outputs.size(); ++k) {
    const size_t input = op.gradient_targets[k];
    const int argument = static_cast<int>(input);
    if (!gradient.outputs[k].list) {
      const Tensor& g = outs[next++];
      if (g.defined() && v.has(argument)) v.set(argument, g);
      continue;
    }
    const size_t count = v.args().slot(argument).count;
    TensorList list;
    for (size_t j = 0; j < count && next < outs.size(); ++j) list.push_back(outs[next++]);
    v.set_list(argument, std::move(list));
  }
}

}  // namespace

void custom_infer(Infer& c) {
  const CustomOp& op = required_custom_op(c.op());
  const auto results = infer_results(c, op);
  if (op.flat_list) {
    c.set_list_size(results.size());
  } else {
    PADDLE_CHECK_VALUE(results.size() == op.outputs.size(), op.name, ": its rules give ",
                       results.size(), " results for ", op.outputs.size(), " outputs.");
  }
  for (size_t k = 0; k < results.size(); ++k) {
    if (results[k]) c.out(static_cast<int>(k), results[k]->shape, results[k]->dtype);
  }
}

void custom_kernel(KernelContext& c) {
  const CustomOp& op = required_custom_op(c.op());
  TensorList results = KernelRun(c, op).run();
  const size_t wanted = number_of_results(c, op);
  place_absent(c, results, wanted);
  PADDLE_CHECK_VALUE(results.size() == wanted, op.name, ": the kernel returned ", results.size(),
                     " tensors; its declaration and rules say ", wanted, ".");
  for (size_t k = 0; k < wanted; ++k) {
    const int i = static_cast<int>(k);
    if (!c.wants(i)) continue;
    const Tensor& t = results[k];
    PADDLE_CHECK_VALUE(t.defined(), op.name, ": result ", k, " of the kernel holds nothing.");
    const TensorImpl& ruled = c.out(i);
    PADDLE_CHECK_VALUE(unknown_or_equal(ruled.shape, t.shape()) && ruled.dtype == t.dtype(),
                       op.name, ": the kernel returned a tensor of shape ", t.shape(),
                       " and dtype ", t.dtype(), " as result ", k, ", but its rules say shape ",
                       ruled.shape, " and dtype ", ruled.dtype,
                       "; make SetInferShapeFn and SetInferDtypeFn fit.");
    const Place place = c.device().device().place();
    PADDLE_CHECK_VALUE(t.place() == place, op.name, ": the kernel returned a tensor on ", t.place(),
                       " as result ", k, "; the call is on ", place,
                       ", where results have to be made.");
    c.set_out(i, t);
  }
}

void custom_vjp(Vjp& v) {
  const CustomOp& op = required_custom_op(v.args().op());
  PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, op.gradient, op.name,
                    ": this gradient has no gradient itself; declare it with ",
                    op.raw->order == 1 ? "PD_BUILD_DOUBLE_GRAD_OP(" : "decompositions of (",
                    op.raw->name, ").");
  const CustomOp& gradient = required_custom_op(*op.gradient);
  const auto ranges = ranges_of_outputs(v, op);
  std::deque<TensorList> tensors;
  SmallVector<Slot, 8> slots;
  for (size_t i = 0; i < gradient.num_tensors(); ++i) {
    const Source& s = op.gradient_sources[i];
    if (s.kind == Source::Kind::kInput) {
      slots.push_back(v.args().slot(static_cast<int>(s.index)));
      continue;
    }
    const auto [begin, count] = ranges[s.index];
    TensorList& list = tensors.emplace_back();
    for (size_t k = begin; k < begin + count; ++k) {
      const int result = static_cast<int>(k);
      const Tensor& out = v.out(result);
      const bool zero = s.kind == Source::Kind::kGradient && !v.has_grad(result) && out.defined();
      list.push_back(s.kind == Source::Kind::kOutput ? out
                     : zero ? core_ops().full(out.shape(), Scalar(0), out.dtype())
                            : v.grad(result));
    }
    const bool is_list = gradient.tensor(i).list;
    slots.push_back(is_list ? Slot::of(list) : Slot::of(list[0]));
  }
  for (const size_t a : op.gradient_attributes) {
    slots.push_back(v.args().slot(static_cast<int>(op.num_tensors() + a)));
  }
  Outputs outs;
  call(*op.gradient, slots.data(), outs);
  set_gradients(v, op, gradient, outs);
}

}  // namespace paddle::extension
