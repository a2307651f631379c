# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Rows for the operators of object detection."""

import itertools

import numpy as np

from tests.op_cases import FLOATS, Case

# -- regions of images -----------------------------------------------------------------------------


def _bilinear(plane, y, x):
    """The value between elements; planes [..., H, W] go on for one element beyond their border."""
    h, w = plane.shape[-2:]
    if not (-1 <= y <= h and -1 <= x <= w):
        return np.zeros(plane.shape[:-2])
    y, x = min(max(y, 0), h - 1), min(max(x, 0), w - 1)
    corners = itertools.product((int(y), min(int(y) + 1, h - 1)), (int(x), min(int(x) + 1, w - 1)))
    weights = itertools.product((1 - (y - int(y)), y - int(y)), (1 - (x - int(x)), x - int(x)))
    return sum(a * b * plane[..., i, j] for (i, j), (a, b) in zip(corners, weights, strict=True))


def _images(boxes_num):
    return np.repeat(np.arange(len(boxes_num)), boxes_num)


def _roi_align(x, boxes, boxes_num, pooled_height, pooled_width, spatial_scale, sampling_ratio, aligned):
    out = np.zeros((len(boxes), x.shape[1], pooled_height, pooled_width))
    for r, image in enumerate(_images(boxes_num)):
        left, top, right, bottom = boxes[r].astype("float64") * spatial_scale - (0.5 if aligned else 0)
        size = [bottom - top, right - left] if aligned else [max(bottom - top, 1), max(right - left, 1)]
        steps = [s / n for s, n in zip(size, (pooled_height, pooled_width), strict=True)]
        count = [sampling_ratio if sampling_ratio > 0 else int(np.ceil(s)) for s in steps]
        for i, j in np.ndindex(pooled_height, pooled_width):
            values = [
                _bilinear(
                    x[image], top + steps[0] * (i + (a + 0.5) / count[0]), left + steps[1] * (j + (b + 0.5) / count[1])
                )
                for a, b in np.ndindex(*count)
            ]
            out[r, :, i, j] = np.mean(values, 0)
    return out


def _ranges(start, size, bins, n):
    edges = [(np.floor(k * size / bins + start), np.ceil((k + 1) * size / bins + start)) for k in range(bins)]
    return [tuple(int(min(max(e, 0), n)) for e in pair) for pair in edges]


def _psroi_pool(x, boxes, boxes_num, pooled_height, pooled_width, output_channels, spatial_scale):
    out = np.zeros((len(boxes), output_channels, pooled_height, pooled_width))
    for r, image in enumerate(_images(boxes_num)):
        left, top = np.round(boxes[r, :2]) * spatial_scale
        right, bottom = (np.round(boxes[r, 2:]) + 1) * spatial_scale
        rows = _ranges(top, max(bottom - top, 0.1), pooled_height, x.shape[2])
        columns = _ranges(left, max(right - left, 0.1), pooled_width, x.shape[3])
        for c, i, j in np.ndindex(output_channels, pooled_height, pooled_width):
            part = x[image, (c * pooled_height + i) * pooled_width + j, slice(*rows[i]), slice(*columns[j])]
            out[r, c, i, j] = part.mean() if part.size else 0.0
    return out


def _roi_pool(x, boxes, boxes_num, pooled_height, pooled_width, spatial_scale):
    out = np.zeros((len(boxes), x.shape[1], pooled_height, pooled_width))
    where = np.full(out.shape, -1)
    flat = np.arange(x.size).reshape(x.shape)
    for r, image in enumerate(_images(boxes_num)):
        left, top, right, bottom = np.round(boxes[r] * spatial_scale)
        rows = _ranges(top, max(bottom - top + 1, 1), pooled_height, x.shape[2])
        columns = _ranges(left, max(right - left + 1, 1), pooled_width, x.shape[3])
        for c, i, j in np.ndindex(*out.shape[1:]):
            part = x[image, c, slice(*rows[i]), slice(*columns[j])]
            if part.size:
                out[r, c, i, j] = part.max()
                where[r, c, i, j] = flat[image, c, slice(*rows[i]), slice(*columns[j])].ravel()[part.argmax()]
    return out, where


def _transposed(forward):
    """The gradient of a linear map, from its values at unit inputs."""

    def reference(x, boxes, out_grad, boxes_num, **rest):
        out = np.zeros(x.size)
        for i in range(x.size):
            unit = np.zeros(x.size)
            unit[i] = 1
            out[i] = (forward(unit.reshape(x.shape), boxes, boxes_num, **rest) * out_grad).sum()
        return out.reshape(x.shape)

    return reference


