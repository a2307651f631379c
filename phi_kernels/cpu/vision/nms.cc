// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels that choose among overlapping boxes.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/vision/boxes.h"

namespace paddle::cpu {
namespace {

// Intersection over union, 0 for boxes that share no area.
template <typename T>
T common_part(const T* a, const T* b) {
  const T w = std::min(a[2], b[2]) - std::max(a[0], b[0]);
  const T h = std::min(a[3], b[3]) - std::max(a[1], b[1]);
  return w <= 0 || h <= 0 ? T(0) : overlap(a, b, T(0));
}

template <typename T>
void nms_kernel(KernelContext& c) {
  const int64_t n = c.in(0).shape[0].value();
  const T* boxes = n ? c.in_data<T>(0) : nullptr;
  const T threshold = static_cast<T>(c.f(1));
  std::vector<int64_t> kept;
  for (int64_t i = 0; i < n; ++i) {
    const bool apart = std::all_of(kept.begin(), kept.end(), [&](int64_t k) {
      return !(common_part(boxes + 4 * k, boxes + 4 * i) > threshold);
    });
    if (apart) kept.push_back(i);
  }
  const Tensor out = Tensor::empty(Shape{static_cast<int64_t>(kept.size())}, DType::kInt64);
  if (!kept.empty()) std::copy(kept.begin(), kept.end(), out.data<int64_t>());
  c.set_out(0, out);
}

// -- matrix_nms -----------------------------------------------------------------------------------

template <typename T>
struct Detection {
  T label, score;
  int64_t index;  // box of all images
};

struct MatrixRule {
  double score_threshold, post_threshold, sigma;
  int64_t top;
  bool gaussian;
};

template <typename T>
void decay_class(const MatrixRule& rule, const T* boxes, const T* scores, int64_t n, T pixel,
                 T label, int64_t first, std::vector<Detection<T>>& out) {
  std::vector<int64_t> order;
  for (const int64_t i : ranked(scores, n)) {
    if (scores[i] > static_cast<T>(rule.score_threshold)) order.push_back(i);
  }
  if (rule.top >= 0 && static_cast<int64_t>(order.size()) > rule.top) {
    order.resize(static_cast<size_t>(rule.top));
  }
  std::vector<T> highest(order.size(), T(0));  // overlap of each box with better ones
  for (size_t i = 0; i < order.size(); ++i) {
    T decay = 1;
    for (size_t j = 0; j < i; ++j) {
      const T iou = overlap(boxes + 4 * order[i], boxes + 4 * order[j], pixel);
      const T before = highest[j];
      const T factor = rule.gaussian
                           ? std::exp((before * before - iou * iou) * static_cast<T>(rule.sigma))
                           : (1 - iou) / (1 - before);
      highest[i] = std::max(highest[i], iou);
      decay = std::min(decay, factor);
    }
    const T score = i == 0 ? scores[order[i]] : decay * scores[order[i]];
    if (score > static_cast<T>(rule.post_threshold))
      out.push_back({label, score, first + order[i]});
  }
}

// arguments: bboxes, scores, score_threshold, nms_top_k, keep_top_k, post_threshold, use_gaussian,
// gaussian_sigma, background_label, normalized
template <typename T>
void matrix_nms_kernel(KernelContext& c) {
  const Shape& s = c.in(1).shape;
  const int64_t images = s[0].value(), classes = s[1].value(), n = s[2].value();
  const MatrixRule rule{c.f(2), c.f(5), c.f(7), c.i(3), c.b(6)};
  const T pixel = c.b(9) ? T(0) : T(1);
  const bool any = images * classes * n > 0;
  const T *boxes = any ? c.in_data<T>(0) : nullptr, *scores = any ? c.in_data<T>(1) : nullptr;
  std::vector<Detection<T>> all;
  const Tensor counts = Tensor::empty(Shape{images}, DType::kInt32);
  for (int64_t image = 0; image < images; ++image) {
    std::vector<Detection<T>> found;
    for (int64_t k = 0; any && k < classes; ++k) {
      if (k == c.i(8)) continue;
      decay_class(rule, boxes + image * n * 4, scores + (image * classes + k) * n, n, pixel,
                  static_cast<T>(k), image * n, found);
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.score > b.score; });
    if (c.i(4) >= 0 && static_cast<int64_t>(found.size()) > c.i(4)) {
      found.resize(static_cast<size_t>(c.i(4)));
    }
    counts.data<int32_t>()[image] = static_cast<int32_t>(found.size());
    all.insert(all.end(), found.begin(), found.end());
  }
  const auto total = static_cast<int64_t>(all.size());
  const Tensor out = Tensor::empty(Shape{total, 6}, c.in(0).dtype);
  const Tensor index = Tensor::empty(Shape{total, 1}, DType::kInt32);
  for (int64_t i = 0; i < total; ++i) {
    const Detection<T>& d = all[static_cast<size_t>(i)];
    T* row = out.data<T>() + 6 * i;
    row[0] = d.label, row[1] = d.score;
    std::copy(boxes + 4 * d.index, boxes + 4 * d.index + 4, row + 2);
    index.data<int32_t>()[i] = static_cast<int32_t>(d.index);
  }
  c.set_out(0, out);
  c.set_out(1, index);
  c.set_out(2, counts);
}

// -- generate_proposals ---------------------------------------------------------------------------

template <typename T>
using Box = std::array<T, 4>;

struct ProposalRule {
  int64_t before, after;
  double threshold, min_size, eta;
  bool pixel_offset;
};

// An anchor moved and scaled, cut to the image.
template <typename T>
Box<T> proposal(const T* anchor, const T* variance, const T* delta, int64_t stride, const T* image,
                T pixel) {
  const T w = anchor[2] - anchor[0] + pixel, h = anchor[3] - anchor[1] + pixel;
  const T limit = static_cast<T>(std::log(1000.0 / 16.0));
  const T cx = variance[0] * delta[0] * w + anchor[0] + w / 2;
  const T cy = variance[1] * delta[stride] * h + anchor[1] + h / 2;
  const T bw = std::exp(std::min(variance[2] * delta[2 * stride], limit)) * w;
  const T bh = std::exp(std::min(variance[3] * delta[3 * stride], limit)) * h;
  const auto cut = [pixel](T v, T size) { return std::max(std::min(v, size - pixel), T(0)); };
  return {cut(cx - bw / 2, image[1]), cut(cy - bh / 2, image[0]),
          cut(cx + bw / 2 - pixel, image[1]), cut(cy + bh / 2 - pixel, image[0])};
}

template <typename T>
bool large_enough(const Box<T>& box, const T* image, const ProposalRule& rule) {
  const T pixel = rule.pixel_offset ? T(1) : T(0);
  const T least = static_cast<T>(std::max(rule.min_size, 1.0));
  const T w = box[2] - box[0], h = box[3] - box[1];
  if (!rule.pixel_offset) return w >= least && h >= least;
  return w + pixel >= least && h + pixel >= least && box[0] + (w + pixel) / 2 <= image[1] &&
         box[1] + (h + pixel) / 2 <= image[0];
}

template <typename T>
void append_proposals(const ProposalRule& rule, const std::vector<Box<T>>& boxes,
                      const std::vector<T>& scores, std::vector<Box<T>>& out,
                      std::vector<T>& probs) {
  const T pixel = rule.pixel_offset ? T(1) : T(0);
  std::vector<size_t> kept;
  double threshold = rule.threshold;
  for (size_t i = 0; i < boxes.size(); ++i) {
    if (rule.after > 0 && static_cast<int64_t>(kept.size()) >= rule.after) break;
    const bool apart = std::all_of(kept.begin(), kept.end(), [&](size_t k) {
      return overlap(boxes[i].data(), boxes[k].data(), pixel) <= static_cast<T>(threshold);
    });
    if (!apart) continue;
    kept.push_back(i);
    if (rule.eta < 1 && threshold > 0.5) threshold *= rule.eta;
  }
  for (const size_t k : kept) {
    out.push_back(boxes[k]);
    probs.push_back(scores[k]);
  }
}

// arguments: scores, bbox_deltas, im_shape, anchors, variances, pre_nms_top_n, post_nms_top_n,
// nms_thresh, min_size, eta, pixel_offset
template <typename T>
void proposals_kernel(KernelContext& c) {
  const Shape& s = c.in(0).shape;
  const int64_t images = s[0].value(), anchors = s[1].value(), cells = s[2].value() * s[3].value();
  const ProposalRule rule{c.i(5), c.i(6), c.f(7), c.f(8), c.f(9), c.b(10)};
  const int64_t n = anchors * cells;
  std::vector<Box<T>> rois;
  std::vector<T> probs;
  const Tensor counts = Tensor::empty(Shape{images}, DType::kInt32);
  for (int64_t image = 0; image < images; ++image) {
    const size_t before = rois.size();
    if (n > 0) {
      const T *scores = c.in_data<T>(0) + image * n, *deltas = c.in_data<T>(1) + image * 4 * n;
      const T* size = c.in_data<T>(2) + 2 * image;
      // Candidates are counted cell by cell, as anchors are.
      std::vector<T> by_cell(static_cast<size_t>(n));
      for (int64_t i = 0; i < n; ++i) {
        by_cell[static_cast<size_t>(i)] = scores[i % anchors * cells + i / anchors];
      }
      std::vector<int64_t> order = ranked(by_cell.data(), n);
      if (rule.before > 0 && n > rule.before) order.resize(static_cast<size_t>(rule.before));
      std::vector<Box<T>> boxes;
      std::vector<T> values;
      for (const int64_t i : order) {
        const Box<T> box = proposal(c.in_data<T>(3) + 4 * i, c.in_data<T>(4) + 4 * i,
                                    deltas + i % anchors * 4 * cells + i / anchors, cells, size,
                                    rule.pixel_offset ? T(1) : T(0));
        if (!large_enough(box, size, rule)) continue;
        boxes.push_back(box);
        values.push_back(by_cell[static_cast<size_t>(i)]);
      }
      if (boxes.empty()) {
        boxes.push_back({});
        values.push_back(T(0));
      }
      append_proposals(rule, boxes, values, rois, probs);
    }
    counts.data<int32_t>()[image] = static_cast<int32_t>(rois.size() - before);
  }
  const auto total = static_cast<int64_t>(rois.size());
  const Tensor out = Tensor::empty(Shape{total, 4}, c.in(0).dtype);
  const Tensor probabilities = Tensor::empty(Shape{total, 1}, c.in(0).dtype);
  for (int64_t i = 0; i < total; ++i) {
    std::copy_n(rois[static_cast<size_t>(i)].begin(), 4, out.data<T>() + 4 * i);
    probabilities.data<T>()[i] = probs[static_cast<size_t>(i)];
  }
  c.set_out(0, out);
  c.set_out(1, probabilities);
  c.set_out(2, counts);
}

template <typename T>
void add_kernels(Registry& r, DType dtype) {
  r.kernel("nms", DeviceKind::kCpu, {dtype}, nms_kernel<T>);
  r.kernel("matrix_nms", DeviceKind::kCpu, {dtype}, matrix_nms_kernel<T>);
  r.kernel("generate_proposals", DeviceKind::kCpu, {dtype}, proposals_kernel<T>);
}

}  // namespace

void register_nms_cpu(Registry& r) {
  add_kernels<float>(r, DType::kFloat32);
  add_kernels<double>(r, DType::kFloat64);
}

}  // namespace paddle::cpu
