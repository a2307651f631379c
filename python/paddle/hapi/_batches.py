# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The samples of a batch: as lists, as tensors, of all processes; and how many there are."""

from .. import _core


def _list(value):
    if value is None:
        return []
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _tensors(values):
    return [v if isinstance(v, _core.Tensor) else _core.to_tensor(v) for v in _list(values)]


def to_list(value):
    """A list of the value, of its items where it is a list or tuple; None stays None."""
    return value if value is None else _list(value)


def to_numpy(var):
    """The values of a Tensor or of a DenseTensor as an array."""
    import numpy

    return var.numpy() if isinstance(var, _core.Tensor) else numpy.asarray(var)


def flatten_list(nested):
    """The items of lists in one list, and the lengths of the lists."""
    return [item for items in nested for item in items], [len(items) for items in nested]


def restore_flatten_list(flat, splits):
    """The lists that `flatten_list` joined."""
    items = iter(flat)
    return [[next(items) for _ in range(count)] for count in splits]


def _all_gather(x):
    """The values of all processes behind one another, which metrics of toolkits import from here."""
    from .. import distributed

    parts = []
    distributed.all_gather(parts, x)
    return _core.ops.concat(parts, 0)


def _rows(batch):
    """Number of samples of a batch, taken from its first Tensor."""
    for value in batch:
        if isinstance(value, (list, tuple)):
            return _rows(value)
        if hasattr(value, "shape"):
            return int(value.shape[0]) if len(value.shape) else 1
    return 1
