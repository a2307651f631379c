# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`einsum` over transpose, reshape and matmul, two operands at a time; of more, the cheapest pair comes next."""

from .. import _core
from ..framework.checked_numbers import shown
from ._args import check_tensor, ops

_GUESS = 64
_PARSED = {}  # label lists by equation and ranks
_PLANS = {}  # of two operands, by equation and shapes


def einsum(equation, *operands):
    """Sums of products by Einstein's convention.

    Args:
        equation: As in 'bij,bjk->bik'; '...' stands for broadcast axes. Without '->' the result has the labels that
            occur once, in alphabetical order.
        operands: The Tensors; also as one list.

    Returns:
        A Tensor with the axes named behind '->'; on the diagonals of those that are named twice.

    Raises:
        AssertionError: The equation is not well formed or does not fit the operands (a ValueError, too).
        ValueError: A label stands for axes of different sizes.

    Example:
        >>> x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> paddle.einsum("ij,kj->ik", x, x).tolist()
        [[5.0, 11.0], [11.0, 25.0]]
    """
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = operands[0]
    if not isinstance(equation, str):
        raise _core.ArgumentTypeError(f"einsum: equation {shown(equation)}; it must be a str such as 'ij,jk->ik'.")
    check_tensor("einsum", **{f"operands[{i}]": x for i, x in enumerate(operands)})
    if len(operands) == 2 and (plan := _planned(equation, *operands)):
        return _multiplied(plan, *operands)
    inputs, output = _parse(equation, operands)
    _check_sizes(inputs, operands)
    terms = [_unique_axes(labels, x) for labels, x in zip(inputs, operands, strict=False)]
    while len(terms) > 1:
        i, j = _next_pair(terms, set(output)) if len(terms) > 2 else (0, 1)
        (left, x), (right, y) = terms[i], terms[j]
        rest = [term for k, term in enumerate(terms) if k not in (i, j)]
        kept = set(output).union(*(labels for labels, _ in rest))
        terms = [_contract(left, x, right, y, kept), *rest]
    labels, x = terms[0]
    labels, x = _sum_out(labels, x, set(output))
    order = [labels.index(label) for label in dict.fromkeys(output)]
    if order != list(range(len(order))):
        x = ops.transpose(x, order)
        x = ops.assign(x) if len(operands) == 1 else x  # memory of its own
    return x if len(order) == len(output) else _on_diagonals(x, output)


def _on_diagonals(x, output):
    """x, whose axes are the labels of the result, each once, on the diagonals of axes of one label; zeros beside."""
    repeated = [i for i, label in enumerate(output) if label in output[:i]]
    x = ops.unsqueeze(x, repeated)
    for i in repeated:
        first = output.index(output[i])
        shape = [1] * len(output)
        shape[first] = shape[i] = n = x.shape[first]
        x = ops.where(ops.reshape(ops.eye(n, n, _core.bool), shape), x, ops.full([], 0, x.dtype))
    return x


class InvalidEquation(_core.ArgumentValueError, AssertionError):
    """An equation that is not well formed, or does not fit the operands."""


def _check(text, operands):
    """Raises unless the equation, without its spaces, is well formed and names every axis of the operands."""
    if not operands:
        raise InvalidEquation("einsum: Required at least one operand in Einsum API, but received 0 operands.")
    if text.count("->") > 1:
        raise InvalidEquation("einsum: Invalid equation: multiple `->` were found.")
    left, _, right = text.partition("->")
    parts = left.split(",")
    if len(parts) != len(operands):
        raise InvalidEquation(
            f"einsum: Invalid equation: the number of operands is {len(operands)}, but found {len(parts)} segments in the "
            f"label equation."
        )
    for part in (*parts, right):
        _check_labels(part)
    for part, x in zip(parts, operands, strict=True):
        extra = x.ndim - len(part.replace("...", ""))
        if extra > 0 and "..." not in part:
            raise InvalidEquation(
                f"einsum: Invalid equation: the label string '{part}' misses dimensions. It has shape {list(x.shape)}; name "
                f"every axis or use '...'."
            )
        if extra < 0:
            raise InvalidEquation(
                f"einsum: Invalid equation: the label string '{part}' has more labels than the operand of shape "
                f"{list(x.shape)} has axes."
            )


