// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What the verifier refuses and the interpreter finds, in kernels that are wrong on purpose.
#include <gtest/gtest.h>

#include "cinn/loop/interpret.h"
#include "paddle_core/base/error.h"

namespace paddle::cinn {
namespace {

constexpr int kThreads = 64;

// Reverses 64 elements through shared memory.
class Reversal {
 public:
  Reversal() {
    kernel.name = "reversal";
    ExprPool& p = *kernel.pool;
    const Expr n = p.integer(kThreads);
    kernel.buffers = {{"in", DType::kFloat32, Space::kInput, n, 0},
                      {"out", DType::kFloat32, Space::kOutput, n, 0},
                      {"row", DType::kFloat32, Space::kShared, n}};
    kernel.stages.resize(1);
    Stage& stage = kernel.stages[0];
    stage.threads = kThreads;
    stage.tasks = p.integer(1);
    stage.task = p.variable(stage.tasks);
    fill = threads(n);
    fill.body.push_back({Store{2, fill.variable, p.load(0, DType::kFloat32, fill.variable)}});
    drain = threads(n);
    const Expr back = p.subtract(p.integer(kThreads - 1), drain.variable);
    drain.body.push_back({Store{1, drain.variable, p.load(2, DType::kFloat32, back)}});
  }
  Loop threads(Expr extent) {
    Loop loop;
    loop.kind = Loop::Kind::kThreads;
    loop.extent = extent;
    loop.variable = kernel.pool->variable(extent);
    return loop;
  }
  Interpretation run(bool barrier) {
    Body& body = kernel.stages[0].body;
    body.push_back({fill});
    if (barrier) body.push_back({Barrier{}});
    body.push_back({drain});
    for (int i = 0; i < kThreads; ++i) in[i] = static_cast<float>(i);
    return interpret(kernel, {in, out, nullptr}, {});
  }
  Kernel kernel;
  Loop fill, drain;
  float in[kThreads], out[kThreads];
};

std::string only_problem(const Interpretation& seen) {
  EXPECT_EQ(seen.problems.size(), 1u);
  return seen.problems.empty() ? std::string() : seen.problems[0];
}

std::string refusal(const Kernel& kernel) {
  try {
    verify(kernel);
  } catch (const Error& e) {
    return e.message();
  }
  return {};
}

// Four values of each iteration to neighbouring places.
struct Runs {
  Runs() {
    ExprPool& p = *kernel.pool;
    kernel.name = "runs";
    kernel.buffers = {{"out", DType::kInt32, Space::kOutput, p.integer(4 * kRounds), 0}};
    Stage stage;
    stage.tasks = p.integer(1);
    stage.task = p.variable(stage.tasks);
    loop.kind = Loop::Kind::kVector;
    loop.extent = p.integer(kRounds);
    loop.variable = p.variable(loop.extent);
    loop.width = 4;
    StoreRun run{0, p.multiply(loop.variable, p.integer(4)), {}};
    for (int k = 0; k < 4; ++k) {
      const Expr value = p.add(p.multiply(loop.variable, p.integer(10)), p.integer(k));
      run.values[static_cast<size_t>(k)] = p.cast(DType::kInt32, value);
    }
    loop.body.push_back({run});
    kernel.stages.push_back(std::move(stage));
  }
  Kernel& made() {
    kernel.stages[0].body = {{loop}};
    return kernel;
  }
  static constexpr int kRounds = 6;
  Kernel kernel;
  Loop loop;
  int32_t out[4 * kRounds] = {};
};

TEST(Interpret, StoresRunsOfValues) {
  Runs r;
  EXPECT_TRUE(interpret(r.made(), {r.out}, {}).problems.empty());
  for (int i = 0; i < 4 * Runs::kRounds; ++i) EXPECT_EQ(r.out[i], i / 4 * 10 + i % 4);
}

TEST(Interpret, RefusesRunsThatDoNotFollowEachOther) {
  Runs r;
  std::get<StoreRun>(r.loop.body[0].is).index =
      r.kernel.pool->multiply(r.loop.variable, r.kernel.pool->integer(2));
  EXPECT_NE(refusal(r.made()).find("runs of values do not follow each other"), std::string::npos);
}

TEST(Interpret, RunsABlockAcrossABarrier) {
  Reversal r;
  EXPECT_TRUE(r.run(true).problems.empty());
  for (int i = 0; i < kThreads; ++i) EXPECT_EQ(r.out[i], static_cast<float>(kThreads - 1 - i));
}

TEST(Interpret, FindsTheRaceOfAMissingBarrier) {
  Reversal r;
  const std::string problem = only_problem(r.run(false));
  EXPECT_NE(problem.find("a race of row"), std::string::npos) << problem;
  EXPECT_NE(problem.find("thread 0 reads index 63, which thread 63 writes"), std::string::npos)
      << problem;
}

TEST(Interpret, FindsThreadsThatWriteOneElement) {
  Reversal r;
  std::get<Store>(r.fill.body[0].is).index = r.kernel.pool->integer(5);
  const Interpretation seen = r.run(true);
  ASSERT_EQ(seen.problems.size(), 2u);  // and what is read was not written
  EXPECT_NE(seen.problems[0].find("thread 1 writes index 5, which thread 0 writes"),
            std::string::npos)
      << seen.problems[0];
  EXPECT_NE(seen.problems[1].find("an element that nothing wrote"), std::string::npos)
      << seen.problems[1];
}

TEST(Interpret, FindsTasksThatWriteOneElement) {
  Reversal r;
  r.kernel.stages[0].tasks = r.kernel.pool->integer(2);
  const std::string problem = only_problem(r.run(true));
  EXPECT_NE(problem.find("task 1 writes index 0, which another task of the same stage writes"),
            std::string::npos)
      << problem;
}

TEST(Interpret, FindsIndicesOutOfBounds) {
  Reversal r;
  ExprPool& p = *r.kernel.pool;
  std::get<Store>(r.fill.body[0].is).value =
      p.load(0, DType::kFloat32, p.add(r.fill.variable, p.integer(1)));
  const std::string problem = only_problem(r.run(true));
  EXPECT_NE(problem.find("a read out of bounds of in: index 64 of 64 elements"), std::string::npos)
      << problem;
}

TEST(Interpret, GivesShuffledRegistersOfTheOtherThread) {
  Reversal r;
  ExprPool& p = *r.kernel.pool;
  Body& body = r.kernel.stages[0].body;
  r.kernel.num_registers = 1;
  body.push_back({Declare{0, p.integer(DType::kInt32, 0)}});
  Loop number = r.threads(p.integer(kThreads));
  number.body.push_back({Accumulate{0, Combine::kAdd, p.cast(DType::kInt32, number.variable)}});
  body.push_back({number});
  const Expr reg = p.reg(0, DType::kInt32);
  body.push_back({Assign{0, p.binary(ExprOp::kShuffleXor, reg, p.integer(DType::kInt32, 4))}});
  r.drain.body.clear();
  r.drain.body.push_back({Store{1, r.drain.variable, p.cast(DType::kFloat32, reg)}});
  EXPECT_TRUE(r.run(true).problems.empty());
  for (int i = 0; i < kThreads; ++i) EXPECT_EQ(r.out[i], static_cast<float>(i ^ 4));
}

TEST(Verify, RefusesABarrierThatSomeThreadsMiss) {
  Reversal r;
  r.fill.body.push_back({Barrier{}});
  r.kernel.stages[0].body.push_back({r.fill});
  EXPECT_NE(refusal(r.kernel).find("a barrier stands where not all threads are"),
            std::string::npos);
}

TEST(Verify, RefusesAConditionAroundABarrierThatDiffersBetweenThreads) {
  Reversal r;
  ExprPool& p = *r.kernel.pool;
  r.kernel.num_registers = 1;
  Body& body = r.kernel.stages[0].body;
  body.push_back({Declare{0, p.boolean(true)}});
  If branch{p.reg(0, DType::kBool), {}};
  branch.body.push_back({Barrier{}});
  body.push_back({branch});
  EXPECT_NE(refusal(r.kernel).find("may differ between the threads"), std::string::npos);
}

TEST(Verify, RefusesAStoreByEveryThread) {
  Reversal r;
  ExprPool& p = *r.kernel.pool;
  r.kernel.stages[0].body.push_back({Store{1, p.integer(0), p.constant(DType::kFloat32, 1)}});
  EXPECT_NE(refusal(r.kernel).find("is stored to by every thread"), std::string::npos);
}

TEST(Verify, RefusesBlocksThatAreNoWarps) {
  Reversal r;
  r.kernel.stages[0].threads = 48;
  EXPECT_NE(refusal(r.kernel).find("must be a multiple of 32"), std::string::npos);
}

}  // namespace
}  // namespace paddle::cinn
