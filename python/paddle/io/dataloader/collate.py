# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""How samples become a batch, and arrays of a batch Tensors."""

from ... import _core


def default_collate_fn(batch):
    """Samples stacked: arrays, tensors and numbers along a new axis, containers element by element.

    Args:
        batch: List of samples of one structure.

    Returns:
        An array (or Tensor) for arrays and numbers, the list itself for strings, and a list or
        dict of these for samples that are sequences or dicts.

    Raises:
        TypeError: A sample holds something else.
        ValueError: Arrays have different shapes.
        RuntimeError: Sequences have different lengths.
    """
    import numpy

    first = batch[0]
    if isinstance(first, (numpy.ndarray, _core.Tensor)):
        odd = next((a for a in batch if hasattr(a, "shape") and tuple(a.shape) != tuple(first.shape)), None)
        if odd is not None:
            raise ValueError(
                f"DataLoader: samples of a batch have shapes {list(first.shape)} and {list(odd.shape)}; make them equal, "
                f"for example by padding, or pass collate_fn."
            )
        return numpy.stack(batch, axis=0) if isinstance(first, numpy.ndarray) else _core.ops.stack(list(batch), 0)
    if isinstance(first, (int, float, complex, numpy.number, numpy.bool_)):
        return numpy.array(batch)
    if isinstance(first, (str, bytes)):
        return batch
    if isinstance(first, dict):
        return {key: default_collate_fn([sample[key] for sample in batch]) for key in first}
    if isinstance(first, (list, tuple)):
        size = len(first)
        if any(len(sample) != size for sample in batch):
            raise RuntimeError(
                "DataLoader: samples of a batch have different numbers of fields; return as many from each, or pass collate_fn."
            )
        return [default_collate_fn(list(field)) for field in zip(*batch, strict=True)]
    raise TypeError(
        f"DataLoader: a sample holds a {type(first).__name__}; samples may hold arrays, Tensors, "
        f"numbers, strings, dicts, lists and tuples. Pass collate_fn for others."
    )


def default_convert_fn(batch):
    """A sample as it is; its tuples become lists."""
    return map_leaves(batch, lambda leaf: leaf)


def is_numeric(array):
    """Whether a tensor dtype holds the elements of a NumPy array or number."""
    kind, size = array.dtype.kind, array.dtype.itemsize
    return kind in "biu" or (kind == "f" and size <= 8) or (kind == "c" and size <= 16)


def map_leaves(tree, on_leaf):
    """`tree` with `on_leaf(value)` for what is no container; tuples become lists."""
    if isinstance(tree, dict):
        return {key: map_leaves(value, on_leaf) for key, value in tree.items()}
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return type(tree)(*(map_leaves(value, on_leaf) for value in tree))
    if isinstance(tree, (list, tuple)):
        return [map_leaves(value, on_leaf) for value in tree]
    return on_leaf(tree)


def to_tensors(batch, place):
    """Arrays of a batch as Tensors at a place, Tensors moved there; a single number stays what it is."""
    import numpy

    def convert(value):
        if isinstance(value, numpy.ndarray) and is_numeric(value):
            return _core.to_tensor(value, place=place)
        if isinstance(value, _core.Tensor) and value.place != place:
            return value.to(place)
        return value

    return map_leaves(batch, convert)
