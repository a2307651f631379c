# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Sparse tensors from indices and values, and from dense tensors."""

from .. import _core, tensor
from ..framework.devices import placed
from . import _layout
from .tensor import SparseTensor

_INDEX_TYPES = (_core.int8, _core.int16, _core.int32, _core.int64)


def _index(function, name, value, place):
    """A Tensor of indices; TypeError for other element types."""
    value = placed(value if isinstance(value, _core.Tensor) else tensor.to_tensor(value), place)
    if value.size == 0 and value.dtype not in _INDEX_TYPES:
        value = value.astype("int64")
    if value.dtype not in _INDEX_TYPES:
        raise TypeError(f"{function}: {name} has dtype {value.dtype.name}; it must be int8, int16, int32 or int64.")
    return value if value.dtype in (_core.int32, _core.int64) else value.astype("int64")


def _values(values, dtype, place, stop_gradient):
    """The Tensor of values: in the graph of a given Tensor if gradients are wanted."""
    if not isinstance(values, _core.Tensor):
        return tensor.to_tensor(values, dtype=dtype, place=place, stop_gradient=stop_gradient)
    if dtype is not None:
        values = values.astype(dtype)
    values = placed(values, place)
    if values.stop_gradient != stop_gradient:
        values = values.detach()
        values.stop_gradient = stop_gradient
    return values


def _check_range(function, name, index, lengths):
    """IndexError-like ValueError where an index of shape [axes, nnz] is outside of the shape."""
    if _core.pir.is_symbolic(index):
        return
    for axis, length in enumerate(lengths):
        low, high = (int(index[axis].min()), int(index[axis].max())) if index.shape[1] else (0, -1)
        if low < 0 or high >= length:
            raise ValueError(
                f"{function}: {name} holds {low if low < 0 else high} for axis {axis}, which has length {length}; "
                f"it must be in [0, {length})."
            )


def sparse_coo_tensor(indices, values, shape=None, dtype=None, place=None, stop_gradient=True):
    """A sparse tensor in coordinate form.

    Args:
        indices: Index of each value, integers of shape [sparse_dim, nnz].
        values: Values, of shape [nnz] or [nnz, dense axes...].
        shape: Shape of the tensor; the smallest that holds all indices if None.
        dtype: Element type of the values; that of values by default.
        place: Where the tensor is.
        stop_gradient: No gradient flows to values.

    Returns:
        A sparse Tensor.

    Raises:
        TypeError: indices holds no integers.
        ValueError: indices is not 2-D, does not fit values, or exceeds shape.

    Example:
        >>> import paddle
        >>> x = paddle.sparse.sparse_coo_tensor([[0, 1], [2, 0]], [1.0, 2.0], [2, 3])
        >>> x.to_dense().tolist()
        [[0.0, 0.0, 1.0], [2.0, 0.0, 0.0]]
    """
    name = "sparse_coo_tensor"
    indices, values = _index(name, "indices", indices, place), _values(values, dtype, place, stop_gradient)
    if indices.ndim != 2:
        raise ValueError(f"{name}: indices has shape {list(indices.shape)}; it must be 2-D, [sparse_dim, nnz].")
    if values.ndim == 0 or indices.shape[1] != values.shape[0]:
        raise ValueError(
            f"{name}: indices has shape {list(indices.shape)} and values {list(values.shape)}; the last axis of indices "
            f"and the first of values must be equal, the number of values."
        )
    if shape is None and _core.pir.is_symbolic(indices):
        raise ValueError(f"{name}: shape is None and the indices are known when the program runs; pass shape.")
    if shape is None:
        least = indices.max(1).tolist() if indices.shape[1] else [-1] * indices.shape[0]
        shape = [int(n) + 1 for n in least] + list(values.shape[1:])
    shape = [int(n) for n in shape]
    if len(shape) != indices.shape[0] + values.ndim - 1 or shape[indices.shape[0] :] != list(values.shape[1:]):
        raise ValueError(
            f"{name}: shape is {shape}, indices has {indices.shape[0]} rows and values has shape {list(values.shape)}; "
            f"shape must hold one length for each row of indices and then those of values behind the first."
        )
    _check_range(name, "indices", indices, shape[: indices.shape[0]])
    return SparseTensor((indices,), values, shape)


