# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Images: interpolation, sampling on grids, and channels moved into pixels and back."""

from ... import _core
from ...framework.call_forms import ordered_as_in_pytorch
from ...framework.checked_numbers import shown, whole
from ...tensor._args import aliases, check_tensor, program_operands, writes_out
from ._windows import per_axis
from .pooling import adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d

ops = _core.ops

__all__ = [
    "interpolate",
    "upsample",
    "pixel_shuffle",
    "pixel_unshuffle",
    "channel_shuffle",
    "unfold",
    "fold",
    "grid_sample",
    "affine_grid",
]

_MODES = ("NEAREST", "LINEAR", "BILINEAR", "TRILINEAR", "BICUBIC", "AREA")
_RANKS = {"LINEAR": (3,), "BILINEAR": (4,), "BICUBIC": (4,), "TRILINEAR": (5,), "NEAREST": (4, 5), "AREA": (3, 4, 5)}
_FORMATS = {3: ("NCW", "NWC"), 4: ("NCHW", "NHWC"), 5: ("NCDHW", "NDHWC")}
_AREA = {3: adaptive_avg_pool1d, 4: adaptive_avg_pool2d, 5: adaptive_avg_pool3d}


def _check_interpolate(x, size, scale_factor, mode, align_corners, align_mode, data_format, antialias):
    rank = x.ndim
    if mode not in _MODES:
        raise ValueError(
            f"interpolate: mode has value {mode.lower()!r}; it must be one of {tuple(m.lower() for m in _MODES)}."
        )
    if rank not in _FORMATS or rank not in _RANKS[mode]:
        raise ValueError(
            f"interpolate: x has {rank} dimensions; mode {mode.lower()!r} needs {' or '.join(map(str, _RANKS[mode]))}."
        )
    if data_format not in _FORMATS[rank]:
        raise ValueError(
            f"interpolate: data_format has value {data_format!r}; with {rank} dimensions it must be one of "
            f"{_FORMATS[rank]}."
        )
    if size is None and scale_factor is None:
        raise ValueError("interpolate: size and scale_factor are both None; one of them is needed.")
    if size is not None and scale_factor is not None:
        raise ValueError("interpolate: size and scale_factor are both given; only one of them may be.")
    if not isinstance(align_corners, bool):
        raise TypeError(f"interpolate: align_corners has type {type(align_corners).__name__}; it must be a bool.")
    if align_corners and mode == "NEAREST":
        raise ValueError(
            "interpolate: align_corners is True and mode is 'nearest'; it needs 'linear', 'bilinear', 'trilinear' or "
            "'bicubic'."
        )
    if align_mode not in (0, 1):
        raise ValueError(f"interpolate: align_mode has value {align_mode!r}; it must be 0 or 1.")
    if antialias and mode not in ("BILINEAR", "BICUBIC"):
        raise ValueError(
            f"interpolate: antialias is True and mode is {mode.lower()!r}; it needs 'bilinear' or 'bicubic'."
        )
    if mode == "AREA" and size is None:
        raise ValueError("interpolate: size is None; mode 'area' needs it.")


def is_symbolic_extent(value):
    """An extent that a captured program knows when it runs."""
    return type(value).__name__ == "SymInt"


def _output_size(size, axes):
    """The size as a list of integers and one-element tensors, or as a tensor."""
    if isinstance(size, _core.Tensor):
        return ops.cast(size, _core.int32) if size.dtype.is_floating_point else size
    if hasattr(size, "__index__") and getattr(size, "ndim", 0) == 0:
        size = [size] * axes
    if isinstance(size, str) or not hasattr(size, "__iter__"):
        raise TypeError(f"interpolate: size {shown(size)}; it must be integers or a tensor.")
    known = [isinstance(s, _core.Tensor) or is_symbolic_extent(s) for s in size]
    size = [s if k else whole("interpolate", "an element of size", s) for s, k in zip(size, known, strict=True)]
    if len(size) != axes:
        raise ValueError(f"interpolate: size has {len(size)} values; x has {axes} spatial axes.")
    for s in size:
        if not isinstance(s, _core.Tensor) and not is_symbolic_extent(s) and s <= 0:
            raise AssertionError(f"interpolate: size has value {size}; every value must be greater than 0.")
    return size


