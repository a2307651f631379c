// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The two products of attention in bfloat16 on matrix tiles: keys and values of a head are packed
// once for all its queries.
#pragma once

#include <vector>

#include "paddle_core/tensor/storage.h"
#include "paddle_core/type/float16.h"

namespace paddle::cpu {

class AttentionTiles {
 public:
  // Whether this machine multiplies so.
  static bool available();

  // At most `height` queries at once; rows of `depth` numbers.
  AttentionTiles(int64_t height, int64_t keys, int64_t depth, float factor);

  // The head that follows: rows of keys and values are `row` numbers apart. Nothing is packed anew
  // where the keys are those of the head before.
  void take_keys(const bfloat16* k, const bfloat16* v, int64_t row);
  // Its next n queries.
  void take_queries(const bfloat16* q, int64_t row, int64_t n);
  // s[n, m]: products with the m keys from k0 on, times the factor. k0 is a multiple of 32.
  void scores(int64_t k0, int64_t m, float* s);
  // acc[n, depth] += p[n, m] values
  void add_values(const float* p, int64_t k0, int64_t m, float* acc);

 private:
  void pack_until(int64_t end);

  int64_t keys_, depth_, steps_, key_steps_;  // steps of depth_ and of keys_
  float factor_, factor_of_queries_;
  StoragePtr room_;
  uint16_t *q_, *p_, *k_, *v_;  // in room_
  std::vector<float> row_;
  const bfloat16 *keys_from_ = nullptr, *values_from_ = nullptr;
  int64_t key_row_ = 0, packed_ = 0, n_ = 0;
};

}  // namespace paddle::cpu
