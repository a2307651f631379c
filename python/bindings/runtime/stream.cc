// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Streams and events of devices for Python, as capsules. A stream lives as long as its device.
#include <memory>

#include "backends/host/loader.h"
#include "paddle_core/device/context.h"
#include "python/bindings/base/errors.h"
#include "python/bindings/base/reference.h"
#include "python/bindings/runtime/runtime.h"
#include "python/bindings/values/dtype.h"

namespace paddle::bindings {
namespace {

constexpr const char* kStream = "paddle.stream";
constexpr const char* kEvent = "paddle.event";

struct PlacedStream {
  Place place;
  Stream* stream;
};

PyObject* wrapped(Place place, Stream& stream) {
  auto made = std::make_unique<PlacedStream>(PlacedStream{place, &stream});
  PyObject* const capsule = PyCapsule_New(made.get(), kStream, [](PyObject* object) {
    delete static_cast<PlacedStream*>(PyCapsule_GetPointer(object, kStream));
  });
  if (!capsule) throw_python();
  made.release();
  return capsule;
}

PlacedStream& stream_of(PyObject* capsule) {
  void* const found = PyCapsule_GetPointer(capsule, kStream);
  if (!found) throw_python();
  return *static_cast<PlacedStream*>(found);
}

Event& event_of(PyObject* capsule) {
  void* const found = PyCapsule_GetPointer(capsule, kEvent);
  if (!found) throw_python();
  return *static_cast<Event*>(found);
}

Place device_place(PyObject* object) {
  Place place;
  if (!to_place(object, place)) throw_type("stream: pass the place of a device, or its name.");
  PADDLE_CHECK_VALUE(!place.is_host(), "stream: the CPU has no streams; name another device.");
  return place;
}

// Waits without the interpreter's lock.
template <typename Wait>
PyObject* waited(Wait&& wait) {
  {
    struct Unlocked {
      PyThreadState* state = PyEval_SaveThread();
      ~Unlocked() { PyEval_RestoreThread(state); }
    } unlocked;
    wait();
  }
  return Py_NewRef(Py_None);
}

PyObject* new_stream(PyObject*, PyObject* args) {
  return guarded([&] {
    PyObject* object;
    int priority;
    if (!PyArg_ParseTuple(args, "Oi:new_stream", &object, &priority)) throw_python();
    const Place place = device_place(object);
    return wrapped(place, device_of(place).new_stream(priority));
  });
}

PyObject* py_current_stream(PyObject*, PyObject* object) {
  return guarded([&] {
    const Place place = device_place(object);
    return wrapped(place, current_stream(place));
  });
}

PyObject* default_stream(PyObject*, PyObject* object) {
  return guarded([&] {
    const Place place = device_place(object);
    return wrapped(place, device_of(place).default_stream());
  });
}

PyObject* set_stream(PyObject*, PyObject* capsule) {
  return guarded([&] {
    const PlacedStream& s = stream_of(capsule);
    set_current_stream(s.place, *s.stream);
    return Py_NewRef(Py_None);
  });
}

PyObject* stream_place(PyObject*, PyObject* capsule) {
  return guarded([&] { return wrap_place(stream_of(capsule).place); });
}

PyObject* stream_identity(PyObject*, PyObject* capsule) {
  return guarded([&] { return PyLong_FromVoidPtr(stream_of(capsule).stream); });
}

PyObject* stream_handle(PyObject*, PyObject* capsule) {
  return guarded([&] { return PyLong_FromVoidPtr(stream_of(capsule).stream->handle()); });
}

PyObject* stream_query(PyObject*, PyObject* capsule) {
  return guarded([&] { return PyBool_FromLong(stream_of(capsule).stream->query()); });
}

PyObject* stream_synchronize(PyObject*, PyObject* capsule) {
  return guarded([&] {
    Stream* const stream = stream_of(capsule).stream;
    return waited([&] { stream->synchronize(); });
  });
}

PyObject* stream_record(PyObject*, PyObject* args) {
  return guarded([&] {
    PyObject* capsule;
    int timed;
    if (!PyArg_ParseTuple(args, "Op:stream_record", &capsule, &timed)) throw_python();
    Stream& stream = *stream_of(capsule).stream;
    EventPtr event = timed ? plugin::record_timed(stream) : stream.record();
    PyObject* const made = PyCapsule_New(event.get(), kEvent, [](PyObject* object) {
      ReleaseEvent()(static_cast<Event*>(PyCapsule_GetPointer(object, kEvent)));
    });
    if (!made) throw_python();
    static_cast<void>(event.release());
    return made;
  });
}

PyObject* event_elapsed(PyObject*, PyObject* args) {
  return guarded([&] {
    PyObject *begin, *end;
    if (!PyArg_ParseTuple(args, "OO:event_elapsed", &begin, &end)) throw_python();
    return PyFloat_FromDouble(plugin::elapsed_ms(event_of(begin), event_of(end)));
  });
}

PyObject* stream_wait(PyObject*, PyObject* args) {
  return guarded([&] {
    PyObject *stream, *event;
    if (!PyArg_ParseTuple(args, "OO:stream_wait", &stream, &event)) throw_python();
    stream_of(stream).stream->wait(event_of(event));
    return Py_NewRef(Py_None);
  });
}

PyObject* event_query(PyObject*, PyObject* capsule) {
  return guarded([&] { return PyBool_FromLong(event_of(capsule).query()); });
}

PyObject* event_synchronize(PyObject*, PyObject* capsule) {
  return guarded([&] {
    Event& event = event_of(capsule);
    return waited([&] { event.synchronize(); });
  });
}

}  // namespace

PyMethodDef stream_methods[] = {
    {"new_stream", new_stream, METH_VARARGS,
     "new_stream(place, priority, /)\n--\n\nA further stream of a device, as a capsule."},
    {"current_stream", py_current_stream, METH_O,
     "current_stream(place, /)\n--\n\nThe thread's current stream of a device."},
    {"default_stream", default_stream, METH_O,
     "default_stream(place, /)\n--\n\nThe stream of a device that is current at first."},
    {"set_stream", set_stream, METH_O,
     "set_stream(stream, /)\n--\n\nMake a stream the thread's current one of its device."},
    {"stream_place", stream_place, METH_O, "stream_place(stream, /)\n--\n\nIts device's place."},
    {"stream_identity", stream_identity, METH_O,
     "stream_identity(stream, /)\n--\n\nA number that is equal for capsules of one stream."},
    {"stream_handle", stream_handle, METH_O,
     "stream_handle(stream, /)\n--\n\nThe address of the device's own stream object."},
    {"stream_query", stream_query, METH_O,
     "stream_query(stream, /)\n--\n\nWhether everything issued is done."},
    {"stream_synchronize", stream_synchronize, METH_O,
     "stream_synchronize(stream, /)\n--\n\nWait for everything issued."},
    {"stream_record", stream_record, METH_VARARGS,
     "stream_record(stream, timed, /)\n--\n\nAn event behind everything issued, as a capsule."},
    {"event_elapsed", event_elapsed, METH_VARARGS,
     "event_elapsed(begin, end, /)\n--\n\nMilliseconds between two timed events."},
    {"stream_wait", stream_wait, METH_VARARGS,
     "stream_wait(stream, event, /)\n--\n\nWhat is issued later starts after the event."},
    {"event_query", event_query, METH_O, "event_query(event, /)\n--\n\nWhether it has happened."},
    {"event_synchronize", event_synchronize, METH_O,
     "event_synchronize(event, /)\n--\n\nWait until it has happened."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace paddle::bindings
