// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of extents, symbolic expressions and shape helpers.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "paddle_core/shape/sym.h"

namespace paddle {
namespace {

TEST(Dim, IntegerArithmeticIsPythonsAndChecksOverflow) {
  EXPECT_EQ(floordiv(-7, 2), Dim(-4));
  EXPECT_EQ(mod(-7, 2), Dim(1));
  EXPECT_EQ(mod(7, -2), Dim(-1));
  try {
    static_cast<void>(Dim(INT64_MAX) + Dim(1));
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::kOverflow);
  }
  EXPECT_THROW(Dim(int64_t{1} << 62) * Dim(4), Error);
  EXPECT_THROW(floordiv(1, 0), Error);
}

TEST(Sym, EqualExpressionsAreTheSameExpression) {
  SymbolScope scope;
  const Dim a = scope.fresh(), b = scope.fresh();
  EXPECT_EQ((a + b) * (a + b), a * a + Dim(2) * b * a + b * b);
  EXPECT_EQ(a - a, Dim(0));
  EXPECT_EQ(a + b - b, a);
  EXPECT_TRUE(is_plain_symbol(a));
  EXPECT_FALSE(is_plain_symbol(a + 1));
  EXPECT_EQ(to_string(Dim(2) * a * b - a + 3), "2*s0*s1 - s0 + 3");
}

TEST(Sym, SymbolsGoWithTheLastThatOwnsThem) {
  const size_t before = num_expressions();
  SymbolScope outer;
  const Dim a = outer.fresh();
  SymbolOwner kept;
  Dim b = 0, sum = 0;
  {
    SymbolScope inner;
    b = inner.fresh();
    sum = a * b + floordiv(b, a) + min(a, b);  // of the younger of the two scopes
    EXPECT_EQ(to_string(a * Dim(2)), "2*s0");  // of the older one
    kept = inner.owner();
  }
  const std::string text = to_string(sum);
  EXPECT_EQ(evaluate(sum, {{a.symbol_id(), 2}, {b.symbol_id(), 7}}), 2 * 7 + 3 + 2);
  kept.reset();
  EXPECT_EQ(num_expressions(), before + 2);  // a and 2 * a
  EXPECT_EQ(to_string(sum), "s?");
  EXPECT_THROW(b + 1, Error);
  const Dim c = outer.fresh();
  EXPECT_FALSE(c == b);
  EXPECT_EQ(to_string(a * c + c), "s0*s1 + s1");
}

TEST(Sym, AnAtomWithoutItsSymbolsMayHaveAValue) {
  SymbolScope scope;
  const Dim a = scope.fresh(), b = scope.fresh(), least = min(a, b);
  EXPECT_TRUE(is_atom(a));
  EXPECT_TRUE(is_atom(least));
  EXPECT_FALSE(is_atom(Dim(2) * least));
  EXPECT_EQ(evaluate(least * a, {{a.symbol_id(), 3}}), std::nullopt);
  EXPECT_EQ(evaluate(least * a, {{a.symbol_id(), 3}, {least.symbol_id(), 2}}), 6);
}

TEST(Sym, DivisionIsExactWhereItCanBe) {
  SymbolScope scope;
  const Dim a = scope.fresh(), b = scope.fresh();
  EXPECT_EQ(floordiv(Dim(12) * a, a), Dim(12));
  EXPECT_EQ(floordiv(Dim(12) * a * b, Dim(4) * b), Dim(3) * a);
  EXPECT_EQ(floordiv((a + 1) * (b + 2), b + 2), a + 1);
  EXPECT_EQ(mod(Dim(6) * a + 7, 3), Dim(1));
  EXPECT_EQ(floordiv(Dim(5) * a + 7, 3), a + 2 + floordiv(Dim(2) * a + 1, 3));
  EXPECT_EQ(evaluate(floordiv(Dim(5) * a + 7, 3), {{a.symbol_id(), 4}}), 9);
  EXPECT_EQ(substitute(mod(a, 3), {{a.symbol_id(), Dim(3) * b}}), Dim(0));
  EXPECT_EQ(max(a, a + 1), a + 1);
  EXPECT_EQ(min(a, b), min(b, a));
}

TEST(Sym, ProvableDecisionsRecordNothing) {
  SymbolScope scope;
  const Dim a = scope.fresh(), b = scope.fresh();
  EXPECT_FALSE(decide_eq(a + 1, 0, true));
  EXPECT_TRUE(decide_le(a, a + b, false));
  EXPECT_TRUE(decide_lt(mod(a, 4), 4, false));
  EXPECT_TRUE(decide_eq(a * b, b * a, false));
  EXPECT_TRUE(scope.facts().empty());
}

TEST(Sym, ExamplesGiveGuardsAndDefaultsGiveChecks) {
  SymbolScope scope;
  const Dim a = scope.fresh(5), b = scope.fresh();
  EXPECT_FALSE(decide_eq(a, 1, true));
  EXPECT_TRUE(decide_eq(a, b, true));
  EXPECT_TRUE(decide_eq(b, a, false));  // as decided before
  EXPECT_EQ(scope.pin(a), 5);
  ASSERT_EQ(scope.facts().size(), 3u);
  EXPECT_EQ(str(scope.facts()[0]), "guard s0 != 1");
  EXPECT_EQ(str(scope.facts()[1]), "check s0 == s1");
  EXPECT_EQ(str(scope.facts()[2]), "guard s0 == 5");
  EXPECT_THROW(scope.pin(b), Error);
  EXPECT_THROW(b.value(), Error);
}

TEST(Sym, ScopesNest) {
  SymbolScope outer;
  {
    const SymbolScope inner;
    EXPECT_EQ(SymbolScope::current(), &inner);
  }
  EXPECT_EQ(SymbolScope::current(), &outer);
}

Shape broadcast(const Shape& a, const Shape& b) {
  Shape out;
  broadcast_into(a, b, "add", "x", "y", out);
  return out;
}

TEST(Shape, BroadcastsAsNumPyDoes) {
  EXPECT_EQ(broadcast({2, 1, 3}, {4, 1}), (Shape{2, 4, 3}));
  EXPECT_EQ(broadcast({}, {4, 0}), (Shape{4, 0}));
  EXPECT_EQ(broadcast({1}, {0}), (Shape{0}));
  EXPECT_THROW(broadcast({2}, {3}), Error);
}

TEST(Shape, BroadcastsSymbolsWithTheDocumentedDefaults) {
  SymbolScope scope;
  const Dim a = scope.fresh(), b = scope.fresh();
  EXPECT_EQ(broadcast({a, 1}, {a, b}), (Shape{a, b}));
  EXPECT_TRUE(scope.facts().empty());
  EXPECT_EQ(broadcast({a}, {7}), (Shape{7}));
  EXPECT_EQ(scope.facts().size(), 1u);
}

TEST(Shape, CountsElements) {
  EXPECT_EQ(numel_of({2, 3}), Dim(6));
  EXPECT_EQ(numel_of({}), Dim(1));
  EXPECT_EQ(numel_of({int64_t{1} << 61, 8, 0}), Dim(0));
  EXPECT_THROW(numel_of({int64_t{1} << 61, 8}), Error);
}

TEST(Shape, NormalizesAxes) {
  EXPECT_EQ(normalize_axis(-1, 3, "sum"), 2);
  EXPECT_EQ(normalize_axis(-1, 0, "sum"), 0);
  EXPECT_THROW(normalize_axis(3, 3, "sum"), Error);
  const int64_t twice[] = {0, -2};
  EXPECT_THROW(normalize_axes(twice, 2, "sum"), Error);
  EXPECT_EQ(normalize_axes({}, 2, "sum"), (Axes{0, 1}));
}

TEST(Shape, InfersReshape) {
  EXPECT_EQ(infer_reshape({2, 3, 4}, {0, -1}, "reshape"), (Shape{2, 12}));
  EXPECT_EQ(infer_reshape({0, 3}, {-1, 3}, "reshape"), (Shape{0, 3}));
  EXPECT_THROW(infer_reshape({2, 3}, {4, -1}, "reshape"), Error);
  EXPECT_THROW(infer_reshape({2, 3}, {-1, -1}, "reshape"), Error);
  EXPECT_THROW(infer_reshape({2, 3}, {5}, "reshape"), Error);
  SymbolScope scope;
  const Dim n = scope.fresh();
  EXPECT_EQ(infer_reshape({n, 3, 4}, {n, -1}, "reshape"), (Shape{n, 12}));
  EXPECT_EQ(infer_reshape({n, 3, 4}, {0, 12}, "reshape"), (Shape{n, 12}));
  EXPECT_TRUE(scope.facts().empty());
}

TEST(Shape, FindsStridesOfViews) {
  Strides out;
  EXPECT_TRUE(view_strides({2, 3, 4}, {12, 4, 1}, {6, 4}, out));
  EXPECT_EQ(out, (Strides{4, 1}));
  EXPECT_TRUE(view_strides({4, 6}, {1, 4}, {2, 2, 1, 6}, out));
  EXPECT_EQ(out[0], 2);
  EXPECT_EQ(out[1], 1);
  EXPECT_EQ(out[3], 4);
  EXPECT_FALSE(view_strides({4, 6}, {1, 4}, {24}, out));
  EXPECT_FALSE(view_strides({4, 6}, {1, 4}, {8, 3}, out));
  EXPECT_TRUE(view_strides({3, 3}, {0, 0}, {9}, out));
  EXPECT_TRUE(view_strides({1, 1}, {5, 5}, {1}, out));
}

TEST(Sym, ThreadsShareTheTableOfExpressions) {
  constexpr int kThreads = 4, kRounds = 200;
  SymbolScope shared;
  const Dim a = shared.fresh(), b = shared.fresh();
  const Dim expected = floordiv((a + b) * a + 5, 3);
  const std::string text = to_string(expected);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      SymbolScope scope;
      for (int round = 0; round < kRounds; ++round) {
        const Dim own = scope.fresh();
        const Dim sum = own * a + round - t;  // new to the table
        wrong += !(sum - own * a == Dim(round - t));
        wrong += !(floordiv((b + a) * a + 5, 3) == expected) || to_string(expected) != text;
        wrong += decide_eq(min(own, own + 1), own, false) != true;
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong.load(), 0);
}

}  // namespace
}  // namespace paddle
