# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions that move, choose and join elements."""

from ... import _core
from ... import crop as _crop
from ... import reshape as _reshape
from ... import shape as _extents
from ... import slice as _slice
from ... import split as _split
from ... import strided_slice as _strided_slice
from ... import tile as _tile
from ...framework.dtypes import convert
from ...nn.functional._by_name import activated
from ..operators import ends_in_one, of_rank_one, offsets_of, result, results, set_offsets

ops = _core.ops


def reshape(x, shape, actual_shape=None, act=None, inplace=False, name=None):
    """x in another shape: -1 is what remains, 0 the extent of x at that place.

    Args:
        x: A tensor.
        shape: Integers or tensors of one element, or a tensor.
        actual_shape: A tensor that goes before `shape`; None: none.
        act: Name of an activation behind it.
        inplace: Not read: x stays as it is.
        name: Not read.

    Example:
        >>> import paddle
        >>> from paddle import fluid
        >>> fluid.layers.reshape(paddle.ones([2, 3, 4]), [0, -1]).shape
        paddle.Size([2, 12])
    """
    return activated(_reshape(x, shape if actual_shape is None else actual_shape), act)


def transpose(x, perm, name=None):
    """x with its axes in the order `perm`."""
    return ops.transpose(x, list(perm))


def squeeze(input, axes, name=None):
    """input without axes of extent 1: those of `axes`, or all where it is []."""
    return ops.squeeze(input, list(axes))


def unsqueeze(input, axes, name=None):
    """input with new axes of extent 1 at the places `axes`: an integer, a list or a tensor."""
    return input.unsqueeze(axes)


def flatten(x, axis=1, name=None):
    """x as a matrix: axes before `axis` become the rows, the others the columns."""
    return result("flatten2", {"X": x}, {"axis": axis})


def concat(input, axis=0, name=None):
    """Tensors one behind the other along an axis.

    Args:
        input: A list of tensors, or an array of tensors (`create_array`).
        axis: An integer, or a tensor of one element.
        name: Not read.
    """
    parts = list(input) if isinstance(input, (list, tuple)) else [input]
    dtype = parts[0].dtype
    parts = [p if p.dtype == dtype else ops.cast(p, dtype) for p in parts]
    return ops.concat([of_rank_one(p) for p in parts], axis)


def split(input, num_or_sections, dim=-1, name=None):
    """Parts of input along an axis, as a list.

    Args:
        input: A tensor.
        num_or_sections: Number of equal parts, or a list of extents, one of which may be -1.
        dim: The axis.
        name: Not read.
    """
    return list(_split(input, num_or_sections, dim))


def stack(x, axis=0, name=None):
    """Tensors of one shape side by side along a new axis."""
    return ops.stack(list(x) if isinstance(x, (list, tuple)) else [x], axis)


def unstack(x, axis=0, num=None):
    """The slices of x along an axis, without that axis; a list."""
    return list(ops.unstack(x, axis, int(x.shape[axis]) if num is None else num))


def unbind(input, axis=0):
    """The slices of input along an axis, without that axis; a list."""
    return list(ops.unbind(input, axis))


def expand(x, expand_times, name=None):
    """x repeated along its axes, as often as `expand_times` says for each."""
    return _tile(x, expand_times)


def expand_as(x, target_tensor, name=None):
    """x repeated along its axes to the shape of `target_tensor`, whose extents are multiples of those of x."""
    return result("expand_as", {"X": x, "target_tensor": target_tensor})


def gather(input, index, overwrite=True):
    """The rows of input at the places `index`, a vector or a column of integers."""
    return ops.gather(input, index.reshape([-1]) if index.ndim > 1 else index, 0)


def gather_nd(input, index, name=None):
    """Parts of input at the places that the last axis of `index` holds."""
    return ops.gather_nd(input, index)


def scatter(input, index, updates, name=None, overwrite=True):
    """input with the rows `updates` at the places `index`; without `overwrite` with their sum at these places."""
    return ops.scatter(input, index.reshape([-1]), updates, overwrite)


def scatter_nd_add(ref, index, updates, name=None):
    """ref plus `updates` at the places that the last axis of `index` holds."""
    return ops.scatter_nd_add(ref, index, updates)


def scatter_nd(index, updates, shape, name=None):
    """Zeros of a shape plus `updates` at the places that the last axis of `index` holds."""
    return scatter_nd_add(ops.full(list(shape), 0, updates.dtype), index, updates)


