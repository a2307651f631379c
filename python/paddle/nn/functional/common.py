# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Linear maps, embeddings and distances."""

from ... import _core
from ...framework.checked_numbers import whole
from ...tensor._args import aliases, as_tensor, check_tensor, finish, program_operands
from ._reduction import fit

ops = _core.ops

__all__ = [
    "embedding",
    "one_hot",
    "normalize",
    "cosine_similarity",
    "bilinear",
    "label_smooth",
    "sequence_mask",
    "pairwise_distance",
    "pdist",
    "embedding_renorm_",
]


@aliases(input="x")
def embedding(
    x,
    weight,
    padding_idx=None,
    max_norm=None,
    norm_type=2.0,
    sparse=False,
    scale_grad_by_freq=False,
    name=None,
):
    """Rows of `weight` by their index.

    Args:
        x: int32 or int64 Tensor of row numbers, of any shape.
        weight: The table [rows, size].
        padding_idx: Index that gives zeros and gets no gradient.
        max_norm: Used rows with a larger norm are scaled down to it, in place.
        norm_type: Order of that norm.
        sparse: Only rows that are looked up are stepped by optimizers with `lazy_mode`. Gradients
            are dense.
        scale_grad_by_freq: The gradient of a row is divided by the number of times that it is
            looked up. Not with `sparse`.
        name: Unused.

    Returns:
        A Tensor of shape [*x.shape, size].

    Raises:
        IndexError: An index is negative or beyond the rows (a ValueError, too).
        ValueError: padding_idx is out of range.
        AttributeError: scale_grad_by_freq with sparse.

    Example:
        >>> table = paddle.to_tensor([[0.0, 1.0], [2.0, 3.0]])
        >>> paddle.nn.functional.embedding(paddle.to_tensor([1, 0]), table).tolist()
        [[2.0, 3.0], [0.0, 1.0]]
    """
    check_tensor("embedding", x=x, weight=weight)
    if sparse and scale_grad_by_freq:
        raise AttributeError("embedding: scale_grad_by_freq is True; it needs sparse=False.")
    rows = weight.shape[0]
    if not isinstance(rows, int) and padding_idx is not None and padding_idx < 0:
        kept = ops.not_equal(x, ops.cast((rows + padding_idx).as_tensor(), x.dtype))
        found = embedding(x, weight, None, max_norm, norm_type, sparse, scale_grad_by_freq)
        return ops.where(ops.unsqueeze(kept, [-1]), found, ops.full_like(found, 0))
    pad = -1 if padding_idx is None else padding_idx + rows if padding_idx < 0 else padding_idx
    if isinstance(rows, int) and (pad >= rows or pad < -1):
        raise ValueError(f"embedding: padding_idx has value {padding_idx}; it must be in [{-rows}, {rows}).")
    if max_norm is not None:
        _limit_rows(x, weight, max_norm, norm_type)
    if sparse:
        weight._sparse_rows = True
    if scale_grad_by_freq:
        return ops.embedding_with_scaled_gradient(x, weight, pad)
    return ops.embedding(x, weight, pad, False)


def embedding_renorm_(x, weight, max_norm, norm_type=2.0):
    """Scale the rows of `weight` that x names down to at most `max_norm`, in place; returns weight."""
    _limit_rows(x, weight, max_norm, norm_type)
    return weight


def _limit_rows(x, weight, max_norm, norm_type):
    from ...framework.memory import write
    from ...framework.modes import no_grad
    from ...tensor.linalg import vector_norm

    with no_grad():
        size = vector_norm(weight, norm_type, 1, True)
        used = ops.any(
            ops.equal(
                ops.reshape(as_tensor(range_like(weight.shape[0])), [-1, 1]),
                ops.reshape(x, [1, -1]),
            ),
            [1],
            True,
        )
        factor = ops.where(
            ops.logical_and(used, size > max_norm),
            max_norm / (size + 1e-7),
            ops.full_like(size, 1.0),
        )
        write(weight, weight * factor)


def range_like(n):
    """The integers 0 ... n - 1 as an int64 tensor."""
    return ops.arange(0, n, 1, _core.int64)


@aliases(input="x", tensor="x")
def one_hot(x, num_classes=-1, name=None):
    """One-hot rows.

    Args:
        x: Tensor of int32 or int64 class numbers, of shape [...].
        num_classes: Number of classes; -1: one more than the largest number in x.
        name: Unused.

    Returns:
        A float32 Tensor of shape [..., num_classes].

    Raises:
        IndexError: A number is outside of [0, num_classes).

    Example:
        >>> paddle.nn.functional.one_hot(paddle.to_tensor([1, 0]), 2).tolist()
        [[0.0, 1.0], [1.0, 0.0]]
    """
    if isinstance(num_classes, int) and num_classes == -1:
        largest = ops.max(x) + 1
        num_classes = largest if _core.is_capturing() else int(largest)
    return ops.one_hot(x, num_classes)


@aliases(input="x", dim="axis", eps="epsilon")
def normalize(x, p=2, axis=1, epsilon=1e-12, out=None, name=None):
    """x divided by its p-norm along an axis.

    Args:
        x: Floating Tensor.
        p: Exponent of the norm.
        axis: The axis.
        epsilon: The norm counts as at least so large.
        out: A Tensor that takes the result.
        name: Unused.

    Example:
        >>> y = paddle.nn.functional.normalize(paddle.to_tensor([[3.0, 4.0]]))
        >>> [round(v, 4) for v in y[0].tolist()]
        [0.6, 0.8]
    """
    check_tensor("normalize", x=x)
    from ...tensor.linalg import vector_norm

    if x.ndim == 1:
        axis = 0
    size = vector_norm(x, float(p), axis, True)
    return finish(x / ops.maximum(size, ops.full([1], epsilon, size.dtype)), out)


