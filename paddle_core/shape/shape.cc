// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What shape rules share: counts, strides, broadcasting, axes, reshapes and views.
#include "paddle_core/shape/shape.h"

#include <algorithm>
#include <ostream>

namespace paddle {

std::ostream& operator<<(std::ostream& out, const Shape& shape) {
  out << '[';
  for (size_t i = 0; i < shape.size(); ++i) out << (i ? ", " : "") << shape[i];
  return out << ']';
}

bool is_static(const Shape& shape) {
  return std::none_of(shape.begin(), shape.end(), [](Dim d) { return d.is_symbolic(); });
}

Dim numel_of(const Shape& shape) {
  constexpr int64_t kMaxElements = int64_t{1} << 58;  // 16 bytes each stay below 2^63
  int64_t known = 1;
  bool overflow = false, symbolic = false;
  for (const Dim d : shape) {
    if (d.is_symbolic()) {
      symbolic = true;
      continue;
    }
    if (d == Dim(0)) return 0;
    overflow |= __builtin_mul_overflow(known, d.value(), &known) || known > kMaxElements;
  }
  PADDLE_CHECK_KIND(ErrorKind::kOverflow, !overflow, "shape: shape has value ", shape,
                    "; it has more than 2^58 elements; use smaller extents.");
  if (!symbolic) return known;
  Dim product = known;
  for (const Dim d : shape) {
    if (d.is_symbolic()) product = product * d;
  }
  return product;
}

Shape make_shape(std::span<const int64_t> sizes) {
  Shape shape;
  for (const int64_t n : sizes) {
    PADDLE_CHECK_VALUE(n >= 0, "shape: an extent has value ", n, "; extents are not negative.");
    shape.push_back(n);
  }
  return shape;
}

SmallVector<int64_t, 5> sizes_of(const Shape& shape) {
  SmallVector<int64_t, 5> sizes;
  for (const Dim d : shape) sizes.push_back(d.value());
  return sizes;
}

Strides contiguous_strides(const Shape& shape) {
  Strides strides(shape.size(), 0);
  int64_t step = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    strides[i] = step;
    // Only the strides of an empty tensor can overflow, and those are not followed.
    if (__builtin_mul_overflow(step, shape[i].value(), &step)) step = 0;
  }
  return strides;
}

bool is_contiguous(const Shape& shape, const Strides& strides) {
  int64_t step = 1;
  bool matches = true;
  for (size_t i = shape.size(); i-- > 0;) {
    const int64_t n = shape[i].value();
    if (n == 0) return true;
    if (n != 1) {
      matches &= strides[i] == step;
      if (__builtin_mul_overflow(step, n, &step)) return false;
    }
  }
  return matches;
}

namespace {

[[noreturn, gnu::cold]] void throw_broadcast(const Shape& a, const Shape& b, const char* op,
                                             const char* name_a, const char* name_b, Dim x, Dim y) {
  throw_error(ErrorKind::kValue,
              str(op, ": ", name_a, " has shape ", a, " and ", name_b, " has shape ", b,
                  "; extents ", x, " and ", y,
                  " must be equal or one of them 1, counted from the last axis; reshape one of "
                  "them."));
}

// The extent of x and y broadcast together; false when they do not fit.
bool broadcast_extent(Dim x, Dim y, Dim& out) {
  if (x == y || y == Dim(1)) {
    out = x;
  } else if (x == Dim(1)) {
    out = y;
  } else if (!x.is_symbolic() && !y.is_symbolic()) {
    return false;
  } else if (decide_eq(x, y, true)) {
    out = x.is_symbolic() ? y : x;  // an integer where one is known
  } else if (y.is_symbolic() && decide_eq(y, 1, false)) {
    out = x;
  } else if (x.is_symbolic() && decide_eq(x, 1, false)) {
    out = y;
  } else {
    return false;
  }
  return true;
}

}  // namespace

