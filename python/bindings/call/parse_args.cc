// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Conversion of each schema type from what users write for it.
#include "python/bindings/call/parse_args.h"

#include <cstdlib>

#include "paddle_core/type/promotion.h"
#include "python/bindings/base/errors.h"
#include "python/bindings/base/reference.h"
#include "python/bindings/values/deferred.h"
#include "python/bindings/values/dtype.h"
#include "python/bindings/values/interop.h"
#include "python/bindings/values/op_call.h"
#include "python/bindings/values/symint.h"
#include "python/bindings/values/tensor_object.h"

namespace paddle::bindings {

void* ArgArena::more(size_t n) {
  auto* o = static_cast<Overflow*>(std::malloc(n + sizeof(Overflow)));
  if (!o) throw std::bad_alloc();
  o->next = overflow_;
  overflow_ = o;
  return o + 1;
}

void ArgArena::free_overflow() {
  while (overflow_) {
    Overflow* next = overflow_->next;
    std::free(overflow_);
    overflow_ = next;
  }
}

Tensor* ArgArena::tensors(size_t n) {
  auto* block = static_cast<TensorBlock*>(bytes(sizeof(TensorBlock) + 8 + n * sizeof(Tensor)));
  auto* first = reinterpret_cast<Tensor*>(block + 1);
  for (size_t i = 0; i < n; ++i) new (first + i) Tensor();
  *block = {blocks_, n, nullptr};
  blocks_ = block;
  ++num_tensors_;
  return first;
}

TensorImpl* ArgArena::keep(Tensor t) {
  Tensor* own = tensors(1);
  *own = std::move(t);
  return own->impl();
}

PyObject* ArgArena::keep_object(Ref o) {
  tensors(0);
  blocks_->object = o.release();
  return blocks_->object;
}

void ArgArena::destroy_tensors() {
  for (TensorBlock* b = blocks_; b; b = b->next) {
    auto* first = reinterpret_cast<Tensor*>(b + 1);
    for (size_t i = 0; i < b->count; ++i) first[i].~Tensor();
    Py_XDECREF(b->object);
  }
}

namespace {

struct Where {
  const char* fn;
  const char* name;
};

// What PySequence_Fast_GET_ITEM reads.
bool is_sequence(PyObject* o) { return PyList_Check(o) || PyTuple_Check(o); }

// Arrays and lists become Tensors where the caller says so.
std::string remedy(std::string_view wanted, const std::string& name, PyObject* got) {
  const bool holds_values = is_sequence(got) || type_of(got) == "numpy.ndarray";
  const bool helps = holds_values && wanted.starts_with("a Tensor");
  return helps ? str("; pass paddle.to_tensor(", name, ").") : ".";
}

[[noreturn, gnu::noinline]] void wrong_type(Where w, const char* wanted, PyObject* got) {
  throw_type(str(w.fn, ": argument ", w.name, " must be ", wanted, ", got ", described(got),
                 remedy(wanted, w.name, got)));
}

// The element of a Tensor in a number's place. `what`: the conversion that asks for it.
Scalar element_of(PyObject* o, Where w, const char* wanted, const char* what) {
  const Tensor& t = tensor_of(o);
  if (t.has_storage() && t.numel() != 1) {
    throw_assertion(str(w.fn, ": argument ", w.name, " must be ", wanted,
                        ", got a Tensor of shape ", t.shape(), "; pass one element of it."));
  }
  return value_of(t, what);
}

int64_t int_of(PyObject* o, Where w, const char* wanted) {
  if (!PyLong_Check(o)) {
    if (is_tensor(o)) return element_of(o, w, wanted, "int()").to_int();
    Scalar s;
    if (!PyIndex_Check(o) && to_scalar(o, s) && s.kind() == Scalar::Kind::kFloat &&
        s.to_double() == static_cast<double>(s.to_int())) {
      return s.to_int();
    }
    if (!PyIndex_Check(o)) wrong_type(w, wanted, o);
  }
  const Ref index(PyNumber_Index(o));
  if (!index) {
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) throw_python();
    PyErr_Clear();  // an array of several numbers
    wrong_type(w, wanted, o);
  }
  int overflow = 0;
  const int64_t v = PyLong_AsLongLongAndOverflow(index.get(), &overflow);
  if (v == -1 && !overflow && PyErr_Occurred()) throw_python();
  PADDLE_CHECK_KIND(ErrorKind::kOverflow, overflow == 0, w.fn, ": ", w.name,
                    " holds a number beyond 64 bits; use a smaller one.");
  return v;
}

Dim dim_of(PyObject* o, Where w, const char* wanted) {
  if (const auto d = symbolic_extent(o)) return *d;
  return Dim::clamped(int_of(o, w, wanted));
}

double float_of(PyObject* o, Where w) {
  if (PyFloat_Check(o)) return PyFloat_AS_DOUBLE(o);
  if (is_tensor(o)) return element_of(o, w, "a number", "float()").to_double();
  if (!PyNumber_Check(o) || PyComplex_Check(o)) wrong_type(w, "a number", o);
  const double v = PyFloat_AsDouble(o);
  if (v == -1 && PyErr_Occurred()) {
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) throw_python();
    PyErr_Clear();
    wrong_type(w, "a number", o);
  }
  return v;
}

