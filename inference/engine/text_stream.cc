// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What is held back is at most one character and a beginning of a stop text.
#include "inference/engine/text_stream.h"

#include <algorithm>

namespace paddle::engine {

namespace {

// Length of the UTF-8 sequence that a byte begins, 0 when it begins none.
size_t sequence_length(unsigned char byte) {
  if (byte < 0x80) return 1;
  if (byte >= 0xC2 && byte < 0xE0) return 2;
  if (byte >= 0xE0 && byte < 0xF0) return 3;
  if (byte >= 0xF0 && byte < 0xF5) return 4;
  return 0;
}

// Bytes from `at` that are one character, or, negated, that are not one and never will be; 0 when
// the text ends too early to tell.
int character_at(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const size_t length = sequence_length(byte(0));
  if (length == 0) return -1;
  for (size_t i = 1; i < length; ++i) {
    if (at + i >= text.size()) return 0;
    // Bounds of the second byte exclude overlong forms, surrogates and what is above U+10FFFF.
    const bool second = i == 1;
    const unsigned char low = second && byte(0) == 0xE0   ? 0xA0
                              : second && byte(0) == 0xF0 ? 0x90
                                                          : 0x80;
    const unsigned char high = second && byte(0) == 0xED   ? 0x9F
                               : second && byte(0) == 0xF4 ? 0x8F
                                                           : 0xBF;
    if (byte(i) < low || byte(i) > high) return -static_cast<int>(i);
  }
  return static_cast<int>(length);
}

constexpr char kReplacement[] = "\xEF\xBF\xBD";

}  // namespace

// The first `count` bytes as valid text.
std::string TextStream::take(size_t count) {
  std::string out;
  const std::string_view taken = std::string_view(held_).substr(0, count);
  for (size_t at = 0; at < count;) {
    const int length = character_at(taken, at);
    if (length > 0) {
      out.append(taken.substr(at, static_cast<size_t>(length)));
      at += static_cast<size_t>(length);
    } else {
      out += kReplacement;
      at += length == 0 ? count - at : static_cast<size_t>(-length);
    }
  }
  held_.erase(0, count);
  return out;
}

std::string TextStream::add(TokenId token) {
  std::string_view bytes = vocabulary_->of(token);
  if (at_start_ && !bytes.empty()) {
    if (bytes.front() == ' ') bytes.remove_prefix(1);
    at_start_ = false;
  }
  held_ += bytes;
  size_t first_stop = std::string::npos;
  for (const std::string& stop : *stops_) first_stop = std::min(first_stop, held_.find(stop));
  if (first_stop != std::string::npos) {
    stopped_ = true;
    std::string out = take(first_stop);
    held_.clear();
    return out;
  }
  size_t keep = 0;  // the longest end that is the beginning of a stop text
  for (const std::string& stop : *stops_) {
    for (size_t n = std::min(stop.size() - 1, held_.size()); n > keep; --n) {
      if (held_.ends_with(std::string_view(stop).substr(0, n))) keep = n;
    }
  }
  size_t shown = held_.size() - keep;
  // A character that is not complete is one of the last three bytes.
  for (size_t back = 1; back <= std::min<size_t>(3, shown); ++back) {
    const auto byte = static_cast<unsigned char>(held_[shown - back]);
    if (byte < 0x80) break;
    if (byte < 0xC0) continue;
    if (character_at(std::string_view(held_).substr(0, shown), shown - back) == 0) shown -= back;
    break;
  }
  return take(shown);
}

std::string TextStream::finish() { return take(held_.size()); }

}  // namespace paddle::engine