_BOXES = np.array([[0.3, 0.2, 3.7, 4.1], [1.2, 1.9, 4.6, 3.3], [-1.3, 0.1, 2.2, 6.4]])
_NUMBERS = np.array([2, 1], "int32")


def _region(op, id, ref, channels, grad=False, **more):
    def args(rng):
        x = rng.permutation(2 * channels * 30).reshape(2, channels, 5, 6) * 0.1
        bins = more["pooled_height"], more["pooled_width"]
        out_channels = more.get("output_channels", channels)
        given = dict(x=x, boxes=_BOXES, boxes_num=_NUMBERS)
        if grad:
            given["out_grad"] = rng.standard_normal((3, out_channels, *bins))
        return given | more

    return Case(op=op, id=id, args=args, ref=ref, dtypes=FLOATS, grad=("out_grad",) if grad else ("x",), atol=2e-5)


_BINS = dict(pooled_height=2, pooled_width=3)
_ALIGN = _BINS | dict(spatial_scale=0.875, sampling_ratio=-1, aligned=True)
_FIXED = _BINS | dict(spatial_scale=1.0, sampling_ratio=2, aligned=False)
_PSROI = dict(pooled_height=2, pooled_width=2, output_channels=2, spatial_scale=0.875)

CASES = [
    _region("roi_align", "aligned", _roi_align, 2, **_ALIGN),
    _region("roi_align", "fixed samples", _roi_align, 2, **_FIXED),
    _region("roi_align_grad", "aligned", _transposed(_roi_align), 1, grad=True, **_ALIGN),
    _region("psroi_pool", "", _psroi_pool, 8, **_PSROI),
    _region("psroi_pool_grad", "", _transposed(_psroi_pool), 8, grad=True, **_PSROI),
    _region("roi_pool", "", _roi_pool, 2, spatial_scale=0.875, **_BINS),
]


# -- deformable convolution ------------------------------------------------------------------------


def _zero_outside(plane, y, x):
    padded = np.pad(plane, ((0, 0), (1, 1), (1, 1)))
    h, w = plane.shape[1:]
    return _bilinear(padded, y + 1, x + 1) if -1 < y < h and -1 < x < w else np.zeros(plane.shape[0])


def _deformable(
    x,
    offset,
    filter,
    mask=None,
    strides=None,
    paddings=None,
    dilations=None,
    deformable_groups=1,
    groups=1,
    im2col_step=1,
):
    (kh, kw), (oh, ow) = filter.shape[2:], offset.shape[2:]
    each, per_group = x.shape[1] // deformable_groups, x.shape[1] // groups
    out = np.zeros((x.shape[0], filter.shape[0], oh, ow))
    for n, i, j in np.ndindex(x.shape[0], oh, ow):
        patch = np.zeros((x.shape[1], kh, kw))
        for d, a, b in np.ndindex(deformable_groups, kh, kw):
            at = (d * kh + a) * kw + b
            y = i * strides[0] - paddings[0] + a * dilations[0] + offset[n, 2 * at, i, j]
            z = j * strides[1] - paddings[1] + b * dilations[1] + offset[n, 2 * at + 1, i, j]
            value = _zero_outside(x[n, d * each : (d + 1) * each], y, z)
            patch[d * each : (d + 1) * each, a, b] = value * (1 if mask is None else mask[n, at, i, j])
        for f in range(filter.shape[0]):
            g = f // (filter.shape[0] // groups)
            out[n, f, i, j] = (patch[g * per_group : (g + 1) * per_group] * filter[f]).sum()
    return out


