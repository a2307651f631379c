// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// From a library's declarations to records: names, schemas, the links between an operator and its
// gradient, and every check that these hold together.

#include "paddle_core/extension/library.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

#include "paddle_core/extension/host.h"
#include "paddle_core/op/registry.h"

namespace paddle::extension {
namespace {

constexpr std::string_view kGrad = "@GRAD", kNew = "@NEW", kVector = "@VECTOR",
                           kOptional = "@OPTIONAL";

struct Known {
  std::shared_mutex mutex;
  std::deque<CustomOp> ops;
  std::unordered_map<const OpDef*, const CustomOp*> by_record;
  std::unordered_map<void*, std::vector<const CustomOp*>> by_library;
};
Known& known() {
  static auto* all = new Known;  // outlives every static tensor
  return *all;
}

constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kAttributeTypes{{
    {"bool", "bool"},
    {"int", "int"},
    {"int64_t", "int64"},
    {"float", "float"},
    {"double", "double"},
    {"std::string", "str"},
    {"std::vector<int>", "int[]"},
    {"std::vector<int64_t>", "int64[]"},
    {"std::vector<float>", "float[]"},
    {"std::vector<std::string>", "str"},
}};

bool is_identifier(std::string_view text) {
  if (text.empty() || (text[0] >= '0' && text[0] <= '9')) return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
}

bool take(std::string& text, std::string_view part) {
  const size_t at = text.find(part);
  if (at == std::string::npos) return false;
  text.erase(at, part.size());
  return true;
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (size_t at; (at = text.find(from)) != std::string::npos;) text.replace(at, from.size(), to);
  return text;
}

std::string without_suffix(const std::string& text, std::string_view suffix) {
  return text.ends_with(suffix) ? text.substr(0, text.size() - suffix.size()) : std::string();
}

// Reads one declaration into a CustomOp; knows nothing of the others.
class Reader {
 public:
  explicit Reader(const PaddleOperator& raw) : raw_(raw) {
    // Fields that were appended later are read only where the library's table reaches them.
    constexpr uint64_t version_1 =
        offsetof(PaddleOperator, infer_dtype) + sizeof(PaddleOperator::infer_dtype);
    PADDLE_CHECK_VALUE(
        raw.struct_size >= version_1 && raw.name && raw.kernel && raw.order >= 0 && raw.order <= 2,
        "extension: the library holds a damaged declaration.");
    static constexpr const char* kSuffix[] = {"", "_grad", "_grad_grad"};
    op_.raw = &raw;
    op_.name = str(raw.name, kSuffix[raw.order]);
    if (!is_identifier(raw.name)) fail("the name must be an identifier.");
  }

