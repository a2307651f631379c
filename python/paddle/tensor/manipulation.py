# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Shape composites: axis moves, views, ranks, kinds of dtypes, parts by index."""

from .. import _core
from ..framework.checked_numbers import check_whole, whole
from ._args import (
    Tensor,
    aliases,
    as_tensor,
    axis_of,
    check_tensor,
    convert,
    index_and_axis,
    ops,
    packed,
    shape_arg,
)
from .stacking import *  # noqa: F403
from .stacking import __all__ as _STACKING

__all__ = [
    *_STACKING,
    "moveaxis",
    "t",
    "view",
    "view_as",
    "unflatten",
    "flatten",
    "broadcast_shape",
    "tolist",
    "rank",
    "is_tensor",
    "is_floating_point",
    "is_integer",
    "is_complex",
    "repeat_interleave",
    "rot90",
    "ravel",
    "crop",
    "take",
    "index_fill",
]


@aliases(input="x")
def moveaxis(x, source, destination, name=None):
    """Axes moved to other positions; the rest keep their order.

    Args:
        x: A Tensor.
        source: An axis or several, negative from the end.
        destination: As many positions in the result.
        name: Unused.

    Returns:
        A view of x.

    Raises:
        AssertionError: source and destination differ in length.

    Example:
        >>> paddle.moveaxis(paddle.ones([2, 3, 4]), 0, -1).shape
        paddle.Size([3, 4, 2])
    """
    check_tensor("moveaxis", x=x)
    source = list(source) if isinstance(source, (list, tuple)) else [source]
    destination = list(destination) if isinstance(destination, (list, tuple)) else [destination]
    if len(source) != len(destination):
        raise AssertionError(
            f"moveaxis: source has {len(source)} axes and destination {len(destination)}; the numbers must be equal."
        )
    source = [axis_of(a, x.ndim, "moveaxis") for a in source]
    destination = [axis_of(a, x.ndim, "moveaxis") for a in destination]
    order = [axis for axis in range(x.ndim) if axis not in source]
    for target, axis in sorted(zip(destination, source, strict=False)):
        order.insert(target, axis)
    return ops.transpose(x, order)


@aliases(x="input")
def t(input, name=None):
    """The transpose of a matrix; vectors and scalars stay as they are.

    Args:
        input: Tensor of at most two axes.
        name: Unused.

    Returns:
        A view of input.

    Raises:
        ValueError: input has more than two axes; `transpose` takes an order of axes.

    Example:
        >>> paddle.t(paddle.to_tensor([[1, 2], [3, 4]])).tolist()
        [[1, 3], [2, 4]]
    """
    check_tensor("t", input=input)
    if input.ndim > 2:
        raise ValueError(f"t: input has {input.ndim} dimensions; it must have at most 2.")
    return input if input.ndim < 2 else ops.transpose(input, [1, 0])


@packed(1, "shape_or_dtype", "shape", "size", "dtype")
@aliases(input="x")
def view(x, shape_or_dtype, name=None):
    """The same memory in another shape, `view(x, [2, 3])` or `x.view(2, 3)`, or as another dtype.

    Args:
        x: A Tensor.
        shape_or_dtype: A shape, in which one extent may be -1, or a dtype or its name, in which the bytes are read.
        name: Unused.

    Returns:
        A Tensor over the memory of x: a write to one is seen in the other.

    Raises:
        ValueError: The shape needs a copy, or the bytes of the last axis make no whole number of elements.

    Example:
        >>> x = paddle.zeros([2, 3])
        >>> y = x.view(3, -1)
        >>> _ = y.fill_(1.0)  # one memory: x has it, too
        >>> y.shape, float(x.sum())
        (paddle.Size([3, 2]), 6.0)
    """
    if isinstance(shape_or_dtype, (list, tuple)) or hasattr(shape_or_dtype, "__index__"):
        return ops.view_shape(x, shape_arg(shape_or_dtype))
    return ops.view_dtype(x, convert(shape_or_dtype))


def view_as(x, other, name=None):
    """`x` in the shape of `other`, on the same memory.

    Args:
        x: A Tensor.
        other: A Tensor of as many elements.
        name: Unused.
    """
    check_tensor("view_as", x=x, other=other)
    return view(x, other.shape)


@aliases(input="x", dim="axis", sizes="shape")
def unflatten(x, axis, shape, name=None):
    """One axis cut into several, the inverse of `flatten`.

    Args:
        x: A Tensor.
        axis: The axis that is cut, negative from the end.
        shape: The new extents, a list or an integer Tensor, with the product of the old one; one may be -1.
        name: Unused.

    Example:
        >>> paddle.unflatten(paddle.ones([2, 6]), 1, [3, -1]).shape
        paddle.Size([2, 3, 2])
    """
    check_tensor("unflatten", x=x)
    axis = axis_of(axis, x.ndim, "unflatten")
    shape = shape.tolist() if isinstance(shape, Tensor) else list(shape)
    return ops.reshape(x, x.shape[:axis] + shape + x.shape[axis + 1 :])


