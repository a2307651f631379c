// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The functions that libraries of operators call. None lets an exception out.

#include "paddle_core/extension/host.h"

#include <cstddef>

#include "paddle_core/dispatch/call.h"
#include "paddle_core/op/registry.h"

namespace paddle::extension {
namespace {

thread_local std::string last_message;
thread_local int last_kind = PADDLE_OK;

int kind_number(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kValue:
      return PADDLE_ERROR_VALUE;
    case ErrorKind::kType:
      return PADDLE_ERROR_TYPE;
    case ErrorKind::kIndex:
      return PADDLE_ERROR_INDEX;
    case ErrorKind::kNotImplemented:
      return PADDLE_ERROR_NOT_IMPLEMENTED;
    case ErrorKind::kMemory:
      return PADDLE_ERROR_MEMORY;
    case ErrorKind::kOs:
      return PADDLE_ERROR_OS;
    default:
      return PADDLE_ERROR_RUNTIME;
  }
}

ErrorKind kind_of_number(int kind) {
  switch (kind) {
    case PADDLE_ERROR_VALUE:
      return ErrorKind::kValue;
    case PADDLE_ERROR_TYPE:
      return ErrorKind::kType;
    case PADDLE_ERROR_INDEX:
      return ErrorKind::kIndex;
    case PADDLE_ERROR_NOT_IMPLEMENTED:
      return ErrorKind::kNotImplemented;
    case PADDLE_ERROR_MEMORY:
      return ErrorKind::kMemory;
    case PADDLE_ERROR_OS:
      return ErrorKind::kOs;
    default:
      return ErrorKind::kRuntime;
  }
}

void set_error(int kind, const char* message) {
  last_kind = kind;
  last_message = message ? message : "";
}

template <typename Fn>
int reported(Fn&& fn) noexcept {
  try {
    fn();
    return PADDLE_OK;
  } catch (const Error& e) {
    set_error(kind_number(e.kind()), e.what());
  } catch (const std::bad_alloc&) {
    set_error(PADDLE_ERROR_MEMORY, "out of memory.");
  } catch (const std::exception& e) {
    set_error(PADDLE_ERROR_RUNTIME, e.what());
  }
  return last_kind;
}

TensorImpl& required(PaddleTensor t) {
  PADDLE_CHECK_VALUE(t, "extension: a tensor that holds nothing was passed.");
  return *impl_of(t);
}

DType dtype_of_number(int64_t number) {
  PADDLE_CHECK_VALUE(number >= 0 && number < kNumDTypes, "extension: ", number,
                     " is the number of no dtype.");
  return static_cast<DType>(number);
}

Place place_of(PaddlePlace p) {
  PADDLE_CHECK_VALUE(p.kind >= 0 && (p.kind & 0xff) <= static_cast<int>(DeviceKind::kCustom) &&
                         p.kind <= 0xffff && p.index >= 0 && p.index < 32768,
                     "extension: (", p.kind, ", ", p.index, ") is no place.");
  Place place;
  place.kind = static_cast<DeviceKind>(p.kind & 0xff);
  place.custom_type = static_cast<uint8_t>(p.kind >> 8);
  place.index = static_cast<int16_t>(p.index);
  return place;
}

Shape shape_of(const int64_t* dims, int32_t ndim) {
  PADDLE_CHECK_VALUE(ndim >= 0 && ndim <= kMaxRank, "extension: a tensor cannot have ", ndim,
                     " dimensions.");
  Shape shape;
  for (int32_t k = 0; k < ndim; ++k) {
    PADDLE_CHECK_VALUE(dims[k] >= 0, "extension: a tensor cannot have the extent ", dims[k], ".");
    shape.push_back(Dim(dims[k]));
  }
  return shape;
}

void retain(PaddleTensor t) { impl_of(t)->retain(); }
void release(PaddleTensor t) { IntrusivePtr<TensorImpl>::adopt(impl_of(t)).reset(); }

// How far the table of a library of version 1 reaches, and that of one that knows memory. A field
// is written only where the library's table reaches it.
constexpr uint64_t kTensorInfoOfVersion1 =
    offsetof(PaddleTensorInfo, contiguous) + sizeof(PaddleTensorInfo::contiguous);
constexpr uint64_t kTensorInfoWithMemory =
    offsetof(PaddleTensorInfo, offset) + sizeof(PaddleTensorInfo::offset);

int tensor_info(PaddleTensor t, PaddleTensorInfo* info) {
  return reported([&] {
    TensorImpl& impl = required(t);
    impl.ensure_logical_order();
    PADDLE_CHECK_RUNTIME(info->struct_size >= kTensorInfoOfVersion1,
                         "extension: the library was built with a damaged abi.h.");
    info->dtype = static_cast<int32_t>(impl.dtype);
    info->ndim = static_cast<int32_t>(impl.shape.size());
    info->place = raw_of(impl.place);
    info->numel = impl.numel;
    info->contiguous = impl.contiguous;
    if (info->struct_size < kTensorInfoWithMemory) return;
    info->reserved = 0;
    info->allocation = nullptr;
    info->offset = 0;
    if (!impl.storage) return;
    const Device::MemoryHandle memory = device_of(impl.place).memory_handle(impl.data());
    info->allocation = memory.memory;
    info->offset = memory.offset;
  });
}

int tensor_shape(PaddleTensor t, int64_t* dims, int32_t capacity) {
  return reported([&] {
    const Shape& shape = required(t).shape;
    for (size_t k = 0; k < shape.size() && k < static_cast<size_t>(capacity); ++k) {
      dims[k] = shape[k].value();
    }
  });
}

int tensor_strides(PaddleTensor t, int64_t* strides, int32_t capacity) {
  return reported([&] {
    TensorImpl& impl = required(t);
    impl.ensure_logical_order();
    for (size_t k = 0; k < impl.strides.size() && k < static_cast<size_t>(capacity); ++k) {
      strides[k] = impl.strides[k];
    }
  });
}

int tensor_data(PaddleTensor t, void** data) {
  return reported([&] {
    const TensorImpl& impl = required(t);
    PADDLE_CHECK_RUNTIME(impl.storage, "extension: a tensor of a program has no values yet.");
    *data = impl.data();
  });
}

int tensor_empty(const int64_t* dims, int32_t ndim, int32_t dtype, PaddlePlace place,
                 PaddleTensor* result) {
  return reported([&] {
    const Shape shape = shape_of(dims, ndim);
    static_cast<void>(numel_of(shape));
    PADDLE_CHECK_VALUE(dtype != PADDLE_UNDEFINED, "extension: a new tensor needs a dtype.");
    Tensor t = Tensor::empty(shape, dtype_of_number(dtype), place_of(place));
    *result = raw_of(IntrusivePtr<TensorImpl>(t.ptr()).release());
  });
}

int tensor_from_data(void* data, const int64_t* dims, const int64_t* strides, int32_t ndim,
                     int32_t dtype, PaddlePlace place, void (*free_data)(void*), void* context,
                     PaddleTensor* result) {
  return reported([&] {
    PADDLE_CHECK_VALUE(!strides, "from_blob: memory with strides must be contiguous; pass none.");
    const Shape shape = shape_of(dims, ndim);
    const DType type = dtype_of_number(dtype);
    PADDLE_CHECK_VALUE(type != DType::kUndefined, "from_blob: the tensor needs a dtype.");
    auto impl = IntrusivePtr<TensorImpl>::adopt(TensorImpl::create());
    impl->shape = shape;
    impl->dtype = type;
    impl->place = place_of(place);
    impl->set_contiguous_layout();
    const size_t bytes = static_cast<size_t>(impl->numel) * size_of(type);
    PADDLE_CHECK_VALUE(data || bytes == 0, "from_blob: data is null.");
    impl->storage = Storage::wrap(data, bytes, impl->place, [free_data, context] {
      if (free_data) free_data(context);
    });
    *result = raw_of(impl.release());
  });
}

int tensor_copy(PaddleTensor target, PaddleTensor source) {
  return reported([&] {
    required(source);
    required(target);
    const Tensor to = share(target), from = share(source);
    PADDLE_CHECK_VALUE(to.shape() == from.shape(), "copy_: the source has shape ", from.shape(),
                       " and the target ", to.shape(), "; they must be equal.");
    to.copy_data_from(from);
  });
}

// -- calls of operators ----------------------------------------------------------------------

// The slots of a call by name; owns what they point to.
class NamedCall {
 public:
  NamedCall(const OpDef& op, const PaddleArgument* arguments, uint64_t count) : op_(op) {
    const Schema& schema = op.schema();
    std::vector<bool> given(schema.args.size());
    slots_.resize(schema.args.size());
    for (uint64_t k = 0; k < count; ++k) {
      const int i = schema.arg_index(arguments[k].name);
      PADDLE_CHECK_TYPE(i >= 0, op.name(), ": there is no argument ", arguments[k].name,
                        "; the signature is ", schema.text, ".");
      const auto at = static_cast<size_t>(i);
      slots_[at] = convert(schema.args[at], arguments[k].value);
      given[at] = true;
    }
    for (size_t i = 0; i < slots_.size(); ++i) {
      const ArgSpec& spec = schema.args[i];
      if (given[i]) continue;
      PADDLE_CHECK_TYPE(spec.has_default || spec.optional, op.name(), ": missing the argument ",
                        spec.name, "; the signature is ", schema.text, ".");
      slots_[i] = spec.default_value.slot();
    }
  }
  const Slot* slots() const { return slots_.data(); }