void broadcast_into(const Shape& a, const Shape& b, const char* op, const char* name_a,
                    const char* name_b, Shape& out) {
  if (&out == &a || &out == &b) {
    Shape fresh;
    broadcast_into(a, b, op, name_a, name_b, fresh);
    out = std::move(fresh);
    return;
  }
  const size_t rank = std::max(a.size(), b.size());
  const size_t pad_a = rank - a.size(), pad_b = rank - b.size();
  out.resize(rank);
  for (size_t i = 0; i < rank; ++i) {
    if (i < pad_a) {
      out[i] = b[i - pad_b];
    } else if (i < pad_b) {
      out[i] = a[i - pad_a];
    } else if (!broadcast_extent(a[i - pad_a], b[i - pad_b], out[i])) [[unlikely]] {
      throw_broadcast(a, b, op, name_a, name_b, a[i - pad_a], b[i - pad_b]);
    }
  }
}

namespace {

[[noreturn, gnu::cold, gnu::noinline]] void throw_axis(int64_t axis, int64_t rank, int64_t axes,
                                                       const char* op, const char* argument) {
  throw_error(ErrorKind::kIndex,
              str(op, ": ", argument, " has value ", axis, " for a tensor of rank ", rank,
                  "; it must be at least ", -axes, " and less than ", axes, '.'));
}

}  // namespace

int64_t normalize_axis(int64_t axis, int64_t rank, const char* op, const char* argument) {
  const int64_t axes = rank == 0 ? 1 : rank;
  if (axis < -axes || axis >= axes) [[unlikely]]
    throw_axis(axis, rank, axes, op, argument);
  return axis < 0 ? axis + axes : axis;
}

Axes normalize_axes(std::span<const int64_t> axes, int64_t rank, const char* op,
                    const char* argument) {
  Axes result;
  if (axes.empty()) {
    for (int64_t i = 0; i < rank; ++i) result.push_back(i);
    return result;
  }
  for (const int64_t axis : axes) result.push_back(normalize_axis(axis, rank, op, argument));
  std::sort(result.begin(), result.end());
  const auto twice = std::adjacent_find(result.begin(), result.end());
  PADDLE_CHECK_VALUE(twice == result.end(), op, ": ", argument, " names axis ",
                     twice == result.end() ? 0 : *twice, " twice; name each axis once.");
  if (rank == 0) result.clear();  // a 0-d tensor has no axes to work on
  return result;
}

namespace {

// Copies input extents over zeros and finds the place of -1 (or -1 when there is none).
int64_t resolve_zeros(const Shape& input, Shape& target, const char* op, bool copy_zeros) {
  int64_t unknown = -1;
  for (size_t i = 0; i < target.size(); ++i) {
    const Dim d = target[i];
    if (d.is_symbolic()) continue;
    PADDLE_CHECK_VALUE(d.value() >= -1, op, ": shape has value ", target,
                       "; an extent is -1, 0 or positive.");
    if (d == Dim(-1)) {
      PADDLE_CHECK_VALUE(unknown < 0, op, ": shape has value ", target,
                         "; at most one extent may be -1.");
      unknown = static_cast<int64_t>(i);
    } else if (d == Dim(0) && copy_zeros && i < input.size()) {
      target[i] = input[i];
    } else if (d == Dim(0) && copy_zeros) {
      PADDLE_CHECK_VALUE(numel_of(input) == Dim(0), op, ": shape has value ", target,
                         " and x has shape ", input, "; 0 copies the extent of x at axis ", i,
                         ", and x has no such axis.");
    }
  }
  return unknown;
}

// Of an empty tensor 0 stands for itself, and beside a 0 -1 completes the product of the extents
// that are not 0.
Shape reshape_empty(const Shape& input, const Shape& target, const char* op) {
  Shape out = target;
  const int64_t unknown = resolve_zeros(input, out, op, false);
  if (unknown >= 0) {
    out[static_cast<size_t>(unknown)] = 1;
    if (numel_of(out) == Dim(0)) {
      int64_t have = 1, named = 1;
      for (const Dim d : input) have *= std::max<int64_t>(d.value(), 1);
      for (const Dim d : out) named *= std::max<int64_t>(d.value(), 1);
      out[static_cast<size_t>(unknown)] = std::max<int64_t>(have / named, 1);
    } else {
      out[static_cast<size_t>(unknown)] = 0;
    }
  }
  PADDLE_CHECK_VALUE(numel_of(out) == Dim(0), op, ": x has shape ", input, " and shape has value ",
                     target, "; both must have the same number of elements (0 and ", numel_of(out),
                     ").");
  return out;
}

bool all_known(const Shape& shape) {
  return std::none_of(shape.begin(), shape.end(), [](Dim d) { return d.is_symbolic(); });
}

}  // namespace

