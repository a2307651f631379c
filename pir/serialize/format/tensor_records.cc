// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Tensor records: version, LoD, descriptor, raw data; little endian.
#include "pir/serialize/format/tensor_records.h"

#include <cstring>

#include "pir/serialize/format/file.h"

namespace paddle::pir {
namespace {

constexpr uint64_t kMostElements = uint64_t{1}
                                   << 56;  // so that strides of empty tensors are numbers

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

// Bytes that were given, or those of a file, which is read straight into the tensors. Neither gives
// more than it has.
class MemorySource {
 public:
  explicit MemorySource(std::string_view data) : data_(data) {}
  uint64_t remaining() const { return data_.size(); }
  bool read(void* into, uint64_t n) {
    if (n) std::memcpy(into, data_.data(), n);
    data_.remove_prefix(n);
    return true;
  }

 private:
  std::string_view data_;
};

class FileSource {
 public:
  explicit FileSource(const std::string& path)
      : file_(open_regular(path)), remaining_(file_.size) {}
  uint64_t remaining() const { return remaining_; }
  bool read(void* into, uint64_t n) {
    remaining_ -= n;
    return std::fread(into, 1, n, file_.stream.get()) == n;
  }

 private:
  RegularFile file_;
  uint64_t remaining_;
};

template <typename Source>
class Records {
 public:
  explicit Records(Source source) : source_(std::move(source)), size_(source_.remaining()) {}
  bool done() const { return source_.remaining() == 0; }

  Tensor next() {
    require(take<uint32_t>() == 0, "its version is not 0");
    const auto levels = take<uint64_t>();
    require(levels <= 64, "it has too many LoD levels");
    for (uint64_t i = 0; i < levels; ++i) text(take<uint64_t>());
    require(take<uint32_t>() == 0, "its tensor version is not 0");
    const auto size = take<int32_t>();
    require(size >= 0, "its descriptor has a negative size");
    return tensor(text(static_cast<uint64_t>(size)));
  }

 private:
  void require(bool ok, const char* what) const {
    PADDLE_CHECK_VALUE(ok, "parameter file: a record is damaged before byte ",
                       size_ - source_.remaining(), ": ", what, '.');
  }
  void read(void* into, uint64_t n) {
    require(n <= source_.remaining(), "it ends too early");
    require(source_.read(into, n), "it cannot be read");
  }
  std::string text(uint64_t n) {
    require(n <= source_.remaining(), "it ends too early");
    std::string out(n, '\0');
    read(out.data(), n);
    return out;
  }
  template <typename T>
  T take() {
    T v;
    read(&v, sizeof v);
    return v;
  }
  uint64_t varint(std::string_view& from) const {
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
    uint64_t count = 1;  // of the extents that are not 0
    bool empty = false;
    const uint64_t rest = source_.remaining();
    while (!descriptor.empty()) {
      const uint64_t tag = varint(descriptor);
      const uint64_t v = varint(descriptor);
      if (tag == 8) {
        require(v < 256, "its data type is unknown");
        dtype = dtype_from_disk_number(static_cast<int>(v));
      } else {
        require(tag == 16 && shape.size() < kMaxRank, "an extent is wrong");
        require(v == 0 || count <= kMostElements / v, "an extent is wrong");
        shape.push_back(Dim(static_cast<int64_t>(v)));
        empty = empty || v == 0;
        if (v) count *= v;
      }
    }
    if (empty) count = 0;
    require(dtype != DType::kUndefined, "its data type is unknown");
    require(count <= rest / size_of(dtype), "it ends too early");
    Tensor t = Tensor::empty(shape, dtype);
    if (count) read(t.raw_data(), count * size_of(dtype));
    return t;
  }

  Source source_;
  uint64_t size_;
};

template <typename Source>
TensorList all_records(Source source, size_t count) {
  Records<Source> records(std::move(source));
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
    Tensor host = t;
    if (!(t.place() == Place())) {
      host = Tensor::empty(t.shape(), t.dtype());
      host.copy_data_from(t);
    }
    if (n) out.append(static_cast<const char*>(host.raw_data()), n);
  }
  return out;
}

TensorList tensors_from_records(std::string_view data, size_t count) {
  return all_records(MemorySource(data), count);
}

TensorList tensors_from_file(const std::string& path, size_t count) {
  return all_records(FileSource(path), count);
}

}  // namespace paddle::pir
