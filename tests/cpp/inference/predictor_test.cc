// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The public C++ interface of the predictor, on a program of two operators.
#include "inference/predictor/paddle_inference_api.h"

#include <gtest/gtest.h>

#include <numeric>
#include <thread>

namespace paddle_infer {
namespace {

// y = relu(x) + x, for x of float32 [?, 3].
const std::string kProgram = [] {
  const std::string type = R"({"#":"0.t_dtensor","D":[{"#":"0.t_f32"},[-1,3],"NCHW",[],0]})";
  return R"({"base_code":{"magic":"pir","trainable":true,"version":4},"program":{"regions":[{"#":)"
         R"("region_0","blocks":[{"#":"block_0","args":[],"ops":[{"#":"1.data","A":[{"N":"name",)"
         R"("AT":{"#":"0.a_str","D":"x"}},{"N":"shape","AT":{"#":"1.a_intarray","D":[-1,3]}},)"
         R"({"N":"dtype","AT":{"#":"1.a_dtype","D":"float32"}}],"I":[],"O":[{"%":1,"TT":)" +
         type + R"(}],"OA":[]},{"#":"1.relu","A":[],"I":[{"%":1}],"O":[{"%":2,"TT":)" + type +
         R"(}],"OA":[]},{"#":"1.add","A":[],"I":[{"%":2},{"%":1}],"O":[{"%":3,"TT":)" + type +
         R"(}],"OA":[]},{"#":"1.fetch","A":[{"N":"name","AT":{"#":"0.a_str","D":"y"}},{"N":"col",)"
         R"("AT":{"#":"0.a_i32","D":0}}],"I":[{"%":3}],"O":[{"%":4,"TT":)" +
         type + R"(}],"OA":[]}]}]}]}})";
}();

Config config() {
  Config c;
  c.SetModelBuffer(kProgram.data(), kProgram.size(), nullptr, 0);
  return c;
}

std::vector<float> run(Predictor& p, const std::vector<float>& x) {
  auto in = p.GetInputHandle("x");
  in->Reshape({static_cast<int>(x.size() / 3), 3});
  in->CopyFromCpu(x.data());
  EXPECT_TRUE(p.Run());
  auto out = p.GetOutputHandle("y");
  std::vector<float> y(out->numel());
  out->CopyToCpu(y.data());
  return y;
}

TEST(Predictor, RunsAndDescribesItself) {
  const auto p = CreatePredictor(config());
  EXPECT_EQ(p->GetInputNames(), std::vector<std::string>{"x"});
  EXPECT_EQ(p->GetInputTensorShape().at("x"), (std::vector<int64_t>{-1, 3}));
  EXPECT_EQ(p->GetOutputTypes().at("y"), DataType::FLOAT32);
  EXPECT_EQ(run(*p, {-1, 0, 2}), (std::vector<float>{-1, 0, 4}));
  EXPECT_EQ(p->GetOutputHandle("y")->shape(), (std::vector<int>{1, 3}));
  EXPECT_EQ(run(*p, {1, 2, 3, -4, -5, -6}), (std::vector<float>{2, 4, 6, -4, -5, -6}));
}

TEST(Predictor, SharesMemoryOfTheCaller) {
  const auto p = CreatePredictor(config());
  std::vector<float> x{1, 1, 1};
  auto in = p->GetInputHandle("x");
  in->ShareExternalData(x.data(), {1, 3});
  x[1] = -5;
  p->Run();
  int size = 0;
  PlaceType place = PlaceType::kUNK;
  const float* y = p->GetOutputHandle("y")->data<float>(&place, &size);
  EXPECT_EQ(size, 3);
  EXPECT_EQ(place, PlaceType::kCPU);
  EXPECT_EQ(y[1], -5);
}

TEST(Predictor, HooksSeeWhatOperatorsReadAndMake) {
  Config c = config();
  c.SwitchIrOptim(false);
  const auto p = CreatePredictor(c);
  std::vector<std::string> seen;
  const auto note = [&](const std::string& op, const std::string& name, const Tensor& t) {
    seen.push_back(op + " " + name + " " + std::to_string(t.data<float>(nullptr, nullptr)[2]));
  };
  p->RegisterInputHook(note);
  p->RegisterOutputHook(note);
  run(*p, {-1, -2, 3});
  EXPECT_EQ(seen, (std::vector<std::string>{"pd_op.relu:0 x 3.000000",
                                            "pd_op.relu:0 inner_var_1 3.000000",
                                            "pd_op.add:1 inner_var_1 3.000000",
                                            "pd_op.add:1 x 3.000000", "pd_op.add:1 y 6.000000"}));
  run(*p->Clone(), {1, 2, 3});
  EXPECT_EQ(seen.size(), 5u);
  EXPECT_THROW(p->RegisterInputHook(nullptr), std::exception);
}

TEST(Predictor, ErrorsAreSentences) {
  EXPECT_THROW(CreatePredictor(Config("none")), std::exception);
  const auto p = CreatePredictor(config());
  const auto message = [](auto&& body) -> std::string {
    try {
      body();
    } catch (const std::exception& e) {
      return e.what();
    }
    return {};
  };
  EXPECT_NE(message([&] { p->GetInputHandle("z"); }).find("no input 'z'"), std::string::npos);
  EXPECT_NE(message([&] { p->Run(); }).find("has no value"), std::string::npos);
  run(*p, {1, 2, 3});
  EXPECT_NE(
      message([&] { p->GetOutputHandle("y")->data<int64_t>(nullptr, nullptr); }).find("int64"),
      std::string::npos);
  EXPECT_NE(message([&] {
              p->GetInputHandle("x")->Reshape({-1, 3});
            }).find("negative"),
            std::string::npos);
  EXPECT_NE(
      message([&] { CreatePredictor(config())->GetOutputHandle("y")->type(); }).find("no value"),
      std::string::npos);
  // Inputs and outputs stay.
  p->ClearIntermediateTensor();
  p->TryShrinkMemory();
  EXPECT_EQ(p->GetOutputHandle("y")->type(), DataType::FLOAT32);
  EXPECT_TRUE(p->Run());
}

TEST(Predictor, ClonesRunAtTheSameTime) {
  services::PredictorPool pool(config(), 4);
  std::vector<std::thread> threads;
  std::vector<int> good(4);
  for (size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        const auto v = static_cast<float>(t * 1000 + static_cast<size_t>(i));
        good[t] += run(*pool.Retrieve(t), std::vector<float>(3 * (t + 1), v))[0] == 2 * v;
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(std::accumulate(good.begin(), good.end(), 0), 800);
  EXPECT_THROW(pool.Retrieve(4), std::exception);
}

TEST(Config, KeepsWhatItIsTold) {
  Config c("a.json", "a.pdiparams");
  c.SetCpuMathLibraryNumThreads(3);
  c.DeletePass("fold");
  const Config copy = c;
  EXPECT_EQ(copy.cpu_math_library_num_threads(), 3);
  EXPECT_EQ(copy.prog_file(), "a.json");
  const auto passes = copy.pass_builder()->AllPasses();
  EXPECT_EQ(std::count(passes.begin(), passes.end(), "fold"), 0);
  EXPECT_THROW(c.SetCpuMathLibraryNumThreads(0), std::exception);
  EXPECT_NE(GetVersion().find("version"), std::string::npos);
}

}  // namespace
}  // namespace paddle_infer
