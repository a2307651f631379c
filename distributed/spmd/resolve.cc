// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0

#include "distributed/spmd/resolve.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "distributed/spmd/reshard.h"

namespace paddle::distributed {
namespace {

using Kind = ReshardStep::Kind;

// What one mesh dimension does to the call.
struct Option {
  int factor = -1;       // split; -1: none
  uint64_t partial = 0;  // operands that are Partial, a bit for each
  ReduceKind reduce = ReduceKind::kSum;
  bool is_whole() const { return factor < 0 && partial == 0; }
};

class Resolver {
 public:
  Resolver(const Spmd& call, const ProcessMesh* mesh) : call_(call), mesh_(*mesh) {
    const auto dims = static_cast<size_t>(mesh->ndim());
    operands_.assign(call.operands().size(), Placements(dims));
    results_.assign(call.results().size(), Placements(dims));
    splits_.assign(call.factors().size(), 1);
    factors_.assign(call.factors().size(), Placements(dims));
  }

  Resolution run() {
    for (int64_t d = 0; d < mesh_.ndim(); ++d) apply(best(d), d);
    Resolution out;
    for (const Placements& p : operands_) out.operands.push_back(DistAttr::get(&mesh_, p));
    for (size_t i = 0; i < results_.size(); ++i) {
      const bool there = call_.results()[i].tensor != nullptr;
      out.results.push_back(there ? DistAttr::get(&mesh_, results_[i]) : nullptr);
    }
    for (const Spmd::LocalInteger& i : call_.local_integers()) set_integer(i, out.integers);
    return out;
  }

 private:
  void set_integer(const Spmd::LocalInteger& i, std::vector<std::pair<int, int64_t>>& all) const {
    const int64_t position = own_position(mesh_);
    if (position < 0) return;  // nothing is computed here
    const auto f = static_cast<size_t>(i.factor);
    const Shape whole{Dim(call_.factors()[f].extent)};
    const IndexRange part = local_ranges(whole, *DistAttr::get(&mesh_, factors_[f]), position)[0];
    auto at = std::find_if(all.begin(), all.end(), [&](const auto& a) { return a.first == i.arg; });
    if (at == all.end()) at = all.insert(at, {i.arg, call_.i(i.arg)});
    at->second = i.sign == 0 ? part.count : at->second + i.sign * part.begin;
  }

  static int dim_of(const Spmd::Factors& factors, int factor) {
    const auto at = std::find(factors.begin(), factors.end(), factor);
    return at == factors.end() ? -1 : static_cast<int>(at - factors.begin());
  }

  Placement current(size_t operand, int64_t d) const {
    const DistAttr* attr = dist_attr_of(*call_.operands()[operand].tensor);
    return attr ? attr->at(d) : Placement::replicate();
  }

  Placement wanted(size_t operand, const Option& option) const {
    if ((option.partial >> operand) & 1u) return Placement::partial(option.reduce);
    if (option.factor < 0) return Placement::replicate();
    const int dim = dim_of(call_.operands()[operand].factors, option.factor);
    return dim < 0 ? Placement::replicate() : Placement::shard(dim);
  }

  Placement given(size_t result, const Option& option) const {
    if (call_.results()[result].independent) return Placement::replicate();
    if (option.partial) return Placement::partial(option.reduce);
    if (option.factor < 0) return Placement::replicate();
    const int dim = dim_of(call_.results()[result].factors, option.factor);
    if (dim >= 0) return Placement::shard(dim);
    return Placement::partial(*call_.factors()[static_cast<size_t>(option.factor)].reduce);
  }

  bool may_split(int factor, int64_t d) const {
    const Spmd::Factor& f = call_.factors()[static_cast<size_t>(factor)];
    const int64_t parts = splits_[static_cast<size_t>(factor)] * mesh_.extent(d);
    if (f.even && f.extent % parts != 0) return false;
    if (f.extent <= 1 && mesh_.extent(d) > 1) return false;
    // A part without elements has no maximum.
    const bool needs_elements = f.reduce && *f.reduce != ReduceKind::kSum;
    if (needs_elements && f.extent % parts != 0) return false;
    for (const Spmd::Result& r : call_.results()) {
      if (!r.tensor || r.independent) continue;
      if (dim_of(r.factors, factor) < 0 && !f.reduce) return false;
    }
    return true;
  }

  static double bytes(const TensorImpl& t) {
    double n = static_cast<double>(size_of(t.dtype));
    for (const Dim d : t.shape) n *= static_cast<double>(d.value());
    return n;
  }