def _bent(id, masked, strides, paddings, dilations, deformable_groups, groups):
    def args(rng):
        size = [
            (n + 2 * p - d * (k - 1) - 1) // s + 1
            for n, p, d, k, s in zip((4, 5), paddings, dilations, (2, 3), strides, strict=True)
        ]
        points = deformable_groups * 6
        given = dict(
            x=rng.standard_normal((2, 4, 4, 5)),
            offset=rng.uniform(-1.5, 1.5, (2, 2 * points, *size)),
            filter=rng.standard_normal((4, 4 // groups, 2, 3)),
            mask=rng.standard_normal((2, points, *size)) if masked else None,
        )
        return given | dict(
            strides=strides,
            paddings=paddings,
            dilations=dilations,
            deformable_groups=deformable_groups,
            groups=groups,
            im2col_step=1,
        )

    grad = ("x", "offset", "filter", "mask") if masked else ("x", "offset", "filter")
    return Case(op="deformable_conv", id=id, args=args, ref=_deformable, dtypes=FLOATS, grad=grad, atol=5e-5, rtol=1e-4)


CASES += [
    _bent("plain", False, [1, 1], [0, 0], [1, 1], 1, 1),
    _bent("masked", True, [2, 1], [1, 1], [1, 2], 2, 2),
]


# -- boxes -----------------------------------------------------------------------------------------


def _sigmoid(v):
    return 1 / (1 + np.exp(-v))


def _yolo_box(
    x, img_size, anchors, class_num, conf_thresh, downsample_ratio, clip_bbox, scale_x_y, iou_aware, iou_aware_factor
):
    n, _, h, w = x.shape
    sizes = np.array(anchors).reshape(-1, 2)
    count = len(sizes)
    overlap, x = (x[:, :count], x[:, count:]) if iou_aware else (None, x)
    x = x.reshape(n, count, 5 + class_num, h, w)
    ih, iw = (img_size[:, k].reshape(n, 1, 1, 1) for k in (0, 1))
    bias = -0.5 * (scale_x_y - 1)
    cx = (np.arange(w) + _sigmoid(x[:, :, 0]) * scale_x_y + bias) * iw / w
    cy = (np.arange(h)[:, None] + _sigmoid(x[:, :, 1]) * scale_x_y + bias) * ih / h
    bw = np.exp(x[:, :, 2]) * sizes[:, 0].reshape(1, -1, 1, 1) * iw / (downsample_ratio * w)
    bh = np.exp(x[:, :, 3]) * sizes[:, 1].reshape(1, -1, 1, 1) * ih / (downsample_ratio * h)
    conf = _sigmoid(x[:, :, 4])
    if iou_aware:
        conf = conf ** (1 - iou_aware_factor) * _sigmoid(overlap) ** iou_aware_factor
    boxes = np.stack([cx - bw / 2, cy - bh / 2, cx + bw / 2, cy + bh / 2], -1)
    if clip_bbox:
        boxes[..., :2] = np.maximum(boxes[..., :2], 0)
        boxes[..., 2] = np.minimum(boxes[..., 2], iw - 1)
        boxes[..., 3] = np.minimum(boxes[..., 3], ih - 1)
    keep = (conf >= conf_thresh)[..., None]
    scores = conf[..., None] * np.moveaxis(_sigmoid(x[:, :, 5:]), 2, -1)
    return (boxes * keep).reshape(n, -1, 4), (scores * keep).reshape(n, -1, class_num)


def _centred(box, pixel):
    size = box[..., 2:] - box[..., :2] + pixel
    return box[..., :2] + size / 2, size


def _box_coder(prior_box, prior_box_var, target_box, code_type, box_normalized, axis=0, variance=()):
    pixel = 0 if box_normalized else 1
    centre, size = _centred(prior_box, pixel)
    var = prior_box_var if prior_box_var is not None else np.array(list(variance) or [1.0] * 4)
    if code_type == "encode_center_size":
        middle = (target_box[:, :2] + target_box[:, 2:])[:, None] / 2
        extent = _centred(target_box, pixel)[1][:, None]
        return np.concatenate([(middle - centre) / size, np.log(np.abs(extent / size))], -1) / var
    if axis == 1:
        centre, size = centre[:, None], size[:, None]
        var = var[:, None] if var.ndim == 2 else var
    code = target_box * var
    middle, extent = code[..., :2] * size + centre, np.exp(code[..., 2:]) * size
    return np.concatenate([middle - extent / 2, middle + extent / 2 - pixel], -1)


def _prior_box(
    input,
    image,
    min_sizes,
    max_sizes,
    aspect_ratios,
    variances,
    flip,
    clip,
    step_w,
    step_h,
    offset,
    min_max_aspect_ratios_order,
):
    (h, w), (ih, iw) = input.shape[2:], image.shape[2:]
    ratios = [r for a in aspect_ratios if a != 1 for r in ([a, 1 / a] if flip else [a])]
    sizes = []
    for k, small in enumerate(min_sizes):
        large = [(np.sqrt(small * max_sizes[k]),) * 2] if max_sizes else []
        shaped = [(small * np.sqrt(r), small / np.sqrt(r)) for r in ratios]
        sizes += [(small, small), *(large + shaped if min_max_aspect_ratios_order else shaped + large)]
    out = np.zeros((h, w, len(sizes), 4))
    for y, x, k in np.ndindex(*out.shape[:3]):
        centre = np.array([(x + offset) * (step_w or iw / w), (y + offset) * (step_h or ih / h)])
        half = np.array(sizes[k]) / 2
        out[y, x, k] = np.concatenate([centre - half, centre + half]) / [iw, ih, iw, ih]
    return np.clip(out, 0, 1) if clip else out, np.broadcast_to(variances, out.shape)


def _overlap(a, b, pixel=0.0):
    low, high = np.maximum(a[:2], b[:2]), np.minimum(a[2:], b[2:])
    both = np.prod(np.maximum(high - low + pixel, 0))
    return both / (np.prod(a[2:] - a[:2] + pixel) + np.prod(b[2:] - b[:2] + pixel) - both)


def _nms(x, threshold):
    kept = []
    for i in range(len(x)):
        if all(_overlap(x[i], x[k]) <= threshold for k in kept):
            kept.append(i)
    return np.array(kept, "int64")


def _matrix_nms(bboxes, scores, score_threshold, nms_top_k, keep_top_k, post_threshold, use_gaussian, gaussian_sigma):
    rows, index, counts = [], [], []
    for n in range(len(bboxes)):
        found = []
        for label in range(1, scores.shape[1]):  # class 0 is the background
            order = [i for i in np.argsort(-scores[n, label], kind="stable") if scores[n, label, i] > score_threshold]
            order = order[:nms_top_k]
            iou = np.array([[_overlap(bboxes[n, i], bboxes[n, j]) for j in order] for i in order])
            iou = np.triu(iou.T, 1).reshape(len(order), len(order))  # [better, worse]
            worst = iou.max(0, initial=0)  # of each box with better ones
            for k, i in enumerate(order):
                if use_gaussian:
                    factors = np.exp((worst[:k] ** 2 - iou[:k, k] ** 2) * gaussian_sigma)
                else:
                    factors = (1 - iou[:k, k]) / (1 - worst[:k])
                score = scores[n, label, i] * min([1.0, *factors])
                if score > post_threshold:
                    found.append((score, label, i))
        found = sorted(found, key=lambda f: -f[0])[:keep_top_k]
        rows += [[label, score, *bboxes[n, i]] for score, label, i in found]
        index += [n * bboxes.shape[1] + i for _, _, i in found]
        counts.append(len(found))
    return np.array(rows), np.array(index, "int32")[:, None], np.array(counts, "int32")


def _multiclass_nms(bboxes, scores, rois_num=None, **rule):
    """Images one by one: boxes [M, classes or 1, 4] and scores [M, classes]."""
    if rois_num is None:
        images = [(b[:, None], s.T) for b, s in zip(bboxes, scores, strict=True)]
    else:
        ends = np.cumsum(rois_num)
        images = list(zip(np.split(bboxes, ends[:-1]), np.split(scores, ends[:-1]), strict=True))
    rows, index, counts, first = [], [], [], 0
    for boxes, own in images:
        found = []
        for label in range(own.shape[1]):
            if label == rule["background_label"]:
                continue
            of_class = boxes[:, label % boxes.shape[1]]
            order = [i for i in np.argsort(-own[:, label], kind="stable") if own[i, label] > rule["score_threshold"]]
            kept, threshold = [], rule["nms_threshold"]
            for i in order[: rule["nms_top_k"]]:
                if all(
                    _overlap(of_class[i], of_class[k], 0.0 if rule["normalized"] else 1.0) <= threshold for k in kept
                ):
                    kept.append(i)
                    threshold *= rule["nms_eta"] if threshold > 0.5 else 1.0
            found += [(label, i) for i in (kept if rois_num is None else sorted(kept))]
        best = sorted(found, key=lambda f: -own[f[1], f[0]])[: rule["keep_top_k"]]
        found = [f for f in found if f in best]
        rows += [[label, own[i, label], *boxes[i, label % boxes.shape[1]]] for label, i in found]
        index += [(first + i) * boxes.shape[1] + label % boxes.shape[1] for label, i in found]
        counts.append(len(found))
        first += len(boxes)
    return np.array(rows), np.array(index, "int32")[:, None], np.array(counts, "int32")


def _generate_proposals(
    scores,
    bbox_deltas,
    im_shape,
    anchors,
    variances,
    pre_nms_top_n,
    post_nms_top_n,
    nms_thresh,
    min_size,
    eta,
    pixel_offset,
):
    pixel, boxes, probs, counts = 1.0 if pixel_offset else 0.0, [], [], []
    flat, var = anchors.reshape(-1, 4), variances.reshape(-1, 4)
    for n in range(len(scores)):
        s = scores[n].transpose(1, 2, 0).ravel()
        d = bbox_deltas[n].reshape(-1, 4, *scores.shape[2:]).transpose(2, 3, 0, 1).reshape(-1, 4) * var
        centre, size = _centred(flat, pixel)
        middle, extent = d[:, :2] * size + centre, np.exp(np.minimum(d[:, 2:], np.log(1000 / 16))) * size
        wh = im_shape[n][::-1] - pixel
        low = np.clip(middle - extent / 2, 0, wh)
        high = np.clip(middle + extent / 2 - pixel, 0, wh)
        order = np.argsort(-s, kind="stable")[:pre_nms_top_n]
        fits = ((high - low + pixel) >= max(min_size, 1.0)).all(1)
        if pixel_offset:
            fits &= (low + (high - low + 1) / 2 <= im_shape[n][::-1]).all(1)
        order = order[fits[order]]
        every, kept, limit = np.concatenate([low, high], 1), [], nms_thresh
        for i in order:
            if len(kept) < post_nms_top_n and all(_overlap(every[i], every[k], pixel) <= limit for k in kept):
                kept.append(i)
                limit = limit * eta if eta < 1 and limit > 0.5 else limit
        boxes.append(every[kept])
        probs.append(s[kept])
        counts.append(len(kept))
    return np.concatenate(boxes), np.concatenate(probs)[:, None], np.array(counts, "int32")


def _random_boxes(rng, *shape, size=20.0):
    return np.concatenate([rng.uniform(0, size, (*shape, 2)), rng.uniform(size, 2 * size, (*shape, 2))], -1)


def _plain(op, id, args, ref, **more):
    return Case(op=op, id=id, args=args, ref=ref, dtypes=FLOATS, rtol=1e-4, atol=1e-4, **more)


def _yolo_args(rng, iou_aware, clip_bbox, scale_x_y):
    return dict(
        x=rng.standard_normal((2, 2 * (7 + iou_aware), 3, 4)),
        img_size=np.array([[90, 120], [64, 64]], "int32"),
        anchors=[10, 13, 16, 30],
        class_num=2,
        conf_thresh=0.4,
        downsample_ratio=32,
        clip_bbox=clip_bbox,
        scale_x_y=scale_x_y,
        iou_aware=iou_aware,
        iou_aware_factor=0.4,
    )


def _coder_args(rng, code_type, normalized, axis=0, constant=False):
    shape = {"encode_center_size": (2,), "decode_center_size": (2, 3) if axis == 0 else (3, 2)}[code_type]
    encode = code_type == "encode_center_size"
    return dict(
        prior_box=_random_boxes(rng, 3),
        prior_box_var=None if constant else rng.uniform(0.1, 1, (3, 4)),
        target_box=_random_boxes(rng, *shape) if encode else rng.standard_normal((*shape, 4)),
        code_type=code_type,
        box_normalized=normalized,
        axis=axis,
        variance=[0.1, 0.2, 0.3, 0.4] if constant else [],
    )


def _prior_args(**more):
    return lambda rng: (
        dict(
            input=rng.standard_normal((1, 2, 3, 4)),
            image=rng.standard_normal((1, 3, 12, 20)),
            min_sizes=[4.0, 6.0],
            max_sizes=[8.0, 9.0],
            aspect_ratios=[1.0, 2.0],
            variances=[0.1, 0.1, 0.2, 0.3],
            flip=True,
            clip=False,
            step_w=0.0,
            step_h=0.0,
            offset=0.5,
            min_max_aspect_ratios_order=False,
        )
        | more
    )


def _proposal_args(rng, eta, pixel_offset):
    return dict(
        scores=rng.permutation(2 * 3 * 12).reshape(2, 3, 4, 3) / 72.0,
        bbox_deltas=rng.standard_normal((2, 12, 4, 3)) * 0.3,
        im_shape=np.array([[30.0, 40.0], [35.0, 32.0]]),
        anchors=_random_boxes(rng, 4, 3, 3),
        variances=np.ones((4, 3, 3, 4)),
        pre_nms_top_n=30,
        post_nms_top_n=8,
        nms_thresh=0.6,
        min_size=3.0,
        eta=eta,
        pixel_offset=pixel_offset,
    )


def _merge_near_boxes(bboxes, scores, threshold, normalized):
    images, count, size = bboxes.shape
    classes = scores.shape[1]
    boxes = np.repeat(bboxes[:, :, None], classes, 2).reshape(images, count, classes, size)
    merged = scores.transpose(0, 2, 1).copy()
    for image, k in np.ndindex(images, classes):
        own, weights, first = boxes[image, :, k], merged[image, :, k], 0
        for i in range(1, count):
            if _overlap(own[first], own[i], 0.0 if normalized else 1.0) <= threshold:
                first = i
                continue
            own[first] = np.average(own[[first, i]], axis=0, weights=weights[[first, i]])
            weights[first] += weights[i]
            weights[i] = -np.inf
    return boxes.reshape(-1, classes, size), merged.reshape(-1, classes)


def _matrix_args(rng, gaussian):
    return dict(
        bboxes=_random_boxes(rng, 2, 8),
        scores=rng.permutation(2 * 3 * 8).reshape(2, 3, 8) / 48.0,
        score_threshold=0.1,
        nms_top_k=6,
        keep_top_k=7,
        post_threshold=0.05,
        use_gaussian=gaussian,
        gaussian_sigma=2.0,
    )


def _multiclass_args(rng, images, **rule):
    rule = dict(background_label=0, nms_top_k=6, keep_top_k=9, nms_eta=1.0, normalized=True) | rule
    if images:
        boxes, scores = _random_boxes(rng, 7, 3), rng.permutation(21).reshape(7, 3) / 21.0
        return dict(bboxes=boxes, scores=scores, rois_num=np.array(images), score_threshold=0.1, **rule)
    scores = rng.permutation(2 * 3 * 8).reshape(2, 3, 8) / 48.0
    return dict(bboxes=_random_boxes(rng, 2, 8), scores=scores, score_threshold=0.1, **rule)


CASES += [
    _plain("multiclass_nms3", "", lambda rng: _multiclass_args(rng, None, nms_threshold=0.3), _multiclass_nms),
    _plain(
        "multiclass_nms3",
        "pixels",
        lambda rng: _multiclass_args(rng, None, nms_threshold=0.6, nms_eta=0.7, normalized=False, background_label=-1),
        _multiclass_nms,
    ),
    _plain(
        "multiclass_nms3",
        "boxes per class",
        lambda rng: _multiclass_args(rng, [3, 4], nms_threshold=0.4, keep_top_k=5),
        _multiclass_nms,
    ),
    *(
        _plain(
            "merge_near_boxes",
            "pixels" if pixels else "",
            lambda rng, pixels=pixels: dict(
                bboxes=np.repeat(_random_boxes(rng, 2, 3), 3, 1) + rng.uniform(0, 2, (2, 9, 4)),
                scores=rng.uniform(0.1, 1, (2, 2, 9)),
                threshold=0.3,
                normalized=not pixels,
            ),
            _merge_near_boxes,
        )
        for pixels in (False, True)
    ),
    _plain("nms", "", lambda rng: dict(x=_random_boxes(rng, 30), threshold=0.4), _nms),
    _plain("matrix_nms", "linear", lambda rng: _matrix_args(rng, False), _matrix_nms),
    _plain("matrix_nms", "gaussian", lambda rng: _matrix_args(rng, True), _matrix_nms),
    _plain("generate_proposals", "", lambda rng: _proposal_args(rng, 1.0, False), _generate_proposals),
    _plain("generate_proposals", "pixels", lambda rng: _proposal_args(rng, 0.9, True), _generate_proposals),
    _plain("yolo_box", "", lambda rng: _yolo_args(rng, False, True, 1.0), _yolo_box),
    _plain("yolo_box", "iou aware", lambda rng: _yolo_args(rng, True, False, 1.2), _yolo_box),
    _plain("box_coder", "encode", lambda rng: _coder_args(rng, "encode_center_size", True), _box_coder),
    _plain("box_coder", "pixels", lambda rng: _coder_args(rng, "encode_center_size", False, 0, True), _box_coder),
    _plain("box_coder", "decode", lambda rng: _coder_args(rng, "decode_center_size", False), _box_coder),
    _plain("box_coder", "axis 1", lambda rng: _coder_args(rng, "decode_center_size", True, 1), _box_coder),
    _plain("prior_box", "", _prior_args(), _prior_box),
    _plain("prior_box", "order", _prior_args(min_max_aspect_ratios_order=True, clip=True), _prior_box),
    _plain("prior_box", "steps", _prior_args(max_sizes=[], flip=False, step_w=3.0, step_h=5.0), _prior_box),
]