 private:
  [[noreturn]] void mismatch(const ArgSpec& spec) const {
    throw_error(ErrorKind::kType,
                str(op_.name(), ": ", spec.name, " must be of type ", type_name(spec.type), "."));
  }

  Slot convert(const ArgSpec& spec, const PaddleValue& v) {
    switch (spec.type) {
      case ArgType::kTensor:
        if (v.kind == PADDLE_VALUE_TENSOR) return Slot::of(impl_of(v.tensor));
        if (v.kind == PADDLE_VALUE_NONE && spec.optional) return Slot();
        mismatch(spec);
      case ArgType::kTensorList:
        if (v.kind != PADDLE_VALUE_TENSORS) mismatch(spec);
        return Slot::of(list(spec, v));
      case ArgType::kBool:
        return Slot::of_bool(integer(spec, v) != 0);
      case ArgType::kInt:
      case ArgType::kInt64:
        return Slot::of_int(integer(spec, v));
      case ArgType::kFloat:
      case ArgType::kDouble:
        if (v.kind == PADDLE_VALUE_FLOAT) return Slot::of_float(v.f);
        return Slot::of_float(static_cast<double>(integer(spec, v)));
      case ArgType::kScalar:
        return Slot::of(scalar(spec, v));
      case ArgType::kIntArray:
      case ArgType::kInts:
      case ArgType::kInt64s:
        return Slot::of(ints(spec, v));
      case ArgType::kFloats:
        if (v.kind != PADDLE_VALUE_FLOATS) mismatch(spec);
        return Slot::of_floats(v.floats, v.count);
      case ArgType::kString:
        if (v.kind != PADDLE_VALUE_TEXT) mismatch(spec);
        return Slot::of(std::string_view(v.text, v.count));
      case ArgType::kDType:
        if (v.kind != PADDLE_VALUE_DTYPE) mismatch(spec);
        return Slot::of(dtype_of_number(v.i));
      case ArgType::kPlace:
        if (v.kind != PADDLE_VALUE_PLACE) mismatch(spec);
        return Slot::of(place_of(v.place));
    }
    mismatch(spec);
  }

