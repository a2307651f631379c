# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions of boxes in images."""

from ... import _core
from ...vision import ops as _vision
from ..operators import offsets_of, result, results, set_offsets

ops = _core.ops
_VARIANCES = (0.1, 0.1, 0.2, 0.2)


def _floats(values):
    return [float(v) for v in (values if isinstance(values, (list, tuple)) else [values])]


def prior_box(
    input,
    image,
    min_sizes,
    max_sizes=None,
    aspect_ratios=(1.0,),
    variance=_VARIANCES,
    flip=False,
    clip=False,
    steps=(0.0, 0.0),
    offset=0.5,
    name=None,
    min_max_aspect_ratios_order=False,
):
    """The boxes of SSD around each place of a map: boxes and variances of shape [H, W, boxes, 4].

    Args:
        input: The map, of shape [N, C, H, W].
        image: The images, of shape [N, C, H, W].
        min_sizes: Smaller sizes, in elements of the image.
        max_sizes: Larger sizes.
        aspect_ratios: Widths divided by heights.
        variance: Variances, four numbers.
        flip: Whether inverse ratios are used too.
        clip: Whether boxes end at the border.
        steps: Distances of boxes, width and height; 0: those of the map's places.
        offset: Where in a place its middle is.
        name: Not read.
        min_max_aspect_ratios_order: Whether the larger size comes second rather than last.
    """
    attrs = {
        "min_sizes": _floats(min_sizes),
        "max_sizes": _floats(max_sizes) if max_sizes else None,
        "aspect_ratios": _floats(aspect_ratios),
        "variances": _floats(variance),
        "flip": flip,
        "clip": clip,
        "step_w": float(steps[0]),
        "step_h": float(steps[1]),
        "offset": offset,
        "min_max_aspect_ratios_order": min_max_aspect_ratios_order,
    }
    return tuple(results("prior_box", {"Input": input, "Image": image}, ["Boxes", "Variances"], attrs))


def density_prior_box(
    input,
    image,
    densities=None,
    fixed_sizes=None,
    fixed_ratios=None,
    variance=_VARIANCES,
    clip=False,
    steps=(0.0, 0.0),
    offset=0.5,
    flatten_to_2d=False,
    name=None,
):
    """Boxes of fixed sizes, of which several stand at each place; see `prior_box`."""
    attrs = {
        "variances": _floats(variance),
        "clip": clip,
        "step_w": float(steps[0]),
        "step_h": float(steps[1]),
        "offset": offset,
        "densities": list(densities),
        "fixed_sizes": _floats(fixed_sizes),
        "fixed_ratios": _floats(fixed_ratios),
        "flatten_to_2d": flatten_to_2d,
    }
    return tuple(results("density_prior_box", {"Input": input, "Image": image}, ["Boxes", "Variances"], attrs))


def anchor_generator(
    input, anchor_sizes=None, aspect_ratios=None, variance=_VARIANCES, stride=None, offset=0.5, name=None
):
    """The anchors of Faster R-CNN around each place of a map: anchors and variances of shape [H, W, anchors, 4]."""
    attrs = {
        "anchor_sizes": _floats(anchor_sizes),
        "aspect_ratios": _floats(aspect_ratios),
        "variances": _floats(variance),
        "stride": _floats(stride),
        "offset": offset,
    }
    return tuple(results("anchor_generator", {"Input": input}, ["Anchors", "Variances"], attrs))


def iou_similarity(x, y, box_normalized=True, name=None):
    """The intersections of all boxes of x and y divided by their unions: [N, 4], [M, 4] to [N, M]."""
    made = result("iou_similarity", {"X": x, "Y": y}, {"box_normalized": box_normalized})
    return set_offsets(made, offsets_of(x)) if offsets_of(x) else made


def box_coder(
    prior_box,
    prior_box_var,
    target_box,
    code_type="encode_center_size",
    box_normalized=True,
    name=None,
    axis=0,
):
    """Boxes as differences from other boxes, or back ('decode_center_size'); see `paddle.vision.ops.box_coder`."""
    return _vision.box_coder(prior_box, prior_box_var, target_box, code_type, box_normalized, axis)


