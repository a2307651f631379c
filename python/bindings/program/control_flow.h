// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The methods that `_core.pir.Capture` and `_core.pir.Recording` have alike: branches, loops and
// gradients through them.
#pragma once

#include "pir/capture/capture.h"
#include "pir/capture/recording.h"
#include "python/bindings/base/pybind.h"
#include "python/bindings/program/program.h"
#include "python/bindings/values/tensor_object.h"

namespace paddle::bindings {

inline pir::Capture& capture_of(pir::Capture& c) { return c; }
inline pir::Capture& capture_of(pir::Recording& r) { return r.capture(); }

// An `if` on a tensor: its branches are recorded one behind the other.
template <typename T>
void bind_branches(py::class_<T>& type) {
  type.def("begin_if",
           [](T& c, const py::object& condition) {
             translated([&] { capture_of(c).begin_if(tensor_of(condition.ptr())); });
           })
      .def("enter_branch",
           [](T& c, size_t i) { translated([&] { capture_of(c).enter_branch(i); }); })
      .def("leave_branch",
           [](T& c, size_t i) { translated([&] { capture_of(c).leave_branch(i); }); })
      .def("end_if", [](T& c, const py::sequence& first, const py::sequence& second) {
        return translated(
            [&] { return wrapped(capture_of(c).end_if(tensors(first), tensors(second))); });
      });
}

// What a name stands for behind branches that leave different tensors under it.
template <typename T>
void bind_joins(py::class_<T>& type) {
  type.def("stood_before",
           [](T& c, const py::object& t) { return capture_of(c).stood_before(tensor_of(t.ptr())); })
      .def("join",
           [](T& c, const py::object& joined, const py::object& kept, const py::object& left,
              const py::object& other, bool stood) {
             translated([&] {
               const Tensor second = other.is_none() ? Tensor() : tensor_of(other.ptr());
               capture_of(c).join(tensor_of(joined.ptr()), tensor_of(kept.ptr()),
                                  tensor_of(left.ptr()), second, stood);
             });
           })
      .def("may_be",
           [](T& c, const py::object& t, const py::sequence& others) {
             capture_of(c).may_be(tensor_of(t.ptr()), tensors(others));
           })
      .def("apart",
           [](T& c, const py::sequence& variables) { capture_of(c).apart(tensors(variables)); })
      .def("alternatives", [](T& c, const py::object& t) {
        py::list all;
        for (const auto& one : capture_of(c).alternatives(tensor_of(t.ptr()))) {
          TensorList masks;
          py::list wanted;
          for (const auto& [mask, value] : one.conditions) {
            masks.push_back(mask);
            wanted.append(value);
          }
          all.append(py::make_tuple(wrapped({one.tensor})[0], wrapped(masks), wanted));
        }
        return all;
      });
}

// A `while` on a tensor: one recorded round stands for all.
template <typename T>
void bind_loops(py::class_<T>& type) {
  type.def("begin_while",
           [](T& c, const py::object& condition, const py::sequence& values) {
             translated(
                 [&] { capture_of(c).begin_while(tensor_of(condition.ptr()), tensors(values)); });
           })
      .def("begin_round",
           [](T& c) { return translated([&] { return wrapped(capture_of(c).begin_round()); }); })
      .def("end_round",
           [](T& c, const py::object& condition, const py::sequence& next) {
             return translated([&] {
               return capture_of(c).end_round(tensor_of(condition.ptr()), tensors(next));
             });
           })
      .def("end_only_round",
           [](T& c, const py::object& condition) {
             translated([&] { capture_of(c).end_only_round(tensor_of(condition.ptr())); });
           })
      .def("drop_while", [](T& c) { translated([&] { capture_of(c).drop_while(); }); })
      .def("end_while",
           [](T& c) { return translated([&] { return wrapped(capture_of(c).end_while()); }); });
}

// Which tensors lie over one memory, and which were written.
template <typename T>
void bind_memory(py::class_<T>& type) {
  type.def("memories",
           [](T&, const py::object& t) {
             return wrapped(pir::Capture::memories(tensor_of(t.ptr())));
           })
      .def("parting",
           [](T&, const py::object& t, const py::object& kept) -> py::object {
             const auto found = pir::Capture::parting(tensor_of(t.ptr()), tensor_of(kept.ptr()));
             return found ? py::object(wrapped(*found)) : py::object(py::none());
           })
      .def_property_readonly("round_writes", [](T& c) { return capture_of(c).round_writes(); })
      .def("writes",
           [](T& c, const py::object& t) { return capture_of(c).writes(tensor_of(t.ptr())); })
      .def("is_written",
           [](T& c, const py::object& t) { return capture_of(c).is_written(tensor_of(t.ptr())); });
}

// What is open, for a capture that gives up.
template <typename T>
void bind_scopes(py::class_<T>& type) {
  type.def_property_readonly("open_scopes", [](T& c) { return capture_of(c).open_scopes(); })
      .def("drop_scopes",
           [](T& c, size_t depth) { translated([&] { capture_of(c).drop_scopes(depth); }); })
      .def_property_readonly("has_control_flow",
                             [](T& c) { return capture_of(c).has_control_flow(); })
      .def_property_readonly("has_open_extents",
                             [](T& c) { return capture_of(c).has_open_extents(); });
}

// Gradients through branches and loops.
template <typename T>
void bind_gradients(py::class_<T>& type) {
  type.def_property_readonly("gradients_wait", [](T& c) { return capture_of(c).gradients_wait(); })
      .def("record_gradient", [](T& c, const py::sequence& targets, const py::sequence& inputs,
                                 const py::sequence& seeds) {
        return translated([&] {
          return wrapped(capture_of(c).record_gradient(tensors(targets), tensors(inputs),
                                                       optional_tensors(seeds)));
        });
      });
}

template <typename T>
void bind_control_flow(py::class_<T>& type) {
  bind_branches(type);
  bind_joins(type);
  bind_loops(type);
  bind_memory(type);
  bind_scopes(type);
  bind_gradients(type);
}

}  // namespace paddle::bindings
