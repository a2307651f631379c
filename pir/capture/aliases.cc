// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
#include "pir/capture/aliases.h"

#include <algorithm>

namespace paddle::pir {
namespace {

bool contains(const TensorList& list, const Tensor& t) {
  return std::any_of(list.begin(), list.end(), [&](const Tensor& s) { return s.same_impl(t); });
}

void add(TensorList& list, const TensorList& more) {
  for (const Tensor& t : more) {
    if (!contains(list, t)) list.push_back(t);
  }
}

}  // namespace

TensorList Aliases::origins(const Tensor& memory) const {
  const auto found = known_.find(memory.impl());
  return found == known_.end() ? TensorList{memory} : found->second.origins;
}

void Aliases::may_alias(const Tensor& memory, const TensorList& others) {
  TensorList all = origins(memory);
  for (const Tensor& t : others) add(all, origins(t));
  Known& known = known_[memory.impl()];
  known.tensor = memory;
  known.origins = std::move(all);
}

void Aliases::no_alias(const TensorList& memories) {
  ++groups_;
  for (const Tensor& t : memories) {
    may_alias(t, {});
    known_[t.impl()].group = groups_;
  }
}

TensorList Aliases::write(const Tensor& memory, const std::string& where) {
  stale.erase(memory.impl());
  TensorList invalidated;
  const TensorList own = origins(memory);
  const auto found = known_.find(memory.impl());
  const int group = found == known_.end() ? 0 : found->second.group;
  for (const auto& [impl, other] : known_) {
    if (group && other.group == group) continue;
    const auto& theirs = other.origins;
    const bool shared = std::any_of(theirs.begin(), theirs.end(),
                                    [&](const Tensor& t) { return contains(own, t); });
    if (shared) add(invalidated, {other.tensor});
  }
  add(invalidated, own);
  std::erase_if(invalidated, [&](const Tensor& t) { return t.same_impl(memory); });
  for (const Tensor& t : invalidated) stale[t.impl()] = {t, where};
  return invalidated;
}

void Aliases::clear() {
  known_.clear();
  stale.clear();
}

}  // namespace paddle::pir
