// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Weights in the memory order of a oneDNN primitive, kept with their storage.
#pragma once

#include <oneapi/dnnl/dnnl.hpp>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <vector>

#include "paddle_core/tensor/tensor.h"

namespace paddle::cpu {

// Weights in the order that a primitive wants, kept with their storage while it holds the same
// values. A first use at a version only marks it: weights that change with every step are not kept.
class PackedWeights final : public DerivedData {
 public:
  ~PackedWeights() override { kept_bytes().fetch_sub(bytes()); }

  // Null when nothing is kept for this order; `seen` tells whether this version was used before.
  static StoragePtr find(const StoragePtr& source, int64_t offset, const dnnl::memory::desc& wanted,
                         bool& seen) {
    const std::lock_guard lock(mutex());
    auto* own = static_cast<PackedWeights*>(source->derived());
    if (!own || own->version_ != source->version()) {
      own = new PackedWeights;
      own->version_ = source->version();
      source->set_derived(own);
      seen = false;
      return {};
    }
    for (const Packed& p : own->packed_) {
      if (p.offset == offset && p.desc == wanted) return p.storage;
    }
    seen = std::any_of(own->used_.begin(), own->used_.end(),
                       [&](const Use& u) { return u.offset == offset && u.desc == wanted; });
    return {};
  }

  static void keep(const StoragePtr& source, int64_t offset, const dnnl::memory::desc& wanted,
                   StoragePtr packed) {
    const std::lock_guard lock(mutex());
    auto* own = static_cast<PackedWeights*>(source->derived());
    if (!own) return;
    const int64_t bytes = static_cast<int64_t>(packed->bytes());
    if (kept_bytes().load() + bytes > kMostBytes) return;
    kept_bytes().fetch_add(bytes);
    own->packed_.push_back({offset, wanted, std::move(packed)});
  }

  static void mark(const StoragePtr& source, int64_t offset, const dnnl::memory::desc& wanted) {
    const std::lock_guard lock(mutex());
    auto* own = static_cast<PackedWeights*>(source->derived());
    if (own) own->used_.push_back({offset, wanted});
  }

 private:
  static constexpr int64_t kMostBytes = int64_t{1} << 30;
  struct Use {
    int64_t offset;
    dnnl::memory::desc desc;
  };
  struct Packed {
    int64_t offset;
    dnnl::memory::desc desc;
    StoragePtr storage;
  };
  static std::mutex& mutex() {
    static auto* const m = new std::mutex;
    return *m;
  }
  static std::atomic<int64_t>& kept_bytes() {
    static std::atomic<int64_t> bytes{0};
    return bytes;
  }
  int64_t bytes() const {
    int64_t sum = 0;
    for (const Packed& p : packed_) sum += static_cast<int64_t>(p.storage->bytes());
    return sum;
  }
  uint32_t version_ = 0;
  std::vector<Use> used_;
  std::vector<Packed> packed_;
};

}  // namespace paddle::cpu
