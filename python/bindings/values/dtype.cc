// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// paddle.dtype (one object per element type, equal to its name) and the places CPUPlace and
// CUDAPlace, with the conversions from what users write for them.
#include "python/bindings/values/dtype.h"

#include <cstring>
#include <iterator>
#include <utility>

#include "paddle_core/base/error.h"
#include "paddle_core/device/device.h"
#include "python/bindings/base/errors.h"
#include "python/bindings/base/reference.h"

namespace paddle::bindings {

DType default_float = DType::kFloat32;

namespace {

struct PyDType {
  PyObject_HEAD DType value;
  PyObject* name;
};
struct PyPlace {
  PyObject_HEAD Place value;
};

PyTypeObject* dtype_type;
PyTypeObject* place_type;
PyTypeObject* cpu_place_type;
PyTypeObject* cuda_place_type;
PyObject* dtypes[kNumDTypes];

// Types that programs name and files may hold, of which there are no tensors: their objects have
// the value kUndefined.
struct NameOnly {
  const char* name;
  size_t size;
  int disk_number;
};
constexpr NameOnly kNamesOnly[] = {
    {"uint32", 4, 37}, {"uint64", 8, 38}, {"pstring", 16, 29}, {"raw", 0, 17}};
PyObject* names_only[std::size(kNamesOnly)];

// The entry of an object in the table above; null for a type of tensors.
const NameOnly* name_only(PyObject* o) {
  for (size_t i = 0; i < std::size(kNamesOnly); ++i) {
    if (names_only[i] == o) return &kNamesOnly[i];
  }
  return nullptr;
}

PyObject* name_only_from_text(PyObject* o) {
  if (!PyUnicode_Check(o)) return nullptr;
  for (size_t i = 0; i < std::size(kNamesOnly); ++i) {
    if (PyUnicode_CompareWithASCIIString(o, kNamesOnly[i].name) == 0) return names_only[i];
  }
  return nullptr;
}

DType dtype_from_text(std::string_view text) {
  if (text.starts_with("paddle.")) text.remove_prefix(7);
  const DType t = dtype_from_name(text);
  if (t != DType::kUndefined) return t;
  if (text == "float" || text == "double") return DType::kFloat64;
  if (text == "half") return DType::kFloat16;
  if (text == "int" || text == "long") return DType::kInt64;
  if (text == "short") return DType::kInt16;
  if (text == "byte") return DType::kInt8;
  if (text == "uint16") return DType::kBFloat16;
  if (text == "complex") return DType::kComplex128;
  if (text == "bool_") return DType::kBool;
  return t;
}

PyObject* dtype_new(PyTypeObject*, PyObject* args, PyObject*) {
  PyObject* o;
  if (!PyArg_ParseTuple(args, "O:dtype", &o)) return nullptr;
  if (PyObject* found = name_only(o) ? o : name_only_from_text(o)) return Py_NewRef(found);
  return guarded([&]() -> PyObject* {
    DType t;
    if (!to_dtype(o, t))
      throw_type(str("dtype: no data type from an object of type ", type_of(o),
                     "; pass a name like 'float32'."));
    return wrap_dtype(t);
  });
}

// The number in program files, as of a VarType.
PyObject* dtype_int(PyObject* self) {
  if (const NameOnly* entry = name_only(self)) return PyLong_FromLong(entry->disk_number);
  return PyLong_FromLong(disk_number_of(reinterpret_cast<PyDType*>(self)->value));
}

PyObject* dtype_repr(PyObject* self) {
  return PyUnicode_FromFormat("paddle.%U", reinterpret_cast<PyDType*>(self)->name);
}

PyObject* dtype_compare(PyObject* a, PyObject* b, int op) {
  if (op != Py_EQ && op != Py_NE) Py_RETURN_NOTIMPLEMENTED;
  if (!PyObject_TypeCheck(a, dtype_type)) Py_RETURN_NOTIMPLEMENTED;
  if (name_only(a))
    return PyBool_FromLong((a == b || name_only_from_text(b) == a) == (op == Py_EQ));
  const DType x = reinterpret_cast<PyDType*>(a)->value;
  DType y = DType::kUndefined;
  bool known = false;
  if (b != Py_None) {
    known = guarded([&]() -> int { return to_dtype(b, y); }) == 1;
    PyErr_Clear();
  }
  return PyBool_FromLong((known && x == y) == (op == Py_EQ));
}

Py_hash_t dtype_hash(PyObject* self) {
  return PyObject_Hash(reinterpret_cast<PyDType*>(self)->name);
}

PyObject* dtype_name(PyObject* self, void*) {
  return Py_NewRef(reinterpret_cast<PyDType*>(self)->name);
}

PyObject* dtype_itemsize(PyObject* self, void*) {
  if (const NameOnly* entry = name_only(self)) return PyLong_FromSize_t(entry->size);
  return PyLong_FromSize_t(size_of(reinterpret_cast<PyDType*>(self)->value));
}

PyObject* dtype_is_floating(PyObject* self, void*) {
  return PyBool_FromLong(is_floating(reinterpret_cast<PyDType*>(self)->value));
}

PyObject* dtype_is_complex(PyObject* self, void*) {
  return PyBool_FromLong(is_complex(reinterpret_cast<PyDType*>(self)->value));
}

PyObject* dtype_number(PyObject* self, void*) { return dtype_int(self); }

PyObject* dtype_reduce(PyObject* self, PyObject*) {
  return Py_BuildValue("(O(O))", dtype_type, reinterpret_cast<PyDType*>(self)->name);
}

PyGetSetDef dtype_properties[] = {
    {"name", dtype_name, nullptr, "Name of the type, like 'float32'.", nullptr},
    {"itemsize", dtype_itemsize, nullptr, "Bytes of one element.", nullptr},
    {"is_floating_point", dtype_is_floating, nullptr, "Whether it is a real floating type.",
     nullptr},
    {"is_complex", dtype_is_complex, nullptr, "Whether it is a complex type.", nullptr},
    {"value", dtype_number, nullptr, "Number of the type in saved tensors.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMethodDef dtype_methods[] = {{"__reduce__", dtype_reduce, METH_NOARGS, nullptr},
                               {nullptr, nullptr, 0, nullptr}};

template <typename F>
void* slot(F* f) {
  return reinterpret_cast<void*>(f);
}

PyObject* make_place(PyTypeObject* type, Place p) {
  PyObject* o = type->tp_alloc(type, 0);
  if (o) reinterpret_cast<PyPlace*>(o)->value = p;
  return o;
}

Place& place_of(PyObject* o) { return reinterpret_cast<PyPlace*>(o)->value; }

PyObject* place_new(PyTypeObject* type, PyObject* args, PyObject*) {
  Place p;
  int index = 0;
  if (PyType_IsSubtype(type, cuda_place_type)) {
    if (!PyArg_ParseTuple(args, "|i:CUDAPlace", &index)) return nullptr;
    if (!has_device_kind(DeviceKind::kGpu)) {
      PyErr_SetString(PyExc_ValueError, "CUDAPlace: paddle has no CUDA; use CPUPlace().");
      return nullptr;
    }
    p.kind = DeviceKind::kGpu;
    p.index = static_cast<int16_t>(index);
  } else if (PyTuple_GET_SIZE(args) == 1 && type == place_type) {
    if (!guarded([&]() -> PyObject* {
          if (!to_place(PyTuple_GET_ITEM(args, 0), p)) throw_type("Place: pass a place or 'cpu'.");
          return Py_None;
        })) {
      return nullptr;
    }
  }
  return make_place(type, p);
}

PyObject* place_repr(PyObject* self) {
  return guarded([&] { return PyUnicode_FromString(str(place_of(self)).c_str()); });
}

PyObject* place_compare(PyObject* a, PyObject* b, int op) {
  if ((op != Py_EQ && op != Py_NE) || !PyObject_TypeCheck(b, place_type)) Py_RETURN_NOTIMPLEMENTED;
  return PyBool_FromLong((place_of(a) == place_of(b)) == (op == Py_EQ));
}

Py_hash_t place_hash(PyObject* self) {
  return device_type_of(place_of(self)) * 32768 + place_of(self).index;
}

PyObject* place_equals(PyObject* a, PyObject* b) {
  return PyBool_FromLong(PyObject_TypeCheck(b, place_type) && place_of(a) == place_of(b));
}

PyObject* place_set(PyObject* self, PyObject* other) {
  if (!PyObject_TypeCheck(other, place_type)) {
    PyErr_SetString(PyExc_TypeError,
                    "set_place: argument place must be a place such as CPUPlace().");
    return nullptr;
  }
  place_of(self) = place_of(other);
  Py_RETURN_NONE;
}

PyObject* place_is_cpu(PyObject* self, PyObject*) {
  return PyBool_FromLong(place_of(self).kind == DeviceKind::kCpu);
}
PyObject* place_is_gpu(PyObject* self, PyObject*) {
  return PyBool_FromLong(place_of(self).kind == DeviceKind::kGpu);
}
PyObject* place_false(PyObject*, PyObject*) { Py_RETURN_FALSE; }
PyObject* place_index(PyObject* self, PyObject*) { return PyLong_FromLong(place_of(self).index); }
PyObject* place_zero(PyObject*, PyObject*) { return PyLong_FromLong(0); }
PyObject* place_is_custom(PyObject* self, PyObject*) {
  return PyBool_FromLong(place_of(self).kind == DeviceKind::kCustom);
}
PyObject* place_custom_type(PyObject* self, PyObject*) {
  return guarded([&] {
    const Place p = place_of(self);
    const std::string text = p.kind == DeviceKind::kCustom ? place_text(p) : "";
    return PyUnicode_FromString(text.substr(0, text.find(':')).c_str());
  });
}
PyObject* place_reduce(PyObject* self, PyObject*) {
  const Place p = place_of(self);
  if (p.kind == DeviceKind::kGpu) {
    return Py_BuildValue("(O(i))", cuda_place_type, static_cast<int>(p.index));
  }
  if (p.kind == DeviceKind::kCustom) {
    return Py_BuildValue("(O(s))", place_type, place_text(p).c_str());
  }
  return Py_BuildValue("(O())", cpu_place_type);
}

PyMethodDef place_methods[] = {
    {"_equals", place_equals, METH_O,
     "_equals($self, other)\n--\n\nWhether it is the same device."},
    {"set_place", place_set, METH_O, "set_place($self, place)\n--\n\nBecome another place."},
    {"is_cpu_place", place_is_cpu, METH_NOARGS,
     "is_cpu_place($self)\n--\n\nWhether it is host memory."},
    {"is_gpu_place", place_is_gpu, METH_NOARGS, "is_gpu_place($self)\n--\n\nWhether it is a GPU."},
    {"is_cuda_pinned_place", place_false, METH_NOARGS,
     "is_cuda_pinned_place($self)\n--\n\nWhether it is pinned host memory."},
    {"is_xpu_place", place_false, METH_NOARGS, "is_xpu_place($self)\n--\n\nWhether it is an XPU."},
    {"is_custom_place", place_is_custom, METH_NOARGS,
     "is_custom_place($self)\n--\n\nWhether a device plugin provides it."},
    {"gpu_device_id", place_index, METH_NOARGS,
     "gpu_device_id($self)\n--\n\nNumber of the device."},
    {"get_device_id", place_index, METH_NOARGS,
     "get_device_id($self)\n--\n\nNumber of the device."},
    {"is_ipu_place", place_false, METH_NOARGS, "is_ipu_place($self)\n--\n\nWhether it is an IPU."},
    {"is_xpu_pinned_place", place_false, METH_NOARGS,
     "is_xpu_pinned_place($self)\n--\n\nWhether it is host memory pinned for XPUs."},
    {"xpu_device_id", place_zero, METH_NOARGS, "xpu_device_id($self)\n--\n\nNumber of the XPU."},
    {"ipu_device_id", place_zero, METH_NOARGS, "ipu_device_id($self)\n--\n\nNumber of the IPU."},
    {"custom_device_id", place_index, METH_NOARGS,
     "custom_device_id($self)\n--\n\nNumber of the device of a plugin."},
    {"custom_device_type", place_custom_type, METH_NOARGS,
     "custom_device_type($self)\n--\n\nName of the device of a plugin."},
    {"get_device_type", place_custom_type, METH_NOARGS,
     "get_device_type($self)\n--\n\nName of the device of a plugin."},
    {"__reduce__", place_reduce, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

PyTypeObject* subtype(const char* name, PyTypeObject* base, const char* doc) {
  PyType_Slot slots[] = {{Py_tp_doc, const_cast<char*>(doc)}, {0, nullptr}};
  PyType_Spec spec = {name, 0, 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
  return reinterpret_cast<PyTypeObject*>(
      PyType_FromSpecWithBases(&spec, reinterpret_cast<PyObject*>(base)));
}

bool add_dtypes(PyObject* module) {
  PyType_Slot slots[] = {
      {Py_tp_new, slot(dtype_new)},
      {Py_tp_repr, slot(dtype_repr)},
      {Py_tp_str, slot(dtype_repr)},
      {Py_tp_richcompare, slot(dtype_compare)},
      {Py_nb_int, slot(dtype_int)},
      {Py_tp_hash, slot(dtype_hash)},
      {Py_tp_getset, dtype_properties},
      {Py_tp_methods, dtype_methods},
      {Py_tp_doc,
       const_cast<char*>(
           "dtype(value, /)\n--\n\nAn element type: `paddle.dtype('float32')` is "
           "`paddle.float32`.\n\n"
           "Args:\n    value: A name, a dtype, or the type of another library (NumPy's).\n\n"
           "Raises:\n    TypeError: There is no such type.")},
      {0, nullptr}};
  PyType_Spec spec = {"paddle.dtype", sizeof(PyDType), 0, Py_TPFLAGS_DEFAULT, slots};
  dtype_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  if (!dtype_type ||
      PyModule_AddObjectRef(module, "DType", reinterpret_cast<PyObject*>(dtype_type)) < 0) {
    return false;
  }
  const auto add = [&](const char* name, DType value, PyObject*& made) {
    made = dtype_type->tp_alloc(dtype_type, 0);
    if (!made) return false;
    reinterpret_cast<PyDType*>(made)->value = value;
    reinterpret_cast<PyDType*>(made)->name = PyUnicode_InternFromString(name);
    return PyModule_AddObjectRef(module, name, made) == 0;
  };
  for (int i = 1; i < kNumDTypes; ++i) {
    const std::string name(name_of(static_cast<DType>(i)));
    if (!add(name.c_str(), static_cast<DType>(i), dtypes[i])) return false;
  }
  for (size_t i = 0; i < std::size(kNamesOnly); ++i) {
    if (!add(kNamesOnly[i].name, DType::kUndefined, names_only[i])) return false;
  }
  return true;
}

}  // namespace

bool add_dtype_types(PyObject* module) {
  if (!add_dtypes(module)) return false;
  PyType_Slot slots[] = {{Py_tp_new, slot(place_new)},
                         {Py_tp_repr, slot(place_repr)},
                         {Py_tp_richcompare, slot(place_compare)},
                         {Py_tp_hash, slot(place_hash)},
                         {Py_tp_methods, place_methods},
                         {0, nullptr}};
  PyType_Spec spec = {"paddle.base.core.Place", sizeof(PyPlace), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
  place_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  if (!place_type) return false;
  cpu_place_type = subtype("paddle.CPUPlace", place_type,
                           "CPUPlace()\n--\n\nHost memory, where every tensor of paddle lies.");
  cuda_place_type = subtype("paddle.CUDAPlace", place_type,
                            "CUDAPlace(device_id=0, /)\n--\n\nThe memory of a GPU; paddle has "
                            "none, and a tensor that is asked for there raises.");
  return cpu_place_type && cuda_place_type &&
         PyModule_AddObjectRef(module, "Place", reinterpret_cast<PyObject*>(place_type)) == 0 &&
         PyModule_AddObjectRef(module, "CPUPlace", reinterpret_cast<PyObject*>(cpu_place_type)) ==
             0 &&
         PyModule_AddObjectRef(module, "CUDAPlace", reinterpret_cast<PyObject*>(cuda_place_type)) ==
             0;
}

PyObject* wrap_dtype(DType t) {
  if (t == DType::kUndefined) Py_RETURN_NONE;
  return Py_NewRef(dtypes[static_cast<int>(t)]);
}

PyObject* wrap_place(Place p) { return make_place(place_type, p); }

bool to_dtype(PyObject* o, DType& out) {
  if (Py_TYPE(o) == dtype_type) {
    out = reinterpret_cast<PyDType*>(o)->value;
    return out != DType::kUndefined;
  }
  if (o == reinterpret_cast<PyObject*>(&PyFloat_Type)) return out = DType::kFloat64, true;
  if (o == reinterpret_cast<PyObject*>(&PyLong_Type)) return out = DType::kInt64, true;
  if (o == reinterpret_cast<PyObject*>(&PyBool_Type)) return out = DType::kBool, true;
  if (o == reinterpret_cast<PyObject*>(&PyComplex_Type)) return out = DType::kComplex128, true;
  Ref name;
  if (PyUnicode_Check(o)) {
    name = Ref::share(o);
  } else if (PyType_Check(o)) {  // numpy.float32
    name = checked(PyObject_GetAttrString(o, "__name__"));
  } else if (std::strncmp(Py_TYPE(o)->tp_name, "numpy.", 6) == 0) {  // numpy.dtype('float32')
    name = Ref(PyObject_GetAttrString(o, "name"));
    if (!name) PyErr_Clear();
  }
  if (!name || !PyUnicode_Check(name.get())) return false;
  Py_ssize_t n;
  const char* text = PyUnicode_AsUTF8AndSize(name.get(), &n);
  if (!text) throw_python();
  out = dtype_from_text({text, static_cast<size_t>(n)});
  return out != DType::kUndefined;
}

bool to_place(PyObject* o, Place& out) {
  if (PyObject_TypeCheck(o, place_type)) return out = place_of(o), true;
  if (!PyUnicode_Check(o)) return false;
  const char* text = PyUnicode_AsUTF8(o);
  if (!text) throw_python();
  std::string_view name(text);
  out = Place();
  if (name == "cpu") return true;
  if (name.starts_with("gpu") || name.starts_with("cuda")) {
    out.kind = DeviceKind::kGpu;
    const size_t colon = name.find(':');
    if (colon != std::string_view::npos) {
      out.index = static_cast<int16_t>(std::atoi(std::string(name.substr(colon + 1)).c_str()));
    }
    return true;
  }
  const std::string_view type = name.substr(0, name.find(':'));
  if (custom_type_of(type) < 0) discover_plugins();
  if (custom_type_of(type) < 0) return false;
  return out = place_from_text(name), true;
}

void discover_plugins() {
  // The interpreter's lock is held. What is asked while plugins are loaded finds those loaded so
  // far.
  static bool begun = false;
  if (std::exchange(begun, true)) return;
  const Ref module = checked(PyImport_ImportModule("paddle.device.plugins"));
  checked(PyObject_CallMethod(module.get(), "discover", nullptr));
}

}  // namespace paddle::bindings
