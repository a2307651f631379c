// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Which tokens run next, and what becomes of the answers.
//
// Requests are admitted in the order in which they come. A step has the last token of every answer
// that is being written, with guesses behind it, and pieces of prompts in what is left of the bound
// of tokens, in equal shares. Where the cache is full the answer that came last gives its blocks
// back, and is computed again later, from what is still known of it then.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "inference/engine/batch.h"
#include "inference/engine/block_cache.h"
#include "inference/engine/draft_model.h"
#include "inference/engine/sequence.h"

namespace paddle::engine {

struct Limits {
  int64_t max_batch = 32;         // answers that are written at once
  int64_t max_step_tokens = 512;  // tokens of a step
  int64_t max_length = 2048;      // tokens of a prompt with its answer
  int64_t draft_tokens = 0;       // guesses behind the last token of an answer
};

struct SchedulerCounts {
  int64_t requests = 0, prompt_tokens = 0, cached_prompt_tokens = 0, generated_tokens = 0;
  int64_t preemptions = 0, drafts = 0, accepted_drafts = 0;
};

class Scheduler {
 public:
  // draft_model: guesses in the place of what was said before; or null.
  Scheduler(Limits limits, const Vocabulary& vocabulary, BlockCache& cache,
            DraftModel* draft_model = nullptr);

  void add(const RequestPtr& request);
  void cancel(uint64_t request, std::vector<Piece>& out);
  // Ends every answer, as failed with an error or as cancelled.
  void end_all(Finish finish, const std::string& error, std::vector<Piece>& out);
  // What runs next; empty when nothing is to be done.
  Batch next();
  // The tokens that were chosen for the rows of that batch.
  void accept(const Batch& batch, const Chosen& chosen, std::vector<Piece>& out);

  size_t num_waiting() const { return waiting_.size(); }
  size_t num_running() const { return running_.size(); }
  const SchedulerCounts& counts() const { return counts_; }

 private:
  using SequencePtr = std::unique_ptr<Sequence>;
  struct Share {
    Sequence* sequence;
    int64_t count;  // tokens that are known
  };

  void guess(const std::vector<DraftModel::Wish>& wishes);
  void admit(int64_t budget);
  std::vector<Share> plan();
  bool make_room(Sequence& of, int64_t positions, std::vector<Share>& planned);
  void preempt(std::vector<Share>& planned);
  Finish append(Sequence& s, const Chosen& chosen, size_t row, Piece& piece);
  void end(Sequence& s, Finish finish, const std::string& error, std::vector<Piece>& out);
  void leave(Sequence& s);
  bool is_held(const Sequence& s) const;

  Limits limits_;
  const Vocabulary& vocabulary_;
  BlockCache& cache_;
  DraftModel* draft_model_;
  std::deque<SequencePtr> waiting_;
  std::vector<SequencePtr> running_;  // in the order in which they were admitted
  // Requests whose first answer has not computed the prompt yet: the others wait to share it.
  std::unordered_set<uint64_t> leading_;
  SchedulerCounts counts_;
};

}  // namespace paddle::engine
