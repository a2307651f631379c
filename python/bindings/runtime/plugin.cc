// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Device plugins for Python: loading them, and what the host counted of them.
#include "backends/host/loader.h"
#include "paddle_core/op/registry.h"
#include "paddle_core/tensor/host_copies.h"
#include "python/bindings/base/errors.h"
#include "python/bindings/base/reference.h"
#include "python/bindings/runtime/runtime.h"
#include "python/bindings/values/dtype.h"

namespace paddle::bindings {
namespace {

PyObject* load_plugin(PyObject*, PyObject* path) {
  return guarded([&] {
    const char* const text = PyUnicode_AsUTF8(path);
    if (!text) throw_python();
    return wrap_place(plugin::load(text));
  });
}

PyObject* loaded_plugins(PyObject*, PyObject*) {
  return guarded([] {
    Ref list = checked(PyList_New(0));
    for (const plugin::Loaded& one : plugin::loaded()) {
      const Ref row = checked(Py_BuildValue("(sss(II))", one.device_type.c_str(), one.path.c_str(),
                                            one.version.c_str(), one.major, one.minor));
      checked(PyList_Append(list.get(), row.get()));
    }
    return list.release();
  });
}

PyObject* plugin_statistics(PyObject*, PyObject* place) {
  return guarded([&] {
    Place of;
    if (!to_place(place, of)) throw_type("plugin_statistics: pass a place or the name of one.");
    const plugin::Statistics s = plugin::statistics(of);
    return checked(Py_BuildValue("{s:L,s:L,s:L,s:L,s:L,s:L}", "kernels", s.kernels, "allocations",
                                 s.allocations, "blocks", s.blocks, "block_bytes", s.block_bytes,
                                 "streams", s.streams, "events", s.events))
        .release();
  });
}

PyObject* memory_info(PyObject*, PyObject* place) {
  return guarded([&] {
    Place of;
    if (!to_place(place, of)) throw_type("memory_info: pass a place or the name of one.");
    const plugin::MemoryInfo info = plugin::memory_info(of);
    return checked(Py_BuildValue("(LL)", info.free, info.total)).release();
  });
}

PyObject* py_host_copies(PyObject*, PyObject*) { return PyLong_FromLongLong(host_copies()); }

PyObject* dtypes_with_kernel(const OpDef& op, Place place) {
  Ref list = checked(PyList_New(0));
  for (int n = 1; n < kNumDTypes; ++n) {
    if (!op.kernels.at(place, static_cast<DType>(n)).fn) continue;
    const Ref name = checked(PyUnicode_FromString(str(static_cast<DType>(n)).c_str()));
    checked(PyList_Append(list.get(), name.get()));
  }
  return list.release();
}

PyObject* operator_support(PyObject*, PyObject* object) {
  return guarded([&] {
    Place place;
    if (!to_place(object, place)) throw_type("operator_support: pass a place or the name of one.");
    Ref list = checked(PyList_New(0));
    for (const OpDef* op : Registry::global().since(0)) {
      const Ref row = checked(Py_BuildValue(
          "(sNNNNN)", op->name(), dtypes_with_kernel(*op, place), dtypes_with_kernel(*op, Place()),
          PyBool_FromLong(static_cast<bool>(op->decompose_fn)),
          PyBool_FromLong(static_cast<bool>(op->view_fn)), PyBool_FromLong(op->has(kElementwise))));
      checked(PyList_Append(list.get(), row.get()));
    }
    return list.release();
  });
}

}  // namespace

PyMethodDef plugin_methods[] = {
    {"load_plugin", load_plugin, METH_O,
     "load_plugin(path, /)\n--\n\nLoad a device plugin; the place of its device 0."},
    {"loaded_plugins", loaded_plugins, METH_NOARGS,
     "loaded_plugins()\n--\n\n(device type, path, version, version of the interface) of each."},
    {"plugin_statistics", plugin_statistics, METH_O,
     "plugin_statistics(place, /)\n--\n\nWhat the host counted of a plugin since it was loaded."},
    {"memory_info", memory_info, METH_O,
     "memory_info(place, /)\n--\n\n(free bytes, bytes) of a device."},
    {"host_copies", py_host_copies, METH_NOARGS,
     "host_copies()\n--\n\nHow often the host did work of a device, between two copies."},
    {"operator_support", operator_support, METH_O,
     "operator_support(place, /)\n--\n\n(name, dtypes with a kernel there, dtypes with a kernel of "
     "the host, whether it has a decomposition, is a view, is elementwise) of each operator."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace paddle::bindings
