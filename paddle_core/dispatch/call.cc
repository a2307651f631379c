// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The path of an operator call: mode test, layers, promotion, and the base that runs kernels.

#include "paddle_core/dispatch/call.h"

#include <algorithm>
#include <array>
#include <deque>

#include "paddle_core/base/flags.h"
#include "paddle_core/base/log.h"
#include "paddle_core/dispatch/core_ops.h"
#include "paddle_core/dispatch/decomposition.h"
#include "paddle_core/dispatch/layout.h"
#include "paddle_core/dispatch/observers.h"
#include "paddle_core/dispatch/recorder.h"
#include "paddle_core/op/args.h"
#include "paddle_core/op/infer.h"
#include "paddle_core/profile/trace.h"
#include "paddle_core/type/promotion.h"

namespace paddle {

__thread ThreadModes thread_modes __attribute__((tls_model("initial-exec")));
std::atomic<uint32_t> process_modes{0};

namespace {

std::array<LayerFn, kNumModes> layers{};
CoreOps installed_core_ops{};
ViewRecordFn view_recorder = nullptr;
RecordFn installed_recorder = nullptr;
ObserverFn observer = nullptr;
__thread CaptureSink* active_sink __attribute__((tls_model("initial-exec"))) = nullptr;

// Outermost first. No layer is installed for kModeSharded, and no tensor asks for it: tensors on
// meshes are whole in every process (distributed/auto_parallel).
constexpr std::array<ModeBit, kNumModes> kLayerOrder{
    kModeView, kModeAmp, kModeSharded, kModeAutograd, kModeCapture, kModeCheck, kModeLayout};

int bit_index(ModeBit bit) { return __builtin_ctz(bit); }

// Visits every tensor of the pack.
template <typename Fn>
inline void for_each_tensor(const OpDef& op, const Slot* args, Fn&& fn) {
  const int n = op.tensors_first ? op.num_tensor_args : op.num_args;
  for (int i = 0; i < n; ++i) {
    if (args[i].kind == SlotKind::kTensor) {
      fn(*args[i].tensor);
    } else if (args[i].kind == SlotKind::kTensorList) {
      for (uint32_t k = 0; k < args[i].count; ++k) {
        if (args[i].list[k].defined()) fn(*args[i].list[k].impl());
      }
    }
  }
}

// What one look at the tensors of a call tells.
struct TensorFacts {
  uint32_t keys = 0;
  DType dtype = DType::kUndefined;  // of the first
  Place place;                      // of the first
  bool mixed = false;               // dtypes differ
  bool strided = false;             // one is not contiguous
  bool no_values = false;           // one has no storage
};

inline TensorFacts facts_of(const OpDef& op, const Slot* args) {
  TensorFacts facts;
  for_each_tensor(op, args, [&](const TensorImpl& t) {
    if (facts.dtype == DType::kUndefined) {
      facts.dtype = t.dtype;
      facts.place = t.place;
    }
    facts.keys |= t.keys;
    facts.mixed |= t.dtype != facts.dtype;
    facts.strided |= !t.contiguous;
    facts.no_values |= !t.storage;
  });
  return facts;
}

// A copy of the pack whose replaced tensors are owned here.
class Patched {
 public:
  Patched(const OpDef& op, const Slot* args) : slots_(args, args + op.num_args) {}
  const Slot* data() const { return slots_.data(); }
  void set(int i, Tensor t) {
    slots_[static_cast<size_t>(i)] = Slot::of(t);
    tensors_.push_back(std::move(t));
  }
  void set_list(int i, TensorList list) {
    lists_.push_back(std::move(list));
    slots_[static_cast<size_t>(i)] = Slot::of(lists_.back());
  }

