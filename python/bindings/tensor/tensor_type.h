// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The parts of the type paddle.Tensor.
#pragma once

#include <vector>

#include "python/bindings/values/tensor_object.h"

namespace paddle::bindings {

extern PyMethodDef tensor_methods[];             // tensor_methods.cc
std::vector<PyMethodDef> number_methods();       // number_methods.cc
extern PyGetSetDef tensor_properties[];          // properties.cc
const PyType_Slot* number_slots(size_t& count);  // number.cc

// Puts the type together and adds it to the module; false with a Python error set.
bool add_tensor_type(PyObject* module);

}  // namespace paddle::bindings
