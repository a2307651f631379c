// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// x[key] and x[key] = value. Integers, slices, None and Ellipsis make a view in operators; index
// arrays and masks gather from that view, or scatter into it. The rules are NumPy's, except that an
// integer next to index arrays selects first instead of taking part in their broadcast.
#include "python/bindings/index/indexing.h"

#include <algorithm>
#include <vector>

#include "paddle_core/autograd/autograd.h"
#include "paddle_core/dispatch/state.h"
#include "paddle_core/tensor/host_values.h"
#include "pir/capture/capture.h"
#include "pir/capture/dynamic_index.h"
#include "python/bindings/base/errors.h"
#include "python/bindings/index/index_key.h"
#include "python/bindings/values/deferred.h"
#include "python/bindings/values/interop.h"
#include "python/bindings/values/op_call.h"
#include "python/bindings/values/tensor_object.h"

namespace paddle::bindings {

namespace {

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

// The index beside a tensor of `place`. Negative ones count from the end; out-of-range ones raise
// where values are at hand.
Tensor normalized(const Tensor& index, Dim extent, Place place) {
  const Tensor t = cast_to(index, DType::kInt64);
  materialize_values(t, "a tensor as an index");
  if (!t.has_storage()) return t;
  if (extent.is_symbolic()) return moved_to(t, place);
  const Tensor values = contiguous_on_host(t);
  const int64_t n = extent.value();
  const int64_t* p = values.data<int64_t>();
  bool negative = false;
  for (int64_t i = 0; i < values.numel(); ++i) {
    PADDLE_CHECK_INDEX(p[i] >= -n && p[i] < n, "Tensor[...]: index ", p[i],
                       " is out of bounds for an axis with size ", n, "; use a value in [", -n,
                       ", ", n, ").");
    negative |= p[i] < 0;
  }
  if (!negative) return moved_to(t, place);
  const Tensor out = Tensor::empty(t.shape(), DType::kInt64);
  int64_t* q = out.data<int64_t>();
  for (int64_t i = 0; i < values.numel(); ++i) q[i] = p[i] < 0 ? p[i] + n : p[i];
  return moved_to(out, place);
}

Gathering gathering(const Tensor& view, const IndexKey& p) {
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
    g.indices.push_back(expand_to(normalized(p.indices[k].tensor, extent, view.place()), shape));
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
bool is_place(const IndexKey& p) {
  return capturing() && !p.indices.empty() &&
         std::all_of(p.indices.begin(), p.indices.end(), [](const Index& i) {
           return i.tensor.ndim() == 0 && !i.tensor.has_storage();
         });
}

// The view of what stands there.
Tensor pick(Tensor view, const IndexKey& p) {
  auto& capture = dynamic_cast<pir::Capture&>(*capture_sink());
  for (size_t k = 0; k < p.indices.size(); ++k) {
    const auto axis = static_cast<int64_t>(p.indices[k].axis - k);
    view = pir::select_at(capture, view, p.indices[k].tensor, axis);
  }
  return view;
}

Tensor get_items(const Tensor& x, PyObject* key) {
  if (const Tensor* mask = only_mask(x, key); mask && mask->ndim() == x.ndim()) {
    return OpCall("masked_select").at(0, Slot::of(x)).at(1, Slot::of(*mask)).run();
  }
  const IndexKey p = parse_key(x, key);
  const Tensor view = basic_view(x, p);
  if (p.indices.size() == 1 && p.indices[0].axis > 0 && p.indices[0].tensor.ndim() == 1) {
    const auto axis = static_cast<int64_t>(p.indices[0].axis);
    const Tensor at =
        normalized(p.indices[0].tensor, view.shape()[p.indices[0].axis], view.place());
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

// The value to write: a tensor of the target's dtype, and at its place unless it is given as one.
Tensor value_tensor(PyObject* value, DType dtype, Place place) {
  if (is_tensor(value)) return cast_to(tensor_of(value), dtype);
  return moved_to(make_tensor(value, dtype), place);
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

void scatter(const Tensor& view, const IndexKey& p, Tensor value) {
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
  IndexKey p;
  add_slice(p, x, 0, key);
  if (p.axes.size() != 1 || p.strided) return Tensor();
  return slice_axis(x, 0, p.starts[0], p.ends[0], false);
}

}  // namespace

void set_items(const Tensor& x, PyObject* key, PyObject* value) {
  autograd::before_write(x, "__setitem__");
  Tensor v = value_tensor(value, x.dtype(), x.place());
  if (const Tensor view = simple_view(x, key); view.defined()) {
    return assign_inplace(view, fitted(v, view.shape()), "__setitem__");
  }
  if (set_by_mask(x, key, v)) return;
  IndexKey p = parse_key(x, key);
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
                       "__setitem__: a slice with a negative step is combined with index arrays; "
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