  CustomOp read() {
    for (uint64_t i = 0; i < raw_.num_inputs; ++i) op_.inputs.push_back(port(raw_.inputs[i]));
    for (uint64_t i = 0; i < raw_.num_outputs; ++i) op_.outputs.push_back(port(raw_.outputs[i]));
    if (op_.outputs.empty()) fail("it has no outputs.");
    for (uint64_t i = 0; i < raw_.num_attributes; ++i) attribute(raw_.attributes[i]);
    read_device_kernels();
    check_names();
    for (const Port& p : op_.outputs) op_.flat_list |= p.list;
    read_inplace();
    for (size_t k = 0; k < op_.outputs.size(); ++k) {
      op_.like_of.push_back(op_.inplace_input[k]);
      const bool may_be_absent = op_.outputs[k].optional && op_.inplace_input[k] < 0;
      if (raw_.order == 0 && may_be_absent) {
        fail(str("output ", op_.outputs[k].declared,
                 " may be absent, so it must stand in SetInplaceMap with the input it follows."));
      }
    }
    if (raw_.order == 0) default_shapes();
    return std::move(op_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw_error(ErrorKind::kValue, str("operator ", op_.name, ": ", what));
  }

  Port port(const char* text) const {
    Port p;
    p.declared = p.base = text;
    while (take(p.base, kVector)) p.list = true;
    while (take(p.base, kOptional)) p.optional = true;
    p.argument = replaced(replaced(p.base, kGrad, "_grad"), kNew, "_new");
    if (!is_identifier(p.argument)) {
      fail(str("\"", text,
               "\" is no name of an input or output; use an identifier, and paddle::Grad, Vec, "
               "Optional or New for what it stands for."));
    }
    return p;
  }

  void attribute(const std::string& text) {
    const size_t colon = text.find(':');
    std::string name = text.substr(0, colon),
                type = colon == std::string::npos ? "" : text.substr(colon + 1);
    while (take(name, " ")) {
    }
    while (take(type, " ")) {
    }
    const bool fits = std::any_of(kAttributeTypes.begin(), kAttributeTypes.end(),
                                  [&](const auto& row) { return row.first == type; });
    if (!fits || !is_identifier(name)) {
      fail(str("attribute \"", text,
               "\" must read \"name: type\" with a type of bool, int, int64_t, float, double, "
               "std::string or std::vector of int, int64_t, float or std::string."));
    }
    op_.attributes.push_back(name);
    op_.attribute_types.push_back(type);
  }

  void read_device_kernels() {
    constexpr uint64_t with_devices =
        offsetof(PaddleOperator, num_device_kernels) + sizeof(PaddleOperator::num_device_kernels);
    if (raw_.struct_size < with_devices) return;
    std::vector<std::string_view> names;
    for (uint64_t i = 0; i < raw_.num_device_kernels; ++i) {
      const PaddleDeviceKernel* kernel = raw_.device_kernels[i];
      if (!kernel || kernel->struct_size < sizeof(PaddleDeviceKernel) || !kernel->device_type ||
          !kernel->kernel) {
        fail(str("kernel ", i, " for devices lacks a device type or a function."));
      }
      const std::string_view type = kernel->device_type;
      if (type == "cpu" || !is_identifier(type)) {
        fail(str("a kernel is declared for the device type \"", type,
                 "\"; use the name of a device type, or SetKernelFn for the host."));
      }
      if (std::find(names.begin(), names.end(), type) != names.end()) {
        fail(str("two kernels are declared for the device type ", type, "."));
      }
      names.push_back(type);
      op_.device_kernels.push_back(kernel);
    }
  }

  void check_names() const {
    std::vector<std::string> arguments = op_.attributes, results;
    for (const Port& p : op_.inputs) arguments.push_back(p.argument);
    for (const Port& p : op_.outputs) results.push_back(p.argument);
    for (std::vector<std::string>* names : {&arguments, &results}) {
      std::sort(names->begin(), names->end());
      const auto twice = std::adjacent_find(names->begin(), names->end());
      if (twice != names->end()) fail(str("the name ", *twice, " is declared twice."));
    }
    if (op_.inputs.size() > 16 || arguments.size() > 32 || results.size() > 16) {
      fail("more than 16 inputs or outputs, or more than 32 arguments.");
    }
  }

  void read_inplace() {
    op_.inplace_input.assign(op_.outputs.size(), -1);
    for (uint64_t k = 0; k < raw_.num_inplace; ++k) {
      const int in = find(op_.inputs, raw_.inplace[2 * k]),
                out = find(op_.outputs, raw_.inplace[2 * k + 1]);
      if (in < 0 || out < 0) {
        fail(str("SetInplaceMap({{\"", raw_.inplace[2 * k], "\", \"", raw_.inplace[2 * k + 1],
                 "\"}}) names no input and output."));
      }
      if (op_.inputs[static_cast<size_t>(in)].list != op_.outputs[static_cast<size_t>(out)].list) {
        fail(str("SetInplaceMap joins ", raw_.inplace[2 * k], " and ", raw_.inplace[2 * k + 1],
                 ", of which one is a list."));
      }
      op_.inplace_input[static_cast<size_t>(out)] = in;
    }
    const auto lists =
        std::count_if(op_.outputs.begin(), op_.outputs.end(), [](const Port& p) { return p.list; });
    for (size_t k = 0; k < op_.outputs.size() && raw_.order == 0; ++k) {
      if (op_.outputs[k].list && op_.inplace_input[k] < 0 &&
          (lists > 1 || op_.outputs.size() > 1)) {
        fail(str("output ", op_.outputs[k].declared,
                 " is a list, so it must be the only output, or stand in SetInplaceMap with a list "
                 "of the same length."));
      }
    }
  }

  static int find(const std::vector<Port>& ports, const char* declared) {
    for (size_t i = 0; i < ports.size(); ++i) {
      if (ports[i].declared == declared) return static_cast<int>(i);
    }
    return -1;
  }

  // Without a shape rule the only output has the shape and dtype of the only input.
  void default_shapes() {
    bool all = true;
    for (const int like : op_.like_of) all &= like >= 0;
    if (all || (raw_.infer_shape && raw_.infer_dtype)) return;
    const bool single = op_.inputs.size() == 1 && op_.outputs.size() == 1 && !op_.inputs[0].list &&
                        !op_.outputs[0].list;
    if (single) {
      op_.like_of[0] = 0;
    } else if (!raw_.infer_shape) {
      fail(
          "it has no shape rule and is not of one input and one output; add "
          ".SetInferShapeFn(PD_INFER_SHAPE(function)).");
    } else if (op_.inputs.empty() || op_.inputs[0].list) {
      fail("it has no dtype rule; add .SetInferDtypeFn(PD_INFER_DTYPE(function)).");
    } else if (op_.outputs.size() > 1 || op_.inputs.size() > 1) {
      fail(
          "it has no dtype rule and is not of one input and one output; add "
          ".SetInferDtypeFn(PD_INFER_DTYPE(function)).");
    }
  }

  const PaddleOperator& raw_;
  CustomOp op_;
};

// Joins an operator with its gradient; both may get likes.
class Joiner {
 public:
  Joiner(CustomOp& op, CustomOp& gradient) : op_(op), grad_(gradient) {}

