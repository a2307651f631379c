// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Tensor objects: creation, layout, copies and single elements. TensorImpl objects come from
// per-thread pools.
#include "paddle_core/tensor/tensor.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <mutex>

#include "paddle_core/base/flags.h"
#include "paddle_core/base/log.h"
#include "paddle_core/device/context.h"
#include "paddle_core/tensor/host_copies.h"
#include "paddle_core/tensor/missing.h"
#include "paddle_core/tensor/object_pool.h"
#include "paddle_core/tensor/sharded_part.h"

namespace paddle {
namespace {

__thread PoolState t_impls __attribute__((tls_model("initial-exec")));
PoolState& impls() { return t_impls; }
using ImplPool = ObjectPool<TensorImpl, &impls>;

std::atomic<PyObjectReleaseFn> g_py_object_release{nullptr};
// By device_type_of.
std::array<std::atomic<StridedCopyFn>, 256> g_strided_copy{};
std::atomic<MissingValuesFn> g_missing_values{nullptr};
std::atomic<DetachedFn> g_detached{nullptr}, g_detached_in_capture{nullptr};

}  // namespace

void set_py_object_release(PyObjectReleaseFn fn) { g_py_object_release = fn; }
void set_strided_copy(StridedCopyFn fn) { set_strided_copy(Place(), fn); }
void set_strided_copy(Place device_type, StridedCopyFn fn) {
  g_strided_copy[static_cast<size_t>(device_type_of(device_type))] = fn;
}
void set_missing_values(MissingValuesFn fn) { g_missing_values = fn; }
void set_detached(DetachedFn fn) { g_detached = fn; }
void set_detached_in_capture(DetachedFn fn) { g_detached_in_capture = fn; }

void require_values(const Tensor& t, const char* what) {
  if (t.has_storage()) return;
  if (t->sharded) refuse_sharded(*t.impl(), what);
  if (const MissingValuesFn fn = g_missing_values.load(std::memory_order_acquire)) fn(t, what);
}

TensorImpl::~TensorImpl() {
  delete name;
  delete sharded;
}

TensorImpl* TensorImpl::create() { return new (ImplPool::get()) TensorImpl; }

void TensorImpl::destroy(TensorImpl* t) {
  if (t->py_object != nullptr) {
    if (const PyObjectReleaseFn fn = g_py_object_release.load(std::memory_order_acquire)) {
      return fn(t);
    }
  }
  t->~TensorImpl();
  ImplPool::put(t);
}

namespace {

// Guards the order of all tensors with kModeLayout while it is read or changed.
std::mutex g_layout_mutex;

Tensor plain_handle(const TensorImpl& t) {
  auto impl = IntrusivePtr<TensorImpl>::adopt(TensorImpl::create());
  impl->storage = t.storage;
  impl->offset = t.offset;
  impl->dtype = t.dtype;
  impl->place = t.place;
  impl->contiguous = t.contiguous;
  impl->numel = t.numel;
  impl->shape = t.shape;
  impl->strides = t.strides;
  return Tensor(std::move(impl));
}

}  // namespace

void TensorImpl::to_logical_order() const {
  const std::lock_guard lock(g_layout_mutex);
  if (!(keys & kModeLayout)) return;
  const Tensor dense = Tensor::empty(shape, dtype, place);
  dense.copy_data_from(plain_handle(*this));
  auto* self = const_cast<TensorImpl*>(this);
  self->storage = dense->storage;
  self->offset = dense->offset;
  self->strides = dense->strides;
  self->contiguous = true;
  std::atomic_ref(self->keys).fetch_and(~uint32_t{kModeLayout}, std::memory_order_release);
}

void TensorImpl::to_plain_memory(const char* what) const {
  if (sharded) refuse_sharded(*this, what);
  to_logical_order();
}

bool Tensor::shares_storage(const Tensor& other) const {
  if (!impl_->sharded || !other.impl_->sharded) return impl_->storage == other.impl_->storage;
  const Tensor &mine = local_part(*this), &others = local_part(other);
  return mine.defined() && others.defined() && mine.shares_storage(others);
}

Tensor Tensor::share_values() const {
  if (impl_->sharded) return share_parts(*this);
  if (impl_->shared_keys() & kModeLayout) {
    const std::lock_guard lock(g_layout_mutex);
    Tensor out = plain_handle(*impl_);
    out->keys = impl_->keys & kModeLayout;
    return out;
  }
  return alias(*this, shape(), strides(), 0);
}

Tensor Tensor::channels_last_view() const {
  const std::lock_guard lock(g_layout_mutex);
  if (!(impl_->keys & kModeLayout)) return Tensor();
  Tensor out = plain_handle(*impl_);
  std::rotate(out->shape.begin() + 1, out->shape.begin() + 2, out->shape.end());
  std::rotate(out->strides.begin() + 1, out->strides.begin() + 2, out->strides.end());
  out->contiguous = paddle::is_contiguous(out->shape, out->strides);
  return out;
}

void TensorImpl::set_contiguous_layout() {
  contiguous = true;
  const size_t rank = shape.size();
  strides.resize(rank);
  int64_t count = 1;
  bool regular = true;  // static, not empty, no overflow
  for (size_t i = rank; i-- > 0;) {
    const Dim d = shape[i];
    strides[i] = count;
    if (d.is_symbolic()) {
      strides.clear();
      numel = -1;
      return;
    }
    regular &= d.value() > 0 && !__builtin_mul_overflow(count, d.value(), &count);
  }
  if (regular && count <= int64_t{1} << 58) [[likely]] {
    numel = count;
    return;
  }
  for (const Dim d : shape) {
    PADDLE_CHECK_VALUE(d.value() >= 0, "shape: shape has value ", shape,
                       "; extents are not negative.");
  }
  numel = numel_of(shape).value();
  strides = contiguous_strides(shape);
}

namespace {

IntrusivePtr<TensorImpl> new_impl(const Shape& shape, DType dtype, Place place) {
  auto impl = IntrusivePtr<TensorImpl>::adopt(TensorImpl::create());
  impl->dtype = dtype;
  impl->place = place;
  impl->shape = shape;
  impl->set_contiguous_layout();
  return impl;
}

[[gnu::cold]] void check_storage(const Tensor& t, const char* op) {
  PADDLE_CHECK_RUNTIME(t.defined(), op, ": x is an undefined tensor; give one that has a value.");
  require_values(t, op);
  PADDLE_CHECK_RUNTIME(t.has_storage(), op, ": x has shape ", t.shape(),
                       " and no values (it stands for a tensor while a program is captured); read "
                       "values outside of captured code.");
}

// Of a number as C's x86 code converts it, without undefined behaviour: what does not fit wraps,
// NaN and what is beyond 64 bits gives the smallest integer.
int64_t wrapping_int(const Scalar& s) {
  if (s.is_integral()) return s.to_int();
  const double v = s.to_double();
  return v >= -0x1p63 && v < 0x1p63 ? static_cast<int64_t>(v) : INT64_MIN;
}

template <typename T>
T element_of(const Scalar& s) {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    return static_cast<T>(static_cast<uint64_t>(wrapping_int(s)));
  } else {
    return s.to<T>();
  }
}

void fill(void* data, int64_t n, const Scalar& value, DType dtype) {
  switch (dtype) {
#define PADDLE_FILL(T, name)                                     \
  case DType::name:                                              \
    std::fill_n(static_cast<T*>(data), n, element_of<T>(value)); \
    return;
    PADDLE_FOR_ALL_DTYPES(PADDLE_FILL)
#undef PADDLE_FILL
    case DType::kUndefined:
      break;
  }
}

template <typename T>
Scalar scalar_of(const void* data) {
  T v;
  std::memcpy(&v, data, sizeof v);
  if constexpr (std::is_same_v<T, bool>) {
    return v;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<int64_t>(v);
  } else if constexpr (std::is_same_v<T, std::complex<float>> ||
                       std::is_same_v<T, std::complex<double>>) {
    return std::complex<double>(v);
  } else {
    return static_cast<double>(v);
  }
}

void device_copy(const Tensor& dst, const Tensor& src, size_t bytes) {
  // The side that is not the host knows how to reach the other.
  const Place place = dst.place().is_host() ? src.place() : dst.place();
  Stream& stream = current_stream(place);
  for (const Tensor* t : {&dst, &src}) {
    if (!t->place().is_host()) (*t)->storage->record_stream(stream);
  }
  // What is pending on the source's stream comes first.
  const bool two_devices = !src.place().is_host() && !(src.place() == place);
  if (two_devices) stream.wait(*current_stream(src.place()).record());
  device_of(place).copy(dst.raw_data(), src.raw_data(), bytes, dst.place(), src.place(), stream);
  if (dst.place().is_host()) {
    synchronize_for_host(place);
  } else if (src.place().is_host()) {
    stream.synchronize();  // the caller may change the host memory when this returns
  } else if (two_devices) {
    current_stream(src.place()).wait(*stream.record());  // the source may be reused there
  }
}

void copy_values(const Tensor& dst, const Tensor& src);

void copy_across(const Tensor& dst, const Tensor& src) {
  const bool plain = dst.is_contiguous() && src.is_contiguous() && dst.dtype() == src.dtype();
  if (plain) {
    return device_copy(dst, src, static_cast<size_t>(src.numel()) * size_of(src.dtype()));
  }
  // Casts and strides are done on the side where `src` is, then contiguous memory travels, then
  // strides are applied where `dst` is.
  if (!src.is_contiguous() || dst.dtype() != src.dtype()) {
    const Tensor staged = Tensor::empty(src.shape(), dst.dtype(), src.place());
    copy_values(staged, src);
    return copy_across(dst, staged);
  }
  const Tensor arrived = Tensor::empty(src.shape(), dst.dtype(), dst.place());
  copy_across(arrived, src);
  copy_values(dst, arrived);
}

// The whole storage of `t`, as a tensor with the same strides on the host.
Tensor host_mirror(const Tensor& t) {
  const auto bytes = static_cast<int64_t>(t->storage->bytes());
  const Tensor raw = Tensor::alias(t, {Dim(bytes)}, {1}, -t->offset);
  raw->dtype = DType::kUInt8;
  const Tensor host = Tensor::empty({Dim(bytes)}, DType::kUInt8);
  device_copy(host, raw, t->storage->bytes());
  Tensor mirror = Tensor::alias(host, t.shape(), t.strides(), t->offset);
  mirror->dtype = t.dtype();
  return mirror;
}

void copy_through_host(const Tensor& dst, const Tensor& src) {
  static const std::atomic<bool>* const forbidden = bool_flag("FLAGS_forbid_fallback");
  PADDLE_CHECK_RUNTIME(!forbidden->load(), "copy: ", dst.place(),
                       " has no strided copy, and FLAGS_forbid_fallback forbids that of the host.");
  warn_once(str("strided copy/", dst.place()),
            str("copy: ", dst.place(),
                " has no strided copy; the host copies strided memory and casts, which is slow."));
  note_host_copy();
  const Tensor source = host_mirror(src);
  if (dst.is_contiguous()) {
    const Tensor dense = Tensor::empty(dst.shape(), dst.dtype());
    copy_values(dense, source);
    return device_copy(dst, dense, static_cast<size_t>(dst.numel()) * size_of(dst.dtype()));
  }
  const Tensor target = host_mirror(dst);
  copy_values(target, source);
  const Tensor raw = Tensor::alias(dst, target.shape(), target.strides(), -dst->offset);
  const Tensor host = Tensor::alias(target, target.shape(), target.strides(), -target->offset);
  device_copy(raw, host, dst->storage->bytes());
}

void copy_values(const Tensor& dst, const Tensor& src) {
  if (src.numel() == 0) return;
  if (!(dst.place() == src.place())) return copy_across(dst, src);
  if (dst.is_contiguous() && src.is_contiguous() && dst.dtype() == src.dtype()) {
    const size_t bytes = static_cast<size_t>(src.numel()) * size_of(src.dtype());
    if (!dst.place().is_host()) return device_copy(dst, src, bytes);
    std::memmove(dst.raw_data(), src.raw_data(), bytes);
    return;
  }
  const auto type = static_cast<size_t>(device_type_of(dst.place()));
  const StridedCopyFn fn = g_strided_copy[type].load(std::memory_order_acquire);
  if (fn == nullptr && !dst.place().is_host()) return copy_through_host(dst, src);
  PADDLE_CHECK_RUNTIME(fn != nullptr,
                       "copy: x is strided or of another dtype; no kernel for such copies is "
                       "loaded; load the CPU kernels.");
  fn(dst, src);
}

}  // namespace