  static double transition(const Placement& from, const Placement& to, double size, int64_t n) {
    const auto parts = static_cast<double>(n);
    if (from == to || from.is_replicate()) return 0;
    if (from.is_shard()) {
      if (to.is_shard()) return bytes_of_step(Kind::kAllToAll, size / parts, size / parts, n);
      return bytes_of_step(Kind::kAllGather, size / parts, size, n);
    }
    const Kind reduce = to.is_shard() ? Kind::kReduceScatter : Kind::kAllReduce;
    return bytes_of_step(reduce, size, size, n);
  }

  struct Cost {
    double sent = 0;
    int kept = 0;  // operands that stay split or Partial
    bool whole = false;
    double later = 0;
    bool operator<(const Cost& other) const {
      const bool free = sent == 0, other_free = other.sent == 0;
      if (free != other_free) return free;
      if (free) {
        if (kept != other.kept) return kept > other.kept;
        return whole && !other.whole;
      }
      return sent + later < other.sent + other.later;
    }
  };

  Cost cost_of(const Option& option, int64_t d) const {
    Cost cost;
    const int64_t n = mesh_.extent(d);
    cost.whole = option.is_whole();
    for (size_t i = 0; i < operands_.size(); ++i) {
      const Placement from = current(i, d), to = wanted(i, option);
      cost.kept += !from.is_replicate() && from == to;
      if (call_.op().reads_shape_only(call_.operands()[i].arg)) continue;
      cost.sent += transition(from, to, bytes(*call_.operands()[i].tensor), n);
    }
    for (size_t i = 0; i < results_.size(); ++i) {
      const TensorImpl* t = call_.results()[i].tensor;
      if (t && given(i, option).is_partial()) {
        cost.later += bytes_of_step(Kind::kReduceScatter, bytes(*t), 0, n);
      }
    }
    return cost;
  }

  // Partial operands that may stay so: all of a group in which the call is linear, or all operands
  // of one that only moves values.
  std::vector<Option> partial_options(int64_t d) const {
    std::vector<Option> options;
    const auto all_partial = [&](uint64_t group, std::optional<ReduceKind> kind) {
      for (size_t i = 0; i < operands_.size(); ++i) {
        if (!((group >> i) & 1u)) continue;
        const Placement p = current(i, d);
        if (!p.is_partial() || (kind && p.reduce != *kind)) return false;
      }
      return true;
    };
    for (const uint64_t group : call_.linear_groups()) {
      for (const ReduceKind kind : {ReduceKind::kSum, ReduceKind::kAvg}) {
        if (all_partial(group, kind)) options.push_back({-1, group, kind});
      }
    }
    if (call_.only_moves_values() && !operands_.empty() && operands_.size() <= 64) {
      const Placement first = current(0, d);
      const uint64_t all =
          operands_.size() == 64 ? ~uint64_t{0} : (uint64_t{1} << operands_.size()) - 1;
      if (first.is_partial() && all_partial(all, first.reduce)) {
        options.push_back({-1, all, first.reduce});
      }
    }
    return options;
  }

  Option best(int64_t d) const {
    Option found;
    Cost least = cost_of(found, d);
    const auto consider = [&](const Option& option) {
      const Cost cost = cost_of(option, d);
      if (cost < least) found = option, least = cost;
    };
    for (size_t f = 0; f < splits_.size(); ++f) {
      if (may_split(static_cast<int>(f), d)) consider({static_cast<int>(f), 0, {}});
    }
    for (const Option& option : partial_options(d)) consider(option);
    return found;
  }

  void apply(const Option& option, int64_t d) {
    const auto at = static_cast<size_t>(d);
    for (size_t i = 0; i < operands_.size(); ++i) operands_[i][at] = wanted(i, option);
    for (size_t i = 0; i < results_.size(); ++i) {
      if (call_.results()[i].tensor) results_[i][at] = given(i, option);
    }
    if (option.factor < 0) return;
    splits_[static_cast<size_t>(option.factor)] *= mesh_.extent(d);
    factors_[static_cast<size_t>(option.factor)][at] = Placement::shard(0);
  }

  const Spmd& call_;
  const ProcessMesh& mesh_;
  std::vector<Placements> operands_, results_, factors_;
  std::vector<int64_t> splits_;  // of each factor so far
};

}  // namespace

Resolution resolve(const Spmd& call, const ProcessMesh* mesh) { return Resolver(call, mesh).run(); }

}  // namespace paddle::distributed
