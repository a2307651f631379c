# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Forms of sparse tensors and the ways between them.

Patterns are worked on in NumPy, values with operators: `coords(x)` is the pattern of either form as an
int64 array of shape [sparse_dim, nnz], and `build` makes a tensor of either form from such an array.
"""

from .. import _core, tensor


def sparse_dim(x):
    """Number of sparse axes."""
    return x._index[0].shape[0] if x.is_sparse_coo() else len(x._shape)


def is_later(x):
    """Whether the pattern gets its values when the program that is recorded runs."""
    return any(map(_core.pir.is_symbolic, x._index))


def coords(x):
    """Index of each stored value in NumPy, int64 of shape [sparse_dim, nnz]."""
    import numpy as np

    if is_later(x):
        raise NotImplementedError(
            "a sparse tensor of a program that is recorded has no known pattern: functions of its values, sums with one "
            "of the same indices, and to_dense() can be recorded; call to_dense() first."
        )
    if x.is_sparse_coo():
        return x._index[0].numpy().astype(np.int64, copy=False)
    crows, cols = (one.numpy().astype(np.int64, copy=False) for one in x._index)
    rows = x._shape[-2]
    counts = np.diff(crows.reshape(-1, rows + 1), axis=1).reshape(-1)
    line = np.repeat(np.arange(len(counts)), counts)
    if len(x._shape) == 2:
        return np.stack([line, cols])
    return np.stack([line // max(rows, 1), line % max(rows, 1), cols])


def flat(index, shape):
    """Position of each index in the flattened sparse axes."""
    import numpy as np

    place = np.zeros(index.shape[1], np.int64)
    for one, length in zip(index, shape, strict=False):
        place = place * length + one
    return place


def unflat(place, shape):
    """The indices of positions."""
    import numpy as np

    out = np.empty((len(shape), len(place)), np.int64)
    for axis in range(len(shape) - 1, -1, -1):
        out[axis] = place % max(shape[axis], 1)
        place = place // max(shape[axis], 1)
    return out


def index_tensor(array, like=None):
    """A Tensor of indices, of the index type of a sparse tensor."""
    made = tensor.to_tensor(array)
    return made if like is None else made.astype(like._index[0].dtype)


def take(values, order):
    """Rows of values."""
    return tensor.gather(values, tensor.to_tensor(order), axis=0)


def add_at(values, position, count):
    """Rows of values added up at positions of a tensor of `count` rows."""
    zeros = tensor.zeros([count, *values.shape[1:]], values.dtype, device=values.place)
    if values.shape[0] == 0:
        return zeros + values.sum().astype(values.dtype)
    return tensor.index_add_(zeros, tensor.to_tensor(position, place=values.place), 0, values)


def merge(place, values):
    """Sorted distinct positions and the sums of their values."""
    import numpy as np

    distinct, position = np.unique(place, return_inverse=True)
    if len(distinct) == len(place):
        return distinct, take(values, np.argsort(place)) if len(place) else values
    return distinct, add_at(values, position.reshape(-1), len(distinct))


def build(index, values, shape, csr=False, coalesced=False, like=None):
    """A sparse tensor from indices in NumPy, in CSR form if asked for."""
    from .tensor import SparseTensor

    made = SparseTensor((index_tensor(index, like),), values, shape, coalesced)
    return coo_to_csr(made) if csr else made


def csr_to_coo(x):
    """Coordinate form of a tensor in CSR form."""
    return build(coords(x), x._values, x._shape, like=x)


def coo_to_csr(x):
    """CSR form of a tensor in coordinate form."""
    import numpy as np

    from .tensor import SparseTensor

    shape = x._shape
    if len(shape) not in (2, 3) or sparse_dim(x) != len(shape):
        raise ValueError(
            f"to_sparse_csr: the tensor has shape {shape} with {sparse_dim(x)} sparse axes; the CSR form has 2 or 3 "
            f"axes, all sparse."
        )
    index = coords(x)
    place = flat(index, shape)
    values = x._values
    if (place[1:] < place[:-1]).any():
        order = np.argsort(place, kind="stable")
        index, values = index[:, order], take(values, order)
    line = flat(index[:-1], shape[:-1])
    batch, rows = (shape[0] if len(shape) == 3 else 1), shape[-2]
    counts = np.bincount(line, minlength=batch * rows).reshape(batch, rows)
    crows = np.zeros((batch, rows + 1), np.int64)
    crows[:, 1:] = np.cumsum(counts, axis=1)
    return SparseTensor((index_tensor(crows.reshape(-1), x), index_tensor(index[-1], x)), values, shape)


def coalesce(x):
    """Sorted distinct indices, with the sums of their values."""
    x._need("coalesce", "COO")
    if x._coalesced:
        return x
    shape = x._shape[: sparse_dim(x)]
    place, values = merge(flat(coords(x), shape), x._values)
    return build(unflat(place, shape), values, x._shape, coalesced=True, like=x)


def to_dense(x):
    """The dense tensor."""
    import math

    axes = sparse_dim(x)
    values = x._values
    if is_later(x) and x.is_sparse_coo():
        return tensor.scatter_nd(x._index[0].transpose([1, 0]), values, x._shape)
    place = flat(coords(x), x._shape[:axes])
    if values.dtype == _core.bool:
        return add_at(values.astype("int32"), place, math.prod(x._shape[:axes])).astype("bool").reshape(x._shape)
    return add_at(values, place, math.prod(x._shape[:axes])).reshape(x._shape)


def at_index(dense, index):
    """Values of a dense tensor at indices in NumPy."""
    return tensor.gather_nd(dense, tensor.to_tensor(index.T.copy()))


def at_pattern(x, pattern):
    """Values of a dense or sparse tensor where another sparse tensor stores its own."""
    from .tensor import is_sparse

    if is_sparse(x):
        if all(bool(tensor.equal_all(a, b)) for a, b in zip(x._index, pattern._index, strict=False)):
            return x._values
        x = to_dense(x)
    return at_index(x, coords(pattern))


def unique_index(place):
    """A number from 0 for each distinct position."""
    import numpy as np

    return np.unique(place, return_inverse=True)[1].reshape(-1)
