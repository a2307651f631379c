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
#include "paddle_core/op/saved_form.h"

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
  EXPECT_NE(refusal([](OpDef& op) { op.opaque("b").trait(kUnsaved); }).find("kUnsaved"),
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

void respell(SavedForm&) {}

TEST(OpDef, SavedFormsThatMeanNothingAreRefused) {
  Registry r;
  OpDef& bare = r.op("bare");
  EXPECT_NE(message_of([&] { bare.saved_as("other"); }).find("saved_as(other) stands before"),
            std::string::npos);
  EXPECT_THROW(bare.saved_form(respell), Error);
  EXPECT_THROW(bare.since_version(2), Error);
  EXPECT_THROW(bare.upgrade("other"), Error);
  OpDef& op = probe(r);
  EXPECT_THROW(op.saved_form(nullptr), Error);
  op.saved_form(respell);
  EXPECT_NE(message_of([&] { op.saved_form(respell); }).find("saved_form is given twice"),
            std::string::npos);
  for (const int version : {0, 1, kSavedVersion + 1}) {
    EXPECT_THROW(op.since_version(version), Error) << version;
  }
  EXPECT_THROW(op.upgrade("", respell), Error);
  EXPECT_THROW(op.upgrade("old", respell, 0), Error);
  EXPECT_THROW(op.upgrade("old", respell, kSavedVersion + 1), Error);
  op.upgrade("old", respell, 2);
  EXPECT_NE(message_of([&] {
              op.upgrade("old", respell, 2);
            }).find("probe: two upgrades of old are of version 2"),
            std::string::npos);
  op.upgrade("old", respell, 3);
  EXPECT_EQ(op.upgrades().size(), 2u);
}

TEST(Registry, ARecordReadsWhatFilesOfOlderVersionsHold) {
  Registry r;
  const auto refusal = [&](const std::function<void(OpDef&)>& change) {
    OpDef op = complete("forms");
    op.opaque("a test");
    change(op);
    return message_of([&] { r.add(std::move(op)); });
  };
  EXPECT_NE(refusal([](OpDef& op) { op.trait(kUnsaved).saved_form(respell); }).find("kUnsaved"),
            std::string::npos);
  EXPECT_NE(refusal([](OpDef& op) { op.upgrade("forms"); }).find("it would change nothing"),
            std::string::npos);
  EXPECT_NE(refusal([](OpDef& op) { op.since_version(3); }).find("an upgrade for version 2"),
            std::string::npos);
  EXPECT_NE(refusal([](OpDef& op) {
              op.since_version(3).upgrade("forms", respell, 1);
            }).find("an upgrade for version 2"),
            std::string::npos);
  EXPECT_NE(refusal([](OpDef& op) {
              op.upgrade("forms", respell, 2);
            }).find("files of version 2, which have the form of today"),
            std::string::npos);
  EXPECT_EQ(refusal([](OpDef& op) {
              op.since_version(3).upgrade("forms", respell, 2).upgrade("forms", respell, 1);
            }),
            "");
}

TEST(Registry, AnOperationOfFilesBelongsToOneRecord) {
  Registry r;
  const auto reading = [&](const char* name, const char* upgraded) {
    OpDef op = complete(name);
    op.opaque("a test").upgrade(upgraded, respell);
    return op;
  };
  r.add(reading("first", "old"));
  EXPECT_NE(message_of([&] {
              r.add(reading("second", "old"));
            }).find("second: upgrade(old) is about an operation that belongs to operator first"),
            std::string::npos);
  EXPECT_NE(message_of([&] { r.add(reading("second", "first")); }).find("operator first"),
            std::string::npos);
  EXPECT_EQ(r.find("second"), nullptr);
  OpDef& second = r.op("second").schema("second(Tensor x) -> (Tensor out)");
  second.infer(infer::same_as_x).opaque("a test").upgrade("old", respell);
  second.kernels.set(Place(), DType::kFloat32, Kernel{[](KernelContext&) {}, false});
  EXPECT_NE(message_of([&] { r.seal(); }).find("upgrade(old) is about an operation"),
            std::string::npos);
}

TEST(Registry, OnlyComposedOperatorsSayARank) {
  Registry r;
  const auto refusal = [&](int rank, bool with_decomposition) {
    OpDef op = complete("ranked");
    if (with_decomposition) {
      op.decompose([](Args& a) { return TensorList{a.tensor(0)}; });
    } else {
      op.opaque("a test");
    }
    op.rank(rank);
    return message_of([&] { r.add(std::move(op)); });
  };
  EXPECT_NE(refusal(1, false).find("says a rank and has no decomposition"), std::string::npos);
  EXPECT_NE(refusal(-1, true).find("says rank -1; it must be in [1, 100)"), std::string::npos);
  EXPECT_NE(refusal(OpDef::kTopRank, true).find("it must be in [1, 100)"), std::string::npos);
  EXPECT_EQ(refusal(3, true), "");
  EXPECT_EQ(r.at("ranked").rank(), 3);
}

TEST(Registry, AnAddedOperatorIsAboveThoseBeforeIt) {
  Registry r;
  const auto added = [&](const char* name) -> OpDef& {
    OpDef op = complete(name);
    op.decompose([](Args& a) { return TensorList{a.tensor(0)}; });
    return r.add(std::move(op));
  };
  const OpDef &first = added("first"), &second = added("second");
  EXPECT_GT(first.rank(), OpDef::kTopRank);
  EXPECT_GT(second.rank(), first.rank());
  r.seal();
  EXPECT_EQ(complete("primitive").primitive("a test").rank(), 0);
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
