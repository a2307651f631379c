// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Threads that share tensors: a private memory order that one thread ends while others read, record
// and copy the tensor; references, versions and the pools of memory and objects.
#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <chrono>
#include <thread>
#include <vector>

#include "paddle_core/autograd/autograd.h"
#include "paddle_core/dispatch/call.h"
#include "paddle_core/dispatch/execute/layout.h"
#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/loops/strided.h"
#include "phi_kernels/ops/core_ops.h"

namespace paddle {
namespace {

constexpr int64_t kChannels = 3, kPositions = 4;

Tensor call_one(const char* name, const Tensor& x, const Tensor& y) {
  const Slot slots[] = {Slot::of(x), Slot::of(y)};
  Outputs outs;
  call(Registry::global().at(name), slots, outs);
  return outs[0];
}

void product(KernelContext& c) {
  const float *x = c.in_data<float>(0), *y = c.in_data<float>(1);
  float* out = c.out_data<float>(0);
  for (int64_t i = 0; i < c.out(0).numel; ++i) out[i] = x[i] * y[i];
}

// d(out)/d(y) is x, which the record keeps in the private order that calls of it do not end.
void define_operators() {
  static const bool done = [] {
    Registry& r = Registry::global();
    register_all_ops(r);
    r.op("shared_product")
        .schema("shared_product(Tensor x, Tensor y) -> (Tensor out)")
        .primitive("test")
        .infer(infer::same_as_x)
        .elementwise()
        .saves({"x"})
        .vjp([](Vjp& v) { v.set(1, call_one("shared_product", v.in(0), v.grad())); });
    r.kernel("shared_product", DeviceKind::kCpu, {DType::kFloat32}, product);
    ops::install_core_ops();
    cpu::install_copy_cpu();
    autograd::install_autograd();
    return true;
  }();
  EXPECT_TRUE(done);
}

// Shape [1, C, P, 1], element (c, p) is 10 c + p, in the order of convolutions' results.
Tensor channels_last() {
  const Tensor t = Tensor::empty({1, kPositions, 1, kChannels}, DType::kFloat32);
  float* at = t.data<float>();
  for (int64_t p = 0; p < kPositions; ++p) {
    for (int64_t c = 0; c < kChannels; ++c) *at++ = static_cast<float>(10 * c + p);
  }
  become_channels_first(*t.impl());
  return t;
}

bool holds_values(const Tensor& t) {
  const float* at = t.data<float>();
  for (int64_t c = 0; c < kChannels; ++c) {
    for (int64_t p = 0; p < kPositions; ++p) {
      if (*at++ != static_cast<float>(10 * c + p)) return false;
    }
  }
  return true;
}

class SharingTest : public ::testing::Test {
 protected:
  void SetUp() override { define_operators(); }
};

TEST_F(SharingTest, APrivateOrderEndsWhileOthersUseTheTensor) {
  constexpr int kRounds = 400;
  std::vector<Tensor> shared(kRounds);
  for (Tensor& t : shared) {
    t = channels_last();
    ASSERT_NE(t->keys & kModeLayout, 0u);
  }
  std::barrier together(4);
  std::atomic<int> wrong{0};
  const auto in_rounds = [&](bool late, auto&& use) {
    return std::thread([&, late, use] {
      for (int round = 0; round < kRounds; ++round) {
        together.arrive_and_wait();
        // Those that end the order begin at any time of the call that records the tensor.
        if (late) std::this_thread::sleep_for(std::chrono::microseconds(round));
        wrong += !use(shared[static_cast<size_t>(round)]);
      }
    });
  };
  std::thread reader = in_rounds(true, [](const Tensor& t) { return holds_values(t); });
  std::thread viewer = in_rounds(true, [](const Tensor& t) { return holds_values(t.detach()); });
  std::thread keeper = in_rounds(false, [](const Tensor& t) {
    Tensor kept = t.share_values();
    return holds_values(kept);
  });
  std::thread trainer = in_rounds(false, [](const Tensor& t) {
    const Tensor w = Tensor::full(t.shape(), Scalar(2.0), DType::kFloat32);
    autograd::set_stop_gradient(w, false);
    const Tensor out = call_one("shared_product", t, w);
    autograd::backward({out}, {}, false);
    return holds_values(autograd::grad_of(w));
  });
  for (std::thread* t : {&reader, &keeper, &viewer, &trainer}) t->join();
  EXPECT_EQ(wrong.load(), 0);
}

TEST_F(SharingTest, AWriteAfterThePrivateOrderEndedIsSeenByBackward) {
  const Tensor t = channels_last();
  const Tensor w = Tensor::full(t.shape(), Scalar(2.0), DType::kFloat32);
  autograd::set_stop_gradient(w, false);
  EXPECT_TRUE(holds_values(t));
  const Tensor out = call_one("shared_product", t, w);
  t.copy_data_from(w);
  EXPECT_THROW(autograd::backward({out}, {}, false), Error);
}

TEST_F(SharingTest, HandlesAndObjectsCrossThreads) {
  constexpr int kThreads = 4, kRounds = 500;
  std::atomic<int> wrong{0};
  const Tensor shared = Tensor::full({64}, Scalar(3.0), DType::kFloat32);
  std::vector<std::thread> threads;
  std::vector<std::vector<Tensor>> made(kThreads);
  for (int n = 0; n < kThreads; ++n) {
    threads.emplace_back([&, n] {
      for (int round = 0; round < kRounds; ++round) {
        const Tensor mine = call_one("shared_product", shared, shared.detach());
        wrong += mine.data<float>()[63] != 9.0f;
        made[static_cast<size_t>(n)].push_back(mine);
      }
    });
  }
  for (std::thread& t : threads) t.join();
  threads.clear();
  // Objects and memory are freed by threads that did not make them.
  for (size_t n = 0; n < kThreads; ++n) {
    threads.emplace_back([&, n] { made[(n + 1) % kThreads].clear(); });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong.load(), 0);
  EXPECT_EQ(shared->use_count(), 1u);
}

}  // namespace
}  // namespace paddle
