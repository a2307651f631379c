// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Functions and a class for Python beside operators that check with PADDLE_ENFORCE and fill their
// results.
#include <type_traits>

#include "paddle/common/enforce.h"
#include "paddle/phi/api/ext/op_meta_info.h"
#include "paddle/phi/common/amp_type_traits.h"
#include "paddle/phi/common/data_type.h"
#include "paddle/utils/optional.h"

static_assert(std::is_same_v<phi::dtype::MPTypeTrait<paddle::float16>::Type, float>);
static_assert(std::is_same_v<phi::dtype::MPTypeTrait<double>::Type, double>);

using paddle::Tensor;

void doubled(const Tensor& x, int64_t limit, Tensor* out, Tensor* half) {
  PADDLE_ENFORCE_EQ(x.is_cpu(), true, common::errors::Fatal("on another device"));
  PADDLE_ENFORCE_NE(x.data<float>(), nullptr, phi::errors::NotFound("no memory"));
  PADDLE_ENFORCE_NOT_NULL(out, common::errors::NotFound("no result"));
  PD_CHECK(x.place().GetType() == phi::AllocationType::CPU && x.dtype() != phi::DataType::UINT16);
  PADDLE_ENFORCE_GT(x.shape().size(), 0,
                    phi::errors::InvalidArgument("rank %d of %s", x.shape().size(), "x"));
  PADDLE_ENFORCE_LT(limit, 9, common::errors::OutOfRange("%05.1f%%", 2.25));
  PADDLE_ENFORCE_LE(limit, 7, common::errors::Unimplemented("later"));
  PADDLE_ENFORCE_GE(limit, 0, common::errors::InvalidType("%s is %x", "limit", 255));
  PADDLE_ENFORCE(limit != 5, "five of %d", limit);
  if (limit == 6) PADDLE_THROW(common::errors::PreconditionNotMet("six"));
  out->reshape(x.shape());
  half->reshape({phi::product(x.shape())});
  float* to = out->mutable_data<float>(x.place());
  float* to_half = half->mutable_data<float>(x.place());
  for (int64_t i = 0; i < x.numel(); ++i) {
    to[i] = 2 * x.data<float>()[i];
    to_half[i] = x.data<float>()[i] / 2;
  }
}
std::vector<std::vector<int64_t>> doubled_shapes(const std::vector<int64_t>& x) {
  return {x, {phi::product(x)}};
}
std::vector<paddle::DataType> doubled_dtypes(paddle::DataType x) { return {x, x}; }

PD_BUILD_OP(test_doubled)
    .Inputs({"X"})
    .Outputs({"Out", "Half"})
    .Attrs({"limit: int64_t"})
    .SetKernelFn(PD_KERNEL(doubled))
    .SetInferShapeFn(PD_INFER_SHAPE(doubled_shapes))
    .SetInferDtypeFn(PD_INFER_DTYPE(doubled_dtypes));

Tensor shifted(const Tensor& x, const paddle::optional<Tensor>& bias) {
  return bias ? x.exp() + *bias : x.exp();
}
std::vector<Tensor> all_plus(const std::vector<Tensor>& xs, double number) {
  std::vector<Tensor> out;
  for (const Tensor& x : xs) out.push_back(x + number);
  return out;
}
Tensor perhaps(bool some) { return some ? paddle::ones({2}) : Tensor(); }
void refuse(int n) { PADDLE_ENFORCE_EQ(n, 1, common::errors::InvalidArgument("n is %d", n)); }

class Power {
 public:
  explicit Power(Tensor base) : base_(std::move(base)) {}
  Tensor to(double exponent) const { return base_.pow(exponent); }
  Tensor base() const { return base_; }

 private:
  Tensor base_;
};

PYBIND11_MODULE(PADDLE_EXTENSION_NAME, m) {
  m.def("shifted", &shifted, py::arg("x"), py::arg("bias") = py::none(), "exp(x) + bias");
  m.def("all_plus", &all_plus);
  m.def("perhaps", &perhaps);
  m.def("refuse", &refuse);
  py::class_<Power>(m, "Power")
      .def(py::init<Tensor>())
      .def("to", &Power::to)
      .def_property_readonly("base", &Power::base);
}
