// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// `_core.inference`: the predictor of inference/predictor, under the names of its Python form.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstring>
#include <map>

#include "inference/predictor/runner.h"
#include "phi_kernels/cpu/libraries/onednn_isa.h"
#include "python/bindings/base/errors.h"
#include "python/bindings/base/pybind.h"
#include "python/bindings/base/reference.h"
#include "python/bindings/program/program.h"
#include "python/bindings/values/dtype.h"
#include "python/bindings/values/interop.h"
#include "python/bindings/values/tensor_object.h"

namespace paddle::bindings {
namespace {

using paddle_infer::Config;
using paddle_infer::detail::Io;
using paddle_infer::detail::IoPtr;
using paddle_infer::detail::Runner;

void bind_config(py::module_& m) {
  py::class_<Config>(m, "Config")
      .def(py::init<>())
      .def("set_model_dir", [](Config& c, const std::string& dir) { c.SetModel(dir); })
      .def("set_model", [](Config& c, const std::string& prog,
                           const std::string& params) { c.SetModel(prog, params); })
      .def("set_prog_file", &Config::SetProgFile)
      .def("set_params_file", &Config::SetParamsFile)
      .def("set_model_buffer",
           [](Config& c, const py::bytes& prog, const py::bytes& params) {
             const std::string_view a = prog, b = params;
             c.SetModelBuffer(a.data(), a.size(), b.data(), b.size());
           })
      .def("model_from_memory", &Config::model_from_memory)
      .def("model_dir", &Config::model_dir)
      .def("prog_file", &Config::prog_file)
      .def("params_file", &Config::params_file)
      .def("files",
           [](const Config& c) {
             return translated([&] { return paddle_infer::detail::model_files(c.settings()); });
           })
      .def("set_cpu_math_library_num_threads",
           [](Config& c, int n) { translated([&] { c.SetCpuMathLibraryNumThreads(n); }); })
      .def("cpu_math_library_num_threads", &Config::cpu_math_library_num_threads)
      .def("switch_ir_optim", &Config::SwitchIrOptim)
      .def("ir_optim", &Config::ir_optim)
      .def("switch_ir_debug", &Config::SwitchIrDebug)
      .def("all_passes", [](const Config& c) { return c.pass_builder()->AllPasses(); })
      .def("delete_pass", &Config::DeletePass)
      .def("insert_pass",
           [](Config& c, int64_t index, const std::string& name) {
             translated([&] { c.pass_builder()->InsertPass(static_cast<size_t>(index), name); });
           })
      .def("set_passes",
           [](Config& c, const std::vector<std::string>& names) {
             c.pass_builder()->SetPasses(names);
           })
      .def("enable_memory_optim", &Config::EnableMemoryOptim)
      .def("memory_optim_enabled", &Config::enable_memory_optim)
      .def("enable_mkldnn", &Config::EnableMKLDNN)
      .def("disable_mkldnn", &Config::DisableMKLDNN)
      .def("mkldnn_enabled", &Config::mkldnn_enabled)
      .def("enable_mkldnn_bfloat16",
           [](Config& c) {
             const bool possible = cpu::onednn_multiplies(DType::kBFloat16);
             if (possible) c.EnableMkldnnBfloat16();
             return possible;
           })
      .def("set_bfloat16_op", &Config::SetBfloat16Op)
      .def("enable_cinn", &Config::EnableCINN)
      .def("cinn_enabled", &Config::cinn_enabled)
      .def("mkldnn_bfloat16_enabled", &Config::mkldnn_bfloat16_enabled)
      .def("enable_profile", &Config::EnableProfile)
      .def("disable_glog_info", &Config::DisableGlogInfo)
      .def("glog_info_disabled", &Config::glog_info_disabled)
      .def("switch_use_feed_fetch_ops", &Config::SwitchUseFeedFetchOps)
      .def("use_feed_fetch_ops_enabled", &Config::use_feed_fetch_ops_enabled)
      .def("switch_specify_input_names", &Config::SwitchSpecifyInputNames)
      .def("specify_input_name", &Config::specify_input_name)
      .def("set_optim_cache_dir", &Config::SetOptimCacheDir)
      .def("enable_new_ir", &Config::EnableNewIR)
      .def("new_ir_enabled", &Config::new_ir_enabled)
      .def("summary", &Config::Summary);
}

// The memory of a contiguous NumPy array; undefined when its elements are of no dtype of ours.
Tensor shared_array(const py::object& array) {
  DType dtype = DType::kUndefined;
  if (!py::hasattr(array, "__array_interface__") || !py::hasattr(array, "dtype") ||
      !to_dtype(py::object(array.attr("dtype")).ptr(), dtype) ||
      !py::cast<bool>(array.attr("flags").attr("c_contiguous"))) {
    return {};
  }
  Shape shape;
  for (const py::handle d : py::tuple(array.attr("shape"))) {
    shape.push_back(Dim(py::cast<int64_t>(d)));
  }
  if (shape.size() > kMaxRank || py::cast<size_t>(array.attr("itemsize")) != size_of(dtype)) {
    return {};
  }
  const py::dict interface = array.attr("__array_interface__");
  const auto address = py::cast<uintptr_t>(py::tuple(interface["data"])[0]);
  Tensor t = Tensor::meta(shape, dtype);
  const size_t bytes = static_cast<size_t>(t.numel()) * size_of(dtype);
  const auto owner = std::make_shared<SharedRef>(array.ptr());
  t->storage = Storage::wrap(reinterpret_cast<void*>(address), bytes, Place(), [owner] {});
  t->set_contiguous_layout();
  return t;
}

// A NumPy array, or a Tensor; a copy of it unless memory may be shared.
Tensor taken(const Io& io, const py::object& data, bool copy) {
  PyObject* o = data.ptr();
  if (is_tensor(o)) {
    const Tensor& t = tensor_of(o);
    if (!copy) return t.detach();
    Tensor own = Tensor::empty(t.shape(), t.dtype());
    own.copy_data_from(t);
    return own;
  }
  if (!is_array_like(o)) {
    throw_type(str("copy_from_cpu: data for '", io.name, "' is a ", type_of(o),
                   "; pass a NumPy array or a Tensor."));
  }
  Tensor shared = copy ? Tensor() : shared_array(data);
  return shared.defined() ? shared : make_tensor(o);
}

void bind_handles(py::module_& m) {
  py::class_<Io, IoPtr>(m, "Io")
      .def_readonly("name", &Io::name)
      .def_readonly("is_input", &Io::is_input)
      .def_readwrite("lod", &Io::lod)
      .def("announce",
           [](Io& io, const std::vector<int>& shape) {
             Shape dims;
             for (const int d : shape) dims.push_back(Dim(d));
             // As many elements have that shape from here on; others are no input any more.
             Tensor before;
             std::swap(before, io.value);
             io.announced = dims;
             if (!before.defined() || numel_of(dims) != Dim(before.numel())) return;
             io.value = Tensor::empty(dims, before.dtype());
             std::memcpy(io.value.raw_data(), before.contiguous_copy_if_needed().raw_data(),
                         static_cast<size_t>(before.numel()) * size_of(before.dtype()));
           })
      .def("set", [](Io& io, const py::object& data,
                     bool copy) { translated([&] { io.set(taken(io, data, copy)); }); })
      .def("get",
           [](const Io& io, const char* operation) {
             return translated(
                 [&] { return py::reinterpret_steal<py::object>(wrap(io.get(operation))); });
           })
      .def("array",
           [](const Io& io) {
             return translated([&] {
               return py::reinterpret_steal<py::object>(tensor_to_numpy(io.get("copy_to_cpu")));
             });
           })
      .def("shape", &Io::shape);
}

// A Python function as one that sees tensors; its error goes on to the caller of the run.
paddle_infer::detail::SeeTensor seeing(const py::function& function) {
  return [shared = SharedRef(function.ptr())](const std::string& op, const std::string& name,
                                              Tensor& tensor) {
    const GilAcquire gil;
    const Ref op_text = checked(PyUnicode_FromStringAndSize(op.data(), std::ssize(op)));
    const Ref name_text = checked(PyUnicode_FromStringAndSize(name.data(), std::ssize(name)));
    const Ref value = checked(wrap(tensor));
    checked(PyObject_CallFunctionObjArgs(shared.get(), op_text.get(), name_text.get(), value.get(),
                                         nullptr));
  };
}

void bind_runner(py::module_& m) {
  const auto load = [](const Config& c) {
    return translated([&] { return std::make_shared<Runner>(c.settings()); });
  };
  py::class_<Runner, std::shared_ptr<Runner>>(m, "Predictor")
      .def(py::init(load))
      .def("clone", &Runner::clone)
      .def_property_readonly("inputs", &Runner::inputs)
      .def_property_readonly("outputs", &Runner::outputs)
      // By the name of each input whose rows are sequences to the program: levels of offsets.
      .def_property_readonly("sequence_levels",
                             [](const Runner& r) {
                               const pir::SavedProgram& program = r.program();
                               std::map<std::string, size_t> levels;
                               for (const auto& level : program.input_offsets) {
                                 ++levels[program.input_names[level.of]];
                               }
                               return levels;
                             })
      .def("input",
           [](const Runner& r, const std::string& name) {
             return translated([&] { return r.input(name); });
           })
      .def("output",
           [](const Runner& r, const std::string& name) {
             return translated([&] { return r.output(name); });
           })
      .def("run",
           [](Runner& r) {
             translated([&] {
               const GilRelease released;
               r.run();
             });
           })
      .def("shrink", &Runner::shrink)
      .def("add_hook", [](Runner& r, bool on_results,
                          const py::function& hook) { r.add_hook(on_results, seeing(hook)); })
      .def("__str__", [](const Runner& r) { return pir::print(*r.program().program); });
}

}  // namespace

void bind_inference(PyObject* module) {
  py::module_ root = py::reinterpret_borrow<py::module_>(module);
  py::module_ m = root.def_submodule("inference", "Predictors of exported programs.");
  bind_config(m);
  bind_handles(m);
  bind_runner(m);
  m.def("version", &paddle_infer::GetVersion);
  using Names = std::unordered_set<std::string>;
  m.def("convert_to_mixed_precision", [](const std::string& model, const std::string& params,
                                         const std::string& mixed_model,
                                         const std::string& mixed_params, int precision,
                                         bool keep_io, const Names& black, const Names& white) {
    translated([&] {
      paddle_infer::ConvertToMixedPrecision(model, params, mixed_model, mixed_params,
                                            static_cast<paddle_infer::PrecisionType>(precision),
                                            paddle_infer::PlaceType::kCPU, keep_io, black, white);
    });
  });
}

}  // namespace paddle::bindings
