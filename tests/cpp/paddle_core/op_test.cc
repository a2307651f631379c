// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Records of operators: what their setters and the registry refuse.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <string>
#include <thread>

#include "paddle_core/op/args.h"
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
  EXPECT_THROW(op.follows_layout({"y"}, {"out"}, "data_format"), Error);
  EXPECT_THROW(op.follows_layout({"x"}, {"x"}, "data_format"), Error);
  EXPECT_THROW(op.follows_layout({"x"}, {"out"}, "axis"), Error);
  EXPECT_THROW(op.reduction("axis", nullptr), Error);
  EXPECT_THROW(op.no_grad_result("x"), Error);
  EXPECT_THROW(op.inplace({{"x", "y"}}), Error);
  EXPECT_THROW(op.kernel_dtype_of("y"), Error);
  EXPECT_THROW(op.runtime("y"), Error);
}

std::string wide_schema(int arguments) {
  std::string schema = "wide(Tensor a0";
  for (int i = 1; i < arguments; ++i) schema += str(", Tensor a", i);
  return schema + ") -> (Tensor out)";
}

TEST(OpDef, AMaskHoldsEveryArgumentThatASchemaMayHave) {
  Registry r;
  OpDef& op = r.op("wide").schema(wide_schema(32));
  op.saves({"a31"});
  EXPECT_EQ(op.saved_inputs, 1u << 31);
  const std::string refused = message_of([&] { op.schema(wide_schema(33)); });
  EXPECT_NE(refused.find("wide: 33 arguments and 1 results; at most 32"), std::string::npos);
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

OpDef complete(const char* name) {
  OpDef op;
  op.schema(str(name, "(Tensor x) -> (Tensor out)")).infer(infer::same_as_x);
  op.kernels.set(Place(), DType::kFloat32, Kernel{[](KernelContext&) {}, false});
  return op;
}

TEST(Registry, ARecordIsExactlyOneOfPrimitiveComposedOpaque) {
  Registry r;
  const auto refusal = [&](const std::function<void(OpDef&)>& change) {
    OpDef op = complete("kinds");
    change(op);
    return message_of([&] { r.add(std::move(op)); });
  };
  const auto composed = [](OpDef& op) {
    op.decompose([](Args& a) { return TensorList{a.tensor(0)}; });
  };
  EXPECT_NE(refusal([](OpDef&) {}).find("neither primitive, composed nor opaque"),
            std::string::npos);
  EXPECT_NE(refusal([](OpDef& op) { op.primitive("a").opaque("b"); }).find("more than one"),
            std::string::npos);
  EXPECT_NE(refusal([&](OpDef& op) {
              composed(op);
              op.opaque("b");
            }).find("more than one"),
            std::string::npos);
  EXPECT_NE(refusal([](OpDef& op) { op.opaque(""); }).find("opaque without a reason"),
            std::string::npos);
  EXPECT_EQ(r.find("kinds"), nullptr);  // nothing of what was refused is found
  EXPECT_EQ(refusal(composed), "");
  EXPECT_EQ(r.at("kinds").kind(), OpKind::kComposed);
}

TEST(Registry, APlaceArgumentDecidesAlone) {
  Registry r;
  const auto refusal = [&](const char* schema, const std::function<void(OpDef&)>& change) {
    OpDef op = complete("placed");
    op.schema(schema).opaque("a test");
    change(op);
    return message_of([&] { r.add(std::move(op)); });
  };
  const auto nothing = [](OpDef&) {};
  const auto shapes = [](OpDef& op) { op.reads_shape_of({"x"}); };
  const char* const values = "placed(Tensor x, Place place=Undefined) -> (Tensor out)";
  EXPECT_NE(refusal(values, nothing).find("reads the values of x"), std::string::npos);
  EXPECT_NE(refusal("placed(Tensor x, Place place=cpu) -> (Tensor out)", shapes)
                .find("must be Undefined where there are tensors"),
            std::string::npos);
  EXPECT_NE(refusal("placed(int n, Place place=Undefined) -> (Tensor out)", nothing)
                .find("must be Undefined where there are tensors"),
            std::string::npos);
  EXPECT_EQ(refusal(values, shapes), "");
  EXPECT_EQ(r.at("placed").place_arg, 1);
}

TEST(Registry, RecordsAreFoundWhenTheyAreComplete) {
  Registry r;
  std::atomic<bool> stop{false};
  std::atomic<int> incomplete{0};
  std::thread reader([&] {
    while (!stop) {
      for (const OpDef* op : r.since(0)) incomplete += op->infer_fn == nullptr || !*op->name();
    }
  });
  for (int i = 0; i < 2000; ++i) {
    OpDef op = complete(str("made", i).c_str());
    op.opaque("a test");
    r.add(std::move(op));
  }
  stop = true;
  reader.join();
  EXPECT_EQ(incomplete, 0);
  EXPECT_EQ(r.since(1999).size(), 1u);
}

}  // namespace
}  // namespace paddle