@aliases(input="x", start_dim="start_axis", end_dim="stop_axis")
def flatten(x, start_axis=0, stop_axis=-1, name=None):
    """Neighbouring axes joined into one; a view where the memory allows it.

    Args:
        x: Tensor.
        start_axis: First of the joined axes.
        stop_axis: Last of them.
        name: Unused.

    Raises:
        ArgumentTypeError: An axis is no int (a TypeError and a ValueError).
        ValueError: start_axis lies behind stop_axis.

    Example:
        >>> paddle.flatten(paddle.ones([2, 3, 4]), start_axis=1).shape
        paddle.Size([2, 12])
    """
    check_tensor("flatten", x=x)
    if x.ndim == 0:
        return ops.reshape(x, [1])
    check_whole("flatten", start_axis=start_axis, stop_axis=stop_axis)
    start, stop = (axis_of(a, x.ndim, "flatten") for a in (start_axis, stop_axis))
    if start > stop:
        raise ValueError(
            f"flatten: start_axis has value {start_axis} and stop_axis {stop_axis}; "
            f"start_axis must not lie behind stop_axis."
        )
    return ops.flatten(x, start, stop)


def broadcast_shape(x_shape, y_shape):
    """The shape that two shapes broadcast to.

    Args:
        x_shape: A list of extents.
        y_shape: Another one; axes are matched from the last, and must be equal or 1.

    Returns:
        A list of extents.

    Raises:
        ValueError: The shapes do not fit.

    Example:
        >>> paddle.broadcast_shape([2, 1, 3], [4, 1])
        [2, 4, 3]
    """
    result = []
    longest = max(len(x_shape), len(y_shape))
    for position in range(-longest, 0):
        a = x_shape[position] if -position <= len(x_shape) else 1
        b = y_shape[position] if -position <= len(y_shape) else 1
        if a != b and a != 1 and b != 1:
            raise ValueError(
                f"broadcast_shape: x_shape has value {list(x_shape)} and y_shape "
                f"{list(y_shape)}; sizes of an axis must be equal or 1."
            )
        result.append(b if a == 1 else a)
    return result


def tolist(x):
    """The values as nested Python lists, of a scalar as a number.

    Args:
        x: A Tensor.

    Example:
        >>> paddle.tolist(paddle.to_tensor([[1, 2], [3, 4]]))
        [[1, 2], [3, 4]]
    """
    check_tensor("tolist", x=x)
    return x.numpy().tolist()


def rank(input):
    """The number of axes as a 0-d tensor of int32.

    Args:
        input: A Tensor.

    Example:
        >>> int(paddle.rank(paddle.ones([2, 3])))
        2
    """
    check_tensor("rank", input=input)
    return _core.to_tensor(input.ndim, _core.int32)


@aliases(obj="x")
def is_tensor(x):
    """Whether an object is a Tensor.

    Args:
        x: Any object.

    Example:
        >>> paddle.is_tensor(paddle.ones([1])), paddle.is_tensor([1.0])
        (True, False)
    """
    return isinstance(x, Tensor)


@aliases(input="x")
def is_floating_point(x):
    """Whether a Tensor has a real floating dtype.

    Args:
        x: A Tensor.

    Example:
        >>> paddle.is_floating_point(paddle.ones([1])), paddle.is_floating_point(paddle.arange(2))
        (True, False)
    """
    check_tensor("is_floating_point", x=x)
    return x.dtype.name.startswith(("float", "bfloat"))


def is_integer(x):
    """Whether a Tensor has an integer dtype; bool is none.

    Args:
        x: A Tensor.

    Example:
        >>> paddle.is_integer(paddle.arange(2)), paddle.is_integer(paddle.ones([1]))
        (True, False)
    """
    check_tensor("is_integer", x=x)
    return x.dtype.name.startswith(("int", "uint"))


@aliases(input="x")
def is_complex(x):
    """Whether a Tensor has a complex dtype.

    Args:
        x: A Tensor.

    Example:
        >>> paddle.is_complex(paddle.to_tensor([1j]))
        True
    """
    check_tensor("is_complex", x=x)
    return x.dtype.name.startswith("complex")


@aliases(input="x", dim="axis")
def repeat_interleave(x, repeats, axis=None, name=None, *, output_size=None):
    """Each element, or slice along an axis, repeated in its place.

    Args:
        x: A Tensor.
        repeats: One number for all, or a list or integer Tensor with one for each.
        axis: The axis; None repeats the elements of the flattened tensor.
        name: Unused.
        output_size: The extent of the result, if it is known.

    Example:
        >>> paddle.repeat_interleave(paddle.to_tensor([1, 2]), paddle.to_tensor([3, 1])).tolist()
        [1, 1, 1, 2]
    """
    check_tensor("repeat_interleave", x=x)
    if axis is None:
        x, axis = ops.reshape(x, [-1]), 0
    axis = axis_of(axis, x.ndim, "repeat_interleave")
    if isinstance(repeats, (list, tuple)):
        repeats = _core.to_tensor(list(repeats), _core.int64)
    size = -1 if output_size is None else output_size
    if not isinstance(repeats, Tensor):
        return ops.repeat_interleave(x, whole("repeat_interleave", "repeats", repeats), axis, size)
    if repeats.size == 1 and repeats.ndim < 2:
        repeats = ops.expand(ops.reshape(repeats, [1]), [x.shape[axis]])
    return ops.repeat_interleave_with_tensor_index(x, repeats, axis, size)


