// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers, nested lists, buffers, NumPy arrays and DLPack capsules from and to tensors. NumPy is
// used through the buffer protocol and imported only when an array is asked for.
#include "python/bindings/values/interop.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "paddle_core/tensor/dlpack.h"
#include "paddle_core/tensor/host_values.h"
#include "paddle_core/tensor/sharded_part.h"
#include "paddle_core/type/promotion.h"
#include "python/bindings/base/errors.h"
#include "python/bindings/base/reference.h"
#include "python/bindings/values/deferred.h"
#include "python/bindings/values/dtype.h"
#include "python/bindings/values/op_call.h"
#include "python/bindings/values/tensor_object.h"

namespace paddle::bindings {

namespace {

bool is_numpy(PyObject* o) { return std::strncmp(Py_TYPE(o)->tp_name, "numpy.", 6) == 0; }
bool is_ndarray(PyObject* o) { return std::strcmp(Py_TYPE(o)->tp_name, "numpy.ndarray") == 0; }

DType dtype_of_format(const char* f, Py_ssize_t itemsize) {
  if (!f) return DType::kUInt8;
  if (*f == '@' || *f == '=' || *f == '<' || *f == '|') ++f;
  if (f[0] == 'Z') return itemsize == 8 ? DType::kComplex64 : DType::kComplex128;
  switch (*f) {
    case '?':
      return DType::kBool;
    case 'B':
    case 'c':
      return DType::kUInt8;
    case 'b':
      return DType::kInt8;
    case 'H':
      return DType::kBFloat16;  // NumPy's uint16 carries bfloat16, as in Paddle
    case 'e':
      return DType::kFloat16;
    case 'f':
      return DType::kFloat32;
    case 'd':
      return DType::kFloat64;
    case 'h':
      return DType::kInt16;
    case 'i':
    case 'l':
    case 'q':
      return itemsize == 8 ? DType::kInt64 : itemsize == 4 ? DType::kInt32 : DType::kUndefined;
    default:
      return DType::kUndefined;
  }
}

const char* numpy_name(DType t) {
  switch (t) {
    case DType::kBFloat16:
      return "uint16";
    case DType::kFloat8E4M3:
    case DType::kFloat8E5M2:
      return "uint8";
    default:
      return name_of(t).data();
  }
}

// Copies a strided buffer into contiguous memory.
void copy_strided(char* dst, const char* src, const Py_buffer& b, int axis) {
  if (axis == b.ndim) {
    std::memcpy(dst, src, static_cast<size_t>(b.itemsize));
    return;
  }
  Py_ssize_t block = b.itemsize;
  for (int i = axis + 1; i < b.ndim; ++i) block *= b.shape[i];
  for (Py_ssize_t i = 0; i < b.shape[axis]; ++i) {
    copy_strided(dst + i * block, src + i * b.strides[axis], b, axis + 1);
  }
}

Tensor from_buffer(PyObject* o) {
  Py_buffer b;
  checked(PyObject_GetBuffer(o, &b, PyBUF_STRIDES | PyBUF_FORMAT));
  struct Release {
    Py_buffer* b;
    ~Release() { PyBuffer_Release(b); }
  } release{&b};
  const DType t = dtype_of_format(b.format, b.itemsize);
  PADDLE_CHECK_TYPE(t != DType::kUndefined, "to_tensor: data has the element format ",
                    b.format ? b.format : "B",
                    ", which no tensor dtype holds; convert it, e.g. with data.astype('int64').");
  Shape shape;
  for (int i = 0; i < b.ndim; ++i) shape.push_back(Dim(b.shape[i]));
  Tensor out = Tensor::empty(shape, t);
  if (b.len > 0) {
    if (PyBuffer_IsContiguous(&b, 'C')) {
      std::memcpy(out.raw_data(), b.buf, static_cast<size_t>(b.len));
    } else {
      copy_strided(out.data<char>(), static_cast<const char*>(b.buf), b, 0);
    }
  }
  return out;
}

Tensor from_array(PyObject* o) {
  if (PyObject_CheckBuffer(o)) return from_buffer(o);
  const Ref array = checked(PyObject_CallMethod(o, "__array__", nullptr));
  return from_buffer(array.get());
}

// -- nested lists -------------------------------------------------------------------------------

bool is_list(PyObject* o) { return PyList_Check(o) || PyTuple_Check(o); }

struct ListScan {
  Shape shape;
  bool has_bool = false, has_int = false, has_float = false, has_complex = false;
  bool has_tensor = false, has_array = false;
  DType kind() const {
    if (has_complex) return complex_of(default_float);
    if (has_float) return default_float;
    if (has_int) return DType::kInt64;
    return has_bool ? DType::kBool : default_float;
  }
};

constexpr size_t kDeepest = 64;  // lists in lists; NumPy's bound too

void scan(PyObject* o, size_t depth, ListScan& s) {
  if (is_list(o)) {
    PADDLE_CHECK_VALUE(depth < kDeepest, "to_tensor: data has lists in more than ", kDeepest,
                       " levels; a tensor has at most as many axes; flatten it.");
    const Py_ssize_t n = PySequence_Fast_GET_SIZE(o);
    if (s.shape.size() == depth) s.shape.push_back(Dim(n));
    PADDLE_CHECK_VALUE(s.shape[depth] == Dim(n), "to_tensor: data has rows of lengths ",
                       s.shape[depth], " and ", n, "; all must have the same length.");
    for (Py_ssize_t i = 0; i < n; ++i) scan(PySequence_Fast_GET_ITEM(o, i), depth + 1, s);
    return;
  }
  if (is_tensor(o) || is_array_like(o) || PyRange_Check(o)) {
    (is_tensor(o) ? s.has_tensor : s.has_array) = true;
    return;
  }
  Scalar v;
  if (!to_scalar(o, v)) {
    throw_type(str("to_tensor: data holds an object of type ", type_of(o),
                   "; use numbers, arrays or Tensors."));
  }
  PADDLE_CHECK_VALUE(
      s.shape.size() == depth,
      "to_tensor: data mixes numbers and lists at one depth; all rows must have the same depth.");
  s.has_bool |= v.kind() == Scalar::Kind::kBool;
  s.has_int |= v.kind() == Scalar::Kind::kInt;
  s.has_float |= v.kind() == Scalar::Kind::kFloat;
  s.has_complex |= v.kind() == Scalar::Kind::kComplex;
}

template <typename T>
void store(PyObject* o, T*& out) {
  if (is_list(o)) {
    const Py_ssize_t n = PySequence_Fast_GET_SIZE(o);
    for (Py_ssize_t i = 0; i < n; ++i) store(PySequence_Fast_GET_ITEM(o, i), out);
    return;
  }
  Scalar v;
  to_scalar(o, v);
  *out++ = v.to<T>();
}

void store_all(PyObject* o, const Tensor& t) {
  switch (t.dtype()) {
#define PADDLE_STORE(T, name) \
  case DType::name: {         \
    T* out = t.data<T>();     \
    return store<T>(o, out);  \
  }
    PADDLE_FOR_ALL_DTYPES(PADDLE_STORE)
#undef PADDLE_STORE
    case DType::kUndefined:
      return;
  }
}

// The dtype of a list of arrays: what holds all of them, in the width that numbers in a list get.
DType dtype_of_arrays(const TensorList& rows) {
  DType t = rows[0].dtype();
  for (const Tensor& row : rows) t = promote_types(t, row.dtype());
  if (is_complex(t)) return complex_of(default_float);
  if (is_floating(t) && t != DType::kBFloat16) return default_float;
  return t == DType::kInt32 ? DType::kInt64 : t;
}

Tensor from_list(PyObject* o, DType dtype) {
  ListScan s;
  scan(o, 0, s);
  if (s.has_tensor || s.has_array) {
    TensorList rows;
    const Py_ssize_t n = PySequence_Fast_GET_SIZE(o);
    for (Py_ssize_t i = 0; i < n; ++i) {
      rows.push_back(make_tensor(PySequence_Fast_GET_ITEM(o, i), dtype));
    }
    DType common = rows[0].dtype();
    if (!s.has_tensor && dtype == DType::kUndefined) common = dtype_of_arrays(rows);
    for (Tensor& row : rows) {
      if (row.dtype() != common) row = cast_to(row, common);
    }
    return OpCall("stack").at(0, Slot::of(rows)).run();
  }
  const Tensor t = Tensor::empty(s.shape, dtype == DType::kUndefined ? s.kind() : dtype);
  if (t.numel() > 0) store_all(o, t);
  return t;
}

// -- to Python ----------------------------------------------------------------------------------

template <typename T>
PyObject* number_object(T v) {
  if constexpr (std::is_same_v<T, bool>) {
    return PyBool_FromLong(v);
  } else if constexpr (std::is_integral_v<T>) {
    return PyLong_FromLongLong(v);
  } else if constexpr (std::is_same_v<T, std::complex<float>> ||
                       std::is_same_v<T, std::complex<double>>) {
    return PyComplex_FromDoubles(v.real(), v.imag());
  } else {
    return PyFloat_FromDouble(static_cast<double>(v));
  }
}

PyObject* element(const Tensor& t, int64_t i) {
  switch (t.dtype()) {
#define PADDLE_ELEMENT(T, name) \
  case DType::name:             \
    return number_object<T>(t.data<T>()[i]);
    PADDLE_FOR_ALL_DTYPES(PADDLE_ELEMENT)
#undef PADDLE_ELEMENT
    case DType::kUndefined:
      break;
  }
  Py_RETURN_NONE;
}

PyObject* rows(const Tensor& t, int64_t axis, int64_t& at) {
  if (axis == t.ndim()) return element(t, at++);
  const int64_t n = t.size(axis);
  Ref list = checked(PyList_New(n));
  for (int64_t i = 0; i < n; ++i) {
    PyObject* o = rows(t, axis + 1, at);
    if (!o) throw_python();
    PyList_SET_ITEM(list.get(), i, o);
  }
  return list.release();
}

// The values of a distributed tensor, which all ranks of its mesh ask for.
Tensor whole_of(const Tensor& t) {
  const ModeGuard no_grad(kModeAutograd);
  return OpCall("unshard").at(0, Slot::of(t)).run();
}

Tensor host_values(const Tensor& t, const char* what) {
  if (t->sharded) return host_values(whole_of(t), what);
  materialize_values(t, what);
  if (CaptureSink* sink = capture_sink(); sink && !t.has_storage()) sink->value_requested(t, what);
  PADDLE_CHECK_RUNTIME(t.has_storage(), what, ": the tensor has a shape but no values.");
  return contiguous_on_host(t);
}

// -- module functions ---------------------------------------------------------------------------

PyObject* py_to_tensor(PyObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"data", "dtype", "place", "stop_gradient", nullptr};
  PyObject *data, *dtype = Py_None, *place = Py_None;
  int stop = 1;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|OOp:to_tensor", const_cast<char**>(names),
                                   &data, &dtype, &place, &stop)) {
    return nullptr;
  }
  return guarded([&]() -> PyObject* {
    DType t = DType::kUndefined;
    if (dtype != Py_None && !to_dtype(dtype, t)) {
      throw_type(str("to_tensor: argument dtype must be a dtype such as 'float32', got ",
                     type_of(dtype), "."));
    }
    Place p;
    if (place != Py_None && !to_place(place, p)) {
      throw_type(str("to_tensor: argument place must be a place, got ", type_of(place), "."));
    }
    if (place == Py_None) p = default_place();
    device_of(p);  // raises when there is none
    Tensor out;
    if (is_tensor(data)) {
      const Tensor& source = tensor_of(data);
      const ModeGuard no_grad(kModeAutograd);
      materialize_values(source, "to_tensor()");
      out = source.has_storage()
                ? Tensor::empty(source.shape(), t == DType::kUndefined ? source.dtype() : t, p)
                : OpCall("assign").at(0, Slot::of(source)).run();
      if (source.has_storage()) out.copy_data_from(source);
    } else {
      out = make_tensor(data, t);
    }
    if (out.has_storage() && !(out.place() == p)) {
      const Tensor there = Tensor::empty(out.shape(), out.dtype(), p);
      there.copy_data_from(out);
      out = there;
    }
    // In a captured program the tensor is made on every run, as the function would.
    if (capturing() && out.has_storage()) [[unlikely]] {
      out = OpCall("assign").at(0, Slot::of(out)).run();
    }
    // A list of tensors has the history of its rows; the result of to_tensor is a leaf.
    if (!out->stop_gradient || out->autograd) out = out.detach();
    if (!stop) {
      out->stop_gradient = false;
      out->keys |= kModeAutograd;
    }
    return wrap(std::move(out));
  });
}

