# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Sums, means, extremes, products of matrices and comparisons."""

from ... import _core
from ... import mean as _mean_of
from ... import prod as _prod_of
from ... import sum as _sum_of
from ...nn.functional._by_name import activated
from ..operators import of_rank_one, result

ops = _core.ops


def _reduction(name, operator, doc):
    def function(input, dim=None, keep_dim=False, name=None):
        axes = [] if dim is None else [int(dim)] if isinstance(dim, int) else [int(d) for d in dim]
        return of_rank_one(operator(input, axes, keep_dim))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""{doc}

    Args:
        input: A tensor.
        dim: An axis or a list of them; None: all of them.
        keep_dim: Whether the axes stay, with extent 1.
        name: Not read.

    Returns:
        A tensor without the axes; of shape [1] where none is left.
    """
    return function


def _sum(x, axes, keep):
    made = _sum_of(x, axis=axes or None, keepdim=keep)
    return made if made.dtype == x.dtype or x.dtype == _core.bool else ops.cast(made, x.dtype)


reduce_sum = _reduction("reduce_sum", _sum, "The sum over axes.")
reduce_mean = _reduction("reduce_mean", lambda x, a, k: _mean_of(x, axis=a or None, keepdim=k), "The mean over axes.")
reduce_max = _reduction("reduce_max", lambda x, a, k: ops.max(x, a, k), "The largest element over axes.")
reduce_min = _reduction("reduce_min", lambda x, a, k: ops.min(x, a, k), "The smallest element over axes.")
reduce_prod = _reduction(
    "reduce_prod", lambda x, a, k: _prod_of(x, axis=a or None, keepdim=k), "The product over axes."
)
reduce_all = _reduction("reduce_all", lambda x, a, k: ops.all(x, a, k), "Whether all are true over axes, of bools.")
reduce_any = _reduction("reduce_any", lambda x, a, k: ops.any(x, a, k), "Whether any is true over axes, of bools.")


def mean(x, name=None):
    """The mean of all elements, of shape [1].

    Example:
        >>> import paddle
        >>> from paddle import fluid
        >>> fluid.layers.mean(paddle.to_tensor([1.0, 2.0])).tolist()
        [1.5]
    """
    return x.mean().reshape([1])


def sum(x):
    """The sum of tensors of one shape, a list; of one tensor itself."""
    parts = list(x) if isinstance(x, (list, tuple)) else [x]
    return ops.assign(parts[0]) if len(parts) == 1 else ops.add_n(parts)


def sums(input, out=None):
    """The sum of tensors of one shape; `out` takes it where it is given."""
    made = sum(input)
    if out is None:
        return made
    from ...tensor.creation import assign

    return assign(made, out)


def matmul(x, y, transpose_x=False, transpose_y=False, alpha=1.0, name=None):
    """alpha times the product of matrices; vectors are rows on the left and columns on the right.

    Returns:
        The product; of two vectors of shape [1].
    """
    made = of_rank_one(ops.matmul(x, y, transpose_x, transpose_y))
    return made if alpha == 1.0 else made * alpha


def mul(x, y, x_num_col_dims=1, y_num_col_dims=1, name=None):
    """The product of two tensors as matrices, whose rows are the first `..._num_col_dims` axes."""
    return result("mul", {"X": x, "Y": y}, {"x_num_col_dims": x_num_col_dims, "y_num_col_dims": y_num_col_dims})


def _comparison(name, operator, doc):
    def function(x, y, cond=None, name=None, force_cpu=None):
        return _into(operator(x, y), cond)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{doc} `cond`, a bool variable, takes the result where it is given."
    return function


def _into(made, target):
    if target is None:
        return made
    from ...tensor.creation import assign

    assign(made, target)
    return target


equal = _comparison("equal", ops.equal, "x == y.")
not_equal = _comparison("not_equal", ops.not_equal, "x != y.")
greater_equal = _comparison("greater_equal", ops.greater_equal, "x >= y.")
greater_than = _comparison("greater_than", ops.greater_than, "x > y.")
less_equal = _comparison("less_equal", ops.less_equal, "x <= y.")


def less_than(x, y, force_cpu=None, cond=None, name=None):
    """x < y. `cond`, a bool variable, takes the result where it is given."""
    return _into(ops.less_than(x, y), cond)


def _logical(name, operator, doc):
    def function(x, y, out=None, name=None):
        return _into(operator(x, y), out)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{doc} `out` takes the result where it is given."
    return function


logical_and = _logical("logical_and", ops.logical_and, "Whether x and y are true.")
logical_or = _logical("logical_or", ops.logical_or, "Whether x or y is true.")
logical_xor = _logical("logical_xor", ops.logical_xor, "Whether one of x and y is true.")


def logical_not(x, out=None, name=None):
    """Whether x is false. `out` takes the result where it is given."""
    return _into(ops.logical_not(x), out)


def is_empty(x, name=None):
    """Whether x has no elements, a bool of shape [1]."""
    return (ops.numel(x) == 0).reshape([1])


def isfinite(x):
    """Whether all elements are finite, a bool of shape [1]."""
    return ops.all(ops.isfinite(x), [], False).reshape([1])


def has_inf(x):
    """Whether an element is infinite, a bool of shape [1]."""
    return ops.any(ops.isinf(x), [], False).reshape([1])


def has_nan(x):
    """Whether an element is no number, a bool of shape [1]."""
    return ops.any(ops.isnan(x), [], False).reshape([1])


def softmax(input, use_cudnn=True, name=None, axis=-1):
    """exp of the elements divided by its sum along an axis."""
    return ops.softmax(input, axis)


def l2_normalize(x, axis, epsilon=1e-12, name=None):
    """x divided by its length along an axis: the root of the sum of squares, which is at least `epsilon`."""
    axis = 0 if x.ndim == 1 else axis
    return x / ops.sqrt(ops.maximum((x * x).sum(axis, keepdim=True), ops.full([], epsilon, x.dtype)))


def cos_sim(X, Y):
    """The cosine of the angle of rows, of shape [N, 1]; Y may have one row."""

    def length(v):
        return ops.sqrt((v * v).sum(-1, keepdim=True))

    return (X * Y).sum(-1, keepdim=True) / length(X) / length(Y)


def label_smooth(label, prior_dist=None, epsilon=0.1, dtype="float32", name=None):
    """(1 - epsilon) * label + epsilon times `prior_dist`, or times 1 / classes."""
    return ops.label_smooth(label, prior_dist, epsilon)


def maxout(x, groups, name=None, axis=1):
    """The largest one of `groups` neighbouring channels."""
    return ops.maxout(x, groups, axis)


def add_position_encoding(input, alpha, beta, name=None):
    """alpha * input + beta * the sines and cosines of places (Vaswani and others, 2017); shape [N, T, D]."""
    return result("add_position_encoding", {"X": input}, {"alpha": float(alpha), "beta": float(beta)})


def fsp_matrix(x, y):
    """Mean over places of the products of the channels of two maps: [N, C1, H, W], [N, C2, H, W] to [N, C1, C2]."""
    return result("fsp", {"X": x, "Y": y})


def continuous_value_model(input, cvm, use_cvm=True):
    """Rows whose first two columns, counts of shows and clicks, become their logarithms; without `use_cvm` they go."""
    return result("cvm", {"X": input, "CVM": cvm}, {"use_cvm": use_cvm}, "Y")


def mean_iou(input, label, num_classes):
    """Mean over classes of the intersection of predicted and true places divided by their union.

    Returns:
        The mean (float32, [1]), the numbers of wrong and of right places of each class (int32, [classes]).
    """
    wanted, given = label.reshape([-1]), input.reshape([-1])
    hit = ops.cast(wanted == given, _core.float32)

    def count(which, weight):
        return ops.full([num_classes], 0.0, _core.float32).index_add(which, 0, weight)

    every = ops.full_like(hit, 1.0)
    right, of_label, of_input = count(wanted, hit), count(wanted, every), count(given, every)
    union = of_label + of_input - right
    seen = ops.cast(union > 0, _core.float32)
    share = right / ops.maximum(union, ops.full([], 1.0, _core.float32))
    wrong = ops.cast(of_label + of_input - right - right, _core.int32)
    total = ops.maximum(seen.sum(), ops.full([], 1.0, _core.float32))
    return (share.sum() / total).reshape([1]), wrong, ops.cast(right, _core.int32)


def affine_channel(x, scale=None, bias=None, data_layout="NCHW", name=None, act=None):
    """scale * x + bias, one number of each for a channel."""
    shape = [1, -1, *[1] * (x.ndim - 2)] if data_layout == "NCHW" else [*[1] * (x.ndim - 1), -1]
    return activated(x * scale.reshape(shape) + bias.reshape(shape), act)


__all__ = (
    "add_position_encoding affine_channel continuous_value_model cos_sim equal fsp_matrix greater_equal greater_than has_inf "
    "has_nan is_empty isfinite l2_normalize label_smooth less_equal less_than logical_and logical_not logical_or logical_xor "
    "matmul maxout mean mean_iou mul not_equal reduce_all reduce_any reduce_max reduce_mean reduce_min reduce_prod "
    "reduce_sum softmax sum sums"
).split()