  void join() {
    for (const Port& p : grad_.inputs) op_.gradient_sources.push_back(source(p));
    op_.gradient_reads = op_.gradient_sources.size();
    for (size_t k = 0; k < grad_.outputs.size(); ++k) {
      const size_t input = target(grad_.outputs[k]);
      op_.gradient_targets.push_back(input);
      grad_.like_of[k] = argument_like(input);
    }
    for (size_t i = 0; i < grad_.attributes.size(); ++i) {
      const auto found =
          std::find(op_.attributes.begin(), op_.attributes.end(), grad_.attributes[i]);
      const auto at = static_cast<size_t>(found - op_.attributes.begin());
      if (found == op_.attributes.end() || op_.attribute_types[at] != grad_.attribute_types[i]) {
        fail(str("attribute ", grad_.attributes[i], " is none of ", op_.name, " with that type."));
      }
      op_.gradient_attributes.push_back(at);
    }
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw_error(ErrorKind::kValue, str("operator ", grad_.name, ": ", what));
  }

  Source source(const Port& p) const {
    Source s;
    const std::string inner = without_suffix(p.base, kGrad);
    if (find(op_.inputs, p.base, s.index)) {
      s = input_source(s.index);
    } else if (find(op_.outputs, p.base, s.index)) {
      s.kind = Source::Kind::kOutput;
    } else if (find(op_.outputs, inner, s.index)) {
      s.kind = Source::Kind::kGradient;
    } else {
      fail(str("input ", p.declared, " is neither an input nor an output of ", op_.name,
               " nor the gradient of an output."));
    }
    const Port& from = s.kind == Source::Kind::kInput ? op_.inputs[s.index] : op_.outputs[s.index];
    if (from.list != p.list) {
      fail(str("input ", p.declared, " must be declared as a list exactly when ", from.declared,
               " of ", op_.name, " is one."));
    }
    return s;
  }

  // Where the gradient finds an input: one written in place is read as it is afterwards.
  Source input_source(size_t index) const {
    const auto& written = op_.inplace_input;
    const auto at = std::find(written.begin(), written.end(), static_cast<int>(index));
    if (at == written.end()) return {Source::Kind::kInput, index};
    return {Source::Kind::kOutput, static_cast<size_t>(at - written.begin())};
  }

  size_t target(const Port& p) const {
    size_t index = 0;
    const bool found = find(op_.inputs, without_suffix(p.base, kGrad), index) ||
                       find(op_.inputs, without_suffix(p.base, kNew), index);
    if (!found) {
      fail(str("output ", p.declared, " is the gradient of no input of ", op_.name, "."));
    }
    if (op_.inputs[index].list != p.list) {
      fail(str("output ", p.declared, " must be declared as a list exactly when ",
               op_.inputs[index].declared, " of ", op_.name, " is one."));
    }
    return index;
  }

