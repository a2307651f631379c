# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Stacking of tensors with the ranks that it asks for, and splitting them along an axis."""

from .. import _core
from ..framework.checked_numbers import check_whole, whole
from ..framework.symint import is_open, smaller
from ._args import (
    Tensor,
    aliases,
    as_tensor,
    axis_of,
    check_tensor,
    is_later,
    ops,
    refused,
    tensors_of,
    writes_out,
)

__all__ = [
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "hstack",
    "vstack",
    "dstack",
    "column_stack",
    "row_stack",
    "split",
    "tensor_split",
    "hsplit",
    "vsplit",
    "dsplit",
    "chunk",
    "unbind",
]


def _each(inputs, fn):
    if len(inputs) == 1 and isinstance(inputs[0], (list, tuple)) and any(isinstance(x, Tensor) for x in inputs[0]):
        inputs = inputs[0]
    made = [fn(as_tensor(x)) for x in inputs]
    return made[0] if len(made) == 1 else made


def atleast_1d(*inputs, name=None):
    """Scalars as vectors of one element; others unchanged.

    Args:
        inputs: Tensors, numbers or nested lists of numbers; or one list of Tensors.
        name: Unused.

    Returns:
        A Tensor, or a list where there are several.

    Example:
        >>> paddle.atleast_1d(paddle.to_tensor(3.0)).tolist()
        [3.0]
    """
    return _each(inputs, lambda x: ops.reshape(x, [1]) if x.ndim == 0 else x)


def atleast_2d(*inputs, name=None):
    """Tensors with axes of extent 1 put in front until they have two.

    Args:
        inputs: Tensors, numbers or nested lists of numbers; or one list of Tensors.
        name: Unused.

    Returns:
        A Tensor, or a list where there are several.

    Example:
        >>> paddle.atleast_2d(paddle.to_tensor([1.0, 2.0])).tolist()
        [[1.0, 2.0]]
    """
    return _each(inputs, lambda x: ops.reshape(x, [1, -1]) if x.ndim < 2 else x)


def atleast_3d(*inputs, name=None):
    """Tensors of at least three axes: [n] becomes [1, n, 1] and [m, n] becomes [m, n, 1].

    Args:
        inputs: Tensors, numbers or nested lists of numbers; or one list of Tensors.
        name: Unused.

    Returns:
        A Tensor, or a list where there are several.

    Example:
        >>> paddle.atleast_3d(paddle.ones([4, 5])).shape
        paddle.Size([4, 5, 1])
    """

    def grow(x):
        if x.ndim < 2:
            return ops.reshape(x, [1, -1, 1])
        return ops.unsqueeze(x, [2]) if x.ndim == 2 else x

    return _each(inputs, grow)


def _at_least(op, tensors, rank):
    if not isinstance(tensors, (list, tuple, Tensor)):
        raise _core.ArgumentTypeError(f"{op}: argument x must be a list of Tensors, got {type(tensors).__name__}.")
    made = {1: atleast_1d, 2: atleast_2d, 3: atleast_3d}[rank](*tensors)
    return made if isinstance(made, list) else [made]


@aliases(tensors="x")
@writes_out
def hstack(x, name=None):
    """Tensors joined along the second axis, vectors and scalars along the first.

    Args:
        x: List of Tensors, equal in all other axes.
        name: Unused.

    Returns:
        A Tensor of at least one axis.

    Example:
        >>> paddle.hstack([paddle.to_tensor([1, 2]), paddle.to_tensor([3])]).tolist()
        [1, 2, 3]
    """
    x = _at_least("hstack", x, 1)
    return ops.concat(x, 0 if x[0].ndim == 1 else 1)


@aliases(tensors="x")
@writes_out
def vstack(x, name=None):
    """Tensors joined along the first axis; vectors of n elements count as [1, n].

    Args:
        x: List of Tensors, equal in all other axes.
        name: Unused.

    Returns:
        A Tensor of at least two axes.

    Example:
        >>> paddle.vstack([paddle.to_tensor([1, 2]), paddle.to_tensor([3, 4])]).tolist()
        [[1, 2], [3, 4]]
    """
    return ops.concat(_at_least("vstack", x, 2), 0)


row_stack = vstack


@aliases(tensors="x")
@writes_out
def dstack(x, name=None):
    """Tensors joined along the third axis; [n] counts as [1, n, 1] and [m, n] as [m, n, 1].

    Args:
        x: List of Tensors, equal in all other axes.
        name: Unused.

    Returns:
        A Tensor of at least three axes.

    Example:
        >>> paddle.dstack([paddle.to_tensor([1, 2]), paddle.to_tensor([3, 4])]).tolist()
        [[[1, 3], [2, 4]]]
    """
    return ops.concat(_at_least("dstack", x, 3), 2)


