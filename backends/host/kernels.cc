// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// From a KernelContext to a PdKernelCall. Extents, strides and numbers are not copied: the tables
// of a call point into the tensors and slots.
#include "backends/host/kernels.h"

#include <cstring>
#include <list>
#include <memory>
#include <type_traits>

#include "backends/host/device.h"
#include "paddle_core/dispatch/call.h"
#include "paddle_core/dispatch/execute/fallback.h"
#include "paddle_core/op/registry.h"

namespace paddle::plugin {
namespace {

static_assert(sizeof(Dim) == sizeof(int64_t) && std::is_standard_layout_v<Dim>);
static_assert(static_cast<int>(DType::kBool) == PD_BOOL &&
              static_cast<int>(DType::kComplex128) == PD_COMPLEX128 && kNumDTypes == 15);

// A kernel of a plugin; lives as long as the process.
struct PluginKernel {
  const Plugin* plugin;
  std::string op;
  PdError* (*run)(const PdKernelCall*);
  void* context;
};

// An extent with a symbol reaches no kernel: calls are captured instead.
const int64_t* numbers(const Dim* dims) { return reinterpret_cast<const int64_t*>(dims); }

void describe(const TensorImpl& t, const PluginDevice& device, PdTensor& to) {
  t.ensure_logical_order();
  to.struct_size = sizeof to;
  to.dtype = static_cast<int32_t>(t.dtype);
  to.rank = static_cast<int32_t>(t.shape.size());
  to.count = t.numel;
  to.shape = numbers(t.shape.data());
  to.strides = t.strides.data();
  to.offset = 0;
  to.memory = nullptr;
  to.host = nullptr;
  if (!t.storage || t.numel == 0) return;
  if (t.place.is_host()) {
    to.host = t.data();
    return;
  }
  const MemoryAddress at = device.at(t.data());
  to.memory = at.memory;
  to.offset = at.offset;
}

// A call, for as long as the kernel runs.
class Call {
 public:
  Call(KernelContext& k, const PluginKernel& kernel)
      : k_(k), kernel_(kernel), device_(static_cast<PluginDevice&>(k.device().device())) {}

  void run() {
    read_arguments();
    read_outputs();
    PdKernelCall call;
    call.struct_size = sizeof call;
    call.context = kernel_.context;
    call.op = kernel_.op.c_str();
    call.device = device_.raw();
    call.stream = static_cast<PluginStream&>(k_.device().stream()).raw();
    call.arguments = values_.data();
    call.argument_count = static_cast<uint32_t>(values_.size());
    call.output_count = static_cast<uint32_t>(outputs_.size());
    call.outputs = outputs_.data();
    call.host_call = this;
    call.random_seed = k_.random().seed;
    call.random_offset = k_.random().offset;
    const Plugin& plugin = *kernel_.plugin;
    plugin.counts.kernels.fetch_add(1, std::memory_order_relaxed);
    const CallScope scope(plugin, "kernels.run", kernel_.op.c_str());
    if (PdError* error = kernel_.run(&call)) [[unlikely]] {
      if (error->struct_size < sizeof(PdError) || error->kind != PD_ERROR_NOT_IMPLEMENTED) {
        plugin.raise(error, "kernels.run", kernel_.op.c_str());
      }
      if (error->release) error->release(error);
      return run_without();
    }
    for (size_t i = 0; i < outputs_.size(); ++i) {
      if (k_.op().has(kDynamicOutput) && !k_.wants(static_cast<int>(i))) {
        plugin.lies("kernels.run", str("of operator ", kernel_.op, " made no output ", i, "."));
      }
    }
  }