def _scaled(extent, scale):
    """An extent times a number, rounded down; a symbolic one stays so when the number is a simple fraction."""
    if is_symbolic_extent(extent):
        from fractions import Fraction

        ratio = Fraction(scale).limit_denominator(1000)
        if float(ratio) == scale:
            return extent * ratio.numerator // ratio.denominator
    return int(extent * scale)


def _scales(scale_factor, axes):
    if type(scale_factor) in (int, float) and scale_factor > 0:
        return [float(scale_factor)] * axes
    if isinstance(scale_factor, _core.Tensor):
        scale_factor = scale_factor.tolist()
    if isinstance(scale_factor, str) or not (
        isinstance(scale_factor, list | tuple) or hasattr(scale_factor, "__float__")
    ):
        raise TypeError(
            f"interpolate: scale_factor has type {type(scale_factor).__name__}; it must be a number, a list, "
            f"a tuple or a tensor."
        )
    given = scale_factor if isinstance(scale_factor, list | tuple) else [scale_factor] * axes
    if len(given) != axes:
        raise ValueError(f"interpolate: scale_factor has {len(given)} values; x has {axes} spatial axes.")
    scales = [float(s) for s in given]
    if any(s <= 0 for s in scales):
        raise ValueError(f"interpolate: scale_factor has value {scales}; every value must be greater than 0.")
    return scales


@aliases(input="x")
@ordered_as_in_pytorch(
    lambda args: len(args) > 5 and (args[5] is None or isinstance(args[5], bool)),
    *("x", "size", "scale_factor", "mode", "align_corners", "recompute_scale_factor", "antialias"),
)
def interpolate(
    x,
    size=None,
    scale_factor=None,
    mode="nearest",
    align_corners=False,
    align_mode=0,
    data_format=None,
    recompute_scale_factor=None,
    antialias=False,
    name=None,
):
    """x resized along its spatial axes.

    Args:
        x: [N, C, W], [N, C, H, W] or [N, C, D, H, W], or with channels last.
        size: Output size, one integer per spatial axis, as a list, tuple or tensor.
        scale_factor: Output size divided by input size, one number or one per spatial axis; either
            this or `size`.
        mode: 'nearest' (4-D, 5-D), 'linear' (3-D), 'bilinear' or 'bicubic' (4-D), 'trilinear' (5-D),
            or 'area', the average over the input's part.
        align_corners: The centres of the corner pixels of input and output coincide; otherwise the
            corners of the images do.
        align_mode: 0: values stand at the centres of pixels; 1: at their first corner.
        data_format: "NCW", "NWC", "NCHW", "NHWC", "NCDHW" or "NDHWC"; by default channels in front.
        recompute_scale_factor: Sample with the ratio of the (integer) sizes, not `scale_factor`.
        antialias: Widen the filter where the image shrinks; 'bilinear' and 'bicubic'.

    PyTorch's order of positional arguments, with recompute_scale_factor and antialias behind align_corners, is taken
    where the sixth one is a bool or None.

    Returns:
        The resized images, of the dtype of x.

    Example:
        >>> x = paddle.arange(4, dtype='float32').reshape([1, 1, 2, 2])
        >>> paddle.nn.functional.interpolate(x, scale_factor=2, mode='bilinear').shape
        paddle.Size([1, 1, 4, 4])
    """
    check_tensor("interpolate", x=x)
    mode = mode.upper()
    if data_format is None and x.ndim in _FORMATS:
        data_format = _FORMATS[x.ndim][0]
    _check_interpolate(x, size, scale_factor, mode, align_corners, align_mode, data_format, antialias)
    axes, scales = x.ndim - 2, []
    last = data_format.endswith("C")
    if size is None and isinstance(scale_factor, _core.Tensor) and _core.pir.is_symbolic(scale_factor):
        extents = ops.shape64(x)[1:-1] if last else ops.shape64(x)[2:]
        size = ops.cast(ops.floor(ops.cast(extents, scale_factor.dtype) * scale_factor), _core.int32)
    if size is not None:
        size = _output_size(size, axes)
    else:
        scales = _scales(scale_factor, axes)
        if recompute_scale_factor:
            extents = x.shape[1:-1] if last else x.shape[2:]
            size, scales = [_scaled(n, s) for n, s in zip(extents, scales, strict=True)], []
    if mode == "AREA":
        size = size.tolist() if isinstance(size, _core.Tensor) else [int(s) for s in size]
        pool = _AREA[x.ndim]
        if not last:
            return pool(x, size)
        order = [0, x.ndim - 1, *range(1, x.ndim - 1)]
        back = [0, *range(2, x.ndim), 1]
        return ops.transpose(pool(ops.transpose(x, order), size), back)
    op = ops.interp_antialias if antialias else getattr(ops, mode.lower() + "_interp")
    layout = {"NCW": "NCHW", "NWC": "NHWC"}.get(data_format, data_format)
    size = [] if size is None else size
    pixels = x.dtype == _core.uint8 and mode == "BILINEAR"  # weighted in float32, the fraction dropped
    source = ops.cast(x, _core.float32) if pixels else x
    out = op(source, size, [], None, layout, -1, -1, -1, scales, mode.lower(), bool(align_corners), align_mode)
    return ops.cast(out, _core.uint8) if pixels else out