Tensor Tensor::empty(const Shape& shape, DType dtype, Place place) {
  PADDLE_CHECK_TYPE(dtype != DType::kUndefined, "empty: dtype is undefined; give an element type.");
  auto impl = new_impl(shape, dtype, place);
  PADDLE_CHECK_RUNTIME(impl->numel >= 0, "empty: shape has value ", shape,
                       "; memory needs integer extents; give the dimension a fixed size.");
  size_t bytes;
  if (__builtin_mul_overflow(static_cast<size_t>(impl->numel), size_of(dtype), &bytes)) {
    bytes = SIZE_MAX;  // the allocator refuses it
  }
  impl->storage = Storage::allocate(bytes, place);
  return Tensor(std::move(impl));
}

Tensor Tensor::meta(const Shape& shape, DType dtype, Place place) {
  auto impl = new_impl(shape, dtype, place);
  impl->strides.clear();
  return Tensor(std::move(impl));
}

Tensor Tensor::full(const Shape& shape, const Scalar& value, DType dtype, Place place) {
  const Tensor host = empty(shape, dtype, Place());
  fill(host.raw_data(), host.numel(), value, dtype);
  if (place.is_host()) return host;
  const Tensor out = empty(shape, dtype, place);
  copy_values(out, host);
  return out;
}