bool bool_of(PyObject* o, Where w) {
  if (o == Py_True) return true;
  if (o == Py_False) return false;
  Scalar s;
  if (is_tensor(o)) return element_of(o, w, "a bool", "bool()").to_bool();
  if (!to_scalar(o, s)) wrong_type(w, "a bool", o);
  return s.to_bool();
}

Slot tensor_list_slot(PyObject* o, ArgArena& arena, Where w, bool takes_none) {
  if (is_tensor(o)) return Slot::of(&tensor_of(o), 1);
  if (!is_sequence(o)) wrong_type(w, "a list or tuple of Tensors", o);
  const Py_ssize_t n = PySequence_Fast_GET_SIZE(o);
  Tensor* list = arena.tensors(static_cast<size_t>(n));
  for (Py_ssize_t i = 0; i < n; ++i) {
    PyObject* item = PySequence_Fast_GET_ITEM(o, i);
    if (is_tensor(item)) {
      list[i] = tensor_of(item);
    } else if (item != Py_None || !takes_none) {
      throw_type(str(w.fn, ": element ", i, " of argument ", w.name, " must be a Tensor, got ",
                     type_of(item), remedy("a Tensor", str(w.name, '[', i, ']'), item)));
    }
  }
  return Slot::of(list, static_cast<size_t>(n));
}

Slot floats_slot(PyObject* o, ArgArena& arena, Where w) {
  if (!is_sequence(o)) {
    double* one = arena.array<double>(1);
    *one = float_of(o, w);
    return Slot::of_floats(one, 1);
  }
  const Py_ssize_t n = PySequence_Fast_GET_SIZE(o);
  double* values = arena.array<double>(static_cast<size_t>(n));
  for (Py_ssize_t i = 0; i < n; ++i) values[i] = float_of(PySequence_Fast_GET_ITEM(o, i), w);
  return Slot::of_floats(values, static_cast<size_t>(n));
}

Slot string_slot(PyObject* o, Where w) {
  if (!PyUnicode_Check(o)) wrong_type(w, "a str", o);
  Py_ssize_t n;
  const char* text = PyUnicode_AsUTF8AndSize(o, &n);
  if (!text) throw_python();
  return Slot::of(std::string_view(text, static_cast<size_t>(n)));
}

Slot scalar_slot(PyObject* o, ArgArena& arena, Where w) {
  if (is_tensor(o)) {
    const Tensor& t = tensor_of(o);
    // A constant of the program that is captured may decide a shape, as an axis does.
    Dim known;
    const bool constant = captured_extent(t, known) && !known.is_symbolic();
    return constant ? Slot::of(*arena.keep(Scalar(known.value()))) : Slot::of(t);
  }
  if (is_symint(o)) {
    Ref number = checked(PyObject_CallMethod(o, "as_tensor", nullptr));
    return Slot::of(tensor_of(arena.keep_object(std::move(number))));
  }
  Scalar s;
  if (!to_scalar(o, s)) wrong_type(w, "a number or a Tensor with one element", o);
  return Slot::of(*arena.keep(s));
}

void tensor_slot(const OpDef& op, int arg, PyObject* o, Slot& slot, ArgArena& arena, Where w) {
  if (is_tensor(o)) [[likely]] {
    slot = Slot::of(tensor_of(o));
    return;
  }
  Scalar s;
  if (to_scalar(o, s)) {
    arena.add_number(arg, s);
    return;
  }
  wrong_type(w, op.num_tensor_args > 1 ? "a Tensor or a number" : "a Tensor", o);
}

// An integer, or an array of an integer without dimensions such as numpy.int64(1).
bool is_one_index(PyObject* o) {
  if (!PyIndex_Check(o)) return false;
  if (!is_array_like(o)) return true;
  if (PySequence_Size(o) >= 0) return false;
  PyErr_Clear();
  return true;
}

}  // namespace

void fill_ints(PyObject* value, Slot& slot, ArgArena& arena, const char* fn, const char* name) {
  const Where w{fn, name};
  if (is_tensor(value)) {
    slot = Slot::of(tensor_of(value));
    if (Shape known; captured_sizes(tensor_of(value), known)) {
      Dim* dims = arena.array<Dim>(known.size());
      std::copy(known.begin(), known.end(), dims);
      slot = Slot::of(dims, known.size());
    }
    return;
  }
  Ref as_list;
  if (!is_sequence(value)) {
    if (is_one_index(value)) {
      Dim* one = arena.array<Dim>(1);
      *one = dim_of(value, w, "an int");
      slot = Slot::of(one, 1);
      return;
    }
    if (PyUnicode_Check(value) || !PySequence_Check(value)) {
      wrong_type(w, "an int, a Tensor, or a list of ints and Tensors", value);
    }
    as_list = checked(PySequence_List(value));
    value = arena.keep_object(std::move(as_list));
  }
  const Py_ssize_t n = PySequence_Fast_GET_SIZE(value);
  Dim* dims = arena.array<Dim>(static_cast<size_t>(n));
  for (Py_ssize_t i = 0; i < n; ++i) {
    dims[i] = dim_of(PySequence_Fast_GET_ITEM(value, i), w, "a list of ints");
  }
  slot = Slot::of(dims, static_cast<size_t>(n));
}

