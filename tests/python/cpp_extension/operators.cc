// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Operators of the extension tests: one with gradients of two orders, and one for every other form
// that a declaration can have.
#include "paddle/extension.h"

namespace {

template <typename T>
T* pointer(const paddle::Tensor& t) {
  return const_cast<T*>(t.data<T>());
}

// -- square: x^2 + alpha x, with its gradient and the gradient of that -------------------------

std::vector<paddle::Tensor> square_forward(const paddle::Tensor& x, float alpha) {
  PD_CHECK(x.is_cpu(), "x must be on the CPU");
  PD_CHECK(alpha >= 0, "alpha must not be negative, got ", alpha);
  paddle::Tensor out = paddle::empty_like(x);
  PD_DISPATCH_FLOATING_AND_HALF_TYPES(x.dtype(), "square_forward", ([&] {
                                        const data_t* in = x.data<data_t>();
                                        data_t* result = out.data<data_t>();
                                        for (int64_t i = 0; i < x.numel(); ++i) {
                                          result[i] =
                                              static_cast<data_t>(in[i] * in[i] + alpha * in[i]);
                                        }
                                      }));
  return {out};
}

std::vector<paddle::Tensor> square_backward(const paddle::Tensor& x, const paddle::Tensor& grad_out,
                                            float alpha) {
  paddle::Tensor grad_x = paddle::empty(x.shape(), x.dtype(), x.place());
  PD_DISPATCH_FLOATING_TYPES(x.dtype(), "square_backward", ([&] {
                               for (int64_t i = 0; i < x.numel(); ++i) {
                                 pointer<data_t>(grad_x)[i] =
                                     static_cast<data_t>((2 * pointer<data_t>(x)[i] + alpha) *
                                                         pointer<data_t>(grad_out)[i]);
                               }
                             }));
  return {grad_x};
}

// g (2x + alpha) has the gradients 2 g u in x and (2x + alpha) u in g.
std::vector<paddle::Tensor> square_double_backward(const paddle::Tensor& x,
                                                   const paddle::Tensor& grad_out,
                                                   const paddle::Tensor& u, float alpha) {
  return {2.0 * grad_out * u, (x * 2.0 + alpha) * u};
}

PD_BUILD_OP(test_square)
    .Inputs({"X"})
    .Outputs({"Out"})
    .Attrs({"alpha: float"})
    .SetKernelFn(PD_KERNEL(square_forward));
PD_BUILD_GRAD_OP(test_square)
    .Inputs({"X", paddle::Grad("Out")})
    .Outputs({paddle::Grad("X")})
    .Attrs({"alpha: float"})
    .SetKernelFn(PD_KERNEL(square_backward));
PD_BUILD_DOUBLE_GRAD_OP(test_square)
    .Inputs({"X", paddle::Grad("Out"), paddle::Grad(paddle::Grad("X"))})
    .Outputs({paddle::New("X"), paddle::Grad(paddle::Grad("Out"))})
    .Attrs({"alpha: float"})
    .SetKernelFn(PD_KERNEL(square_double_backward));

// -- tanh: the gradient reads the result, not the input ----------------------------------------

std::vector<paddle::Tensor> tanh_forward(const paddle::Tensor& x) { return {paddle::tanh(x)}; }
std::vector<paddle::Tensor> tanh_backward(const paddle::Tensor& out,
                                          const paddle::Tensor& grad_out) {
  return {(1.0 - out * out) * grad_out};
}
PD_BUILD_OP(test_tanh).Inputs({"X"}).Outputs({"Out"}).SetKernelFn(PD_KERNEL(tanh_forward));
PD_BUILD_GRAD_OP(test_tanh)
    .Inputs({"Out", paddle::Grad("Out")})
    .Outputs({paddle::Grad("X")})
    .SetKernelFn(PD_KERNEL(tanh_backward));

// -- linear: a list, an optional input, rules of its own, framework operators ------------------

std::vector<paddle::Tensor> join_forward(const std::vector<paddle::Tensor>& xs,
                                         const paddle::optional<paddle::Tensor>& bias,
                                         int64_t axis) {
  paddle::Tensor out = paddle::concat(xs, axis);
  if (bias) out = paddle::add(out, bias.get());
  return {out};
}
std::vector<std::vector<int64_t>> join_shape(const std::vector<std::vector<int64_t>>& xs,
                                             const paddle::optional<std::vector<int64_t>>& /*bias*/,
                                             int64_t axis) {
  std::vector<int64_t> shape = xs[0];
  for (size_t i = 1; i < xs.size(); ++i) shape[axis] += xs[i][axis];
  return {shape};
}
std::vector<paddle::DataType> join_dtype(const std::vector<paddle::DataType>& xs,
                                         const paddle::optional<paddle::DataType>& /*bias*/) {
  return {xs[0]};
}
std::vector<paddle::Tensor> join_backward(const std::vector<paddle::Tensor>& xs,
                                          const paddle::optional<paddle::Tensor>& bias,
                                          const paddle::Tensor& grad_out, int64_t axis) {
  std::vector<int64_t> sizes;
  for (const paddle::Tensor& x : xs) sizes.push_back(x.shape()[axis]);
  std::vector<paddle::Tensor> grads = paddle::split(grad_out, sizes, axis);
  if (bias) grads.push_back(grad_out.sum());
  return grads;
}
PD_BUILD_OP(test_join)
    .Inputs({paddle::Vec("Xs"), paddle::Optional("Bias")})
    .Outputs({"Out"})
    .Attrs({"axis: int64_t"})
    .SetKernelFn(PD_KERNEL(join_forward))
    .SetInferShapeFn(PD_INFER_SHAPE(join_shape))
    .SetInferDtypeFn(PD_INFER_DTYPE(join_dtype));
PD_BUILD_GRAD_OP(test_join)
    .Inputs({paddle::Vec("Xs"), paddle::Optional("Bias"), paddle::Grad("Out")})
    .Outputs({paddle::Grad(paddle::Vec("Xs")), paddle::Grad(paddle::Optional("Bias"))})
    .Attrs({"axis: int64_t"})
    .SetKernelFn(PD_KERNEL(join_backward));

// -- two results, no gradient -------------------------------------------------------------------

std::vector<paddle::Tensor> extremes(const paddle::Tensor& x, const paddle::Tensor& y) {
  return {paddle::maximum(x, y), paddle::cast(paddle::less_than(x, y), paddle::DataType::INT32)};
}
std::vector<std::vector<int64_t>> extremes_shape(std::vector<int64_t> x, std::vector<int64_t>) {
  return {x, x};
}
std::vector<paddle::DataType> extremes_dtype(paddle::DataType x, paddle::DataType) {
  return {x, paddle::DataType::INT32};
}
PD_BUILD_OP(test_extremes)
    .Inputs({"X", "Y"})
    .Outputs({"Max", "IsLess"})
    .SetKernelFn(PD_KERNEL(extremes))
    .SetInferShapeFn(PD_INFER_SHAPE(extremes_shape))
    .SetInferDtypeFn(PD_INFER_DTYPE(extremes_dtype));

// -- in place -------------------------------------------------------------------------------------

void add_inplace(paddle::Tensor& x, const paddle::Tensor& y) {
  for (int64_t i = 0; i < x.numel(); ++i) pointer<float>(x)[i] += pointer<float>(y)[i];
}
std::vector<paddle::Tensor> add_inplace_backward(const paddle::Tensor& grad_out) {
  return {grad_out.copy_to(grad_out.place()), grad_out.copy_to(grad_out.place())};
}
std::vector<paddle::Tensor> add_read_backward(const paddle::Tensor& x, const paddle::Tensor& y,
                                              const paddle::Tensor& grad_out) {
  return {grad_out.copy_to(grad_out.place()), paddle::experimental::multiply(x, grad_out)};
}
PD_BUILD_OP(test_add_read_)
    .Inputs({"X", "Y"})
    .Outputs({"Out"})
    .SetInplaceMap({{"X", "Out"}})
    .SetKernelFn(PD_KERNEL(add_inplace));
PD_BUILD_GRAD_OP(test_add_read_)
    .Inputs({"X", "Y", paddle::Grad("Out")})
    .Outputs({paddle::Grad("X"), paddle::Grad("Y")})
    .SetKernelFn(PD_KERNEL(add_read_backward));
PD_BUILD_OP(test_add_)
    .Inputs({"X", "Y"})
    .Outputs({"Out"})
    .SetInplaceMap({{"X", "Out"}})
    .SetKernelFn(PD_KERNEL(add_inplace));
PD_BUILD_GRAD_OP(test_add_)
    .Inputs({paddle::Grad("Out")})
    .Outputs({paddle::Grad("X"), paddle::Grad("Y")})
    .SetKernelFn(PD_KERNEL(add_inplace_backward));

// -- a size that only the kernel knows, a list as the result, attributes of every type ------------

std::vector<paddle::Tensor> positives(const paddle::Tensor& x) {
  std::vector<float> found;
  for (int64_t i = 0; i < x.numel(); ++i) {
    if (x.data<float>()[i] > 0) found.push_back(x.data<float>()[i]);
  }
  paddle::Tensor out = paddle::empty({static_cast<int64_t>(found.size())}, x.dtype());
  std::copy(found.begin(), found.end(), out.data<float>());
  return {out};
}
std::vector<std::vector<int64_t>> positives_shape(std::vector<int64_t>) { return {{-1}}; }
PD_BUILD_OP(test_positives)
    .Inputs({"X"})
    .Outputs({"Out"})
    .SetKernelFn(PD_KERNEL(positives))
    .SetInferShapeFn(PD_INFER_SHAPE(positives_shape));

std::vector<paddle::Tensor> halves(const paddle::Tensor& x) {
  const int64_t n = x.shape()[0];
  return {x.slice(0, n / 2), x.slice(n / 2, n)};
}
std::vector<std::vector<int64_t>> halves_shape(std::vector<int64_t> x) {
  return {{x[0] / 2}, {x[0] - x[0] / 2}};
}
std::vector<paddle::DataType> halves_dtype(paddle::DataType x) { return {x, x}; }
PD_BUILD_OP(test_halves)
    .Inputs({"X"})
    .Outputs({paddle::Vec("Out")})
    .SetKernelFn(PD_KERNEL(halves))
    .SetInferShapeFn(PD_INFER_SHAPE(halves_shape))
    .SetInferDtypeFn(PD_INFER_DTYPE(halves_dtype));

std::vector<paddle::Tensor> attributes(const paddle::Tensor& x, bool flag, int number, float real,
                                       double wide, int64_t big, const std::string& text,
                                       const std::vector<int>& ints,
                                       const std::vector<int64_t>& bigs,
                                       const std::vector<float>& reals,
                                       const std::vector<std::string>& texts) {
  double sum =
      flag + number + real + wide + static_cast<double>(big) + static_cast<double>(text.size());
  for (const int v : ints) sum += v;
  for (const int64_t v : bigs) sum += static_cast<double>(v);
  for (const float v : reals) sum += v;
  for (const std::string& v : texts) sum += v == "ten" ? 10 : v.empty() ? 1 : 0;
  return {x + sum};
}
PD_BUILD_OP(test_attributes)
    .Inputs({"X"})
    .Outputs({"Out"})
    .Attrs({"flag: bool", "number: int", "real: float", "wide: double", "big: int64_t",
            "text: std::string", "ints: std::vector<int>", "bigs: std::vector<int64_t>",
            "reals: std::vector<float>", "texts: std::vector<std::string>"})
    .SetKernelFn(PD_KERNEL(attributes));

// -- rules that do not fit, errors of framework operators
// ------------------------------------------

std::vector<paddle::Tensor> wrong_shape(const paddle::Tensor& x) {
  return {paddle::concat({x, x}, 0)};
}
PD_BUILD_OP(test_wrong_shape).Inputs({"X"}).Outputs({"Out"}).SetKernelFn(PD_KERNEL(wrong_shape));

std::vector<paddle::Tensor> bad_call(const paddle::Tensor& x) { return {paddle::matmul(x, x)}; }
PD_BUILD_OP(test_bad_call).Inputs({"X"}).Outputs({"Out"}).SetKernelFn(PD_KERNEL(bad_call));

std::vector<paddle::Tensor> misread(const paddle::Tensor& x) {
  x.data<int64_t>();
  return {x};
}
PD_BUILD_OP(test_misread).Inputs({"X"}).Outputs({"Out"}).SetKernelFn(PD_KERNEL(misread));

std::vector<paddle::Tensor> from_memory(const paddle::Tensor& x) {
  float* data = new float[3]{1, 2, 3};
  paddle::Tensor out =
      paddle::from_blob(data, {3}, paddle::DataType::FLOAT32, paddle::DataLayout::NCHW, x.place(),
                        [](void* p) { delete[] static_cast<float*>(p); });
  return {out};
}
PD_BUILD_OP(test_from_memory).Inputs({"X"}).Outputs({"Out"}).SetKernelFn(PD_KERNEL(from_memory));

}  // namespace
