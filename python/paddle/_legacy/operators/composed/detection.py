# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Operators of detectors: regions by levels of a pyramid, losses, image files."""

from .... import _core

ops = _core.ops

__all__ = [
    "collect_fpn_proposals",
    "decode_jpeg",
    "distribute_fpn_proposals",
    "read_file",
    "yolo_loss",
]


def distribute_fpn_proposals(fpn_rois, rois_num, min_level, max_level, refer_level, refer_scale, pixel_offset):
    """Regions by the level that fits their size.

    Returns:
        (regions of each level, numbers of each level for each image, order that restores the input).
    """
    from ....vision import ops as vision_ops

    rois, restore, counts = vision_ops.distribute_fpn_proposals(
        fpn_rois, min_level, max_level, refer_level, refer_scale, pixel_offset, rois_num
    )
    return rois, counts, restore


def collect_fpn_proposals(multi_level_rois, multi_level_scores, multi_level_rois_num, post_nms_topn):
    """The best regions of all levels, image by image.

    Args:
        multi_level_rois: [n, 4] of each level.
        multi_level_scores: [n, 1] of each level.
        multi_level_rois_num: Regions of each image, int32, of each level.
        post_nms_topn: The largest number of regions that are kept.

    Returns:
        (regions, regions of each image).
    """
    rois, scores = ops.concat(multi_level_rois, 0), ops.reshape(ops.concat(multi_level_scores, 0), [-1])
    images = multi_level_rois_num[0].shape[0]
    names = ops.arange(0, images, 1, _core.int32)
    image = ops.concat([ops.repeat_interleave_with_tensor_index(names, count, 0) for count in multi_level_rois_num], 0)
    count = scores.shape[0]
    if isinstance(count, int):
        count = min(post_nms_topn, count)
    else:  # known when the program runs
        count = ops.minimum(ops.numel(scores), ops.full([], post_nms_topn, _core.int64))
    best = ops.topk(scores, count, -1, True, True)[1]
    image = ops.gather(image, best, 0)
    order = ops.argsort(image, 0, False, True)[1]
    of_image = ops.cast(ops.reshape(image, [-1, 1]) == ops.reshape(names, [1, -1]), _core.int32)
    return ops.gather(rois, ops.gather(best, order, 0), 0), ops.cast(ops.sum(of_image, [0]), _core.int32)


def yolo_loss(
    x,
    gt_box,
    gt_label,
    gt_score,
    anchors,
    anchor_mask,
    class_num=1,
    ignore_thresh=0.7,
    downsample_ratio=32,
    use_label_smooth=True,
    scale_x_y=1.0,
):
    """The loss of YOLOv3, one value for each image."""
    from ....vision import ops as vision_ops

    return vision_ops.yolo_loss(
        x,
        gt_box,
        gt_label,
        anchors,
        anchor_mask,
        class_num,
        ignore_thresh,
        downsample_ratio,
        gt_score,
        use_label_smooth,
        scale_x_y=scale_x_y,
    )


def read_file(filename="", dtype=_core.uint8, place=None):
    """The bytes of a file."""
    from ....vision import ops as vision_ops

    return vision_ops.read_file(filename)


def decode_jpeg(x, mode="unchanged", place=None):
    """The pixels of an image in JPEG, channels first."""
    from ....vision import ops as vision_ops

    return vision_ops.decode_jpeg(x, mode)
