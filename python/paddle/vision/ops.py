# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Operators of object detection: boxes, regions of images, deformable convolution, image files."""

import io
import math

from .. import _core, _lazy
from ..nn.functional._windows import per_axis
from ..nn.initializer import Normal
from ..nn.layer.activation import ReLU
from ..nn.layer.container import Sequential
from ..nn.layer.conv import Conv2D
from ..nn.layer.layers import Layer
from ..nn.layer.norm import BatchNorm2D
from ._regions import (
    PSRoIPool,
    RoIAlign,
    RoIPool,
    distribute_fpn_proposals,
    psroi_pool,
    roi_align,
    roi_pool,
)
from ._yolo_loss import yolo_loss

ops = _core.ops

__all__ = [
    "yolo_loss",
    "yolo_box",
    "prior_box",
    "box_coder",
    "deform_conv2d",
    "DeformConv2D",
    "distribute_fpn_proposals",
    "generate_proposals",
    "read_file",
    "decode_jpeg",
    "roi_pool",
    "RoIPool",
    "psroi_pool",
    "PSRoIPool",
    "roi_align",
    "RoIAlign",
    "nms",
    "matrix_nms",
]
__dir__ = _lazy.listing(__name__)


# -- boxes -----------------------------------------------------------------------------------------


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
    iou_aware=False,
    iou_aware_factor=0.5,
):
    """Boxes and scores of a YOLOv3 head (Redmon & Farhadi 2018).

    Args:
        x: [N, anchors * (5 + class_num), H, W]; with `iou_aware` anchors * (6 + class_num) channels.
        img_size: [N, 2] int32, height and width of the images.
        anchors: Widths and heights of the anchors, [w0, h0, w1, h1, ...].
        conf_thresh: Boxes with a lower confidence become zero.
        downsample_ratio: Image size divided by the size of x.
        clip_bbox: Cut boxes to the image.

    Returns:
        (boxes [N, H * W * anchors, 4] as x1, y1, x2, y2, scores [N, H * W * anchors, class_num]).
    """
    return ops.yolo_box(
        x,
        img_size,
        [int(a) for a in anchors],
        class_num,
        conf_thresh,
        downsample_ratio,
        clip_bbox,
        scale_x_y,
        iou_aware,
        iou_aware_factor,
    )


def _floats(values):
    return [float(v) for v in (values if isinstance(values, list | tuple) else [values])]


def prior_box(
    input,
    image,
    min_sizes,
    max_sizes=None,
    aspect_ratios=[1.0],  # noqa: B006
    variance=[0.1, 0.1, 0.2, 0.2],  # noqa: B006
    flip=False,
    clip=False,
    steps=[0.0, 0.0],  # noqa: B006
    offset=0.5,
    min_max_aspect_ratios_order=False,
    name=None,
):
    """Prior boxes of SSD (Liu et al. 2016) around every pixel of `input`.

    Args:
        input, image: [N, C, H, W]; only their sizes count.
        min_sizes, max_sizes: Sizes in pixels of the image.
        aspect_ratios: Ratios of width to height beside 1; with `flip` also their reciprocals.
        steps: Distances of centres [width, height]; 0: image size divided by input size.

    Returns:
        (boxes, variances), both [H, W, priors, 4].
    """
    if len(steps) != 2:
        raise ValueError(f"prior_box: steps has value {steps}; it must be [width, height].")
    large = [] if max_sizes is None else _floats(max_sizes)
    return ops.prior_box(
        input,
        image,
        _floats(min_sizes),
        large if large and large[0] > 0 else [],
        _floats(aspect_ratios),
        _floats(variance),
        flip,
        clip,
        float(steps[0]),
        float(steps[1]),
        offset,
        min_max_aspect_ratios_order,
    )


def box_coder(
    prior_box,
    prior_box_var,
    target_box,
    code_type="encode_center_size",
    box_normalized=True,
    axis=0,
    name=None,
):
    """Boxes as offsets against prior boxes, or back.

    Args:
        prior_box: [M, 4].
        prior_box_var: [M, 4], or a list of 4 numbers.
        target_box: [N, 4] to encode; [N, M, 4] (axis 0) or [M, N, 4] (axis 1) to decode.
        code_type: 'encode_center_size' or 'decode_center_size'.
        box_normalized: Coordinates are parts of the image, not pixels.

    Returns:
        [N, M, 4], or the shape of target_box.
    """
    if isinstance(prior_box_var, _core.Tensor):
        return ops.box_coder(prior_box, prior_box_var, target_box, code_type, box_normalized, axis, [])
    if not isinstance(prior_box_var, list | tuple):
        raise TypeError(
            f"box_coder: prior_box_var has type {type(prior_box_var).__name__}; it must be a tensor or 4 numbers."
        )
    return ops.box_coder(prior_box, None, target_box, code_type, box_normalized, axis, _floats(prior_box_var))


