// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of tensors, their storage and DLPack exchange.
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "paddle_core/base/flags.h"
#include "paddle_core/tensor/dlpack.h"
#include "paddle_core/tensor/prepared_bytes.h"

namespace paddle {
namespace {

TEST(Tensor, EmptyHasContiguousLayout) {
  const Tensor t = Tensor::empty({2, 3}, DType::kFloat32);
  EXPECT_EQ(t.strides(), (Strides{3, 1}));
  EXPECT_EQ(t.numel(), 6);
  EXPECT_EQ(t->storage->bytes(), 24u);
  EXPECT_EQ(Tensor::empty({0, 5}, DType::kInt64).numel(), 0);
  EXPECT_EQ(Tensor::empty({}, DType::kBool).numel(), 1);
  EXPECT_THROW(Tensor::empty({int64_t{1} << 50}, DType::kInt64), Error);
  EXPECT_THROW(Tensor::empty({-1}, DType::kInt64), Error);
}

TEST(Tensor, FullAndItemAgreeForEveryDtype) {
  for (int i = 1; i < kNumDTypes; ++i) {
    const auto t = static_cast<DType>(i);
    const Tensor x = Tensor::full({1}, 1, t);
    EXPECT_EQ(x.item().to_double(), 1.0) << t;
  }
  EXPECT_EQ(Tensor::full({}, std::nan(""), DType::kInt32).item().to_int(), 0);
  EXPECT_EQ(Tensor::full({}, 300, DType::kUInt8).item().to_int(), 44);
  EXPECT_EQ(Tensor::full({}, std::complex<double>(1, 2), DType::kComplex64).item().to_complex(),
            std::complex<double>(1, 2));
  EXPECT_THROW(Tensor::full({2}, 1, DType::kInt32).item(), Error);
}

TEST(Tensor, MetaTensorsHaveNoValues) {
  const Tensor t = Tensor::meta({2}, DType::kFloat32);
  EXPECT_FALSE(t.has_storage());
  EXPECT_THROW(Tensor::meta({}, DType::kFloat32).item(), Error);
}

TEST(Tensor, CopiesRaiseTheVersionAndCheckShapes) {
  const Tensor a = Tensor::full({3}, 2, DType::kInt32), b = Tensor::empty({3}, DType::kInt32);
  b.copy_data_from(a);
  EXPECT_EQ(b.data<int32_t>()[2], 2);
  EXPECT_EQ(b->storage->version(), 1u);
  EXPECT_THROW(b.copy_data_from(Tensor::full({2}, 2, DType::kInt32)), Error);
}

TEST(Tensor, DetachSharesMemory) {
  const Tensor a = Tensor::full({3}, 2, DType::kInt32);
  a->stop_gradient = false;
  const Tensor b = a.detach();
  EXPECT_TRUE(b.shares_storage(a));
  EXPECT_FALSE(b.same_impl(a));
  EXPECT_TRUE(b->stop_gradient);
}

int g_released = 0;

TEST(Tensor, AnImplWithAPythonObjectGoesToTheHook) {
  set_py_object_release([](TensorImpl* impl) {
    ++g_released;
    impl->py_object = nullptr;
    TensorImpl::destroy(impl);
  });
  {
    const Tensor t = Tensor::full({}, 1, DType::kInt32);
    t->py_object = &g_released;
  }
  EXPECT_EQ(g_released, 1);
  set_py_object_release(nullptr);
}

TEST(Tensor, TensorsMayDieOnOtherThreads) {
  for (int round = 0; round < 10; ++round) {
    std::vector<Tensor> tensors;
    for (int i = 0; i < 3000; ++i) tensors.push_back(Tensor::full({2}, i, DType::kInt32));
    std::thread([mine = std::move(tensors)]() mutable { mine.clear(); }).join();
  }
  EXPECT_EQ(Tensor::full({}, 5, DType::kInt32).item().to_int(), 5);
}

TEST(Storage, ForeignMemoryIsReleasedOnce) {
  int released = 0;
  char memory[8];
  {
    const StoragePtr a = Storage::wrap(memory, 8, Place(), [&] { ++released; });
    const StoragePtr b = a;
    EXPECT_EQ(b->data(), memory);
  }
  EXPECT_EQ(released, 1);
}

TEST(Dlpack, RoundTripSharesMemory) {
  Tensor back;
  {
    const Tensor t = Tensor::full({2, 3}, 1.5, DType::kFloat32);
    back = dlpack::from_dlpack(dlpack::to_dlpack(t));
    EXPECT_EQ(back.raw_data(), t.raw_data());
  }
  EXPECT_EQ(back.shape(), (Shape{2, 3}));
  EXPECT_EQ(back.data<float>()[5], 1.5f);
  const Tensor again = dlpack::from_dlpack(dlpack::to_dlpack_versioned(back, dlpack::kReadOnly));
  EXPECT_NE(again.raw_data(), back.raw_data());
  EXPECT_EQ(again.data<float>()[5], 1.5f);
}

TEST(Dlpack, NegativeStridesAndOffsetsAreUnderstood) {
  float data[4] = {0, 1, 2, 3};
  int64_t shape[] = {3}, strides[] = {-1};
  dlpack::Managed m{{data, {1, 0}, 1, {2, 32, 1}, shape, strides, 12}, nullptr, nullptr};
  const Tensor t = dlpack::from_dlpack(&m);
  EXPECT_EQ(t.data<float>()[0], 3.0f);
  EXPECT_EQ(t->storage->data(), data + 1);
  EXPECT_EQ(t->storage->bytes(), 12u);
  EXPECT_FALSE(t.is_contiguous());
}

TEST(Dlpack, DamagedStructsAreRefused) {
  float data[4] = {};
  int64_t shape[] = {2, 2}, huge[] = {int64_t{1} << 50, 4}, negative[] = {-1, 2};
  int64_t wild[] = {INT64_MAX, INT64_MAX};
  const dlpack::TensorView good{data, {1, 0}, 2, {2, 32, 1}, shape, nullptr, 0};
  const auto refused = [&](auto change) {
    dlpack::Managed m{good, nullptr, nullptr};
    change(m.tensor);
    EXPECT_THROW(dlpack::from_dlpack(&m), Error);
  };
  refused([](auto& v) { v.ndim = -1; });
  refused([](auto& v) { v.ndim = 1000; });
  refused([](auto& v) { v.shape = nullptr; });
  refused([](auto& v) { v.data = nullptr; });
  refused([](auto& v) { v.dtype = {2, 31, 1}; });
  refused([](auto& v) { v.dtype.lanes = 4; });
  refused([](auto& v) { v.device.type = 99; });
  refused([](auto& v) { v.byte_offset = 1; });
  refused([](auto& v) { v.byte_offset = UINT64_MAX - 3; });
  refused([&](auto& v) { v.shape = negative; });
  refused([&](auto& v) { v.shape = huge; });
  refused([&](auto& v) { v.strides = wild; });
}

struct Kept : DerivedData {
  explicit Kept(int v) : value(v) { ++alive; }
  ~Kept() override { --alive; }
  int value;
  static inline int alive = 0;
};
struct First final : Kept {
  using Kept::Kept;
};
struct Second final : Kept {
  using Kept::Kept;
};

TEST(Storage, EachTypeOfDerivedDataHasASlotOfItsOwn) {
  {
    const Tensor t = Tensor::empty({Dim(4)}, DType::kFloat32);
    EXPECT_EQ(t->storage->derived<First>(), nullptr);
    t->storage->set_derived(std::make_unique<First>(1));
    EXPECT_EQ(t->storage->derived<Second>(), nullptr);
    t->storage->set_derived(std::make_unique<Second>(2));
    EXPECT_EQ(t->storage->derived<First>()->value, 1);
    EXPECT_EQ(t->storage->derived<Second>()->value, 2);
    t->storage->set_derived(std::make_unique<First>(3));
    EXPECT_EQ(t->storage->derived<First>()->value, 3);
    EXPECT_EQ(t->storage->derived<Second>()->value, 2);
    EXPECT_EQ(Kept::alive, 2);
    t->storage->set_derived(std::unique_ptr<Second>());
    EXPECT_EQ(t->storage->derived<Second>(), nullptr);
    EXPECT_EQ(Kept::alive, 1);
  }
  EXPECT_EQ(Kept::alive, 0);
}

TEST(PreparedBytes, AreBoundedByTheFlag) {
  const FlagValue before = get_flag("FLAGS_prepared_weight_bytes");
  const int64_t kept = PreparedBytes::kept();
  set_flag("FLAGS_prepared_weight_bytes", kept + 100);
  EXPECT_TRUE(PreparedBytes::reserve(60));
  EXPECT_FALSE(PreparedBytes::has_room(60));
  EXPECT_FALSE(PreparedBytes::reserve(60));
  EXPECT_TRUE(PreparedBytes::reserve(40));
  EXPECT_EQ(PreparedBytes::kept(), kept + 100);
  PreparedBytes::release(100);
  EXPECT_EQ(PreparedBytes::kept(), kept);
  set_flag("FLAGS_prepared_weight_bytes", before);
}

}  // namespace
}  // namespace paddle
