// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// State of the process and of the thread: flags, random state, threads, the default dtype,
// automatic mixed precision, and the function that prints tensors.
#include <limits>

#include "paddle_core/amp/amp.h"
#include "paddle_core/base/flags.h"
#include "paddle_core/device/execution_context.h"
#include "paddle_core/device/parallel.h"
#include "paddle_core/dispatch/call.h"
#include "python/bindings/base/errors.h"
#include "python/bindings/base/reference.h"
#include "python/bindings/runtime/runtime.h"
#include "python/bindings/values/deferred.h"
#include "python/bindings/values/dtype.h"
#include "python/bindings/values/interop.h"

namespace paddle::bindings {

namespace {

PyObject* print_function = nullptr;

PyObject* set_printer(PyObject*, PyObject* fn) {
  Py_XDECREF(std::exchange(print_function, fn == Py_None ? nullptr : Py_NewRef(fn)));
  Py_RETURN_NONE;
}

PyObject* set_default_dtype(PyObject*, PyObject* arg) {
  return guarded([&]() -> PyObject* {
    DType t;
    if (!to_dtype(arg, t) || !is_floating(t)) {
      throw_type("set_default_dtype: argument d must be a floating dtype such as 'float32'.");
    }
    default_float = t;
    Py_RETURN_NONE;
  });
}
PyObject* get_default_dtype(PyObject*, PyObject*) { return wrap_dtype(default_float); }

// -- flags --------------------------------------------------------------------------------------

PyObject* flag_object(const FlagValue& v) {
  if (const bool* b = std::get_if<bool>(&v)) return PyBool_FromLong(*b);
  if (const int64_t* i = std::get_if<int64_t>(&v)) return PyLong_FromLongLong(*i);
  if (const double* d = std::get_if<double>(&v)) return PyFloat_FromDouble(*d);
  return PyUnicode_FromString(std::get<std::string>(v).c_str());
}

std::string text_of(PyObject* o, const char* fn) {
  if (!PyUnicode_Check(o)) throw_type(str(fn, ": names must be str, got ", type_of(o), "."));
  const char* text = PyUnicode_AsUTF8(o);
  if (!text) throw_python();
  return text;
}

FlagValue flag_value(PyObject* o) {
  if (PyUnicode_Check(o)) return text_of(o, "set_flags");
  Scalar s;
  if (!to_scalar(o, s)) throw_type(str("set_flags: a value has type ", type_of(o), "."));
  if (s.kind() == Scalar::Kind::kBool) return s.to_bool();
  if (s.kind() == Scalar::Kind::kInt) return s.to_int();
  return s.to_double();
}

PyObject* set_flags(PyObject*, PyObject* arg) {
  return guarded([&]() -> PyObject* {
    if (!PyDict_Check(arg)) throw_type("set_flags: argument flags must be a dict.");
    PyObject *key, *value;
    Py_ssize_t at = 0;
    while (PyDict_Next(arg, &at, &key, &value)) {
      set_flag(text_of(key, "set_flags"), flag_value(value));
    }
    Py_RETURN_NONE;
  });
}

PyObject* get_flags(PyObject*, PyObject* args) {
  PyObject* names = Py_None;
  if (!PyArg_ParseTuple(args, "|O:get_flags", &names)) return nullptr;
  return guarded([&]() -> PyObject* {
    Ref out = checked(PyDict_New());
    const auto add = [&](const std::string& name, const FlagValue& value) {
      const Ref o = checked(flag_object(value));
      checked(PyDict_SetItemString(out.get(), name.c_str(), o.get()));
    };
    if (names == Py_None) {
      for (const FlagInfo& f : list_flags()) add(f.name, f.value);
    } else if (PyUnicode_Check(names)) {
      const std::string name = text_of(names, "get_flags");
      add(name, get_flag(name));
    } else {
      const Ref list =
          checked(PySequence_Fast(names, "get_flags: pass a name or a list of names."));
      for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(list.get()); ++i) {
        const std::string name = text_of(PySequence_Fast_GET_ITEM(list.get(), i), "get_flags");
        add(name, get_flag(name));
      }
    }
    return out.release();
  });
}

// -- random, threads --------------------------------------------------------------------

Generator& generator_of(PyObject* device) {
  Place place;
  if (!to_place(device, place)) throw_python();
  device_of(place);  // raises unless there is one
  return default_generator(place);
}

PyObject* seed(PyObject*, PyObject* args) {
  PyObject *number, *device = nullptr;
  if (!PyArg_ParseTuple(args, "O|O:seed", &number, &device)) return nullptr;
  return guarded([&]() -> PyObject* {
    const Ref index = checked(PyNumber_Index(number));
    const uint64_t n = PyLong_AsUnsignedLongLongMask(index.get());
    if (PyErr_Occurred()) throw_python();
    materialize_all("seed()");
    device ? generator_of(device).manual_seed(n) : execution_context().manual_seed(n);
    Py_RETURN_NONE;
  });
}
PyObject* get_rng_state(PyObject*, PyObject* device) {
  return guarded([&]() -> PyObject* {
    materialize_all("get_rng_state()");
    const PhiloxState s = generator_of(device).state();
    return Py_BuildValue("(KK)", static_cast<unsigned long long>(s.seed),
                         static_cast<unsigned long long>(s.offset));
  });
}
PyObject* set_rng_state(PyObject*, PyObject* args) {
  unsigned long long seed_value, offset;
  PyObject *state, *device;
  if (!PyArg_ParseTuple(args, "OO:set_rng_state", &state, &device)) return nullptr;
  if (!PyTuple_Check(state)) {
    PyErr_SetString(PyExc_TypeError,
                    "set_rng_state: pass the tuple that get_rng_state() returned.");
    return nullptr;
  }
  if (!PyArg_ParseTuple(state, "KK:set_rng_state", &seed_value, &offset)) return nullptr;
  return guarded([&]() -> PyObject* {
    materialize_all("set_rng_state()");
    generator_of(device).set_state({seed_value, offset});
    Py_RETURN_NONE;
  });
}

PyObject* py_set_num_threads(PyObject*, PyObject* arg) {
  const long n = PyLong_AsLong(arg);
  if (n == -1 && PyErr_Occurred()) return nullptr;
  return guarded([&]() -> PyObject* {
    PADDLE_CHECK_VALUE(n >= 1 && n <= std::numeric_limits<int>::max(),
                       "set_num_threads: argument n has value ", n,
                       "; use at least 1 and less than 2^31.");
    set_num_threads(static_cast<int>(n));
    Py_RETURN_NONE;
  });
}
PyObject* is_capturing(PyObject*, PyObject*) { return PyBool_FromLong(capturing()); }
PyObject* py_get_num_threads(PyObject*, PyObject*) { return PyLong_FromLong(num_threads()); }

// -- automatic mixed precision --------------------------------------------------------------------

using AmpToken = std::shared_ptr<const amp::State>;

void token_died(PyObject* capsule) {
  delete static_cast<AmpToken*>(PyCapsule_GetPointer(capsule, "paddle.amp"));
}

void add_names(PyObject* o, std::unordered_set<std::string>& out) {
  if (o == Py_None) return;
  const Ref iterator = checked(PyObject_GetIter(o));
  while (PyObject* item = PyIter_Next(iterator.get())) {
    const Ref owned(item);
    out.insert(text_of(item, "amp_enter"));
  }
  if (PyErr_Occurred()) throw_python();
}

PyObject* amp_enter(PyObject*, PyObject* args) {
  int enable, promote = 1;
  PyObject *dtype, *level, *white = Py_None, *black = Py_None;
  if (!PyArg_ParseTuple(args, "pOO|OOp:amp_enter", &enable, &dtype, &level, &white, &black,
                        &promote)) {
    return nullptr;
  }
  return guarded([&]() -> PyObject* {
    auto state = std::make_shared<amp::State>();
    state->enabled = enable != 0;
    state->promote = promote != 0;
    if (!to_dtype(dtype, state->dtype)) throw_type("amp_enter: argument dtype must be a dtype.");
    if (PyLong_Check(level)) {
      state->level = static_cast<int>(PyLong_AsLong(level));
    } else {
      const std::string text = text_of(level, "amp_enter");
      PADDLE_CHECK_VALUE(text == "O0" || text == "O1" || text == "O2" || text == "OD",
                         "amp_enter: argument level has value ", text, "; use O0, O1, OD or O2.");
      state->level = text == "O2" ? 2 : 1;
      if (text == "O0") state->enabled = false;
    }
    add_names(white, state->white);
    add_names(black, state->black);
    auto* before = new AmpToken(amp::exchange(state->enabled ? state : nullptr));
    return PyCapsule_New(before, "paddle.amp", token_died);
  });
}

PyObject* amp_exit(PyObject*, PyObject* token) {
  auto* before = static_cast<AmpToken*>(PyCapsule_GetPointer(token, "paddle.amp"));
  if (!before) return nullptr;
  return guarded([&]() -> PyObject* {
    amp::exchange(*before);
    Py_RETURN_NONE;
  });
}

PyObject* amp_state(PyObject*, PyObject*) {
  return guarded([&]() -> PyObject* {
    const AmpToken s = amp::current();
    if (!s) Py_RETURN_NONE;
    return Py_BuildValue("(NNi)", PyBool_FromLong(s->enabled), wrap_dtype(s->dtype), s->level);
  });
}

}  // namespace

