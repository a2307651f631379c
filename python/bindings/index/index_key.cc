// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Reading the key of x[key].
#include "python/bindings/index/index_key.h"

#include <climits>
#include <cstring>
#include <span>

#include "paddle_core/autograd/autograd.h"
#include "paddle_core/dispatch/state.h"
#include "pir/capture/capture.h"
#include "python/bindings/base/errors.h"
#include "python/bindings/base/reference.h"
#include "python/bindings/values/deferred.h"
#include "python/bindings/values/interop.h"
#include "python/bindings/values/op_call.h"
#include "python/bindings/values/symint.h"
#include "python/bindings/values/tensor_object.h"

namespace paddle::bindings {

namespace {

constexpr int64_t kOpenEnd = INT_MAX;

// The slice operator with its arguments' positions, looked up once.
struct SliceOp {
  const OpDef& op = op_named("slice");
  size_t axes = at("axes"), starts = at("starts"), ends = at("ends");
  size_t flags = at("infer_flags"), decrease = at("decrease_axis");
  size_t at(const char* name) const {
    const int i = op.schema().arg_index(name);
    PADDLE_CHECK_RUNTIME(i > 0 && op.num_args <= 8, "slice: no argument named ", name, ".");
    return static_cast<size_t>(i);
  }
};

Tensor slice_axes(const Tensor& x, std::span<const Dim> axes, std::span<const Dim> starts,
                  std::span<const Dim> ends, std::span<const Dim> decrease) {
  static const SliceOp slice;
  const Shape flags(axes.size(), Dim(1));
  const auto ints = [](std::span<const Dim> d) { return Slot::of(d.data(), d.size()); };
  Slot slots[8];
  slots[0] = Slot::of(x);
  slots[slice.axes] = ints(axes);
  slots[slice.starts] = ints(starts);
  slots[slice.ends] = ints(ends);
  slots[slice.flags] = Slot::of(flags);
  slots[slice.decrease] = ints(decrease);
  Outputs outs;
  call(slice.op, slots, outs);
  return std::move(outs[0]);
}

}  // namespace

// x[begin:end] along one axis, or x[begin] with `drop`.
Tensor slice_axis(const Tensor& x, Dim axis, Dim begin, Dim end, bool drop) {
  const std::span<const Dim> one(&axis, 1);
  return slice_axes(x, one, {&begin, 1}, {&end, 1}, drop ? one : std::span<const Dim>());
}

namespace {

// An index of a known extent, counted from the front unless a program is captured: that keeps what
// was said, so that it holds for other extents too.
int64_t counted_index(Dim extent, int64_t axis, int64_t i, const char* what) {
  if (extent.is_symbolic()) return i;
  const int64_t n = extent.value();
  PADDLE_CHECK_INDEX(i >= -n && i < n, "Tensor[...]: ", what, " ", i, " is out of bounds for axis ",
                     axis, " with size ", n, "; use a value in [", -n, ", ", n, ").");
  return i < 0 && !capturing() ? i + n : i;
}

// The end of a slice that holds one element.
int64_t after(int64_t i) { return i == -1 ? kOpenEnd : i + 1; }

}  // namespace

Tensor select(const Tensor& x, int64_t axis, int64_t i, const char* what) {
  i = counted_index(x.shape()[static_cast<size_t>(axis)], axis, i, what);
  return slice_axis(x, axis, i, after(i), true);
}

int64_t as_int(PyObject* o) {
  const Ref index = checked(PyNumber_Index(o));
  const int64_t v = PyLong_AsLongLong(index.get());
  if (v == -1 && PyErr_Occurred()) throw_python();
  return v;
}

namespace {

void add_int(IndexKey& p, const Tensor& x, int64_t axis, int64_t i) {
  i = counted_index(x.shape()[static_cast<size_t>(axis)], axis, i, "index");
  p.axes.push_back(axis);
  p.starts.push_back(i);
  p.ends.push_back(after(i));
  p.steps.push_back(1);
  p.decrease.push_back(axis);
}

// An extent of the program that is captured, as an index.
bool add_extent(IndexKey& p, int64_t axis, PyObject* o) {
  const auto d = symbolic_extent(o);
  if (!d || !decide_le(0, *d, true)) return false;
  p.axes.push_back(axis);
  p.starts.push_back(*d);
  p.ends.push_back(*d + Dim(1));
  p.steps.push_back(1);
  p.decrease.push_back(axis);
  return true;
}

Dim bound_of(PyObject* o, int64_t otherwise) {
  if (o == Py_None) return Dim(otherwise);
  if (const auto d = symbolic_extent(o)) return *d;
  return Dim::clamped(as_int(o));
}

void add_symbolic_slice(IndexKey& p, int64_t axis, PySliceObject* s) {
  const int64_t step = s->step == Py_None ? 1 : as_int(s->step);
  PADDLE_CHECK_VALUE(step != 0, "Tensor[...]: a slice has step 0; pass 1 or -1.");
  p.strided |= step != 1;
  p.axes.push_back(axis);
  p.starts.push_back(bound_of(s->start, step > 0 ? 0 : kOpenEnd));
  p.ends.push_back(bound_of(s->stop, step > 0 ? kOpenEnd : -kOpenEnd));
  p.steps.push_back(step);
}

}  // namespace

void add_slice(IndexKey& p, const Tensor& x, int64_t axis, PyObject* key) {
  auto* s = reinterpret_cast<PySliceObject*>(key);
  if (s->start == Py_None && s->stop == Py_None && s->step == Py_None) return;
  if (symbolic_extent(s->start) || symbolic_extent(s->stop)) return add_symbolic_slice(p, axis, s);
  Py_ssize_t start, stop, step;
  checked(PySlice_Unpack(key, &start, &stop, &step));
  const Dim d = x.shape()[static_cast<size_t>(axis)];
  if (d.is_symbolic() || (capturing() && step > 0)) {
    const Py_ssize_t most = d.is_symbolic() ? kOpenEnd : std::max<Py_ssize_t>(kOpenEnd, d.value());
    if (start == 0 && stop >= most && step == 1) return;
    stop = std::clamp(stop, -most, most);
    start = std::clamp(start, -most, most);
  } else {
    const int64_t n = d.value();
    const Py_ssize_t length = PySlice_AdjustIndices(n, &start, &stop, step);
    if (length == n && step == 1) return;
    if (length == 0) {
      start = stop = 0;
      step = 1;
    } else if (step < 0 && stop < 0) {
      stop = -n - 1;  // before the first element; -1 would mean the last one
    }
  }
  p.strided |= step != 1;
  p.axes.push_back(axis);
  p.starts.push_back(static_cast<int64_t>(start));
  p.ends.push_back(static_cast<int64_t>(stop));
  p.steps.push_back(static_cast<int64_t>(step));
}

namespace {

bool is_index_array(PyObject* o) {
  if (is_tensor(o)) {
    const Tensor& t = tensor_of(o);
    if (t.ndim() == 0) materialize_values(t, "a tensor as an index");
    return t.ndim() > 0 || is_bool(t.dtype()) || !t.has_storage();
  }
  return PyList_Check(o) || PyTuple_Check(o) || PyRange_Check(o) ||
         (is_array_like(o) && !PyIndex_Check(o)) ||
         std::strcmp(Py_TYPE(o)->tp_name, "numpy.ndarray") == 0;
}

Tensor index_array(PyObject* o) {
  Tensor t = make_tensor(o);
  if (t.numel() == 0 && !is_tensor(o)) t = cast_to(t, DType::kInt64);
  PADDLE_CHECK_INDEX(is_integer(t.dtype()) || is_bool(t.dtype()),
                     "Tensor[...]: an index array has dtype ", t.dtype(),
                     "; use integers or bools.");
  return t;
}

// Coordinates of the true elements, one integer tensor per axis of the mask. Those of a mask that
// is no tensor are known while a program is captured: they, and their number, are constants of it.
void add_mask(IndexKey& p, const Tensor& mask, size_t view_axis, bool constant = false) {
  const ModeGuard now(constant ? uint32_t{kModeCapture} : 0);
  const Tensor where = OpCall("nonzero").at(0, Slot::of(mask)).run();
  for (int64_t k = 0; k < mask.ndim(); ++k) {
    p.indices.push_back({select(where, 1, k), view_axis + static_cast<size_t>(k)});
  }
}

size_t consumed(PyObject* o) {
  if (o == Py_None || o == Py_Ellipsis || PyBool_Check(o)) return 0;
  if (PyLong_Check(o) || PySlice_Check(o)) return 1;
  if (is_tensor(o) && is_bool(tensor_of(o).dtype())) {
    return static_cast<size_t>(tensor_of(o).ndim());
  }
  if (!is_tensor(o) && is_index_array(o)) {
    const Tensor t = index_array(o);
    if (is_bool(t.dtype())) return static_cast<size_t>(t.ndim());
  }
  return 1;
}

void check_mask(const Tensor& x, const Tensor& mask, int64_t axis) {
  for (int64_t k = 0; k < mask.ndim(); ++k) {
    const Dim a = x.shape()[static_cast<size_t>(axis + k)];
    const Dim b = mask.shape()[static_cast<size_t>(k)];
    PADDLE_CHECK_INDEX(decide_eq(a, b, true), "Tensor[...]: the mask has shape ", mask.shape(),
                       " and the tensor has size ", a, " at axis ", axis + k,
                       "; they must be equal.");
  }
}

}  // namespace

IndexKey parse_key(const Tensor& x, PyObject* key) {
  PyObject* one[1] = {key};
  PyObject** items = one;
  Py_ssize_t n = 1;
  if (PyTuple_Check(key)) {
    items = PySequence_Fast_ITEMS(key);
    n = PyTuple_GET_SIZE(key);
  }
  int64_t used = 0;
  for (Py_ssize_t i = 0; i < n; ++i) used += static_cast<int64_t>(consumed(items[i]));
  PADDLE_CHECK_INDEX(used <= x.ndim(), "Tensor[...]: ", used, " indices for a tensor of rank ",
                     x.ndim(), "; use at most its rank.");
  IndexKey p;
  int64_t axis = 0;
  size_t view_axis = 0;
  bool ellipsis = false;
  for (Py_ssize_t i = 0; i < n; ++i) {
    PyObject* o = items[i];
    if (o == Py_Ellipsis) {
      PADDLE_CHECK_INDEX(!ellipsis, "Tensor[...]: more than one Ellipsis; use one.");
      ellipsis = true;
      view_axis += static_cast<size_t>(x.ndim() - used);
      axis += x.ndim() - used;
    } else if (o == Py_None) {
      p.none_axes.push_back(static_cast<int64_t>(view_axis++));
    } else if (PyBool_Check(o)) {
      p.none_axes.push_back(static_cast<int64_t>(view_axis));
      Tensor index = Tensor::full(Shape{o == Py_True ? 1 : 0}, Scalar(0), DType::kInt64);
      p.indices.push_back({index, view_axis++});
    } else if (PySlice_Check(o)) {
      add_slice(p, x, axis++, o);
      ++view_axis;
    } else if (PyLong_Check(o)) {
      add_int(p, x, axis++, as_int(o));
    } else if (is_index_array(o)) {
      const Tensor t = index_array(o);
      if (!is_bool(t.dtype())) {
        p.indices.push_back({t, view_axis++});
        ++axis;
      } else if (t.ndim() == 0) {
        p.none_axes.push_back(static_cast<int64_t>(view_axis));
        const Tensor flat =
            OpCall("reshape").at(0, Slot::of(t)).set("shape", Slot::of(Shape{1})).run();
        add_mask(p, flat, view_axis++);
      } else {
        check_mask(x, t, axis);
        add_mask(p, t, view_axis, !is_tensor(o));
        axis += t.ndim();
        view_axis += static_cast<size_t>(t.ndim());
      }
    } else if (PyIndex_Check(o)) {
      if (!add_extent(p, axis, o)) add_int(p, x, axis, as_int(o));
      ++axis;
    } else {
      throw_type(
          str("Tensor[...]: an index must be an int, slice, None, Ellipsis, bool or integer "
              "array, got ",
              type_of(o), "."));
    }
  }
  return p;
}

namespace {

// A bound of a slice with a negative step as a place: -1 for what is before the first element.
Dim place_in(Dim bound, Dim extent) {
  if (bound == Dim(kOpenEnd)) return extent - Dim(1);
  if (bound == Dim(-kOpenEnd)) return -1;
  const Dim place = decide_lt(bound, 0, false) ? max(bound + extent, -1) : bound;
  return min(place, extent - Dim(1));
}

}  // namespace

// Slices with a negative step, which are no views, as the same elements in ascending order. Returns
// the axes of the view along which they were turned round.
Shape make_forward(IndexKey& p, const Tensor& x) {
  Shape turned;
  for (size_t i = 0; i < p.axes.size(); ++i) {
    const int64_t step = p.steps[i].value();
    if (step > 0) continue;
    const Dim extent = x.shape()[static_cast<size_t>(p.axes[i].value())];
    Dim start = p.starts[i], end = p.ends[i];
    if (extent.is_symbolic() || start.is_symbolic() || end.is_symbolic()) {
      start = place_in(start, extent);
      end = place_in(end, extent);
    } else {  // they are places already
      end = max(end, -1);
    }
    const Dim count = max(floordiv(start - end - Dim(step + 1), -step), 0);
    p.starts[i] = start + (count - Dim(1)) * Dim(step);
    p.ends[i] = extent.is_symbolic() ? start + Dim(1) : min(start + Dim(1), extent);
    p.steps[i] = -step;
    int64_t at = p.axes[i].value();
    for (const Dim d : p.decrease) at -= d.value() < p.axes[i].value();
    for (const int64_t none : p.none_axes) at += none <= at;
    turned.push_back(at);
  }
  return turned;
}

Tensor basic_view(Tensor x, const IndexKey& p) {
  if (!p.axes.empty() && !p.strided) {
    x = slice_axes(x, p.axes, p.starts, p.ends, p.decrease);
  } else if (!p.axes.empty()) {
    x = OpCall("strided_slice")
            .at(0, Slot::of(x))
            .set("axes", Slot::of(p.axes))
            .set("starts", Slot::of(p.starts))
            .set("ends", Slot::of(p.ends))
            .set("strides", Slot::of(p.steps))
            .run();
    if (!p.decrease.empty()) {
      x = OpCall("squeeze").at(0, Slot::of(x)).set("axis", Slot::of(p.decrease)).run();
    }
  }
  for (const int64_t axis : p.none_axes) {
    x = OpCall("unsqueeze").at(0, Slot::of(x)).set("axis", Slot::of(Shape{axis})).run();
  }
  return x;
}

}  // namespace paddle::bindings
