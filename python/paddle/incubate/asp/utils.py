# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Masks of n:m sparsity, and whether arrays have it.

Rows are cut into groups of m, or matrices into blocks of m by m; what is missing at the end counts as zero.
"""

import enum
import itertools
import threading

__all__ = [
    "CheckMethod",
    "MaskAlgo",
    "calculate_density",
    "check_mask_1d",
    "check_mask_2d",
    "check_sparsity",
    "create_mask",
    "get_mask_1d",
    "get_mask_2d_best",
    "get_mask_2d_greedy",
]


class MaskAlgo(enum.Enum):
    """How `create_mask` chooses what stays."""

    MASK_1D = "get_mask_1d"
    MASK_2D_GREEDY = "get_mask_2d_greedy"
    MASK_2D_BEST = "get_mask_2d_best"


class CheckMethod(enum.Enum):
    """What `check_sparsity` looks at."""

    CHECK_1D = "check_mask_1d"
    CHECK_2D = "check_mask_2d"

    @staticmethod
    def get_checking_method(mask_algo):
        """The check of what a MaskAlgo makes."""
        if not isinstance(mask_algo, MaskAlgo):
            raise AssertionError(f"get_checking_method: mask_algo has value {mask_algo!r}; it must be a MaskAlgo.")
        return CheckMethod.CHECK_1D if mask_algo is MaskAlgo.MASK_1D else CheckMethod.CHECK_2D


def calculate_density(x):
    """The part of the elements of an array that is not zero."""
    import numpy as np

    x = np.asarray(x)
    return float(np.count_nonzero(x)) / x.size


def _groups(mat, m):
    """Groups of m along the rows, [rows, groups, m]."""
    import numpy as np

    padded = np.pad(mat, [(0, 0), (0, -mat.shape[1] % m)])
    return padded.reshape(mat.shape[0], -1, m)


def _blocks(mat, m):
    """Blocks of m by m, [blocks down, blocks across, m, m]."""
    import numpy as np

    padded = np.pad(mat, [(0, -size % m) for size in mat.shape])
    return padded.reshape(padded.shape[0] // m, m, -1, m).swapaxes(1, 2)


def _joined(blocks, shape):
    """The inverse of `_blocks`."""
    down, across, m, _ = blocks.shape
    return blocks.swapaxes(1, 2).reshape(down * m, across * m)[: shape[0], : shape[1]]


def check_mask_1d(mat, n, m):
    """Whether each group of m along the rows has at least n zeros."""
    import numpy as np

    mat = np.atleast_2d(mat)
    return bool(np.all((_groups(mat, m) == 0).sum(-1) >= n))


def check_mask_2d(mat, n, m):
    """Whether no block of m by m has both a row and a column with fewer than n zeros."""
    import numpy as np

    zeros = _blocks(np.atleast_2d(mat), m) == 0
    full_rows, full_columns = (zeros.sum(-1) < n).any(-1), (zeros.sum(-2) < n).any(-1)
    return not np.any(full_rows & full_columns)


def get_mask_1d(mat, n, m):
    """A mask without the n smallest magnitudes of each group of m along the rows.

    Args:
        mat: A matrix.
        n: Zeros of a group.
        m: Size of a group.

    Returns:
        An array of the shape and dtype of mat, of ones and zeros.
    """
    import numpy as np

    groups = np.abs(_groups(mat, m))
    mask = np.ones(groups.shape, mat.dtype)
    np.put_along_axis(mask, np.argsort(groups, -1)[..., :n], 0, -1)
    return mask.reshape(mat.shape[0], -1)[:, : mat.shape[1]]


def get_mask_2d_greedy(mat, n, m):
    """A mask that keeps at most n elements of each row and column of the blocks of m by m, largest magnitudes first."""
    import numpy as np

    blocks = np.abs(_blocks(mat, m))
    mask = np.zeros(blocks.shape, np.float64)
    for at in np.ndindex(blocks.shape[:2]):
        rows, columns = [0] * m, [0] * m
        for place in np.argsort(blocks[at], axis=None)[::-1]:
            row, column = divmod(int(place), m)
            if rows[row] < n and columns[column] < n:
                mask[at][row, column] = 1
                rows[row] += 1
                columns[column] += 1
    return _joined(mask, mat.shape)


_valid_2d_patterns = {}  # 'm_n' -> the matrices
_valid_2d_patterns_lock = threading.Lock()


def _compute_valid_2d_patterns(n, m):
    """All matrices of m by m with n ones in each row and column, [patterns, m, m]."""
    with _valid_2d_patterns_lock:
        key = f"{m}_{n}"
        if key not in _valid_2d_patterns:
            _valid_2d_patterns[key] = _patterns(n, m)
        return _valid_2d_patterns[key]


def _patterns(n, m):
    import numpy as np

    rows = [tuple(int(i in kept) for i in range(m)) for kept in itertools.combinations(range(m), n)]
    found = [()]
    for _ in range(m):
        longer = (pattern + (row,) for pattern in found for row in rows)
        found = [pattern for pattern in longer if all(sum(column) <= n for column in zip(*pattern, strict=True))]
    return np.array(found, np.float64)


def get_mask_2d_best(mat, n, m):
    """A mask that keeps n elements of each row and column of the blocks of m by m: of all, the one whose kept
    magnitudes have the largest sum."""
    import numpy as np

    patterns = _compute_valid_2d_patterns(n, m)
    blocks = np.abs(_blocks(mat, m)).astype(np.float64)
    best = np.argmax(np.einsum("dahw,phw->dap", blocks, patterns), -1)
    return _joined(patterns[best], mat.shape)


def _rows(tensor, op):
    """A matrix whose rows are cut, and how its form is undone: the next to last axis of filters, else the last."""
    if tensor.ndim == 0 or tensor.ndim > 4:
        raise ValueError(f"{op}: tensor has {tensor.ndim} dimensions; it must have 1 to 4.")
    if tensor.ndim < 4:
        return tensor.reshape(-1, tensor.shape[-1]), lambda rows: rows.reshape(tensor.shape)
    turned = tensor.swapaxes(2, 3)
    return turned.reshape(-1, turned.shape[-1]), lambda rows: rows.reshape(turned.shape).swapaxes(2, 3)


def create_mask(tensor, func_name=MaskAlgo.MASK_1D, n=2, m=4):
    """A mask of n:m sparsity of an array of 1 to 4 axes.

    Args:
        tensor: The array; of 4 axes the third is cut into groups, of fewer the last.
        func_name: A MaskAlgo.
        n, m: The sparsity.

    Returns:
        An array of the shape and dtype of tensor, of ones and zeros.
    """
    import numpy as np

    if not isinstance(func_name, MaskAlgo):
        raise AssertionError(f"create_mask: func_name has type {type(func_name).__name__}; it must be a MaskAlgo.")
    tensor = np.asarray(tensor)
    rows, form = _rows(tensor, "create_mask")
    return form(globals()[func_name.value](rows, n, m)).astype(tensor.dtype)


def check_sparsity(tensor, func_name=CheckMethod.CHECK_1D, n=2, m=4):
    """Whether an array of 1 to 4 axes has n:m sparsity, along the axis that `create_mask` cuts.

    Args:
        tensor: The array.
        func_name: A CheckMethod.
        n, m: The sparsity.
    """
    import numpy as np

    if not isinstance(func_name, CheckMethod):
        raise AssertionError(
            f"check_sparsity: func_name has type {type(func_name).__name__}; it must be a CheckMethod."
        )
    return globals()[func_name.value](_rows(np.asarray(tensor), "check_sparsity")[0], n, m)
