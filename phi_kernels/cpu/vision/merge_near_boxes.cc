// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernel of merge_near_boxes.
#include <algorithm>
#include <limits>

#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/vision/boxes.h"
#include "phi_kernels/cpu/vision/polygons.h"

namespace paddle::cpu {
namespace {

// The boxes of one class: box i at i * stride, its score at i * score_stride.
template <typename T>
struct Boxes {
  T *boxes, *scores;
  int64_t count, size, stride, score_stride;
};

template <typename T>
void merge(const Boxes<T>& b, T threshold, T pixel) {
  int64_t first = 0;
  for (int64_t i = 1; i < b.count; ++i) {
    T *to = b.boxes + first * b.stride, *from = b.boxes + i * b.stride;
    T &kept = b.scores[first * b.score_stride], &own = b.scores[i * b.score_stride];
    const T shared = b.size == 4 ? overlap(from, to, pixel) : polygon_overlap(from, to, b.size);
    if (!(shared > threshold)) {
      first = i;
      continue;
    }
    for (int64_t k = 0; k < b.size; ++k) to[k] = (from[k] * own + to[k] * kept) / (own + kept);
    kept += own;
    own = -std::numeric_limits<T>::infinity();
  }
}

// arguments: bboxes [N, M, size], scores [N, classes, M], threshold, normalized
template <typename T>
void merge_near_boxes_kernel(KernelContext& c) {
  const Shape& s = c.in(1).shape;
  const int64_t images = s[0].value(), classes = s[1].value(), count = s[2].value();
  const int64_t size = c.in(0).shape[2].value();
  if (c.in(0).numel == 0 || c.in(1).numel == 0) return;
  const T *boxes = c.in_data<T>(0), *scores = c.in_data<T>(1);
  T *out = c.out_data<T>(0), *merged = c.out_data<T>(1);
  for (int64_t row = 0; row < images * count; ++row) {
    const int64_t image = row / count, box = row % count;
    for (int64_t k = 0; k < classes; ++k) {
      std::copy_n(boxes + row * size, size, out + (row * classes + k) * size);
      merged[row * classes + k] = scores[(image * classes + k) * count + box];
    }
  }
  for (int64_t image = 0; image < images; ++image) {
    for (int64_t k = 0; k < classes; ++k) {
      const int64_t at = image * count * classes + k;
      merge(Boxes<T>{out + at * size, merged + at, count, size, classes * size, classes},
            static_cast<T>(c.f(2)), c.b(3) ? T(0) : T(1));
    }
  }
}

}  // namespace

void register_merge_near_boxes_cpu(Registry& r) {
  r.kernel("merge_near_boxes", DeviceKind::kCpu, {DType::kFloat32}, merge_near_boxes_kernel<float>);
  r.kernel("merge_near_boxes", DeviceKind::kCpu, {DType::kFloat64},
           merge_near_boxes_kernel<double>);
}

}  // namespace paddle::cpu
