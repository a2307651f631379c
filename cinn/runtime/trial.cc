// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Turns, times and decisions.
#include "cinn/runtime/trial.h"

#include <algorithm>
#include <sstream>
#include <unordered_map>

#include "cinn/runtime/disk_cache.h"

namespace paddle::cinn {
namespace {

constexpr int kTimes = 4;  // of each way
// After so many turns of each what was timed decides: some calls end without a time, as a kernel
// gives up on their values.
constexpr size_t kMostTurns = 16;

}  // namespace

std::shared_ptr<Trial> Trial::of(const std::string& key, const std::vector<std::string>& ways) {
  static std::mutex mutex;
  static auto* const known = new std::unordered_map<std::string, std::shared_ptr<Trial>>;
  const std::lock_guard lock(mutex);
  auto& entry = (*known)[key];
  if (!entry) entry = std::make_shared<Trial>(key, ways);
  return entry;
}

Trial::Trial(std::string key, std::vector<std::string> ways)
    : key_(std::move(key)), ways_(std::move(ways)), best_(ways_.size()), counts_(ways_.size()) {
  const auto text = DiskCache::global().find(key_);
  from_disk_ = text && read(*text);
}

// "way time time ...", as decide() writes it.
bool Trial::read(const std::string& text) {
  std::istringstream in(text);
  size_t way = 0;
  std::vector<int64_t> times(ways_.size());
  in >> way;
  for (int64_t& t : times) in >> t;
  if (!in || way >= ways_.size()) return false;
  best_ = std::move(times);
  chosen_ = way;
  return true;
}

std::optional<size_t> Trial::chosen() const {
  const std::lock_guard lock(mutex_);
  return chosen_;
}

std::vector<int64_t> Trial::times() const {
  const std::lock_guard lock(mutex_);
  return best_;
}

size_t Trial::next() {
  const std::lock_guard lock(mutex_);
  if (!chosen_ && turns_ >= kMostTurns * ways_.size()) decide();
  return chosen_ ? *chosen_ : turns_++ % ways_.size();
}

void Trial::add(size_t way, int64_t nanoseconds) {
  const std::lock_guard lock(mutex_);
  if (chosen_) return;
  int64_t& best = best_[way];
  best = ++counts_[way] == 1 ? nanoseconds : std::min(best, nanoseconds);
  if (std::all_of(counts_.begin(), counts_.end(), [](int n) { return n >= kTimes; })) decide();
}

void Trial::decide() {
  size_t way = 0;
  for (size_t i = 0; i < ways_.size(); ++i) {
    if (counts_[i] > 0 && (counts_[way] == 0 || best_[i] < best_[way])) way = i;
  }
  chosen_ = way;
  std::ostringstream text;
  text << way;
  for (const int64_t t : best_) text << ' ' << t;
  DiskCache::global().add(key_, text.str());
}

}  // namespace paddle::cinn