  const PdTensor* make_output(const PdOutputArgs& args) {
    PADDLE_CHECK_VALUE(k_.op().has(kDynamicOutput) && args.index < outputs_.size(), kernel_.op,
                       ": make_output: output ", args.index,
                       " is none that the kernel makes; those that it finds are allocated.");
    PADDLE_CHECK_VALUE(args.dtype > 0 && args.dtype < kNumDTypes && args.rank >= 0 &&
                           args.rank <= kMaxRank && (args.shape || args.rank == 0),
                       kernel_.op, ": make_output: dtype ", args.dtype, " and rank ", args.rank,
                       " make no tensor.");
    Shape shape;
    for (int32_t d = 0; d < args.rank; ++d) {
      PADDLE_CHECK_VALUE(args.shape[d] >= 0, kernel_.op, ": make_output: extent ", args.shape[d],
                         " of axis ", d, " is negative.");
      shape.push_back(Dim(args.shape[d]));
    }
    const Tensor made = Tensor::empty(shape, static_cast<DType>(args.dtype), device_.place());
    k_.set_out(static_cast<int>(args.index), made);
    describe(*made.impl(), device_, made_.emplace_back());
    return &made_.back();
  }

  MemoryAddress scratch(int64_t bytes) {
    PADDLE_CHECK_VALUE(bytes >= 1, kernel_.op, ": scratch: bytes has value ", bytes,
                       "; ask for at least 1.");
    scratch_.push_back(std::make_unique<Scratch>(k_.device(), static_cast<size_t>(bytes)));
    return device_.at(scratch_.back()->data());
  }

 private:
  // The call as if there was no kernel: the plugin has declined it. The results take the place of
  // those that were allocated.
  void run_without() {
    const OpDef& op = k_.op();
    const Slot* const args = &k_.slot(0);
    const Place place = device_.place();
    Outputs outs;
    if (!op.is_native_inplace()) infer_meta(op, args, outs);
    const int key = op.kernel_dtype_arg;
    const DType dtype = key >= 0 && k_.slot(key).kind == SlotKind::kTensor ? k_.in(key).dtype
                        : !outs.empty() && outs[0].defined()               ? outs[0].dtype()
                                                                           : DType::kUndefined;
    run_without_kernel(op, args, outs, dtype, place);
    for (size_t i = 0; i < outs.size(); ++i) {
      const int at = static_cast<int>(i);
      if (!outs[i].defined()) continue;
      if (!k_.wants(at)) {
        k_.set_out(at, outs[i]);
      } else if (const Tensor there(IntrusivePtr<TensorImpl>::share(&k_.out(at)));
                 there->storage != outs[i]->storage || there->offset != outs[i]->offset) {
        there.overwrite_from(outs[i]);
      }
    }
  }

  const PdTensor* described(const TensorImpl& t) {
    PdTensor& to = used_ < std::size(tensors_) ? tensors_[used_++] : made_.emplace_back();
    describe(t, device_, to);
    return &to;
  }

  void read_arguments() {
    const int count = k_.op().num_args;
    values_.resize(static_cast<size_t>(count));
    for (int i = 0; i < count; ++i) read_argument(k_.slot(i), values_[static_cast<size_t>(i)]);
  }

