// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What an engine is asked, and what it answers.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "inference/engine/constraint.h"

namespace paddle::engine {

using TokenId = int32_t;

// How the next token is chosen from the logits; the operators sample_logits and adjust_logits say
// what the numbers mean.
struct Sampling {
  float temperature = 1;
  int32_t top_k = 0;
  float top_p = 1;
  float min_p = 0;
  float presence_penalty = 0, frequency_penalty = 0, repetition_penalty = 1;
  std::vector<std::pair<TokenId, float>> logit_bias;
  int64_t seed = 0;
  int32_t log_probs = -1;  // of so many best tokens; -1: none, 0: of the chosen one alone
};

struct Request {
  uint64_t id = 0;
  std::vector<TokenId> prompt;
  Sampling sampling;
  int64_t max_tokens = 0;  // of each answer
  int32_t answers = 1;
  std::vector<std::string> stop;     // texts that end an answer; they are not part of it
  std::vector<TokenId> stop_tokens;  // beside those of the model
  bool ignore_end = false;           // the model's own end tokens are tokens like others
  // Its adapter: where the program finds it, and a number that no other adapter ever has. 0: none.
  int32_t adapter_slot = 0;
  uint64_t adapter = 0;
  std::shared_ptr<const Constraint> constraint;  // or null: answers have any form
};
using RequestPtr = std::shared_ptr<const Request>;

enum class Finish : uint8_t { kNone, kStop, kLength, kCancelled, kError };

struct TokenLogProb {
  TokenId token = 0;
  float log_prob = 0;
  std::vector<std::pair<TokenId, float>> best;
};

// A part of an answer. The last one of an answer has a `finish`.
struct Piece {
  uint64_t request = 0;
  int32_t index = 0;  // of the answer among those of the request
  std::string text;   // whole characters in UTF-8
  std::vector<TokenId> tokens;
  std::vector<TokenLogProb> log_probs;  // of each token, where asked for
  Finish finish = Finish::kNone;
  std::string error;          // of kError
  int64_t cached_tokens = 0;  // of the prompt that were in the cache
};

}  // namespace paddle::engine
