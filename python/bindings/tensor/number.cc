// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic, comparison and conversion slots of the tensor type. A slot fills the argument pack
// itself: `a + b` costs no argument parsing.

#include "paddle_core/tensor/host_values.h"
#include "python/bindings/base/errors.h"
#include "python/bindings/call/parse_args.h"
#include "python/bindings/index/indexing.h"
#include "python/bindings/tensor/tensor_type.h"
#include "python/bindings/values/dtype.h"
#include "python/bindings/values/interop.h"
#include "python/bindings/values/op_call.h"
#include "python/bindings/values/symint.h"
#include "python/bindings/values/tensor_object.h"

namespace paddle::bindings {

namespace {

// An operator of two tensors, looked up on first use.
struct Binary {
  const char* name;
  bool true_divide = false;
  const OpDef* op = nullptr;
  int num_args = 0;
  Slot defaults[6] = {};

  [[gnu::noinline]] void load() {
    const OpDef& found = op_named(name);
    PADDLE_CHECK_RUNTIME(found.num_args >= 2 && found.num_args <= 6, name,
                         ": the operator must have two to six arguments.");
    for (int i = 2; i < found.num_args; ++i) {
      defaults[i] = default_slot(found.schema().args[static_cast<size_t>(i)]);
    }
    num_args = found.num_args;
    op = &found;
  }
};

// The tensor that stands for `o` next to `other`, an array at the place of the tensor `beside`;
// undefined when `o` is no operand.
Tensor operand(PyObject* o, DType other, PyObject* beside) {
  if (is_tensor(o)) return tensor_of(o);
  if (PyLong_Check(o) && !is_integer(other) && !is_bool(other)) {
    // Beside a float an integer beyond 64 bits is the float next to it.
    int beyond = 0;
    const int64_t v = PyLong_AsLongLongAndOverflow(o, &beyond);
    const double wide = beyond ? PyLong_AsDouble(o) : 0;
    if ((v == -1 || wide == -1) && PyErr_Occurred()) throw_python();
    if (beyond) return number_tensor(Scalar(wide), other);
  }
  Scalar s;
  if (to_scalar(o, s)) return number_tensor(s, other);
  if (is_array_like(o)) return moved_to(make_tensor(o), tensor_of(beside).place());
  return Tensor();
}

bool exact(DType t) { return is_integer(t) || is_bool(t); }

// Writes the operands over the first two defaults of `slots`.
Slot* fill_operands(const Binary& b, const Tensor& x, const Tensor& y, Slot* slots) {
  for (int i = 2; i < b.num_args; ++i) slots[i] = b.defaults[i];
  slots[0] = Slot::of(x);
  slots[1] = Slot::of(y);
  return slots;
}

PyObject* run_binary(Binary& b, const Tensor& x, const Tensor& y) {
  Outputs outs;
  if (b.num_args == 2) [[likely]] {
    const Slot slots[2] = {Slot::of(x), Slot::of(y)};
    run_op(*b.op, slots, outs);
  } else {
    Slot slots[6];
    run_op(*b.op, fill_operands(b, x, y, slots), outs);
  }
  return wrap(std::move(outs[0]));
}

[[gnu::noinline]] PyObject* binary_mixed(Binary& b, PyObject* v, PyObject* w) {
  DType kind = is_tensor(v) ? tensor_of(v).dtype() : tensor_of(w).dtype();
  // The number keeps its value: -3 is no uint8.
  if (b.true_divide && exact(kind)) kind = default_float;
  Tensor x = operand(v, kind, w);
  Tensor y = operand(w, kind, v);
  if (!x.defined() || !y.defined()) Py_RETURN_NOTIMPLEMENTED;
  if (b.true_divide && exact(x.dtype()) && exact(y.dtype())) {
    x = cast_to(x, default_float);
    y = cast_to(y, default_float);
  }
  return run_binary(b, x, y);
}

inline PyObject* binary(Binary& b, PyObject* v, PyObject* w) {
  try {
    if (!b.op) [[unlikely]]
      b.load();
    if (is_tensor(v) && is_tensor(w) && !b.true_divide) [[likely]] {
      return run_binary(b, tensor_of(v), tensor_of(w));
    }
    return binary_mixed(b, v, w);
  } catch (...) {
    set_python_error();
    return nullptr;
  }
}

// There are no slots for `x += y`: as in PaddlePaddle it makes a new tensor, and what else refers
// to the old one keeps it.
#define PADDLE_BINARY(fn, op_name) \
  Binary op_##fn{op_name};         \
  PyObject* nb_##fn(PyObject* v, PyObject* w) { return binary(op_##fn, v, w); }
PADDLE_BINARY(add, "add")
PADDLE_BINARY(subtract, "subtract")
PADDLE_BINARY(multiply, "multiply")
PADDLE_BINARY(remainder, "remainder")
PADDLE_BINARY(floor_divide, "floor_divide")
PADDLE_BINARY(and, "bitwise_and")
PADDLE_BINARY(or, "bitwise_or")
PADDLE_BINARY(xor, "bitwise_xor")
PADDLE_BINARY(lshift, "bitwise_left_shift")
PADDLE_BINARY(rshift, "bitwise_right_shift")
#undef PADDLE_BINARY

Binary op_matmul{"matmul"};
// Of two floats `x @ y` has the dtype of x, or of y where x is an array.
[[gnu::noinline]] PyObject* matmul_mixed(PyObject* v, PyObject* w) {
  return guarded([&]() -> PyObject* {
    if (!op_matmul.op) op_matmul.load();
    const DType kind = is_tensor(v) ? tensor_of(v).dtype() : tensor_of(w).dtype();
    Tensor x = operand(v, kind, w), y = operand(w, kind, v);
    if (!x.defined() || !y.defined()) Py_RETURN_NOTIMPLEMENTED;
    if (is_floating(x.dtype()) && is_floating(y.dtype())) {
      x = cast_to(x, kind);
      y = cast_to(y, kind);
    }
    return run_binary(op_matmul, x, y);
  });
}
PyObject* nb_matmul(PyObject* v, PyObject* w) {
  const bool plain = is_tensor(v) && is_tensor(w) && tensor_of(v).dtype() == tensor_of(w).dtype();
  return plain ? binary(op_matmul, v, w) : matmul_mixed(v, w);
}

Binary op_divide{"divide", true};
PyObject* nb_divide(PyObject* v, PyObject* w) { return binary(op_divide, v, w); }

Binary op_pow{"elementwise_pow"};

PyObject* power(PyObject* v, PyObject* w, PyObject* modulus) {
  if (modulus != Py_None) Py_RETURN_NOTIMPLEMENTED;
  Scalar s;
  PyObject* result = nullptr;
  const int done = guarded([&]() -> int {
    if (!is_tensor(v) || is_tensor(w) || !to_scalar(w, s)) return 0;
    Tensor out;
    if (!power_of_constant(tensor_of(v), s, out)) return 0;
    result = wrap(std::move(out));
    return 1;
  });
  if (done == 1 || PyErr_Occurred()) return result;
  return binary(op_pow, v, w);
}

Binary op_equal{"equal"}, op_not_equal{"not_equal"}, op_less{"less_than"};
Binary op_less_equal{"less_equal"}, op_greater{"greater_than"}, op_greater_equal{"greater_equal"};

PyObject* compare(PyObject* v, PyObject* w, int op) {
  switch (op) {
    case Py_EQ:
      return binary(op_equal, v, w);
    case Py_NE:
      return binary(op_not_equal, v, w);
    case Py_LT:
      return binary(op_less, v, w);
    case Py_LE:
      return binary(op_less_equal, v, w);
    case Py_GT:
      return binary(op_greater, v, w);
    default:
      return binary(op_greater_equal, v, w);
  }
}

PyObject* unary(const char* name, PyObject* v) {
  return guarded([&] { return wrap(OpCall(name).at(0, Slot::of(tensor_of(v))).run()); });
}
PyObject* negative(PyObject* v) {
  if (has_op("negative")) return unary("negative", v);
  return guarded([&] {
    const Scalar minus(-1);
    return wrap(OpCall("scale").at(0, Slot::of(tensor_of(v))).set("scale", Slot::of(minus)).run());
  });
}
PyObject* positive(PyObject* v) { return Py_NewRef(v); }
PyObject* absolute(PyObject* v) { return unary("abs", v); }
PyObject* invert(PyObject* v) {
  return unary(is_bool(tensor_of(v).dtype()) ? "logical_not" : "bitwise_not", v);
}

// -- conversions --------------------------------------------------------------------------------

// As in PaddlePaddle a number is true when it is above zero; -1 and NaN are not.
int to_bool(PyObject* v) {
  return guarded([&]() -> int {
    const Scalar s = value_of(tensor_of(v), "bool()");
    return s.kind() == Scalar::Kind::kComplex ? s.to_bool() : s.to_double() > 0;
  });
}
// An integer that a captured program computes from fixed extents.
bool known_integer(PyObject* v, int64_t& out) {
  Dim d;
  if (!captured_extent(tensor_of(v), d) || d.is_symbolic()) return false;
  out = d.value();
  return true;
}

PyObject* to_int(PyObject* v) {
  return guarded([&]() -> PyObject* {
    int64_t known;
    if (known_integer(v, known)) return PyLong_FromLongLong(known);
    const Scalar s = value_of(tensor_of(v), "int()");
    if (s.kind() == Scalar::Kind::kComplex) throw_type("int(): a complex Tensor has no int value.");
    if (s.kind() == Scalar::Kind::kFloat) return PyLong_FromDouble(s.to_double());
    return PyLong_FromLongLong(s.to_int());
  });
}
PyObject* to_float(PyObject* v) {
  return guarded([&]() -> PyObject* {
    const Scalar s = value_of(tensor_of(v), "float()");
    if (s.kind() == Scalar::Kind::kComplex) {
      throw_type("float(): a complex Tensor has no float value.");
    }
    return PyFloat_FromDouble(s.to_double());
  });
}
PyObject* to_index(PyObject* v) {
  return guarded([&]() -> PyObject* {
    const Tensor& t = tensor_of(v);
    // A bfloat16 number counts as an index, as in PaddlePaddle, whose arrays of it are integers.
    if (!exact(t.dtype()) && t.dtype() != DType::kBFloat16) {
      throw_type(str("__index__: a Tensor of dtype ", t.dtype(),
                     " is no index; only integer tensors with one element are."));
    }
    int64_t known;
    if (known_integer(v, known)) return PyLong_FromLongLong(known);
    return PyLong_FromLongLong(value_of(t, "int()").to_int());
  });
}

// len() of a number is a TypeError in Python and an AssertionError in PaddlePaddle.
[[noreturn]] void throw_length() {
  throw_assertion("len(): a 0-D Tensor has no length; use x.numel().");
}
Py_ssize_t length(PyObject* v) {
  return guarded([&]() -> Py_ssize_t {
    const Tensor& t = tensor_of(v);
    if (t.ndim() == 0) throw_length();
    return t.size(0);
  });
}

// Iterates over rows; the length is read at the start.
struct RowIterator {
  PyObject_HEAD PyObject* tensor;
  Py_ssize_t next, size;
};
PyTypeObject* row_iterator_type;

void iterator_dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  Py_XDECREF(reinterpret_cast<RowIterator*>(self)->tensor);
  type->tp_free(self);
  Py_DECREF(type);
}
PyObject* iterator_next(PyObject* self) {
  auto* it = reinterpret_cast<RowIterator*>(self);
  if (it->next >= it->size) return nullptr;
  return tensor_row(it->tensor, it->next++);
}
PyObject* iterate(PyObject* v) {
  return guarded([&]() -> PyObject* {
    const Tensor& t = tensor_of(v);
    if (t.ndim() == 0) throw_type("iter(): iteration over a 0-D Tensor; use x.item().");
    const Py_ssize_t n = t.size(0);
    auto* it = reinterpret_cast<RowIterator*>(row_iterator_type->tp_alloc(row_iterator_type, 0));
    if (!it) throw_python();
    it->tensor = Py_NewRef(v);
    it->size = n;
    return reinterpret_cast<PyObject*>(it);
  });
}

int contains(PyObject* v, PyObject* item) {
  return guarded([&]() -> int {
    const Tensor& t = tensor_of(v);
    const Tensor y = operand(item, t.dtype(), v);
    if (!y.defined())
      throw_type(str("in: argument must be a number or Tensor, got ", type_of(item), "."));
    const Tensor eq =
        contiguous_on_host(OpCall("equal").at(0, Slot::of(t)).at(1, Slot::of(y)).run());
    const bool* p = eq.data<bool>();
    for (int64_t i = 0; i < eq.numel(); ++i) {
      if (p[i]) return 1;
    }
    return 0;
  });
}

template <typename F>
void* slot(F* f) {
  return reinterpret_cast<void*>(f);
}

}  // namespace

