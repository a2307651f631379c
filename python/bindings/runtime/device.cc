// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Devices for Python: which there are, the place of new tensors, synchronisation.
#include "paddle_core/device/device.h"

#include "paddle_core/tensor/missing.h"
#include "python/bindings/base/errors.h"
#include "python/bindings/base/reference.h"
#include "python/bindings/runtime/runtime.h"
#include "python/bindings/values/dtype.h"
#include "python/bindings/values/tensor_object.h"

namespace paddle::bindings {
namespace {

Place required_place(PyObject* o, const char* fn) {
  Place place;
  if (!to_place(o, place)) {
    throw_type(
        str(fn, ": argument place must be a place or the name of one, got ", type_of(o), "."));
  }
  return place;
}

PyObject* py_default_place(PyObject*, PyObject*) {
  return guarded([] { return wrap_place(default_place()); });
}

PyObject* py_set_default_place(PyObject*, PyObject* place) {
  return guarded([&] {
    set_default_place(required_place(place, "set_default_place"));
    return Py_NewRef(Py_None);
  });
}

PyObject* py_swap_thread_place(PyObject*, PyObject* place) {
  return guarded([&] {
    const bool none = place == Py_None;
    const Place next = none ? undefined_place() : required_place(place, "swap_thread_place");
    if (!none) device_of(next);  // raises when there is none
    const Place before = swap_thread_place(next);
    return before.kind == DeviceKind::kUndefined ? Py_NewRef(Py_None) : wrap_place(before);
  });
}

PyObject* py_place_text(PyObject*, PyObject* place) {
  return guarded([&] {
    return PyUnicode_FromString(place_text(required_place(place, "place_text")).c_str());
  });
}

PyObject* py_custom_device_types(PyObject*, PyObject*) {
  return guarded([] {
    discover_plugins();
    Ref list = checked(PyList_New(0));
    for (const std::string& name : custom_type_names()) {
      const Ref text = checked(PyUnicode_FromString(name.c_str()));
      if (PyList_Append(list.get(), text.get()) < 0) throw_python();
    }
    return list.release();
  });
}

PyObject* py_device_count(PyObject*, PyObject* place) {
  return guarded(
      [&] { return PyLong_FromLong(device_count(required_place(place, "device_count"))); });
}

PyObject* py_synchronize(PyObject*, PyObject* place) {
  return guarded([&] {
    Device& device = device_of(required_place(place, "synchronize"));
    PyThreadState* state = PyEval_SaveThread();
    device.synchronize();
    PyEval_RestoreThread(state);
    return Py_NewRef(Py_None);
  });
}

PyObject* py_host_reads(PyObject*, PyObject*) { return PyLong_FromLongLong(host_reads()); }

PyObject* py_has_pinned_memory(PyObject*, PyObject* place) {
  return guarded([&] {
    Device& device = device_of(required_place(place, "has_pinned_memory"));
    return PyBool_FromLong(&device.pinned_allocator() != &host_allocator());
  });
}

PyObject* py_pinned_copy(PyObject*, PyObject* args) {
  return guarded([&] {
    PADDLE_CHECK_TYPE(PyTuple_GET_SIZE(args) == 2 && is_tensor(PyTuple_GET_ITEM(args, 0)),
                      "pinned_copy: pass a Tensor and a place.");
    const Tensor& t = tensor_of(PyTuple_GET_ITEM(args, 0));
    const Place device = required_place(PyTuple_GET_ITEM(args, 1), "pinned_copy");
    require_values(t, "pin_memory");
    Tensor copy = Tensor::meta(t.shape(), t.dtype());
    copy->set_contiguous_layout();
    copy->storage =
        Storage::allocate_pinned(static_cast<size_t>(t.numel()) * size_of(t.dtype()), device);
    copy.copy_data_from(t);
    return wrap(std::move(copy));
  });
}

PyObject* py_is_pinned(PyObject*, PyObject* tensor) {
  return guarded([&] {
    PADDLE_CHECK_TYPE(is_tensor(tensor), "is_pinned: pass a Tensor.");
    const Tensor& t = tensor_of(tensor);
    return PyBool_FromLong(t.has_storage() && t->storage->is_pinned());
  });
}

}  // namespace

PyObject* py_memory_stats(PyObject*, PyObject* place) {
  return guarded([&] {
    const MemoryStats stats = device_of(required_place(place, "memory_stats")).allocator().stats();
    return checked(Py_BuildValue("(nnn)", static_cast<Py_ssize_t>(stats.allocated),
                                 static_cast<Py_ssize_t>(stats.peak_allocated),
                                 static_cast<Py_ssize_t>(stats.cached)))
        .release();
  });
}

PyObject* py_reset_peak_memory(PyObject*, PyObject* place) {
  return guarded([&] {
    device_of(required_place(place, "reset_peak_memory")).allocator().reset_peak();
    return Py_NewRef(Py_None);
  });
}

PyObject* py_release_cached(PyObject*, PyObject* place) {
  return guarded([&] {
    device_of(required_place(place, "release_cached")).allocator().release_cached();
    return Py_NewRef(Py_None);
  });
}

PyObject* py_device_properties(PyObject*, PyObject* place) {
  return guarded([&] {
    const DeviceProperties& p = device_of(required_place(place, "device_properties")).properties();
    return checked(Py_BuildValue("(sniii)", p.name.c_str(), static_cast<Py_ssize_t>(p.total_memory),
                                 p.multiprocessors, p.major, p.minor))
        .release();
  });
}

PyMethodDef device_methods[] = {
    {"default_place", py_default_place, METH_NOARGS,
     "default_place()\n--\n\nThe place of new tensors."},
    {"set_default_place", py_set_default_place, METH_O,
     "set_default_place(place, /)\n--\n\nMake new tensors at a place."},
    {"swap_thread_place", py_swap_thread_place, METH_O,
     "swap_thread_place(place, /)\n--\n\nMake new tensors of this thread at a place, for None "
     "where "
     "the process makes them; returns what it was."},
    {"place_text", py_place_text, METH_O,
     "place_text(place, /)\n--\n\nA place as 'cpu' or 'name:0'."},
    {"custom_device_types", py_custom_device_types, METH_NOARGS,
     "custom_device_types()\n--\n\nNames of the device types that plugins provide."},
    {"memory_stats", py_memory_stats, METH_O,
     "(live bytes, their peak since the last reset, free bytes kept) of a place's allocator."},
    {"reset_peak_memory", py_reset_peak_memory, METH_O,
     "Starts measuring the peak of memory_stats() again."},
    {"release_cached", py_release_cached, METH_O,
     "release_cached(place, /)\n--\n\nGive free memory of a device back to it."},
    {"device_properties", py_device_properties, METH_O,
     "device_properties(place, /)\n--\n\n(name, bytes of memory, multiprocessors, major, minor)."},
    {"device_count", py_device_count, METH_O,
     "device_count(place, /)\n--\n\nHow many devices of the place's type there are."},
    {"synchronize_device", py_synchronize, METH_O,
     "synchronize_device(place, /)\n--\n\nWait until a device has done its work."},
    {"has_pinned_memory", py_has_pinned_memory, METH_O,
     "has_pinned_memory(place, /)\n--\n\nWhether a device offers page-locked host memory."},
    {"pinned_copy", py_pinned_copy, METH_VARARGS,
     "pinned_copy(x, place, /)\n--\n\nThe values of x in page-locked host memory of a device."},
    {"is_pinned", py_is_pinned, METH_O,
     "is_pinned(x, /)\n--\n\nWhether x lies in page-locked host memory."},
    {"host_reads", py_host_reads, METH_NOARGS,
     "host_reads()\n--\n\nHow often the host has waited for values of a device."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace paddle::bindings
