// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What a run that came before with the same shapes does not do again, and what stays right.
#include <gtest/gtest.h>

#include <thread>

#include "paddle_core/op/infer.h"
#include "phi_kernels/cpu/loops/strided.h"
#include "phi_kernels/ops/core_ops.h"
#include "phi_kernels/ops/shape.h"
#include "pir/capture/capture.h"
#include "pir/interpreter/executable.h"

namespace paddle::pir {
namespace {

std::atomic<int> rules{0}, kernels{0};
std::atomic<bool> fails{false};
std::vector<const void*> written;

// replay_add(x, y) = x + y, which counts.
void define_operators() {
  static bool done = false;
  if (done) return;
  done = true;
  Registry& r = Registry::global();
  register_all_ops(r);
  r.op("replay_add")
      .schema("replay_add(Tensor x, Tensor y) -> (Tensor out)")
      .primitive("test")
      .infer([](Infer& c) {
        ++rules;
        infer::same_as_x(c);
      })
      .no_grad();
  r.kernel("replay_add", DeviceKind::kCpu, {DType::kFloat32}, [](KernelContext& c) {
    ++kernels;
    PADDLE_CHECK_VALUE(!fails, "replay_add: asked to fail.");
    for (int64_t i = 0; i < c.out(0).numel; ++i) {
      c.out_data<float>(0)[i] = c.in_data<float>(0)[i] + c.in_data<float>(1)[i];
    }
    if (written.size() < 64) written.push_back(c.out(0).data());
  });
  ops::install_core_ops();
  cpu::install_copy_cpu();
  autograd::install_autograd();
}

Tensor add(const Tensor& a, const Tensor& b) {
  const Slot slots[] = {Slot::of(a), Slot::of(b)};
  Outputs outs;
  call(Registry::global().at("replay_add"), slots, outs);
  return outs[0];
}

Tensor filled(int64_t n, float v) {
  return Tensor::full({Dim(n)}, Scalar(double{v}), DType::kFloat32);
}

constexpr int kLength = 20;

// x + kLength * y, one addition after the other.
std::shared_ptr<Executable> chain() {
  Capture capture;
  capture.begin();
  {
    const Tensor x = capture.values().add_input("x", {-1}, DType::kFloat32, true, {3});
    const Tensor y = capture.values().add_input("y", {-1}, DType::kFloat32, true, {3});
    Tensor sum = x;
    for (int i = 0; i < kLength; ++i) sum = add(sum, y);
    capture.set_outputs({sum}, true);
  }
  return std::make_shared<Executable>(capture.finish());
}

class ReplayTest : public ::testing::Test {
 protected:
  void SetUp() override { define_operators(); }
};

TEST_F(ReplayTest, AsksNoShapeRuleAgain) {
  const auto program = chain();
  for (int i = 0; i < 3; ++i) program->run({filled(3, 1), filled(3, 2)});
  rules = kernels = 0;
  for (int i = 0; i < 5; ++i) {
    const float x = static_cast<float>(i);
    const TensorList outs = program->run({filled(3, x), filled(3, 2)});
    EXPECT_EQ(outs[0].data<float>()[2], x + kLength * 2);
  }
  EXPECT_EQ(rules, 0);
  EXPECT_EQ(kernels, 5 * kLength);
}

TEST_F(ReplayTest, EachShapeHasItsOwn) {
  const auto program = chain();
  for (int round = 0; round < 4; ++round) {
    if (round == 3) rules = 0;
    for (const int64_t n : {3, 5, 0, 1}) {
      const TensorList outs = program->run({filled(n, 1), filled(n, 3)});
      ASSERT_EQ(outs[0].numel(), n);
      for (int64_t i = 0; i < n; ++i) EXPECT_EQ(outs[0].data<float>()[i], 1 + kLength * 3);
    }
  }
  EXPECT_EQ(rules, 0);
}

// Two blocks take turns: no result but the last is asked for.
TEST_F(ReplayTest, SmallResultsTakeTurnsInTheSameMemory) {
  const auto program = chain();
  for (int i = 0; i < 3; ++i) program->run({filled(3, 1), filled(3, 2)});
  written.clear();
  program->run({filled(3, 1), filled(3, 2)});
  ASSERT_EQ(written.size(), static_cast<size_t>(kLength));
#if !defined(__SANITIZE_ADDRESS__)
  for (size_t i = 2; i + 1 < written.size(); ++i) EXPECT_EQ(written[i], written[i - 2]);
#endif
}

TEST_F(ReplayTest, ResultsOfRunsAreApart) {
  const auto program = chain();
  TensorList kept;
  for (int i = 0; i < 6; ++i) {
    kept.push_back(program->run({filled(3, static_cast<float>(i)), filled(3, 1)})[0]);
  }
  for (int i = 0; i < 6; ++i) EXPECT_EQ(kept[i].data<float>()[0], static_cast<float>(i) + kLength);
}

TEST_F(ReplayTest, StridedInputsAreNotTakenForDenseOnes) {
  const auto program = chain();
  for (int i = 0; i < 4; ++i) program->run({filled(3, 1), filled(3, 2)});
  Tensor wide = filled(6, 0);
  for (int i = 0; i < 6; ++i) wide.data<float>()[i] = static_cast<float>(i);
  const Tensor strided = Tensor::alias(wide, {Dim(3)}, Strides{2}, 0);
  for (int i = 0; i < 6; ++i) {
    const TensorList outs = program->run({strided, filled(3, 0)});
    for (int k = 0; k < 3; ++k) EXPECT_EQ(outs[0].data<float>()[k], static_cast<float>(2 * k));
  }
}

TEST_F(ReplayTest, AnErrorLeavesItUsable) {
  const auto program = chain();
  for (int i = 0; i < 4; ++i) program->run({filled(3, 1), filled(3, 2)});
  fails = true;
  EXPECT_THROW(program->run({filled(3, 1), filled(3, 2)}), Error);
  fails = false;
  EXPECT_EQ(program->run({filled(3, 1), filled(3, 2)})[0].data<float>()[0], 1 + kLength * 2);
}

TEST_F(ReplayTest, ThreadsRunItAtOnce) {
  const auto program = chain();
  for (int i = 0; i < 4; ++i) program->run({filled(3, 1), filled(3, 2)});
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        const auto x = static_cast<float>(1000 * t + i);
        const TensorList outs = program->run({filled(3, x), filled(3, 1)});
        if (outs[0].data<float>()[1] != x + kLength) ++wrong;
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace paddle::pir
