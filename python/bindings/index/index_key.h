// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The key of x[key], read: what it asks for, dimension by dimension, and the view that its
// integers, slices, None and Ellipsis make. Index arrays and masks are left to indexing.cc.
#pragma once

#include <vector>

#include "python/bindings/values/tensor_object.h"

namespace paddle::bindings {

struct Index {
  Tensor tensor;  // integers, or after expansion of a mask one column of its coordinates
  size_t axis;    // of the view
};

// What a key asks for, dimension by dimension of the input.
struct IndexKey {
  Shape axes, starts, ends, steps, decrease;  // of the input
  bool strided = false;
  std::vector<int64_t> none_axes;  // of the view, ascending
  std::vector<Index> indices;
};

IndexKey parse_key(const Tensor& x, PyObject* key);
// Negative steps become positive ones over the same elements; gives the axes of the view to flip.
Shape make_forward(IndexKey& p, const Tensor& x);
Tensor basic_view(Tensor x, const IndexKey& p);

// x[begin:end] along one axis, or x[begin] with `drop`.
Tensor slice_axis(const Tensor& x, Dim axis, Dim begin, Dim end, bool drop);
// x without the axis, at index i; `what` names the index in the error when it is out of range.
Tensor select(const Tensor& x, int64_t axis, int64_t i, const char* what = "index");
void add_slice(IndexKey& p, const Tensor& x, int64_t axis, PyObject* slice);
int64_t as_int(PyObject* o);

}  // namespace paddle::bindings