def sparse_csr_tensor(crows, cols, values, shape=None, dtype=None, place=None, stop_gradient=True):
    """A sparse matrix, or a batch of them, in compressed row form.

    Args:
        crows: Where each row begins in cols, integers of shape [rows + 1], or [batch * (rows + 1)].
        cols: Column of each value, integers of shape [nnz].
        values: Values of shape [nnz].
        shape: [rows, columns] or [batch, rows, columns]; the smallest matrix that holds all if None.
        dtype: Element type of the values; that of values by default.
        place: Where the tensor is.
        stop_gradient: No gradient flows to values.

    Returns:
        A sparse Tensor.

    Raises:
        TypeError: crows or cols holds no integers.
        ValueError: The arguments do not fit each other.
    """
    name = "sparse_csr_tensor"
    crows, cols = _index(name, "crows", crows, place), _index(name, "cols", cols, place)
    values = _values(values, dtype, place, stop_gradient)
    if crows.ndim != 1 or cols.ndim != 1 or values.ndim != 1 or cols.shape[0] != values.shape[0]:
        raise ValueError(
            f"{name}: crows, cols and values have shapes {list(crows.shape)}, {list(cols.shape)} and "
            f"{list(values.shape)}; all must be vectors, cols and values of equal length."
        )
    if shape is None:
        shape = [crows.shape[0] - 1, int(cols.max()) + 1 if cols.shape[0] else 0]
    shape = [int(n) for n in shape]
    if len(shape) not in (2, 3):
        raise ValueError(f"{name}: shape has value {shape}; it must have 2 or 3 axes.")
    batch = shape[0] if len(shape) == 3 else 1
    if crows.shape[0] != batch * (shape[-2] + 1):
        raise ValueError(
            f"{name}: crows has {crows.shape[0]} elements and shape is {shape}; there must be one more than rows, "
            f"for each matrix."
        )
    _check_rows(crows.numpy().reshape(batch, -1), cols.shape[0])
    _check_range(name, "cols", cols.unsqueeze(0), shape[-1:])
    return SparseTensor((crows, cols), values, shape)


def _check_rows(crows, nnz):
    if (crows[:, 0] != 0).any() or (crows[:, 1:] < crows[:, :-1]).any() or crows[:, -1].sum() != nnz:
        raise ValueError(
            f"sparse_csr_tensor: crows of each matrix must ascend from 0, and their last values add up to {nnz}, "
            f"the number of values; it holds {crows.reshape(-1).tolist()[:16]}."
        )


def dense_to_coo(x, sparse_dim):
    """`Tensor.to_sparse_coo`: the nonzero elements, or the slices behind `sparse_dim` axes that hold one.

    Args:
        x: A dense Tensor.
        sparse_dim: Sparse axes, from 1 to the number of axes.
    """
    import numpy as np

    if not 1 <= sparse_dim <= x.ndim:
        raise ValueError(
            f"to_sparse_coo: sparse_dim has value {sparse_dim}; it must be in [1, {x.ndim}] for this tensor."
        )
    array = x.detach().numpy() != 0
    index = np.stack(np.nonzero(array.any(axis=tuple(range(sparse_dim, x.ndim)))))
    return _layout.build(index.astype(np.int64), _layout.at_index(x, index), x.shape, coalesced=True)


def dense_to_csr(x):
    """`Tensor.to_sparse_csr`: the nonzero elements of a matrix or a batch of matrices.

    It keeps its gradient, as PaddlePaddle's does.
    """
    if x.ndim not in (2, 3):
        raise ValueError(f"to_sparse_csr: the tensor has shape {list(x.shape)}; it must have 2 or 3 axes.")
    made = _layout.coo_to_csr(dense_to_coo(x, x.ndim))
    if not made.stop_gradient:
        made.retain_grads()
    return made
