// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The parameters that every operator understands without having them in its schema: `out`, `dtype`,
// `alpha`, `rounding_mode`, the two axes of a swap, `act`, `requires_grad`, `device`.
#include <optional>

#include "paddle_core/autograd/autograd.h"
#include "python/bindings/base/errors.h"
#include "python/bindings/base/reference.h"
#include "python/bindings/call/call_plan.h"
#include "python/bindings/call/parse_args.h"
#include "python/bindings/values/deferred.h"
#include "python/bindings/values/dtype.h"
#include "python/bindings/values/interop.h"
#include "python/bindings/values/op_call.h"
#include "python/bindings/values/tensor_object.h"

namespace paddle::bindings {

namespace {

class Extras {
 public:
  Extras(const Plan& plan, PyObject* const* values) : plan_(plan), values_(values) {}
  // What was given for a role; null when absent.
  PyObject* get(ParamRole role) const { return values_[extra_index(role)]; }
  std::string name_of(ParamRole role) const {
    for (const Param& p : plan_.params) {
      if (p.arg == role) return p.text;
    }
    return "";
  }
  int64_t axis(ParamRole role, int64_t rank) const {
    PyObject* o = get(role);
    const int64_t axis = o && PyLong_Check(o) ? PyLong_AsLongLong(o) : rank;
    if (axis == -1 && PyErr_Occurred()) throw_python();
    PADDLE_CHECK_VALUE(axis >= -std::max<int64_t>(rank, 1) && axis < std::max<int64_t>(rank, 1),
                       plan_.name, ": ", name_of(role), " must be an int in [", -rank, ", ", rank,
                       ") for a Tensor with ", rank, " dimensions.");
    return axis < 0 ? axis + rank : axis;
  }

