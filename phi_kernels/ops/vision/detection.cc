// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Operators of object detection without gradients: anchor boxes, their coding, and the suppression
// of boxes that overlap.
#include <cmath>
#include <vector>

#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"
#include "phi_kernels/ops/sharding_rules.h"

namespace paddle::ops {
namespace {

void require_real(const Infer& c, int k) {
  c.require_floating(k);
  PADDLE_CHECK_TYPE(!is_complex(c.dtype(k)), c.op_name(), ": ", c.arg_name(k), " has dtype ",
                    c.dtype(k), "; it must be a real floating type.");
}

void require_last(const Infer& c, int k, int64_t size) {
  PADDLE_CHECK_VALUE(c.rank(k) >= 1 && decide_eq(c.shape(k).back(), size, true), c.op_name(), ": ",
                     c.arg_name(k), " has shape ", c.shape(k), "; its last axis must have ", size,
                     " elements.");
}

void infer_nms(Infer& c) {
  require_real(c, 0);
  c.require_rank(0, 2);
  require_last(c, 0, 4);
  c.out(0, Shape{c.data_dependent_size()}, DType::kInt64);
}

// arguments: bboxes, scores, ...
void infer_matrix_nms(Infer& c) {
  require_real(c, 0);
  c.require_same_dtype(1, 0);
  c.require_rank(0, 3);
  c.require_rank(1, 3);
  require_last(c, 0, 4);
  PADDLE_CHECK_VALUE(decide_eq(c.shape(0)[0], c.shape(1)[0], true) &&
                         decide_eq(c.shape(0)[1], c.shape(1)[2], true),
                     c.op_name(), ": bboxes has shape ", c.shape(0), " and scores has shape ",
                     c.shape(1), "; they must be [N, M, 4] and [N, classes, M].");
  const Dim kept = c.data_dependent_size();
  c.out(0, Shape{kept, 6}, c.dtype(0));
  c.out(1, Shape{kept, 1}, DType::kInt32);
  c.out(2, Shape{c.shape(0)[0]}, DType::kInt32);
}

// arguments: bboxes, scores, rois_num, ...
void infer_multiclass_nms(Infer& c) {
  require_real(c, 0);
  c.require_same_dtype(1, 0);
  c.require_rank(0, 3);
  const Shape &boxes = c.shape(0), &scores = c.shape(1);
  PADDLE_CHECK_VALUE(
      c.rank(1) == 3 || (c.rank(1) == 2 && c.has(2)), c.op_name(), ": scores has shape ", scores,
      "; it must be [N, classes, M], or [M, classes] together with rois_num, the boxes of each "
      "image.");
  const bool shared = c.rank(1) == 3;
  PADDLE_CHECK_VALUE(decide_eq(boxes[0], scores[0], true) &&
                         decide_eq(boxes[1], shared ? scores[2] : scores[1], true),
                     c.op_name(), ": bboxes has shape ", boxes, " and scores has shape ", scores,
                     shared ? "; they must be [N, M, 4] and [N, classes, M]."
                            : "; they must be [M, classes, 4] and [M, classes].");
  bool known = false;
  for (const int size : {4, 8, 16, 24, 32}) known = known || decide_eq(boxes[2], size, false);
  PADDLE_CHECK_VALUE(known, c.op_name(), ": bboxes has shape ", boxes,
                     "; its last axis must have 4 elements, or 8, 16, 24 or 32 for polygons.");
  if (!shared) {
    c.require_rank(2, 1);
    PADDLE_CHECK_TYPE(c.dtype(2) == DType::kInt32 || c.dtype(2) == DType::kInt64, c.op_name(),
                      ": rois_num has dtype ", c.dtype(2), "; it must be int32 or int64; cast it.");
  }
  const Dim kept = c.data_dependent_size();
  c.out(0, Shape{kept, boxes[2] + Dim(2)}, c.dtype(0));
  c.out(1, Shape{kept, 1}, DType::kInt32);
  c.out(2, Shape{shared ? boxes[0] : c.shape(2)[0]}, DType::kInt32);
}

// arguments: scores, bbox_deltas, im_shape, anchors, variances, ...
void infer_proposals(Infer& c) {
  for (int k = 0; k < 5; ++k) {
    require_real(c, k);
    c.require_same_dtype(k, 0);
  }
  c.require_rank(0, 4);
  const Shape& s = c.shape(0);
  c.require_shape(1, Shape{s[0], s[1] * Dim(4), s[2], s[3]});
  c.require_shape(2, Shape{s[0], 2});
  for (const int k : {3, 4}) {
    require_last(c, k, 4);
    c.require_elements(k, s[1] * s[2] * s[3] * Dim(4));
  }
  const Dim kept = c.data_dependent_size();
  c.out(0, Shape{kept, 4}, c.dtype(0));
  c.out(1, Shape{kept, 1}, c.dtype(0));
  c.out(2, Shape{s[0]}, DType::kInt32);
}

// arguments: x, img_size, anchors, class_num, conf_thresh, downsample_ratio, clip_bbox, scale_x_y,
// iou_aware, iou_aware_factor
void infer_yolo_box(Infer& c) {
  require_real(c, 0);
  c.require_rank(0, 4);
  const Shape& x = c.shape(0);
  PADDLE_CHECK_TYPE(c.dtype(1) == DType::kInt32, c.op_name(), ": img_size has dtype ", c.dtype(1),
                    "; it must be int32.");
  c.require_shape(1, Shape{x[0], 2});
  const auto anchors = static_cast<int64_t>(c.ints(2).size()) / 2;
  PADDLE_CHECK_VALUE(anchors > 0 && c.ints(2).size() % 2 == 0, c.op_name(), ": anchors is ",
                     c.ints(2), "; it must hold pairs of width and height.");
  PADDLE_CHECK_VALUE(c.i(3) > 0, c.op_name(), ": class_num has value ", c.i(3),
                     "; it must be positive.");
  const Dim channels = Dim(anchors) * (Dim(c.i(3)) + Dim(c.b(8) ? 6 : 5));
  PADDLE_CHECK_VALUE(decide_eq(x[1], channels, true), c.op_name(), ": x has shape ", x, " with ",
                     anchors, " anchors and ", c.i(3), " classes; it must have ", channels,
                     " channels.");
  PADDLE_CHECK_VALUE(!c.b(8) || (c.f(9) >= 0 && c.f(9) <= 1), c.op_name(), ": iou_aware_factor is ",
                     c.f(9), "; it must be in [0, 1].");
  const Dim boxes = x[2] * x[3] * Dim(anchors);
  c.out(0, Shape{x[0], boxes, 4}, c.dtype(0));
  c.out(1, Shape{x[0], boxes, c.i(3)}, c.dtype(0));
}

// arguments: prior_box, prior_box_var, target_box, code_type, box_normalized, axis, variance
void infer_box_coder(Infer& c) {
  require_real(c, 0);
  c.require_rank(0, 2);
  require_last(c, 0, 4);
  c.require_same_dtype(2, 0);
  require_last(c, 2, 4);
  const Dim priors = c.shape(0)[0];
  if (c.has(1)) {
    c.require_same_dtype(1, 0);
    c.require_shape(1, c.shape(0));
  }
  const uint32_t given = c.slot(6).count;
  PADDLE_CHECK_VALUE(given == 0 || given == 4, c.op_name(), ": variance has ", given,
                     " values; it must have 4 or none.");
  const Shape& target = c.shape(2);
  if (c.text(3) == "encode_center_size") {
    c.require_rank(2, 2);
    c.out(0, Shape{target[0], priors, 4}, c.dtype(0));
    return;
  }
  PADDLE_CHECK_VALUE(c.text(3) == "decode_center_size", c.op_name(), ": code_type is '", c.text(3),
                     "'; it must be 'encode_center_size' or 'decode_center_size'.");
  PADDLE_CHECK_VALUE(c.i(5) == 0 || c.i(5) == 1, c.op_name(), ": axis has value ", c.i(5),
                     "; it must be 0 or 1.");
  c.require_rank(2, 3);
  const Dim along = target[c.i(5) == 0 ? 1 : 0];
  PADDLE_CHECK_VALUE(decide_eq(along, priors, true), c.op_name(), ": prior_box has shape ",
                     c.shape(0), " and target_box has shape ", target, " with axis ", c.i(5),
                     "; axis ", 1 - c.i(5), " of target_box must have one element per prior.");
  c.out(0, target, c.dtype(0));
}

// arguments: input, image, min_sizes, max_sizes, aspect_ratios, variances, flip, ...
void infer_prior_box(Infer& c) {
  c.require_rank(0, 4);
  c.require_rank(1, 4);
  require_real(c, 0);
  std::vector<double> ratios{1.0};
  const Slot& given = c.slot(4);
  for (uint32_t i = 0; i < given.count; ++i) {
    bool known = false;
    for (const double r : ratios) known |= std::abs(r - given.floats[i]) < 1e-6;
    if (known) continue;
    PADDLE_CHECK_VALUE(given.floats[i] > 0, c.op_name(), ": aspect_ratios holds ", given.floats[i],
                       "; ratios must be positive.");
    ratios.push_back(given.floats[i]);
    if (c.b(6)) ratios.push_back(1 / given.floats[i]);
  }
  const uint32_t sizes = c.slot(2).count, large = c.slot(3).count;
  PADDLE_CHECK_VALUE(sizes > 0 && (large == 0 || large == sizes), c.op_name(), ": min_sizes has ",
                     sizes, " values and max_sizes ", large,
                     "; min_sizes must have some, max_sizes as many or none.");
  PADDLE_CHECK_VALUE(c.slot(5).count == 4, c.op_name(), ": variances has ", c.slot(5).count,
                     " values; it must have 4.");
  const int64_t priors = static_cast<int64_t>(sizes * ratios.size() + large);
  const Shape out{c.shape(0)[2], c.shape(0)[3], priors, 4};
  c.out(0, out, c.dtype(0));
  c.out(1, out, c.dtype(0));
}

void register_suppression(Registry& r) {
  r.op("nms")
      .schema("nms(Tensor x, float threshold=1.0) -> (Tensor out)")
      .doc(
          "Indices of the boxes (x1, y1, x2, y2), in order, that overlap no kept box before them "
          "by more than threshold (intersection over union).",
          "paddle._C_ops.nms(paddle.to_tensor([[0., 0., 4., 4.], [0., 0., 4., 3.]]), 0.5)")
      .trait(kDynamicOutput)
      .opaque("the number of boxes is known only from the values")
      .kernel_dtype_of("x")
      .no_grad()
      .infer(infer_nms);
  r.op("matrix_nms")
      .schema(
          "matrix_nms(Tensor bboxes, Tensor scores, float score_threshold, int nms_top_k, int "
          "keep_top_k, float post_threshold=0.0, bool use_gaussian=false, float "
          "gaussian_sigma=2.0, int background_label=0, bool normalized=true) -> (Tensor out, "
          "Tensor index, Tensor roisnum)")
      .doc(
          "Scores lowered by the overlap with better boxes of the class (Wang et al., 2020); rows "
          "of out are label, score and box.",
          "paddle._C_ops.matrix_nms(paddle.rand([1, 3, 4]), paddle.rand([1, 2, 3]), 0.1, 10, 10)")
      .trait(kDynamicOutput)
      .opaque("the number of boxes is known only from the values")
      .kernel_dtype_of("bboxes")
      .no_grad()
      .infer(infer_matrix_nms);
  r.op("multiclass_nms3")
      .schema(
          "multiclass_nms3(Tensor bboxes, Tensor scores, Tensor? rois_num, float score_threshold, "
          "int nms_top_k, int keep_top_k, float nms_threshold=0.3, bool normalized=true, float "
          "nms_eta=1.0, int background_label=0) -> (Tensor out, Tensor index, Tensor "
          "nms_rois_num)")
      .doc(
          "The best boxes of each class that overlap no better one of the class by more than "
          "nms_threshold; rows of out are label, score and box.",
          "paddle._C_ops.multiclass_nms3(paddle.rand([1, 3, 4]), paddle.rand([1, 2, 3]), None, "
          "0.1, 10, 10)")
      .trait(kDynamicOutput)
      .opaque("the number of boxes is known only from the values")
      .kernel_dtype_of("bboxes")
      .no_grad()
      .infer(infer_multiclass_nms);
}

void register_boxes(Registry& r) {
  r.op("generate_proposals")
      .schema(
          "generate_proposals(Tensor scores, Tensor bbox_deltas, Tensor im_shape, Tensor anchors, "
          "Tensor variances, int pre_nms_top_n, int post_nms_top_n, float nms_thresh, float "
          "min_size, float eta, bool pixel_offset=true) -> (Tensor rpn_rois, Tensor rpn_roi_probs, "
          "Tensor rpn_rois_num)")
      .doc(
          "The best boxes of a region proposal network (Ren et al., 2015): anchors moved by "
          "bbox_deltas, cut to the image, without small and overlapping ones.",
          "paddle._C_ops.generate_proposals(paddle.rand([1, 1, 2, 2]), paddle.rand([1, 4, 2, 2]), "
          "paddle.to_tensor([[8., 8.]]), paddle.rand([2, 2, 1, 4]), paddle.ones([2, 2, 1, 4]), 4, "
          "2, 0.5, 0.1, 1.0)")
      .trait(kDynamicOutput)
      .opaque("the number of boxes is known only from the values")
      .kernel_dtype_of("scores")
      .no_grad()
      .infer(infer_proposals);
  r.op("yolo_box")
      .schema(
          "yolo_box(Tensor x, Tensor img_size, int[] anchors={}, int class_num=1, float "
          "conf_thresh=0.01, int downsample_ratio=32, bool clip_bbox=true, float scale_x_y=1.0, "
          "bool iou_aware=false, float iou_aware_factor=0.5) -> (Tensor boxes, Tensor scores)")
      .doc(
          "Boxes and class scores of a YOLOv3 head (Redmon & Farhadi, 2018), zero where the "
          "confidence is below conf_thresh.",
          "paddle._C_ops.yolo_box(paddle.rand([1, 14, 2, 2]), paddle.to_tensor([[64, 64]], "
          "'int32'), [10, 13, 16, 30], 2, 0.01, 32)")
      .spmd(sharding::samples)
      .opaque("arithmetic on records of a box")
      .no_grad()
      .infer(infer_yolo_box);
  r.op("box_coder")
      .schema(
          "box_coder(Tensor prior_box, Tensor? prior_box_var, Tensor target_box, str "
          "code_type=\"encode_center_size\", bool box_normalized=true, int axis=0, float[] "
          "variance={}) -> (Tensor output_box)")
      .doc(
          "Boxes as offsets of centre and logarithms of size against prior boxes, divided by the "
          "variances, or back.",
          "paddle._C_ops.box_coder(paddle.to_tensor([[0., 0., 4., 4.]]), None, "
          "paddle.to_tensor([[1., 1., 3., 5.]]))")
      .spmd(sharding::box_coder)
      .opaque("arithmetic on records of a box")
      .no_grad()
      .infer(infer_box_coder);
  r.op("prior_box")
      .schema(
          "prior_box(Tensor input, Tensor image, float[] min_sizes, float[] max_sizes={}, float[] "
          "aspect_ratios={}, float[] variances={}, bool flip=true, bool clip=true, float "
          "step_w=0.0, float step_h=0.0, float offset=0.5, bool "
          "min_max_aspect_ratios_order=false) -> (Tensor out, Tensor var)")
      .doc("Prior boxes of several sizes and shapes around every pixel (Liu et al., 2016).",
           "paddle._C_ops.prior_box(paddle.ones([1, 2, 3, 3]), paddle.ones([1, 3, 9, 9]), [2.0], "
           "[], [1.0], [0.1, 0.1, 0.2, 0.2])")
      .spmd(sharding::shapes)
      .opaque("constants of the shapes")
      .reads_shape_of({"input", "image"})
      .no_grad()
      .infer(infer_prior_box);
}

}  // namespace

void register_detection(Registry& r) {
  register_suppression(r);
  register_boxes(r);
}

}  // namespace paddle::ops
