// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Declares operators:
//
//   PD_BUILD_OP(my_scale)
//       .Inputs({"X"})
//       .Outputs({"Out"})
//       .Attrs({"factor: float"})
//       .SetKernelFn(PD_KERNEL(my_scale_forward));
//   PD_BUILD_GRAD_OP(my_scale)
//       .Inputs({paddle::Grad("Out")})
//       .Outputs({paddle::Grad("X")})
//       .Attrs({"factor: float"})
//       .SetKernelFn(PD_KERNEL(my_scale_backward));
//
// With .SetDeviceKernelFn("npu", PD_KERNEL(my_scale_on_npu)) an operator has a kernel for the
// devices of a type that a plugin registers; it issues its work on x.stream() of an input.
//
// The parameters of a kernel are the inputs, then the attributes, in the declared order; a
// declaration that its functions do not fit is refused when the library is loaded.
#pragma once

#include <algorithm>
#include <deque>
#include <unordered_map>

#include "paddle/extension/arguments.h"

PADDLE_EXTENSION_BEGIN

// Names of the gradient of a tensor, of a list, of an input that may be absent, and of the gradient
// that a second derivative adds to a tensor which has one already.
inline std::string Grad(const std::string& name) { return name + "@GRAD"; }
inline std::string Vec(const std::string& name) { return name + "@VECTOR"; }
inline std::string Optional(const std::string& name) { return name + "@OPTIONAL"; }
inline std::string New(const std::string& name) { return name + "@NEW"; }

namespace detail {

// A function of the library with the kinds of its parameters: as inputs and as attributes.
template <typename Raw>
struct Declared {
  Raw raw = nullptr;
  std::vector<std::string_view> input_kinds, attribute_kinds;
  size_t results = 0;  // parameters behind those that a kernel fills
};
using KernelFn = Declared<int (*)(const PaddleKernelCall*)>;
using ShapeFn = Declared<int (*)(const PaddleShapeCall*)>;
using DTypeFn = Declared<int (*)(const PaddleDTypeCall*)>;

inline void emit_tensor(const PaddleKernelCall& call, const Tensor& t) {
  call.emit(call.receiver, Handle(Handle::share(t.raw())).release());
}
inline void emit_result(const PaddleKernelCall& call, const Tensor& t) { emit_tensor(call, t); }
inline void emit_result(const PaddleKernelCall& call, const optional<Tensor>& t) {
  emit_tensor(call, t ? *t : Tensor());
}
template <typename T>
void emit_result(const PaddleKernelCall& call, const std::vector<T>& results) {
  for (const T& t : results) emit_result(call, t);
}

template <auto function, typename Type = decltype(function)>
struct KernelOf;
template <auto function, typename R, typename... Args>
struct KernelOf<function, R (*)(Args...)> {
  static int run(const PaddleKernelCall* call) {
    return guarded([&] { apply(*call, std::index_sequence_for<Args...>()); });
  }
  // Trailing parameters of type Tensor* are results.
  static constexpr size_t kResults = (0 + ... + std::is_same_v<Args, Tensor*>);
  static constexpr size_t kInputs = sizeof...(Args) - kResults;
  template <size_t... I>
  static void apply([[maybe_unused]] const PaddleKernelCall& call, std::index_sequence<I...>) {
    static_assert(((I < kInputs || std::is_same_v<Args, Tensor*>)&&...),
                  "results, Tensor*, are the last parameters of a kernel");
    [[maybe_unused]] Tensor results[kResults + 1];
    std::tuple<std::decay_t<Args>...> args(argument<I, std::decay_t<Args>>(call, results)...);
    if constexpr (std::is_void_v<R>) {
      function(static_cast<Args>(std::get<I>(args))...);
    } else {
      emit_result(call, function(static_cast<Args>(std::get<I>(args))...));
    }
    for (size_t k = 0; k < kResults; ++k) emit_tensor(call, results[k]);
  }
  template <size_t i, typename T>
  static T argument(const PaddleKernelCall& call, [[maybe_unused]] Tensor* results) {
    if constexpr (i < kInputs) {
      return Reader<T>::read(call.values[i]);
    } else {
      return results + (i - kInputs);
    }
  }
  template <typename T>
  static constexpr std::string_view kind() {
    if constexpr (std::is_same_v<T, Tensor*>) {
      return "result";
    } else {
      return Reader<T>::kind;
    }
  }
  static KernelFn declared() {
    std::vector<std::string_view> kinds{kind<std::decay_t<Args>>()...};
    kinds.resize(kInputs);
    return {&run, kinds, kinds, kResults};
  }
};

// A rule over shapes or dtypes.
template <typename Item, typename Call, auto function, typename Type = decltype(function)>
struct RuleOf;
template <typename Item, typename Call, auto function, typename R, typename... Args>
struct RuleOf<Item, Call, function, R (*)(Args...)> {
  static int run(const Call* call) {
    return guarded([&] { apply(*call, std::index_sequence_for<Args...>()); });
  }
  template <typename T>
  static T read(const Call& call, size_t i) {
    if (i < call.num_inputs) {
      return RuleReader<T, Item>::read_input(Inputs<Item>{call.inputs}, i);
    }
    return read_attribute<T>(call.attributes[i - call.num_inputs]);
  }
  static void emit(const Call& call, const ShapeOf& shape) {
    call.emit(call.receiver, shape.data(), shape.size());
  }
  static void emit(const Call& call, DataType dtype) {
    call.emit(call.receiver, static_cast<int32_t>(dtype));
  }
  template <size_t... I>
  static void apply(const Call& call, std::index_sequence<I...>) {
    std::tuple<std::decay_t<Args>...> args(read<std::decay_t<Args>>(call, I)...);
    const std::vector<Item> results = function(static_cast<Args>(std::get<I>(args))...);
    for (const Item& item : results) emit(call, item);
  }
  static Declared<int (*)(const Call*)> declared() {
    return {&run,
            {RuleReader<std::decay_t<Args>, Item>::input_kind()...},
            {attribute_kind<std::decay_t<Args>>()...},
            0};
  }
};

// An operator as it was declared; owns the texts that the ABI's record points to.
class Declaration {
 public:
  Declaration(std::string name, int order) : name_(std::move(name)), order_(order) {}
  std::vector<std::string> inputs, outputs, attributes, inplace;
  KernelFn kernel;
  std::deque<std::pair<std::string, KernelFn>> device_kernels;  // by device type
  ShapeFn infer_shape;
  DTypeFn infer_dtype;

