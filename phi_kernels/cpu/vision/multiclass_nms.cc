// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Non-maximum suppression per class: boxes, or polygons of 4, 8, 12 or 16 corners.
#include <algorithm>
#include <cmath>
#include <vector>

#include "paddle_core/device/parallel.h"
#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/vision/boxes.h"
#include "phi_kernels/cpu/vision/polygons.h"

namespace paddle::cpu {
namespace {

// -- suppression ----------------------------------------------------------------------------------

struct Rule {
  double score_threshold, threshold, eta;
  int64_t before, after, background;
  bool normalized;
};

// The boxes and scores of one class of one image: element i lies i * stride apart.
template <typename T>
struct Candidates {
  const T *boxes, *scores;
  int64_t count, box_size, box_stride, score_stride;
};

template <typename T>
struct Found {
  T score;
  int64_t label, box;  // box: of the image
};

template <typename T>
void suppress(const Rule& rule, const Candidates<T>& c, int64_t label, std::vector<Found<T>>& out) {
  std::vector<T> values;
  std::vector<int64_t> from;
  for (int64_t i = 0; i < c.count; ++i) {
    const T score = c.scores[i * c.score_stride];
    if (!(score > static_cast<T>(rule.score_threshold))) continue;
    values.push_back(score);
    from.push_back(i);
  }
  std::vector<int64_t> order = ranked(values.data(), static_cast<int64_t>(values.size()));
  if (rule.before >= 0 && static_cast<int64_t>(order.size()) > rule.before) {
    order.resize(static_cast<size_t>(rule.before));
  }
  const T pixel = rule.normalized ? T(0) : T(1);
  T threshold = static_cast<T>(rule.threshold);
  std::vector<const T*> kept;
  for (const int64_t i : order) {
    const int64_t box = from[static_cast<size_t>(i)];
    const T* own = c.boxes + box * c.box_stride;
    const bool apart = std::all_of(kept.begin(), kept.end(), [&](const T* other) {
      const T iou =
          c.box_size == 4 ? overlap(own, other, pixel) : polygon_overlap(own, other, c.box_size);
      return iou <= threshold;
    });
    if (!apart) continue;
    kept.push_back(own);
    out.push_back({values[static_cast<size_t>(i)], label, box});
    if (rule.eta < 1 && threshold > T(0.5)) threshold *= static_cast<T>(rule.eta);
  }
}

// The results of an image, class by class.
template <typename T>
std::vector<Found<T>> choose(const Rule& rule, std::vector<std::vector<Found<T>>>& classes,
                             bool by_box) {
  std::vector<Found<T>> all;
  for (auto& found : classes) {
    if (by_box) {
      std::sort(found.begin(), found.end(),
                [](const auto& a, const auto& b) { return a.box < b.box; });
    }
    all.insert(all.end(), found.begin(), found.end());
  }
  if (rule.after < 0 || static_cast<int64_t>(all.size()) <= rule.after) return all;
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.score > b.score; });
  all.resize(static_cast<size_t>(rule.after));
  std::stable_sort(all.begin(), all.end(), [by_box](const auto& a, const auto& b) {
    return a.label != b.label ? a.label < b.label : by_box && a.box < b.box;
  });
  return all;
}

// arguments: bboxes, scores, rois_num, score_threshold, nms_top_k, keep_top_k, nms_threshold,
// normalized, nms_eta, background_label. Scores are [N, classes, M] with bboxes [N, M, size], or,
// with rois_num boxes in each image, [M, classes] with bboxes [M, classes, size].
template <typename T>
void multiclass_nms_kernel(KernelContext& c) {
  const Rule rule{c.f(3), c.f(6), c.f(8), c.i(4), c.i(5), c.i(9), c.b(7)};
  const Shape& s = c.in(1).shape;
  const bool shared = s.size() == 3;  // classes share the boxes
  const int64_t classes = s[1].value(), size = c.in(0).shape[2].value();
  std::vector<int64_t> counts;
  if (shared) {
    counts.assign(static_cast<size_t>(s[0].value()), s[2].value());
  } else {
    int64_t total = 0;
    for (int64_t i = 0; i < c.in(2).numel; ++i) {
      counts.push_back(c.in(2).dtype == DType::kInt32 ? c.in_data<int32_t>(2)[i]
                                                      : c.in_data<int64_t>(2)[i]);
      PADDLE_CHECK_VALUE(counts.back() >= 0 && counts.back() <= s[0].value() - total,
                         "multiclass_nms3: rois_num[", i, "] has value ", counts.back(),
                         "; the numbers must be positive and add up to ", s[0], ", the boxes.");
      total += counts.back();
    }
  }
  struct Row {
    Found<T> found;
    const T* box;
    int64_t index;
  };
  std::vector<Row> rows;
  const auto images = static_cast<int64_t>(counts.size());
  const Tensor numbers = Tensor::empty(Shape{images}, DType::kInt32);
  const bool any = c.in(0).numel > 0 && c.in(1).numel > 0;
  int64_t first = 0;
  for (int64_t image = 0; image < images; ++image) {
    const int64_t n = counts[static_cast<size_t>(image)];
    std::vector<std::vector<Found<T>>> found(static_cast<size_t>(classes));
    const T* boxes = any ? c.in_data<T>(0) + first * size * (shared ? 1 : classes) : nullptr;
    const T* scores = any ? c.in_data<T>(1) + first * classes : nullptr;
    parallel_for(0, any ? classes : 0, 1, [&](int64_t begin, int64_t end) {
      for (int64_t k = begin; k < end; ++k) {
        if (k == rule.background) continue;
        const Candidates<T> own =
            shared ? Candidates<T>{boxes, scores + k * n, n, size, size, 1}
                   : Candidates<T>{boxes + k * size, scores + k, n, size, classes * size, classes};
        suppress(rule, own, k, found[static_cast<size_t>(k)]);
      }
    });
    const std::vector<Found<T>> chosen = choose(rule, found, !shared);
    for (const Found<T>& f : chosen) {
      const int64_t at = shared ? f.box : f.box * classes + f.label;
      rows.push_back({f, boxes + at * size, first * (shared ? 1 : classes) + at});
    }
    numbers.data<int32_t>()[image] = static_cast<int32_t>(chosen.size());
    first += n;
  }
  const auto total = static_cast<int64_t>(rows.size());
  const Tensor out = Tensor::empty(Shape{total, size + 2}, c.in(0).dtype);
  const Tensor index = Tensor::empty(Shape{total, 1}, DType::kInt32);
  for (int64_t i = 0; i < total; ++i) {
    const Row& row = rows[static_cast<size_t>(i)];
    T* to = out.data<T>() + i * (size + 2);
    to[0] = static_cast<T>(row.found.label), to[1] = row.found.score;
    std::copy(row.box, row.box + size, to + 2);
    index.data<int32_t>()[i] = static_cast<int32_t>(row.index);
  }
  c.set_out(0, out);
  c.set_out(1, index);
  c.set_out(2, numbers);
}

}  // namespace

void register_multiclass_nms_cpu(Registry& r) {
  r.kernel("multiclass_nms3", DeviceKind::kCpu, {DType::kFloat32}, multiclass_nms_kernel<float>);
  r.kernel("multiclass_nms3", DeviceKind::kCpu, {DType::kFloat64}, multiclass_nms_kernel<double>);
}

}  // namespace paddle::cpu
