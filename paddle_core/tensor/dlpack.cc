// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// DLPack export and import, with the checks of imported structs.
#include "paddle_core/tensor/dlpack.h"

#include <memory>

namespace paddle::dlpack {
namespace {

struct TypeRow {
  DType dtype;
  DataType type;
};
constexpr TypeRow kTypes[] = {
    {DType::kBool, {6, 8, 1}},        {DType::kUInt8, {1, 8, 1}},
    {DType::kInt8, {0, 8, 1}},        {DType::kInt16, {0, 16, 1}},
    {DType::kInt32, {0, 32, 1}},      {DType::kInt64, {0, 64, 1}},
    {DType::kFloat8E4M3, {10, 8, 1}}, {DType::kFloat8E5M2, {12, 8, 1}},
    {DType::kFloat16, {2, 16, 1}},    {DType::kBFloat16, {4, 16, 1}},
    {DType::kFloat32, {2, 32, 1}},    {DType::kFloat64, {2, 64, 1}},
    {DType::kComplex64, {5, 64, 1}},  {DType::kComplex128, {5, 128, 1}},
};

// What an exported struct keeps alive.
template <typename M>
struct Holder {
  M managed;
  Tensor tensor;
  SmallVector<int64_t, 5> shape, strides;
};

template <typename M>
M* make_export(const Tensor& tensor) {
  PADDLE_CHECK_RUNTIME(tensor.defined() && tensor.has_storage(),
                       "to_dlpack: x has no values; give a tensor that has memory.");
  auto holder = std::make_unique<Holder<M>>();
  holder->tensor = tensor;
  holder->shape = sizes_of(tensor.shape());
  holder->strides = tensor.strides();
  TensorView& view = holder->managed.tensor;
  view = {tensor.numel() == 0 ? nullptr : tensor.raw_data(),
          device_for(tensor.place()),
          static_cast<int32_t>(tensor.ndim()),
          type_of(tensor.dtype()),
          holder->shape.data(),
          holder->strides.data(),
          0};
  holder->managed.context = holder.get();
  holder->managed.deleter = [](M* m) { delete static_cast<Holder<M>*>(m->context); };
  return &holder.release()->managed;
}

Place place_of(Device device) {
  if (device.type == 1 || device.type == 3) return {};
  PADDLE_CHECK_VALUE((device.type == 2 || device.type == 13) && device.id >= 0 && device.id < 32768,
                     "from_dlpack: device has type ", device.type, " and id ", device.id,
                     "; only CPU and CUDA memory can be imported; move the tensor there first.");
  const Place place{DeviceKind::kGpu, 0, static_cast<int16_t>(device.id)};
  paddle::device_of(place);  // ValueError when there is none
  return place;
}

DType dtype_of(DataType type) {
  for (const TypeRow& row : kTypes) {
    if (row.type.code == type.code && row.type.bits == type.bits && row.type.lanes == type.lanes) {
      return row.dtype;
    }
  }
  throw_error(ErrorKind::kType,
              str("from_dlpack: dtype has code ", int{type.code}, ", bits ", int{type.bits},
                  " and lanes ", type.lanes, "; no element type is like that; cast the tensor."));
}

// Bytes before and after the first element that the view reaches.
struct Extent {
  int64_t low = 0, high = 0;
};

Extent extent_of(const Shape& shape, const Strides& strides, int64_t item) {
  Extent e{0, item};
  bool overflow = false;
  for (size_t i = 0; i < shape.size(); ++i) {
    int64_t reach = 0;
    overflow |= __builtin_mul_overflow(shape[i].value() - 1, strides[i], &reach);
    overflow |= __builtin_mul_overflow(reach, item, &reach);
    int64_t& side = reach < 0 ? e.low : e.high;
    overflow |= __builtin_add_overflow(side, reach, &side);
  }
  constexpr int64_t kLimit = int64_t{1} << 47;
  PADDLE_CHECK_VALUE(!overflow && e.high <= kLimit && e.low >= -kLimit, "from_dlpack: shape ",
                     shape,
                     " with its strides reaches beyond the address space; the struct is damaged.");
  return e;
}

// The view as a tensor over memory that `release` gives back; throws before it takes the memory.
Tensor import_view(const TensorView& view, std::function<void()> release) {
  PADDLE_CHECK_VALUE(view.ndim >= 0 && view.ndim <= kMaxRank, "from_dlpack: ndim has value ",
                     view.ndim, "; it must be from 0 to ", kMaxRank, '.');
  const auto rank = static_cast<size_t>(view.ndim);
  PADDLE_CHECK_VALUE(rank == 0 || view.shape != nullptr,
                     "from_dlpack: shape is null while ndim is ", view.ndim,
                     "; the struct is damaged.");
  const DType dtype = dtype_of(view.dtype);
  const Place place = place_of(view.device);
  const Shape shape = make_shape({view.shape, rank});
  const int64_t numel = numel_of(shape).value();
  const Strides strides = numel == 0 || view.strides == nullptr
                              ? contiguous_strides(shape)
                              : Strides(view.strides, view.strides + rank);
  const auto item = static_cast<int64_t>(size_of(dtype));
  if (numel == 0) {
    Tensor empty = Tensor::empty(shape, dtype, place);
    if (release) release();
    return empty;
  }
  const Extent e = extent_of(shape, strides, item);
  const auto address = reinterpret_cast<uintptr_t>(view.data) + view.byte_offset;
  PADDLE_CHECK_VALUE(view.data != nullptr && view.byte_offset < uint64_t{1} << 47,
                     "from_dlpack: data is null or byte_offset (", view.byte_offset,
                     ") is too large; the struct is damaged.");
  PADDLE_CHECK_VALUE(address % size_of(real_of(dtype)) == 0, "from_dlpack: data is not aligned to ",
                     size_of(real_of(dtype)), " bytes; copy the tensor first.");
  auto* low = reinterpret_cast<char*>(address) + e.low;
  auto impl = IntrusivePtr<TensorImpl>::adopt(TensorImpl::create());
  impl->dtype = dtype;
  impl->place = place;
  impl->shape = shape;
  impl->strides = strides;
  impl->numel = numel;
  impl->contiguous = is_contiguous(shape, strides);
  impl->offset = -e.low;
  impl->storage =
      Storage::wrap(low, static_cast<size_t>(e.high - e.low), place, std::move(release));
  return Tensor(std::move(impl));
}

template <typename M>
std::function<void()> releaser(M* managed) {
  return [managed] {
    if (managed->deleter != nullptr) managed->deleter(managed);
  };
}

}  // namespace

Device device_for(Place place) {
  if (place.kind == DeviceKind::kCpu) return {1, 0};
  PADDLE_CHECK_VALUE(place.kind == DeviceKind::kGpu, "to_dlpack: x is on ", place,
                     "; DLPack is supported for CPU and CUDA memory; move the tensor there first.");
  return {2, place.index};
}

DataType type_of(DType dtype) {
  for (const TypeRow& row : kTypes) {
    if (row.dtype == dtype) return row.type;
  }
  throw_error(ErrorKind::kType, "to_dlpack: dtype is undefined; give a tensor that has a dtype.");
}

Managed* to_dlpack(const Tensor& tensor) { return make_export<Managed>(tensor); }

ManagedVersioned* to_dlpack_versioned(const Tensor& tensor, uint64_t flags) {
  ManagedVersioned* managed = make_export<ManagedVersioned>(tensor);
  managed->version = {1, 0};
  managed->flags = flags;
  return managed;
}

Tensor from_dlpack(Managed* managed) {
  PADDLE_CHECK_VALUE(managed != nullptr, "from_dlpack: the capsule holds no tensor.");
  return import_view(managed->tensor, releaser(managed));
}

Tensor from_dlpack(ManagedVersioned* managed) {
  PADDLE_CHECK_VALUE(managed != nullptr, "from_dlpack: the capsule holds no tensor.");
  PADDLE_CHECK_VALUE(managed->version.major == 1, "from_dlpack: the struct has version ",
                     managed->version.major, '.', managed->version.minor,
                     "; only version 1 can be read; ask the producer for that.");
  if ((managed->flags & kReadOnly) == 0) return import_view(managed->tensor, releaser(managed));
  const Tensor view = import_view(managed->tensor, nullptr);
  const Tensor copy = Tensor::empty(view.shape(), view.dtype(), view.place());
  copy.copy_data_from(view);
  releaser(managed)();
  return copy;
}

}  // namespace paddle::dlpack
