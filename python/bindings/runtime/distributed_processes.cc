// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The job of this process with others, and collectives on plain tensors.
#include "distributed/comm/processes.h"
#include "paddle_core/comm/blocking.h"
#include "paddle_core/device/execution_context.h"
#include "python/bindings/base/errors.h"
#include "python/bindings/base/reference.h"
#include "python/bindings/runtime/runtime.h"
#include "python/bindings/values/deferred.h"
#include "python/bindings/values/tensor_object.h"

namespace paddle::bindings {
namespace {

void* release_interpreter() { return PyGILState_Check() ? PyEval_SaveThread() : nullptr; }
void take_interpreter(void* state) {
  if (state) PyEval_RestoreThread(static_cast<PyThreadState*>(state));
}

Ref text_of(const std::string& text) {
  return checked(PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size())));
}

std::shared_ptr<Job> connected(const char* format, PyObject* args) {
  long long rank, size;
  PyObject *set, *get;
  double timeout;
  const char* host;
  if (!PyArg_ParseTuple(args, format, &rank, &size, &set, &get, &timeout, &host)) throw_python();
  distributed::Meeting meeting;
  meeting.rank = rank;
  meeting.size = size;
  meeting.host = host;
  meeting.timeout_seconds = timeout;
  meeting.set = [&](const std::string& key, const std::string& value) {
    const GilAcquire held;
    const Ref name = text_of(key);
    const Ref bytes =
        checked(PyBytes_FromStringAndSize(value.data(), static_cast<Py_ssize_t>(value.size())));
    checked(PyObject_CallFunctionObjArgs(set, name.get(), bytes.get(), nullptr));
  };
  meeting.get = [&](const std::string& key) -> std::string {
    const GilAcquire held;
    const Ref name = text_of(key);
    const Ref bytes = checked(PyObject_CallOneArg(get, name.get()));
    char* data;
    Py_ssize_t length;
    checked(PyBytes_AsStringAndSize(bytes.get(), &data, &length));
    return {data, static_cast<size_t>(length)};
  };
  const GilRelease released;
  return distributed::connect_processes(meeting);
}

PyObject* connect_processes(PyObject*, PyObject* args) {
  return guarded([&]() -> PyObject* {
    std::shared_ptr<Job>& job = process_context().job;
    PADDLE_CHECK_RUNTIME(!job,
                         "connect_processes: this process is in a job already; call "
                         "disconnect_processes first.");
    job = connected("LLOOds:connect_processes", args);
    Py_RETURN_NONE;
  });
}

PyObject* open_job(PyObject*, PyObject* args) {
  return guarded([&] { return capsule_of(connected("LLOOds:open_job", args)); });
}

PyObject* disconnect_processes(PyObject*, PyObject*) {
  return guarded([&]() -> PyObject* {
    std::shared_ptr<Job> job = std::move(process_context().job);
    {
      const GilRelease released;  // It tells the others.
      if (job) job->leave("");    // Another thread may wait in it.
      job.reset();
    }
    Py_RETURN_NONE;
  });
}

TensorList tensors_of(PyObject* list, const char* argument, bool copies) {
  if (!PyList_Check(list)) {
    throw_type(str("process_group_call: argument ", argument, " must be a list of Tensors, got ",
                   described(list), "."));
  }
  TensorList tensors;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); ++i) {
    PyObject* const item = PyList_GET_ITEM(list, i);
    if (!is_tensor(item)) {
      throw_type(str("process_group_call: argument ", argument,
                     " must be a list of Tensors; entry ", i, " is ", described(item), "."));
    }
    const Tensor& t = tensor_of(item);
    materialize_values(t, "process_group_call()");
    tensors.push_back(copies && t.has_storage() ? t.contiguous_copy_if_needed() : t);
  }
  return tensors;
}

Ranks ranks_of(PyObject* list) {
  if (!PyList_Check(list)) {
    throw_type(str("process_group_call: argument ranks must be a list of integers, got ",
                   described(list), "."));
  }
  Ranks ranks;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); ++i) {
    const long long rank = PyLong_AsLongLong(PyList_GET_ITEM(list, i));
    if (rank == -1 && PyErr_Occurred()) throw_python();
    ranks.push_back(rank);
  }
  return ranks;
}

