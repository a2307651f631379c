// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// `DistAttr`: how a tensor lies on a mesh, one placement for each dimension of the mesh, and which
// elements a rank has. Interned like meshes, so equal attributes are one pointer.
//
// A tensor dimension of extent n that is cut into p parts has parts of ceil(n / p), the last ones
// what is left, possibly nothing. Several mesh dimensions that cut one tensor dimension cut in the
// order of the mesh: the second cuts the part of the first.
#pragma once

#include "paddle_core/base/small_vector.h"
#include "paddle_core/shape/shape.h"
#include "paddle_core/sharding/process_mesh.h"

namespace paddle {

// How the parts of a Partial tensor make the whole; the numbers are those of PaddlePaddle.
enum class ReduceKind : uint8_t { kSum, kMax, kMin, kProd, kAvg, kAny, kAll };
inline constexpr int kNumReduceKinds = 7;
PADDLE_API const char* name_of(ReduceKind kind);

struct Placement {
  enum class Kind : uint8_t { kReplicate, kShard, kPartial };
  Kind kind = Kind::kReplicate;
  int8_t dim = 0;                        // of kShard
  ReduceKind reduce = ReduceKind::kSum;  // of kPartial

  static Placement replicate() { return {}; }
  static Placement shard(int64_t dim) { return {Kind::kShard, static_cast<int8_t>(dim)}; }
  static Placement partial(ReduceKind reduce = ReduceKind::kSum) {
    return {Kind::kPartial, 0, reduce};
  }
  bool is_replicate() const { return kind == Kind::kReplicate; }
  bool is_shard() const { return kind == Kind::kShard; }
  bool is_shard(int64_t d) const { return kind == Kind::kShard && dim == d; }
  bool is_partial() const { return kind == Kind::kPartial; }
  friend bool operator==(const Placement& a, const Placement& b) {
    return a.kind == b.kind && a.dim == b.dim && a.reduce == b.reduce;
  }
};
using Placements = SmallVector<Placement, 3>;

// Indices [begin, begin + count) of a dimension.
struct IndexRange {
  int64_t begin = 0, count = 0;
};
using IndexRanges = SmallVector<IndexRange, 5>;
// Part `index` of `parts` of a range.
PADDLE_API IndexRange part_of(IndexRange whole, int64_t parts, int64_t index);

class PADDLE_API DistAttr {
 public:
  // ValueError when there is not one placement for each dimension of the mesh.
  static const DistAttr* get(const ProcessMesh* mesh, const Placements& placements);
  static const DistAttr* replicated(const ProcessMesh* mesh);

  const ProcessMesh* mesh() const { return mesh_; }
  const Placements& placements() const { return placements_; }
  const Placement& at(int64_t mesh_dim) const { return placements_[static_cast<size_t>(mesh_dim)]; }
  bool is_replicated() const { return replicated_; }
  bool has_partial() const { return partial_; }
  // The same with Replicate in the place of Partial.
  const DistAttr* reduced() const;

 private:
  DistAttr() = default;
  const ProcessMesh* mesh_ = nullptr;
  Placements placements_;
  bool replicated_ = true, partial_ = false;
};
PADDLE_API std::ostream& operator<<(std::ostream& out, const Placement& placement);
PADDLE_API std::ostream& operator<<(std::ostream& out, const Placements& placements);
PADDLE_API std::ostream& operator<<(std::ostream& out, const DistAttr& attr);

// ValueError when a placement cuts a dimension that a tensor of this rank does not have.
PADDLE_API void check_placements(const char* what, const Placements& placements, int64_t rank);
// What the rank at a position of the mesh has of a tensor of integer extents.
PADDLE_API IndexRanges local_ranges(const Shape& shape, const DistAttr& attr, int64_t position);
PADDLE_API Shape local_shape(const Shape& shape, const DistAttr& attr, int64_t position);

}  // namespace paddle
