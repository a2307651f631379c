# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Pooling, resizing, dropout and other functions of images."""

from ... import _core
from ...nn import functional as F
from ..operators import result

ops = _core.ops
_DROPOUT = {"downgrade_in_infer": "downscale_in_infer", "upscale_in_train": "upscale_in_train"}


def _pool(fn, rank, input, size, kind, stride, padding, whole, ceil_mode, exclusive, data_format):
    if kind not in ("max", "avg"):
        raise ValueError(f"{fn}: pool_type has value {kind!r}; it must be 'max' or 'avg'.")
    if not whole and (size == -1 or size is None):
        raise ValueError(f"{fn}: pool_size is {size}; pass it, or global_pooling=True.")
    listed = [size] * rank if isinstance(size, int) else list(size)
    paddings, algorithm = _paddings(padding, rank, data_format)
    attrs = {
        "ksize": listed,
        "pooling_type": kind,
        "strides": [stride] * rank if isinstance(stride, int) else list(stride),
        "paddings": paddings,
        "padding_algorithm": algorithm,
        "global_pooling": whole,
        "ceil_mode": ceil_mode,
        "exclusive": exclusive,
        "adaptive": False,
        "data_format": data_format,
    }
    return result(f"pool{rank}d", {"X": input}, attrs)


def _paddings(padding, rank, data_format):
    """(paddings, algorithm) of a number, numbers, pairs of axes, 'SAME' or 'VALID'."""
    if isinstance(padding, str):
        if padding.upper() not in ("SAME", "VALID"):
            raise ValueError(f"pool_padding has value {padding!r}; it must be 'SAME', 'VALID' or numbers.")
        return [0] * rank, padding.upper()
    if isinstance(padding, int):
        return [padding] * rank, "EXPLICIT"
    listed = list(padding)
    if listed and isinstance(listed[0], (list, tuple)):
        if len(listed) == rank + 2:
            listed = listed[2:] if data_format[1] == "C" else listed[1:-1]
        listed = [int(n) for pair in listed for n in pair]
    return listed, "EXPLICIT"


def pool2d(
    input,
    pool_size=-1,
    pool_type="max",
    pool_stride=1,
    pool_padding=0,
    global_pooling=False,
    use_cudnn=True,
    ceil_mode=False,
    name=None,
    exclusive=True,
    data_format="NCHW",
):
    """The largest element or the mean of each window.

    Args:
        input: Shape [N, C, H, W], or [N, H, W, C] with data_format 'NHWC'.
        pool_size: Extents of a window, an integer or two.
        pool_type: 'max' or 'avg'.
        pool_stride: Distance of windows.
        pool_padding: Places around the image: an integer, one per axis, one per side, 'SAME' or 'VALID'.
        global_pooling: Whether one window takes the whole image.
        use_cudnn: Not read.
        ceil_mode: Whether a window that does not fit wholly at the end counts.
        name: Not read.
        exclusive: Whether means leave out places around the image.
        data_format: Where the channels stand.

    Raises:
        ValueError: `pool_type` is another, or there is no size.

    Example:
        >>> import paddle
        >>> from paddle import fluid
        >>> fluid.layers.pool2d(paddle.arange(4.0).reshape([1, 1, 2, 2]), 2, "avg").tolist()
        [[[[1.5]]]]
    """
    return _pool(
        "pool2d",
        2,
        input,
        pool_size,
        pool_type,
        pool_stride,
        pool_padding,
        global_pooling,
        ceil_mode,
        exclusive,
        data_format,
    )


def pool3d(
    input,
    pool_size=-1,
    pool_type="max",
    pool_stride=1,
    pool_padding=0,
    global_pooling=False,
    use_cudnn=True,
    ceil_mode=False,
    name=None,
    exclusive=True,
    data_format="NCDHW",
):
    """`pool2d` of shape [N, C, D, H, W]."""
    return _pool(
        "pool3d",
        3,
        input,
        pool_size,
        pool_type,
        pool_stride,
        pool_padding,
        global_pooling,
        ceil_mode,
        exclusive,
        data_format,
    )


def adaptive_pool2d(input, pool_size, pool_type="max", require_index=False, name=None):
    """Images of extents `pool_size` of windows of about the same size; with `require_index` (max) their places too."""
    if pool_type == "avg":
        return F.adaptive_avg_pool2d(input, pool_size)
    return F.adaptive_max_pool2d(input, pool_size, return_mask=require_index)


def adaptive_pool3d(input, pool_size, pool_type="max", require_index=False, name=None):
    """`adaptive_pool2d` of shape [N, C, D, H, W]."""
    if pool_type == "avg":
        return F.adaptive_avg_pool3d(input, pool_size)
    return F.adaptive_max_pool3d(input, pool_size, return_mask=require_index)


def dropout(x, dropout_prob, is_test=None, seed=None, name=None, dropout_implementation="downgrade_in_infer"):
    """x with elements set to 0 at random.

    Args:
        x: A tensor.
        dropout_prob: The share of elements.
        is_test: Whether nothing is set to 0; None: in evaluation only, which `Program.clone(for_test=True)` makes.
        seed: Not read: the global generator draws.
        name: Not read.
        dropout_implementation: 'downgrade_in_infer': in evaluation elements are multiplied with 1 - dropout_prob;
            'upscale_in_train': in training those that stay are divided by it.
    """
    from .. import dygraph

    if dropout_implementation not in _DROPOUT:
        raise ValueError(
            f"dropout: dropout_implementation has value {dropout_implementation!r}; it must be one of {', '.join(_DROPOUT)}."
        )
    train = not is_test if is_test is not None else dygraph.in_training()
    return F.dropout(x, dropout_prob, training=train, mode=_DROPOUT[dropout_implementation])


