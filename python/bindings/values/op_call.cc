// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Calls of operators by name.
#include "python/bindings/values/op_call.h"

#include <cstring>

#include "paddle_core/device/device.h"

namespace paddle::bindings {

bool has_op(const char* name) { return Registry::global().find(name) != nullptr; }

const OpDef& op_named(const char* name) {
  // Most names are literals: the address finds the operator of the last one that stood there.
  static const OpDef* recent[256];
  const OpDef*& last = recent[(reinterpret_cast<uintptr_t>(name) >> 2) % 256];
  if (last && std::strcmp(last->name(), name) == 0) return *last;
  const OpDef* op = Registry::global().find(name);
  if (op) last = op;
  if (!op) {
    throw Error(ErrorKind::kNotImplemented, str(name, ": paddle has no such operator."));
  }
  return *op;
}

OpCall::OpCall(const char* name) : op_(op_named(name)) {
  slots_.resize(op_.num_args);
  const auto& args = op_.schema().args;
  for (size_t i = 0; i < args.size(); ++i) {
    if (args[i].has_default) slots_[i] = args[i].default_value.slot();
  }
}

OpCall& OpCall::set(const char* name, Slot s, bool optional) {
  const int i = op_.schema().arg_index(name);
  if (i < 0 && optional) return *this;
  PADDLE_CHECK_RUNTIME(i >= 0, op_.name(), ": the operator has no argument named ", name, ".");
  slots_[static_cast<size_t>(i)] = s;
  return *this;
}

Outputs OpCall::run_all() {
  Outputs outs;
  run_op(op_, slots_.data(), outs);
  return outs;
}

Tensor OpCall::run() { return run_all()[0]; }

Tensor OpCall::run_inplace() { return call_inplace(op_, slots_.data()); }

Tensor cast_to(const Tensor& t, DType dtype) {
  if (t.dtype() == dtype) return t;
  return OpCall("cast").at(0, Slot::of(t)).set("dtype", Slot::of(dtype)).run();
}

Tensor moved_to(const Tensor& t, Place place) {
  if (place == t.place()) return t;
  device_of(place);  // raises when there is none
  return OpCall("copy_to").at(0, Slot::of(t)).at(1, Slot::of(place)).run();
}

}  // namespace paddle::bindings
