// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The wire format: tags, varints, fixed numbers and lengths.
#include "pir/legacy/protobuf_reader.h"

#include <bit>
#include <cstring>

#include "paddle_core/base/error.h"

namespace paddle::pir {

static_assert(std::endian::native == std::endian::little);

void ProtobufReader::fail(std::string_view what) const {
  throw_error(ErrorKind::kValue, str("program file: damaged ", message_, " at byte ",
                                     file_offset_ + at_, ": ", what, '.'));
}

uint64_t ProtobufReader::varint() {
  uint64_t v = 0;
  for (int shift = 0; shift < 70; shift += 7) {
    require(at_ < bytes_.size(), "it ends within a number");
    const auto byte = static_cast<unsigned char>(bytes_[at_++]);
    if (shift < 63) {
      v |= static_cast<uint64_t>(byte & 127) << shift;
    } else {
      v |= static_cast<uint64_t>(byte & 1) << 63;
    }
    if (byte < 128) return v;
  }
  fail("a number is longer than 64 bits");
}

std::string_view ProtobufReader::take(uint64_t count) {
  require(count <= bytes_.size() - at_, "a length goes past the end");
  const std::string_view part = bytes_.substr(at_, count);
  at_ += count;
  return part;
}

bool ProtobufReader::next() {
  if (at_ == bytes_.size()) return false;
  const uint64_t tag = varint();
  require(tag >> 3 != 0 && tag >> 3 < (1u << 29), "a field number is out of range");
  field_ = static_cast<uint32_t>(tag >> 3);
  wire_ = static_cast<uint32_t>(tag & 7);
  switch (wire_) {
    case kVarint:
      number_ = varint();
      break;
    case kFixed64:
      value_ = take(8);
      break;
    case kBytes:
      value_ = take(varint());
      break;
    case kFixed32:
      value_ = take(4);
      break;
    default:
      fail("a field has an unknown wire type");
  }
  return true;
}

int64_t ProtobufReader::integer() const {
  require(wire_ == kVarint, "a field is no integer");
  return static_cast<int64_t>(number_);
}

double ProtobufReader::real(std::string_view raw) {
  if (raw.size() == 4) {
    float v = 0;
    std::memcpy(&v, raw.data(), sizeof v);
    return v;
  }
  double v = 0;
  std::memcpy(&v, raw.data(), sizeof v);
  return v;
}

double ProtobufReader::float32() const {
  require(wire_ == kFixed32, "a field is no 32-bit float");
  return real(value_);
}

double ProtobufReader::float64() const {
  require(wire_ == kFixed64, "a field is no 64-bit float");
  return real(value_);
}

std::string_view ProtobufReader::bytes() const {
  require(wire_ == kBytes, "a field is no string or message");
  return value_;
}

ProtobufReader ProtobufReader::message(const char* name) const {
  const std::string_view inner = bytes();
  return {inner, name, file_offset_ + static_cast<size_t>(inner.data() - bytes_.data())};
}

void ProtobufReader::check_packed(size_t width) const {
  require(value_.size() % width == 0, "packed numbers end within a number");
}

}  // namespace paddle::pir