// -- DLPack -------------------------------------------------------------------------------------

constexpr uint8_t kDlInt = 0, kDlUInt = 1, kDlFloat = 2, kDlBfloat = 4, kDlComplex = 5, kDlBool = 6;

dlpack::DataType dl_type(DType t) {
  const auto bits = static_cast<uint8_t>(8 * size_of(t));
  if (is_bool(t)) return {kDlBool, bits, 1};
  if (t == DType::kUInt8) return {kDlUInt, bits, 1};
  if (is_integer(t)) return {kDlInt, bits, 1};
  if (t == DType::kBFloat16) return {kDlBfloat, bits, 1};
  if (is_complex(t)) return {kDlComplex, bits, 1};
  PADDLE_CHECK_TYPE(!is_float8(t), "__dlpack__: dtype ", t, " has no DLPack type; cast it first.");
  return {kDlFloat, bits, 1};
}

struct Export {
  dlpack::Managed managed;
  Tensor tensor;
  std::vector<int64_t> shape, strides;
};

void capsule_died(PyObject* capsule) {
  if (!PyCapsule_IsValid(capsule, "dltensor")) return;
  auto* m = static_cast<dlpack::Managed*>(PyCapsule_GetPointer(capsule, "dltensor"));
  if (m && m->deleter) m->deleter(m);
}

