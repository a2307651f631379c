# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Regions of interest: their pyramid levels, and pooling of features inside them."""

from .. import _core
from ..nn.functional._windows import per_axis
from ..nn.layer.layers import Layer

ops = _core.ops


def _levels(rois, refer_level, refer_scale, pixel_offset):
    """The (unclipped) pyramid level of every box: bigger by one for twice the side."""
    extent = rois[:, 2:] - rois[:, :2]
    sides = extent + 1.0 if pixel_offset else extent
    empty = ops.any(extent < 0.0, [1], False)
    area = ops.where(empty, ops.full_like(sides[:, 0], 0.0), sides[:, 0] * sides[:, 1])
    return ops.floor(ops.log2(ops.sqrt(area) / refer_scale + 1e-8)) + refer_level


def distribute_fpn_proposals(
    fpn_rois,
    min_level,
    max_level,
    refer_level,
    refer_scale,
    pixel_offset=False,
    rois_num=None,
    name=None,
):
    """Boxes sent to the levels of a feature pyramid by their size (Lin et al. 2017).

    Args:
        fpn_rois: [R, 4].
        refer_level, refer_scale: The level of boxes whose side is refer_scale.
        rois_num: Boxes of each image, [N] int32.

    Returns:
        (boxes of each level, their positions in the levels' concatenation [R, 1], and for each
        level the boxes of each image).
    """
    if rois_num is None:
        raise AssertionError("distribute_fpn_proposals: rois_num is None; give the number of boxes of every image.")
    if min_level > max_level:
        raise ValueError(f"distribute_fpn_proposals: min_level is {min_level} and max_level {max_level}.")
    count, images = fpn_rois.shape[0], rois_num.shape[0]
    level = ops.clip(_levels(fpn_rois, refer_level, refer_scale, pixel_offset), float(min_level), float(max_level))
    ends = ops.cumsum(ops.cast(rois_num, _core.int64), 0)
    position = ops.arange(0, count, 1, _core.int64)
    image = ops.sum(ops.cast(ops.reshape(position, [-1, 1]) >= ops.reshape(ends, [1, -1]), _core.int64), [1])
    names = ops.reshape(ops.arange(0, images, 1, _core.int64), [1, -1])
    rois, counts, order = [], [], []
    for k in range(min_level, max_level + 1):
        members = ops.reshape(ops.nonzero(level == float(k)), [-1])
        rois.append(ops.gather(fpn_rois, members))
        of_image = ops.cast(ops.reshape(ops.gather(image, members), [-1, 1]) == names, _core.int32)
        counts.append(ops.cast(ops.sum(of_image, [0]), _core.int32))
        order.append(members)
    restore = ops.argsort(ops.concat(order, 0), 0, False, True)[1]
    return rois, ops.reshape(ops.cast(restore, _core.int32), [-1, 1]), counts


def roi_align(x, boxes, boxes_num, output_size, spatial_scale=1.0, sampling_ratio=-1, aligned=True, name=None):
    """Regions of images brought to one size by bilinear samples (He et al. 2017).

    Args:
        x: [N, C, H, W].
        boxes: [R, 4] as x1, y1, x2, y2.
        boxes_num: Boxes of each image, [N] int32.
        output_size: An integer or (height, width).
        spatial_scale: Factor from coordinates of boxes to elements of x.
        sampling_ratio: Samples of a bin along each axis; -1: about one per element.
        aligned: Shift boxes by half a pixel.

    Returns:
        [R, C, height, width].
    """
    height, width = per_axis(output_size, 2, "roi_align: output_size")
    return ops.roi_align(x, boxes, boxes_num, height, width, spatial_scale, sampling_ratio, aligned)


def roi_pool(x, boxes, boxes_num, output_size, spatial_scale=1.0, name=None):
    """Regions of images brought to one size by maxima (Girshick 2015).

    Args:
        x: [N, C, H, W].
        boxes: [R, 4] as x1, y1, x2, y2.
        boxes_num: Boxes of each image, [N] int32.
        output_size: An integer or (height, width).

    Returns:
        [R, C, height, width].
    """
    height, width = per_axis(output_size, 2, "roi_pool: output_size")
    return ops.roi_pool(x, boxes, boxes_num, height, width, spatial_scale)[0]


def psroi_pool(x, boxes, boxes_num, output_size, spatial_scale=1.0, name=None):
    """Regions of images brought to one size, every bin from channels of its own (Dai et al. 2016).

    Args:
        x: [N, C * height * width, H, W].
        boxes: [R, 4] as x1, y1, x2, y2.
        boxes_num: Boxes of each image, [N] int32.
        output_size: An integer or (height, width).

    Returns:
        [R, C, height, width].
    """
    height, width = per_axis(output_size, 2, "psroi_pool: output_size")
    if x.ndim != 4 or height * width <= 0:
        raise ValueError(
            f"psroi_pool: x has shape {list(x.shape)} and output_size is {output_size}; x must be "
            f"[N, C, H, W] and output_size positive."
        )
    return ops.psroi_pool(x, boxes, boxes_num, height, width, x.shape[1] // (height * width), spatial_scale)


class _RoI(Layer):
    def __init__(self, output_size, spatial_scale=1.0):
        super().__init__()
        self._output_size, self._spatial_scale = output_size, spatial_scale


class RoIAlign(_RoI):
    """Regions of images by bilinear samples; see `roi_align`."""

    def __init__(self, output_size, spatial_scale=1.0):
        super().__init__(output_size, spatial_scale)

    def forward(self, x, boxes, boxes_num, aligned=True):
        return roi_align(x, boxes, boxes_num, self._output_size, self._spatial_scale, aligned=aligned)


class RoIPool(_RoI):
    """Regions of images by maxima; see `roi_pool`."""

    def __init__(self, output_size, spatial_scale=1.0):
        super().__init__(output_size, spatial_scale)

    def forward(self, x, boxes, boxes_num):
        return roi_pool(x, boxes, boxes_num, self._output_size, self._spatial_scale)

    def extra_repr(self):
        return f"output_size={self._output_size}, spatial_scale={self._spatial_scale}"


class PSRoIPool(_RoI):
    """Regions of images, every bin from channels of its own; see `psroi_pool`."""

    def __init__(self, output_size, spatial_scale=1.0):
        super().__init__(output_size, spatial_scale)

    def forward(self, x, boxes, boxes_num):
        return psroi_pool(x, boxes, boxes_num, self._output_size, self._spatial_scale)