@aliases(input="x", dims="axes")
def rot90(x, k=1, axes=[0, 1], name=None):  # noqa: B006
    """`x` turned by 90 degrees `k` times in the plane of two axes, from the first towards the second.

    Args:
        x: Tensor of at least two axes.
        k: Number of turns; negative ones go the other way.
        axes: The two axes.
        name: Unused.

    Raises:
        ValueError: axes does not name two different axes.

    Example:
        >>> paddle.rot90(paddle.to_tensor([[1, 2], [3, 4]])).tolist()
        [[2, 4], [1, 3]]
    """
    check_tensor("rot90", x=x)
    if len(axes) != 2:
        raise ValueError(f"rot90: axes has value {axes}; it must name two axes.")
    a, b = (axis_of(axis, x.ndim, "rot90") for axis in axes)
    if a == b:
        raise ValueError(f"rot90: axes is {axes}; the two axes must differ.")
    k %= 4
    if k == 0:
        return ops.assign(x)
    if k == 2:
        return ops.flip(x, list(axes))
    order = list(range(x.ndim))
    order[a], order[b] = b, a
    turned = ops.transpose(x, order)
    return ops.flip(turned, [axes[0] if k == 1 else axes[1]])


def ravel(input):
    """All axes joined into one.

    Args:
        input: A Tensor.

    Returns:
        A vector; a view where the memory allows it.

    Example:
        >>> paddle.ravel(paddle.to_tensor([[1, 2], [3, 4]])).tolist()
        [1, 2, 3, 4]
    """
    return ops.reshape(input, [-1])


def crop(x, shape=None, offsets=None, name=None):
    """A block of `x` of the given shape from the given corner.

    Args:
        x: A Tensor.
        shape: Extents of the block, -1 up to the end; by default those of x. A Tensor, or Tensors among the numbers, are
            taken as well.
        offsets: Where the block begins, one number an axis; 0 by default.
        name: Unused.

    Raises:
        ValueError: The block does not lie inside x.
    """
    check_tensor("crop", x=x)
    shape = x.shape if shape is None else shape
    offsets = [0] * x.ndim if offsets is None else offsets
    # A Tensor is passed on whole: its numbers may be -1, which no extent of a program is.
    given = [v if isinstance(v, Tensor) else shape_arg(v) for v in (shape, offsets)]
    return ops.crop(x, *given)


@aliases(input="x", indices="index")
def take(x, index, mode="raise", name=None):
    """Elements of the flattened `x`, in the shape of `index`.

    Args:
        x: A Tensor.
        index: Tensor of int32 or int64.
        mode: Of indices outside the range: 'raise' is an error and counts negative ones from the end, 'wrap' takes
            them modulo the number of elements, 'clip' takes the nearest end.
        name: Unused.

    Raises:
        ValueError: There is no such mode.
        IndexError: An index is out of range, with mode 'raise'.

    Example:
        >>> paddle.take(paddle.to_tensor([[1, 2], [3, 4]]), paddle.to_tensor([[3], [-4]])).tolist()
        [[4], [1]]
    """
    check_tensor("take", x=x, index=index)
    if mode not in ("raise", "wrap", "clip"):
        raise ValueError(f"take: mode has value {mode!r}; it must be 'raise', 'wrap' or 'clip'.")
    size = x.size
    if mode == "wrap":
        index = index % size
    elif mode == "clip":
        index = ops.clip(index, 0, size - 1)
    else:
        index = ops.where(index < 0, index + size, index)
    flat = ops.gather(ops.reshape(x, [-1]), ops.reshape(index, [-1]), 0)
    return ops.reshape(flat, index.shape)


@aliases(input="x", dim="axis")
def index_fill(x, index, axis, value, name=None):
    """A copy of `x` with `value` in the slices that `index` names along an axis.

    Args:
        x: A Tensor.
        index: Vector of int32 or int64.
        axis: The axis, negative from the end; it may stand before the index, as in PyTorch.
        value: A number or a 0-d Tensor.
        name: Unused.

    Example:
        >>> paddle.index_fill(paddle.zeros([2, 3]), paddle.to_tensor([0, 2]), 1, 9.0).tolist()
        [[9.0, 0.0, 9.0], [9.0, 0.0, 9.0]]
    """
    index, axis = index_and_axis(index, axis)
    check_tensor("index_fill", x=x, index=index)
    axis = axis_of(axis, x.ndim, "index_fill")
    false = ops.full([x.shape[axis]], False, _core.bool)
    hit = ops.index_put(false, [index], ops.full([], True, _core.bool), False)
    view_shape = [1] * x.ndim
    view_shape[axis] = x.shape[axis]
    value = as_tensor(value, x)
    value = value if value.dtype == x.dtype else ops.cast(value, x.dtype)
    return ops.masked_fill(x, ops.reshape(hit, view_shape), value)