Tensor from_capsule(PyObject* capsule) {
  auto* m = static_cast<dlpack::Managed*>(PyCapsule_GetPointer(capsule, "dltensor"));
  if (!m) throw_python();
  const dlpack::TensorView& d = m->tensor;
  PADDLE_CHECK_VALUE(d.device.type == 1, "from_dlpack: the data is on device type ", d.device.type,
                     "; only host memory (1) can be taken.");
  for (int i = 0; d.strides && i < std::min(d.ndim, kMaxRank); ++i) {
    PADDLE_CHECK_VALUE(d.strides[i] >= 0,
                       "from_dlpack: negative strides are not supported; pass a copy.");
  }
  Tensor taken = dlpack::from_dlpack(m);
  checked(PyCapsule_SetName(capsule, "used_dltensor"));
  return taken;
}

PyObject* py_from_dlpack(PyObject*, PyObject* arg) {
  return guarded([&] {
    if (PyCapsule_CheckExact(arg)) return wrap(from_capsule(arg));
    const Ref capsule = checked(PyObject_CallMethod(arg, "__dlpack__", nullptr));
    return wrap(from_capsule(capsule.get()));
  });
}

// What pickles of tensors call: (type, array, dtype, stop_gradient, persistable, is_parameter).
PyObject* rebuild_tensor(PyObject*, PyObject* args) {
  PyObject *type, *array, *dtype;
  int stop, persistable, parameter;
  if (!PyArg_ParseTuple(args, "O!OOiii:_rebuild_tensor", &PyType_Type, &type, &array, &dtype, &stop,
                        &persistable, &parameter)) {
    return nullptr;
  }
  return guarded([&]() -> PyObject* {
    auto* cls = reinterpret_cast<PyTypeObject*>(type);
    DType t;
    if (!to_dtype(dtype, t) || !PyType_IsSubtype(cls, tensor_type)) {
      throw_type("_rebuild_tensor: the pickle holds no tensor.");
    }
    Tensor out = from_array(array);
    // 8-bit floats travel as bytes.
    if (out.dtype() != t && size_of(out.dtype()) == size_of(t)) out->dtype = t;
    out->stop_gradient = stop != 0;
    if (!stop) out->keys |= kModeAutograd;
    out->persistable = persistable != 0;
    out->is_parameter = parameter != 0;
    return wrap_as(cls, std::move(out));
  });
}

}  // namespace

