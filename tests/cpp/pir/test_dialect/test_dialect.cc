// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// A library of its own that pir does not know, loaded by dialect_test.cc: a tensor that is cut into
// equal parts along its first axis, operations on it, and a group of fused operations.
//   !dist.tensor<tensor<4x2xfloat32>, 2>   the whole, and the number of parts
//   dist.shard, dist.square, dist.local    into the type, within it, out of it
//   dist.ones                              a constant
//   dist.clip                              runs, but has neither a gradient nor a saved form
//   fuse.group                             one region, which runs unless a compiler has a form of
//   it
#include <charconv>

#include "paddle_core/dispatch/call.h"
#include "paddle_core/op/registry.h"
#include "pir/dialect/operation_record.h"
#include "pir/ir/extension_type.h"

namespace {

using namespace paddle;       // NOLINT(google-build-using-namespace)
using namespace paddle::pir;  // NOLINT(google-build-using-namespace)

const std::string kTensor = "dist.tensor";

class DistTensor final : public ExtensionType {
 public:
  DistTensor(Type whole, int64_t parts) : whole_(std::move(whole)), parts_(parts) {
    local_ = whole_.shape();
    if (!local_.empty() && !local_[0].is_symbolic() && parts_ > 0) {
      local_[0] = Dim(local_[0].value() / parts_);
    }
  }
  const std::string& name() const override { return kTensor; }
  std::string body() const override { return str(whole_, ", ", parts_); }
  bool equals(const ExtensionType& other) const override {
    const auto& o = static_cast<const DistTensor&>(other);
    return whole_ == o.whole_ && parts_ == o.parts_;
  }
  DType dtype() const override { return whole_.dtype(); }
  const Shape& global_shape() const override { return whole_.shape(); }
  const Shape& local_shape() const override { return local_; }
  void verify() const override {
    const bool even =
        parts_ > 0 && !whole_.shape().empty() && whole_.shape()[0].value() % parts_ == 0;
    PADDLE_CHECK_VALUE(even, "dist.tensor: ", whole_, " cannot be cut into ", parts_, " parts.");
  }
  int64_t parts() const { return parts_; }
  const Type& whole() const { return whole_; }

 private:
  Type whole_;
  int64_t parts_;
  Shape local_;
};

std::shared_ptr<const ExtensionType> parse_tensor(std::string_view body) {
  const size_t comma = body.rfind(", ");
  PADDLE_CHECK_VALUE(comma != std::string_view::npos,
                     "dist.tensor: a type and the number of parts "
                     "are expected; ",
                     body, " was read.");
  const std::string_view digits = body.substr(comma + 2);
  int64_t parts = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), parts);
  PADDLE_CHECK_VALUE(read.ec == std::errc() && read.ptr == digits.data() + digits.size(),
                     "dist.tensor: the number of parts is ", digits, "; digits are expected.");
  return std::make_shared<DistTensor>(parse_type(body.substr(0, comma)), parts);
}

const DistTensor& dist(const Operation& op, const Value* v) {
  const auto* type = v ? dynamic_cast<const DistTensor*>(v->type().extension()) : nullptr;
  PADDLE_CHECK_VALUE(type, op.name(), ": the operand has type ", v ? v->type() : Type(),
                     "; a dist.tensor is expected.");
  return *type;
}

Tensor run(const char* name, const Tensor& a, const Tensor& b) {
  const Slot slots[] = {Slot::of(a), Slot::of(b)};
  Outputs outs;
  call(Registry::global().at(name), slots, outs);
  return outs[0];
}

void one_operand(const Operation& op) {
  PADDLE_CHECK_VALUE(op.num_operands() == 1 && op.num_results() == 1, op.name(), ": ",
                     op.num_operands(), " operands and ", op.num_results(),
                     " results stand where one of each is expected.");
}

std::vector<Type> sharded(const Operation& op) {
  return {Type::extension(
      std::make_shared<DistTensor>(op.operand(0)->type(), op.attribute("parts").to_int()))};
}

