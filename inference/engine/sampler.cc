// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// One call for all rows: what requests ask for are tensors with a number a row.
#include "inference/engine/sampler.h"

#include <algorithm>

#include "inference/engine/sequence.h"
#include "paddle_core/dispatch/call.h"
#include "paddle_core/op/registry.h"

namespace paddle::engine {

namespace {

template <typename T>
Tensor column(const std::vector<T>& values, DType dtype) {
  Tensor t = Tensor::empty({Dim(std::ssize(values))}, dtype);
  std::copy(values.begin(), values.end(), t.data<T>());
  return t;
}

template <typename T>
std::vector<T> values_of(const Tensor& t) {
  const T* first = t.data<T>();
  return {first, first + t.numel()};
}

bool is_adjusted(const Sampling& s) {
  return s.presence_penalty != 0 || s.frequency_penalty != 0 || s.repetition_penalty != 1 ||
         !s.logit_bias.empty();
}

// What is known of tokens of a row, as adjust_logits takes it.
struct Entries {
  std::vector<int32_t> rows, ids, counts;
  std::vector<float> biases;

  void add(size_t row, TokenId id, int32_t count, float bias) {
    rows.push_back(static_cast<int32_t>(row));
    ids.push_back(id);
    counts.push_back(count);
    biases.push_back(bias);
  }
};

// The tokens that rows may choose, as adjust_logits takes them; undefined where all may choose any.
Tensor allowed_tokens(const Batch& batch, const Tensor& logits, const MaskMaker& make_masks,
                      std::vector<std::string>& errors) {
  std::vector<ConstrainedRow> rows;
  std::vector<size_t> places;
  Tensor allowed;
  const int64_t words = (logits.size(1) + 31) / 32;
  for (size_t i = 0; i < batch.rows.size(); ++i) {
    Sequence& s = *batch.sequences[batch.rows[i].sequence];
    if (!s.request->constraint) continue;
    if (rows.empty()) {
      allowed = Tensor::empty({Dim(std::ssize(batch.rows)), Dim(words)}, DType::kInt32);
      std::fill_n(allowed.data<int32_t>(), allowed.numel(), -1);
    }
    const auto first = static_cast<size_t>(s.num_prompt() + s.num_constrained);
    rows.push_back({s.request->constraint.get(), s.index, std::span(s.tokens).subspan(first),
                    allowed.data<int32_t>() + static_cast<int64_t>(i) * words, ""});
    places.push_back(i);
    s.num_constrained = s.num_answer();
  }
  if (rows.empty()) return allowed;
  make_masks(rows, words);
  errors.resize(batch.rows.size());
  for (size_t k = 0; k < rows.size(); ++k) errors[places[k]] = std::move(rows[k].error);
  return allowed;
}

void adjust(const Batch& batch, const Tensor& logits, const Tensor& allowed) {
  Entries entries;
  std::vector<float> presence, frequency, repetition;
  bool any = allowed.defined();
  for (size_t i = 0; i < batch.rows.size(); ++i) {
    const Sequence& s = *batch.sequences[batch.rows[i].sequence];
    const Sampling& sampling = s.request->sampling;
    presence.push_back(sampling.presence_penalty);
    frequency.push_back(sampling.frequency_penalty);
    repetition.push_back(sampling.repetition_penalty);
    if (!is_adjusted(sampling)) continue;
    any = true;
    for (const auto& [id, bias] : sampling.logit_bias) entries.add(i, id, -1, bias);
    if (s.counts.empty()) continue;
    // Drafts in front of the row count as if they were part of the answer.
    std::unordered_map<TokenId, int32_t> guessed;
    for (int32_t k = 0; k < batch.rows[i].draft; ++k) ++guessed[s.drafts[static_cast<size_t>(k)]];
    for (const auto& [id, count] : s.counts) {
      const auto more = guessed.find(id);
      entries.add(i, id, count + (more == guessed.end() ? 0 : more->second), 0);
    }
    for (const auto& [id, count] : guessed) {
      if (!s.counts.contains(id)) entries.add(i, id, count, 0);
    }
  }
  if (!any) return;
  static const OpDef& op = Registry::global().at("adjust_logits");
  const Tensor arguments[] = {
      column(entries.rows, DType::kInt32),   column(entries.ids, DType::kInt32),
      column(entries.counts, DType::kInt32), column(entries.biases, DType::kFloat32),
      column(presence, DType::kFloat32),     column(frequency, DType::kFloat32),
      column(repetition, DType::kFloat32)};
  std::vector<Slot> slots{Slot::of(logits)};
  for (const Tensor& t : arguments) slots.push_back(Slot::of(t));
  slots.push_back(allowed.defined() ? Slot::of(allowed) : Slot());
  call_inplace(op, slots.data());
}

}  // namespace

Chosen choose(const Batch& batch, const Tensor& logits, const MaskMaker& make_masks) {
  Chosen chosen;
  if (batch.rows.empty()) return chosen;
  std::vector<float> temperature, top_p, min_p;
  std::vector<int32_t> top_k;
  std::vector<int64_t> seeds, positions;
  bool wants_log_probs = false;
  for (const Batch::Row& row : batch.rows) {
    const Sequence& s = *batch.sequences[row.sequence];
    const Sampling& sampling = s.request->sampling;
    temperature.push_back(sampling.temperature);
    top_p.push_back(sampling.top_p);
    min_p.push_back(sampling.min_p);
    top_k.push_back(sampling.top_k);
    seeds.push_back(s.seed());
    positions.push_back(s.num_answer() + row.draft);
    wants_log_probs |= sampling.log_probs >= 0;
    chosen.num_best = std::max(chosen.num_best, sampling.log_probs);
  }
  adjust(batch, logits, allowed_tokens(batch, logits, make_masks, chosen.errors));
  static const OpDef& op = Registry::global().at("sample_logits");
  const Tensor arguments[] = {
      column(temperature, DType::kFloat32), column(top_k, DType::kInt32),
      column(top_p, DType::kFloat32),       column(min_p, DType::kFloat32),
      column(seeds, DType::kInt64),         column(positions, DType::kInt64)};
  std::vector<Slot> slots{Slot::of(logits)};
  for (const Tensor& t : arguments) slots.push_back(Slot::of(t));
  slots.push_back(Slot::of_int(chosen.num_best));
  slots.push_back(Slot::of_bool(wants_log_probs));
  Outputs outs;
  call(op, slots.data(), outs);
  chosen.tokens = values_of<TokenId>(outs[0]);
  chosen.log_probs = values_of<float>(outs[1]);
  chosen.best = values_of<TokenId>(outs[2]);
  chosen.best_log_probs = values_of<float>(outs[3]);
  return chosen;
}

}  // namespace paddle::engine