void fill_slot(const OpDef& op, int arg, PyObject* value, Slot& slot, ArgArena& arena,
               const char* fn, const char* name) {
  const ArgSpec& spec = op.schema().args[static_cast<size_t>(arg)];
  const Where w{fn, name};
  if (value == Py_None) {
    if (spec.is_tensor() && !spec.optional) {
      wrong_type(w, spec.type == ArgType::kTensor ? "a Tensor" : "a list of Tensors", value);
    }
    return;
  }
  switch (spec.type) {
    case ArgType::kTensor:
      return tensor_slot(op, arg, value, slot, arena, w);
    case ArgType::kTensorList:
      slot = tensor_list_slot(value, arena, w, spec.optional);
      return;
    case ArgType::kBool:
      slot = Slot::of_bool(bool_of(value, w));
      return;
    case ArgType::kInt:
    case ArgType::kInt64:
      slot = Slot::of_int(int_of(value, w, "an int"));
      return;
    case ArgType::kFloat:
    case ArgType::kDouble:
      slot = Slot::of_float(float_of(value, w));
      return;
    case ArgType::kString:
      slot = string_slot(value, w);
      return;
    case ArgType::kScalar:
      slot = scalar_slot(value, arena, w);
      return;
    case ArgType::kIntArray:
    case ArgType::kInts:
    case ArgType::kInt64s:
      return fill_ints(value, slot, arena, fn, name);
    case ArgType::kFloats:
      slot = floats_slot(value, arena, w);
      return;
    case ArgType::kDType: {
      DType t;
      if (!to_dtype(value, t)) wrong_type(w, "a dtype such as 'float32'", value);
      slot = Slot::of(t);
      return;
    }
    case ArgType::kPlace: {
      Place p;
      if (!to_place(value, p)) wrong_type(w, "a place such as paddle.CPUPlace()", value);
      slot = Slot::of(p);
      return;
    }
  }
}

Tensor number_tensor(const Scalar& s, DType other) {
  DType t;
  if (other != DType::kUndefined) {
    t = promote_with_scalar(other, s, default_float);
  } else if (s.kind() == Scalar::Kind::kFloat) {
    t = default_float;
  } else if (s.kind() == Scalar::Kind::kComplex) {
    t = complex_of(default_float);
  } else {
    t = s.kind() == Scalar::Kind::kBool ? DType::kBool : DType::kInt64;
  }
  // A captured program holds the number itself, not a tensor of this process.
  if (capturing()) [[unlikely]] {
    const Shape scalar_shape{};
    return OpCall("full")
        .set("shape", Slot::of(scalar_shape))
        .set("value", Slot::of(s))
        .set("dtype", Slot::of(t))
        .run();
  }
  return Tensor::full(Shape{}, s, t);
}

void resolve_numbers(const OpDef& op, Slot* slots, ArgArena& arena) {
  DType other = DType::kUndefined;
  for (int i = 0; i < op.num_args && other == DType::kUndefined; ++i) {
    if (slots[i].kind == SlotKind::kTensor &&
        op.schema().args[static_cast<size_t>(i)].is_tensor()) {
      other = slots[i].tensor->dtype;
    }
  }
  if (other == DType::kUndefined) {
    const int arg = arena.number(0).arg;
    throw_type(str(op.schema().name, ": argument ", op.schema().args[static_cast<size_t>(arg)].name,
                   " is a number and no other argument is a Tensor; pass a Tensor, such as "
                   "paddle.to_tensor(value)."));
  }
  for (int i = 0; i < arena.num_numbers(); ++i) {
    const ArgArena::Number& n = arena.number(i);
    slots[n.arg] = Slot::of(arena.keep(number_tensor(n.value, other)));
  }
}

Slot default_slot(const ArgSpec& spec) {
  // The default place is that of the call, not of the time when a function's plan is made.
  if (spec.type == ArgType::kPlace) return Slot::of(Place{DeviceKind::kUndefined, 0, 0});
  if (spec.has_default) return spec.default_value.slot();
  switch (spec.type) {
    case ArgType::kIntArray:
    case ArgType::kInts:
    case ArgType::kInt64s:
      return Slot::of(static_cast<const Dim*>(nullptr), 0);
    case ArgType::kFloats:
      return Slot::of_floats(nullptr, 0);
    case ArgType::kDType:
      return Slot::of(DType::kUndefined);
    default:
      return Slot();
  }
}

bool power_of_constant(const Tensor& x, const Scalar& exponent, Tensor& out) {
  if (!has_op("pow") || promote_with_scalar(x.dtype(), exponent, default_float) != x.dtype()) {
    return false;
  }
  out = OpCall("pow").at(0, Slot::of(x)).at(1, Slot::of(exponent)).run();
  return true;
}

}  // namespace paddle::bindings