Shape infer_reshape(const Shape& input, const Shape& target, const char* op) {
  Shape out = target;
  const Dim total = numel_of(input);
  if (total == Dim(0) && all_known(input) && all_known(target)) {
    return reshape_empty(input, target, op);
  }
  const int64_t unknown = resolve_zeros(input, out, op, true);
  if (unknown < 0) {
    // A zero in the target of an empty tensor may also stand for itself.
    if (total == Dim(0) && !(numel_of(out) == Dim(0))) {
      out = target;
      resolve_zeros(input, out, op, false);
    }
    PADDLE_CHECK_VALUE(decide_eq(numel_of(out), total, true), op, ": x has shape ", input,
                       " and shape has value ", target,
                       "; both must have the same number of elements (", total, " and ",
                       numel_of(out), ").");
    return out;
  }
  out[static_cast<size_t>(unknown)] = 1;
  const Dim rest = numel_of(out);
  Dim extent = 0;
  if (rest == Dim(0)) {
    PADDLE_CHECK_VALUE(decide_eq(total, 0, true), op, ": x has shape ", input,
                       " and shape has value ", target, "; the number of elements of x (", total,
                       ") must be 0.");
  } else {
    PADDLE_CHECK_VALUE(decide_eq(mod(total, rest), 0, true), op, ": x has shape ", input,
                       " and shape has value ", target, "; the number of elements of x (", total,
                       ") must be a multiple of ", rest, '.');
    extent = floordiv(total, rest);
  }
  out[static_cast<size_t>(unknown)] = extent;
  return out;
}

bool view_strides(const Shape& shape, const Strides& strides, const Shape& target, Strides& out) {
  if (numel_of(shape) == Dim(0)) {
    out = contiguous_strides(target);
    return true;
  }
  // The memory as runs, innermost first: `length` elements, `stride` apart.
  struct Run {
    int64_t length, stride;
  };
  SmallVector<Run, 8> runs;
  for (size_t i = shape.size(); i-- > 0;) {
    const int64_t n = shape[i].value();
    if (n == 1) continue;
    if (!runs.empty() && strides[i] == runs.back().length * runs.back().stride) {
      runs.back().length *= n;
    } else {
      runs.push_back({n, strides[i]});
    }
  }
  out.resize(target.size());
  size_t run = 0;
  int64_t taken = 1, outer = 1;  // elements of the run behind us; stride for extents of 1
  for (size_t j = target.size(); j-- > 0;) {
    const int64_t n = target[j].value();
    if (n != 1 && run < runs.size() && taken == runs[run].length) {
      ++run;
      taken = 1;
    }
    if (n == 1) {
      out[j] = outer;
      continue;
    }
    if (run == runs.size() || runs[run].length / taken % n != 0) return false;
    out[j] = runs[run].stride * taken;
    taken *= n;
    outer = out[j] * n;
  }
  return runs.empty() || (run + 1 == runs.size() && taken == runs[run].length);
}

}  // namespace paddle
