// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of anchor boxes on the CPU: heads of YOLO, coding against priors, priors.
#include <algorithm>
#include <cmath>
#include <vector>

#include "paddle_core/device/parallel.h"
#include "paddle_core/op/registry.h"

namespace paddle::cpu {
namespace {

template <typename T>
T sigmoid(T x) {
  return 1 / (1 + std::exp(-x));
}

// arguments: x, img_size, anchors, class_num, conf_thresh, downsample_ratio, clip_bbox, scale_x_y,
// iou_aware, iou_aware_factor
template <typename T>
struct YoloHead {
  const T* x;
  int64_t h, w, anchors, classes, records;
  bool iou_aware;
  // Record `entry` of anchor a at a cell; confidences of overlap stand before all records.
  T at(int64_t n, int64_t a, int64_t entry, int64_t cell) const {
    const int64_t before = iou_aware ? anchors : 0;
    return x[(n * records + before + a * (5 + classes) + entry) * h * w + cell];
  }
  T overlap(int64_t n, int64_t a, int64_t cell) const {
    return x[(n * records + a) * h * w + cell];
  }
};

template <typename T>
void yolo_box_kernel(KernelContext& c) {
  const Shape& s = c.in(0).shape;
  if (c.out(0).numel == 0) return;
  const auto sizes = c.ints(2);
  const YoloHead<T> head{
      c.in_data<T>(0), s[2].value(), s[3].value(), static_cast<int64_t>(sizes.size()) / 2,
      c.i(3),          s[1].value(), c.b(8)};
  const T threshold = static_cast<T>(c.f(4)), scale = static_cast<T>(c.f(7));
  const T bias = static_cast<T>(-0.5) * (scale - 1), factor = static_cast<T>(c.f(9));
  const bool clip = c.b(6);
  const int64_t down = c.i(5), cells = head.h * head.w, per_image = head.anchors * cells;
  const int32_t* image = c.in_data<int32_t>(1);
  T *boxes = c.out_data<T>(0), *scores = c.out_data<T>(1);
  std::fill(boxes, boxes + c.out(0).numel, T(0));
  std::fill(scores, scores + c.out(1).numel, T(0));
  parallel_for(0, s[0].value() * per_image, 256, [&](int64_t begin, int64_t end) {
    for (int64_t u = begin; u < end; ++u) {
      const int64_t n = u / per_image, a = u % per_image / cells, cell = u % cells;
      T confidence = sigmoid(head.at(n, a, 4, cell));
      if (head.iou_aware) {
        confidence =
            std::pow(confidence, 1 - factor) * std::pow(sigmoid(head.overlap(n, a, cell)), factor);
      }
      if (confidence < threshold) continue;
      const T ih = static_cast<T>(image[2 * n]), iw = static_cast<T>(image[2 * n + 1]);
      const T column = static_cast<T>(cell % head.w), row = static_cast<T>(cell / head.w);
      const T x =
          (column + sigmoid(head.at(n, a, 0, cell)) * scale + bias) * iw / static_cast<T>(head.w);
      const T y =
          (row + sigmoid(head.at(n, a, 1, cell)) * scale + bias) * ih / static_cast<T>(head.h);
      const auto extent = [&](size_t k, int64_t entry, T size, int64_t grid) {
        return std::exp(head.at(n, a, entry, cell)) *
               static_cast<T>(sizes[2 * static_cast<size_t>(a) + k].value()) * size /
               (static_cast<T>(down) * static_cast<T>(grid));
      };
      const T w = extent(0, 2, iw, head.w), h = extent(1, 3, ih, head.h);
      T* box = boxes + 4 * u;
      box[0] = x - w / 2, box[1] = y - h / 2, box[2] = x + w / 2, box[3] = y + h / 2;
      if (clip) {
        box[0] = std::max(box[0], T(0)), box[1] = std::max(box[1], T(0));
        box[2] = std::min(box[2], iw - 1), box[3] = std::min(box[3], ih - 1);
      }
      for (int64_t k = 0; k < head.classes; ++k) {
        scores[u * head.classes + k] = confidence * sigmoid(head.at(n, a, 5 + k, cell));
      }
    }
  });
}

template <typename T>
struct Centred {
  T x, y, w, h;
  Centred(const T* box, T pixel)
      : x(box[0] + (box[2] - box[0] + pixel) / 2),
        y(box[1] + (box[3] - box[1] + pixel) / 2),
        w(box[2] - box[0] + pixel),
        h(box[3] - box[1] + pixel) {}
};

// arguments: prior_box, prior_box_var, target_box, code_type, box_normalized, axis, variance
template <typename T>
void box_coder_kernel(KernelContext& c) {
  const Shape& out = c.out(0).shape;
  if (c.out(0).numel == 0) return;
  const T pixel = c.b(4) ? T(0) : T(1);
  const bool encode = c.text(3) == "encode_center_size";
  const Slot& constant = c.slot(6);
  const int64_t rows = out[0].value(), columns = out[1].value();
  const bool prior_by_column = encode || c.i(5) == 0;
  const T *priors = c.in_data<T>(0), *targets = c.in_data<T>(2);
  T* result = c.out_data<T>(0);
  parallel_for(0, rows * columns, 1024, [&](int64_t begin, int64_t end) {
    for (int64_t u = begin; u < end; ++u) {
      const int64_t p = prior_by_column ? u % columns : u / columns;
      const Centred<T> prior(priors + 4 * p, pixel);
      T variance[4] = {1, 1, 1, 1};
      for (int k = 0; k < 4; ++k) {
        if (c.has(1)) {
          variance[k] = c.in_data<T>(1)[4 * p + k];
        } else if (constant.count == 4) {
          variance[k] = static_cast<T>(constant.floats[k]);
        }
      }
      T* to = result + 4 * u;
      if (encode) {
        const T* box = targets + 4 * (u / columns);
        const Centred<T> target(box, pixel);
        to[0] = ((box[0] + box[2]) / 2 - prior.x) / prior.w / variance[0];
        to[1] = ((box[1] + box[3]) / 2 - prior.y) / prior.h / variance[1];
        to[2] = std::log(std::abs(target.w / prior.w)) / variance[2];
        to[3] = std::log(std::abs(target.h / prior.h)) / variance[3];
        continue;
      }
      const T* code = targets + 4 * u;
      const T x = variance[0] * code[0] * prior.w + prior.x;
      const T y = variance[1] * code[1] * prior.h + prior.y;
      const T w = std::exp(variance[2] * code[2]) * prior.w;
      const T h = std::exp(variance[3] * code[3]) * prior.h;
      to[0] = x - w / 2, to[1] = y - h / 2;
      to[2] = x + w / 2 - pixel, to[3] = y + h / 2 - pixel;
    }
  });
}

// Widths and heights of the priors of a pixel.
std::vector<std::pair<double, double>> prior_sizes(const KernelContext& c) {
  std::vector<double> ratios{1.0};
  for (uint32_t i = 0; i < c.slot(4).count; ++i) {
    const double given = c.slot(4).floats[i];
    bool known = false;
    for (const double r : ratios) known |= std::abs(r - given) < 1e-6;
    if (known) continue;
    ratios.push_back(given);
    if (c.b(6)) ratios.push_back(1 / given);
  }
  std::vector<std::pair<double, double>> sizes;
  for (uint32_t i = 0; i < c.slot(2).count; ++i) {
    const double small = c.slot(2).floats[i];
    const auto add_large = [&] {
      if (c.slot(3).count == 0) return;
      const double side = std::sqrt(small * c.slot(3).floats[i]);
      sizes.emplace_back(side, side);
    };
    const bool large_second = c.b(11);
    sizes.emplace_back(small, small);
    if (large_second) add_large();
    for (size_t k = 1; k < ratios.size(); ++k) {
      sizes.emplace_back(small * std::sqrt(ratios[k]), small / std::sqrt(ratios[k]));
    }
    if (!large_second) add_large();
  }
  return sizes;
}

// arguments: input, image, min_sizes, max_sizes, aspect_ratios, variances, flip, clip, step_w,
// step_h, offset, min_max_aspect_ratios_order
template <typename T>
void prior_box_kernel(KernelContext& c) {
  if (c.out(0).numel == 0) return;
  const int64_t h = c.in(0).shape[2].value(), w = c.in(0).shape[3].value();
  const double image_h = static_cast<double>(c.in(1).shape[2].value());
  const double image_w = static_cast<double>(c.in(1).shape[3].value());
  const bool given = c.f(8) != 0 && c.f(9) != 0;
  const double step_w = given ? c.f(8) : image_w / static_cast<double>(w);
  const double step_h = given ? c.f(9) : image_h / static_cast<double>(h);
  const auto sizes = prior_sizes(c);
  T *out = c.out_data<T>(0), *variance = c.out_data<T>(1);
  for (int64_t y = 0; y < h; ++y) {
    for (int64_t x = 0; x < w; ++x) {
      const double cx = (static_cast<double>(x) + c.f(10)) * step_w;
      const double cy = (static_cast<double>(y) + c.f(10)) * step_h;
      for (const auto& [width, height] : sizes) {
        const double box[] = {(cx - width / 2) / image_w, (cy - height / 2) / image_h,
                              (cx + width / 2) / image_w, (cy + height / 2) / image_h};
        for (int k = 0; k < 4; ++k) {
          *out++ = static_cast<T>(c.b(7) ? std::clamp(box[k], 0.0, 1.0) : box[k]);
          *variance++ = static_cast<T>(c.slot(5).floats[k]);
        }
      }
    }
  }
}

template <typename T>
void add_kernels(Registry& r, DType dtype) {
  r.kernel("yolo_box", DeviceKind::kCpu, {dtype}, yolo_box_kernel<T>);
  r.kernel("box_coder", DeviceKind::kCpu, {dtype}, box_coder_kernel<T>);
  r.kernel("prior_box", DeviceKind::kCpu, {dtype}, prior_box_kernel<T>);
}

}  // namespace

void register_detection_cpu(Registry& r) {
  add_kernels<float>(r, DType::kFloat32);
  add_kernels<double>(r, DType::kFloat64);
}

}  // namespace paddle::cpu