 private:
  SmallVector<Slot, 8> slots_;
  TensorList tensors_;
  std::vector<TensorList> lists_;
};

Tensor sharing(TensorImpl* impl) { return Tensor(IntrusivePtr<TensorImpl>::share(impl)); }

// Applies fn(Tensor) -> Tensor to every tensor of the pack.
template <typename Fn>
Patched map_tensors(const OpDef& op, const Slot* args, Fn&& fn) {
  Patched out(op, args);
  for (int i = 0; i < op.num_args; ++i) {
    if (args[i].kind == SlotKind::kTensor) {
      out.set(i, fn(i, sharing(args[i].tensor)));
    } else if (args[i].kind == SlotKind::kTensorList) {
      TensorList list;
      for (uint32_t k = 0; k < args[i].count; ++k) list.push_back(fn(i, args[i].list[k]));
      out.set_list(i, std::move(list));
    }
  }
  return out;
}

// A parameter that a wider input drags along: usually the input was meant to have its dtype.
void tell_promoted_parameter(const OpDef& op, const TensorImpl& t, DType common) {
  if (!t.is_parameter || t.dtype == common || !is_floating(common) || !is_floating(t.dtype)) return;
  const std::string key = str("promoted/", op.name(), t.dtype, common);
  warn_once(key,
            str(op.name(), ": a parameter of dtype ", t.dtype, " meets a tensor of dtype ", common,
                ", so the result has dtype ", common, "; cast the input with astype('", t.dtype,
                "') to compute in the parameter's (", running_location(), "). This is said once."));
}

int dtype_category(DType t) { return is_bool(t) ? 0 : is_integer(t) ? 1 : is_complex(t) ? 3 : 2; }

DType common_dtype(const OpDef& op, const Slot* args) {
  const auto widest = [&](DType common, auto&& counts) {
    for_each_tensor(op, args, [&](const TensorImpl& t) {
      if (!counts(t)) return;
      common = common == DType::kUndefined ? t.dtype : promote_types(common, t.dtype);
    });
    return common;
  };
  DType with_axes = DType::kUndefined;
  if (op.has(kNumberOperands)) {
    with_axes = widest(with_axes, [](const TensorImpl& t) { return !t.shape.empty(); });
  }
  // A number widens tensors of another kind only.
  const bool numbers_only = with_axes == DType::kUndefined;
  return widest(with_axes, [&](const TensorImpl& t) {
    return numbers_only || dtype_category(t.dtype) != dtype_category(with_axes);
  });
}

[[gnu::noinline]] void call_promoted(const OpDef& op, const Slot* args, Outputs& outs) {
  const DType common = common_dtype(op, args);
  for_each_tensor(op, args, [&](const TensorImpl& t) { tell_promoted_parameter(op, t, common); });
  const Patched patched = map_tensors(op, args, [&](int i, const Tensor& t) {
    const bool takes_part = op.schema().args[static_cast<size_t>(i)].is_tensor();
    return takes_part && t.dtype() != common ? core_ops().cast(t, common) : t;
  });
  call(op, patched.data(), outs);
}

// -- the base --------------------------------------------------------------------------------

// Constants in place of tensors given for IntArray, Scalar and integer arguments.
class ResolvedArgs {
 public:
  static bool needed(const OpDef& op, const Slot* args) {
    if (op.tensors_first) {
      for (int i = op.num_tensor_args; i < op.num_args; ++i) {
        if (args[i].kind == SlotKind::kTensor || args[i].kind == SlotKind::kTensorList) return true;
      }
      return false;
    }
    for (int i = 0; i < op.num_args; ++i) {
      const bool is_tensor =
          args[i].kind == SlotKind::kTensor || args[i].kind == SlotKind::kTensorList;
      if (is_tensor && !op.schema().args[static_cast<size_t>(i)].is_tensor()) return true;
    }
    return false;
  }