@aliases(dim="axis")
def cosine_similarity(x1, x2, axis=1, eps=1e-08):
    """The cosine of the angle between vectors along an axis: x1 . x2 / max(|x1| |x2|, eps).

    Args:
        x1: Floating Tensor.
        x2: Tensor whose shape broadcasts with that of x1.
        axis: The axis of the vectors.
        eps: Least product of the lengths.

    Returns:
        A Tensor without the axis.

    Example:
        >>> vectors = paddle.to_tensor([[1.0, 0.0]]), paddle.to_tensor([[3.0, 4.0]])
        >>> [round(v, 4) for v in paddle.nn.functional.cosine_similarity(*vectors).tolist()]
        [0.6]
    """
    check_tensor("cosine_similarity", x1=x1, x2=x2)
    program_operands("cosine_similarity", "floating", x1=x1, x2=x2)
    product = ops.sum(x1 * x2, [axis], None, False)
    squares = ops.sum(x1 * x1, [axis], None, False) * ops.sum(x2 * x2, [axis], None, False)
    return product / ops.sqrt(ops.clip(squares, eps * eps, None))


@aliases(x1="x", x2="y", eps="epsilon")
def pairwise_distance(x, y, p=2.0, epsilon=1e-6, keepdim=False, name=None):
    """The p-norm of `x - y + epsilon` along the last axis.

    Args:
        x: Floating Tensor [N, D] or [D].
        y: Tensor that broadcasts with it.
        p: Of the norm.
        epsilon: Added to the differences.
        keepdim: Whether the axis stays with extent 1.
        name: Unused.

    Returns:
        A Tensor [N], or [] for vectors.

    Example:
        >>> x, y = paddle.to_tensor([[3.0, 4.0]]), paddle.to_tensor([[0.0, 0.0]])
        >>> [round(v, 4) for v in paddle.nn.functional.pairwise_distance(x, y).tolist()]
        [5.0]
    """
    check_tensor("pairwise_distance", x=x, y=y)
    from ...tensor.linalg import vector_norm

    return vector_norm(x - y + epsilon, p, -1, keepdim)


def pdist(x, p=2.0, name=None):
    """The p-norms of the differences of all pairs of rows, in the order (0, 1), (0, 2), ..., (1, 2), ..."""
    check_tensor("pdist", x=x)
    from ...tensor.linalg import pdist as of_pairs

    if x.ndim != 2:
        raise ValueError(f"pdist: x has {x.ndim} dimensions; it must be [N, M].")
    return of_pairs(x, p)


@aliases(input1="x1", input2="x2")
def bilinear(x1, x2, weight, bias=None, name=None):
    """`x1 @ weight[k] @ x2` for every output k, plus a bias."""
    check_tensor("bilinear", x1=x1, x2=x2, weight=weight)
    program_operands("bilinear", "floating", x1=x1, x2=x2, weight=weight, bias=bias)
    from ...tensor.einsum import einsum

    if x1.ndim != 2 or x2.ndim != 2 or not fit(x1.shape[:1], x2.shape[:1]):
        raise ValueError(
            f"bilinear: x1 has shape {list(x1.shape)} and x2 {list(x2.shape)}; they must be matrices of as many rows."
        )
    out = einsum("bi,kij,bj->bk", x1, weight, x2)
    return out if bias is None else out + bias


def label_smooth(label, prior_dist=None, epsilon=0.1, name=None):
    """(1 - epsilon) * label + epsilon * prior.

    Args:
        label: One-hot rows, of shape [..., classes].
        prior_dist: The prior, of shape [1, classes]; uniform when None.
        epsilon: Weight of the prior.
        name: Unused.

    Example:
        >>> label = paddle.to_tensor([[0.0, 1.0]])
        >>> [round(v, 4) for v in paddle.nn.functional.label_smooth(label)[0].tolist()]
        [0.05, 0.95]
    """
    check_tensor("label_smooth", label=label)
    if not label.is_floating_point():
        raise TypeError(f"label_smooth: label has dtype {label.dtype.name}; it must be a floating dtype.")
    if not 0 <= epsilon <= 1:
        raise ValueError(f"label_smooth: epsilon has value {epsilon}; it must be in [0, 1].")
    if prior_dist is None and label.size == 0:
        return ops.assign(label)
    prior = prior_dist if prior_dist is not None else 1.0 / label.shape[-1] if label.ndim else 1.0
    return label * (1.0 - epsilon) + epsilon * prior


def sequence_mask(x, maxlen=None, dtype="int64", name=None):
    """1 at the positions below each length, else 0.

    Args:
        x: Tensor of lengths, of any shape.
        maxlen: Number of positions; None, or a negative number, for the greatest length.
        dtype: dtype of the result.
        name: Unused.

    Returns:
        A Tensor of shape [*x.shape, maxlen].

    Example:
        >>> paddle.nn.functional.sequence_mask(paddle.to_tensor([1, 3])).tolist()
        [[1, 0, 0], [1, 1, 1]]
    """
    check_tensor("sequence_mask", x=x)
    from ...framework.dtypes import convert

    if not _core.is_capturing() and maxlen is not None:
        maxlen = whole("sequence_mask", "maxlen", maxlen)
    if maxlen is None or (isinstance(maxlen, int) and maxlen < 0):
        maxlen = ops.max(x) if x.size else 0
        maxlen = maxlen if _core.is_capturing() else int(maxlen)
    return ops.cast(range_like(maxlen) < ops.unsqueeze(x, [-1]), convert(dtype))
