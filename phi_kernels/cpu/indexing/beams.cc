// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of select_beams and trace_beams.
#include <algorithm>
#include <cmath>
#include <vector>

#include "paddle_core/op/registry.h"

namespace paddle::cpu {
namespace {

// Offsets from 0 up to `total`.
void check_offsets(const char* op, const char* name, const int64_t* at, int64_t count,
                   int64_t total) {
  bool fits = count > 0 && at[0] == 0 && at[count - 1] == total;
  for (int64_t i = 1; fits && i < count; ++i) fits = at[i - 1] <= at[i];
  PADDLE_CHECK_VALUE(fits, op, ": ", name, " must go from 0 up to ", total, '.');
}

template <typename T>
struct Beam {
  int64_t id, parent;
  T score;
};

// The best continuations of rows [begin, end), the best first; of equal ones the earlier.
template <typename T>
std::vector<Beam<T>> best(KernelContext& c, int64_t begin, int64_t end) {
  const int64_t width = c.in(3).shape[1].value(), last = c.i(6);
  const bool summed = c.b(7);
  const int64_t* ids = c.has(2) ? c.in_data<int64_t>(2) : nullptr;
  std::vector<Beam<T>> all;
  for (int64_t row = begin; row < end; ++row) {
    const T before = c.in_data<T>(1)[row];
    if (c.in_data<int64_t>(0)[row] == last) {
      all.push_back({last, row, before});
      continue;
    }
    for (int64_t k = 0; k < width; ++k) {
      const T score = c.in_data<T>(3)[row * width + k];
      all.push_back(
          {ids ? ids[row * width + k] : k, row, summed ? score : before + std::log(score)});
    }
  }
  const size_t kept = std::min(all.size(), static_cast<size_t>(c.i(5)));
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return a.score > b.score || (std::isnan(b.score) && !std::isnan(a.score));
  });
  all.resize(kept);
  const bool ended = std::all_of(all.begin(), all.end(), [&](const Beam<T>& b) {
    return b.id == last && c.in_data<int64_t>(0)[b.parent] == last;
  });
  if (ended) all.clear();
  return all;
}

template <typename T>
void select_beams_kernel(KernelContext& c) {
  const int64_t rows = c.in(3).shape[0].value();
  const int64_t* sources = c.in_data<int64_t>(4);
  check_offsets("select_beams", "sources", sources, c.in(4).numel, rows);
  std::vector<Beam<T>> all;
  for (int64_t i = 0; i + 1 < c.in(4).numel; ++i) {
    std::vector<Beam<T>> found = best<T>(c, sources[i], sources[i + 1]);
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.parent < b.parent; });
    all.insert(all.end(), found.begin(), found.end());
  }
  const auto n = static_cast<int64_t>(all.size());
  const Tensor ids = Tensor::empty(Shape{n, 1}, DType::kInt64);
  const Tensor scores = Tensor::empty(Shape{n, 1}, c.in(3).dtype);
  const Tensor parents = Tensor::empty(Shape{n}, DType::kInt32);
  const Tensor offsets = Tensor::empty(Shape{rows + 1}, DType::kInt64);
  std::fill_n(offsets.data<int64_t>(), rows + 1, 0);
  for (int64_t i = 0; i < n; ++i) {
    const Beam<T>& beam = all[static_cast<size_t>(i)];
    ids.data<int64_t>()[i] = beam.id;
    scores.data<T>()[i] = beam.score;
    parents.data<int32_t>()[i] = static_cast<int32_t>(beam.parent);
    ++offsets.data<int64_t>()[beam.parent + 1];
  }
  for (int64_t row = 0; row < rows; ++row) {
    offsets.data<int64_t>()[row + 1] += offsets.data<int64_t>()[row];
  }
  c.set_out(0, ids);
  c.set_out(1, scores);
  c.set_out(2, parents);
  c.set_out(3, offsets);
}

// -- the way back -----------------------------------------------------------------------------

// What one step chose: where its elements begin, and its two levels of offsets.
struct Step {
  int64_t first, rows, count;
  const int64_t *sources, *beams;
};