def nms(boxes, iou_threshold=0.3, scores=None, category_idxs=None, categories=None, top_k=None):
    """Indices of the boxes that overlap no better box by more than a threshold.

    Args:
        boxes: [N, 4] as x1, y1, x2, y2; without scores better ones first.
        scores: [N].
        category_idxs: [N]; boxes of different categories do not suppress each other.
        categories: The categories that count, a list.
        top_k: With categories: only the best of the kept boxes.

    Returns:
        int64 indices, better boxes first.
    """
    if scores is None:
        return ops.nms(boxes, iou_threshold)
    if category_idxs is None:
        order = ops.argsort(scores, 0, True, True)[1]
        return ops.gather(order, ops.nms(ops.gather(boxes, order), iou_threshold))
    if categories is None:
        raise AssertionError("nms: category_idxs is given and categories is None; give the list of categories.")
    kept = []
    for category in categories:
        members = ops.reshape(ops.nonzero(category_idxs == category), [-1])
        if members.shape[0]:
            order = ops.gather(members, ops.argsort(ops.gather(scores, members), 0, True, True)[1])
            kept.append(ops.gather(order, ops.nms(ops.gather(boxes, order), iou_threshold)))
    if not kept:
        return ops.full([0], 0, _core.int64)
    kept = ops.concat(kept, 0)
    if top_k is not None and top_k > boxes.shape[0]:
        raise AssertionError(f"nms: top_k has value {top_k}; there are only {boxes.shape[0]} boxes.")
    best = ops.argsort(ops.gather(scores, kept), 0, True, True)[1]
    return ops.gather(kept, best[: best.shape[0] if top_k is None else top_k])


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
    return_rois_num=True,
    name=None,
):
    """Scores lowered by the overlap with better boxes (Wang et al. 2020, SOLOv2).

    Args:
        bboxes: [N, M, 4].
        scores: [N, classes, M].
        score_threshold, post_threshold: Least scores before and after.
        nms_top_k, keep_top_k: Most boxes of a class before, and of an image after; -1: all.

    Returns:
        (rows of label, score, x1, y1, x2, y2; boxes of each image or None; indices or None).
    """
    out, index, count = ops.matrix_nms(
        bboxes,
        scores,
        score_threshold,
        nms_top_k,
        keep_top_k,
        post_threshold,
        use_gaussian,
        gaussian_sigma,
        background_label,
        normalized,
    )
    return out, count if return_rois_num else None, index if return_index else None


# -- proposals -------------------------------------------------------------------------------------


def generate_proposals(
    scores,
    bbox_deltas,
    img_size,
    anchors,
    variances,
    pre_nms_top_n=6000,
    post_nms_top_n=1000,
    nms_thresh=0.5,
    min_size=0.1,
    eta=1.0,
    pixel_offset=False,
    return_rois_num=False,
    name=None,
):
    """The best boxes of a region proposal network (Ren et al. 2015).

    Args:
        scores: [N, A, H, W].
        bbox_deltas: [N, 4 * A, H, W].
        img_size: [N, 2], height and width.
        anchors, variances: [H, W, A, 4].
        pre_nms_top_n, post_nms_top_n: Most boxes of an image before and after suppression.
        return_rois_num: Must be True outside of static graphs.

    Returns:
        (boxes [R, 4], scores [R, 1], boxes of each image [N]).
    """
    if not return_rois_num:
        raise AssertionError("generate_proposals: return_rois_num is False; it must be True.")
    return tuple(
        ops.generate_proposals(
            scores,
            bbox_deltas,
            img_size,
            anchors,
            variances,
            pre_nms_top_n,
            post_nms_top_n,
            nms_thresh,
            min_size,
            eta,
            pixel_offset,
        )
    )


# -- convolution -----------------------------------------------------------------------------------


def deform_conv2d(
    x, offset, weight, bias=None, stride=1, padding=0, dilation=1, deformable_groups=1, groups=1, mask=None, name=None
):
    """Convolution whose windows are bent by offsets (Dai et al. 2017) and weighted by a mask (Zhu et al. 2019).

    Args:
        x: [N, C, H, W].
        offset: [N, 2 * deformable_groups * kh * kw, H_out, W_out]: (y, x) of every element of the window.
        weight: [out_channels, C / groups, kh, kw].
        mask: [N, deformable_groups * kh * kw, H_out, W_out].

    Returns:
        [N, out_channels, H_out, W_out].
    """
    window = [
        per_axis(v, 2, f"deform_conv2d: {n}")
        for v, n in ((stride, "stride"), (padding, "padding"), (dilation, "dilation"))
    ]
    out = ops.deformable_conv(x, offset, weight, mask, *window, deformable_groups, groups, 1)
    return out if bias is None else out + ops.reshape(bias, [1, -1, 1, 1])