  const PaddleOperator* finish() {
    check();
    raw_ = {};
    raw_.struct_size = sizeof(raw_);
    raw_.name = name_.c_str();
    raw_.order = order_;
    raw_.inputs = pointers(inputs, 0);
    raw_.num_inputs = inputs.size();
    raw_.outputs = pointers(outputs, 1);
    raw_.num_outputs = outputs.size();
    raw_.attributes = pointers(attributes, 2);
    raw_.num_attributes = attributes.size();
    raw_.inplace = pointers(inplace, 3);
    raw_.num_inplace = inplace.size() / 2;
    raw_.kernel = kernel.raw;
    raw_.infer_shape = infer_shape.raw;
    raw_.infer_dtype = infer_dtype.raw;
    raw_device_kernels_.clear();
    device_kernel_pointers_.clear();
    for (const auto& [type, fn] : device_kernels) {
      raw_device_kernels_.push_back({sizeof(PaddleDeviceKernel), type.c_str(), fn.raw});
      device_kernel_pointers_.push_back(&raw_device_kernels_.back());
    }
    raw_.device_kernels = device_kernel_pointers_.data();
    raw_.num_device_kernels = device_kernel_pointers_.size();
    return &raw_;
  }

 private:
  const char* const* pointers(const std::vector<std::string>& texts, size_t which) {
    pointers_[which].clear();
    for (const std::string& t : texts) pointers_[which].push_back(t.c_str());
    return pointers_[which].data();
  }
  [[noreturn]] void fail(const std::string& what) const {
    static constexpr const char* kMacros[] = {"PD_BUILD_OP(", "PD_BUILD_GRAD_OP(",
                                              "PD_BUILD_DOUBLE_GRAD_OP("};
    throw Exception(PADDLE_ERROR_VALUE, kMacros[order_] + name_ + "): " + what);
  }
  static std::string_view kind_of_input(const std::string& name) {
    const bool list = name.find("@VECTOR") != std::string::npos,
               may_be_absent = name.find("@OPTIONAL") != std::string::npos;
    if (list) {
      return may_be_absent ? Reader<optional<std::vector<Tensor>>>::kind
                           : Reader<std::vector<Tensor>>::kind;
    }
    return may_be_absent ? Reader<optional<Tensor>>::kind : Reader<Tensor>::kind;
  }
  // "alpha: float" -> "float"
  std::string kind_of_attribute(const std::string& text) const {
    const size_t colon = text.find(':');
    if (colon == std::string::npos) fail("attribute \"" + text + "\" must read \"name: type\".");
    std::string kind = text.substr(colon + 1);
    kind.erase(std::remove(kind.begin(), kind.end(), ' '), kind.end());
    return kind;
  }
  template <typename Fn>
  void check_function(const Fn& fn, const char* what, bool exact) const {
    if (!fn.raw) return;
    const size_t given = fn.input_kinds.size(), wanted = inputs.size() + attributes.size();
    if (exact ? given != wanted : given > wanted || given < inputs.size()) {
      fail(text(what, " has ", given, " parameters; ", inputs.size(), " inputs and ",
                attributes.size(), " attributes are declared."));
    }
    for (size_t i = 0; i < given; ++i) {
      const bool input = i < inputs.size();
      const std::string name = input ? inputs[i] : attributes[i - inputs.size()];
      const std::string expected =
          input ? std::string(kind_of_input(name)) : kind_of_attribute(name);
      const std::string_view own = input ? fn.input_kinds[i] : fn.attribute_kinds[i];
      if (own != expected) {
        fail(text("parameter ", i, " of ", what, " is of kind ", own, ", but \"", name,
                  "\" is declared there, which is of kind ", expected, "."));
      }
    }
  }
  void check_kernel(const KernelFn& fn, const char* what) const {
    check_function(fn, what, true);
    if (fn.results && fn.results + inplace.size() / 2 != outputs.size()) {
      fail(text(what, " has ", fn.results, " parameters Tensor* for results; ", outputs.size(),
                " outputs are declared."));
    }
  }
  void check() const {
    if (outputs.empty()) fail("it has no outputs; declare them with .Outputs({...}).");
    if (!kernel.raw) fail("it has no kernel; set it with .SetKernelFn(PD_KERNEL(function)).");
    check_kernel(kernel, "the kernel");
    for (const auto& [type, fn] : device_kernels) {
      check_kernel(fn, ("the kernel for \"" + type + "\"").c_str());
    }
    check_function(infer_shape, "the shape rule", false);
    check_function(infer_dtype, "the dtype rule", false);
  }

