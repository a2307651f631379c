// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Records of operators: what their setters and the registry refuse.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"

namespace paddle {
namespace {

OpDef& probe(Registry& r) {
  return r.op("probe").schema("probe(Tensor x, str data_format=\"NCHW\") -> (Tensor out)");
}

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& e) {
    return e.message();
  }
  return "";
}

TEST(OpDef, NamesThatTheSchemaLacksAreRefused) {
  Registry r;
  OpDef& op = probe(r);
  EXPECT_THROW(op.saves({"y"}), Error);
  EXPECT_THROW(op.reads_shape_of({"y"}), Error);
  EXPECT_THROW(op.follows_layout({"y"}, {"out"}), Error);
  EXPECT_THROW(op.follows_layout({"x"}, {"x"}), Error);
  EXPECT_THROW(op.no_grad_result("x"), Error);
  EXPECT_THROW(op.inplace({{"x", "y"}}), Error);
  EXPECT_THROW(op.kernel_dtype_of("y"), Error);
  EXPECT_THROW(op.runtime("y"), Error);
}

TEST(OpDef, MasksOfArgumentsEndAtThe32nd) {
  std::string schema = "wide(Tensor a0";
  for (int i = 1; i < 33; ++i) schema += str(", Tensor a", i);
  Registry r;
  OpDef& op = r.op("wide").schema(schema + ") -> (Tensor out)");
  op.saves({"a31"});
  EXPECT_EQ(op.saved_inputs, 1u << 31);
  EXPECT_NE(message_of([&] { op.saves({"a32"}); }).find("a32 stands at position 32"),
            std::string::npos);
}

TEST(Registry, AnOperatorIsDefinedOnce) {
  Registry r;
  probe(r);
  EXPECT_THROW(r.op("probe"), Error);
}

TEST(Registry, SealComparesTheNameWithThatOfTheSchema) {
  Registry r;
  OpDef& op = r.op("other");
  EXPECT_NE(message_of([&] { r.seal(); }).find("operator other has no schema"), std::string::npos);
  op.schema("probe(Tensor x) -> (Tensor out)");
  EXPECT_NE(message_of([&] { r.seal(); }).find("other: its schema is named probe"),
            std::string::npos);
}

TEST(Registry, SealNamesWhatARecordLacks) {
  Registry r;
  OpDef& op = probe(r);
  EXPECT_NE(message_of([&] { r.seal(); }).find("operator probe has no shape rule"),
            std::string::npos);
  op.infer(infer::same_as_x);
  EXPECT_NE(message_of([&] { r.seal(); }).find("probe has neither a kernel"), std::string::npos);
  op.decompose([](Args&) { return TensorList(); }).alias("z", "y");
  EXPECT_NE(message_of([&] { r.seal(); }).find("alias z names no argument y"), std::string::npos);
}

}  // namespace
}  // namespace paddle
