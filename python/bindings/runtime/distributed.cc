// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Distributed tensors as Python sees them, and jobs whose ranks are threads.
#include "distributed/comm/thread_job.h"
#include "paddle_core/autograd/autograd.h"
#include "paddle_core/comm/blocking.h"
#include "paddle_core/device/execution_context.h"
#include "paddle_core/dispatch/deferred.h"
#include "paddle_core/tensor/sharded_part.h"
#include "phi_kernels/ops/collective/placement_args.h"
#include "python/bindings/base/errors.h"
#include "python/bindings/base/reference.h"
#include "python/bindings/runtime/runtime.h"
#include "python/bindings/values/tensor_object.h"

namespace paddle::bindings {
namespace {

constexpr const char* kJobName = "job";
using JobPtr = std::shared_ptr<Job>;

const Tensor& tensor_arg(PyObject* o, const char* what) {
  if (!is_tensor(o)) throw_type(str(what, ": the argument must be a Tensor."));
  return tensor_of(o);
}

PyObject* list_of(const std::vector<int64_t>& numbers) {
  Ref list = checked(PyList_New(static_cast<Py_ssize_t>(numbers.size())));
  for (size_t i = 0; i < numbers.size(); ++i) {
    PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), PyLong_FromLongLong(numbers[i]));
  }
  return list.release();
}

PyObject* dist_attr(PyObject*, PyObject* arg) {
  return guarded([&]() -> PyObject* {
    const DistAttr* attr = dist_attr_of(tensor_arg(arg, "dist_attr"));
    if (!attr) Py_RETURN_NONE;
    const ProcessMesh& mesh = *attr->mesh();
    std::vector<int64_t> codes;
    for (const Dim code : ops::PlacementArgs(attr).placements) codes.push_back(code.value());
    Ref names = checked(PyList_New(mesh.ndim()));
    for (int64_t d = 0; d < mesh.ndim(); ++d) {
      PyList_SET_ITEM(names.get(), d,
                      PyUnicode_FromString(mesh.names()[static_cast<size_t>(d)].c_str()));
    }
    const Ref shape(list_of(mesh.shape())), ranks(list_of(mesh.ranks())), placed(list_of(codes));
    return Py_BuildValue("(OOOO)", shape.get(), ranks.get(), names.get(), placed.get());
  });
}

PyObject* local_value(PyObject*, PyObject* arg) {
  return guarded([&]() -> PyObject* {
    const Tensor& t = tensor_arg(arg, "local_value");
    if (!t->sharded) return wrap(t);
    autograd::sync_view(t);
    if (!local_part(t).defined()) Py_RETURN_NONE;
    Tensor local = local_part(t).detach();
    local->stop_gradient = t->stop_gradient;
    autograd::set_stop_gradient(local, t->stop_gradient);
    return wrap(local);
  });
}

// The first tensor takes over shape, dtype, placement and part of the second, which is distributed.
PyObject* become_distributed(PyObject*, PyObject* args) {
  PyObject *target, *source;
  if (!PyArg_ParseTuple(args, "OO:become_distributed", &target, &source)) return nullptr;
  return guarded([&]() -> PyObject* {
    const Tensor& t = tensor_arg(target, "become_distributed");
    const Tensor& from = tensor_arg(source, "become_distributed");
    if (!from->sharded) throw_type("become_distributed: the source is not distributed.");
    materialize(t, "become_distributed()");
    become_sharded(t, from.shape(), from.dtype(), dist_attr_of(from), local_part(from));
    Py_RETURN_NONE;
  });
}

// tensor, the numbers of placements: its gradient is kept so.
PyObject* place_gradients(PyObject*, PyObject* args) {
  PyObject *tensor, *codes;
  if (!PyArg_ParseTuple(args, "OO!:place_gradients", &tensor, &PyList_Type, &codes)) return nullptr;
  return guarded([&]() -> PyObject* {
    const Tensor& t = tensor_arg(tensor, "place_gradients");
    const DistAttr* attr = dist_attr_of(t);
    if (!attr) throw_type("place_gradients: the tensor is not distributed.");
    Shape numbers;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(codes); ++i) {
      const int64_t code = PyLong_AsLongLong(PyList_GET_ITEM(codes, i));
      if (code == -1 && PyErr_Occurred()) throw_python();
      numbers.push_back(Dim(code));
    }
    const Placements placements = ops::placements_of(numbers);
    check_placements("place_gradients", placements, t.ndim());
    autograd::ensure_meta(t).grad_attr = DistAttr::get(attr->mesh(), placements);
    Py_RETURN_NONE;
  });
}

}  // namespace