class DeformConv2D(Layer):
    """Deformable convolution with parameters of its own; see `deform_conv2d`.

    Args:
        in_channels: Channels of the input.
        out_channels: Channels of the result.
        kernel_size: Extents of the filters, an integer or two.
        stride: Step of the filters.
        padding: Zeros on each side.
        dilation: Distance of the elements of a filter.
        deformable_groups: Groups of channels with offsets of their own.
        groups: Groups of channels that do not see each other.
        weight_attr: ParamAttr of the filters.
        bias_attr: ParamAttr of the bias; False: none.

    Raises:
        AssertionError: weight_attr is False.
        ValueError: in_channels is not divisible by groups.
    """

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        dilation=1,
        deformable_groups=1,
        groups=1,
        weight_attr=None,
        bias_attr=None,
    ):
        super().__init__()
        if weight_attr is False:
            raise AssertionError("DeformConv2D: weight_attr is False; the layer needs a weight.")
        if in_channels % groups:
            raise ValueError(
                f"DeformConv2D: in_channels has value {in_channels} and groups {groups}; in_channels must be divisible "
                f"by groups."
            )
        self._weight_attr, self._bias_attr = weight_attr, bias_attr
        self._deformable_groups, self._groups = deformable_groups, groups
        self._in_channels, self._out_channels = in_channels, out_channels
        self._stride = per_axis(stride, 2, "DeformConv2D: stride")
        self._padding = per_axis(padding, 2, "DeformConv2D: padding")
        self._dilation = per_axis(dilation, 2, "DeformConv2D: dilation")
        self._kernel_size = per_axis(kernel_size, 2, "DeformConv2D: kernel_size")
        shape = [out_channels, in_channels // groups, *self._kernel_size]
        deviation = math.sqrt(2.0 / (in_channels * math.prod(self._kernel_size)))
        self.weight = self.create_parameter(shape, weight_attr, default_initializer=Normal(0.0, deviation))
        self.bias = self.create_parameter([out_channels], bias_attr, is_bias=True)

    def forward(self, x, offset, mask=None):
        return deform_conv2d(
            x,
            offset,
            self.weight,
            self.bias,
            self._stride,
            self._padding,
            self._dilation,
            self._deformable_groups,
            self._groups,
            mask,
        )


class ConvNormActivation(Sequential):
    """Convolution, normalisation and activation.

    Args:
        in_channels, out_channels, kernel_size, stride, groups, dilation: As for `nn.Conv2D`.
        padding: (kernel_size - 1) // 2 * dilation by default.
        norm_layer: Class of the normalisation, or None.
        activation_layer: Class of the activation, or None.
        bias: Whether the convolution has a bias; only without normalisation by default.

    Example:
        >>> paddle.vision.ops.ConvNormActivation(3, 8)(paddle.ones([1, 3, 4, 4])).shape
        paddle.Size([1, 8, 4, 4])
    """

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size=3,
        stride=1,
        padding=None,
        groups=1,
        norm_layer=BatchNorm2D,
        activation_layer=ReLU,
        dilation=1,
        bias=None,
    ):
        if padding is None:
            padding = (kernel_size - 1) // 2 * dilation
        if bias is None:
            bias = norm_layer is None
        parts = [
            Conv2D(
                in_channels,
                out_channels,
                kernel_size,
                stride,
                padding,
                dilation=dilation,
                groups=groups,
                bias_attr=None if bias else False,
            )
        ]
        if norm_layer is not None:
            parts.append(norm_layer(out_channels))
        if activation_layer is not None:
            parts.append(activation_layer())
        super().__init__(*parts)


# -- image files -----------------------------------------------------------------------------------


def read_file(filename, name=None):
    """The bytes of a file as a uint8 tensor."""
    import numpy as np

    with open(filename, "rb") as file:
        return _core.to_tensor(np.frombuffer(file.read(), np.uint8).copy())


def decode_jpeg(x, mode="unchanged", name=None):
    """The image of a JPEG file [C, H, W] as uint8, from its bytes; needs the package Pillow.

    Args:
        x: uint8 bytes, one dimension; see `read_file`.
        mode: 'unchanged', 'gray' or 'rgb'.
    """
    import numpy as np

    try:
        from PIL import Image
    except ImportError as error:
        raise NotImplementedError("decode_jpeg: the package Pillow, which decodes images, is not installed.") from error
    wanted = {"unchanged": None, "gray": "L", "rgb": "RGB"}
    if mode not in wanted:
        raise ValueError(f"decode_jpeg: mode has value {mode!r}; it must be 'unchanged', 'gray' or 'rgb'.")
    try:
        image = Image.open(io.BytesIO(x.numpy().tobytes()))
        image = image if wanted[mode] is None else image.convert(wanted[mode])
        pixels = np.array(image, np.uint8)
    except OSError as error:
        raise ValueError(
            f"decode_jpeg: x, of {list(x.shape)} bytes, is not an image that can be decoded: {error}."
        ) from error
    pixels = pixels[None] if pixels.ndim == 2 else np.ascontiguousarray(np.moveaxis(pixels, -1, 0))
    return _core.to_tensor(pixels)
