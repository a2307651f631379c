// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0

#include "paddle_core/sharding/process_mesh.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <ostream>
#include <set>
#include <tuple>

#include "paddle_core/base/error.h"

namespace paddle {
namespace {

void put_list(std::ostream& out, const std::vector<int64_t>& numbers) {
  out << '[';
  for (size_t i = 0; i < numbers.size(); ++i) out << (i ? ", " : "") << numbers[i];
  out << ']';
}

std::string listed(const std::vector<int64_t>& numbers) {
  std::ostringstream out;
  put_list(out, numbers);
  return out.str();
}

void check(const std::vector<int64_t>& shape, const Ranks& ranks,
           const std::vector<std::string>& names) {
  int64_t places = 1;
  for (const int64_t extent : shape) {
    PADDLE_CHECK_VALUE(extent > 0 && !__builtin_mul_overflow(places, extent, &places),
                       "ProcessMesh: shape has value ", listed(shape),
                       "; extents must be positive.");
  }
  PADDLE_CHECK_VALUE(places == static_cast<int64_t>(ranks.size()), "ProcessMesh: shape ",
                     listed(shape), " has ", places, " places for ", ranks.size(), " ranks.");
  const std::set<int64_t> distinct(ranks.begin(), ranks.end());
  PADDLE_CHECK_VALUE(distinct.size() == ranks.size() && *distinct.begin() >= 0,
                     "ProcessMesh: ranks ", listed(ranks), " must be distinct and not negative.");
  PADDLE_CHECK_VALUE(names.size() == shape.size(), "ProcessMesh: there are ", names.size(),
                     " names of dimensions for shape ", listed(shape), ".");
}

}  // namespace

const ProcessMesh* ProcessMesh::get(const std::vector<int64_t>& shape, const Ranks& ranks,
                                    const std::vector<std::string>& names) {
  using Key = std::tuple<std::vector<int64_t>, Ranks, std::vector<std::string>>;
  static std::mutex mutex;
  static auto& known = *new std::map<Key, std::unique_ptr<const ProcessMesh>>;
  const std::lock_guard lock(mutex);
  auto& mesh = known[Key(shape, ranks, names)];
  if (mesh) return mesh.get();
  check(shape, ranks, names);
  std::unique_ptr<ProcessMesh> made(new ProcessMesh);
  made->shape_ = shape;
  made->ranks_ = ranks;
  made->names_ = names;
  made->strides_.assign(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;) made->strides_[d - 1] = made->strides_[d] * shape[d];
  mesh = std::move(made);
  return mesh.get();
}

int64_t ProcessMesh::position_of(int64_t rank) const {
  const auto at = std::find(ranks_.begin(), ranks_.end(), rank);
  return at == ranks_.end() ? -1 : at - ranks_.begin();
}

int64_t ProcessMesh::coordinate(int64_t position, int64_t dim) const {
  return position / strides_[static_cast<size_t>(dim)] % extent(dim);
}

Ranks ProcessMesh::line(int64_t position, int64_t dim) const {
  const int64_t stride = strides_[static_cast<size_t>(dim)];
  const int64_t first = position - coordinate(position, dim) * stride;
  Ranks line;
  for (int64_t i = 0; i < extent(dim); ++i) {
    line.push_back(ranks_[static_cast<size_t>(first + i * stride)]);
  }
  return line;
}

std::ostream& operator<<(std::ostream& out, const ProcessMesh& mesh) {
  put_list(out, mesh.shape());
  out << " of ranks ";
  put_list(out, mesh.ranks());
  return out;
}

}  // namespace paddle