def box_clip(input, im_info, name=None):
    """Boxes, in sequences by image, cut off at the border: im_info holds height, width and scale."""
    return result("box_clip", {"Input": input, "ImInfo": im_info}, {}, "Output")


def box_decoder_and_assign(prior_box, prior_box_var, target_box, box_score, box_clip, name=None):
    """Boxes of all classes from their differences, and those of the best class."""
    inputs = {"PriorBox": prior_box, "PriorBoxVar": prior_box_var, "TargetBox": target_box, "BoxScore": box_score}
    outputs = ["DecodeBox", "OutputAssignBox"]
    return tuple(results("box_decoder_and_assign", inputs, outputs, {"box_clip": float(box_clip)}))


def polygon_box_transform(input, name=None):
    """Offsets of the corners of quadrilaterals as their places; shape [N, 2 * corners, H, W]."""
    return result("polygon_box_transform", {"Input": input}, {}, "Output")


def yolo_box(
    x,
    img_size,
    anchors,
    class_num,
    conf_thresh,
    downsample_ratio,
    clip_bbox=True,
    name=None,
    scale_x_y=1.0,
):
    """The boxes and scores of a YOLOv3 map; see `paddle.vision.ops.yolo_box`."""
    return _vision.yolo_box(
        x, img_size, anchors, class_num, conf_thresh, downsample_ratio, clip_bbox, scale_x_y=scale_x_y
    )


def yolov3_loss(
    x,
    gt_box,
    gt_label,
    anchors,
    anchor_mask,
    class_num,
    ignore_thresh,
    downsample_ratio,
    gt_score=None,
    use_label_smooth=True,
    name=None,
    scale_x_y=1.0,
):
    """The loss of a YOLOv3 map; see `paddle.vision.ops.yolo_loss`."""
    settings = (anchors, anchor_mask, class_num, ignore_thresh, downsample_ratio, gt_score, use_label_smooth)
    return _vision.yolo_loss(x, gt_box, gt_label, *settings, scale_x_y=scale_x_y)


def _nms(score_threshold, nms_top_k, keep_top_k, nms_threshold, normalized, nms_eta, background_label):
    return {
        "score_threshold": float(score_threshold),
        "nms_top_k": nms_top_k,
        "keep_top_k": keep_top_k,
        "nms_threshold": float(nms_threshold),
        "normalized": normalized,
        "nms_eta": float(nms_eta),
        "background_label": background_label,
    }


def multiclass_nms(
    bboxes,
    scores,
    score_threshold,
    nms_top_k,
    keep_top_k,
    nms_threshold=0.3,
    normalized=True,
    nms_eta=1.0,
    background_label=0,
    name=None,
):
    """The best boxes of each class that do not overlap: rows of class, score and corners, in sequences by image.

    Args:
        bboxes: Shape [N, boxes, 4].
        scores: Shape [N, classes, boxes].
        score_threshold: Lowest score.
        nms_top_k: Boxes of a class that are looked at; -1: all.
        keep_top_k: Boxes of an image that stay; -1: all.
        nms_threshold: Overlap from which a box goes.
        normalized: Whether corners are shares of the image.
        nms_eta: Factor of the threshold after each box.
        background_label: Class that is left out; -1: none.
        name: Not read.
    """
    attrs = _nms(score_threshold, nms_top_k, keep_top_k, nms_threshold, normalized, nms_eta, background_label)
    return result("multiclass_nms", {"BBoxes": bboxes, "Scores": scores}, attrs)


def locality_aware_nms(
    bboxes,
    scores,
    score_threshold,
    nms_top_k,
    keep_top_k,
    nms_threshold=0.3,
    normalized=True,
    nms_eta=1.0,
    background_label=-1,
    name=None,
):
    """`multiclass_nms` after neighbours were merged by their scores."""
    attrs = _nms(score_threshold, nms_top_k, keep_top_k, nms_threshold, normalized, nms_eta, background_label)
    return result("locality_aware_nms", {"BBoxes": bboxes, "Scores": scores}, attrs)