PyMethodDef interop_methods[] = {
    {"_rebuild_tensor", rebuild_tensor, METH_VARARGS, nullptr},
    {"to_tensor", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(py_to_tensor)),
     METH_VARARGS | METH_KEYWORDS, "A new tensor with a copy of data."},
    {"from_dlpack", py_from_dlpack, METH_O, "A tensor over the memory of a DLPack object."},
    {nullptr, nullptr, 0, nullptr}};

PyObject* tensor_dlpack(PyObject* self, PyObject*, PyObject*) {
  return guarded([&]() -> PyObject* {
    const Tensor& t = tensor_of(self);
    materialize_values(t, "__dlpack__()");
    if (t->sharded) refuse_sharded(*t.impl(), "__dlpack__");
    PADDLE_CHECK_RUNTIME(t.has_storage(), "__dlpack__: the tensor has a shape but no values.");
    PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, t.place().is_host(), "__dlpack__: x is on ",
                      t.place(), "; DLPack has no number for that device: pass x.cpu().");
    auto* e = new Export{{},
                         t,
                         {},
                         t.strides().empty()
                             ? std::vector<int64_t>{}
                             : std::vector<int64_t>(t.strides().begin(), t.strides().end())};
    for (const Dim& d : t.shape()) e->shape.push_back(d.value());
    e->managed.context = e;
    e->managed.deleter = [](dlpack::Managed* m) { delete static_cast<Export*>(m->context); };
    e->managed.tensor = {t.raw_data(),
                         {1, 0},
                         static_cast<int32_t>(t.ndim()),
                         dl_type(t.dtype()),
                         e->shape.data(),
                         e->strides.data(),
                         0};
    PyObject* capsule = PyCapsule_New(&e->managed, "dltensor", capsule_died);
    if (!capsule) delete e;
    return capsule;
  });
}