  // The tensor argument of the gradient that is input `index` of the operator; a like if needed.
  int argument_like(size_t index) {
    const Source wanted = input_source(index);
    for (size_t i = 0; i < op_.gradient_sources.size(); ++i) {
      const Source& s = op_.gradient_sources[i];
      if (s.kind == wanted.kind && s.index == wanted.index) return static_cast<int>(i);
    }
    Port like = op_.inputs[index];
    like.argument = str("like_", like.argument);
    grad_.likes.push_back(like);
    op_.gradient_sources.push_back(wanted);
    return static_cast<int>(grad_.num_tensors()) - 1;
  }

  static bool find(const std::vector<Port>& ports, const std::string& base, size_t& index) {
    for (size_t i = 0; i < ports.size(); ++i) {
      if (ports[i].base == base) return index = i, true;
    }
    return false;
  }

  CustomOp& op_;
  CustomOp& grad_;
};

std::string tensor_type(const Port& p) {
  return p.list ? "Tensor[]" : p.optional ? "Tensor?" : "Tensor";
}

std::string schema_of(const CustomOp& op) {
  std::string text = op.name + "(";
  const char* comma = "";
  for (size_t i = 0; i < op.num_tensors(); ++i) {
    text += str(comma, tensor_type(op.tensor(i)), " ", op.tensor(i).argument);
    comma = ", ";
  }
  for (size_t i = 0; i < op.attributes.size(); ++i) {
    const auto row = std::find_if(kAttributeTypes.begin(), kAttributeTypes.end(),
                                  [&](const auto& r) { return r.first == op.attribute_types[i]; });
    text += str(comma, row->second, " ", op.attributes[i]);
    comma = ", ";
  }
  text += ") -> (";
  if (op.flat_list) return text + "Tensor[] " + op.outputs[0].argument + ")";
  comma = "";
  for (const Port& p : op.outputs) {
    text += str(comma, tensor_type(p), " ", p.argument);
    comma = ", ";
  }
  return text + ")";
}

uint32_t bit(size_t i) { return uint32_t{1} << i; }

OpDef make_record(const CustomOp& op) {
  OpDef record;
  record.schema(schema_of(op));
  record.doc(str("Operator of a loaded extension: ", record.schema().text, "."));
  record.opaque("an operator of an extension").trait(kDynamicOutput).infer(custom_infer);
  for (size_t i = 0; i < op.likes.size(); ++i) record.shape_only |= bit(op.inputs.size() + i);
  for (int d = 0; d < kNumDTypes; ++d) {
    record.kernels.set(Place(), static_cast<DType>(d), Kernel{custom_kernel, false});
  }
  if (!op.gradient && op.raw->order == 0) {
    record.no_grad();
    return record;
  }
  record.vjp(custom_vjp);
  for (size_t i = 0; i < op.gradient_sources.size(); ++i) {
    const Source& s = op.gradient_sources[i];
    if (s.kind == Source::Kind::kInput && i < op.gradient_reads)
      record.saved_inputs |= bit(s.index);
    if (s.kind == Source::Kind::kOutput) record.saved_outputs |= op.flat_list ? 1 : bit(s.index);
  }
  return record;
}

void add_device_kernels(const CustomOp& op, OpDef& record) {
  for (const PaddleDeviceKernel* kernel : op.device_kernels) {
    when_device_type_is_registered(kernel->device_type, [&record, kernel](Place device_type) {
      void* const user = const_cast<PaddleDeviceKernel*>(kernel);
      for (int d = 0; d < kNumDTypes; ++d) {
        record.kernels.set(device_type, static_cast<DType>(d), Kernel{custom_kernel, false, user});
      }
    });
  }
}

// The declarations of one library as operators, each joined with its gradient.
std::deque<CustomOp> read_all(const PaddleOperator* const* raws, uint64_t count) {
  std::deque<CustomOp> ops;
  std::unordered_map<std::string, CustomOp*> by_name;
  for (uint64_t i = 0; i < count; ++i) {
    CustomOp& op = ops.emplace_back(Reader(*raws[i]).read());
    PADDLE_CHECK_VALUE(by_name.emplace(op.name, &op).second, "operator ", op.name,
                       ": it is declared twice in one library.");
  }
  for (int order = 0; order < 2; ++order) {
    for (CustomOp& op : ops) {
      if (op.raw->order != order) continue;
      const auto found = by_name.find(op.name + "_grad");
      if (found != by_name.end()) Joiner(op, *found->second).join();
    }
  }
  for (const CustomOp& op : ops) {
    const std::string of = without_suffix(op.name, "_grad");
    PADDLE_CHECK_VALUE(op.raw->order == 0 || by_name.contains(of), "operator ", op.name,
                       ": the library declares no operator ", of, " that it is the gradient of.");
  }
  return ops;
}

// Gradients before the operators that refer to them.
std::vector<const CustomOp*> register_all(std::deque<CustomOp> ops) {
  Known& all = known();
  for (const CustomOp& op : ops) {
    PADDLE_CHECK_RUNTIME(!Registry::global().find(op.name), "operator ", op.name,
                         ": an operator of that name exists; choose another, or restart Python to "
                         "load a changed library.");
  }
  std::unordered_map<std::string, const OpDef*> records;
  std::unordered_map<std::string, const CustomOp*> kept;
  for (int order = 2; order >= 0; --order) {
    for (CustomOp& op : ops) {
      if (op.raw->order != order) continue;
      CustomOp& own = all.ops.emplace_back(op);
      const auto gradient = records.find(own.name + "_grad");
      if (gradient != records.end()) own.gradient = gradient->second;
      OpDef& record = Registry::global().add(make_record(own));
      add_device_kernels(own, record);
      records.emplace(own.name, &record);
      kept.emplace(own.name, &own);
      all.by_record.emplace(&record, &own);
    }
  }
  std::vector<const CustomOp*> forward;
  for (const CustomOp& op : ops) {
    if (op.raw->order == 0) forward.push_back(kept.at(op.name));
  }
  return forward;
}

#define PADDLE_EXTENSION_TEXT_OF(name) #name
#define PADDLE_EXTENSION_TEXT(name) PADDLE_EXTENSION_TEXT_OF(name)

// Opens a library and asks it for its declarations.
class Library {
 public:
  explicit Library(const std::string& path) : path_(path) {
    handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_) return;
    const char* reason = dlerror();
    throw_error(ErrorKind::kOs, str("load_library: ", path, " cannot be loaded: ",
                                    reason ? reason : "no reason is known", "."));
  }
  // Stays open: its code may be in use from here on.
  void* handle() const { return handle_; }

