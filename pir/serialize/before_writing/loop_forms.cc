// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Operators that PaddlePaddle's files hold as loops: gcd, lcm, matrix_exp.
#include <array>

#include "pir/serialize/before_writing/file_forms.h"
#include "pir/serialize/before_writing/form_builder.h"

namespace paddle::pir {
namespace {

class LoopForms : public FormBuilder {
 public:
  using FormBuilder::FormBuilder;

  void gcd() { become({common_divisor(absolute(0), absolute(1))}); }

  // |x| / gcd(x, y) * |y|
  void lcm() {
    Value *x = absolute(0), *y = absolute(1);
    Value* divisor = common_divisor(x, y);
    Value* safe = chosen(divisor, divisor, like(divisor, 1));
    const bool whole = is_integer(x->type().dtype());
    Value* share = binary(whole ? "pd_op.floor_divide" : "pd_op.divide", x, safe);
    become({binary("pd_op.multiply", share, y)});
  }

  // Scaling, the Pade approximant of degree 13, and squaring (Higham 2005).
  void matrix_exp() {
    Value* x = op_.operand(0);
    const Type& type = x->type();
    const Dim n = type.shape().back();
    Value* squarings = number_of_squarings(x);
    Value* factor = binary("pd_op.elementwise_pow", like(squarings, 2), squarings);
    x = binary("pd_op.divide", x, cast(factor, type.dtype()));
    const Values done = loop(
        {squarings, approximant(x, n)}, [&](const Values& v) { return any(positive(v[0])); },
        [&](const Values& v) -> Values {
          Value* going = expand(positive(v[0]), type.shape());
          return {scaled(v[0], 1, -1),
                  make("pd_op.where", {going, product(v[1], v[1]), v[1]}, v[1]->type())};
        });
    become({done[1]});
  }

 private:
  Value* absolute(size_t i) {
    return unary("pd_op.abs", expand(op_.operand(i), op_.result()->type().shape()));
  }

  Value* positive(Value* x) {
    return binary("pd_op.greater_than", x, full(Shape{}, 0, x->type().dtype()));
  }

  // x where `size` is above 0, else y.
  Value* chosen(Value* size, Value* x, Value* y) {
    return make("pd_op.where", {positive(size), x, y}, x->type());
  }

  // Euclid's algorithm on numbers from 0 on.
  Value* common_divisor(Value* x, Value* y) {
    // A loop may write into what it starts from.
    return loop(
        {unary("pd_op.assign", x), unary("pd_op.assign", y)},
        [&](const Values& v) { return any(positive(v[1])); },
        [&](const Values& v) -> Values {
          Value* divisor = chosen(v[1], v[1], like(v[1], 1));
          Value* rest = binary("pd_op.remainder", v[0], divisor);
          return {chosen(v[1], v[1], v[0]), chosen(v[1], rest, v[1])};
        })[0];
  }

  Value* product(Value* x, Value* y) {
    return make("pd_op.matmul", {x, y}, x->type(),
                {{"transpose_x", false}, {"transpose_y", false}});
  }

  // Of each matrix, [..., 1, 1]: the norm divided by 2 to this power is at most 5.37.
  Value* number_of_squarings(Value* x) {
    const DType dtype = x->type().dtype();
    const DType real = dtype == DType::kComplex64    ? DType::kFloat32
                       : dtype == DType::kComplex128 ? DType::kFloat64
                                                     : dtype;
    Shape shape = x->type().shape();
    Value* size = make("pd_op.abs", {x}, Type::tensor(real, shape));
    shape[shape.size() - 2] = Dim(1);
    size = make("pd_op.sum", {size, ints({Dim(-2)})}, Type::tensor(real, shape),
                {{"dtype", DType::kUndefined}, {"keepdim", true}});
    shape.back() = Dim(1);
    size =
        make("pd_op.max", {size, ints({Dim(-1)})}, Type::tensor(real, shape), {{"keepdim", true}});
    size = unary("pd_op.ceil", unary("pd_op.log2", scaled(size, 1 / 5.371920351148152)));
    size = binary("pd_op.maximum", size, like(size, 0));
    return binary("pd_op.minimum", size, like(size, 1100));
  }

  Value* sum_of(const std::array<double, 4>& factors, const std::array<Value*, 4>& powers) {
    Value* sum = nullptr;
    for (size_t k = 0; k < 4; ++k) {
      if (factors[k] == 0) continue;
      Value* term = scaled(powers[k], factors[k]);
      sum = sum ? binary("pd_op.add", sum, term) : term;
    }
    return sum;
  }

  // (V - U)^-1 (V + U), where U holds the odd powers of x.
  Value* approximant(Value* x, Dim n) {
    Value* size = n.is_symbolic()
                      ? ints({n})
                      : full(Shape{Dim(1)}, static_cast<double>(n.value()), DType::kFloat32);
    const DType dtype = x->type().dtype();
    Value* one = make("pd_op.eye", {size, size}, Type::tensor(dtype, {n, n}),
                      {{"dtype", dtype}, {"place", Place()}});
    one = expand(one, x->type().shape());
    Value* x2 = product(x, x);
    Value* x4 = product(x2, x2);
    Value* x6 = product(x4, x2);
    const std::array<Value*, 4> powers{one, x2, x4, x6};
    Value* odd =
        binary("pd_op.add", product(x6, sum_of({0, 40840800, 16380, 1}, powers)),
               sum_of({32382376266240000, 1187353796428800, 10559470521600, 33522128640}, powers));
    odd = product(x, odd);
    Value* even = binary(
        "pd_op.add", product(x6, sum_of({0, 1323241920, 960960, 182}, powers)),
        sum_of({64764752532480000, 7771770303897600, 129060195264000, 670442572800}, powers));
    return make("pd_op.solve",
                {binary("pd_op.subtract", even, odd), binary("pd_op.add", even, odd)}, x->type());
  }
};

}  // namespace

bool to_loop(Operation& op) {
  LoopForms forms(op);
  if (op.is("pd_op.gcd")) {
    forms.gcd();
  } else if (op.is("pd_op.lcm")) {
    forms.lcm();
  } else if (op.is("pd_op.matrix_exp")) {
    forms.matrix_exp();
  } else {
    return false;
  }
  return true;
}

}  // namespace paddle::pir
