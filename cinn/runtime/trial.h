// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Which of several ways to run a group is the fastest here: FLAGS_cinn_autotune. The ways take
// turns for a few calls; then the one with the shortest of its times stays. The decision is kept in
// the cache on disk, so that later processes need no trial. Thread-safe.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "pir/interpreter/region_compiler.h"

namespace paddle::cinn {

class Trial {
 public:
  // Groups of equal `key` share it. The ways: names for people.
  static std::shared_ptr<Trial> of(const std::string& key, const std::vector<std::string>& ways);
  Trial(std::string key, std::vector<std::string> ways);

  std::optional<size_t> chosen() const;
  // Whose turn it is.
  size_t next();
  void add(size_t way, int64_t nanoseconds);

  const std::vector<std::string>& ways() const { return ways_; }
  // The shortest of each, in nanoseconds; 0: none.
  std::vector<int64_t> times() const;
  bool came_from_disk() const { return from_disk_; }

 private:
  void decide();
  bool read(const std::string& text);

  const std::string key_;
  const std::vector<std::string> ways_;
  bool from_disk_ = false;
  mutable std::mutex mutex_;  // for what follows
  size_t turns_ = 0;
  std::vector<int64_t> best_;
  std::vector<int> counts_;
  std::optional<size_t> chosen_;
};

// The turn of the operators of a group.
class RegionTurn final : public pir::RegionExecutable {
 public:
  RegionTurn(std::shared_ptr<Trial> trial, size_t way) : trial_(std::move(trial)), way_(way) {}
  TensorList run(const TensorList&) override { return {}; }
  bool wants_region() const override { return true; }
  void region_ran(int64_t nanoseconds) override { trial_->add(way_, nanoseconds); }

 private:
  const std::shared_ptr<Trial> trial_;
  const size_t way_;
};

}  // namespace paddle::cinn
