// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Weights in the order that an implementation wants, kept with their storage.
#pragma once

#include <oneapi/dnnl/dnnl.hpp>

#include <algorithm>
#include <memory>
#include <mutex>
#include <vector>

#include "paddle_core/device/arena.h"
#include "paddle_core/tensor/prepared_bytes.h"
#include "paddle_core/tensor/tensor.h"

namespace paddle::cpu {

// The order of packed weights: one of the library's, or a form of our own for a matrix or filter of
// `rows` times `columns`.
struct PackedOrder {
  enum class Form : uint8_t {
    kLibrary,
    kWinograd,
    kPanels,
    kPanelsTransposed,
    kSplit,
    kSplitTransposed,
    kSplitFilter  // rows: outputs, then 16 bits each of a window's height and width
  };
  PackedOrder(dnnl::memory::desc of_library)  // NOLINT: what most callers have
      : desc(std::move(of_library)) {}
  PackedOrder(Form form_, int64_t rows_, int64_t columns_)
      : form(form_), rows(rows_), columns(columns_) {}
  friend bool operator==(const PackedOrder& a, const PackedOrder& b) {
    return a.form == b.form && a.rows == b.rows && a.columns == b.columns &&
           (a.form != Form::kLibrary || a.desc == b.desc);
  }
  Form form = Form::kLibrary;
  int64_t rows = 0, columns = 0;
  dnnl::memory::desc desc;
};

// Weights in the order that a kernel wants, kept with their storage while it holds the same
// values. A first use at a version only marks it: weights that change with every step are not kept.
class PackedWeights final : public DerivedData {
 public:
  ~PackedWeights() override { PreparedBytes::release(bytes()); }

  // Null when nothing is kept for this order; `seen` tells whether this version was used before.
  static StoragePtr find(const StoragePtr& source, int64_t offset, const PackedOrder& wanted,
                         bool& seen) {
    const std::lock_guard lock(mutex());
    const auto* own = source->derived<PackedWeights>();
    if (!own || own->version_ != source->version()) {
      auto fresh = std::make_unique<PackedWeights>();
      fresh->version_ = source->version();
      source->set_derived(std::move(fresh));
      seen = false;
      return {};
    }
    for (const Packed& p : own->packed_) {
      if (p.offset == offset && p.order == wanted) return p.storage;
    }
    seen = std::any_of(own->used_.begin(), own->used_.end(),
                       [&](const Use& u) { return u.offset == offset && u.order == wanted; });
    return {};
  }

  static void keep(const StoragePtr& source, int64_t offset, const PackedOrder& wanted,
                   StoragePtr packed) {
    const std::lock_guard lock(mutex());
    auto* own = source->derived<PackedWeights>();
    if (!own) return;
    if (!PreparedBytes::reserve(static_cast<int64_t>(packed->bytes()))) return;
    own->packed_.push_back({offset, wanted, std::move(packed)});
  }

  // Whether as much as this may still be kept.
  static bool has_room(int64_t bytes) { return PreparedBytes::has_room(bytes); }

  static void mark(const StoragePtr& source, int64_t offset, const PackedOrder& wanted) {
    const std::lock_guard lock(mutex());
    auto* own = source->derived<PackedWeights>();
    if (own) own->used_.push_back({offset, wanted});
  }

 private:
  struct Use {
    int64_t offset;
    PackedOrder order;
  };
  struct Packed {
    int64_t offset;
    PackedOrder order;
    StoragePtr storage;
  };
  static std::mutex& mutex() {
    static auto* const m = new std::mutex;
    return *m;
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