 private:
  const Plan& plan_;
  PyObject* const* values_;
};

Tensor tensor_in(const Plan& plan, const Slot* slots, int i) {
  if (i >= plan.op->num_args || slots[i].kind != SlotKind::kTensor) {
    throw_type(str(plan.name, ": argument ", i, " must be a Tensor."));
  }
  return Tensor(IntrusivePtr<TensorImpl>::share(slots[i].tensor));
}

void cast_input(const Plan& plan, PyObject* dtype, Slot* slots, ArgArena& arena) {
  DType t;
  if (!to_dtype(dtype, t)) {
    throw_type(str(plan.name, ": argument dtype must be a dtype such as 'float32', got ",
                   type_of(dtype), "."));
  }
  slots[0] = Slot::of(arena.keep(cast_to(tensor_in(plan, slots, 0), t)));
}

void scale_last(const Plan& plan, PyObject* alpha, Slot* slots, ArgArena& arena) {
  const int last = plan.op->num_tensor_args - 1;
  const Tensor y = tensor_in(plan, slots, last);
  Tensor factor;
  Scalar s;
  if (is_tensor(alpha)) {
    factor = tensor_of(alpha);
  } else if (to_scalar(alpha, s)) {
    if (s.kind() != Scalar::Kind::kComplex && s.to_double() == 1.0) return;
    factor = number_tensor(s, y.dtype());
  } else {
    throw_type(str(plan.name, ": argument alpha must be a number, got ", type_of(alpha), "."));
  }
  slots[last] =
      Slot::of(arena.keep(OpCall("multiply").at(0, Slot::of(y)).at(1, Slot::of(factor)).run()));
}

void set_swapped_axes(const Plan& plan, const Extras& extras, Slot* slots, ArgArena& arena) {
  const int64_t rank = tensor_in(plan, slots, 0).ndim();
  const int64_t a = extras.axis(kAxis0, rank), b = extras.axis(kAxis1, rank);
  Dim* perm = arena.array<Dim>(static_cast<size_t>(rank));
  for (int64_t i = 0; i < rank; ++i) perm[i] = Dim(i == a ? b : i == b ? a : i);
  slots[plan.op->schema().arg_index("perm")] = Slot::of(perm, static_cast<size_t>(rank));
}

Tensor binary(const char* op, const Tensor& x, const Tensor& y) {
  return OpCall(op).at(0, Slot::of(x)).at(1, Slot::of(y)).run();
}

// A quotient of integers rounded towards zero: one more than the floor where it is negative and
// not exact.
Tensor truncated_integers(const Tensor& x, const Tensor& y) {
  const Tensor floor = binary("floor_divide", x, y);
  const Tensor rest = binary("subtract", x, binary("multiply", floor, y));
  const Tensor zero = Tensor::full(Shape{}, Scalar(0), floor.dtype());
  const Tensor inexact = binary("not_equal", rest, zero);
  const Tensor negative = binary("less_than", floor, zero);
  return binary("add", floor, cast_to(binary("logical_and", inexact, negative), floor.dtype()));
}

Tensor rounded_quotient(const Plan& plan, PyObject* mode, const Slot* slots) {
  const Tensor x = tensor_in(plan, slots, 0), y = tensor_in(plan, slots, 1);
  const char* text = PyUnicode_Check(mode) ? PyUnicode_AsUTF8(mode) : "";
  if (text && std::string_view(text) == "floor") return binary("floor_divide", x, y);
  PADDLE_CHECK_VALUE(text && std::string_view(text) == "trunc", plan.name,
                     ": rounding_mode must be None, 'trunc' or 'floor', got ", text, ".");
  const auto exact = [](const Tensor& t) { return is_integer(t.dtype()) || is_bool(t.dtype()); };
  if (exact(x) && exact(y)) return truncated_integers(x, y);
  return OpCall("trunc").at(0, Slot::of(binary("divide", x, y))).run();
}

Tensor activated(const Plan& plan, PyObject* act, const Tensor& t) {
  const char* name = PyUnicode_Check(act) ? PyUnicode_AsUTF8(act) : nullptr;
  const OpDef* op = name ? Registry::global().find(name) : nullptr;
  PADDLE_CHECK_VALUE(op && op->num_tensor_args == 1 && op->has(kElementwise), plan.name,
                     ": act must be the name of an activation such as 'relu', got ",
                     name ? name : type_of(act).c_str(), ".");
  return OpCall(name).at(0, Slot::of(t)).run();
}

// The place that the argument device names.
Place device_place(const Plan& plan, PyObject* device) {
  Place place;
  if (!to_place(device, place)) {
    throw_type(str(plan.name, ": argument device must be a device such as 'cpu', got ",
                   type_of(device), "."));
  }
  device_of(place);  // raises when there is none
  return place;
}

// A view's memory belongs to another tensor too: `out` gets values of its own.
Tensor own_values(const Plan& plan, const Tensor& t) {
  return plan.op->is_view() ? OpCall("assign").at(0, Slot::of(t)).run() : t;
}

}  // namespace

void write_out(const char* fn, PyObject* object, const Tensor& value) {
  if (!is_tensor(object)) {
    throw_type(str(fn, ": argument out must be a Tensor, got ", type_of(object), "."));
  }
  const Tensor& out = tensor_of(object);
  if (out.same_impl(value)) return;
  if (out.shape() == value.shape() && out.dtype() == value.dtype()) {
    assign_inplace(out, value, fn);
    return;
  }
  PADDLE_CHECK_VALUE(!(out->keys & kModeView), fn, ": out is a view of shape ", out.shape(),
                     " and dtype ", out.dtype(), " but the result has shape ", value.shape(),
                     " and dtype ", value.dtype(), "; a view can't change them.");
  PADDLE_CHECK_RUNTIME(!capturing() || !out.has_storage(), fn, ": out has shape ", out.shape(),
                       " and dtype ", out.dtype(), " but the result ", value.shape(), " and ",
                       value.dtype(), "; they must be equal in a captured program.");
  rebind_inplace(out, value, fn);
}

namespace {

PyObject* write_results(const Plan& plan, PyObject* out, const Outputs& results) {
  if (results.size() == 1 && !plan.op->list_result) {
    write_out(plan.name.c_str(), out, own_values(plan, results[0]));
    return Py_NewRef(out);
  }
  const auto n = static_cast<Py_ssize_t>(results.size());
  if (!PyTuple_Check(out) || PyTuple_GET_SIZE(out) != n) {
    throw Error(ErrorKind::kValue,
                str(plan.name, ": argument out must be a tuple of ", n, " Tensors."));
  }
  Outputs written;
  for (Py_ssize_t i = 0; i < n; ++i) {
    write_out(plan.name.c_str(), PyTuple_GET_ITEM(out, i),
              own_values(plan, results[static_cast<size_t>(i)]));
    written.push_back(tensor_of(PyTuple_GET_ITEM(out, i)));
  }
  return wrap_results(plan, written);
}

void run_plan(const Plan& plan, const Extras& extras, const Slot* slots, Outputs& outs) {
  PyObject* rounding = extras.get(kRounding);
  if (rounding) {
    outs.push_back(rounded_quotient(plan, rounding, slots));
    if (plan.inplace) {
      const Tensor target = tensor_in(plan, slots, 0);
      assign_inplace(target, outs[0], plan.name.c_str());
      outs[0] = target;
    }
  } else if (plan.inplace) {
    outs.push_back(call_inplace(*plan.op, slots));
  } else {
    run_op(*plan.op, slots, outs);
  }
}

}  // namespace

// write_out(out, value, fn): what composites written in Python do with their `out`.
PyObject* write_out_from_python(PyObject*, PyObject* args) {
  PyObject *out, *value;
  const char* fn;
  if (!PyArg_ParseTuple(args, "OO!s:write_out", &out, tensor_type, &value, &fn)) return nullptr;
  return guarded([&] {
    write_out(fn, out, tensor_of(value));
    return Py_NewRef(out);
  });
}

PyObject* wrap_results(const Plan& plan, Outputs& outs) {
  if (plan.op->list_result) return wrap_list(TensorList(outs.begin(), outs.end()));
  if (outs.size() == 1) return wrap(std::move(outs[0]));
  Ref tuple = checked(plan.result_type ? PyStructSequence_New(plan.result_type)
                                       : PyTuple_New(static_cast<Py_ssize_t>(outs.size())));
  for (size_t i = 0; i < outs.size(); ++i) {
    PyObject* o = wrap(std::move(outs[i]));
    if (!o) throw_python();
    PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), o);
  }
  return tuple.release();
}