PyObject* capsule_of(JobPtr job) {
  auto owned = std::make_unique<JobPtr>(std::move(job));
  Ref capsule = checked(PyCapsule_New(owned.get(), kJobName, [](PyObject* self) {
    delete static_cast<JobPtr*>(PyCapsule_GetPointer(self, kJobName));
  }));
  static_cast<void>(owned.release());
  return capsule.release();
}

namespace {

JobPtr& job_of(PyObject* capsule) {
  void* found = PyCapsule_GetPointer(capsule, kJobName);
  if (!found) throw_python();
  return *static_cast<JobPtr*>(found);
}

PyObject* thread_job(PyObject*, PyObject* arg) {
  return guarded([&]() -> PyObject* {
    const int64_t size = PyLong_AsLongLong(arg);
    if (size == -1 && PyErr_Occurred()) throw_python();
    Ref list = checked(PyList_New(0));
    for (const auto& job : distributed::ThreadJob::make(size)) {
      const Ref capsule(capsule_of(job));
      if (PyList_Append(list.get(), capsule.get()) != 0) throw_python();
    }
    return list.release();
  });
}

PyObject* join_job(PyObject*, PyObject* capsule) {
  return guarded([&]() -> PyObject* {
    const JobPtr& job = job_of(capsule);
    if (!thread_binding.context) {
      throw_type("join_job: bind the context of the rank to the thread first.");
    }
    thread_binding.context->job = job;
    Py_RETURN_NONE;
  });
}

PyObject* leave_job(PyObject*, PyObject* args) {
  PyObject* capsule;
  const char* reason;
  if (!PyArg_ParseTuple(args, "Os:leave_job", &capsule, &reason)) return nullptr;
  return guarded([&]() -> PyObject* {
    const JobPtr& job = job_of(capsule);
    {
      const Blocking blocking;
      job->leave(reason);
    }
    Py_RETURN_NONE;
  });
}

PyObject* add_rank_threads(PyObject*, PyObject* arg) {
  return guarded([&]() -> PyObject* {
    const int64_t more = PyLong_AsLongLong(arg);
    if (more == -1 && PyErr_Occurred()) throw_python();
    if (auto* job = dynamic_cast<distributed::ThreadJob*>(current_job())) job->add_threads(more);
    Py_RETURN_NONE;
  });
}

PyObject* is_in_job(PyObject*, PyObject*) { return PyBool_FromLong(current_job() != nullptr); }

PyObject* bytes_sent(PyObject*, PyObject*) {
  const Job* job = current_job();
  return PyLong_FromUnsignedLongLong(job ? job->bytes_sent() : 0);
}

}  // namespace

PyMethodDef distributed_methods[] = {
    {"dist_attr", dist_attr, METH_O,
     "(shape, ranks, names, placements) of a distributed tensor's mesh; None of a plain tensor."},
    {"local_value", local_value, METH_O, "The rank's part of a tensor, sharing memory, or None."},
    {"become_distributed", become_distributed, METH_VARARGS,
     "Makes the first tensor the distributed tensor that the second is."},
    {"place_gradients", place_gradients, METH_VARARGS,
     "Keeps the gradient of a distributed tensor with these placements."},
    {"thread_job", thread_job, METH_O, "The members of a job whose ranks are threads."},
    {"join_job", join_job, METH_O,
     "Makes the thread's context the rank that a member of a job stands for."},
    {"leave_job", leave_job, METH_VARARGS,
     "A member of a job ends; the reason, if any, is why it failed."},
    {"add_rank_threads", add_rank_threads, METH_O,
     "Where ranks are threads: so many more threads of this one may call something."},
    {"is_in_job", is_in_job, METH_NOARGS, "Whether the rank of this thread is in a job."},
    {"bytes_sent", bytes_sent, METH_NOARGS, "Bytes that this rank has handed to others."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace paddle::bindings