def _check_sizes(inputs, operands):
    """Raises where a letter stands for axes of different sizes; axes of '...' and of size 1 broadcast."""
    known = {}
    for labels, x in zip(inputs, operands, strict=True):
        for label, size in zip(labels, x.shape, strict=True):
            before = known.setdefault(label, size)
            if type(size) is int and type(before) is int and size != before and 1 not in (size, before):
                raise ValueError(
                    f"einsum: the label {label} stands for an axis of size {before} and for one of size {size}; the sizes "
                    "must be equal, or one of them 1."
                )
            if before == 1:
                known[label] = size


def _check_labels(part):
    names = part.replace("...", "", 1)
    if "." in names:
        raise InvalidEquation("einsum: Invalid equation: `.` is found outside of an ellipsis.")
    for label in names:
        if not (label.isascii() and label.isalpha()):
            raise InvalidEquation(f"einsum: Invalid equation: {label} is not a valid label, which should be letters.")


def _parse(equation, operands):
    """Label lists of the operands and the result, with '...' replaced by private labels."""
    key = (equation, *[x.ndim for x in operands])
    parsed = _PARSED.get(key)
    if parsed is None:
        parsed = _parse_new(equation, operands)
        if len(_PARSED) >= 256:
            _PARSED.clear()
        _PARSED[key] = parsed
    return parsed


def _parse_new(equation, operands):
    text = equation.replace(" ", "")
    _check(text, operands)
    left, arrow, right = text.partition("->")
    inputs, widest = [], 0
    for part, x in zip(left.split(","), operands, strict=True):
        extra = x.ndim - len(part.replace("...", ""))
        widest = max(widest, extra if "..." in part else 0)
        inputs.append((part, extra))
    dots = [f".{i}" for i in range(widest)]
    result = []
    for part, extra in inputs:
        before, has, after = part.partition("...")
        result.append(list(before) + (dots[widest - extra :] if has else []) + list(after))
    if not arrow:
        flat = [label for labels in result for label in labels if label[0] != "."]
        return result, dots + sorted(label for label in set(flat) if flat.count(label) == 1)
    before, has, after = right.partition("...")
    output = list(before) + (dots if has else []) + list(after)
    known = {label for labels in result for label in labels}
    if dots and not has:
        raise InvalidEquation("einsum: Invalid equation: missing ellipsis in output labels.")
    if not known.issuperset(output):
        raise _core.ArgumentValueError(
            f"einsum: the result {right!r} of {equation!r} must name labels of the operands."
        )
    return result, output


def _unique_axes(labels, x):
    """Take diagonals until each label occurs once."""
    names = set(labels)
    if len(names) == len(labels):
        return labels, x
    labels = list(labels)
    for label in names:
        while labels.count(label) > 1:
            first = labels.index(label)
            second = labels.index(label, first + 1)
            x = ops.diagonal(x, 0, first, second)
            labels = [n for i, n in enumerate(labels) if i not in (first, second)] + [label]
    return labels, x


def _sum_out(labels, x, kept):
    """Sum over the axes whose label is not kept."""
    axes = [i for i, label in enumerate(labels) if label not in kept]
    if not axes:
        return labels, x
    return [label for label in labels if label in kept], ops.sum(x, axes, None, False)


def _next_pair(terms, output):
    """The two terms whose product adds the fewest elements to what is kept, and of those the one that needs the
    fewest multiplications. The order does not change the result, so extents known only at run time are guessed.
    """
    shapes = [[n if type(n) is int else _GUESS for n in x.shape] for _, x in terms]
    sizes = {}
    for (labels, _), shape in zip(terms, shapes, strict=True):
        for label, n in zip(labels, shape, strict=True):
            sizes[label] = max(n, sizes.get(label, 1))
    best = None
    for j in range(1, len(terms)):
        for i in range(j):
            left, right = terms[i][0], terms[j][0]
            kept = output.union(*(labels for k, (labels, _) in enumerate(terms) if k not in (i, j)))
            union = {*left, *right}
            added = _product(sizes[n] for n in union & kept) - _product(shapes[i]) - _product(shapes[j])
            cost = (added, _product(sizes[n] for n in union))
            if best is None or cost < best[0]:
                best = cost, (i, j)
    return best[1]