PyObject* call_with_extras(const Plan& plan, Slot* slots, ArgArena& arena,
                           PyObject* const* values) {
  const Extras extras(plan, values);
  std::optional<Place> place;
  std::optional<PlaceScope> made_there;
  if (PyObject* device = extras.get(kDevice)) {
    place = device_place(plan, device);
    made_there.emplace(*place);
    for (int i = 0; i < plan.op->num_args; ++i) {
      if (slots[i].kind == SlotKind::kPlace) slots[i] = Slot::of(*place);
    }
  }
  if (PyObject* dtype = extras.get(kCastTo)) cast_input(plan, dtype, slots, arena);
  if (PyObject* alpha = extras.get(kAlpha)) scale_last(plan, alpha, slots, arena);
  if (extras.get(kAxis0) || extras.get(kAxis1)) set_swapped_axes(plan, extras, slots, arena);
  Outputs outs;
  run_plan(plan, extras, slots, outs);
  for (Tensor& out : outs) {
    if (place && out.defined() && !(out.place() == *place)) out = moved_to(out, *place);
  }
  if (PyObject* act = extras.get(kActivation)) outs[0] = activated(plan, act, outs[0]);
  if (PyObject* wants = extras.get(kRequiresGrad)) {
    if (PyObject_IsTrue(wants) == 1) autograd::set_stop_gradient(outs[0], false);
  }
  if (PyObject* out = extras.get(kOut)) return write_results(plan, out, outs);
  return wrap_results(plan, outs);
}

}  // namespace paddle::bindings
