# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The loss of a YOLOv3 head (Redmon & Farhadi 2018), a composite of operators."""

from .. import _core
from ..framework.modes import no_grad

ops = _core.ops


def _row(values, like):
    return ops.cast(_core.to_tensor([float(v) for v in values]), like.dtype)


def _cross_entropy(logit, target):
    return ops.softplus(logit, 1.0, 20.0) - logit * target


def _shared(a, b):
    """Intersection over union of boxes given as (x, y, w, h), each a tensor."""

    def extent(k):
        low = ops.maximum(a[k] - a[k + 2] * 0.5, b[k] - b[k + 2] * 0.5)
        high = ops.minimum(a[k] + a[k + 2] * 0.5, b[k] + b[k + 2] * 0.5)
        return ops.clip(high - low, 0.0, float("inf"))

    both = extent(0) * extent(1)
    return both / (a[2] * a[3] + b[2] * b[3] - both)


class _Truth:
    """The labelled boxes: their places in the head, and which of its anchors answers for them."""

    def __init__(self, box, sizes, mask, grid, input_size):
        self.x, self.y, self.w, self.h = (box[:, :, k] for k in range(4))
        self.real = ops.logical_and(self.w > 1e-6, self.h > 1e-6)
        one = ops.full_like(self.w, 1.0)
        self.w, self.h = ops.where(self.real, self.w, one), ops.where(self.real, self.h, one)
        height, width = grid
        self.column = ops.clip(ops.floor(self.x * float(width)), 0.0, float(width - 1))
        self.row = ops.clip(ops.floor(self.y * float(height)), 0.0, float(height - 1))
        wide, high = (_row([size[k] / input_size for size in sizes], box) for k in (0, 1))
        w, h = ops.unsqueeze(self.w, [-1]), ops.unsqueeze(self.h, [-1])
        both = ops.minimum(w, wide) * ops.minimum(h, high)
        best = ops.argmax(both / (w * h + wide * high - both), -1, False, False, _core.int64)
        places = _core.to_tensor([mask.index(k) if k in mask else -1 for k in range(len(sizes))], _core.int64)
        flat = ops.reshape(best, [-1])
        place = ops.reshape(ops.gather(places, flat), best.shape)
        self.chosen = ops.logical_and(self.real, place >= 0)
        self.anchor = [ops.reshape(ops.gather(_row([s[k] for s in sizes], box), flat), best.shape) for k in (0, 1)]
        cell = ops.cast(self.row * float(width) + self.column, _core.int64)
        self.cell = ops.where(self.chosen, place * (height * width) + cell, ops.full_like(cell, 0))