Tensor Tensor::alias(const Tensor& base, const Shape& shape, const Strides& strides,
                     int64_t offset_bytes) {
  base->ensure_logical_order();
  auto impl = IntrusivePtr<TensorImpl>::adopt(TensorImpl::create());
  impl->storage = base->storage;
  impl->offset = base->offset + offset_bytes;
  impl->dtype = base->dtype;
  impl->place = base->place;
  impl->shape = shape;
  impl->strides = strides;
  if (is_static(shape)) {
    PADDLE_ASSERT(strides.size() == shape.size() || !impl->storage);
    impl->numel = numel_of(shape).value();
    impl->contiguous = strides.size() != shape.size() || paddle::is_contiguous(shape, strides);
  } else {
    impl->numel = -1;
  }
  return Tensor(std::move(impl));
}

Tensor Tensor::contiguous_copy_if_needed() const {
  if (is_contiguous()) return *this;
  check_storage(*this, "contiguous");
  const Tensor out = empty(shape(), dtype(), place());
  copy_values(out, *this);
  return out;
}

Tensor Tensor::detach() const {
  PADDLE_CHECK_RUNTIME(defined(), "detach: x is an undefined tensor; give one that has a value.");
  if (impl_->sharded) return share_parts(*this);
  Tensor out = alias(*this, shape(), strides(), 0);
  out->contiguous = impl_->contiguous;
  out->keys = impl_->keys & ~uint32_t{kModeAutograd};
  out->capture = impl_->capture;
  if (out->capture.program != 0) {
    for (const auto* hook : {&g_detached, &g_detached_in_capture}) {
      if (const DetachedFn fn = hook->load(std::memory_order_acquire)) fn(out, *this);
    }
  }
  return out;
}

