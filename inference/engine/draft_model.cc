// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// All sequences guess side by side, a token in each round. What the cache has of a sequence is
// compared with what the sequence has become: guesses that were not chosen are written over.
#include "inference/engine/draft_model.h"

#include <algorithm>

#include "inference/engine/sequence.h"

namespace paddle::engine {

namespace {

TokenId known(const Sequence& s, int64_t position) {
  const auto length = std::ssize(s.tokens);
  return position < length ? s.tokens[static_cast<size_t>(position)]
                           : s.drafts[static_cast<size_t>(position - length)];
}

int64_t num_known(const Sequence& s) { return std::ssize(s.tokens) + std::ssize(s.drafts); }

void put(Batch& batch, Sequence& s, int64_t end, int64_t block_size) {
  for (auto p = std::ssize(s.drafted); p < end; ++p) {
    const int32_t block = s.draft_table.blocks[static_cast<size_t>(p / block_size)];
    batch.ids.push_back(known(s, p));
    batch.positions.push_back(static_cast<int32_t>(p));
    batch.slots.push_back(static_cast<int32_t>(block * block_size + p % block_size));
    s.drafted.push_back(batch.ids.back());
  }
  batch.tables.push_back(&s.draft_table);
  batch.starts.push_back(static_cast<int32_t>(batch.ids.size()));
  batch.lengths.push_back(static_cast<int32_t>(end));
}

}  // namespace

DraftModel::DraftModel(std::shared_ptr<pir::Executable> program, TensorList cache,
                       int64_t block_size, int64_t max_step_tokens)
    : runner_(std::move(program), nullptr, std::move(cache)),
      cache_(runner_.num_blocks(), block_size, [](int32_t, int32_t) {}),
      max_step_tokens_(max_step_tokens) {}

void DraftModel::leave(Sequence& s) {
  cache_.release(s.draft_table);
  s.drafted.clear();
}

// Computes the first `end` tokens of a sequence, in pieces.
void DraftModel::read(Sequence& s, int64_t end) {
  while (std::ssize(s.drafted) < end) {
    Batch batch;
    put(batch, s, std::min(end, std::ssize(s.drafted) + max_step_tokens_), cache_.block_size());
    runner_.run(batch);
  }
}

// Logits behind all that is known of each sequence.
Tensor DraftModel::run(std::span<Sequence* const> sequences) {
  Batch batch;
  for (Sequence* s : sequences) {
    put(batch, *s, num_known(*s), cache_.block_size());
    batch.row_tokens.push_back(static_cast<int32_t>(batch.ids.size()) - 1);
  }
  return runner_.run(batch);
}

void DraftModel::guess(std::span<const Wish> wishes) {
  std::vector<Wish> left;
  for (const Wish& w : wishes) {
    Sequence& s = *w.sequence;
    s.drafts.clear();
    if (w.count <= 0 || !cache_.reserve(s.draft_table, std::ssize(s.tokens) + w.count)) continue;
    // The last token is computed in any case, for its logits.
    const auto same = std::ranges::mismatch(s.drafted, s.tokens).in1 - s.drafted.begin();
    s.drafted.resize(static_cast<size_t>(std::min<int64_t>(same, std::ssize(s.tokens) - 1)));
    read(s, std::ssize(s.tokens) - 1);
    left.push_back(w);
  }
  while (!left.empty()) {
    std::vector<Sequence*> sequences;
    for (const Wish& w : left) sequences.push_back(w.sequence);
    const Tensor logits = run(sequences);
    const auto* row = logits.data<float>();
    for (Sequence* s : sequences) {
      s->drafts.push_back(static_cast<TokenId>(std::max_element(row, row + logits.size(1)) - row));
      row += logits.size(1);
    }
    std::erase_if(left, [](const Wish& w) { return std::ssize(w.sequence->drafts) >= w.count; });
  }
}

}  // namespace paddle::engine
