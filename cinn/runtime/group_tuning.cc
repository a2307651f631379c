// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of a group against each other and against its operators.
#include <bit>

#include "cinn/runtime/group_executable.h"
#include "paddle_core/device/parallel.h"

namespace paddle::cinn {
namespace {

constexpr const char* kCompiled = "compiled";
constexpr const char* kThroughCaches = "compiled, stores through the caches";
constexpr const char* kUncompiled = "uncompiled";

}  // namespace

// Sizes of one magnitude differ by less than 16 times: what is faster for few elements need not be
// for many.
int GroupState::magnitude_of(const TensorList& inputs) {
  uint64_t bytes = 0;
  for (const Tensor& t : inputs) {
    if (t.defined()) bytes += static_cast<uint64_t>(t.numel()) * size_of(t.dtype());
  }
  constexpr int kBits = 4;
  return static_cast<int>(std::bit_width(bytes)) / kBits;
}

// Null: the operators are to run. `known`: whether there is anything for these sizes.
pir::RegionExecutable* GroupState::find_tuned(const std::vector<Variant>& variants, int magnitude,
                                              bool& known) {
  for (const Tuned& t : tuned_) {
    if (t.magnitude != magnitude || t.variants != variants) continue;
    known = true;
    if (const auto way = t.trial->chosen()) return t.chosen[*way].get();
    return t.turns[t.trial->next()].get();
  }
  known = false;
  return nullptr;
}

void GroupState::add_tuned(const std::vector<Variant>& variants, int magnitude,
                           const Kernels& kernels) {
  static const CpuTarget target = CpuTarget::host();
  std::string key = str("choice\n", target.cpu, " ", target.features, "\n", num_threads(),
                        " threads, magnitude ", magnitude, "\n", name_);
  std::vector<Kernels> ways = {kernels};
  std::vector<std::string> names = {kCompiled};
  Kernels through_caches;
  for (size_t i = 0; i < parts_.size(); ++i) {
    key += str("\n", name_of_variant(variants[i]), "\n", parts_[i].made.form->signature());
    through_caches.push_back(kernels[i]);
    if (!(variants[i] & kStreamed)) continue;
    const auto other = KernelCache::global().get(parts_[i].made.form, order_of(variants[i]));
    KernelCache::global().finish(*other);
    if (other->state() == CachedKernel::State::kReady) through_caches.back() = other;
  }
  if (through_caches != kernels) {
    ways.push_back(std::move(through_caches));
    names.emplace_back(kThroughCaches);
  }
  names.emplace_back(kUncompiled);
  Tuned& made = tuned_.emplace_back();
  made.variants = variants;
  made.magnitude = magnitude;
  made.trial = Trial::of(key, names);
  for (size_t way = 0; way < ways.size(); ++way) {
    made.turns.push_back(std::make_unique<GroupExecutable>(*this, ways[way], made.trial, way));
    made.chosen.push_back(std::make_unique<GroupExecutable>(*this, ways[way]));
  }
  made.turns.push_back(std::make_unique<RegionTurn>(made.trial, ways.size()));
  made.chosen.push_back(nullptr);
}

}  // namespace paddle::cinn
