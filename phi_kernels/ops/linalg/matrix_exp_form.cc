// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// matrix_exp as operators of files.
#include "phi_kernels/ops/linalg/matrix_exp_form.h"

#include <array>

namespace paddle::ops {
namespace {

FormValue positive(SavedForm& f, FormValue x) {
  return f.binary("greater_than", x, f.full(Shape{}, 0, f.dtype(x)));
}

FormValue product(SavedForm& f, FormValue x, FormValue y) {
  return f.make("matmul", {x, y}, x, {{"transpose_x", false}, {"transpose_y", false}});
}

// Of each matrix, [..., 1, 1]: the norm divided by 2 to this power is at most 5.37.
FormValue number_of_squarings(SavedForm& f, FormValue x) {
  const DType dtype = f.dtype(x);
  const DType real = dtype == DType::kComplex64    ? DType::kFloat32
                     : dtype == DType::kComplex128 ? DType::kFloat64
                                                   : dtype;
  Shape shape = f.shape(x);
  FormValue size = f.make("abs", {x}, {real, shape});
  shape[shape.size() - 2] = Dim(1);
  size = f.make("sum", {size, f.ints_value({Dim(-2)})}, {real, shape},
                {{"dtype", DType::kUndefined}, {"keepdim", true}});
  shape.back() = Dim(1);
  size = f.make("max", {size, f.ints_value({Dim(-1)})}, {real, shape}, {{"keepdim", true}});
  size = f.unary("ceil", f.unary("log2", f.scaled(size, 1 / 5.371920351148152)));
  size = f.binary("maximum", size, f.like(size, 0));
  return f.binary("minimum", size, f.like(size, 1100));
}

using Powers = std::array<FormValue, 4>;

FormValue sum_of(SavedForm& f, const std::array<double, 4>& factors, const Powers& powers) {
  FormValue sum;
  for (size_t k = 0; k < 4; ++k) {
    if (factors[k] == 0) continue;
    const FormValue term = f.scaled(powers[k], factors[k]);
    sum = sum ? f.binary("add", sum, term) : term;
  }
  return sum;
}

// (V - U)^-1 (V + U), where U holds the odd powers of x.
FormValue approximant(SavedForm& f, FormValue x) {
  const Dim n = f.shape(x).back();
  const FormValue size =
      n.is_symbolic() ? f.ints_value({n})
                      : f.full(Shape{Dim(1)}, static_cast<double>(n.value()), DType::kFloat32);
  const DType dtype = f.dtype(x);
  FormValue one =
      f.make("eye", {size, size}, {dtype, {n, n}}, {{"dtype", dtype}, {"place", Place()}});
  one = f.expand(one, f.shape(x));
  const FormValue x2 = product(f, x, x);
  const FormValue x4 = product(f, x2, x2);
  const FormValue x6 = product(f, x4, x2);
  const Powers powers{one, x2, x4, x6};
  FormValue low =
      sum_of(f, {32382376266240000, 1187353796428800, 10559470521600, 33522128640}, powers);
  FormValue high = product(f, x6, sum_of(f, {0, 40840800, 16380, 1}, powers));
  const FormValue odd = product(f, x, f.binary("add", high, low));
  low = sum_of(f, {64764752532480000, 7771770303897600, 129060195264000, 670442572800}, powers);
  high = product(f, x6, sum_of(f, {0, 1323241920, 960960, 182}, powers));
  const FormValue even = f.binary("add", high, low);
  return f.make("solve", {f.binary("subtract", even, odd), f.binary("add", even, odd)}, x);
}

}  // namespace

void write_matrix_exp(SavedForm& f) {
  FormValue x = f.operand(0);
  const Shape shape = f.shape(x);
  const FormValue squarings = number_of_squarings(f, x);
  const FormValue factor = f.binary("elementwise_pow", f.like(squarings, 2), squarings);
  x = f.binary("divide", x, f.cast(factor, f.dtype(x)));
  const FormValues done = f.loop(
      {squarings, approximant(f, x)},
      [&](const FormValues& v) {
        return f.make("any", {positive(f, v[0])}, {DType::kBool, {}},
                      {{"axis", AttributeArray()}, {"keepdim", false}});
      },
      [&](const FormValues& v) -> FormValues {
        const FormValue going = f.expand(positive(f, v[0]), shape);
        return {f.scaled(v[0], 1, -1),
                f.make("where", {going, product(f, v[1], v[1]), v[1]}, v[1])};
      });
  f.become({done[1]});
}

}  // namespace paddle::ops
