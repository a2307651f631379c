// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Changes of logits before a token is drawn: penalties, biases and the mask of a grammar.
#include "paddle_core/base/error.h"
#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"

namespace paddle::ops {
namespace {

// arguments: logits, entry_rows, entry_ids, entry_counts, entry_biases, presence, frequency,
// repetition, allowed
void infer_adjust(Infer& c) {
  c.require_dtype(0, DType::kFloat32);
  c.require_rank(0, 2);
  const Shape& logits = c.shape(0);
  c.require_rank(1, 1);
  for (const int k : {1, 2, 3}) {
    c.require_dtype(k, DType::kInt32);
    c.require_shape(k, c.shape(1));
  }
  c.require_dtype(4, DType::kFloat32);
  c.require_shape(4, c.shape(1));
  for (const int k : {5, 6, 7}) {
    c.require_dtype(k, DType::kFloat32);
    c.require_shape(k, Shape{logits[0]});
  }
  if (c.has(8)) {
    constexpr int64_t kBits = 32;
    c.require_dtype(8, DType::kInt32);
    c.require_shape(8, Shape{logits[0], floordiv(logits[1] + Dim(kBits - 1), Dim(kBits))});
  }
  c.out(0, logits, c.dtype(0));
}

}  // namespace

void register_adjust_logits(Registry& r) {
  r.op("adjust_logits")
      .schema(
          "adjust_logits(Tensor logits, Tensor entry_rows, Tensor entry_ids, Tensor entry_counts, "
          "Tensor entry_biases, Tensor presence, Tensor frequency, Tensor repetition, Tensor? "
          "allowed) -> (Tensor out)")
      .doc(
          "Logits with what a request asks for single tokens. An entry names a row and a token. A "
          "token of the prompt or the answer is divided by the row's repetition where its logit is "
          "positive, and multiplied by it elsewhere (Keskar et al. 2019, CTRL); from one of the "
          "answer presence + frequency * count is taken away (the penalties of OpenAI's "
          "interface); then the bias is added. Entries of one token are applied in their order. "
          "Last, tokens that are not allowed become -inf.\n"
          "logits: float32 [rows, vocab].\n"
          "entry_rows: int32 [n]; in order they are worked on by several threads.\n"
          "entry_ids: int32 [n], tokens.\n"
          "entry_counts: int32 [n]: how often the answer has the token so far; 0 where the prompt "
          "alone has it, -1 where neither has and the entry is a bias alone.\n"
          "entry_biases: float32 [n].\n"
          "presence: float32 [rows]; 0 changes nothing.\n"
          "frequency: float32 [rows]; 0 changes nothing.\n"
          "repetition: float32 [rows], positive; 1 changes nothing.\n"
          "allowed: int32 [rows, (vocab + 31) // 32], or None: token i is allowed where bit i % 32 "
          "of word i // 32 is 1, the form of llguidance and XGrammar.\n"
          "Raises: IndexError: An entry is outside of logits.",
          "one = lambda x, dtype='float32': paddle.to_tensor([x], dtype)\n"
          "entry = one(0, 'int32'), one(2, 'int32'), one(3, 'int32'), one(0.5)\n"
          "paddle.incubate.nn.functional.adjust_logits(paddle.ones([1, 4]), *entry, one(0.1), "
          "one(0.2), one(2.0))")
      .python(
          "paddle.incubate.nn.functional.adjust_logits(logits, entry_rows, entry_ids, "
          "entry_counts, entry_biases, presence, frequency, repetition, allowed=None, name=None)")
      .inplace_python(
          "paddle.incubate.nn.functional.adjust_logits_(logits, entry_rows, entry_ids, "
          "entry_counts, entry_biases, presence, frequency, repetition, allowed=None, name=None)")
      .opaque("changes numbers that a run addresses")
      .partial_write()
      .no_grad()
      .infer(infer_adjust);
}

}  // namespace paddle::ops