  ResolvedArgs(const OpDef& op, const Slot* args) : slots_(args, args + op.num_args) {
    for (size_t i = 0; i < slots_.size(); ++i) {
      const ArgSpec& spec = op.schema().args[i];
      if (spec.is_tensor()) continue;
      if (slots_[i].kind == SlotKind::kTensor) {
        resolve(op, spec, i, sharing(slots_[i].tensor));
      } else if (slots_[i].kind == SlotKind::kTensorList) {
        Shape& ints = ints_.emplace_back();
        for (uint32_t k = 0; k < args[i].count; ++k)
          ints.push_back(Dim::clamped(args[i].list[k].item().to_int()));
        slots_[i] = Slot::of(ints);
      }
    }
  }
  const Slot* data() const { return slots_.data(); }

 private:
  void resolve(const OpDef& op, const ArgSpec& spec, size_t i, const Tensor& t) {
    switch (spec.type) {
      case ArgType::kScalar:
        slots_[i] = Slot::of(scalars_.emplace_back(t.item()));
        return;
      case ArgType::kBool:
        slots_[i] = Slot::of_bool(t.item().to_bool());
        return;
      case ArgType::kInt:
      case ArgType::kInt64:
        slots_[i] = Slot::of_int(t.item().to_int());
        return;
      case ArgType::kFloat:
      case ArgType::kDouble:
        slots_[i] = Slot::of_float(t.item().to_double());
        return;
      case ArgType::kIntArray:
      case ArgType::kInts:
      case ArgType::kInt64s: {
        PADDLE_CHECK_TYPE(is_integer(t.dtype()), op.name(), ": ", spec.name,
                          " is a tensor of dtype ", t.dtype(), " and shape ", t.shape(),
                          "; a tensor of integers is needed.");
        const Tensor source = t.contiguous_copy_if_needed();
        Shape& ints = ints_.emplace_back();
        for (int64_t k = 0; k < source.numel(); ++k) {
          const int64_t offset = k * static_cast<int64_t>(size_of(t.dtype()));
          ints.push_back(Dim::clamped(Tensor::alias(source, {}, {}, offset).item().to_int()));
        }
        slots_[i] = Slot::of(ints);
        return;
      }
      default:
        throw_error(ErrorKind::kType, str(op.name(), ": ", spec.name, " may not be a tensor."));
    }
  }

  SmallVector<Slot, 8> slots_;
  std::deque<Shape> ints_;
  std::deque<Scalar> scalars_;
};

[[gnu::noinline]] void run_without_kernel(const OpDef& op, const Slot* args, Outputs& outs,
                                          DType dtype, Place place) {
  PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, op.decompose_fn != nullptr, op.name(),
                    ": no kernel for dtype ", dtype, " on ", place,
                    "; cast the inputs to a supported dtype.");
  if (op.kernels.any()) {
    static const std::atomic<bool>* const forbidden = bool_flag("FLAGS_forbid_fallback");
    PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, !forbidden->load(), op.name(),
                      ": no kernel for dtype ", dtype, " on ", place,
                      ", and FLAGS_forbid_fallback forbids its decomposition.");
    warn_once(str("fallback/", op.name(), dtype, place),
              str(op.name(), " has no kernel for dtype ", dtype, " on ", place,
                  "; it runs as its decomposition, which may be slower."));
  }
  run_decomposition(op, args, outs);
}

[[noreturn, gnu::noinline]] void throw_no_values(const OpDef& op) {
  throw_error(
      ErrorKind::kRuntime,
      str(op.name(),
          ": an argument has shape and dtype but no values. It was read by a gradient rule that "
          "does not declare it in saves(), or it belongs to a program whose capture has ended."));
}

[[gnu::noinline]] void require_values(const OpDef& op, const Slot* args) {
  for (int i = 0; i < op.num_args; ++i) {
    if ((op.shape_only >> i) & 1u) continue;
    if (args[i].kind == SlotKind::kTensor && !args[i].tensor->storage) throw_no_values(op);
    if (args[i].kind != SlotKind::kTensorList) continue;
    for (uint32_t k = 0; k < args[i].count; ++k) {
      if (args[i].list[k].defined() && !args[i].list[k].has_storage()) throw_no_values(op);
    }
  }
}

