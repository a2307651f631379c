// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0

#include "paddle_core/sharding/dist_attr.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <ostream>

#include "paddle_core/base/error.h"

namespace paddle {

const char* name_of(ReduceKind kind) {
  static constexpr const char* kNames[kNumReduceKinds] = {"SUM", "MAX", "MIN", "PROD",
                                                          "AVG", "ANY", "ALL"};
  return kNames[static_cast<size_t>(kind)];
}

IndexRange part_of(IndexRange whole, int64_t parts, int64_t index) {
  const int64_t size = (whole.count + parts - 1) / parts;
  const int64_t begin = std::min(size * index, whole.count);
  return {whole.begin + begin, std::min(size, whole.count - begin)};
}

const DistAttr* DistAttr::get(const ProcessMesh* mesh, const Placements& placements) {
  PADDLE_CHECK_VALUE(static_cast<int64_t>(placements.size()) == mesh->ndim(),
                     "placements: there are ", placements.size(), " for a mesh of shape ", *mesh,
                     "; give one for each of its dimensions.");
  using Key = std::pair<const ProcessMesh*, std::string>;
  std::string code;
  for (const Placement& p : placements) {
    code.push_back(static_cast<char>(p.kind));
    code.push_back(p.is_shard() ? static_cast<char>(p.dim) : static_cast<char>(p.reduce));
  }
  static std::mutex mutex;
  static auto& known = *new std::map<Key, std::unique_ptr<const DistAttr>>;
  const std::lock_guard lock(mutex);
  auto& attr = known[Key(mesh, code)];
  if (attr) return attr.get();
  std::unique_ptr<DistAttr> made(new DistAttr);
  made->mesh_ = mesh;
  made->placements_ = placements;
  for (const Placement& p : placements) {
    made->replicated_ &= p.is_replicate();
    made->partial_ |= p.is_partial();
  }
  attr = std::move(made);
  return attr.get();
}

const DistAttr* DistAttr::replicated(const ProcessMesh* mesh) {
  return get(mesh, Placements(static_cast<size_t>(mesh->ndim())));
}

const DistAttr* DistAttr::reduced() const {
  if (!partial_) return this;
  Placements placements = placements_;
  for (Placement& p : placements) {
    if (p.is_partial()) p = Placement::replicate();
  }
  return get(mesh_, placements);
}

void check_placements(const char* what, const Placements& placements, int64_t rank) {
  for (const Placement& p : placements) {
    PADDLE_CHECK_VALUE(!p.is_shard() || (p.dim >= 0 && p.dim < rank), what, ": ", p,
                       " on a tensor of ", rank, " dimensions.");
  }
}

IndexRanges local_ranges(const Shape& shape, const DistAttr& attr, int64_t position) {
  IndexRanges ranges;
  for (const Dim extent : shape) ranges.push_back({0, extent.value()});
  const ProcessMesh& mesh = *attr.mesh();
  for (int64_t d = 0; d < mesh.ndim(); ++d) {
    if (!attr.at(d).is_shard()) continue;
    IndexRange& range = ranges[static_cast<size_t>(attr.at(d).dim)];
    range = part_of(range, mesh.extent(d), mesh.coordinate(position, d));
  }
  return ranges;
}

Shape local_shape(const Shape& shape, const DistAttr& attr, int64_t position) {
  Shape local;
  for (const IndexRange& range : local_ranges(shape, attr, position))
    local.push_back(Dim(range.count));
  return local;
}

std::ostream& operator<<(std::ostream& out, const Placement& p) {
  if (p.is_replicate()) return out << "Replicate()";
  if (p.is_shard()) return out << "Shard(dim=" << static_cast<int>(p.dim) << ")";
  return out << "Partial(reduce_type=" << name_of(p.reduce) << ")";
}

std::ostream& operator<<(std::ostream& out, const Placements& placements) {
  out << '[';
  for (size_t i = 0; i < placements.size(); ++i) out << (i ? ", " : "") << placements[i];
  return out << ']';
}

std::ostream& operator<<(std::ostream& out, const DistAttr& attr) {
  return out << attr.placements() << " on a mesh of shape " << *attr.mesh();
}

}  // namespace paddle
