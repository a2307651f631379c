// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The profiler's functions of paddle._core.
#include "paddle_core/profile/trace.h"

#include "paddle_core/dispatch/watch/numerics.h"
#include "paddle_core/dispatch/watch/observers.h"
#include "python/bindings/base/errors.h"
#include "python/bindings/base/reference.h"
#include "python/bindings/runtime/runtime.h"

namespace paddle::bindings {
namespace {

std::vector<profile::Span>& last_spans() {
  static auto* spans = new std::vector<profile::Span>;
  return *spans;
}

PyObject* profiler_start(PyObject*, PyObject*) {
  return guarded([&]() -> PyObject* {
    profile::start();
    watch_operators(true);
    Py_RETURN_NONE;
  });
}

PyObject* profiler_stop(PyObject*, PyObject*) {
  return guarded([&]() -> PyObject* {
    watch_operators(false);
    last_spans() = profile::stop();
    Ref out = checked(PyList_New(0));
    for (const profile::Span& s : last_spans()) {
      const Ref row = checked(Py_BuildValue(
          "(ssLLK)", s.name.c_str(), s.category, static_cast<long long>(s.begin_ns),
          static_cast<long long>(s.end_ns), static_cast<unsigned long long>(s.thread)));
      checked(PyList_Append(out.get(), row.get()));
    }
    return Py_NewRef(out.get());
  });
}

PyObject* profiler_export(PyObject*, PyObject* path) {
  return guarded([&]() -> PyObject* {
    Py_ssize_t size = 0;
    const char* text = PyUnicode_AsUTF8AndSize(path, &size);
    if (!text) throw_python();
    profile::write_chrome_trace(last_spans(), std::string(text, static_cast<size_t>(size)));
    Py_RETURN_NONE;
  });
}

PyObject* profiler_now(PyObject*, PyObject*) { return PyLong_FromLongLong(profile::now_ns()); }

PyObject* profiler_record(PyObject*, PyObject* args) {
  const char* name = nullptr;
  long long begin = 0, end = 0;
  if (!PyArg_ParseTuple(args, "sLL:profiler_record", &name, &begin, &end)) return nullptr;
  return guarded([&]() -> PyObject* {
    profile::record(name, "user", begin, end);
    Py_RETURN_NONE;
  });
}

PyObject* watch_nan_inf(PyObject*, PyObject* on) {
  return guarded([&]() -> PyObject* {
    const int wanted = PyObject_IsTrue(on);
    if (wanted < 0) throw_python();
    check_nan_inf(wanted != 0);
    Py_RETURN_NONE;
  });
}

std::vector<std::string> words_of(PyObject* list) {
  const Ref fast = checked(PySequence_Fast(list, "a list of names of operators is needed"));
  std::vector<std::string> words;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(fast.get()); ++i) {
    const char* word = PyUnicode_AsUTF8(PySequence_Fast_GET_ITEM(fast.get(), i));
    if (!word) throw_python();
    words.emplace_back(word);
  }
  return words;
}

PyObject* log_numbers(PyObject*, PyObject* args) {
  long long level = 0;
  PyObject *only = nullptr, *skipped = nullptr;
  const char* file = "";
  if (!PyArg_ParseTuple(args, "|LOOs:numerics_log", &level, &only, &skipped, &file)) return nullptr;
  return guarded([&]() -> PyObject* {
    NumericsLog log;
    if (skipped) log = {level, words_of(only), words_of(skipped), file};
    set_numerics_log(skipped ? &log : nullptr);
    Py_RETURN_NONE;
  });
}

PyObject* count_calls(PyObject*, PyObject* on) {
  return guarded([&]() -> PyObject* {
    const int wanted = PyObject_IsTrue(on);
    if (wanted < 0) throw_python();
    count_operators(wanted != 0);
    Ref dict = checked(PyDict_New());
    for (const auto& [key, calls] : operator_counts()) {
      const std::string dtype(name_of(key.second));
      const Ref pair = checked(Py_BuildValue("(ss)", key.first.c_str(), dtype.c_str()));
      const Ref number = checked(PyLong_FromLongLong(calls));
      checked(PyDict_SetItem(dict.get(), pair.get(), number.get()));
    }
    return dict.release();
  });
}

}  // namespace

PyMethodDef profile_methods[] = {
    {"profiler_start", profiler_start, METH_NOARGS, "Starts recording spans of all threads."},
    {"profiler_stop", profiler_stop, METH_NOARGS,
     "Ends it: a list of (name, category, begin ns, end ns, thread)."},
    {"profiler_export", profiler_export, METH_O, "Writes the last recording as a Chrome trace."},
    {"profiler_now", profiler_now, METH_NOARGS, "The recorder's clock in ns."},
    {"profiler_record", profiler_record, METH_VARARGS, "(name, begin ns, end ns): a span."},
    {"count_operators", count_calls, METH_O,
     "Starts or ends counting calls: {(operator, dtype): calls} of the last count."},
    {"numerics_log", log_numbers, METH_VARARGS,
     "(level, operators, operators left out, file): what the check writes; () ends it."},
    {"check_nan_inf", watch_nan_inf, METH_O, "Whether results are checked, on all threads."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace paddle::bindings