PyObject* tensor_dlpack_device(PyObject*, PyObject*) {
  const Ref module(PyImport_ImportModule("paddle.utils.dlpack"));
  if (!module) return nullptr;
  const Ref kinds(PyObject_GetAttrString(module.get(), "DLDeviceType"));
  const Ref cpu(kinds ? PyObject_GetAttrString(kinds.get(), "kDLCPU") : nullptr);
  return cpu ? Py_BuildValue("(OO)", cpu.get(), Py_None) : nullptr;
}

bool to_scalar(PyObject* o, Scalar& out) {
  if (PyFloat_Check(o)) return out = Scalar(PyFloat_AS_DOUBLE(o)), true;
  if (PyBool_Check(o)) return out = Scalar(o == Py_True), true;
  if (PyLong_Check(o)) {
    const int64_t v = PyLong_AsLongLong(o);
    if (v == -1 && PyErr_Occurred()) throw_python();
    return out = Scalar(v), true;
  }
  if (PyComplex_Check(o)) {
    out = Scalar(std::complex<double>(PyComplex_RealAsDouble(o), PyComplex_ImagAsDouble(o)));
    return true;
  }
  if (!is_numpy(o) || is_ndarray(o) || !PyNumber_Check(o)) return false;
  const char* name = Py_TYPE(o)->tp_name + 6;
  if (std::strncmp(name, "bool", 4) == 0) return out = Scalar(PyObject_IsTrue(o) == 1), true;
  if (std::strncmp(name, "complex", 7) == 0) {
    const Ref c = checked(PyObject_CallMethod(o, "__complex__", nullptr));
    return to_scalar(c.get(), out);
  }
  const bool integral = PyIndex_Check(o);
  const Ref number = checked(integral ? PyNumber_Index(o) : PyNumber_Float(o));
  return to_scalar(number.get(), out);
}

bool is_array_like(PyObject* o) {
  if (is_ndarray(o)) return true;
  if (PyLong_Check(o) || PyFloat_Check(o) || PyUnicode_Check(o) || is_list(o) || PyType_Check(o)) {
    return false;
  }
  return PyObject_HasAttrString(o, "__array__");
}