void run_kernel(const OpDef& op, const Kernel& kernel, const Slot* args, Outputs& outs,
                const TensorFacts& facts) {
  PhiloxState random;
  if (op.random_count_fn)
    random = default_generator().reserve(op.random_count_fn(args, outs.data()));
  if (facts.no_values) [[unlikely]]
    require_values(op, args);
  if (facts.strided && !kernel.strided) [[unlikely]] {
    const Patched patched =
        map_tensors(op, args, [](int, const Tensor& t) { return t.contiguous_copy_if_needed(); });
    KernelContext context(op, patched.data(), outs.data(), random);
    kernel.fn(context);
    return;
  }
  KernelContext context(op, args, outs.data(), random);
  kernel.fn(context);
}

[[gnu::noinline]] void execute_native_inplace(const OpDef& op, const Slot* args, Outputs& outs) {
  Outputs inferred(op.num_results);
  Infer infer(op, args, inferred);
  op.infer_fn(infer);
  const int key = op.kernel_dtype_arg >= 0 ? op.kernel_dtype_arg : 0;
  const TensorImpl& first = *args[key].tensor;
  const Kernel& kernel = op.kernels.at(first.place.kind, first.dtype);
  if (!kernel.fn && op.decompose_fn) {  // of the other dtypes
    run_inplace_decomposition(op, args, outs);
    return;
  }
  PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, kernel.fn != nullptr, op.name(),
                    ": no kernel for dtype ", first.dtype, " on ", first.place, ".");
  outs.clear();
  outs.resize(op.num_results);
  Patched dense(op, args);  // strided targets are updated in a dense copy
  for (size_t k = 0; k < op.num_results; ++k) {
    const int source = op.inplace_arg[k];
    if (source >= 0) {
      if (args[source].kind != SlotKind::kTensor) continue;
      outs[k] = sharing(args[source].tensor).contiguous_copy_if_needed();
      if (outs[k].impl() != args[source].tensor) dense.set(source, outs[k]);
    } else if (inferred[k].defined()) {
      TensorImpl& t = *inferred[k].impl();
      outs[k] = Tensor::empty(t.shape, t.dtype, args[0].tensor->place);
    }
  }
  run_kernel(op, kernel, dense.data(), outs, facts_of(op, dense.data()));
  for (size_t k = 0; k < op.num_results; ++k) {
    if (op.inplace_arg[k] < 0 || !outs[k].defined()) continue;
    TensorImpl* target = args[op.inplace_arg[k]].tensor;
    if (outs[k].impl() == target) {
      target->storage->note_overwrite();
    } else {
      sharing(target).overwrite_from(outs[k]);
      outs[k] = sharing(target);
    }
  }
}

void allocate(Outputs& outs, Place place) {
  for (Tensor& t : outs) {
    if (!t.defined()) continue;
    TensorImpl& impl = *t.impl();
    impl.place = place;
    impl.set_contiguous_layout();
    impl.storage = Storage::allocate(static_cast<size_t>(impl.numel) * size_of(impl.dtype), place);
  }
}

// A donated argument of an elementwise operator, of the size and dtype of the result; -1: none.
// That kernels may write over their first argument is what in-place calls rely on as well, and over
// either of two that broadcast.
int argument_to_write_over(const OpDef& op, const Kernel& kernel, const Slot* args,
                           const Tensor& out, uint32_t donated) {
  if (!op.has(kElementwise) || op.num_results != 1 || op.random_count_fn || !out.defined())
    return -1;
  const int last = op.has(kBroadcast) ? op.num_tensor_args : 1;
  for (int i = 0; i < last; ++i) {
    if (!((donated >> i) & 1u) || args[i].kind != SlotKind::kTensor) continue;
    const TensorImpl& t = *args[i].tensor;
    if (t.dtype != out.dtype() || !(t.shape == out.shape())) continue;
    // What is not contiguous and cannot be read as it is would be copied first.
    const auto direct = [&](const Slot& s) {
      return s.kind != SlotKind::kTensor || s.tensor->contiguous || kernel.strided;
    };
    if (t.contiguous && std::all_of(args, args + op.num_args, direct)) return i;
  }
  return -1;
}