def lrn(input, n=5, k=1.0, alpha=1e-4, beta=0.75, name=None, data_format="NCHW"):
    """Local response normalisation across channels: x / (k + alpha * sum of squares of n channels) ** beta."""
    attrs = {"n": n, "k": k, "alpha": alpha, "beta": beta, "data_format": data_format}
    return result("lrn", {"X": input}, attrs)


def _resized(input, out_shape, scale, mode, actual_shape, align_corners, align_mode, data_format):
    size = out_shape if actual_shape is None else actual_shape
    if size is None and scale is None:
        raise ValueError("image_resize: out_shape and scale are None; pass one of them.")
    if size is not None:
        scale = None
    if not isinstance(size, (list, tuple, type(None))) and hasattr(size, "shape"):
        size = ops.cast(size, _core.int32)
    return F.interpolate(input, size, scale, mode, align_corners, align_mode, data_format)


def image_resize(
    input,
    out_shape=None,
    scale=None,
    name=None,
    resample="BILINEAR",
    actual_shape=None,
    align_corners=True,
    align_mode=1,
    data_format="NCHW",
):
    """Images in other extents.

    Args:
        input: Shape [N, C, H, W], or with other axes for 'LINEAR' (one) and 'TRILINEAR' (three).
        out_shape: The extents; None: those times `scale`.
        scale: A factor.
        name: Not read.
        resample: 'NEAREST', 'LINEAR', 'BILINEAR', 'BICUBIC' or 'TRILINEAR'.
        actual_shape: A tensor that goes before `out_shape`.
        align_corners: Whether the middles of the corner elements stay where they are.
        align_mode: Without that: 0 maps middles of elements, 1 their corners.
        data_format: Where the channels stand.
    """
    mode = resample.lower()
    if mode not in ("nearest", "linear", "bilinear", "bicubic", "trilinear"):
        raise ValueError(
            f"image_resize: resample has value {resample!r}; it must be 'BILINEAR', 'NEAREST' or another one."
        )
    return _resized(input, out_shape, scale, mode, actual_shape, align_corners, align_mode, data_format)


def resize_linear(
    input, out_shape=None, scale=None, name=None, actual_shape=None, align_corners=True, align_mode=1, data_format="NCW"
):
    """`image_resize` of shape [N, C, W]."""
    return _resized(input, out_shape, scale, "linear", actual_shape, align_corners, align_mode, data_format)


def resize_bilinear(
    input,
    out_shape=None,
    scale=None,
    name=None,
    actual_shape=None,
    align_corners=True,
    align_mode=1,
    data_format="NCHW",
):
    """`image_resize` by two lines."""
    return _resized(input, out_shape, scale, "bilinear", actual_shape, align_corners, align_mode, data_format)


def resize_trilinear(
    input,
    out_shape=None,
    scale=None,
    name=None,
    actual_shape=None,
    align_corners=True,
    align_mode=1,
    data_format="NCDHW",
):
    """`image_resize` of shape [N, C, D, H, W]."""
    return _resized(input, out_shape, scale, "trilinear", actual_shape, align_corners, align_mode, data_format)


def resize_nearest(
    input, out_shape=None, scale=None, name=None, actual_shape=None, align_corners=True, data_format="NCHW"
):
    """`image_resize` by the nearest element."""
    return _resized(input, out_shape, scale, "nearest", actual_shape, align_corners, 1, data_format)


def image_resize_short(input, out_short_len, resample="BILINEAR"):
    """Images whose shorter side has the given extent, the other one in proportion."""
    height, width = (int(n) for n in input.shape[2:])
    short = min(height, width)
    size = [int(n * out_short_len / short + 0.5) for n in (height, width)]
    return image_resize(input, size, resample=resample)


def grid_sampler(x, grid, name=None):
    """Images read at places of a grid: shape [N, H, W, 2] of numbers from -1 to 1."""
    return F.grid_sample(x, grid)


def affine_grid(theta, out_shape, name=None):
    """The grid of an affine map: theta of shape [N, 2, 3]."""
    return F.affine_grid(theta, out_shape)


def im2sequence(input, filter_size=1, stride=1, padding=0, input_image_size=None, out_stride=1, name=None):
    """The windows of images as rows; those of an image are a sequence."""

    def pair(value):
        return [value] * 2 if isinstance(value, int) else list(value)

    pads = pair(padding)
    attrs = {"kernels": pair(filter_size), "strides": pair(stride), "paddings": pads * 2 if len(pads) == 2 else pads}
    return result("im2sequence", {"X": input}, attrs)


def random_crop(x, shape, seed=None):
    """A part of each sample of a shape, at a random place."""
    from ...tensor.random import randint

    offsets = [0] * (x.ndim - len(shape))
    for extent, wanted in zip(x.shape[len(offsets) :], shape, strict=True):
        offsets.append(randint(0, int(extent) - int(wanted) + 1, [1]))
    from ... import slice as part

    axes = list(range(x.ndim - len(shape), x.ndim))
    starts = [ops.cast(o, _core.int32) for o in offsets[x.ndim - len(shape) :]]
    return part(x, axes, starts, [s + int(n) for s, n in zip(starts, shape, strict=True)])


__all__ = (
    "adaptive_pool2d adaptive_pool3d affine_grid dropout grid_sampler im2sequence image_resize image_resize_short lrn pool2d "
    "pool3d random_crop resize_bilinear resize_linear resize_nearest resize_trilinear"
).split()
