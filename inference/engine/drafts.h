// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Tokens guessed ahead, which the model checks in one step. Every token is chosen by the model's
// own logits and the draw of its position, so that an answer is the same whatever the guesses.
#pragma once

#include <span>
#include <vector>

#include "inference/engine/request.h"
#include "paddle_core/base/export.h"

namespace paddle::engine {

// What followed when the last tokens occurred before (prompt lookup decoding, Saxena 2023): at most
// `count` tokens behind the latest earlier place of the longest end of `tokens` with `shortest` to
// `longest` tokens; empty where there is none.
PADDLE_API std::vector<TokenId> drafts_from_repetition(std::span<const TokenId> tokens,
                                                       int64_t count, int64_t shortest = 2,
                                                       int64_t longest = 4);

}  // namespace paddle::engine
