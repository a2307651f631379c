// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The library of PaddlePaddle 2's operators is loaded by the first that needs it, on any thread.
#include <gtest/gtest.h>

#include <algorithm>
#include <barrier>
#include <fstream>
#include <iterator>
#include <thread>

#include "paddle_core/autograd/autograd.h"
#include "phi_kernels/cpu/loops/strided.h"
#include "phi_kernels/ops/core_ops.h"
#include "pir/serialize/serialize.h"

namespace paddle::pir {
namespace {

bool is_loaded() {
  std::ifstream maps("/proc/self/maps");
  const std::string text{std::istreambuf_iterator<char>(maps), {}};
  return text.find("libpaddle_legacy.so") != std::string::npos;
}

float doubled_relu(float x) {
  OpDesc op;
  op.type = "fc";
  op.inputs = {{"Input", {"x"}}, {"W", {"w"}}};
  op.outputs = {{"Out", {"y"}}};
  op.attributes["activation_type"] = {AttrDesc::Kind::kTexts, false, false, {}, {}, {"relu"}};
  std::vector<VarDesc> inputs(2);
  const char* const names[] = {"x", "w"};
  for (size_t i = 0; i < 2; ++i) {
    inputs[i].name = names[i];
    inputs[i].kind = VarDesc::kDenseTensor;
    inputs[i].dtype = DType::kFloat32;
    inputs[i].dims = {1, 1};
  }
  const SavedProgram program = operator_as_program(op, inputs);
  TensorList given;
  for (const float value : {x, 2.0f}) {
    given.push_back(Tensor::empty({Dim(1), Dim(1)}, DType::kFloat32));
    *given.back().data<float>() = value;
  }
  return *program.run(given)[0].data<float>();
}

TEST(LegacyLibrary, IsLoadedOnceByThreadsThatComeAtOnce) {
  register_all_ops(Registry::global());
  ops::install_core_ops();
  cpu::install_copy_cpu();
  autograd::install_autograd();
  ASSERT_FALSE(is_loaded());
  constexpr int kThreads = 8;
  std::barrier<> start(kThreads);
  std::vector<float> results(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      start.arrive_and_wait();
      results[t] = doubled_relu(static_cast<float>(t - 1));
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_TRUE(is_loaded());
  EXPECT_EQ(results, (std::vector<float>{0, 0, 2, 4, 6, 8, 10, 12}));
  const std::vector<std::string> names = translated_operators();
  EXPECT_TRUE(std::binary_search(names.begin(), names.end(), "fc"));
}

}  // namespace
}  // namespace paddle::pir