def upsample(
    x, size=None, scale_factor=None, mode="nearest", align_corners=False, align_mode=0, data_format=None, name=None
):
    """x resized along its spatial axes; see `interpolate`.

    Args:
        x: Tensor of 3 to 5 dimensions.
        size: Extents of the result; None with scale_factor.
        scale_factor: Factors of the extents; None with size.
        mode: 'nearest', 'linear', 'bilinear', 'trilinear', 'bicubic' or 'area'.
        align_corners: Whether the corner elements keep their place.
        align_mode: 0: values stand at the centres of pixels; 1: at their first corner.
        data_format: "NCW", "NWC", "NCHW", "NHWC", "NCDHW" or "NDHWC"; by default channels in front.
        name: Unused.

    Example:
        >>> paddle.nn.functional.upsample(paddle.ones([1, 3, 4, 5]), scale_factor=2).shape
        paddle.Size([1, 3, 8, 10])
    """
    check_tensor("upsample", x=x)
    return interpolate(x, size, scale_factor, mode, align_corners, align_mode, data_format)


def _check_format(data_format, op):
    if data_format not in ("NCHW", "NHWC"):
        raise ValueError(f"{op}: data_format has value {data_format!r}; it must be 'NCHW' or 'NHWC'.")


def _check_factor(value, name, op, positive=True):
    if not isinstance(value, int):
        raise TypeError(f"{op}: {name} has value {value!r}; it must be an int.")
    if positive and value <= 0:
        raise ValueError(f"{op}: {name} has value {value}; it must be positive.")


@aliases(input="x")
def pixel_shuffle(x, upscale_factor, data_format="NCHW", name=None):
    """Groups of r * r channels become squares of r by r pixels (Shi et al. 2016).

    Args:
        x: [N, C * r * r, H, W], or [N, H, W, C * r * r] for "NHWC".
        upscale_factor: r.

    Returns:
        [N, C, H * r, W * r], or with channels last.
    """
    _check_factor(upscale_factor, "upscale_factor", "pixel_shuffle")
    _check_format(data_format, "pixel_shuffle")
    program_operands("pixel_shuffle", "floating", x=x)
    return ops.pixel_shuffle(x, upscale_factor, data_format)


@aliases(input="x")
def pixel_unshuffle(x, downscale_factor, data_format="NCHW", name=None):
    """Squares of r by r pixels become groups of r * r channels; undoes `pixel_shuffle`.

    Args:
        x: [N, C, H * r, W * r], or with channels last for "NHWC".
        downscale_factor: r.
    """
    _check_factor(downscale_factor, "downscale_factor", "pixel_unshuffle")
    _check_format(data_format, "pixel_unshuffle")
    program_operands("pixel_unshuffle", "floating", x=x)
    return ops.pixel_unshuffle(x, downscale_factor, data_format)


@aliases(input="x")
def channel_shuffle(x, groups, data_format="NCHW", name=None):
    """Channels of `groups` groups interleaved (Zhang et al. 2018).

    Args:
        x: [N, C, H, W], or [N, H, W, C] for "NHWC"; C a multiple of groups.
    """
    _check_factor(groups, "groups", "channel_shuffle")
    _check_format(data_format, "channel_shuffle")
    program_operands("channel_shuffle", "floating", x=x)
    return ops.channel_shuffle(x, groups, data_format)