@aliases(tensors="x")
@writes_out
def column_stack(x, name=None):
    """Vectors as columns beside each other; tensors of more axes are joined along the second.

    Args:
        x: List of Tensors with equal first extents.
        name: Unused.

    Returns:
        A Tensor of at least two axes.

    Example:
        >>> paddle.column_stack([paddle.to_tensor([1, 2]), paddle.to_tensor([3, 4])]).tolist()
        [[1, 3], [2, 4]]
    """
    columns = [ops.reshape(v, [-1, 1]) if v.ndim < 2 else v for v in tensors_of("column_stack", "x", x)]
    return ops.concat(columns, 1)


def _check_axis(op, axis):
    if isinstance(axis, Tensor) and axis.dtype.is_floating_point:
        raise _core.ArgumentTypeError(f"{op}: axis is a Tensor of dtype {axis.dtype.name}; it must be an int.")
    check_whole(op, axis=axis)


@refused("paddle.compat.split", "tensor", "split_size_or_sections", "dim")
def split(x, num_or_sections, axis=0, name=None):
    """Parts of `x` along an axis, in memory of their own.

    Args:
        x: Tensor of any dtype.
        num_or_sections: A number of equal parts, or the list of their sizes (one may be -1).
        axis: The axis that is cut.
        name: Unused.

    Returns:
        A list of Tensors.

    Raises:
        TypeError: num_or_sections is neither an int nor a list or tuple.
        ArgumentTypeError: The axis is no int (a TypeError and a ValueError).
        ValueError: The sizes do not add up, or the axis is out of range.

    Example:
        >>> [part.tolist() for part in paddle.split(paddle.arange(6), [1, 2, -1])]
        [[0], [1, 2], [3, 4, 5]]
    """
    check_tensor("split", x=x)
    if is_later(axis) or (isinstance(num_or_sections, (list, tuple)) and any(map(is_later, num_or_sections))):
        return _split_later(x, num_or_sections, axis)
    _check_axis("split", axis)
    axis = whole("split", "axis", axis) if isinstance(axis, Tensor) else axis
    axis = axis_of(axis, x.ndim, "split")
    size = x.shape[axis]
    if isinstance(num_or_sections, int):
        if num_or_sections <= 0 or (type(size) is int and size % num_or_sections):
            raise ValueError(
                f"split: num_or_sections has value {num_or_sections} and the axis has size {size};"
                f" the size must be a multiple of a positive number of parts."
            )
        return list(ops.split_with_num(x, num_or_sections, axis))
    if not isinstance(num_or_sections, (list, tuple)):
        kind = type(num_or_sections).__name__
        raise TypeError(f"split: num_or_sections has type {kind}; it must be an int, or a list or tuple of ints.")
    if any(map(is_open, num_or_sections)):
        return _split_at_extents(x, list(num_or_sections), axis, size)
    sections = [whole("split", "an element of num_or_sections", s) for s in num_or_sections]
    if sections.count(-1) > 1:
        raise ValueError(f"split: num_or_sections has value {sections}; only one may be -1.")
    if -1 in sections:
        rest = size - sum(sections) - 1
        if isinstance(rest, int) and rest < 0:
            raise ValueError(
                f"split: num_or_sections has value {sections} and the axis has size {size}; it is too small."
            )
        sections[sections.index(-1)] = rest
    return list(ops.split(x, sections, axis))


def _split_at_extents(x, sections, axis, size):
    """`split` into sizes that are extents of the program that is captured."""
    rest = [k for k, s in enumerate(sections) if isinstance(s, int) and s == -1]
    for k in rest:
        sections[k] = size - sum(s for i, s in enumerate(sections) if i != k)
    return _split_later(x, sections, axis)


def _split_later(x, num_or_sections, axis):
    """`split` at places that are known when the program runs."""
    if isinstance(num_or_sections, int):
        return list(ops.split_with_num(x, num_or_sections, axis))
    if is_later(axis) or -1 in [s for s in num_or_sections if isinstance(s, int)]:
        return list(ops.split(x, num_or_sections, axis))
    parts, begin = [], 0
    for section in num_or_sections:
        end = begin + section
        parts.append(ops.assign(ops.slice(x, [axis], [begin], [end])))
        begin = end
    return parts


def _check_part_count(op, count):
    """An error where a list of parts, which may be of no size, takes more memory than there is."""
    if count > 2**24:
        raise OverflowError(
            f"{op}: the result would hold {count} tensors; a list holds at most 2^24; take fewer parts."
        )


