// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// `ProcessMesh`: ranks of a job arranged in a grid with named dimensions. Meshes are immutable and
// interned: equal ones are one object, which lives as long as the process.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "paddle_core/base/export.h"

namespace paddle {

using Ranks = std::vector<int64_t>;

class PADDLE_API ProcessMesh {
 public:
  // `ranks` in row-major order. ValueError when their number is not the product of the extents, one
  // is negative or stands there twice, or there is not one name for each dimension.
  static const ProcessMesh* get(const std::vector<int64_t>& shape, const Ranks& ranks,
                                const std::vector<std::string>& names);

  int64_t ndim() const { return static_cast<int64_t>(shape_.size()); }
  int64_t size() const { return static_cast<int64_t>(ranks_.size()); }
  const std::vector<int64_t>& shape() const { return shape_; }
  const Ranks& ranks() const { return ranks_; }
  const std::vector<std::string>& names() const { return names_; }
  int64_t extent(int64_t dim) const { return shape_[static_cast<size_t>(dim)]; }
  // Position of a rank in row-major order; -1 outside of the mesh.
  int64_t position_of(int64_t rank) const;
  // Coordinate of a position along a dimension.
  int64_t coordinate(int64_t position, int64_t dim) const;
  // The ranks that differ from the one at `position` along `dim` alone, in order.
  Ranks line(int64_t position, int64_t dim) const;

 private:
  ProcessMesh() = default;
  std::vector<int64_t> shape_, strides_;
  Ranks ranks_;
  std::vector<std::string> names_;
};

// "[2, 2] of ranks [0, 1, 2, 3]"
PADDLE_API std::ostream& operator<<(std::ostream& out, const ProcessMesh& mesh);

}  // namespace paddle