const PyType_Slot* number_slots(size_t& count) {
  PyType_Slot iterator[] = {{Py_tp_dealloc, slot(iterator_dealloc)},
                            {Py_tp_iter, slot(PyObject_SelfIter)},
                            {Py_tp_iternext, slot(iterator_next)},
                            {0, nullptr}};
  PyType_Spec spec = {"paddle._core.RowIterator", sizeof(RowIterator), 0, Py_TPFLAGS_DEFAULT,
                      iterator};
  row_iterator_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  static const PyType_Slot slots[] = {{Py_nb_add, slot(nb_add)},
                                      {Py_nb_subtract, slot(nb_subtract)},
                                      {Py_nb_multiply, slot(nb_multiply)},
                                      {Py_nb_true_divide, slot(nb_divide)},
                                      {Py_nb_floor_divide, slot(nb_floor_divide)},
                                      {Py_nb_remainder, slot(nb_remainder)},
                                      {Py_nb_power, slot(power)},
                                      {Py_nb_matrix_multiply, slot(nb_matmul)},
                                      {Py_nb_negative, slot(negative)},
                                      {Py_nb_positive, slot(positive)},
                                      {Py_nb_absolute, slot(absolute)},
                                      {Py_nb_invert, slot(invert)},
                                      {Py_nb_and, slot(nb_and)},
                                      {Py_nb_or, slot(nb_or)},
                                      {Py_nb_xor, slot(nb_xor)},
                                      {Py_nb_lshift, slot(nb_lshift)},
                                      {Py_nb_rshift, slot(nb_rshift)},
                                      {Py_nb_bool, slot(to_bool)},
                                      {Py_nb_int, slot(to_int)},
                                      {Py_nb_float, slot(to_float)},
                                      {Py_nb_index, slot(to_index)},
                                      {Py_tp_richcompare, slot(compare)},
                                      {Py_tp_iter, slot(iterate)},
                                      {Py_mp_length, slot(length)},
                                      {Py_mp_subscript, slot(tensor_subscript)},
                                      {Py_mp_ass_subscript, slot(tensor_assign_subscript)},
                                      {Py_sq_contains, slot(contains)}};
  count = sizeof(slots) / sizeof(slots[0]);
  return slots;
}

}  // namespace paddle::bindings
