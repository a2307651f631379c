// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// `paddle::Tensor` of an extension: a counted reference to a tensor of the framework. Inputs of a
// kernel are contiguous. Arithmetic and the methods below call the framework's operators.
#pragma once

#include <functional>
#include <memory>
#include <type_traits>

#include "paddle/extension/call.h"

PADDLE_EXTENSION_BEGIN

class Tensor {
 public:
  Tensor() = default;
  explicit Tensor(detail::Handle handle) : handle_(std::move(handle)) {}
  // Memory comes with mutable_data<T>(), which knows the element type.
  explicit Tensor(const Place& place) : place_(place) {}
  Tensor(const Place& place, const std::vector<int64_t>& shape) : place_(place), shape_(shape) {}

  // -- what it is ------------------------------------------------------------------------------
  bool defined() const { return handle_.raw() != nullptr; }
  bool initialized() const { return defined(); }
  bool is_initialized() const { return defined(); }
  bool has_allocation() const { return defined(); }
  void reset() { *this = Tensor(); }
  DataType dtype() const { return static_cast<DataType>(info().dtype); }
  DataType type() const { return dtype(); }
  DataLayout layout() const { return DataLayout::NCHW; }
  int64_t numel() const { return info().numel; }
  int64_t size() const { return numel(); }
  std::vector<int64_t> shape() const {
    if (!defined()) return shape_;
    std::vector<int64_t> dims(static_cast<size_t>(info().ndim));
    detail::check(
        detail::host().tensor_shape(raw(), dims.data(), static_cast<int32_t>(dims.size())));
    return dims;
  }
  std::vector<int64_t> dims() const { return shape(); }
  std::vector<int64_t> strides() const {
    std::vector<int64_t> steps(static_cast<size_t>(info().ndim));
    detail::check(
        detail::host().tensor_strides(raw(), steps.data(), static_cast<int32_t>(steps.size())));
    return steps;
  }
  bool is_contiguous() const { return info().contiguous != 0; }
  Place place() const { return defined() ? Place(info().place) : place_; }
  bool is_cpu() const { return place().raw().kind == PADDLE_DEVICE_CPU; }
  bool is_gpu() const { return place().raw().kind == PADDLE_DEVICE_GPU; }
  bool is_gpu_pinned() const { return false; }
  bool is_xpu() const { return false; }
  bool is_custom_device() const { return place().raw().kind == PADDLE_DEVICE_CUSTOM; }
  // The handle of the calling thread's current stream of the tensor's device, of the device's own
  // interface; null on the host.
  void* stream() const {
    const PaddleHost& host = detail::host();
    if (host.struct_size < offsetof(PaddleHost, current_stream) + sizeof(host.current_stream)) {
      throw Exception(PADDLE_ERROR_NOT_IMPLEMENTED,
                      "stream(): the framework is older than the headers of this extension, and "
                      "tells no streams.");
    }
    void* handle = nullptr;
    detail::check(host.current_stream(place().raw(), &handle));
    return handle;
  }
  bool is_dense_tensor() const { return defined(); }
  bool is_selected_rows() const { return false; }
  bool is_dist_tensor() const { return false; }

  // -- memory ----------------------------------------------------------------------------------
  void* data() const {
    void* memory = nullptr;
    detail::check(detail::host().tensor_data(required(), &memory));
    return memory;
  }
  // The memory as its device names it, and where the elements begin in it, in bytes.
  void* memory() const { return info().allocation; }
  int64_t memory_offset() const { return info().offset; }
  // RuntimeError when the elements are of another type.
  template <typename T>
  T* data() const {
    constexpr DataType wanted = detail::DataTypeOf<std::remove_cv_t<T>>::value;
    if (const DataType own = dtype(); own != wanted) {
      throw Exception(PADDLE_ERROR_TYPE,
                      detail::text("data<", wanted, ">() of a tensor with dtype ", own, "."));
    }
    return static_cast<T*>(data());
  }
  template <typename T>
  T* mutable_data() {
    if (!defined()) *this = allocate(shape_, detail::DataTypeOf<T>::value, place_);
    return data<T>();
  }
  template <typename T>
  T* mutable_data(const Place& place) {
    if (!defined()) place_ = place;
    return mutable_data<T>();
  }
  static Tensor allocate(const std::vector<int64_t>& shape, DataType dtype, const Place& place) {
    PaddleTensor result = nullptr;
    detail::check(detail::host().tensor_empty(shape.data(), static_cast<int32_t>(shape.size()),
                                              static_cast<int32_t>(dtype), place.raw(), &result));
    return Tensor(detail::Handle::adopt(result));
  }

