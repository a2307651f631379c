// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Calls from C++: the place of a call and its errors, promotion, calls without a kernel, in-place
// calls, numbers given as tensors, capture sinks and layers, threads with modes of their own.
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>

#include "paddle_core/base/flags.h"
#include "paddle_core/device/context.h"
#include "paddle_core/dispatch/core_ops.h"
#include "paddle_core/op/args.h"
#include "paddle_core/op/infer.h"
#include "phi_kernels/ops/creation.h"
#include "phi_kernels/ops/elementwise.h"
#include "phi_kernels/ops/reduce.h"
#include "phi_kernels/ops/shape.h"
#include "tests/cpp/operators.h"

namespace paddle {
namespace {

using testing::raised_by;
using testing::values_of;
using testing::vector_of;
using Floats = std::vector<float>;

// -- a device of two, in host memory, whose stream does everything at once -----------------------

class DoneEvent final : public Event {
 public:
  bool query() const override { return true; }
  void synchronize() override {}
};

class PromptStream final : public Stream {
 public:
  EventPtr record() override { return EventPtr(new DoneEvent); }
  void wait(const Event&) override {}
  bool query() const override { return true; }
  void synchronize() override {}
};

class PromptAllocator final : public Allocator {
 public:
  void* allocate(size_t bytes, Stream*) override {
    return bytes ? std::aligned_alloc(64, (bytes + 63) / 64 * 64) : nullptr;
  }
  void free(void* data, size_t, Stream*) noexcept override { std::free(data); }
  MemoryStats stats() const override { return {}; }
  void reset_peak() override {}
  void release_cached() override {}
};

class PromptDevice final : public Device {
 public:
  explicit PromptDevice(Place place) : place_(place) { properties_.name = "prompt"; }
  Place place() const override { return place_; }
  const DeviceProperties& properties() const override { return properties_; }
  Allocator& allocator() override { return allocator_; }
  Stream& default_stream() override { return stream_; }
  Stream& new_stream(int) override { return stream_; }
  void copy(void* dst, const void* src, size_t bytes, Place, Place, Stream&) override {
    std::memmove(dst, src, bytes);
  }
  void memset(void* dst, int value, size_t bytes, Stream&) override {
    std::memset(dst, value, bytes);
  }
  void synchronize() override {}