@aliases(
    input="x",
    indices_or_sections="num_or_indices",
    indices="num_or_indices",
    sections="num_or_indices",
    dim="axis",
)
def tensor_split(x, num_or_indices, axis=0, name=None):
    """Parts of `x` along an axis, of sizes that need not be equal.

    Args:
        x: Tensor of at least one axis.
        num_or_indices: A number n of parts, of which the first ones are longer by one where n does not divide the
            extent; or the positions before which x is cut.
        axis: The axis that is cut, negative from the end.
        name: Unused.

    Returns:
        A list of Tensors.

    Raises:
        ValueError: The number of parts is not positive, or the axis is out of range.
        OverflowError: There are more than 2^24 parts.

    Example:
        >>> [part.tolist() for part in paddle.tensor_split(paddle.arange(5), 2)]
        [[0, 1, 2], [3, 4]]
        >>> [part.tolist() for part in paddle.tensor_split(paddle.arange(5), [1, 3])]
        [[0], [1, 2], [3, 4]]
    """
    check_tensor("tensor_split", x=x)
    axis = axis_of(axis, x.ndim, "tensor_split")
    size = x.shape[axis]
    if isinstance(num_or_indices, int):
        if num_or_indices <= 0:
            raise ValueError(f"tensor_split: num_or_indices has value {num_or_indices}; it must be positive.")
        _check_part_count("tensor_split", num_or_indices)
        small, more = divmod(size, num_or_indices)
        bounds = [part * small + smaller(more, part) for part in range(num_or_indices + 1)]
    else:
        inner = [smaller(i + size if i < 0 else i, size) for i in num_or_indices]
        bounds = [0, *inner, size]
    return [ops.assign(ops.slice(x, [axis], [a], [b])) for a, b in zip(bounds[:-1], bounds[1:], strict=False)]


@aliases(input="x", indices_or_sections="num_or_indices")
def hsplit(x, num_or_indices, name=None):
    """`tensor_split` along the second axis, of a vector along its only one.

    Args:
        x: Tensor of at least one axis.
        num_or_indices: A number of parts, or the positions before which x is cut.
        name: Unused.

    Returns:
        A list of Tensors.

    Example:
        >>> [part.tolist() for part in paddle.hsplit(paddle.to_tensor([[1, 2], [3, 4]]), 2)]
        [[[1], [3]], [[2], [4]]]
    """
    check_tensor("hsplit", x=x)
    return tensor_split(x, num_or_indices, 0 if x.ndim == 1 else 1)


@aliases(input="x", indices_or_sections="num_or_indices")
def vsplit(x, num_or_indices, name=None):
    """`tensor_split` along the first axis.

    Args:
        x: Tensor of at least two axes.
        num_or_indices: A number of parts, or the positions before which x is cut.
        name: Unused.

    Returns:
        A list of Tensors.

    Raises:
        ValueError: x has fewer than two axes.

    Example:
        >>> [part.tolist() for part in paddle.vsplit(paddle.to_tensor([[1, 2], [3, 4]]), 2)]
        [[[1, 2]], [[3, 4]]]
    """
    check_tensor("vsplit", x=x)
    if x.ndim < 2:
        raise ValueError(f"vsplit: x has {x.ndim} dimensions; it must have at least 2.")
    return tensor_split(x, num_or_indices, 0)


@aliases(input="x", indices_or_sections="num_or_indices")
def dsplit(x, num_or_indices, name=None):
    """`tensor_split` along the third axis.

    Args:
        x: Tensor of at least three axes.
        num_or_indices: A number of parts, or the positions before which x is cut.
        name: Unused.

    Returns:
        A list of Tensors.

    Example:
        >>> [part.shape[2] for part in paddle.dsplit(paddle.ones([2, 2, 5]), [1])]
        [1, 4]
    """
    check_tensor("dsplit", x=x)
    return tensor_split(x, num_or_indices, 2)


@aliases(input="x", dim="axis")
def chunk(x, chunks, axis=0, name=None):
    """Equal parts along an axis.

    Args:
        x: Tensor; the extent of the axis must be a multiple of `chunks`.
        chunks: Number of parts.
        axis: The axis.
        name: Unused.

    Returns:
        A list of Tensors.

    Example:
        >>> [part.tolist() for part in paddle.chunk(paddle.arange(4), 2)]
        [[0, 1], [2, 3]]
    """
    check_tensor("chunk", x=x)
    if not is_later(axis):
        _check_axis("chunk", axis)
    axis = axis if is_later(axis) else axis_of(whole("chunk", "axis", axis), x.ndim, "chunk")
    size = 0 if is_later(axis) else x.shape[axis]
    if not is_later(chunks):
        check_whole("chunk", chunks=chunks)
    if type(chunks) is int and type(size) is int and (chunks <= 0 or size % chunks):
        raise ValueError(
            f"chunk: chunks has value {chunks} and axis {axis} has size {size}; the size must be a multiple of a "
            f"positive number of chunks; tensor_split cuts unequal ones."
        )
    return split(x, chunks, axis)


@aliases(x="input", dim="axis")
def unbind(input, axis=0):
    """The slices of `input` along an axis, without that axis.

    They are views where no gradient is recorded, so that a write to one is seen in `input`.

    Args:
        input: Tensor of at least one axis.
        axis: The axis, negative from the end.

    Returns:
        A list of as many Tensors as the axis is long.

    Example:
        >>> [row.tolist() for row in paddle.unbind(paddle.to_tensor([[1, 2], [3, 4]]))]
        [[1, 2], [3, 4]]
    """
    check_tensor("unbind", input=input)
    axis = axis_of(axis, input.ndim, "unbind")
    if not input.stop_gradient or _core.is_capturing() or input.ndim == 0:
        return ops.unbind(input, axis)
    _check_part_count("unbind", input.shape[axis])
    return [ops.slice(input, [axis], [i], [i + 1], [], [axis]) for i in range(input.shape[axis])]