const Kernel* select_kernel(const OpDef& op, const Slot* args, const Outputs& outs, Place place,
                            DType& dtype) {
  if (op.kernel_dtype_arg >= 0) {
    const Slot& slot = args[op.kernel_dtype_arg];
    dtype = slot.kind == SlotKind::kTensor                         ? slot.tensor->dtype
            : slot.kind == SlotKind::kTensorList && slot.count > 0 ? slot.list[0].dtype()
                                                                   : DType::kUndefined;
  } else {
    dtype = outs.empty() || !outs[0].defined() ? DType::kUndefined : outs[0].dtype();
  }
  const Kernel& kernel = op.kernels.at(place.kind, dtype);
  return kernel.fn ? &kernel : nullptr;
}

bool try_view(const OpDef& op, const Slot* args, Outputs& outs) {
  if (!args[0].tensor->storage) throw_no_values(op);
  Args view_args(op, args);
  Tensor view = op.view_fn(view_args);
  if (!view.defined()) return false;
  if (view.impl() == args[0].tensor) {  // nothing to do: still a tensor of its own
    view = Tensor::alias(view, view.shape(), view.strides(), 0);
  }
  outs[0] = std::move(view);
  if (view_recorder) view_recorder(outs[0], op, args);
  return true;
}

void check_layer(const OpDef& op, const Slot* args, Outputs& outs) {
  ModeGuard guard(kModeCheck);
  const int64_t begin = profile::now_ns();
  call(op, args, outs);
  if (observer) observer(op, args, outs, begin, profile::now_ns());
}

void capture_layer(const OpDef& op, const Slot* args, Outputs& outs) {
  PADDLE_ASSERT(active_sink != nullptr);
  active_sink->record(op, args, outs);
  const bool recorded = op.is_view() && !outs[0].has_storage();  // else it ran at once
  if (recorded && view_recorder) view_recorder(outs[0], op, args);
}

void run_base(const OpDef& op, const Slot* args, Outputs& outs, const TensorFacts& facts,
              uint32_t donated) {
  if (ResolvedArgs::needed(op, args)) [[unlikely]] {
    const ResolvedArgs resolved(op, args);
    return execute(op, resolved.data(), outs, donated);
  }
  if (op.is_native_inplace()) return execute_native_inplace(op, args, outs);
  infer_meta(op, args, outs);
  if (op.view_fn && try_view(op, args, outs)) return;
  DType dtype;
  const Kernel* kernel = select_kernel(op, args, outs, facts.place, dtype);
  if (op.list_result && outs.empty()) return;
  if (!kernel) [[unlikely]]
    return run_without_kernel(op, args, outs, dtype, facts.place);
  const int over = donated ? argument_to_write_over(op, *kernel, args, outs[0], donated) : -1;
  if (over >= 0) {
    TensorImpl& impl = *outs[0].impl();
    impl.place = facts.place;
    impl.set_contiguous_layout();
    impl.storage = args[over].tensor->storage;
    impl.offset = args[over].tensor->offset;
    impl.storage->bump_version();
  } else if (!op.has(kDynamicOutput)) {
    allocate(outs, facts.place);
  }
  run_kernel(op, *kernel, args, outs, facts);
}

void call_recorded(const OpDef& op, const Slot* args, Outputs& outs, const TensorFacts& facts) {
  {
    ModeGuard guard(kModeAutograd);
    run_base(op, args, outs, facts, 0);
  }
  installed_recorder(op, args, outs);
}

