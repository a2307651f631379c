// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Blocks are reserved for all tokens of a step before the batch is made, so that whoever loses its
// blocks to another is not in it.
#include "inference/engine/scheduler.h"

#include <algorithm>

#include "inference/engine/drafts.h"

namespace paddle::engine {

namespace {

bool has_penalties(const Sampling& s) {
  return s.presence_penalty != 0 || s.frequency_penalty != 0 || s.repetition_penalty != 1;
}

int64_t num_pending(const Sequence& s) { return std::ssize(s.tokens) - s.num_computed; }

}  // namespace

Scheduler::Scheduler(Limits limits, const Vocabulary& vocabulary, BlockCache& cache,
                     DraftModel* draft_model)
    : limits_(limits), vocabulary_(vocabulary), cache_(cache), draft_model_(draft_model) {}

void Scheduler::add(const RequestPtr& request) {
  ++counts_.requests;
  counts_.prompt_tokens += std::ssize(request->prompt);
  if (request->answers > 1) leading_.insert(request->id);
  for (int32_t i = 0; i < request->answers; ++i) {
    waiting_.push_back(std::make_unique<Sequence>(request, i, vocabulary_));
  }
}

bool Scheduler::is_held(const Sequence& s) const {
  return s.index > 0 && leading_.contains(s.request->id);
}

// What every answer that ends, in whichever way, leaves behind.
void Scheduler::leave(Sequence& s) {
  cache_.release(s.table);
  if (draft_model_) draft_model_->leave(s);
  if (s.index == 0) leading_.erase(s.request->id);
}

void Scheduler::end(Sequence& s, Finish finish, const std::string& error, std::vector<Piece>& out) {
  leave(s);
  Piece piece;
  piece.request = s.request->id;
  piece.index = s.index;
  piece.text = s.text.finish();
  piece.finish = finish;
  piece.error = error;
  piece.cached_tokens = s.num_cached;
  out.push_back(std::move(piece));
}

void Scheduler::cancel(uint64_t request, std::vector<Piece>& out) {
  const auto ends = [&](const SequencePtr& s) {
    if (s->request->id != request) return false;
    end(*s, Finish::kCancelled, "", out);
    return true;
  };
  std::erase_if(running_, ends);
  std::erase_if(waiting_, ends);
}

void Scheduler::end_all(Finish finish, const std::string& error, std::vector<Piece>& out) {
  for (const SequencePtr& s : running_) end(*s, finish, error, out);
  for (const SequencePtr& s : waiting_) end(*s, finish, error, out);
  running_.clear();
  waiting_.clear();
}

// Takes waiting answers in while there is room for their prompts and something left of the step.
void Scheduler::admit(int64_t budget) {
  for (const SequencePtr& s : running_) budget -= num_pending(*s);
  for (auto at = waiting_.begin();
       at != waiting_.end() && budget > 0 && std::ssize(running_) < limits_.max_batch;) {
    Sequence& s = **at;
    if (is_held(s)) {
      ++at;
      continue;
    }
    s.num_computed = cache_.take_known(s.table, s.tokens, s.request->adapter);
    const int64_t blocks =
        std::ssize(s.tokens) / cache_.block_size() + 1 - std::ssize(s.table.blocks);
    if (blocks > cache_.num_available() && !running_.empty()) {
      cache_.release(s.table);
      s.num_computed = 0;
      return;  // whoever comes later must not overtake
    }
    if (!s.was_admitted) {
      s.was_admitted = true;
      s.num_cached = std::min(s.num_computed, s.num_prompt());
      counts_.cached_prompt_tokens += s.num_cached;
      if (has_penalties(s.request->sampling)) {
        for (const TokenId t : s.tokens) s.counts[t] = 0;
      }
    }
    budget -= num_pending(s);
    running_.push_back(std::move(*at));
    at = waiting_.erase(at);
  }
}

// The answer that was admitted last gives its blocks back.
void Scheduler::preempt(std::vector<Share>& planned) {
  SequencePtr victim = std::move(running_.back());
  running_.pop_back();
  std::erase_if(planned, [&](const Share& p) { return p.sequence == victim.get(); });
  cache_.release(victim->table);
  if (draft_model_) draft_model_->leave(*victim);
  victim->num_computed = 0;
  ++counts_.preemptions;
  waiting_.push_front(std::move(victim));
}

// False when `of` itself had to give its blocks back.
bool Scheduler::make_room(Sequence& of, int64_t positions, std::vector<Share>& planned) {
  while (!cache_.reserve(of.table, positions)) {
    const bool is_last = running_.back().get() == &of;
    preempt(planned);
    if (is_last) return false;
  }
  return true;
}

// Guesses behind the last token of answers, as far as there are blocks for them.
void Scheduler::guess(const std::vector<DraftModel::Wish>& wishes) {
  if (draft_model_) draft_model_->guess(wishes);
  for (const auto& [s, count] : wishes) {
    if (!draft_model_) s->drafts = drafts_from_repetition(s->tokens, count);
    if (!cache_.reserve(s->table, std::ssize(s->tokens) + std::ssize(s->drafts))) s->drafts.clear();
  }
}

// How many tokens of whom run next, with blocks for them.
std::vector<Scheduler::Share> Scheduler::plan() {
  int64_t budget = limits_.max_step_tokens;
  admit(budget);
  std::vector<Share> planned;
  std::vector<DraftModel::Wish> wishes;
  int64_t num_prompts = 0;
  for (size_t i = 0; i < running_.size(); ++i) {
    Sequence& s = *running_[i];
    s.drafts.clear();
    if (num_pending(s) > 1) {
      ++num_prompts;
      continue;
    }
    const int64_t length = std::ssize(s.tokens);
    if (!make_room(s, length, planned)) break;
    --budget;
    planned.push_back({&s, 1});
    const int64_t room = std::min({limits_.draft_tokens, budget, limits_.max_length - length - 1,
                                   s.request->max_tokens - s.num_answer() - 1});
    // What may follow a guess is not known before the constraint has seen it.
    if (room <= 0 || s.request->constraint) continue;
    wishes.push_back({&s, room});
    budget -= room;
  }
  guess(wishes);
  for (const auto& [s, count] : wishes) budget += count - std::ssize(s->drafts);
  // Equal shares, then what others leave in the order of admission.
  const int64_t share = std::max<int64_t>(1, budget / std::max<int64_t>(1, num_prompts));
  std::vector<std::pair<Sequence*, int64_t>> parts;
  for (const SequencePtr& s : running_) {
    if (num_pending(*s) == 1) continue;
    const int64_t count = std::min({num_pending(*s), share, budget});
    budget -= count;
    parts.emplace_back(s.get(), count);
  }
  for (auto& [s, count] : parts) {
    const int64_t more = std::min(num_pending(*s) - count, budget);
    budget -= more;
    count += more;
  }
  for (const auto& [s, count] : parts) {
    const bool is_running =
        std::ranges::any_of(running_, [&, of = s](const SequencePtr& r) { return r.get() == of; });
    if (count == 0 || !is_running) continue;
    if (make_room(*s, s->num_computed + count, planned)) planned.push_back({s, count});
  }
  return planned;
}

Batch Scheduler::next() {
  Batch batch;
  std::vector<Share> planned = plan();
  const int64_t size = cache_.block_size();
  for (const auto& [s, count] : planned) {
    const int64_t known = std::ssize(s->tokens);
    const int64_t end = s->num_computed + count;
    const bool is_whole = end == known;
    batch.has_adapters |= s->request->adapter_slot != 0;
    const auto put = [&](TokenId id, int64_t position) {
      const int32_t block = s->table.blocks[static_cast<size_t>(position / size)];
      batch.ids.push_back(id);
      batch.positions.push_back(static_cast<int32_t>(position));
      batch.slots.push_back(static_cast<int32_t>(block * size + position % size));
      batch.adapters.push_back(s->request->adapter_slot);
    };
    for (int64_t p = s->num_computed; p < end; ++p) put(s->tokens[static_cast<size_t>(p)], p);
    const auto want = [&](size_t draft) {
      batch.row_tokens.push_back(static_cast<int32_t>(batch.ids.size()) - 1);
      batch.rows.push_back({batch.sequences.size(), static_cast<int32_t>(draft)});
    };
    if (is_whole) {
      want(0);
      for (size_t i = 0; i < s->drafts.size(); ++i) {
        put(s->drafts[i], known + static_cast<int64_t>(i));
        want(i + 1);
      }
    }
    batch.sequences.push_back(s);
    batch.tables.push_back(&s->table);
    batch.starts.push_back(static_cast<int32_t>(batch.ids.size()));
    batch.lengths.push_back(static_cast<int32_t>(end + (is_whole ? std::ssize(s->drafts) : 0)));
  }
  return batch;
}

// Adds the token of a row to the answer and its piece.
Finish Scheduler::append(Sequence& s, const Chosen& chosen, size_t row, Piece& piece) {
  const TokenId token = chosen.tokens[row];
  if (!chosen.errors.empty() && !chosen.errors[row].empty()) {
    piece.error = chosen.errors[row];
    return Finish::kError;
  }
  if (token < 0 || token >= vocabulary_.size()) {
    piece.error = token < 0 ? "the logits of the model are not numbers"
                            : "the model chose a token that its vocabulary does not have";
    return Finish::kError;
  }
  const Request& request = *s.request;
  s.tokens.push_back(token);
  ++counts_.generated_tokens;
  if (has_penalties(request.sampling)) ++s.counts[token];
  piece.tokens.push_back(token);
  if (request.sampling.log_probs >= 0) {
    TokenLogProb& probs = piece.log_probs.emplace_back();
    probs.token = token;
    probs.log_prob = chosen.log_probs[row];
    const auto first = row * static_cast<size_t>(chosen.num_best);
    for (size_t k = first; k < first + static_cast<size_t>(request.sampling.log_probs); ++k) {
      probs.best.emplace_back(chosen.best[k], chosen.best_log_probs[k]);
    }
  }
  const auto among = [&](const std::vector<TokenId>& list) {
    return std::ranges::find(list, token) != list.end();
  };
  if ((!request.ignore_end && among(vocabulary_.end_tokens)) || among(request.stop_tokens)) {
    return Finish::kStop;
  }
  piece.text += s.text.add(token);
  if (s.text.stopped()) return Finish::kStop;
  const bool is_full =
      s.num_answer() >= request.max_tokens || std::ssize(s.tokens) >= limits_.max_length;
  return is_full ? Finish::kLength : Finish::kNone;
}

void Scheduler::accept(const Batch& batch, const Chosen& chosen, std::vector<Piece>& out) {
  std::unordered_set<const Sequence*> ended;
  size_t row = 0;
  for (size_t i = 0; i < batch.sequences.size(); ++i) {
    Sequence& s = *batch.sequences[i];
    if (row == batch.rows.size() || batch.rows[row].sequence != i) {  // a piece of a prompt
      s.num_computed = batch.lengths[i];
      cache_.publish(s.table, s.tokens, s.num_computed);
      continue;
    }
    Piece piece;
    piece.request = s.request->id;
    piece.index = s.index;
    piece.cached_tokens = s.num_cached;
    counts_.drafts += std::ssize(s.drafts);
    bool goes_on = true;
    for (; row < batch.rows.size() && batch.rows[row].sequence == i; ++row) {
      if (!goes_on) continue;
      piece.finish = append(s, chosen, row, piece);
      const auto draft = static_cast<size_t>(batch.rows[row].draft);
      goes_on = piece.finish == Finish::kNone && draft < s.drafts.size() &&
                s.drafts[draft] == s.tokens.back();
      counts_.accepted_drafts += goes_on;
    }
    s.num_computed = std::ssize(s.tokens) - 1;
    if (piece.finish != Finish::kError) cache_.publish(s.table, s.tokens, s.num_computed);
    if (s.index == 0) leading_.erase(s.request->id);
    if (piece.finish != Finish::kNone) {
      piece.text += s.text.finish();
      leave(s);
      ended.insert(&s);
    }
    out.push_back(std::move(piece));
  }
  std::erase_if(running_, [&](const SequencePtr& s) { return ended.contains(s.get()); });
}

}  // namespace paddle::engine
