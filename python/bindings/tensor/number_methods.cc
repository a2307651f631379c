// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The special methods of bitwise arithmetic that take more than the operator can say:
// x.__and__(y, out=None), x.__lshift__(y, is_arithmetic=True). The operators themselves go through
// the number slots of the type.
#include "python/bindings/base/errors.h"
#include "python/bindings/base/reference.h"
#include "python/bindings/call/call_plan.h"
#include "python/bindings/call/parse_args.h"
#include "python/bindings/tensor/tensor_type.h"
#include "python/bindings/values/interop.h"
#include "python/bindings/values/op_call.h"
#include "python/bindings/values/tensor_object.h"

namespace paddle::bindings {

namespace {

// The result of a number slot of the tensor type.
Ref slot_result(int slot, PyObject* a, PyObject* b) {
  const auto fn = reinterpret_cast<binaryfunc>(PyType_GetSlot(tensor_type, slot));
  return checked(fn(a, b));
}

// (y, out=None, name=None)
template <int kSlot, bool kReflected>
PyObject* bitwise(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"y", "out", "name", nullptr};
  PyObject *y, *out = Py_None, *name = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|OO", const_cast<char**>(names), &y, &out,
                                   &name)) {
    return nullptr;
  }
  return guarded([&] {
    Ref result = kReflected ? slot_result(kSlot, y, self) : slot_result(kSlot, self, y);
    if (out == Py_None || !is_tensor(result.get())) return result.release();
    write_out("out", out, tensor_of(result.get()));
    return Py_NewRef(out);
  });
}

// (out=None, name=None)
PyObject* invert(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"out", "name", nullptr};
  PyObject *out = Py_None, *name = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|OO:__invert__", const_cast<char**>(names), &out,
                                   &name)) {
    return nullptr;
  }
  return guarded([&] {
    const auto fn = reinterpret_cast<unaryfunc>(PyType_GetSlot(tensor_type, Py_nb_invert));
    Ref result = checked(fn(self));
    if (out == Py_None) return result.release();
    write_out("__invert__", out, tensor_of(result.get()));
    return Py_NewRef(out);
  });
}

PyObject* positive(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"name", nullptr};
  PyObject* name = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O:__pos__", const_cast<char**>(names), &name)) {
    return nullptr;
  }
  return Py_NewRef(self);
}

// (y, is_arithmetic=True)
template <int kSlot, bool kReflected>
PyObject* shift(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"y", "is_arithmetic", nullptr};
  PyObject* y;
  int arithmetic = 1;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|p", const_cast<char**>(names), &y,
                                   &arithmetic)) {
    return nullptr;
  }
  return guarded([&] {
    PyObject *a = kReflected ? y : self, *b = kReflected ? self : y;
    if (arithmetic) return slot_result(kSlot, a, b).release();
    const DType dtype = tensor_of(self).dtype();
    const auto operand = [&](PyObject* o) {
      Scalar s;
      if (is_tensor(o)) return tensor_of(o);
      if (!to_scalar(o, s))
        throw_type(str("shift: a Tensor or int is needed, got ", type_of(o), "."));
      return number_tensor(s, dtype);
    };
    const Tensor x = operand(a), by = operand(b);
    const char* op = kSlot == Py_nb_lshift ? "bitwise_left_shift" : "bitwise_right_shift";
    OpCall call(op);
    call.at(0, Slot::of(x)).at(1, Slot::of(by)).set("is_arithmetic", Slot::of_bool(false));
    return wrap(call.run());
  });
}

template <typename F>
PyMethodDef method(const char* name, F* f, const char* doc) {
  return {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(f)),
          METH_VARARGS | METH_KEYWORDS | METH_COEXIST, doc};
}

}  // namespace

std::vector<PyMethodDef> number_methods() {
  return {method("__and__", bitwise<Py_nb_and, false>,
                 "__and__($self, y, out=None, name=None)\n--\n\nx & y."),
          method("__rand__", bitwise<Py_nb_and, true>,
                 "__rand__($self, y, out=None, name=None)\n--\n\ny & x."),
          method("__or__", bitwise<Py_nb_or, false>,
                 "__or__($self, y, out=None, name=None)\n--\n\nx | y."),
          method("__ror__", bitwise<Py_nb_or, true>,
                 "__ror__($self, y, out=None, name=None)\n--\n\ny | x."),
          method("__xor__", bitwise<Py_nb_xor, false>,
                 "__xor__($self, y, out=None, name=None)\n--\n\nx ^ y."),
          method("__rxor__", bitwise<Py_nb_xor, true>,
                 "__rxor__($self, y, out=None, name=None)\n--\n\ny ^ x."),
          method("__invert__", invert, "__invert__($self, out=None, name=None)\n--\n\n~x."),
          method("__pos__", positive, "__pos__($self, name=None)\n--\n\n+x."),
          method("__lshift__", shift<Py_nb_lshift, false>,
                 "__lshift__($self, y, is_arithmetic=True)\n--\n\nx << y."),
          method("__rlshift__", shift<Py_nb_lshift, true>,
                 "__rlshift__($self, y, is_arithmetic=True)\n--\n\ny << x."),
          method("__rshift__", shift<Py_nb_rshift, false>,
                 "__rshift__($self, y, is_arithmetic=True)\n--\n\nx >> y."),
          method("__rrshift__", shift<Py_nb_rshift, true>,
                 "__rrshift__($self, y, is_arithmetic=True)\n--\n\ny >> x.")};
}

}  // namespace paddle::bindings
