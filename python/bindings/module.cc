// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The extension module paddle._core: starts the library, then makes the Python types and functions.
#include "inference/predictor/runner.h"
#include "python/bindings/autograd/autograd.h"
#include "python/bindings/base/errors.h"
#include "python/bindings/call/operator_functions.h"
#include "python/bindings/program/program.h"
#include "python/bindings/runtime/runtime.h"
#include "python/bindings/tensor/tensor_type.h"
#include "python/bindings/values/dtype.h"
#include "python/bindings/values/interop.h"
#include "python/bindings/values/size.h"

namespace paddle::bindings {

namespace {

bool add_all(PyObject* module) {
  if (!add_errors(module)) return false;
  for (PyMethodDef* methods :
       {interop_methods, op_methods, describe_methods, autograd_methods, state_methods,
        profile_methods, inplace_methods, extension_methods, plugin_methods, stream_methods,
        device_methods, guard_methods, execution_context_methods, distributed_methods,
        distributed_process_methods}) {
    if (PyModule_AddFunctions(module, methods) < 0) return false;
  }
  return add_dtype_types(module) && add_size_type(module) && add_tensor_type(module) &&
         add_autograd_types(module) && add_operator_functions(module);
}

PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                          "paddle._core",
                          "Tensors, operators and automatic differentiation.",
                          -1,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr};

PyObject* create() {
  PyObject* module = PyModule_Create(&definition);
  if (!module) return nullptr;
  const int status = guarded([&]() -> int {
    paddle_infer::detail::start_library();
    if (!add_all(module)) return -1;
    install_blocking_hooks();
    bind_program(module);
    bind_inference(module);
    bind_engine(module);
    return PyErr_Occurred() ? -1 : 0;
  });
  if (status == 0) return module;
  Py_DECREF(module);
  return nullptr;
}

}  // namespace
}  // namespace paddle::bindings

PyMODINIT_FUNC PyInit__core() { return paddle::bindings::create(); }