TensorList shard(const OperationCall& c) {
  const int64_t parts = c.op.attribute("parts").to_int(), rank = c.op.attribute("rank").to_int();
  const Tensor whole = c.operands[0].contiguous_copy_if_needed();
  Shape shape = whole.shape();
  shape[0] = Dim(shape[0].value() / parts);
  const Tensor part = Tensor::empty(shape, whole.dtype());
  const int64_t offset = rank * part.numel() * static_cast<int64_t>(size_of(part.dtype()));
  part.copy_data_from(Tensor::alias(whole, shape, whole.strides(), offset));
  return {part};
}

TensorList clip(const OperationCall& c) {
  const Tensor out = Tensor::empty(c.operands[0].shape(), DType::kFloat32);
  for (int64_t i = 0; i < out.numel(); ++i) {
    out.data<float>()[i] = std::min(c.operands[0].data<float>()[i], 1.0f);
  }
  return {out};
}

std::vector<Type> local(const Operation& op) {
  const DistTensor& type = dist(op, op.operand(0));
  return {Type::tensor(type.dtype(), type.local_shape())};
}

std::vector<Type> same_type(const Operation& op) { return {op.operand(0)->type()}; }

std::vector<Type> yielded(const Operation& op) {
  std::vector<Type> types;
  for (const Value* v : terminator_of(op, *op.regions().at(0)).operands()) {
    types.push_back(v->type());
  }
  return types;
}

void verify_group(const Operation& op) {
  PADDLE_CHECK_VALUE(op.regions().size() == 1, op.name(), ": ", op.regions().size(),
                     " regions stand where one is expected.");
  terminator_of(op, *op.regions()[0]);
  const Block& block = *op.regions()[0]->blocks()[0];
  PADDLE_CHECK_VALUE(block.num_arguments() == op.num_operands(), op.name(), ": the region takes ",
                     block.num_arguments(), " values; the operation has ", op.num_operands(),
                     " operands.");
}

}  // namespace

extern "C" __attribute__((visibility("default"))) void register_test_dialect() {
  register_type({kTensor, parse_tensor});
  register_operation({.name = "dist.shard",
                      .traits = kPure,
                      .verify = one_operand,
                      .infer = sharded,
                      .execute = shard,
                      .saved = true});
  register_operation({.name = "dist.square",
                      .traits = kPure,
                      .verify = [](const Operation& op) { dist(op, op.operand(0)); },
                      .infer = same_type,
                      .execute =
                          [](const OperationCall& c) {
                            return TensorList{run("multiply", c.operands[0], c.operands[0])};
                          },
                      .vjp =
                          [](const OperationGradient& g) {
                            const Tensor half = run("multiply", g.operands[0], g.grads[0]);
                            return TensorList{run("add", half, half)};
                          },
                      .saved = true,
                      // A file says which version of the library wrote it.
                      .to_saved =
                          [](const Operation& op) {
                            std::vector<NamedAttribute> all = op.attributes();
                            all.emplace_back("version", int64_t{2});
                            return all;
                          },
                      .from_saved =
                          [](Operation& op) {
                            PADDLE_CHECK_VALUE(op.attribute("version").to_int() == 2,
                                               "dist.square: version 2 is expected.");
                          }});
  register_operation({.name = "dist.local",
                      .traits = kPure,
                      .verify = one_operand,
                      .infer = local,
                      .execute = [](const OperationCall& c) { return c.operands; },
                      .vjp = [](const OperationGradient& g) { return g.grads; },
                      .saved = true});
  register_operation({.name = "dist.ones",
                      .traits = kPure | kConstant,
                      .constant =
                          [](const Operation& op) {
                            return Tensor::full(op.result()->type().shape(), Scalar(1.0),
                                                op.result()->type().dtype());
                          },
                      .saved = true});
  register_operation({.name = "dist.clip",
                      .traits = kPure,
                      .verify = one_operand,
                      .infer = same_type,
                      .execute = clip});
  register_operation({.name = "fuse.group",
                      .traits = kPure,
                      .verify = verify_group,
                      .infer = yielded,
                      .saved = true});
}