std::vector<Step> steps_of(KernelContext& c) {
  const int64_t n = c.in(3).numel;
  const int64_t *source_counts = c.in_data<int64_t>(3), *beam_counts = c.in_data<int64_t>(5);
  std::vector<Step> steps;
  int64_t first = 0, source = 0, beam = 0;
  for (int64_t t = 0; t < n; ++t) {
    const int64_t sources = source_counts[t], beams = beam_counts[t];
    const bool fits = sources > 0 && beams > 0 && sources == source_counts[0] &&
                      sources <= c.in(2).numel - source && beams <= c.in(4).numel - beam;
    PADDLE_CHECK_VALUE(fits, "trace_beams: step ", t, " has ", sources, " and ", beams,
                       " offsets; every step needs those of the same sources and of its beams.");
    const int64_t* ends = c.in_data<int64_t>(4) + beam;
    const int64_t count = ends[beams - 1];
    PADDLE_CHECK_VALUE(count >= 0 && count <= c.in(0).numel - first, "trace_beams: beams of step ",
                       t, " end at ", count, " of ", c.in(0).numel - first, " elements.");
    check_offsets("trace_beams", "beams", ends, beams, count);
    check_offsets("trace_beams", "sources", c.in_data<int64_t>(2) + source, sources, beams - 1);
    steps.push_back({first, beams - 1, count, c.in_data<int64_t>(2) + source, ends});
    first += count, source += sources, beam += beams;
  }
  return steps;
}

template <typename T>
struct Sentence {
  std::vector<int64_t> ids;
  std::vector<T> scores;  // the last token's first
  int64_t row;            // the beam that it continues
};

template <typename T>
void follow(KernelContext& c, const Step& step, int64_t source, std::vector<Sentence<T>>& found) {
  const int64_t* ids = c.in_data<int64_t>(0) + step.first;
  const T* scores = c.in_data<T>(1) + step.first;
  const int64_t begin = step.sources[source], end = step.sources[source + 1];
  if (found.empty()) {  // the source's last step
    for (int64_t row = begin; row < end; ++row) {
      for (int64_t k = step.beams[row]; k < step.beams[row + 1]; ++k) {
        found.push_back({{ids[k]}, {scores[k]}, row});
      }
    }
    return;
  }
  for (Sentence<T>& s : found) {
    const int64_t k = s.row;
    PADDLE_CHECK_VALUE(k >= 0 && k < step.count, "trace_beams: beam ", k,
                       " is continued; the step before has ", step.count, '.');
    if (ids[k] != c.i(6)) {
      s.ids.push_back(ids[k]);
      s.scores.push_back(scores[k]);
    }
    s.row = std::upper_bound(step.beams, step.beams + step.rows + 1, k) - step.beams - 1;
  }
}

template <typename T>
void trace_beams_kernel(KernelContext& c) {
  const std::vector<Step> steps = steps_of(c);
  const int64_t sources = steps.empty() ? 0 : c.in_data<int64_t>(3)[0] - 1;
  std::vector<int64_t> per_source{0}, per_sentence{0}, ids;
  std::vector<T> scores;
  for (int64_t source = 0; source < sources; ++source) {
    std::vector<Sentence<T>> found;
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) follow(c, *step, source, found);
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.scores[0] > b.scores[0]; });
    for (const Sentence<T>& s : found) {
      ids.insert(ids.end(), s.ids.rbegin(), s.ids.rend());
      scores.insert(scores.end(), s.scores.rbegin(), s.scores.rend());
      per_sentence.push_back(static_cast<int64_t>(ids.size()));
    }
    per_source.push_back(static_cast<int64_t>(per_sentence.size()) - 1);
  }
  const auto vector_of = [](const auto& values, DType dtype) {
    const Tensor t = Tensor::empty(Shape{static_cast<int64_t>(values.size())}, dtype);
    std::copy(values.begin(), values.end(),
              t.data<typename std::decay_t<decltype(values)>::value_type>());
    return t;
  };
  c.set_out(0, vector_of(ids, DType::kInt64));
  c.set_out(1, vector_of(scores, c.in(1).dtype));
  c.set_out(2, vector_of(per_source, DType::kInt64));
  c.set_out(3, vector_of(per_sentence, DType::kInt64));
}

}  // namespace

void register_beams_cpu(Registry& r) {
  r.kernel("select_beams", DeviceKind::kCpu, {DType::kFloat32}, select_beams_kernel<float>);
  r.kernel("select_beams", DeviceKind::kCpu, {DType::kFloat64}, select_beams_kernel<double>);
  r.kernel("trace_beams", DeviceKind::kCpu, {DType::kFloat32}, trace_beams_kernel<float>);
  r.kernel("trace_beams", DeviceKind::kCpu, {DType::kFloat64}, trace_beams_kernel<double>);
}

}  // namespace paddle::cpu