 private:
  Place place_;
  DeviceProperties properties_;
  PromptAllocator allocator_;
  PromptStream stream_;
};

Place prompt(int16_t index = 0) {
  static const Place place =
      register_device_type({"prompt",
                            [](Place p) -> std::unique_ptr<Device> {
                              return p.index < 2 ? std::make_unique<PromptDevice>(p) : nullptr;
                            },
                            [] { return 2; }});
  Place p = place;
  p.index = index;
  return p;
}

Tensor there(const Floats& values, int16_t index = 0) {
  Tensor t = Tensor::empty({static_cast<int64_t>(values.size())}, DType::kFloat32, prompt(index));
  t.copy_data_from(vector_of(values));
  return t;
}

Tensor run(const char* name, const std::vector<Slot>& slots) {
  Outputs outs;
  call(Registry::global().at(name), slots.data(), outs);
  return outs[0];
}

class DispatchTest : public testing::WithOperators {};

// -- places --------------------------------------------------------------------------------------

TEST_F(DispatchTest, TensorsOfTwoDevicesAreNamedWithTheirPlaces) {
  const auto raised = raised_by([] { ops::add(there({1, 2}), there({3, 4}, 1)); });
  EXPECT_EQ(raised.kind, ErrorKind::kValue);
  for (const char* part : {"add: x is on Place(prompt:0)", "y with shape [2]", "Place(prompt:1)"}) {
    EXPECT_TRUE(raised.says(part)) << raised.message;
  }
  const auto host = raised_by([] { ops::add(vector_of({1, 2}), there({3, 4})); });
  EXPECT_TRUE(host.says("Place(cpu)") && host.says("Place(prompt:0)")) << host.message;
  const auto list = raised_by([] { ops::concat({there({1}), there({2}), there({3}, 1)}); });
  EXPECT_TRUE(list.says("x[2]") && list.says("x[0]")) << list.message;
}

TEST_F(DispatchTest, NumbersOfTheHostGoWithTensorsOfAnyDevice) {
  const Tensor number = Tensor::full({}, Scalar(10.0), DType::kFloat32);
  const Tensor sum = ops::add(there({1, 2}, 1), number);
  EXPECT_EQ(sum.place(), prompt(1));
  EXPECT_EQ(values_of(sum), (Floats{11, 12}));
  // A number of a device is no number of the host.
  const Tensor elsewhere = Tensor::full({}, Scalar(1.0), DType::kFloat32, prompt(0));
  EXPECT_THROW(ops::add(there({1, 2}, 1), elsewhere), Error);
}

TEST_F(DispatchTest, NewTensorsAreWhereTheThreadMakesThem) {
  EXPECT_TRUE(core_ops().full({2}, Scalar(1.0), DType::kFloat32).place().is_host());
  const PlaceScope outer(prompt(1));
  EXPECT_EQ(core_ops().full({2}, Scalar(1.0), DType::kFloat32).place(), prompt(1));
  {
    const PlaceScope inner{Place()};
    EXPECT_TRUE(core_ops().full({2}, Scalar(1.0), DType::kFloat32).place().is_host());
  }
  Place elsewhere;
  std::thread([&] { elsewhere = default_place(); }).join();
  EXPECT_TRUE(elsewhere.is_host());
  EXPECT_EQ(default_place(), prompt(1));
}

TEST_F(DispatchTest, OperatorsWithoutAKernelThereRunOnTheHostOrAreRefused) {
  const Tensor x = there({1, 4, 9});
  const Tensor root = run("sqrt", {Slot::of(x)});
  EXPECT_EQ(root.place(), prompt());
  EXPECT_EQ(values_of(root), (Floats{1, 2, 3}));
  set_flag("FLAGS_forbid_fallback", true);
  const auto raised = raised_by([&] { run("sqrt", {Slot::of(x)}); });
  set_flag("FLAGS_forbid_fallback", false);
  EXPECT_EQ(raised.kind, ErrorKind::kNotImplemented);
  EXPECT_TRUE(raised.says("sqrt") && raised.says("Place(prompt:0)")) << raised.message;
}

TEST_F(DispatchTest, GradientsAreWhereTheirTensorsAre) {
  const Tensor x = there({1, 2, 3}, 1);
  autograd::set_stop_gradient(x, false);
  autograd::backward({ops::sum(ops::multiply(x, x))}, {}, false);
  EXPECT_EQ(autograd::grad_of(x).place(), prompt(1));
  EXPECT_EQ(testing::grad_values(x), (Floats{2, 4, 6}));
}

// -- dtypes and shapes ---------------------------------------------------------------------------

TEST_F(DispatchTest, DtypesArePromotedAsTheTableSays) {
  const Tensor ints = Tensor::full({2}, Scalar(3), DType::kInt32);
  const Tensor halves = Tensor::full({2}, Scalar(0.5), DType::kFloat64);
  const Tensor sum = ops::add(ints, halves);
  EXPECT_EQ(sum.dtype(), DType::kFloat64);
  EXPECT_EQ(sum.data<double>()[1], 3.5);
}

TEST_F(DispatchTest, ShapesThatDoNotBroadcastAreNamed) {
  const auto raised = raised_by([] { ops::add(vector_of({1, 2}), vector_of({1, 2, 3})); });
  EXPECT_EQ(raised.kind, ErrorKind::kValue);
  EXPECT_TRUE(raised.says("add") && raised.says("[2]") && raised.says("[3]")) << raised.message;
}

TEST_F(DispatchTest, ADtypeWithoutAKernelIsRefused) {
  Registry& r = Registry::global();
  if (!r.find("dispatch_only_float")) {
    r.op("dispatch_only_float")
        .schema("dispatch_only_float(Tensor x) -> (Tensor out)")
        .primitive("test")
        .infer(infer::same_as_x);
    r.kernel("dispatch_only_float", DeviceKind::kCpu, {DType::kFloat32}, [](KernelContext& c) {
      std::memcpy(c.out_data<float>(0), c.in_data<float>(0), sizeof(float));
    });
  }
  const auto raised = raised_by([] {
    const Tensor x = Tensor::full({1}, Scalar(1), DType::kInt64);
    run("dispatch_only_float", {Slot::of(x)});
  });
  EXPECT_EQ(raised.kind, ErrorKind::kNotImplemented);
  EXPECT_TRUE(raised.says("dispatch_only_float") && raised.says("int64")) << raised.message;
}

TEST_F(DispatchTest, NumbersMayBeTensors) {
  const Tensor x = vector_of({1, 2, 3, 4});
  const OpDef& op = Registry::global().at("reshape");
  const Tensor two = Tensor::full({2}, Scalar(2), DType::kInt32);
  const Slot args[] = {Slot::of(x), Slot::of(two)};
  Outputs outs;
  call(op, args, outs);
  EXPECT_EQ(outs[0].shape(), (Shape{2, 2}));
  const Tensor wrong = Tensor::full({2}, Scalar(2.0), DType::kFloat32);
  const Slot bad[] = {Slot::of(x), Slot::of(wrong)};
  const auto raised = raised_by([&] { call(op, bad, outs); });
  EXPECT_EQ(raised.kind, ErrorKind::kType);
  EXPECT_TRUE(raised.says("shape") && raised.says("float32")) << raised.message;
}

TEST_F(DispatchTest, InferenceOfShapesAllocatesNothing) {
  const OpDef& op = Registry::global().at("add");
  const Tensor x = Tensor::meta({4, 1}, DType::kFloat32), y = Tensor::meta({3}, DType::kFloat32);
  const Slot args[] = {Slot::of(x), Slot::of(x)};
  Outputs outs;
  infer_meta(op, args, outs);
  EXPECT_EQ(outs[0].shape(), (Shape{4, 1}));
  EXPECT_FALSE(outs[0].has_storage());
  const Slot mixed[] = {Slot::of(x), Slot::of(y)};
  infer_meta(op, mixed, outs);
  EXPECT_EQ(outs[0].shape(), (Shape{4, 3}));
}

// -- in place ------------------------------------------------------------------------------------

Tensor add_in_place(const Tensor& x, const Tensor& y) {
  const Slot args[] = {Slot::of(x), Slot::of(y)};
  return call_inplace(Registry::global().at("add"), args);
}

TEST_F(DispatchTest, InPlaceCallsKeepTensorMemoryAndDtype) {
  const Tensor x = vector_of({1, 2});
  const void* memory = x.raw_data();
  const uint32_t version = x->storage->inplace_version();
  EXPECT_TRUE(add_in_place(x, vector_of({10, 20})).same_impl(x));
  EXPECT_EQ(x.raw_data(), memory);
  EXPECT_EQ(x->storage->inplace_version(), version + 1);
  EXPECT_EQ(values_of(x), (Floats{11, 22}));
  // x += x, where the target is an operand twice.
  add_in_place(x, x);
  EXPECT_EQ(values_of(x), (Floats{22, 44}));
}

TEST_F(DispatchTest, AnOperandThatOverlapsTheTargetIsReadBeforeItIsWritten) {
  const Tensor whole = vector_of({1, 2, 3, 4});
  const Tensor low = ops::slice(whole, {0}, {0}, {3}), high = ops::slice(whole, {0}, {1}, {4});
  add_in_place(high, low);
  EXPECT_EQ(values_of(whole), (Floats{1, 3, 5, 7}));
}

TEST_F(DispatchTest, AResultThatDoesNotFitIsRefusedAndNothingWritten) {
  const Tensor x = vector_of({1});
  const auto raised = raised_by([&] { add_in_place(x, vector_of({1, 2, 3})); });
  EXPECT_EQ(raised.kind, ErrorKind::kValue);
  EXPECT_TRUE(raised.says("add_") && raised.says("[3]") && raised.says("[1]")) << raised.message;
  EXPECT_EQ(values_of(x), (Floats{1}));
}

TEST_F(DispatchTest, ARebindingTakesShapeAndMemoryAndCountsAsAWrite) {
  const Tensor x = vector_of({1, 2, 3, 4});
  const uint32_t writes = x->storage->inplace_version();
  rebind_inplace(x, core_ops().full({2, 2}, Scalar(5.0), DType::kFloat32), "test");
  EXPECT_EQ(x.shape(), (Shape{2, 2}));
  EXPECT_EQ(values_of(x), (Floats{5, 5, 5, 5}));
  EXPECT_GT(x->storage->inplace_version(), writes);
}

TEST_F(DispatchTest, ADonatedOperandGivesItsMemory) {
  const Tensor x = vector_of({1, 2}), y = vector_of({3, 4});
  const Slot args[] = {Slot::of(x), Slot::of(y)};
  Outputs outs;
  execute(Registry::global().at("add"), args, outs);
  EXPECT_FALSE(outs[0].shares_storage(x) || outs[0].shares_storage(y));
  outs.clear();
  execute(Registry::global().at("add"), args, outs, 1u << 1);
  EXPECT_TRUE(outs[0].shares_storage(y));
  EXPECT_EQ(values_of(outs[0]), (Floats{4, 6}));
}

// -- layers and sinks ----------------------------------------------------------------------------

class Notes final : public CaptureSink {
 public:
  void record(const OpDef& op, const Slot* args, Outputs& outs) override {
    names.emplace_back(op.name());
    infer_meta(op, args, outs);
  }
  void rebind(const Tensor&, const Tensor&) override { names.emplace_back("rebind"); }
  void set_grad(const Tensor&, const Tensor&) override { names.emplace_back("set_grad"); }
  [[noreturn]] void value_requested(const Tensor&, const char* what) override {
    throw_error(ErrorKind::kRuntime, str("asked by ", what));
  }
  std::vector<std::string> names;
};

class Sunk {
 public:
  explicit Sunk(CaptureSink& sink) { set_capture_sink(&sink); }
  ~Sunk() { set_capture_sink(nullptr); }
  Sunk(const Sunk&) = delete;
  Sunk& operator=(const Sunk&) = delete;
};

TEST_F(DispatchTest, ASinkSeesTheCallsOfItsThreadAlone) {
  Notes notes;
  const Tensor x = vector_of({1, 2});
  Tensor elsewhere;
  {
    const Sunk sunk(notes);
    EXPECT_EQ(capture_sink(), &notes);
    EXPECT_FALSE(ops::add(x, x).has_storage());
    std::thread([&] {
      EXPECT_EQ(capture_sink(), nullptr);
      elsewhere = ops::multiply(x, x);
    }).join();
    add_in_place(x, x);
  }
  EXPECT_EQ(notes.names, (std::vector<std::string>{"add", "add", "rebind"}));
  EXPECT_EQ(values_of(elsewhere), (Floats{1, 4}));
  EXPECT_EQ(values_of(x), (Floats{1, 2}));
  EXPECT_TRUE(ops::add(x, x).has_storage());
}

TEST_F(DispatchTest, AGuardEndsWithItsScopeAlsoWhenTheCallRaises) {
  const uint32_t allowed = thread_modes.allowed;
  EXPECT_THROW(
      {
        const ModeGuard guard(kModeAutograd);
        EXPECT_FALSE(grad_enabled());
        ops::add(vector_of({1, 2}), vector_of({1, 2, 3}));
      },
      Error);
  EXPECT_EQ(thread_modes.allowed, allowed);
  const ModeGuard guard(kModeAutograd);
  bool elsewhere = false;
  std::thread([&] { elsewhere = grad_enabled(); }).join();
  EXPECT_TRUE(elsewhere);
}

// -- threads -------------------------------------------------------------------------------------

TEST_F(DispatchTest, ThreadsCallOnSharedOperandsAtOnce) {
  constexpr int kThreads = 4, kRounds = 300;
  // Long enough to be cut into ranges.
  const Tensor x = core_ops().full({1 << 16}, Scalar(2.0), DType::kFloat32);
  const Tensor there_too = there({1, 2, 3});
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int round = 0; round < kRounds; ++round) {
        const Tensor y = ops::add(ops::multiply(x, x), x);
        const float* at = y.data<float>();
        wrong += at[0] != 6 || at[(1 << 16) - 1] != 6;
        wrong += values_of(ops::add(there_too, there_too)) != Floats{2, 4, 6};
        wrong += raised_by([&] { ops::add(x, there_too); }).kind != ErrorKind::kValue;
        if (t == 0) set_flag("FLAGS_forbid_fallback", false);
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong.load(), 0);
}

}  // namespace
}  // namespace paddle