[[gnu::noinline]] void call_layers(uint32_t modes, const OpDef& op, const Slot* args,
                                   Outputs& outs) {
  for (const ModeBit bit : kLayerOrder) {
    if (!(modes & bit)) continue;
    if (bit == kModeCapture) return capture_layer(op, args, outs);
    if (bit == kModeCheck) return check_layer(op, args, outs);
    if (bit == kModeLayout) return execute_in_layout(op, args, outs);
    const LayerFn layer = layers[static_cast<size_t>(bit_index(bit))];
    if (layer) return layer(op, args, outs);
  }
  execute(op, args, outs);
}

}  // namespace

void execute_in_layout(const OpDef& op, const Slot* args, Outputs& outs, uint32_t donated) {
  if (!ResolvedArgs::needed(op, args)) return execute_resolved_in_layout(op, args, outs, donated);
  const ResolvedArgs resolved(op, args);  // shapes depend on their values
  execute_resolved_in_layout(op, resolved.data(), outs, donated);
}

void infer_meta(const OpDef& op, const Slot* args, Outputs& outs) {
  outs.clear();
  if (!op.list_result) outs.resize(op.num_results);
  Infer infer(op, args, outs);
  op.infer_fn(infer);
}

void infer_with_values(const OpDef& op, const Slot* args, Outputs& outs) {
  if (!ResolvedArgs::needed(op, args)) return infer_meta(op, args, outs);
  const ResolvedArgs resolved(op, args);
  infer_meta(op, resolved.data(), outs);
}

void check_arguments(const OpDef& op, const Slot* args) {
  if (active_sink != nullptr || op.is_native_inplace() || ResolvedArgs::needed(op, args)) return;
  Outputs outs;
  infer_meta(op, args, outs);
}

void execute(const OpDef& op, const Slot* args, Outputs& outs, uint32_t donated) {
  if (process_modes.load(std::memory_order_relaxed) & kModeDecompose) [[unlikely]] {
    if (!ResolvedArgs::needed(op, args) && run_forced(op, args, outs)) return;
  }
  run_base(op, args, outs, facts_of(op, args), donated);
}

void call(const OpDef& op, const Slot* args, Outputs& outs) {
  const TensorFacts facts = facts_of(op, args);
  const uint32_t keys =
      thread_modes.on | process_modes.load(std::memory_order_relaxed) | facts.keys;
  const uint32_t modes = keys & thread_modes.allowed & op.interest;
  if (facts.mixed && op.has(kPromote) && !(modes & (kModeAmp | kModeView))) [[unlikely]] {
    return call_promoted(op, args, outs);
  }
  if (modes == 0) [[likely]]
    return run_base(op, args, outs, facts, 0);
  // What is recorded holds numbers as numbers, not as the tensors they were given in.
  if ((modes & (kModeAutograd | kModeCapture)) == kModeAutograd && ResolvedArgs::needed(op, args))
      [[unlikely]] {
    const ResolvedArgs resolved(op, args);
    return call(op, resolved.data(), outs);
  }
  if (modes == kModeAutograd && op.vjp_fn && installed_recorder) {
    return call_recorded(op, args, outs, facts);
  }
  call_layers(modes, op, args, outs);
}

void install_layer(ModeBit bit, LayerFn fn) { layers[static_cast<size_t>(bit_index(bit))] = fn; }
void set_view_recorder(ViewRecordFn fn) { view_recorder = fn; }
void set_recorder(RecordFn fn) { installed_recorder = fn; }
RecordFn recorder() { return installed_recorder; }
void set_observer(ObserverFn fn) { observer = fn; }
CaptureSink* capture_sink() { return active_sink; }
void set_capture_sink(CaptureSink* sink) {
  active_sink = sink;
  thread_modes.on =
      sink ? thread_modes.on | kModeCapture : thread_modes.on & ~uint32_t{kModeCapture};
}
const CoreOps& core_ops() { return installed_core_ops; }
void set_core_ops(const CoreOps& ops) { installed_core_ops = ops; }

}  // namespace paddle