  void read_argument(const Slot& slot, PdValue& to) {
    to.struct_size = sizeof to;
    to.count = slot.count;
    switch (slot.kind) {
      case SlotKind::kNone:
        to.kind = PD_VALUE_NONE;
        to.as.i = 0;
        break;
      case SlotKind::kTensor:
        to.kind = PD_VALUE_TENSOR;
        to.as.tensor = described(*slot.tensor);
        break;
      case SlotKind::kTensorList: {
        to.kind = PD_VALUE_TENSORS;
        std::vector<const PdTensor*>& list = lists_.emplace_back();
        for (uint32_t n = 0; n < slot.count; ++n) {
          list.push_back(slot.list[n].defined() ? described(*slot.list[n].impl()) : nullptr);
        }
        to.as.tensors = list.data();
        break;
      }
      case SlotKind::kBool:
        to.kind = PD_VALUE_BOOL;
        to.as.i = slot.i;
        break;
      case SlotKind::kInt:
        to.kind = PD_VALUE_INT;
        to.as.i = slot.i;
        break;
      case SlotKind::kFloat:
        to.kind = PD_VALUE_FLOAT;
        to.as.f = slot.f;
        break;
      case SlotKind::kScalar:
        read_scalar(*slot.scalar, to);
        break;
      case SlotKind::kInts:
        to.kind = PD_VALUE_INTS;
        to.as.ints = numbers(slot.dims);
        break;
      case SlotKind::kFloats:
        to.kind = PD_VALUE_FLOATS;
        to.as.floats = slot.floats;
        break;
      case SlotKind::kString:
        to.kind = PD_VALUE_TEXT;
        to.as.text = slot.chars;
        break;
      case SlotKind::kDType:
        to.kind = PD_VALUE_DTYPE;
        to.as.i = slot.i;
        break;
      case SlotKind::kPlace:
        to.kind = PD_VALUE_PLACE;
        to.as.i = slot.place.is_host() ? -1 : slot.place.index;
        break;
    }
  }

  void read_scalar(const Scalar& scalar, PdValue& to) {
    switch (scalar.kind()) {
      case Scalar::Kind::kBool:
        to.kind = PD_VALUE_BOOL;
        to.as.i = scalar.to_int();
        break;
      case Scalar::Kind::kInt:
        to.kind = PD_VALUE_INT;
        to.as.i = scalar.to_int();
        break;
      case Scalar::Kind::kFloat:
        to.kind = PD_VALUE_FLOAT;
        to.as.f = scalar.to_double();
        break;
      case Scalar::Kind::kComplex: {
        const std::complex<double> value = scalar.to_complex();
        to.kind = PD_VALUE_COMPLEX;
        to.count = 2;
        to.as.floats = parts_.emplace_back(std::array{value.real(), value.imag()}).data();
        break;
      }
    }
  }

  void read_outputs() {
    const size_t count = k_.op().num_results;
    const bool made_by_kernel = k_.op().has(kDynamicOutput);
    outputs_.resize(count);
    for (size_t i = 0; i < count; ++i) {
      const int at = static_cast<int>(i);
      outputs_[i] = !made_by_kernel && k_.wants(at) ? described(k_.out(at)) : nullptr;
      if (made_by_kernel) k_.set_out(at, Tensor());
    }
  }

