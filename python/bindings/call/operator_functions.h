// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Operators as functions of Python, and what Python can ask of their records.
#pragma once

#include "python/bindings/base/errors.h"

namespace paddle::bindings {

// Adds one function per operator and per public spelling; false with a Python error set.
bool add_operator_functions(PyObject* module);
extern PyMethodDef op_methods[];
extern PyMethodDef describe_methods[];  // describe.cc
extern PyMethodDef inplace_methods[];   // inplace.cc

}  // namespace paddle::bindings
