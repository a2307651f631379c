// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Capture, gradients, writes, saved form: over two operators of the test's own.
#include <gtest/gtest.h>

#include "paddle_core/op/infer.h"
#include "phi_kernels/cpu/loops/strided.h"
#include "phi_kernels/ops/core_ops.h"
#include "phi_kernels/ops/shape.h"
#include "pir/capture/capture.h"
#include "pir/dialect/arguments.h"
#include "pir/interpreter/executable.h"
#include "pir/serialize/serialize.h"

namespace paddle::pir {
namespace {

Tensor run(const char* name, const Tensor& a, const Tensor& b) {
  const Slot slots[] = {Slot::of(a), Slot::of(b)};
  Outputs outs;
  call(Registry::global().at(name), slots, outs);
  return outs[0];
}

template <bool kMultiply>
void kernel(KernelContext& c) {
  const float *a = c.in_data<float>(0), *b = c.in_data<float>(1);
  float* out = c.out_data<float>(0);
  for (int64_t i = 0; i < c.out(0).numel; ++i) out[i] = kMultiply ? a[i] * b[i] : a[i] + b[i];
}

void define_operators() {
  static bool done = false;
  if (done) return;
  done = true;
  Registry& r = Registry::global();
  register_all_ops(r);
  r.op("test_add")
      .schema("test_add(Tensor x, Tensor y) -> (Tensor out)")
      .primitive("test")
      .infer(infer::same_as_x)
      .vjp([](Vjp& v) {
        v.set(0, v.grad());
        v.set(1, v.grad());
      });
  r.op("test_multiply")
      .schema("test_multiply(Tensor x, Tensor y) -> (Tensor out)")
      .primitive("test")
      .infer(infer::same_as_x)
      .saves({"x", "y"})
      .vjp([](Vjp& v) {
        v.set(0, run("test_multiply", v.grad(), v.in(1)));
        v.set(1, run("test_multiply", v.grad(), v.in(0)));
      });
  r.kernel("test_add", DeviceKind::kCpu, {DType::kFloat32}, kernel<false>);
  r.kernel("test_multiply", DeviceKind::kCpu, {DType::kFloat32}, kernel<true>);
  ops::install_core_ops();
  cpu::install_copy_cpu();
  autograd::install_autograd();
}

Tensor value(float v) { return Tensor::full({Dim(3)}, Scalar(double{v}), DType::kFloat32); }

class CaptureTest : public ::testing::Test {
 protected:
  void SetUp() override { define_operators(); }
};

TEST_F(CaptureTest, ForwardAndGradientEqualEager) {
  Tensor w = value(3);
  autograd::set_stop_gradient(w, false);
  Capture capture;
  capture.begin();
  {
    Tensor x = capture.values().add_input("x", {-1}, DType::kFloat32, false, {3});
    Tensor y = run("test_multiply", run("test_multiply", x, w), x);
    capture.set_outputs({run("test_add", y, w)}, true);
  }
  const auto program = std::make_shared<Executable>(capture.finish());
  EXPECT_TRUE(program->reusable());
  Tensor x = value(2);
  autograd::set_stop_gradient(x, false);
  const TensorList out = program->run({x});
  EXPECT_EQ(out[0].data<float>()[0], 15.0f);
  autograd::backward(out, {value(1)}, false);
  EXPECT_EQ(autograd::grad_of(x).data<float>()[0], 12.0f);
  EXPECT_EQ(autograd::grad_of(w).data<float>()[2], 5.0f);
  verify(*program->captured().program);
}

TEST_F(CaptureTest, ResultsTakeTheMemoryOfSpentOperands) {
  constexpr int64_t kCount = 1 << 20;
  Capture capture;
  capture.begin();
  {
    const Tensor x = capture.values().add_input("x", {-1}, DType::kFloat32, false, {kCount});
    const Tensor kept = run("add", x, x);
    Tensor sum = run("multiply", kept, x);
    for (int i = 0; i < 3; ++i) sum = run("add", x, sum);
    capture.set_outputs({kept, run("subtract", sum, x)}, true);
  }
  const auto program = std::make_shared<Executable>(capture.finish());
  const Tensor x = Tensor::full({Dim(kCount)}, Scalar(3.0), DType::kFloat32);
  host_allocator().reset_peak();
  const size_t before = host_allocator().stats().allocated;
  const TensorList out = program->run({x});
  const size_t most = host_allocator().stats().peak_allocated - before;
  EXPECT_LT(most, 5 * kCount * sizeof(float) / 2);  // the two results
  for (const int64_t i : {int64_t{0}, kCount - 1}) {
    EXPECT_EQ(x.data<float>()[i], 3.0f);
    EXPECT_EQ(out[0].data<float>()[i], 6.0f);
    EXPECT_EQ(out[1].data<float>()[i], 24.0f);
  }
}

TEST_F(CaptureTest, ReshapeCopiesATransposedTensorOnce) {
  const Tensor x = Tensor::full({1024, 512}, Scalar(2.0), DType::kFloat32);
  const Tensor turned = ops::transpose(x, Shape{1, 0});
  host_allocator().reset_peak();
  const size_t before = host_allocator().stats().allocated;
  const Tensor flat = ops::reshape(turned, Shape{-1});
  EXPECT_EQ(flat.data<float>()[1024 * 512 - 1], 2.0f);
  EXPECT_LT(host_allocator().stats().peak_allocated - before, 3 * x->storage->bytes() / 2);
}

TEST_F(CaptureTest, WritesAreAppliedOnceAfterTheRun) {
  Tensor state = value(1);
  Capture capture;
  capture.begin();
  {
    Tensor x = capture.values().add_input("x", {3}, DType::kFloat32, true);
    capture.rebind(state, run("test_add", state, x));
    capture.set_outputs({run("test_multiply", state, x)}, false);
  }
  const auto program = std::make_shared<Executable>(capture.finish());
  const uint32_t version = state->storage->version();
  EXPECT_EQ(program->run({value(2)})[0].data<float>()[0], 6.0f);
  EXPECT_EQ(state.data<float>()[0], 3.0f);
  EXPECT_EQ(state->storage->version(), version + 1);
  EXPECT_EQ(program->run({value(2)})[0].data<float>()[0], 10.0f);
}

TEST_F(CaptureTest, SavedFormRunsEqual) {
  Tensor w = value(4);
  Capture capture;
  capture.begin();
  {
    Tensor x = capture.values().add_input("x", {-1}, DType::kFloat32, true);
    capture.set_outputs({run("test_multiply", x, w)}, false);
  }
  const auto captured = capture.finish();
  const std::string prefix = ::testing::TempDir() + "capture_test_program";
  save_program(*captured, prefix, {"w_0"});
  const SavedProgram loaded = load_program(prefix + ".json", prefix + ".pdiparams");
  EXPECT_EQ(loaded.input_names, std::vector<std::string>{"x"});
  EXPECT_EQ(loaded.run({value(2)})[0].data<float>()[1], 8.0f);
}

TEST_F(CaptureTest, ValueRequestNamesTheRule) {
  Capture capture;
  EXPECT_THROW(capture.value_requested(value(1), "item()"), Error);
}

TEST_F(CaptureTest, TextRoundTrips) {
  const std::string text =
      "(%0) = \"pd_op.data\" () {name: \"x\", shape: ints<-1, 4>, dtype: dtype<float32>, "
      "place: place<0, 0>} : () -> (tensor<2x4xfloat32>)\n"
      "(%1) = \"pd_op.full\" () {value: scalar<1.5>, list: [1:i32, 2:i64, 0.5:f32, 1.0:f64]} "
      ": () -> (tensor<float32>)\n"
      "(%2) = \"builtin.combine\" (%0, %1, _) {} : (tensor<2x4xfloat32>, tensor<float32>, null) "
      "-> (vec<tensor<2x4xfloat32>, tensor<float32>, null>)\n";
  EXPECT_EQ(print(*parse(text)), text);
  EXPECT_THROW(parse("(%0) = \"a\" (%9) {} : () -> ()"), Error);
}

TEST_F(CaptureTest, DamagedFilesAreValueErrors) {
  for (const char* text : {"", "{", "[1,2", "{\"base_code\":{\"magic\":\"x\"}}", "nonsense"}) {
    EXPECT_THROW(program_from_json(text), Error) << text;
  }
  EXPECT_THROW(tensors_from_records("abc", 1), Error);
  const std::string good = tensors_to_records({value(1)});
  for (size_t n = 0; n < good.size(); ++n) {
    EXPECT_THROW(tensors_from_records(good.substr(0, n), 1), Error) << n;
  }
}

// The shape comes from a constant operand, so the declared type is not known to be wrong before.
TEST_F(CaptureTest, FoldingAllocatesNoMoreThanDeclared) {
  const auto program = parse(
      "(%0) = \"pd_op.full_int_array\" () {value: [1099511627776:i64], dtype: dtype<int64>, place: "
      "place<1, 0>} : () -> (tensor<1xint64>)\n"
      "(%1) = \"pd_op.full\" (%0) {value: scalar<1.0>, dtype: dtype<float32>, place: place<1, 0>} "
      ": (tensor<1xint64>) -> (tensor<2xfloat32>)\n");
  const Operation& full = *program->block().operations().back();
  const auto shape = [](const Value*) {
    Tensor t = Tensor::empty({Dim(1)}, DType::kInt64);
    t.data<int64_t>()[0] = int64_t{1} << 40;
    return TensorList{t};
  };
  try {
    evaluate(full, shape);
    ADD_FAILURE() << "a result of another size was computed";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kValue) << error.what();
  }
}

}  // namespace
}  // namespace paddle::pir