  KernelContext& k_;
  const PluginKernel& kernel_;
  const PluginDevice& device_;
  SmallVector<PdValue, 8> values_;
  SmallVector<const PdTensor*, 4> outputs_;
  PdTensor tensors_[6];  // the first ones
  size_t used_ = 0;
  // Lists cost nothing while they are empty, and keep where their elements are.
  std::list<PdTensor> made_;  // the others
  std::list<std::vector<const PdTensor*>> lists_;
  std::list<std::array<double, 2>> parts_;
  std::vector<std::unique_ptr<Scratch>> scratch_;
};

void thunk(KernelContext& k) { Call(k, *static_cast<const PluginKernel*>(k.user())).run(); }

// An error of the host's functions: it goes to the plugin, which may hand it on.
PdError* error_of(const Error& e) {
  struct Held {
    PdError error;
    std::string message;
  };
  auto* const held = new Held{{}, e.message()};
  int32_t kind = PD_ERROR_RUNTIME;
  if (e.kind() == ErrorKind::kValue) kind = PD_ERROR_VALUE;
  if (e.kind() == ErrorKind::kMemory) kind = PD_ERROR_MEMORY;
  held->error = {sizeof(PdError), kind, held->message.c_str(), held,
                 [](PdError* error) { delete static_cast<Held*>(error->context); }};
  return &held->error;
}

PdError* make_output(PdOutputArgs* args) {
  try {
    args->tensor = static_cast<Call*>(args->host_call)->make_output(*args);
    return nullptr;
  } catch (const Error& e) {
    return error_of(e);
  }
}

PdError* scratch(PdScratchArgs* args) {
  try {
    const MemoryAddress at = static_cast<Call*>(args->host_call)->scratch(args->bytes);
    args->memory = at.memory;
    args->offset = at.offset;
    return nullptr;
  } catch (const Error& e) {
    return error_of(e);
  }
}

void copy_dense(const Tensor& dst, const Tensor& src) {
  const size_t bytes = static_cast<size_t>(src.numel()) * size_of(src.dtype());
  device_of(dst.place())
      .copy(dst.raw_data(), src.raw_data(), bytes, dst.place(), src.place(),
            current_stream(dst.place()));
}

void strided_copy(const Tensor& dst, const Tensor& src) {
  if (dst.numel() == 0) return;
  if (dst.dtype() != src.dtype()) {
    static const OpDef& cast = Registry::global().at("cast");
    const Slot args[] = {Slot::of(src), Slot::of(dst.dtype())};
    Outputs outs;
    execute(cast, args, outs);
    return dst.is_contiguous() ? copy_dense(dst, outs[0]) : strided_copy(dst, outs[0]);
  }
  const auto& device = static_cast<const PluginDevice&>(device_of(dst.place()));
  PdTensor target, source;
  describe(*dst.impl(), device, target);
  describe(*src.impl(), device, source);
  PdStridedCopyArgs args{};
  args.device = device.raw();
  args.stream = static_cast<PluginStream&>(current_stream(dst.place())).raw();
  args.target = &target;
  args.source = &source;
  device.plugin().call(device.plugin().kernels.strided_copy, args, "kernels.strided_copy");
}

// Every dtype that there is.
constexpr uint64_t kAllDTypes = (uint64_t{1} << kNumDTypes) - 2;

void ask(const Plugin& plugin, const OpDef& op, std::vector<FoundKernel>& found) {
  for (uint64_t left = kAllDTypes; left != 0;) {
    PdKernelArgs args{};
    args.op = op.name();
    args.dtypes = left;
    args.features = PD_KERNEL_STRIDED;
    plugin.call(plugin.kernels.find, args, "kernels.find");
    if (!args.run) return;
    if (args.run_dtypes == 0 || (args.run_dtypes & ~left) != 0 ||
        (args.run_features & ~args.features) != 0) {
      plugin.lies("kernels.find",
                  str("gave for operator ", op.name(), " a kernel of dtypes ", args.run_dtypes,
                      " and features ", args.run_features, " where ", left, " and ", args.features,
                      " were asked for; they must be parts of these, and dtypes not empty."));
    }
    found.push_back({op.name(), args});
    left &= ~args.run_dtypes;
  }
}

}  // namespace

const PdHost& host_functions() {
  static const PdHost functions{sizeof(PdHost), PD_VERSION_MAJOR, PD_VERSION_MINOR, make_output,
                                scratch};
  return functions;
}

std::vector<FoundKernel> find_kernels(const Plugin& plugin) {
  std::vector<FoundKernel> found;
  for (const OpDef* op : Registry::global().since(0)) {
    // A list of results has no fixed number of outputs.
    if (!op->list_result) ask(plugin, *op, found);
  }
  return found;
}

void register_kernels(const Plugin& plugin, const std::vector<FoundKernel>& found, Place place) {
  for (const auto& [op, answer] : found) {
    auto* const kernel = new PluginKernel{&plugin, op, answer.run, answer.run_context};
    const bool strided = (answer.run_features & PD_KERNEL_STRIDED) != 0;
    for (int dtype = 1; dtype < kNumDTypes; ++dtype) {
      if (!(answer.run_dtypes >> dtype & 1)) continue;
      Registry::global().kernel(op, place, {static_cast<DType>(dtype)},
                                Kernel{thunk, strided, kernel});
    }
  }
  if (plugin.kernels.strided_copy) set_strided_copy(place, strided_copy);
}

}  // namespace paddle::plugin