def _window(kernel_sizes, strides, paddings, dilations, op):
    """Kernel sizes, strides, [top, left, bottom, right] and dilations."""
    if not hasattr(paddings, "__index__") and len(paddings) not in (2, 4):
        raise ValueError(f"{op}: paddings has value {paddings}; it must be an integer or 2 or 4 integers.")
    four = not hasattr(paddings, "__index__") and len(paddings) == 4
    paddings = [int(p) for p in paddings] if four else per_axis(paddings, 2, f"{op}: paddings") * 2
    return (
        per_axis(kernel_sizes, 2, f"{op}: kernel_sizes"),
        per_axis(strides, 2, f"{op}: strides"),
        paddings,
        per_axis(dilations, 2, f"{op}: dilations"),
    )


@aliases(input="x", kernel_size="kernel_sizes", stride="strides", padding="paddings", dilation="dilations")
def unfold(x, kernel_sizes, strides=1, paddings=0, dilations=1, name=None):
    """The windows of a convolution as columns.

    Args:
        x: [N, C, H, W].
        kernel_sizes, strides, dilations: An integer or [height, width].
        paddings: An integer, [height, width] or [top, left, bottom, right].

    Returns:
        [N, C * kernel height * kernel width, number of windows].

    Raises:
        ValueError: x has not four axes, or the filter is larger than the padded image.

    Example:
        >>> x = paddle.arange(9, dtype="float32").reshape([1, 1, 3, 3])
        >>> columns = paddle.nn.functional.unfold(x, 2)
        >>> columns.shape, columns[0, :, 0].tolist()
        (paddle.Size([1, 4, 4]), [0.0, 1.0, 3.0, 4.0])
    """
    check_tensor("unfold", x=x)
    program_operands("unfold", "floating", x=x)
    if x.ndim != 4:
        raise AssertionError(f"unfold: x has shape {list(x.shape)}; it must be [N, C, H, W].")
    return ops.unfold(x, *_window(kernel_sizes, strides, paddings, dilations, "unfold"))


@aliases(
    input="x",
    output_size="output_sizes",
    kernel_size="kernel_sizes",
    stride="strides",
    padding="paddings",
    dilation="dilations",
)
def fold(x, output_sizes, kernel_sizes, strides=1, paddings=0, dilations=1, name=None):
    """Images as the sum of their windows; the transpose of `unfold`.

    Args:
        x: [N, C * kernel height * kernel width, number of windows].
        output_sizes: An integer or [height, width] of the image.

    Returns:
        [N, C, height, width].
    """
    check_tensor("fold", x=x)
    if x.ndim != 3:
        raise AssertionError(f"fold: x has shape {list(x.shape)}; it must be [N, C * kernel size, windows].")
    size = per_axis(output_sizes, 2, "fold: output_sizes")
    return ops.fold(x, size, *_window(kernel_sizes, strides, paddings, dilations, "fold"))


@writes_out
@aliases(input="x")
def grid_sample(x, grid, mode="bilinear", padding_mode="zeros", align_corners=True, name=None):
    """x read at the positions that `grid` names.

    Args:
        x: [N, C, H, W] or [N, C, D, H, W].
        grid: [N, H_out, W_out, 2] or [N, D_out, H_out, W_out, 3]: (x, y) or (x, y, z), where -1 and 1
            are the ends of the axis.
        mode: 'bilinear' or 'nearest'.
        padding_mode: What stands outside: 'zeros', 'border' or 'reflection'.
        align_corners: -1 and 1 are the centres of the first and last element, otherwise their outer
            edges.

    Returns:
        [N, C, H_out, W_out] or [N, C, D_out, H_out, W_out].

    Raises:
        ValueError: The shapes do not fit, or an option has no such value.

    Example:
        >>> x = paddle.to_tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
        >>> paddle.nn.functional.grid_sample(x, paddle.to_tensor([[[[0.0, 0.0], [1.0, -1.0]]]])).tolist()
        [[[[2.5, 2.0]]]]
    """
    if not isinstance(align_corners, bool):
        raise ValueError(f"grid_sample: align_corners has value {align_corners!r}; it must be a bool.")
    return ops.grid_sample(x, grid, mode, padding_mode, align_corners)


@aliases(size="out_shape")
def affine_grid(theta, out_shape, align_corners=True, name=None):
    """The grid for `grid_sample` of an affine map.

    Args:
        theta: [N, 2, 3] or [N, 3, 4].
        out_shape: [N, C, H, W] or [N, C, D, H, W] of the images to sample, as integers or a tensor.

    Returns:
        [N, H, W, 2] or [N, D, H, W, 3].
    """
    return ops.affine_grid(theta, out_shape, bool(align_corners))