  // -- other tensors ---------------------------------------------------------------------------
  Tensor copy_to(const Place& place, bool = true) const {
    Tensor out = allocate(shape(), dtype(), place);
    detail::check(detail::host().tensor_copy(out.raw(), required()));
    return out;
  }
  void copy_(const Tensor& source, const Place& place, bool = true) {
    if (!defined()) *this = allocate(source.shape(), source.dtype(), place);
    detail::check(detail::host().tensor_copy(raw(), source.required()));
  }
  // Rows begin to end.
  Tensor slice(int64_t begin, int64_t end) const {
    return one(detail::Call("slice")
                   .arg("input", *this)
                   .arg("axes", std::vector<int64_t>{0})
                   .arg("starts", IntArray{begin})
                   .arg("ends", IntArray{end})
                   .arg("infer_flags", std::vector<int64_t>{1})
                   .arg("decrease_axis", std::vector<int64_t>{}));
  }
  // Gives this handle another shape of equal size.
  // Of a result that holds nothing yet: the shape that mutable_data<T>() gives it.
  void reshape(const std::vector<int64_t>& shape) {
    if (!defined()) {
      shape_ = shape;
      return;
    }
    *this = one(detail::Call("reshape").arg("x", *this).arg("shape", shape));
  }
  Tensor cast(DataType dtype) const {
    return one(detail::Call("cast").arg("x", *this).arg("dtype", dtype));
  }
  Tensor contiguous() const { return is_contiguous() ? *this : copy_to(place()); }

  Tensor add(const Tensor& y) const { return binary("add", y); }
  Tensor subtract(const Tensor& y) const { return binary("subtract", y); }
  Tensor multiply(const Tensor& y) const { return binary("multiply", y); }
  Tensor divide(const Tensor& y) const { return binary("divide", y); }
  Tensor add(const Scalar& y) const { return binary("add", number(y)); }
  Tensor subtract(const Scalar& y) const { return binary("subtract", number(y)); }
  Tensor multiply(const Scalar& y) const { return binary("multiply", number(y)); }
  Tensor divide(const Scalar& y) const { return binary("divide", number(y)); }
  Tensor pow(const Tensor& y) const { return binary("elementwise_pow", y); }
  Tensor pow(const Scalar& y) const { return one(detail::Call("pow").arg("x", *this).arg("y", y)); }
  Tensor maximum(const Tensor& y) const { return binary("maximum", y); }
  Tensor minimum(const Tensor& y) const { return binary("minimum", y); }
  Tensor less_than(const Tensor& y) const { return binary("less_than", y); }
  Tensor less_equal(const Tensor& y) const { return binary("less_equal", y); }
  Tensor greater_than(const Tensor& y) const { return binary("greater_than", y); }
  Tensor greater_equal(const Tensor& y) const { return binary("greater_equal", y); }
  Tensor equal(const Tensor& y) const { return binary("equal", y); }
  Tensor not_equal(const Tensor& y) const { return binary("not_equal", y); }
  Tensor bitwise_and(const Tensor& y) const { return binary("bitwise_and", y); }
  Tensor bitwise_or(const Tensor& y) const { return binary("bitwise_or", y); }
  Tensor bitwise_xor(const Tensor& y) const { return binary("bitwise_xor", y); }
  Tensor bitwise_not() const { return unary("bitwise_not"); }
  Tensor abs() const { return unary("abs"); }
  Tensor exp() const { return unary("exp"); }
  Tensor log() const { return unary("log"); }
  Tensor floor() const { return unary("floor"); }
  Tensor assign() const { return unary("assign"); }
  Tensor matmul(const Tensor& y, bool transpose_x = false, bool transpose_y = false) const {
    return one(detail::Call("matmul")
                   .arg("x", *this)
                   .arg("y", y)
                   .arg("transpose_x", transpose_x)
                   .arg("transpose_y", transpose_y));
  }
  Tensor scale(const Scalar& scale = 1.0, const Scalar& bias = 0.0, bool bias_after = true) const {
    return one(detail::Call("scale")
                   .arg("x", *this)
                   .arg("scale", scale)
                   .arg("bias", bias)
                   .arg("bias_after_scale", bias_after));
  }
  Tensor sum(const IntArray& axis = {}, DataType dtype = DataType::UNDEFINED,
             bool keepdim = false) const {
    return one(detail::Call("sum")
                   .arg("x", *this)
                   .arg("axis", axis)
                   .arg("dtype", dtype)
                   .arg("keepdim", keepdim));
  }
  Tensor max(const IntArray& axis = {}, bool keepdim = false) const {
    return one(detail::Call("max").arg("x", *this).arg("axis", axis).arg("keepdim", keepdim));
  }
  Tensor expand(const IntArray& shape) const {
    return one(detail::Call("expand").arg("x", *this).arg("shape", shape));
  }
  Tensor tile(const IntArray& repeat_times) const {
    return one(detail::Call("tile").arg("x", *this).arg("repeat_times", repeat_times));
  }

