// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// x[key] and x[key] = value. Integers, slices, None and Ellipsis make a view in operators; index
// arrays and masks gather from that view, or scatter into it. The rules are NumPy's, except that an
// integer next to index arrays selects first instead of taking part in their broadcast.
#include <algorithm>
#include <climits>
#include <cstring>
#include <span>
#include <vector>

#include "paddle_core/autograd/autograd.h"
#include "paddle_core/dispatch/state.h"
#include "pir/capture/capture.h"
#include "python/bindings/deferred.h"
#include "python/bindings/parse_args.h"
#include "python/bindings/symint.h"

namespace paddle::bindings {

namespace {

constexpr int64_t kOpenEnd = INT_MAX;

struct Index {
  Tensor tensor;  // integers, or after expansion of a mask one column of its coordinates
  size_t axis;    // of the view
};

// What a key asks for, dimension by dimension of the input.
struct Parsed {
  Shape axes, starts, ends, steps, decrease;  // of the input
  bool strided = false;
  std::vector<int64_t> none_axes;  // of the view, ascending
  std::vector<Index> indices;
};

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

// x[begin:end] along one axis, or x[begin] with `drop`.
Tensor slice_axis(const Tensor& x, Dim axis, Dim begin, Dim end, bool drop) {
  const std::span<const Dim> one(&axis, 1);
  return slice_axes(x, one, {&begin, 1}, {&end, 1}, drop ? one : std::span<const Dim>());
}

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

Tensor select(const Tensor& x, int64_t axis, int64_t i, const char* what = "index") {
  i = counted_index(x.shape()[static_cast<size_t>(axis)], axis, i, what);
  return slice_axis(x, axis, i, after(i), true);
}

int64_t as_int(PyObject* o) {
  const Ref index = checked(PyNumber_Index(o));
  const int64_t v = PyLong_AsLongLong(index.get());
  if (v == -1 && PyErr_Occurred()) throw_python();
  return v;
}

void add_int(Parsed& p, const Tensor& x, int64_t axis, int64_t i) {
  i = counted_index(x.shape()[static_cast<size_t>(axis)], axis, i, "index");
  p.axes.push_back(axis);
  p.starts.push_back(i);
  p.ends.push_back(after(i));
  p.steps.push_back(1);
  p.decrease.push_back(axis);
}

// An extent of the program that is captured, as an index.
bool add_extent(Parsed& p, int64_t axis, PyObject* o) {
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

void add_symbolic_slice(Parsed& p, int64_t axis, PySliceObject* s) {
  const int64_t step = s->step == Py_None ? 1 : as_int(s->step);
  PADDLE_CHECK_VALUE(step != 0, "Tensor[...]: a slice has step 0; pass 1 or -1.");
  p.strided |= step != 1;
  p.axes.push_back(axis);
  p.starts.push_back(bound_of(s->start, step > 0 ? 0 : kOpenEnd));
  p.ends.push_back(bound_of(s->stop, step > 0 ? kOpenEnd : -kOpenEnd));
  p.steps.push_back(step);
}

void add_slice(Parsed& p, const Tensor& x, int64_t axis, PyObject* key) {
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
void add_mask(Parsed& p, const Tensor& mask, size_t view_axis, bool constant = false) {
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

Parsed parse_key(const Tensor& x, PyObject* key) {
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
  Parsed p;
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

// A bound of a slice with a negative step as a place: -1 for what is before the first element.
Dim place_in(Dim bound, Dim extent) {
  if (bound == Dim(kOpenEnd)) return extent - Dim(1);
  if (bound == Dim(-kOpenEnd)) return -1;
  const Dim place = decide_lt(bound, 0, false) ? max(bound + extent, -1) : bound;
  return min(place, extent - Dim(1));
}

// Slices with a negative step, which are no views, as the same elements in ascending order. Returns
// the axes of the view along which they were turned round.
Shape make_forward(Parsed& p, const Tensor& x) {
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

Tensor basic_view(Tensor x, const Parsed& p) {
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

// The indexed axes of a view brought to the front, and how results are laid out.
struct Gathering {
  Tensor view;         // indexed axes first
  TensorList indices;  // broadcast against each other
  size_t place = 0;    // axis of the result where the broadcast indices stand
  size_t rank = 0;     // of the broadcast indices
};

Tensor expand_to(const Tensor& t, const Shape& shape) {
  if (t.shape() == shape) return t;
  return OpCall("expand").at(0, Slot::of(t)).set("shape", Slot::of(shape)).run();
}

Tensor permute(const Tensor& t, const Shape& order) {
  bool identity = true;
  for (size_t i = 0; i < order.size(); ++i) identity &= order[i] == Dim(static_cast<int64_t>(i));
  if (identity) return t;
  return OpCall("transpose").at(0, Slot::of(t)).set("perm", Slot::of(order)).run();
}

// Negative indices count from the end; out-of-range ones raise where values are at hand.
Tensor normalized(const Tensor& index, Dim extent) {
  const Tensor t = cast_to(index, DType::kInt64);
  materialize_values(t, "a tensor as an index");
  if (!t.has_storage() || extent.is_symbolic()) return t;
  const Tensor values = t.contiguous_copy_if_needed();
  const int64_t n = extent.value();
  const int64_t* p = values.data<int64_t>();
  bool negative = false;
  for (int64_t i = 0; i < values.numel(); ++i) {
    PADDLE_CHECK_INDEX(p[i] >= -n && p[i] < n, "Tensor[...]: index ", p[i],
                       " is out of bounds for an axis with size ", n, "; use a value in [", -n,
                       ", ", n, ").");
    negative |= p[i] < 0;
  }
  if (!negative) return t;
  const Tensor out = Tensor::empty(t.shape(), DType::kInt64);
  int64_t* q = out.data<int64_t>();
  for (int64_t i = 0; i < values.numel(); ++i) q[i] = p[i] < 0 ? p[i] + n : p[i];
  return out;
}

Gathering gathering(const Tensor& view, const Parsed& p) {
  Gathering g;
  Shape shape = p.indices[0].tensor.shape();
  for (const Index& i : p.indices) {
    Shape wider;
    broadcast_into(shape, i.tensor.shape(), "Tensor[...]", "index", "index", wider);
    shape = wider;
  }
  Shape order;
  bool adjacent = true;
  std::vector<size_t> arrays;  // axes of index arrays, were those of single integers gone
  for (size_t k = 0; k < p.indices.size(); ++k) {
    order.push_back(static_cast<int64_t>(p.indices[k].axis));
    if (p.indices[k].tensor.ndim() > 0) {
      arrays.push_back(p.indices[k].axis - (k - arrays.size()));
      adjacent &= arrays.size() < 2 || arrays.back() == arrays[arrays.size() - 2] + 1;
    }
    const Dim extent = view.shape()[p.indices[k].axis];
    g.indices.push_back(expand_to(normalized(p.indices[k].tensor, extent), shape));
  }
  for (size_t axis = 0; axis < view.shape().size(); ++axis) {
    bool indexed = false;
    for (const Index& i : p.indices) indexed |= i.axis == axis;
    if (!indexed) order.push_back(static_cast<int64_t>(axis));
  }
  g.view = permute(view, order);
  g.place = adjacent && !arrays.empty() ? arrays[0] : 0;
  g.rank = shape.size();
  return g;
}

// Moves the broadcast axes of a result from the front to their place.
Shape result_order(const Gathering& g, size_t rank) {
  Shape order;
  for (size_t i = 0; i < g.place; ++i) order.push_back(static_cast<int64_t>(g.rank + i));
  for (size_t i = 0; i < g.rank; ++i) order.push_back(static_cast<int64_t>(i));
  for (size_t i = g.rank + g.place; i < rank; ++i) order.push_back(static_cast<int64_t>(i));
  return order;
}

Tensor gather(const Gathering& g) {
  Tensor index;
  if (g.indices.size() == 1) {
    index =
        OpCall("unsqueeze").at(0, Slot::of(g.indices[0])).set("axis", Slot::of(Shape{-1})).run();
  } else {
    index = OpCall("stack").at(0, Slot::of(g.indices)).set("axis", Slot::of_int(-1)).run();
  }
  const Tensor out = OpCall("gather_nd").at(0, Slot::of(g.view)).at(1, Slot::of(index)).run();
  return permute(out, result_order(g, out.shape().size()));
}

// The key as one mask of x's leading axes; null for any other.
const Tensor* only_mask(const Tensor& x, PyObject* key) {
  if (!is_tensor(key)) return nullptr;
  const Tensor& mask = tensor_of(key);
  if (!is_bool(mask.dtype()) || mask.ndim() == 0 || mask.ndim() > x.ndim()) return nullptr;
  for (int64_t d = 0; d < mask.ndim(); ++d) {
    if (!(mask.shape()[static_cast<size_t>(d)] == x.shape()[static_cast<size_t>(d)])) {
      return nullptr;
    }
  }
  return &mask;
}

// Whether all indices are integers that only the running program knows.
bool is_place(const Parsed& p) {
  return capturing() && !p.indices.empty() &&
         std::all_of(p.indices.begin(), p.indices.end(), [](const Index& i) {
           return i.tensor.ndim() == 0 && !i.tensor.has_storage();
         });
}

// The view of what stands there.
Tensor pick(Tensor view, const Parsed& p) {
  auto& capture = dynamic_cast<pir::Capture&>(*capture_sink());
  for (size_t k = 0; k < p.indices.size(); ++k) {
    const auto axis = static_cast<int64_t>(p.indices[k].axis - k);
    view = capture.pick(view, p.indices[k].tensor, axis);
  }
  return view;
}

Tensor get_items(const Tensor& x, PyObject* key) {
  if (const Tensor* mask = only_mask(x, key); mask && mask->ndim() == x.ndim()) {
    return OpCall("masked_select").at(0, Slot::of(x)).at(1, Slot::of(*mask)).run();
  }
  const Parsed p = parse_key(x, key);
  const Tensor view = basic_view(x, p);
  if (p.indices.size() == 1 && p.indices[0].axis > 0 && p.indices[0].tensor.ndim() == 1) {
    const auto axis = static_cast<int64_t>(p.indices[0].axis);
    const Tensor at = normalized(p.indices[0].tensor, view.shape()[p.indices[0].axis]);
    return OpCall("index_select")
        .at(0, Slot::of(view))
        .at(1, Slot::of(at))
        .set("axis", Slot::of_int(axis))
        .run();
  }
  if (is_place(p)) return pick(view, p);
  if (!p.indices.empty()) return gather(gathering(view, p));
  // x[...] and x[:] are new tensors over the same memory.
  if (view.same_impl(x)) {
    Shape all;
    for (int64_t i = 0; i < x.ndim(); ++i) all.push_back(i);
    return OpCall("transpose").at(0, Slot::of(x)).set("perm", Slot::of(all)).run();
  }
  return view;
}

// The value to write: a tensor of the target's dtype.
Tensor value_tensor(PyObject* value, DType dtype) {
  if (is_tensor(value)) return cast_to(tensor_of(value), dtype);
  return make_tensor(value, dtype);
}

// Leading axes of size one that the target does not have are dropped, as NumPy does.
Tensor fitted(Tensor value, const Shape& shape) {
  while (value.shape().size() > shape.size() && decide_eq(value.shape()[0], Dim(1), false)) {
    value = OpCall("squeeze").at(0, Slot::of(value)).set("axis", Slot::of(Shape{0})).run();
  }
  try {
    return expand_to(value, shape);
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::kValue) throw;
    throw_error(e.kind(), str("__setitem__: the value has shape ", value.shape(),
                              " and the place that it is written to ", shape,
                              "; the value must broadcast to it; reshape or expand it."));
  }
}

bool set_by_mask(const Tensor& x, PyObject* key, const Tensor& value) {
  const Tensor* mask = only_mask(x, key);
  if (!mask) return false;
  if (value.ndim() == 0 && mask->ndim() == x.ndim()) {
    OpCall("masked_fill")
        .at(0, Slot::of(x))
        .at(1, Slot::of(*mask))
        .at(2, Slot::of(value))
        .run_inplace();
    return true;
  }
  if (value.ndim() != 1 + x.ndim() - mask->ndim()) return false;
  OpCall("index_put")
      .at(0, Slot::of(x))
      .at(1, Slot::of(TensorList{*mask}))
      .at(2, Slot::of(value))
      .run_inplace();
  return true;
}

void scatter(const Tensor& view, const Parsed& p, Tensor value) {
  const Gathering g = gathering(view, p);
  if (value.ndim() > 0) {
    Shape front = g.indices[0].shape();
    for (size_t i = g.indices.size(); i < g.view.shape().size(); ++i) {
      front.push_back(g.view.shape()[i]);
    }
    const Shape order = result_order(g, front.size());
    Shape result, inverse(order.size(), Dim(0));
    for (size_t i = 0; i < order.size(); ++i) {
      result.push_back(front[static_cast<size_t>(order[i].value())]);
      inverse[static_cast<size_t>(order[i].value())] = static_cast<int64_t>(i);
    }
    value = permute(fitted(value, result), inverse);
  }
  OpCall("index_put")
      .at(0, Slot::of(g.view))
      .at(1, Slot::of(g.indices))
      .at(2, Slot::of(value))
      .run_inplace();
}

// The view that a single integer, or a single slice of step 1, asks for; else undefined.
Tensor simple_view(const Tensor& x, PyObject* key) {
  if (x.ndim() == 0) return Tensor();
  if (PyLong_CheckExact(key)) return select(x, 0, as_int(key));
  if (!PySlice_Check(key)) return Tensor();
  Parsed p;
  add_slice(p, x, 0, key);
  if (p.axes.size() != 1 || p.strided) return Tensor();
  return slice_axis(x, 0, p.starts[0], p.ends[0], false);
}

}  // namespace

void set_items(const Tensor& x, PyObject* key, PyObject* value) {
  autograd::leave_repeated(x);
  Tensor v = value_tensor(value, x.dtype());
  if (const Tensor view = simple_view(x, key); view.defined()) {
    return assign_inplace(view, fitted(v, view.shape()), "__setitem__");
  }
  if (set_by_mask(x, key, v)) return;
  Parsed p = parse_key(x, key);
  const Shape backwards = make_forward(p, x);
  const Tensor view = basic_view(x, p);
  if (p.indices.empty()) {
    v = fitted(v, view.shape());
    if (!backwards.empty()) {
      v = OpCall("flip").at(0, Slot::of(v)).set("axis", Slot::of(backwards)).run();
    }
    assign_inplace(view, v, "__setitem__");
  } else {
    PADDLE_CHECK_INDEX(backwards.empty() || v.ndim() == 0,
                       "__setitem__: a slice with a negative step stands beside index arrays; "
                       "write the slice forwards and flip the value.");
    scatter(view, p, v);
  }
}

PyObject* tensor_row(PyObject* self, Py_ssize_t i) {
  return guarded([&] { return wrap(select(tensor_of(self), 0, i)); });
}

PyObject* tensor_subscript(PyObject* self, PyObject* key) {
  return guarded([&]() -> PyObject* {
    const Tensor& x = tensor_of(self);
    Tensor view = simple_view(x, key);
    return wrap(view.defined() ? std::move(view) : get_items(x, key));
  });
}

int tensor_assign_subscript(PyObject* self, PyObject* key, PyObject* value) {
  return guarded([&]() -> int {
    if (!value) throw_type("__delitem__: elements of a Tensor cannot be deleted.");
    set_items(tensor_of(self), key, value);
    return 0;
  });
}

}  // namespace paddle::bindings