  std::deque<CustomOp> operators() const {
    constexpr const char* entry_name = PADDLE_EXTENSION_TEXT(PADDLE_EXTENSION_ENTRY);
    void* symbol = dlsym(handle_, entry_name);
    PADDLE_CHECK_KIND(ErrorKind::kOs, symbol != nullptr, "load_library: ", path_,
                      " is no library of operators: it has no function ", entry_name,
                      ". Include paddle/extension.h of this package and compile it again.");
    const PaddleOperator* const* raws = nullptr;
    uint64_t count = 0;
    const auto entry = reinterpret_cast<PaddleExtensionEntry>(symbol);
    if (const int status = entry(&host_table(), &raws, &count); status != PADDLE_OK) {
      throw_reported(status, "load_library");
    }
    return read_all(raws, count);
  }

 private:
  const std::string& path_;
  void* handle_;
};

}  // namespace

const CustomOp* custom_op_of(const OpDef& op) {
  const std::shared_lock lock(known().mutex);
  const auto found = known().by_record.find(&op);
  return found == known().by_record.end() ? nullptr : found->second;
}

const CustomOp& required_custom_op(const OpDef& op) {
  const CustomOp* custom = custom_op_of(op);
  PADDLE_ASSERT(custom != nullptr);
  return *custom;
}

std::vector<const CustomOp*> load_library(const std::string& path) {
  const Library library(path);
  const std::unique_lock lock(known().mutex);
  if (const auto found = known().by_library.find(library.handle());
      found != known().by_library.end()) {
    return found->second;
  }
  std::vector<const CustomOp*> forward = register_all(library.operators());
  known().by_library.emplace(library.handle(), forward);
  return forward;
}

std::vector<CustomOp> describe_library(const std::string& path) {
  std::vector<CustomOp> forward;
  for (CustomOp& op : Library(path).operators()) {
    if (op.raw->order == 0) forward.push_back(std::move(op));
  }
  return forward;
}

}  // namespace paddle::extension
