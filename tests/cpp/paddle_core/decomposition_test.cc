// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Ranks of composed operators: decompositions that call each other in a cycle are refused.
#include "paddle_core/dispatch/execute/decomposition.h"

#include "paddle_core/op/args.h"
#include "paddle_core/op/infer.h"
#include "tests/cpp/operators.h"

namespace paddle {
namespace {

using testing::raised_by;
using testing::values_of;
using testing::vector_of;

Tensor run(const char* name, const Tensor& x) {
  const Slot slots[] = {Slot::of(x)};
  Outputs outs;
  call(Registry::global().at(name), slots, outs);
  return outs[0];
}

OpDef composed(const char* name, DecomposeFn decompose) {
  OpDef op;
  op.schema(str(name, "(Tensor x) -> (Tensor out)")).infer(infer::same_as_x).decompose(decompose);
  return op;
}

class Decomposition : public testing::WithOperators {
 protected:
  static void SetUpTestSuite() {
    WithOperators::SetUpTestSuite();
    static const bool once = [] {
      Registry& r = Registry::global();
      const auto start = [&](const char* name, DecomposeFn decompose) -> OpDef& {
        return r.op(name)
            .schema(str(name, "(Tensor x) -> (Tensor out)"))
            .infer(infer::same_as_x)
            .decompose(decompose);
      };
      start("rank_low", [](Args& a) { return TensorList{run("rank_high", a.tensor(0))}; }).rank(2);
      start("rank_high", [](Args& a) { return TensorList{run("rank_low", a.tensor(0))}; }).rank(3);
      start("rank_unsaid", [](Args& a) { return TensorList{run("rank_above", a.tensor(0))}; });
      start("rank_above", [](Args& a) { return TensorList{run("abs", a.tensor(0))}; });
      start("rank_of_itself",
            [](Args& a) { return TensorList{run("rank_of_itself", a.tensor(0))}; });
      r.seal();
      r.add(composed("user_first",
                     [](Args& a) { return TensorList{run("user_third", a.tensor(0))}; }));
      r.add(composed("user_second",
                     [](Args& a) { return TensorList{run("rank_above", a.tensor(0))}; }));
      r.add(composed("user_third",
                     [](Args& a) { return TensorList{run("user_second", a.tensor(0))}; }));
      r.add(composed("user_fourth",
                     [](Args& a) { return TensorList{run("user_first", a.tensor(0))}; }));
      r.seal();
      return true;
    }();
    ASSERT_TRUE(once);
  }
};

TEST_F(Decomposition, ACycleIsRefusedAndNamed) {
  const auto raised = raised_by([] { run("rank_high", vector_of({-1})); });
  EXPECT_EQ(raised.kind, ErrorKind::kRuntime);
  EXPECT_TRUE(
      raised.says("operator rank_low (rank 2): its decomposition calls operator rank_high "
                  "(rank 3), as rank_high -> rank_low -> rank_high"))
      << raised.message;
  EXPECT_TRUE(raised_by([] {
                run("rank_of_itself", vector_of({-1}));
              }).says("as rank_of_itself -> rank_of_itself"));
}

TEST_F(Decomposition, CallsGoDownInRank) {
  const auto raised = raised_by([] { run("rank_unsaid", vector_of({-1})); });
  EXPECT_TRUE(raised.says("operator rank_unsaid (rank 100)")) << raised.message;
  EXPECT_TRUE(raised.says("calls operator rank_above (rank 100)")) << raised.message;
  EXPECT_EQ(values_of(run("rank_above", vector_of({-1}))), std::vector<float>{1});
}

TEST_F(Decomposition, OperatorsAddedLaterCallThoseBeforeThem) {
  EXPECT_EQ(values_of(run("user_third", vector_of({-1}))), std::vector<float>{1});
  const auto raised = raised_by([] { run("user_fourth", vector_of({-1})); });
  EXPECT_TRUE(raised.says("operator user_first")) << raised.message;
  EXPECT_TRUE(raised.says("as user_fourth -> user_first -> user_third")) << raised.message;
}

TEST_F(Decomposition, EveryCallIsHeldAgainstTheRanksWhileDecompositionsAreForced) {
  Registry& r = Registry::global();
  r.kernel("rank_above", Place(), {DType::kFloat32},
           Kernel{[](KernelContext& c) { c.out_data<float>(0)[0] = 7; }});
  EXPECT_EQ(values_of(run("rank_unsaid", vector_of({-1}))), std::vector<float>{7});
  force_decompositions(true);
  const auto raised = raised_by([] { run("rank_unsaid", vector_of({-1})); });
  force_decompositions(false);
  EXPECT_TRUE(raised.says("rank_unsaid -> rank_above")) << raised.message;
}

}  // namespace
}  // namespace paddle