  const TensorList& list(const ArgSpec& spec, const PaddleValue& v) {
    TensorList& tensors = lists_.emplace_back();
    for (uint64_t k = 0; k < v.count; ++k) {
      PADDLE_CHECK_VALUE(v.tensors[k], op_.name(), ": element ", k, " of ", spec.name,
                         " holds nothing.");
      tensors.push_back(share(v.tensors[k]));
    }
    return tensors;
  }
  int64_t integer(const ArgSpec& spec, const PaddleValue& v) const {
    if (v.kind != PADDLE_VALUE_INT && v.kind != PADDLE_VALUE_BOOL) mismatch(spec);
    return v.i;
  }
  const Scalar& scalar(const ArgSpec& spec, const PaddleValue& v) {
    if (v.kind == PADDLE_VALUE_BOOL) return scalars_.emplace_back(v.i != 0);
    if (v.kind == PADDLE_VALUE_FLOAT) return scalars_.emplace_back(v.f);
    return scalars_.emplace_back(integer(spec, v));
  }
  const Shape& ints(const ArgSpec& spec, const PaddleValue& v) {
    Shape& out = ints_.emplace_back();
    if (v.kind == PADDLE_VALUE_INTS) {
      for (uint64_t k = 0; k < v.count; ++k) out.push_back(Dim::clamped(v.ints[k]));
    } else {
      out.push_back(Dim::clamped(integer(spec, v)));
    }
    return out;
  }

