// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Weights that several threads use at once, are packed by whichever comes second, and change
// between two uses.
#include <atomic>
#include <barrier>
#include <cmath>
#include <thread>

#include "paddle_core/device/parallel.h"
#include "phi_kernels/ops/conv.h"
#include "phi_kernels/ops/linalg.h"
#include "tests/cpp/operators.h"

namespace paddle {
namespace {

class PackedWeightsTest : public testing::WithOperators {};

// Small integers, so that sums are exact in any order.
Tensor pattern(const Shape& shape, int64_t step) {
  const Tensor t = Tensor::empty(shape, DType::kFloat32);
  for (int64_t i = 0; i < t.numel(); ++i) {
    t.data<float>()[i] = static_cast<float>((i * step) % 7 - 3);
  }
  return t;
}

// Element (row, column) of x * w by its formula.
float product_at(const Tensor& x, const Tensor& w, int64_t row, int64_t column) {
  double sum = 0;
  for (int64_t k = 0; k < x.size(1); ++k) {
    sum += double{x.data<float>()[row * x.size(1) + k]} *
           double{w.data<float>()[k * w.size(1) + column]};
  }
  return static_cast<float>(sum);
}

// Element (channel, y, x) of the first image's convolution of 3x3 filters, padded by 1.
float convolution_at(const Tensor& image, const Tensor& filter, int64_t channel, int64_t y,
                     int64_t x) {
  double sum = 0;
  for (int64_t c = 0; c < image.size(1); ++c) {
    for (int64_t i = 0; i < 9; ++i) {
      const int64_t from_y = y + i / 3 - 1, from_x = x + i % 3 - 1;
      if (from_y < 0 || from_y >= image.size(2) || from_x < 0 || from_x >= image.size(3)) continue;
      sum += double{image.data<float>()[(c * image.size(2) + from_y) * image.size(3) + from_x]} *
             double{filter.data<float>()[(channel * image.size(1) + c) * 9 + i]};
    }
  }
  return static_cast<float>(sum);
}

// Runs `use(thread)` on several threads at once, in rounds; `change` on one of them between rounds.
template <typename Use, typename Change>
int failures_of_threads(int rounds, Use&& use, Change&& change) {
  constexpr int kThreads = 4;
  std::barrier together(kThreads);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int round = 0; round < rounds; ++round) {
        together.arrive_and_wait();
        for (int i = 0; i < 4; ++i) wrong += !use(t);
        together.arrive_and_wait();
        if (t == 0) change();
      }
    });
  }
  for (std::thread& t : threads) t.join();
  return wrong;
}

TEST_F(PackedWeightsTest, ThreadsMultiplyByOneMatrixThatChangesBetween) {
  set_num_threads(2);
  const Tensor w = pattern({256, 192}, 5);
  // Few rows and many rows go different ways.
  const Tensor few = pattern({2, 256}, 3), many = pattern({96, 256}, 3);
  int64_t step = 5;
  const int wrong = failures_of_threads(
      8,
      [&](int t) {
        const Tensor& x = t % 2 ? few : many;
        const Tensor y = ops::matmul(x, w);
        const int64_t row = x.size(0) - 1;
        return y.data<float>()[row * 192 + 191] == product_at(x, w, row, 191) &&
               y.data<float>()[7] == product_at(x, w, 0, 7);
      },
      [&] { w.overwrite_from(pattern(w.shape(), ++step)); });
  EXPECT_EQ(wrong, 0);
}

TEST_F(PackedWeightsTest, ThreadsConvolveWithOneFilterThatChangesBetween) {
  set_num_threads(2);
  const Tensor filter = pattern({32, 16, 3, 3}, 5);
  const Tensor small = pattern({1, 16, 8, 8}, 3), large = pattern({2, 16, 28, 28}, 3);
  int64_t step = 5;
  const int wrong = failures_of_threads(
      6,
      [&](int t) {
        const Tensor& x = t % 2 ? small : large;
        const Tensor y = ops::conv2d(x, filter, {1, 1}, {1, 1});
        const int64_t n = x.size(3);
        const auto is = [&](int64_t c, int64_t i, int64_t j) {
          const float got = y.data<float>()[(c * n + i) * n + j];
          return std::abs(got - convolution_at(x, filter, c, i, j)) < 1e-2F;
        };
        return is(0, 0, 0) && is(31, n - 1, n / 2) && is(13, 3, 4);
      },
      [&] { filter.overwrite_from(pattern(filter.shape(), ++step)); });
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace paddle
