// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// One pass from the end: the longest agreement of each earlier place with the end.
#include "inference/engine/drafts.h"

#include <algorithm>

namespace paddle::engine {

std::vector<TokenId> drafts_from_repetition(std::span<const TokenId> tokens, int64_t count,
                                            int64_t shortest, int64_t longest) {
  const int64_t n = std::ssize(tokens);
  const auto at = [&](int64_t i) { return tokens[static_cast<size_t>(i)]; };
  int64_t best_length = shortest - 1, best_end = -1;
  for (int64_t end = n - 1; end > 0 && best_length < longest; --end) {
    int64_t length = 0;
    while (length < longest && length < end && at(end - 1 - length) == at(n - 1 - length)) ++length;
    if (length > best_length) best_length = length, best_end = end;
  }
  if (best_end < 0) return {};
  const auto first = tokens.begin() + best_end;
  return {first, first + std::min(count, n - best_end)};
}

}  // namespace paddle::engine
