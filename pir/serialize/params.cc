// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Tensor records: version, LoD, descriptor, raw data; little endian.
#include <cstring>

#include "pir/serialize/serialize.h"

namespace paddle::pir {
namespace {

template <typename T>
void put(std::string& out, T v) {
  out.append(reinterpret_cast<const char*>(&v), sizeof v);
}

void put_varint(std::string& out, uint64_t v) {
  while (v >= 128) {
    out += static_cast<char>(v | 128);
    v >>= 7;
  }
  out += static_cast<char>(v);
}

class Records {
 public:
  explicit Records(std::string_view data) : data_(data) {}
  bool done() const { return data_.empty(); }

  Tensor next() {
    require(take<uint32_t>() == 0, "its version is not 0");
    const auto levels = take<uint64_t>();
    require(levels <= 64, "it has too many LoD levels");
    for (uint64_t i = 0; i < levels; ++i) bytes(take<uint64_t>());
    require(take<uint32_t>() == 0, "its tensor version is not 0");
    const auto size = take<int32_t>();
    require(size >= 0, "its descriptor has a negative size");
    return tensor(bytes(static_cast<uint64_t>(size)));
  }

 private:
  static void require(bool ok, const char* what) {
    PADDLE_CHECK_VALUE(ok, "parameter file: a record is damaged: ", what, '.');
  }
  std::string_view bytes(uint64_t n) {
    require(n <= data_.size(), "it ends too early");
    const std::string_view part = data_.substr(0, n);
    data_.remove_prefix(n);
    return part;
  }
  template <typename T>
  T take() {
    T v;
    std::memcpy(&v, bytes(sizeof v).data(), sizeof v);
    return v;
  }
  static uint64_t varint(std::string_view& from) {
    uint64_t v = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      require(!from.empty(), "its descriptor ends too early");
      const auto byte = static_cast<unsigned char>(from.front());
      from.remove_prefix(1);
      v |= static_cast<uint64_t>(byte & 127) << shift;
      if (byte < 128) return v;
    }
    require(false, "a number in its descriptor is too long");
    return 0;
  }

  Tensor tensor(std::string_view descriptor) {
    DType dtype = DType::kUndefined;
    Shape shape;
    uint64_t count = 1;
    while (!descriptor.empty()) {
      const uint64_t tag = varint(descriptor);
      const uint64_t v = varint(descriptor);
      if (tag == 8) {
        require(v < 256, "its data type is unknown");
        dtype = dtype_from_disk_number(static_cast<int>(v));
      } else {
        require(tag == 16 && v <= data_.size() && shape.size() < kMaxRank, "an extent is wrong");
        shape.push_back(Dim(static_cast<int64_t>(v)));
        require(v == 0 || count <= data_.size() / v, "it ends too early");
        count *= v;
      }
    }
    require(dtype != DType::kUndefined, "its data type is unknown");
    const std::string_view raw = bytes(count * size_of(dtype));
    Tensor t = Tensor::empty(shape, dtype);
    if (!raw.empty()) std::memcpy(t.raw_data(), raw.data(), raw.size());
    return t;
  }

  std::string_view data_;
};

}  // namespace

std::string tensors_to_records(const TensorList& tensors) {
  std::string out;
  for (const Tensor& given : tensors) {
    const Tensor t = given.contiguous_copy_if_needed();
    put(out, uint32_t{0});
    put(out, uint64_t{0});
    put(out, uint32_t{0});
    std::string descriptor = "\x08";
    put_varint(descriptor, static_cast<uint64_t>(disk_number_of(t.dtype())));
    for (const Dim d : t.shape()) {
      descriptor += '\x10';
      put_varint(descriptor, static_cast<uint64_t>(d.value()));
    }
    put(out, static_cast<int32_t>(descriptor.size()));
    out += descriptor;
    const size_t n = static_cast<size_t>(t.numel()) * size_of(t.dtype());
    if (n) out.append(static_cast<const char*>(t.raw_data()), n);
  }
  return out;
}

TensorList tensors_from_records(std::string_view data, size_t count) {
  Records records(data);
  TensorList out;
  for (size_t i = 0; i < count; ++i) {
    PADDLE_CHECK_VALUE(!records.done(), "parameter file: it holds ", i,
                       " tensors; the program has ", count, " parameters.");
    out.push_back(records.next());
  }
  PADDLE_CHECK_VALUE(records.done(), "parameter file: bytes follow tensor ", count,
                     ", the last parameter of the program.");
  return out;
}

}  // namespace paddle::pir