def matrix_nms(
    bboxes,
    scores,
    score_threshold,
    post_threshold,
    nms_top_k,
    keep_top_k,
    use_gaussian=False,
    gaussian_sigma=2.0,
    background_label=0,
    normalized=True,
    return_index=False,
    name=None,
):
    """Boxes whose scores fall with their overlap; see `paddle.vision.ops.matrix_nms`."""
    attrs = {
        "score_threshold": float(score_threshold),
        "post_threshold": float(post_threshold),
        "nms_top_k": nms_top_k,
        "keep_top_k": keep_top_k,
        "use_gaussian": use_gaussian,
        "gaussian_sigma": float(gaussian_sigma),
        "background_label": background_label,
        "normalized": normalized,
    }
    out, index = results("matrix_nms", {"BBoxes": bboxes, "Scores": scores}, ["Out", "Index"], attrs)
    return (out, index) if return_index else out


def retinanet_detection_output(
    bboxes,
    scores,
    anchors,
    im_info,
    score_threshold=0.05,
    nms_top_k=1000,
    keep_top_k=100,
    nms_threshold=0.3,
    nms_eta=1.0,
):
    """The boxes of RetinaNet, from lists of maps."""
    inputs = {"BBoxes": list(bboxes), "Scores": list(scores), "Anchors": list(anchors), "ImInfo": im_info}
    attrs = {
        "score_threshold": score_threshold,
        "nms_top_k": nms_top_k,
        "nms_threshold": nms_threshold,
        "keep_top_k": keep_top_k,
        "nms_eta": nms_eta,
    }
    return result("retinanet_detection_output", inputs, attrs)


def detection_output(
    loc,
    scores,
    prior_box,
    prior_box_var,
    background_label=0,
    nms_threshold=0.3,
    nms_top_k=400,
    keep_top_k=200,
    score_threshold=0.01,
    nms_eta=1.0,
    return_index=False,
):
    """The boxes of SSD: differences [N, boxes, 4] and logits [N, boxes, classes] to the rows of `multiclass_nms`."""
    if return_index:
        raise NotImplementedError("detection_output: return_index is not available in paddle.")
    boxes = box_coder(prior_box, prior_box_var, loc, "decode_center_size")
    shares = ops.transpose(ops.softmax(scores, -1), [0, 2, 1])
    return multiclass_nms(
        boxes,
        shares,
        score_threshold,
        nms_top_k,
        keep_top_k,
        nms_threshold,
        nms_eta=nms_eta,
        background_label=background_label,
    )


def _numbers(rois, given):
    """The number of boxes of each image: given, or the lengths of sequences."""
    if given is not None:
        return ops.cast(given, _core.int32)
    levels = offsets_of(rois)
    if not levels:
        raise ValueError(
            "roi_pool, roi_align: rois has no sequences; pass rois_num, the number of boxes of each image."
        )
    return ops.cast(levels[-1][1:] - levels[-1][:-1], _core.int32)


def roi_pool(input, rois, pooled_height=1, pooled_width=1, spatial_scale=1.0, rois_num=None, name=None):
    """The largest elements of bins of boxes: shape [boxes, C, pooled_height, pooled_width]."""
    size = (pooled_height, pooled_width)
    return _vision.roi_pool(input, rois, _numbers(rois, rois_num), size, spatial_scale)


def roi_align(
    input,
    rois,
    pooled_height=1,
    pooled_width=1,
    spatial_scale=1.0,
    sampling_ratio=-1,
    rois_num=None,
    name=None,
):
    """The means of points in parts of boxes: shape [boxes, C, pooled_height, pooled_width]."""
    size = (pooled_height, pooled_width)
    return _vision.roi_align(input, rois, _numbers(rois, rois_num), size, spatial_scale, sampling_ratio, aligned=False)


def psroi_pool(input, rois, output_channels, spatial_scale, pooled_height, pooled_width, name=None):
    """The means of bins of boxes, each bin with channels of its own."""
    size = (pooled_height, pooled_width)
    return _vision.psroi_pool(input, rois, _numbers(rois, None), size, spatial_scale)