void call(ProcessGroup& group, std::string_view name, const TensorList& inputs,
          const TensorList& outputs, ReduceKind kind, int64_t root) {
  const auto expect = [&](bool one_input, bool one_output) {
    PADDLE_CHECK_VALUE((!one_input || inputs.size() == 1) && (!one_output || outputs.size() == 1),
                       "process_group_call: ", name, " got ", inputs.size(), " inputs and ",
                       outputs.size(), " outputs; it takes ", one_input ? "one input" : "a list",
                       " and gives ", one_output ? "one output." : "a list.");
  };
  if (name == "all_reduce") {
    expect(true, true);
    group.all_reduce(inputs[0], outputs[0], kind);
  } else if (name == "all_gather") {
    expect(true, false);
    group.all_gather(inputs[0], outputs);
  } else if (name == "reduce_scatter") {
    expect(false, true);
    group.reduce_scatter(inputs, outputs[0], kind);
  } else if (name == "all_to_all") {
    group.all_to_all(inputs, outputs);
  } else if (name == "broadcast") {
    PADDLE_CHECK_VALUE(inputs.empty(),
                       "process_group_call: broadcast takes its tensor, which it "
                       "also writes, as the only output.");
    expect(false, true);
    group.broadcast(outputs[0], root);
  } else if (name == "barrier") {
    group.barrier();
  } else if (name == "reduce") {
    expect(true, group.index() == root);
    group.reduce(inputs[0], outputs.empty() ? Tensor() : outputs[0], kind, root);
  } else if (name == "gather") {
    expect(true, false);
    group.gather(inputs[0], outputs, root);
  } else if (name == "scatter") {
    expect(false, true);
    group.scatter(inputs, outputs[0], root);
  } else if (name == "send") {
    expect(true, false);
    group.send(inputs[0], root);
  } else if (name == "recv") {
    expect(false, true);
    group.recv(outputs[0], root);
  } else {
    throw_error(ErrorKind::kValue,
                str("process_group_call: there is no collective ", name,
                    "; there are all_reduce, all_gather, reduce_scatter, all_to_all, broadcast, "
                    "reduce, gather, scatter, barrier, send and recv."));
  }
}

PyObject* process_group_call(PyObject*, PyObject* args, PyObject* keywords) {
  static const char* const kNames[] = {"name", "ranks",  "inputs", "outputs", "kind",
                                       "root", "number", "limit",  nullptr};
  const char* name;
  PyObject *ranks, *inputs, *outputs;
  int kind = 0;
  long long root = 0, number = 0;
  double limit = 0;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "sOOO|iLLd:process_group_call",
                                   const_cast<char**>(kNames), &name, &ranks, &inputs, &outputs,
                                   &kind, &root, &number, &limit)) {
    return nullptr;
  }
  return guarded([&]() -> PyObject* {
    PADDLE_CHECK_VALUE(kind >= 0 && kind < kNumReduceKinds, "process_group_call: kind has value ",
                       kind, "; the numbers of reductions are 0 to ", kNumReduceKinds - 1, ".");
    const TensorList given = tensors_of(inputs, "inputs", true);
    const TensorList results = tensors_of(outputs, "outputs", false);
    // Another thread may disconnect meanwhile.
    const std::shared_ptr<Job> job = execution_context().job;
    ProcessGroup& group = group_of(ranks_of(ranks), name, number, limit);
    call(group, name, given, results, static_cast<ReduceKind>(kind), root);
    for (const Tensor& result : results) {
      if (result.has_storage()) result->storage->note_overwrite();
    }
    Py_RETURN_NONE;
  });
}

PyObject* process_group_receive(PyObject*, PyObject* args) {
  PyObject* ranks;
  long long member, number;
  double limit;
  if (!PyArg_ParseTuple(args, "OLLd:process_group_receive", &ranks, &member, &number, &limit)) {
    return nullptr;
  }
  return guarded([&]() -> PyObject* {
    const std::shared_ptr<Job> job = execution_context().job;
    return wrap(group_of(ranks_of(ranks), "recv", number, limit).recv_any(member));
  });
}

PyObject* process_group_bytes_sent(PyObject*, PyObject* ranks) {
  return guarded([&] {
    const uint64_t sent = group_of(ranks_of(ranks), "process_group_bytes_sent").bytes_sent();
    return checked(PyLong_FromUnsignedLongLong(sent)).release();
  });
}

}  // namespace

void install_blocking_hooks() { set_blocking_hooks({release_interpreter, take_interpreter}); }

PyMethodDef distributed_process_methods[] = {
    {"connect_processes", connect_processes, METH_VARARGS,
     "Makes this process a rank of a job: rank, size, set(key, bytes) and get(key) of a dictionary "
     "of the job, seconds, address of this process."},
    {"disconnect_processes", disconnect_processes, METH_NOARGS, "Leaves the job, if there is one."},
    {"process_group_call",
     reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(process_group_call)),
     METH_VARARGS | METH_KEYWORDS,
     "A collective of the rank of this thread with others: name, ranks, inputs, outputs, kind, "
     "root (an index in ranks; the peer of send and recv), number of the group, its time limit."},
    {"process_group_receive", process_group_receive, METH_VARARGS,
     "The next tensor that a member sends: ranks, member, number of the group, its time limit."},
    {"open_job", open_job, METH_VARARGS,
     "A job beside that of connect_processes, with the same arguments, for join_job."},
    {"process_group_bytes_sent", process_group_bytes_sent, METH_O,
     "Bytes that this rank has handed to the others of a group of ranks."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace paddle::bindings
