// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Views of memory as operators of files.
#include "phi_kernels/ops/shape/view_form.h"

namespace paddle::ops {
namespace {

// Rows of x along an axis.
FormValue taken(SavedForm& f, FormValue x, FormValue index, int64_t axis) {
  Shape shape = f.shape(x);
  shape[static_cast<size_t>(axis)] = f.shape(index)[0];
  return f.make("gather",
                {x, index, f.full(Shape{Dim(1)}, static_cast<double>(axis), DType::kInt32)},
                {f.dtype(x), shape});
}

// The first k extents and an axis of extent 1.
Shape wide(const Shape& dims, size_t k) {
  Shape out(dims.begin(), dims.begin() + static_cast<int64_t>(k));
  out.push_back(Dim(1));
  return out;
}

}  // namespace

void write_view_shape(SavedForm& f) { f.become({f.reshape(f.operand(0), f.shape(f.result()))}); }

void write_view_dtype(SavedForm& f) {
  const DType from = f.dtype(f.operand(0)), to = f.dtype(f.result());
  const bool opens = is_complex(from) && size_of(from) == 2 * size_of(to) && is_floating(to);
  const bool joins = is_complex(to) && size_of(to) == 2 * size_of(from) && is_floating(from);
  const Shape out = f.shape(f.result());
  Shape pairs = opens ? f.shape(f.operand(0)) : out;
  pairs.push_back(Dim(2));
  if (opens) {
    f.become({f.reshape(f.make("as_real", {f.operand(0)}, {to, pairs}), out)});
  } else if (joins) {
    f.become({f.make("as_complex", {f.reshape(f.operand(0), pairs)}, {to, out})});
  }
}

void write_as_strided(SavedForm& f) {
  const Shape dims = f.ints("dims"), steps = f.ints("stride");
  if (!is_static(dims)) return;
  const auto start =
      static_cast<double>(f.i("offset")) / static_cast<double>(size_of(f.dtype(f.operand(0))));
  FormValue places = f.full(Shape{}, start, DType::kInt64);
  for (size_t k = 0; k < dims.size(); ++k) {
    const FormValue along = f.scaled(f.counted(dims[k]), static_cast<double>(steps[k].value()));
    const Shape shape(dims.begin(), dims.begin() + static_cast<int64_t>(k) + 1);
    places = f.make("add", {f.reshape(places, wide(dims, k)), along}, {DType::kInt64, shape});
  }
  const FormValue index = f.reshape(places, {Dim(-1)});
  const FormValue elements = f.reshape(f.operand(0), {Dim(-1)});
  f.become({f.reshape(taken(f, elements, index, 0), dims)});
}

void write_tensor_unfold(SavedForm& f) {
  const FormValue x = f.operand(0);
  const Shape shape = f.shape(x), out = f.shape(f.result());
  const auto rank = static_cast<int64_t>(shape.size());
  int64_t axis = f.i("axis");
  if (axis < 0) axis += rank;
  if (rank == 0) return;
  const Dim count = out[static_cast<size_t>(axis)];
  const int64_t size = f.i("size"), step = f.i("step");
  const FormValue starts =
      f.reshape(f.scaled(f.counted(count), static_cast<double>(step)), {count, Dim(1)});
  const FormValue inside = f.reshape(f.counted(Dim(size)), {Dim(1), Dim(size)});
  const FormValue places = f.make("add", {starts, inside}, {DType::kInt64, {count, Dim(size)}});
  const FormValue rows = taken(f, x, f.reshape(places, {count * Dim(size)}), axis);
  Shape split = shape, perm;
  split[static_cast<size_t>(axis)] = count;
  split.insert(split.begin() + axis + 1, Dim(size));
  for (int64_t k = 0; k <= rank; ++k) {
    if (k != axis + 1) perm.push_back(k);
  }
  perm.push_back(axis + 1);
  f.become({f.make("transpose", {f.reshape(rows, split)}, f.result(), {{"perm", int32s(perm)}})});
}

void read_fill_diagonal(SavedForm& f) {
  const FormValue y = f.operand(1);
  if (f.rank(f.operand(0)) != 2 || f.rank(y) != 2) return;
  f.set_operand(1, f.reshape(y, {Dim(-1)}));
}

}  // namespace paddle::ops