namespace {

// The parts of two distributed tensors that lie alike.
std::pair<Tensor, Tensor> parts_of(const Tensor& target, const Tensor& source) {
  PADDLE_CHECK_VALUE(
      target.shape() == source.shape() && dist_attr_of(target) == dist_attr_of(source),
      "copy_: x has shape ", target.shape(), " and the source ", source.shape(),
      "; both must be equal and placed alike.");
  return {local_part(target), local_part(source)};
}

}  // namespace

void Tensor::overwrite_from(const Tensor& source) const {
  if (defined() && impl_->sharded) {
    const auto [mine, others] = parts_of(*this, source);
    return mine.defined() ? mine.overwrite_from(others) : void();
  }
  check_storage(*this, "copy_");
  check_storage(source, "copy_");
  PADDLE_CHECK_VALUE(shape() == source.shape(), "copy_: x has shape ", shape(),
                     " and the source has shape ", source.shape(),
                     "; both must be equal; reshape or expand the source.");
  copy_values(*this, source);
  impl_->storage->note_overwrite();
}

void Tensor::copy_data_from(const Tensor& source) const {
  if (defined() && impl_->sharded) {
    const auto [mine, others] = parts_of(*this, source);
    return mine.defined() ? mine.copy_data_from(others) : void();
  }
  overwrite_from(source);
  impl_->storage->note_inplace_write();
}

Scalar Tensor::item() const {
  check_storage(*this, "item");
  PADDLE_CHECK_VALUE(numel() == 1, "item: x has shape ", shape(),
                     "; only a tensor with one element has an item; index it first.");
  if (!place().is_host()) {
    const Tensor host = empty({}, dtype(), Place());
    device_copy(host, *this, size_of(dtype()));
    return host.item();
  }
  switch (dtype()) {
#define PADDLE_ITEM(T, name) \
  case DType::name:          \
    return scalar_of<T>(raw_data());
    PADDLE_FOR_ALL_DTYPES(PADDLE_ITEM)
#undef PADDLE_ITEM
    case DType::kUndefined:
      break;
  }
  throw_error(ErrorKind::kType, "item: dtype is undefined; give a tensor that has a dtype.");
}

}  // namespace paddle
