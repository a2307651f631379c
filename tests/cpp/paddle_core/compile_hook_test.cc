// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Eager calls of composed operators through hooks that pend, answer, are replaced and revoked.
#include "paddle_core/dispatch/compile_hook.h"

#include <gtest/gtest.h>

#include <thread>

#include "paddle_core/autograd/autograd.h"
#include "paddle_core/op/args.h"
#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"
#include "paddle_core/op/vjp.h"
#include "phi_kernels/cpu/loops/strided.h"
#include "phi_kernels/ops/core_ops.h"

namespace paddle {
namespace {

using Reply = CompileReply<CompiledCall>;

Tensor run(const char* name, const TensorList& tensors) {
  std::vector<Slot> slots;
  for (const Tensor& t : tensors) slots.push_back(Slot::of(t));
  Outputs outs;
  call(Registry::global().at(name), slots.data(), outs);
  return outs[0];
}

float first(const Tensor& t) { return t.data<float>()[0]; }
Tensor three() { return Tensor::full({4}, Scalar(3.0), DType::kFloat32); }

class Fill final : public CompiledCall {
 public:
  explicit Fill(double value, DType dtype = DType::kFloat32) : value_(value), dtype_(dtype) {}
  void run(const OpDef&, const Slot*, Outputs& outs) override {
    outs[0] = Tensor::full(outs[0].shape(), Scalar(value_), dtype_);
  }

 private:
  double value_;
  DType dtype_;
};

class Scripted final : public CompileHook {
 public:
  explicit Scripted(Reply first_reply) : reply(std::move(first_reply)) {}
  Reply ask(const OpDef& op, const Slot* args, const Outputs& results, Place place) override {
    if (std::string_view(op.name()) != "hook_twice") return Reply::declined();
    ++asked;
    EXPECT_EQ(args[0].kind, SlotKind::kTensor);
    EXPECT_EQ(results[0].shape(), (Shape{4}));
    EXPECT_EQ(place, Place());
    return reply;
  }
  Reply reply;
  std::atomic<int> asked{0};
};

class Installed {
 public:
  Installed(int priority, std::shared_ptr<CompileHook> hook, Place device = Place())
      : number_(install_compile_hook(device, priority, std::move(hook))) {}
  ~Installed() { remove_compile_hook(number_); }
  Installed(const Installed&) = delete;
  Installed& operator=(const Installed&) = delete;

 private:
  uint64_t number_;
};

class CompileHookTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    static const bool once = [] {
      Registry& r = Registry::global();
      register_all_ops(r);
      r.op("hook_twice")
          .schema("hook_twice(Tensor x) -> (Tensor out)")
          .infer(infer::same_as_x)
          .vjp([](Vjp& v) { v.set(0, run("hook_twice", {v.grad()})); })
          .decompose([](Args& a) -> TensorList {
            return {run("add", {a.tensor(0), a.tensor(0)})};
          });
      ops::install_core_ops();
      cpu::install_copy_cpu();
      autograd::install_autograd();
      return true;
    }();
    ASSERT_TRUE(once);
  }
};

TEST_F(CompileHookTest, PendsAnswersIsReplacedAndRevoked) {
  EXPECT_FALSE(compile_hooks_installed());
  const auto hook = std::make_shared<Scripted>(Reply::pending());
  {
    const Installed installed(0, hook);
    EXPECT_TRUE(compile_hooks_installed());
    EXPECT_EQ(first(run("hook_twice", {three()})), 6);
    hook->reply = Reply::ready(std::make_shared<Fill>(41));
    EXPECT_EQ(first(run("hook_twice", {three()})), 41);
    hook->reply = Reply::ready(std::make_shared<Fill>(42));
    EXPECT_EQ(first(run("hook_twice", {three()})), 42);
    hook->reply = Reply::declined();
    EXPECT_EQ(first(run("hook_twice", {three()})), 6);
    EXPECT_EQ(hook->asked, 4);
    EXPECT_EQ(first(run("add", {three(), three()})), 6);  // has a kernel: nobody is asked
    EXPECT_EQ(hook->asked, 4);
  }
  EXPECT_FALSE(compile_hooks_installed());
  EXPECT_EQ(first(run("hook_twice", {three()})), 6);
  EXPECT_EQ(hook->asked, 4);
}

TEST_F(CompileHookTest, HooksAreAskedByPriorityAndDevice) {
  const auto high = std::make_shared<Scripted>(Reply::pending());
  const auto low = std::make_shared<Scripted>(Reply::ready(std::make_shared<Fill>(1)));
  const auto equal = std::make_shared<Scripted>(Reply::ready(std::make_shared<Fill>(2)));
  const auto foreign = std::make_shared<Scripted>(Reply::ready(std::make_shared<Fill>(3)));
  Place gpu;
  gpu.kind = DeviceKind::kGpu;
  const Installed a(1, low), b(1, equal), c(5, high), d(9, foreign, gpu);
  EXPECT_EQ(first(run("hook_twice", {three()})), 1);
  EXPECT_EQ(high->asked, 1);
  EXPECT_EQ(equal->asked, 0);
  EXPECT_EQ(foreign->asked, 0);
}

TEST_F(CompileHookTest, GradientsAreThoseOfTheOperator) {
  const auto hook = std::make_shared<Scripted>(Reply::ready(std::make_shared<Fill>(7)));
  Tensor x = three();
  autograd::set_stop_gradient(x, false);
  Tensor y;
  {
    const Installed installed(0, hook);
    y = run("hook_twice", {x});
  }
  EXPECT_EQ(first(y), 7);
  autograd::backward({y}, {three()}, false);
  EXPECT_EQ(first(autograd::grad_of(x)), 6);
}

TEST_F(CompileHookTest, WrongResultsAreErrors) {
  const auto hook =
      std::make_shared<Scripted>(Reply::ready(std::make_shared<Fill>(1, DType::kFloat64)));
  const Installed installed(0, hook);
  EXPECT_THROW(run("hook_twice", {three()}), Error);
  hook->reply = {CompileAnswer::kExecutable, nullptr};
  EXPECT_THROW(run("hook_twice", {three()}), Error);
  EXPECT_THROW(install_compile_hook(Place(), 0, nullptr), Error);
}

TEST_F(CompileHookTest, HooksComeAndGoWhileOthersCall) {
  std::atomic<bool> done{false};
  std::atomic<int> calls{0};
  std::thread caller([&] {
    while (!done) {
      const float value = first(run("hook_twice", {three()}));
      EXPECT_TRUE(value == 6 || value == 8) << value;
      ++calls;
    }
  });
  while (calls < 2000) {
    const Installed installed(0,
                              std::make_shared<Scripted>(Reply::ready(std::make_shared<Fill>(8))));
  }
  done = true;
  caller.join();
}

}  // namespace
}  // namespace paddle
