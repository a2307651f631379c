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
template <typename T>
pir::ControlFlow& control_flow_of(T& c) {
  return capture_of(c).control_flow();
}
template <typename T>
pir::Phis& phis_of(T& c) {
  return capture_of(c).phis();
}

// An `if` on a tensor: its branches are recorded one behind the other.
template <typename T>
void bind_branches(py::class_<T>& type) {
  type.def("begin_if",
           [](T& c, const py::object& condition) {
             translated([&] { control_flow_of(c).begin_if(tensor_of(condition.ptr())); });
           })
      .def("enter_branch",
           [](T& c, size_t i) { translated([&] { control_flow_of(c).enter_branch(i); }); })
      .def("leave_branch",
           [](T& c, size_t i) { translated([&] { control_flow_of(c).leave_branch(i); }); })
      .def("end_if", [](T& c, const py::sequence& first, const py::sequence& second) {
        return translated(
            [&] { return wrapped(control_flow_of(c).end_if(tensors(first), tensors(second))); });
      });
}

// What a name stands for behind branches that leave different tensors under it.
template <typename T>
void bind_phis(py::class_<T>& type) {
  type.def("stood_before",
           [](T& c, const py::object& t) { return phis_of(c).dominates(tensor_of(t.ptr())); })
      .def("join",
           [](T& c, const py::object& result, const py::object& kept, const py::object& mask,
              const py::object& other, bool other_dominates) {
             translated([&] {
               const Tensor second = other.is_none() ? Tensor() : tensor_of(other.ptr());
               phis_of(c).add_phi(tensor_of(result.ptr()), tensor_of(kept.ptr()),
                                  tensor_of(mask.ptr()), second, other_dominates);
             });
           })
      .def("may_be",
           [](T& c, const py::object& t, const py::sequence& others) {
             phis_of(c).may_alias(tensor_of(t.ptr()), tensors(others));
           })
      .def("apart",
           [](T& c, const py::sequence& variables) { phis_of(c).no_alias(tensors(variables)); })
      .def("alternatives", [](T& c, const py::object& t) {
        py::list all;
        for (const auto& one : phis_of(c).operands_of(tensor_of(t.ptr()))) {
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
             translated([&] {
               control_flow_of(c).begin_while(tensor_of(condition.ptr()), tensors(values));
             });
           })
      .def(
          "begin_round",
          [](T& c) { return translated([&] { return wrapped(control_flow_of(c).begin_body()); }); })
      .def("end_round",
           [](T& c, const py::object& condition, const py::sequence& next) {
             return translated([&] {
               return control_flow_of(c).end_body(tensor_of(condition.ptr()), tensors(next));
             });
           })
      .def("end_only_round",
           [](T& c, const py::object& condition) {
             translated([&] { control_flow_of(c).end_only_body(tensor_of(condition.ptr())); });
           })
      .def("drop_while", [](T& c) { translated([&] { control_flow_of(c).drop_while(); }); })
      .def("end_while", [](T& c) {
        return translated([&] { return wrapped(control_flow_of(c).end_while()); });
      });
}

// Which tensors lie over one memory, and which were written.
template <typename T>
void bind_memory(py::class_<T>& type) {
  type.def("memories",
           [](T&, const py::object& t) { return wrapped(pir::Phis::memories(tensor_of(t.ptr()))); })
      .def("parting",
           [](T&, const py::object& t, const py::object& kept) -> py::object {
             const auto found = pir::Phis::masks_of(tensor_of(t.ptr()), tensor_of(kept.ptr()));
             return found ? py::object(wrapped(*found)) : py::object(py::none());
           })
      .def_property_readonly("round_writes", [](T& c) { return control_flow_of(c).body_writes(); })
      .def("writes",
           [](T& c, const py::object& t) {
             return capture_of(c).writes().is_written(tensor_of(t.ptr()));
           })
      .def("is_written", [](T& c, const py::object& t) {
        return control_flow_of(c).is_written_in_body(tensor_of(t.ptr()));
      });
}

// What is open, for a capture that gives up.
template <typename T>
void bind_scopes(py::class_<T>& type) {
  type.def_property_readonly("open_scopes", [](T& c) { return control_flow_of(c).open_scopes(); })
      .def("drop_scopes",
           [](T& c, size_t depth) { translated([&] { control_flow_of(c).drop_scopes(depth); }); })
      .def_property_readonly("has_control_flow",
                             [](T& c) { return capture_of(c).has_control_flow(); })
      .def_property_readonly("has_open_extents",
                             [](T& c) { return capture_of(c).has_dynamic_extents(); });
}

// Gradients through branches and loops.
template <typename T>
void bind_gradients(py::class_<T>& type) {
  type.def_property_readonly("gradients_wait",
                             [](T& c) { return capture_of(c).gradients().are_deferred(); })
      .def("record_gradient", [](T& c, const py::sequence& targets, const py::sequence& inputs,
                                 const py::sequence& seeds) {
        return translated([&] {
          return wrapped(capture_of(c).gradients().record(tensors(targets), tensors(inputs),
                                                          optional_tensors(seeds)));
        });
      });
}

template <typename T>
void bind_control_flow(py::class_<T>& type) {
  bind_branches(type);
  bind_phis(type);
  bind_loops(type);
  bind_memory(type);
  bind_scopes(type);
  bind_gradients(type);
}

}  // namespace paddle::bindings
