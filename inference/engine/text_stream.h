// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// From tokens to characters that may be shown: whole ones, and none that may turn out to belong to
// a text that ends the answer.
#pragma once

#include <string>
#include <vector>

#include "inference/engine/request.h"
#include "paddle_core/base/export.h"

namespace paddle::engine {

// The bytes of every token, in one piece.
struct Vocabulary {
  std::string bytes;
  std::vector<uint32_t> starts;     // of token i, and the end of the last
  std::vector<TokenId> end_tokens;  // of answers
  bool strips_first_space = false;  // of an answer

  int64_t size() const { return std::ssize(starts) - 1; }
  std::string_view of(TokenId token) const {
    const auto i = static_cast<size_t>(token);
    return std::string_view(bytes).substr(starts[i], starts[i + 1] - starts[i]);
  }
};

class PADDLE_API TextStream {
 public:
  TextStream(const Vocabulary* vocabulary, const std::vector<std::string>* stops)
      : vocabulary_(vocabulary), stops_(stops), at_start_(vocabulary->strips_first_space) {}

  // The text that may be shown now that a token follows.
  std::string add(TokenId token);
  // One of the texts that end the answer has come; what add() returned reaches up to it.
  bool stopped() const { return stopped_; }
  // What was held back; bytes that form no character become U+FFFD.
  std::string finish();

 private:
  std::string take(size_t count);

  const Vocabulary* vocabulary_;
  const std::vector<std::string>* stops_;
  std::string held_;
  bool at_start_, stopped_ = false;
};

}  // namespace paddle::engine