def slice(input, axes, starts, ends):
    """Parts of axes: from `starts` up to before `ends`; negative numbers count from the end.

    Example:
        >>> import paddle
        >>> from paddle import fluid
        >>> fluid.layers.slice(paddle.arange(6).reshape([2, 3]), [1], [1], [-1]).tolist()
        [[1], [4]]
    """
    return _slice(input, axes, starts, ends)


def strided_slice(input, axes, starts, ends, strides):
    """`slice` in steps."""
    return _strided_slice(input, axes, starts, ends, strides)


def crop(x, shape=None, offsets=None, name=None):
    """The part of x of a shape (integers, or a tensor with it) that begins at `offsets`."""
    if isinstance(shape, _core.Tensor):
        shape = list(shape.shape)
    return _crop(x, shape, offsets)


def crop_tensor(x, shape=None, offsets=None, name=None):
    """The part of x of a shape (integers, or a vector of them) that begins at `offsets`."""
    return _crop(x, shape, offsets)


def pad(x, paddings, pad_value=0.0, name=None):
    """x with values around it: `paddings` are numbers in front of and behind each axis."""
    return result("pad", {"X": x}, {"paddings": list(paddings), "pad_value": float(pad_value)})


def pad_constant_like(x, y, pad_value=0.0, name=None):
    """y with values behind it up to the shape of x."""
    extents = [(int(a), int(b)) for a, b in zip(x.shape, y.shape, strict=True)]
    return pad(y, [n for a, b in extents for n in (0, a - b)], pad_value)


def pad2d(input, paddings=(0, 0, 0, 0), mode="constant", pad_value=0.0, data_format="NCHW", name=None):
    """Images with values around them: `paddings` above, below, left and right.

    Args:
        input: Shape [N, C, H, W], or [N, H, W, C] with data_format 'NHWC'.
        paddings: Four integers, or a vector of them.
        mode: 'constant', 'reflect' or 'edge'.
        pad_value: The value of 'constant'.
        data_format: Where the channels stand.
        name: Not read.
    """
    from ...nn.functional import pad as put_around

    if isinstance(paddings, _core.Tensor):
        top, bottom, left, right = (int(n) for n in paddings.tolist())
    else:
        top, bottom, left, right = paddings
    kind = "replicate" if mode == "edge" else mode
    return put_around(input, [left, right, top, bottom], kind, float(pad_value), data_format)


def reverse(x, axis):
    """x with the order of axes, an integer or a list, turned around; an array of tensors with its own."""
    if isinstance(x, list):
        return x[::-1]
    return ops.flip(x, [axis] if isinstance(axis, int) else list(axis))


def shape(input):
    """The extents of input as an int32 vector, also those that a program knows when it runs only."""
    return ops.cast(_extents(input), _core.int32)


def rank(input):
    """The number of axes, as an int32 vector of one element."""
    return ops.full([1], input.ndim, _core.int32)


def size(input):
    """The number of elements, as an int64 vector of one element."""
    return ops.numel(input).reshape([1])


def one_hot(input, depth, allow_out_of_range=False):
    """Rows of zeros with a one at the place of each integer.

    Args:
        input: Integers of shape [..., 1].
        depth: Extent of a row, an integer or a tensor of one element.
        allow_out_of_range: Whether integers outside of a row give a row of zeros rather than an error.

    Returns:
        float32 of shape [..., depth]: the rows replace the last axis.
    """
    depth = int(depth)
    flat = input.squeeze(-1) if ends_in_one(input) else input
    made = _one_hot_rows(flat, depth, allow_out_of_range)
    return set_offsets(made, offsets_of(input)) if input.ndim > 1 else made


def _one_hot_rows(input, depth, allow_out_of_range):
    if not allow_out_of_range:
        return ops.one_hot(input, depth)
    return ops.cast(input.unsqueeze(-1) == ops.arange(0, depth, 1, input.dtype), _core.float32)


def one_hot_v2(input, depth, allow_out_of_range=False):
    """`one_hot` of integers of any shape: the rows are a new last axis."""
    return _one_hot_rows(input, int(depth), allow_out_of_range)


def multiplex(inputs, index, name=None):
    """Row i of the tensor with the number index[i]; index has shape [N, 1]."""
    return ops.multiplex(list(inputs), ops.cast(index, _core.int32))