  std::string name_;
  int order_;
  PaddleOperator raw_{};
  std::vector<const char*> pointers_[4];
  std::deque<PaddleDeviceKernel> raw_device_kernels_;
  std::vector<const PaddleDeviceKernel*> device_kernel_pointers_;
};

inline std::deque<Declaration>& declarations() {
  static std::deque<Declaration> all;
  return all;
}

class Builder {
 public:
  Builder(const char* name, int order) : op_(&declarations().emplace_back(name, order)) {}
  Builder& Inputs(std::vector<std::string>&& names) { return op_->inputs = names, *this; }
  Builder& Outputs(std::vector<std::string>&& names) { return op_->outputs = names, *this; }
  Builder& Attrs(std::vector<std::string>&& attrs) { return op_->attributes = attrs, *this; }
  // Input -> output that is the input after the kernel has changed it.
  Builder& SetInplaceMap(std::unordered_map<std::string, std::string>&& map) {
    for (const std::string& input : op_->inputs) {
      const auto found = map.find(input);
      if (found == map.end()) continue;
      op_->inplace.insert(op_->inplace.end(), {found->first, found->second});
      map.erase(found);
    }
    for (const auto& [input, output] : map) {  // the host names what is wrong with them
      op_->inplace.insert(op_->inplace.end(), {input, output});
    }
    return *this;
  }
  Builder& SetKernelFn(KernelFn fn) { return op_->kernel = std::move(fn), *this; }
  // The kernel for devices of a type, by the name with which its plugin registers it.
  Builder& SetDeviceKernelFn(const std::string& device_type, KernelFn fn) {
    op_->device_kernels.emplace_back(device_type, std::move(fn));
    return *this;
  }
  Builder& SetInferShapeFn(ShapeFn fn) { return op_->infer_shape = std::move(fn), *this; }
  Builder& SetInferDtypeFn(DTypeFn fn) { return op_->infer_dtype = std::move(fn), *this; }

 private:
  Declaration* op_;
};

}  // namespace detail
PADDLE_EXTENSION_END

#define PD_KERNEL(...) ::paddle::detail::KernelOf<&__VA_ARGS__>::declared()
#define PD_INFER_SHAPE(...) \
  ::paddle::detail::RuleOf<::paddle::detail::ShapeOf, PaddleShapeCall, &__VA_ARGS__>::declared()
#define PD_INFER_DTYPE(...) \
  ::paddle::detail::RuleOf<::paddle::DataType, PaddleDTypeCall, &__VA_ARGS__>::declared()

#define PD_BUILD_OP(name)                                               \
  [[maybe_unused]] static ::paddle::detail::Builder op_builder_##name = \
      ::paddle::detail::Builder(#name, 0)
#define PD_BUILD_GRAD_OP(name)                                               \
  [[maybe_unused]] static ::paddle::detail::Builder grad_op_builder_##name = \
      ::paddle::detail::Builder(#name, 1)
#define PD_BUILD_DOUBLE_GRAD_OP(name)                                               \
  [[maybe_unused]] static ::paddle::detail::Builder double_grad_op_builder_##name = \
      ::paddle::detail::Builder(#name, 2)

// The entry point, once a library however many of its files include this.
extern "C" __attribute__((visibility("default"), used)) inline int PADDLE_EXTENSION_ENTRY(
    const PaddleHost* host, const PaddleOperator* const** operators, uint64_t* count) {
  ::paddle::detail::installed_host = host;
  return ::paddle::detail::guarded([&] {
    static std::vector<const PaddleOperator*> finished;
    finished.clear();
    for (::paddle::detail::Declaration& d : ::paddle::detail::declarations()) {
      finished.push_back(d.finish());
    }
    *operators = finished.data();
    *count = finished.size();
  });
}
