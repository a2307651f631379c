// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// A reader of protobuf's wire format for untrusted bytes: one message as a sequence of fields. It
// borrows the bytes, allocates nothing and never reads behind their end; malformed bytes are a
// ValueError that names the message and the position in the file.
//
//   for (ProtobufReader r(bytes, "OpDesc"); r.next();) {
//     if (r.field() == 3) op.type = r.bytes();
//   }
#pragma once

#include <cstdint>
#include <string_view>

namespace paddle::pir {

class ProtobufReader {
 public:
  // `file_offset`: where the bytes start in the file, for messages only.
  ProtobufReader(std::string_view bytes, const char* message, size_t file_offset = 0)
      : bytes_(bytes), message_(message), file_offset_(file_offset) {}

  // Moves to the next field; false at the end. The value of a field may be left unread.
  bool next();
  uint32_t field() const { return field_; }

  // The value of the field; ValueError when it has another wire type.
  int64_t integer() const;
  double float32() const;
  double float64() const;
  std::string_view bytes() const;
  // The field as a message.
  ProtobufReader message(const char* name) const;
  // Calls fn(value) for a number, or for each of packed ones.
  template <typename Fn>
  void integers(Fn&& fn) const;
  template <typename Fn>
  void floats32(Fn&& fn) const;
  template <typename Fn>
  void floats64(Fn&& fn) const;

 private:
  enum Wire : uint32_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };
  [[noreturn]] void fail(std::string_view what) const;
  void require(bool ok, std::string_view what) const {
    if (!ok) fail(what);
  }
  uint64_t varint();
  std::string_view take(uint64_t count);
  static double real(std::string_view raw);
  void check_packed(size_t width) const;

  std::string_view bytes_;
  const char* message_;
  size_t file_offset_, at_ = 0;
  uint32_t field_ = 0, wire_ = 0;
  uint64_t number_ = 0;     // of kVarint
  std::string_view value_;  // of the others
};

template <typename Fn>
void ProtobufReader::integers(Fn&& fn) const {
  if (wire_ != kBytes) return static_cast<void>(fn(integer()));
  ProtobufReader packed = message(message_);
  while (packed.at_ < packed.bytes_.size()) fn(static_cast<int64_t>(packed.varint()));
}

template <typename Fn>
void ProtobufReader::floats32(Fn&& fn) const {
  if (wire_ != kBytes) return static_cast<void>(fn(float32()));
  check_packed(4);
  for (size_t i = 0; i < value_.size(); i += 4) fn(real(value_.substr(i, 4)));
}

template <typename Fn>
void ProtobufReader::floats64(Fn&& fn) const {
  if (wire_ != kBytes) return static_cast<void>(fn(float64()));
  check_packed(8);
  for (size_t i = 0; i < value_.size(); i += 8) fn(real(value_.substr(i, 8)));
}

}  // namespace paddle::pir