def topk(input, k, name=None):
    """The k largest elements of the last axis, largest first, and their places (int64)."""
    values, places = ops.topk(input, int(k), -1, True, True)
    return values, places


def argmax(x, axis=0):
    """The place of the largest element along an axis, int64."""
    return of_rank_one(ops.argmax(x, axis, False, False, _core.int64))


def argmin(x, axis=0):
    """The place of the smallest element along an axis, int64."""
    return of_rank_one(ops.argmin(x, axis, False, False, _core.int64))


def argsort(input, axis=-1, descending=False, name=None):
    """The elements in order along an axis, and their places (int64)."""
    return tuple(results("argsort", {"X": input}, ["Out", "Indices"], {"axis": axis, "descending": descending}))


def unique(x, dtype="int32"):
    """The different elements of a vector in the order of their first places, and for each element which one it is."""
    out, index, _ = unique_with_counts(x, dtype)
    return out, index


def unique_with_counts(x, dtype="int32"):
    """`unique`, and how often each different element occurs in x."""
    values, first, which, count = ops.unique(x, True, True, True, [], convert(dtype))
    order = ops.argsort(first, 0, False, True)[1]
    place = ops.argsort(order, 0, False, True)[1]
    kind = convert(dtype)
    return ops.gather(values, order), ops.cast(ops.gather(place, which), kind), ops.cast(ops.gather(count, order), kind)


def where(condition):
    """The places where a tensor is not 0 or False, int64 of shape [number, axes]."""
    return ops.nonzero(condition)


def shard_index(input, index_num, nshards, shard_id, ignore_value=-1):
    """Numbers within one of `nshards` equal shards of `index_num` numbers, `ignore_value` for those of other shards."""
    return ops.shard_index(input, index_num, nshards, shard_id, ignore_value)


def space_to_depth(x, blocksize, name=None):
    """Squares of images as channels: [N, C, H, W] becomes [N, C * b * b, H / b, W / b]."""
    n, c, h, w = x.shape
    b = int(blocksize)
    parts = x.reshape([n if type(n) is int else -1, c, h // b, b, w // b, b]).transpose([0, 3, 5, 1, 2, 4])
    return parts.reshape([n if type(n) is int else -1, c * b * b, h // b, w // b])


def pixel_shuffle(x, upscale_factor):
    """Channels as squares of images: [N, C * r * r, H, W] becomes [N, C, H * r, W * r]."""
    return ops.pixel_shuffle(x, upscale_factor, "NCHW")


def shuffle_channel(x, group, name=None):
    """Images whose channels, written in `group` rows, are read by columns."""
    return result("shuffle_channel", {"X": x}, {"group": group})


def temporal_shift(x, seg_num, shift_ratio=0.25, name=None, data_format="NCHW"):
    """Images of videos of `seg_num` frames, some channels moved by one frame forwards and some backwards."""
    return ops.temporal_shift(x, seg_num, shift_ratio, data_format)


def unfold(x, kernel_sizes, strides=1, paddings=0, dilations=1, name=None):
    """The windows of images as columns."""
    from ...nn.functional import unfold

    return unfold(x, kernel_sizes, strides, paddings, dilations)


def gather_tree(ids, parents):
    """The sequences that a beam search found, from their last steps back to the first: shapes [T, B, beam]."""
    return ops.gather_tree(ids, parents)


def lod_reset(x, y=None, target_lod=None):
    """x with other sequences in its rows.

    Args:
        x: A tensor.
        y: A variable with sequences, or an int32 vector of offsets.
        target_lod: Offsets as a list.
    """
    if y is None and not target_lod:
        raise ValueError("lod_reset: y and target_lod are None; pass one of them.")
    return result("lod_reset", {"X": x, "Y": y}, {"target_lod": None if y is not None else list(target_lod)})


def lod_append(x, level):
    """x with one more, finest level of sequences: offsets as a list, or a variable that has them."""
    more = offsets_of(level)[-1:] if isinstance(level, _core.Tensor) else [_core.to_tensor(list(level), dtype="int64")]
    return set_offsets(ops.assign(x), [*offsets_of(x), *more])


__all__ = [name for name, value in list(globals().items()) if callable(value) and value.__module__ == __name__]
__all__ = [name for name in __all__ if not name.startswith("_")]