def generate_proposals(
    scores,
    bbox_deltas,
    im_info,
    anchors,
    variances,
    pre_nms_top_n=6000,
    post_nms_top_n=1000,
    nms_thresh=0.5,
    min_size=0.1,
    eta=1.0,
    return_rois_num=False,
    name=None,
):
    """The best anchors of a map, moved, in sequences by image: boxes [rows, 4] and scores [rows, 1].

    With return_rois_num their number of each image too.
    """
    inputs = {
        "Scores": scores,
        "BboxDeltas": bbox_deltas,
        "ImInfo": im_info,
        "Anchors": anchors,
        "Variances": variances,
    }
    attrs = {
        "pre_nms_topN": pre_nms_top_n,
        "post_nms_topN": post_nms_top_n,
        "nms_thresh": float(nms_thresh),
        "min_size": float(min_size),
        "eta": float(eta),
    }
    made = results("generate_proposals", inputs, ["RpnRois", "RpnRoiProbs", "RpnRoisNum"], attrs)
    return tuple(made) if return_rois_num else tuple(made[:2])


def distribute_fpn_proposals(fpn_rois, min_level, max_level, refer_level, refer_scale, rois_num=None, name=None):
    """Boxes by the level of a pyramid that their size belongs to, and where each one came from (int32, [rows, 1]).

    With rois_num the numbers of boxes of each image by level come last.
    """
    count = max_level - min_level + 1
    attrs = {"min_level": min_level, "max_level": max_level, "refer_level": refer_level, "refer_scale": refer_scale}
    outputs = [("MultiFpnRois", count), "RestoreIndex"]
    if rois_num is not None:
        outputs.append(("MultiLevelRoIsNum", count))
    return tuple(results("distribute_fpn_proposals", {"FpnRois": fpn_rois, "RoisNum": rois_num}, outputs, attrs))


def collect_fpn_proposals(
    multi_rois, multi_scores, min_level, max_level, post_nms_top_n, rois_num_per_level=None, name=None
):
    """The best boxes of all levels of a pyramid; with rois_num_per_level their number of each image too."""
    inputs = {
        "MultiLevelRois": list(multi_rois),
        "MultiLevelScores": list(multi_scores),
        "MultiLevelRoIsNum": None if rois_num_per_level is None else list(rois_num_per_level),
    }
    outputs = ["FpnRois"] if rois_num_per_level is None else ["FpnRois", "RoisNum"]
    made = results("collect_fpn_proposals", inputs, outputs, {"post_nms_topN": post_nms_top_n})
    return made[0] if rois_num_per_level is None else tuple(made)


def sigmoid_focal_loss(x, label, fg_num, gamma=2.0, alpha=0.25):
    """The focal loss (Lin and others, 2017) of logits [N, classes]: labels [N, 1] count from 1, 0 is the background.

    Losses are divided by fg_num, an int32 tensor of one element.
    """
    classes = int(x.shape[1])
    places = ops.arange(1, classes + 1, 1, label.dtype).unsqueeze(0)
    own = ops.cast(label == places, x.dtype)
    counts = ops.cast(label != -1, x.dtype)
    share = ops.sigmoid(x)
    positive = -alpha * (1.0 - share) ** gamma * ops.logsigmoid(x)
    negative = -(1.0 - alpha) * share**gamma * ops.logsigmoid(-x)
    number = ops.cast(ops.maximum(fg_num, ops.full([1], 1, fg_num.dtype)), x.dtype)
    return (own * positive + (1.0 - own) * counts * negative) / number


__all__ = (
    "anchor_generator box_clip box_coder box_decoder_and_assign collect_fpn_proposals density_prior_box detection_output "
    "distribute_fpn_proposals generate_proposals iou_similarity locality_aware_nms matrix_nms multiclass_nms "
    "polygon_box_transform prior_box psroi_pool retinanet_detection_output roi_align roi_pool sigmoid_focal_loss yolo_box "
    "yolov3_loss"
).split()