def _product(sizes):
    total = 1
    for n in sizes:
        total *= n
    return total


def _differ(a, b):
    """Whether extents of one label differ, so that one is 1; those known only at run time are taken to be equal."""
    if type(a) is int and type(b) is int:
        return a != b
    return any(type(n) is int and n == 1 for n in (a, b))


def _planned(equation, x, y):
    """The plan of a product of two operands whose extents are known, if it is one product of matrices; made once."""
    shapes = x.shape, y.shape
    try:
        key = equation, *map(tuple, shapes)
        plan = _PLANS.get(key)
    except TypeError:  # extents known only at run time cannot be looked up
        return None
    if plan is not None:
        return plan
    inputs, output = _parse(equation, (x, y))
    _check_sizes(inputs, (x, y))
    left, right = inputs
    alone = set(left) ^ set(right)
    if any(len(set(labels)) < len(labels) for labels in (*inputs, output)) or not alone.issubset(output):
        return None
    if any(type(n) is not int for shape in shapes for n in shape):
        return None
    plan = _plan(left, shapes[0], right, shapes[1], set(output))
    if plan is not None:
        plan = (*plan[:-1], _order(plan[-1], output))
        if len(_PLANS) >= 256:
            _PLANS.clear()
        _PLANS[key] = plan
    return plan


def _order(labels, wanted):
    """The axes that bring labels into another order; None for none."""
    return None if labels == wanted else [labels.index(label) for label in wanted]


def _plan(left, shape_x, right, shape_y, kept):
    """How two terms become one product of matrices: order and shape of each, shape and labels of the result; None where
    a shared axis has size 1 on one side."""
    size_x, size_y = dict(zip(left, shape_x, strict=False)), dict(zip(right, shape_y, strict=False))
    shared = [label for label in left if label in size_y]
    if any(_differ(size_x[n], size_y[n]) for n in shared):
        return None
    batch = [n for n in shared if n in kept]
    summed = [n for n in shared if n not in kept]
    rows = [n for n in left if n not in size_y]
    columns = [n for n in right if n not in size_x]
    depth = _product(size_x[n] for n in summed)
    head = [size_x[n] for n in batch]
    return (
        _order(left, batch + rows + summed),
        head + [_product(size_x[n] for n in rows), depth],
        _order(right, batch + summed + columns),
        head + [depth, _product(size_y[n] for n in columns)],
        head + [size_x[n] for n in rows] + [size_y[n] for n in columns],
        batch + rows + columns,
    )


def _multiplied(plan, x, y):
    """The product of two terms by a plan whose last entry is the order of the result's axes."""
    order_x, shape_x, order_y, shape_y, shape, order = plan
    a = ops.reshape(x if order_x is None else ops.transpose(x, order_x), shape_x)
    b = ops.reshape(y if order_y is None else ops.transpose(y, order_y), shape_y)
    product = a * b if shape_x[-1] == 1 else ops.matmul(a, b)  # nothing is summed
    out = ops.reshape(product, shape)
    return out if order is None else ops.transpose(out, order)


def _contract(left, x, right, y, kept):
    """One product of two terms, summed over the labels that only they have."""
    left, x = _sum_out(left, x, kept | set(right))
    right, y = _sum_out(right, y, kept | set(left))
    plan = _plan(left, x.shape, right, y.shape, kept)
    if plan is None:
        return _broadcast_product(left, x, right, y, kept)
    return plan[-1], _multiplied((*plan[:-1], None), x, y)


def _broadcast_product(left, x, right, y, kept):
    """The product where a shared axis has size 1 on one side."""
    labels = left + [n for n in right if n not in left]

    def spread(own, tensor):
        order = sorted(range(len(own)), key=lambda i: labels.index(own[i]))
        tensor = ops.transpose(tensor, order)
        sizes = dict(zip(own, (tensor.shape[order.index(i)] for i in range(len(own))), strict=False))
        return ops.reshape(tensor, [sizes.get(n, 1) for n in labels])

    return _sum_out(labels, spread(left, x) * spread(right, y), kept)