def _ignored(rows, truth, sizes, grid, input_size, scale, threshold):
    """Cells whose box overlaps some labelled box by more than the threshold, [N, cells]."""
    (height, width), anchors = grid, len(sizes)
    cell = ops.arange(0, anchors * height * width, 1, _core.int64)
    place = cell // (height * width)
    bias = -0.5 * (scale - 1)
    column, row = (ops.cast(v, rows.dtype) for v in (cell % width, cell // width % height))
    wide, high = (ops.gather(_row([s[k] / input_size for s in sizes], rows), place) for k in (0, 1))
    boxes = (
        (column + ops.sigmoid(rows[:, :, 0]) * scale + bias) / float(width),
        (row + ops.sigmoid(rows[:, :, 1]) * scale + bias) / float(height),
        ops.exp(rows[:, :, 2]) * wide,
        ops.exp(rows[:, :, 3]) * high,
    )
    boxes = [ops.unsqueeze(v, [-1]) for v in boxes]
    labelled = [ops.unsqueeze(v, [1]) for v in (truth.x, truth.y, truth.w, truth.h)]
    above = ops.logical_and(_shared(boxes, labelled) > threshold, ops.unsqueeze(truth.real, [1]))
    return ops.any(above, [-1], False)


def _objectness(rows, truth, weight, ignored):
    """What each cell should say: the weight of its labelled box, 0 for none, -1 if it may say both."""
    images, cells = ignored.shape
    state = ops.where(ignored, ops.full([images, cells], -1.0, rows.dtype), ops.full([images, cells], 0.0, rows.dtype))
    spare = ops.full([images, 1], 0.0, rows.dtype)
    at = ops.where(truth.chosen, truth.cell, ops.full_like(truth.cell, cells))
    return ops.put_along_axis(ops.concat([state, spare], 1), at, weight, 1, "assign", True)[:, :cells]


def yolo_loss(
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
    """Loss of every image of a YOLOv3 head: places, sizes, objectness and classes.

    Args:
        x: [N, len(anchor_mask) * (5 + class_num), H, W].
        gt_box: [N, B, 4], centre, width and height as parts of the image; without size: no box.
        gt_label: [N, B] int32.
        anchors: Widths and heights of all anchors in pixels, [w0, h0, w1, h1, ...].
        anchor_mask: The anchors that this head predicts.
        ignore_thresh: Predictions that overlap a box by more than this may claim an object.
        gt_score: [N, B], weights of the boxes; 1 by default.
        use_label_smooth: Classes are learned as min(1 / class_num, 1 / 40) and 1 minus that.

    Returns:
        [N].
    """
    sizes = list(zip(anchors[::2], anchors[1::2], strict=True))
    mask, each = list(anchor_mask), 5 + class_num
    if any(not 0 <= k < len(sizes) for k in mask):
        raise ValueError(f"yolo_loss: anchor_mask has value {mask}; there are {len(sizes)} anchors.")
    if x.ndim != 4 or x.shape[1] != len(mask) * each:
        raise ValueError(f"yolo_loss: x has shape {list(x.shape)}; it must be [N, {len(mask) * each}, H, W].")
    if gt_box.ndim != 3 or gt_box.shape[2] != 4 or list(gt_label.shape) != list(gt_box.shape[:2]):
        raise ValueError(
            f"yolo_loss: gt_box has shape {list(gt_box.shape)} and gt_label {list(gt_label.shape)}; they must be "
            f"[N, B, 4] and [N, B]."
        )
    images, grid = x.shape[0], tuple(x.shape[2:])
    input_size = float(downsample_ratio * grid[0])
    rows = ops.reshape(
        ops.transpose(ops.reshape(x, [images, len(mask), each, *grid]), [0, 1, 3, 4, 2]), [images, -1, each]
    )
    with no_grad():
        truth = _Truth(gt_box, sizes, mask, grid, input_size)
        weight = ops.full_like(truth.w, 1.0) if gt_score is None else gt_score
        ignored = _ignored(rows, truth, [sizes[k] for k in mask], grid, input_size, scale_x_y, ignore_thresh)
        state = _objectness(rows, truth, weight, ignored)
        counted = ops.where(truth.chosen, weight, ops.full_like(weight, 0.0))
        place_weight = counted * (2.0 - truth.w * truth.h)
        targets = [truth.x * float(grid[1]) - truth.column, truth.y * float(grid[0]) - truth.row]
        targets += [ops.log(v * input_size / a) for v, a in zip((truth.w, truth.h), truth.anchor, strict=True)]
        low = min(1.0 / class_num, 1.0 / 40) if use_label_smooth else 0.0
        classes = ops.cast(ops.one_hot(gt_label, class_num), x.dtype) * (1.0 - 2 * low) + low
    index = ops.expand(ops.unsqueeze(truth.cell, [-1]), [*truth.cell.shape, each])
    found = ops.take_along_axis(rows, index, 1)
    place = sum(_cross_entropy(found[:, :, k], targets[k]) for k in (0, 1))
    place = place + sum(ops.abs(found[:, :, k] - targets[k]) for k in (2, 3))
    label = ops.sum(_cross_entropy(found[:, :, 5:], classes), [-1])
    object_loss = ops.where(
        state > 1e-5, _cross_entropy(rows[:, :, 4], 1.0) * state, _cross_entropy(rows[:, :, 4], 0.0)
    )
    object_loss = ops.where(state > -0.5, object_loss, ops.full_like(object_loss, 0.0))
    return ops.sum(place * place_weight + label * counted, [1]) + ops.sum(object_loss, [1])
