// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Device plugins for Python: loading them, and what the host counted of them.
#include "backends/host/loader.h"
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

}  // namespace

PyMethodDef plugin_methods[] = {
    {"load_plugin", load_plugin, METH_O,
     "load_plugin(path, /)\n--\n\nLoad a device plugin; the place of its device 0."},
    {"loaded_plugins", loaded_plugins, METH_NOARGS,
     "loaded_plugins()\n--\n\n(device type, path, version, version of the interface) of each."},
    {"plugin_statistics", plugin_statistics, METH_O,
     "plugin_statistics(place, /)\n--\n\nWhat the host counted of a plugin since it was loaded."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace paddle::bindings