  const OpDef& op_;
  std::vector<Slot> slots_;
  std::deque<TensorList> lists_;
  std::deque<Scalar> scalars_;
  std::deque<Shape> ints_;
};

int call_operator(const char* name, const PaddleArgument* arguments, uint64_t count,
                  PaddleEmitFn emit, void* receiver) {
  return reported([&] {
    const OpDef& op = Registry::global().at(name);
    const NamedCall named(op, arguments, count);
    Outputs outs;
    call(op, named.slots(), outs);
    for (const Tensor& t : outs) {
      emit(receiver, raw_of(IntrusivePtr<TensorImpl>(t.ptr()).release()));
    }
  });
}

int current_stream_of(PaddlePlace place, void** stream) {
  return reported([&] { *stream = current_stream(place_of(place)).handle(); });
}

}  // namespace

const PaddleHost& host_table() {
  static const PaddleHost table = {sizeof(PaddleHost),
                                   PADDLE_EXTENSION_ABI_VERSION,
                                   0,
                                   [] { return last_message.c_str(); },
                                   set_error,
                                   retain,
                                   release,
                                   tensor_info,
                                   tensor_shape,
                                   tensor_strides,
                                   tensor_data,
                                   tensor_empty,
                                   tensor_from_data,
                                   tensor_copy,
                                   call_operator,
                                   current_stream_of};
  return table;
}

void throw_reported(int kind, const char* where) {
  throw_error(kind_of_number(kind), str(where, ": ", last_message));
}

PaddleValue Values::of(const Slot& slot) {
  PaddleValue v{};
  switch (slot.kind) {
    case SlotKind::kTensor:
      v.kind = PADDLE_VALUE_TENSOR;
      v.tensor = raw_of(slot.tensor);
      break;
    case SlotKind::kTensorList: {
      std::vector<PaddleTensor>& list = tensors_.emplace_back();
      for (uint32_t k = 0; k < slot.count; ++k) list.push_back(raw_of(slot.list[k].impl()));
      v.kind = PADDLE_VALUE_TENSORS;
      v.tensors = list.data();
      v.count = list.size();
      break;
    }
    case SlotKind::kBool:
    case SlotKind::kInt:
      v.kind = slot.kind == SlotKind::kBool ? PADDLE_VALUE_BOOL : PADDLE_VALUE_INT;
      v.i = slot.i;
      break;
    case SlotKind::kFloat:
      v.kind = PADDLE_VALUE_FLOAT;
      v.f = slot.f;
      break;
    case SlotKind::kInts: {
      std::vector<int64_t>& ints = ints_.emplace_back();
      for (uint32_t k = 0; k < slot.count; ++k) ints.push_back(slot.dims[k].value());
      v.kind = PADDLE_VALUE_INTS;
      v.ints = ints.data();
      v.count = ints.size();
      break;
    }
    case SlotKind::kFloats:
      v.kind = PADDLE_VALUE_FLOATS;
      v.floats = slot.floats;
      v.count = slot.count;
      break;
    case SlotKind::kString:
      v.kind = PADDLE_VALUE_TEXT;
      v.text = slot.chars;
      v.count = slot.count;
      break;
    default:
      break;
  }
  return v;
}

}  // namespace paddle::extension