  Tensor operator+(const Tensor& y) const { return add(y); }
  Tensor operator-(const Tensor& y) const { return subtract(y); }
  Tensor operator*(const Tensor& y) const { return multiply(y); }
  Tensor operator/(const Tensor& y) const { return divide(y); }
  Tensor operator+(const Scalar& y) const { return add(y); }
  Tensor operator-(const Scalar& y) const { return subtract(y); }
  Tensor operator*(const Scalar& y) const { return multiply(y); }
  Tensor operator/(const Scalar& y) const { return divide(y); }
  Tensor operator<(const Tensor& y) const { return less_than(y); }
  Tensor operator<=(const Tensor& y) const { return less_equal(y); }
  Tensor operator>(const Tensor& y) const { return greater_than(y); }
  Tensor operator>=(const Tensor& y) const { return greater_equal(y); }
  Tensor operator==(const Tensor& y) const { return equal(y); }
  Tensor operator!=(const Tensor& y) const { return not_equal(y); }
  Tensor operator-() const { return scale(-1.0); }
  Tensor operator~() const { return bitwise_not(); }
  Tensor operator&(const Tensor& y) const { return bitwise_and(y); }
  Tensor operator|(const Tensor& y) const { return bitwise_or(y); }
  Tensor operator^(const Tensor& y) const { return bitwise_xor(y); }

  PaddleTensor raw() const { return handle_.raw(); }
  // The 0-d tensor of this one's dtype that holds a number.
  Tensor number(const Scalar& value) const {
    return one(detail::Call("full")
                   .arg("shape", IntArray{})
                   .arg("value", value)
                   .arg("dtype", dtype())
                   .arg("place", place()));
  }

 private:
  PaddleTensor required() const {
    if (!defined()) throw Exception(PADDLE_ERROR_VALUE, "a tensor was used that holds nothing.");
    return raw();
  }
  PaddleTensorInfo info() const {
    PaddleTensorInfo info{};
    info.struct_size = sizeof(info);
    detail::check(detail::host().tensor_info(required(), &info));
    return info;
  }
  static Tensor one(const detail::Call& call) { return Tensor(std::move(call.run()[0])); }
  Tensor unary(const char* op) const { return one(detail::Call(op).arg("x", *this)); }
  Tensor binary(const char* op, const Tensor& y) const {
    return one(detail::Call(op).arg("x", *this).arg("y", y));
  }

  detail::Handle handle_;
  Place place_ = CPUPlace();
  std::vector<int64_t> shape_;  // until there is memory
};