Tensor make_tensor(PyObject* data, DType dtype) {
  if (is_tensor(data))
    return dtype == DType::kUndefined ? tensor_of(data) : cast_to(tensor_of(data), dtype);
  if (is_list(data)) return from_list(data, dtype);
  if (PyRange_Check(data)) return from_list(checked(PySequence_List(data)).get(), dtype);
  Tensor out;
  Scalar s;
  if (is_numpy(data) || is_array_like(data)) {
    out = from_array(data);
  } else if (to_scalar(data, s)) {
    DType t = dtype;
    if (t == DType::kUndefined) {
      t = s.kind() == Scalar::Kind::kBool    ? DType::kBool
          : s.kind() == Scalar::Kind::kInt   ? DType::kInt64
          : s.kind() == Scalar::Kind::kFloat ? default_float
                                             : complex_of(default_float);
    }
    return Tensor::full(Shape{}, s, t);
  } else if (PyObject_CheckBuffer(data)) {
    out = from_buffer(data);
  } else if (PySequence_Check(data) && !PyUnicode_Check(data)) {
    const Ref list = checked(PySequence_List(data));
    return from_list(list.get(), dtype);
  } else {
    throw_type(str("to_tensor: argument data must be a number, list, array or Tensor, got ",
                   type_of(data), "."));
  }
  if (dtype == DType::kUndefined || dtype == out.dtype()) return out;
  Tensor converted = Tensor::empty(out.shape(), dtype);
  converted.copy_data_from(out);
  return converted;
}

// numpy.empty, looked up once.
PyObject* numpy_empty() {
  static PyObject* function = nullptr;
  if (!function) {
    const Ref numpy = checked(PyImport_ImportModule("numpy"));
    function = checked(PyObject_GetAttrString(numpy.get(), "empty")).release();
  }
  return function;
}

// The numpy.dtype of arrays for a dtype, made once.
PyObject* numpy_dtype(DType t) {
  static PyObject* made[kNumDTypes];
  PyObject*& dtype = made[static_cast<size_t>(t)];
  if (!dtype) {
    const Ref numpy = checked(PyImport_ImportModule("numpy"));
    dtype = checked(PyObject_CallMethod(numpy.get(), "dtype", "s", numpy_name(t))).release();
  }
  return dtype;
}

PyObject* tensor_to_numpy(const Tensor& t) {
  const Tensor source = host_values(t, "numpy()");
  Ref shape = checked(PyTuple_New(t.ndim()));
  for (int64_t i = 0; i < t.ndim(); ++i) {
    PyTuple_SET_ITEM(shape.get(), i, PyLong_FromLongLong(t.size(i)));
  }
  PyObject* const arguments[] = {shape.get(), numpy_dtype(t.dtype())};
  Ref array = checked(PyObject_Vectorcall(numpy_empty(), arguments, 2, nullptr));
  if (t.numel() > 0) {
    Py_buffer b;
    checked(PyObject_GetBuffer(array.get(), &b, PyBUF_WRITABLE | PyBUF_C_CONTIGUOUS));
    std::memcpy(b.buf, source.raw_data(), static_cast<size_t>(b.len));
    PyBuffer_Release(&b);
  }
  return array.release();
}

PyObject* tensor_to_list(const Tensor& t) {
  const Tensor source = host_values(t, "tolist()");
  int64_t at = 0;
  return rows(source, 0, at);
}

PyObject* scalar_to_python(const Scalar& s) {
  switch (s.kind()) {
    case Scalar::Kind::kBool:
      return PyBool_FromLong(s.to_bool());
    case Scalar::Kind::kInt:
      return PyLong_FromLongLong(s.to_int());
    case Scalar::Kind::kFloat:
      return PyFloat_FromDouble(s.to_double());
    case Scalar::Kind::kComplex:
      break;
  }
  return PyComplex_FromDoubles(s.to_complex().real(), s.to_complex().imag());
}

Scalar value_of(const Tensor& t, const char* what) {
  if (t->sharded) return value_of(whole_of(t), what);
  materialize_values(t, what);
  if (CaptureSink* sink = capture_sink(); sink && !t.has_storage()) sink->value_requested(t, what);
  PADDLE_CHECK_RUNTIME(t.has_storage(), what, ": the tensor has a shape but no values.");
  if (t.numel() != 1) {
    throw_assertion(str(what, ": the tensor has shape ", t.shape(),
                        "; only a tensor with one element has a single value; reduce it first, "
                        "e.g. with .all(), .any() or .sum()."));
  }
  return t.item();
}

}  // namespace paddle::bindings