PyObject* printer() { return print_function; }

PyMethodDef state_methods[] = {
    {"set_printer", set_printer, METH_O, "The function that makes repr(tensor)."},
    {"set_default_dtype", set_default_dtype, METH_O, "The dtype of Python floats."},
    {"get_default_dtype", get_default_dtype, METH_NOARGS, "The dtype of Python floats."},
    {"set_flags", set_flags, METH_O, "Sets FLAGS_* from a dict."},
    {"get_flags", get_flags, METH_VARARGS, "FLAGS_* as a dict: all, one name or a list of names."},
    {"seed", seed, METH_VARARGS, "Seeds the generator of a Place, or those of all devices."},
    {"get_rng_state", get_rng_state, METH_O, "(seed, offset) of the generator of a Place."},
    {"set_rng_state", set_rng_state, METH_VARARGS,
     "Restores what get_rng_state() returned, for a Place."},
    {"set_num_threads", py_set_num_threads, METH_O, "Threads that kernels use."},
    {"is_capturing", is_capturing, METH_NOARGS, "Whether operator calls are being captured."},
    {"get_num_threads", py_get_num_threads, METH_NOARGS, "Threads that kernels use."},
    {"amp_enter", amp_enter, METH_VARARGS,
     "(enable, dtype, level, white, black, promote) -> token"},
    {"amp_exit", amp_exit, METH_O, "Restores what was before amp_enter returned the token."},
    {"amp_state", amp_state, METH_NOARGS, "(enabled, dtype, level) in force, or None."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace paddle::bindings