inline Tensor operator+(const Scalar& x, const Tensor& y) { return y.number(x).add(y); }
inline Tensor operator-(const Scalar& x, const Tensor& y) { return y.number(x).subtract(y); }
inline Tensor operator*(const Scalar& x, const Tensor& y) { return y.number(x).multiply(y); }
inline Tensor operator/(const Scalar& x, const Tensor& y) { return y.number(x).divide(y); }

namespace detail {

inline PaddleTensor raw_of(const Tensor& t) { return t.raw(); }

inline Call& Call::arg(const char* name, const std::vector<Tensor>& v) {
  std::vector<PaddleTensor>& raws = tensors_.emplace_back();
  for (const Tensor& t : v) raws.push_back(t.raw());
  PaddleValue& slot = add(name, PADDLE_VALUE_TENSORS);
  slot.tensors = raws.data();
  slot.count = raws.size();
  return *this;
}

}  // namespace detail

// -- making tensors ------------------------------------------------------------------------------

inline Tensor empty(const IntArray& shape, DataType dtype = DataType::FLOAT32,
                    const Place& place = CPUPlace()) {
  return Tensor::allocate(shape.GetData(), dtype, place);
}
inline Tensor full(const IntArray& shape, const Scalar& value, DataType dtype = DataType::FLOAT32,
                   const Place& place = CPUPlace()) {
  return Tensor(std::move(detail::Call("full")
                              .arg("shape", shape)
                              .arg("value", value)
                              .arg("dtype", dtype)
                              .arg("place", place)
                              .run()[0]));
}
inline Tensor zeros(const IntArray& shape, DataType dtype = DataType::FLOAT32,
                    const Place& place = CPUPlace()) {
  return full(shape, 0, dtype, place);
}
inline Tensor ones(const IntArray& shape, DataType dtype = DataType::FLOAT32,
                   const Place& place = CPUPlace()) {
  return full(shape, 1, dtype, place);
}
namespace detail {
inline DataType dtype_or(DataType dtype, const Tensor& x) {
  return dtype == DataType::UNDEFINED ? x.dtype() : dtype;
}
inline Place place_or(const Place& place, const Tensor& x) {
  return place.defined() ? place : x.place();
}
}  // namespace detail
inline Tensor empty_like(const Tensor& x, DataType dtype = DataType::UNDEFINED,
                         const Place& place = {}) {
  return empty(x.shape(), detail::dtype_or(dtype, x), detail::place_or(place, x));
}
inline Tensor full_like(const Tensor& x, const Scalar& value, DataType dtype = DataType::UNDEFINED,
                        const Place& place = {}) {
  return full(x.shape(), value, detail::dtype_or(dtype, x), detail::place_or(place, x));
}
inline Tensor zeros_like(const Tensor& x, DataType dtype = DataType::UNDEFINED,
                         const Place& place = {}) {
  return full_like(x, 0, dtype, place);
}
inline Tensor ones_like(const Tensor& x, DataType dtype = DataType::UNDEFINED,
                        const Place& place = {}) {
  return full_like(x, 1, dtype, place);
}

using Deleter = std::function<void(void*)>;
// A tensor over memory of the caller, which `deleter` frees with the last reference.
inline Tensor from_blob(void* data, const IntArray& shape, DataType dtype,
                        DataLayout = DataLayout::NCHW, const Place& place = CPUPlace(),
                        const Deleter& deleter = nullptr) {
  struct Context {
    Deleter deleter;
    void* data;
  };
  auto context = std::make_unique<Context>(Context{deleter, data});
  void (*free_data)(void*) = [](void* raw) {
    const std::unique_ptr<Context> owned(static_cast<Context*>(raw));
    if (owned->deleter) owned->deleter(owned->data);
  };
  PaddleTensor result = nullptr;
  const std::vector<int64_t>& dims = shape.GetData();
  detail::check(detail::host().tensor_from_data(
      data, dims.data(), nullptr, static_cast<int32_t>(dims.size()), static_cast<int32_t>(dtype),
      detail::place_or(place, Tensor(CPUPlace())).raw(), free_data, context.get(), &result));
  static_cast<void>(context.release());
  return Tensor(detail::Handle::adopt(result));
}

PADDLE_EXTENSION_END
