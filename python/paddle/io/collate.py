# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""How samples become a batch."""

from .. import _core


def default_collate_fn(batch):
    """Samples stacked: arrays, tensors and numbers along a new axis, containers by their parts."""
    import numpy

    first = batch[0]
    if isinstance(first, numpy.ndarray):
        return numpy.stack(batch, axis=0)
    if isinstance(first, _core.Tensor):
        return _core.ops.stack(list(batch), 0)
    if isinstance(first, (int, float, numpy.number)):
        return numpy.array(batch)
    if isinstance(first, (str, bytes)):
        return batch
    if isinstance(first, dict):
        return {key: default_collate_fn([sample[key] for sample in batch]) for key in first}
    if isinstance(first, (list, tuple)):
        size = len(first)
        if any(len(sample) != size for sample in batch):
            raise RuntimeError("DataLoader: samples of a batch have different numbers of fields.")
        return [default_collate_fn(list(field)) for field in zip(*batch, strict=False)]
    raise TypeError(
        f"DataLoader: a sample holds a {type(first).__name__}; samples may hold arrays, Tensors, "
        f"numbers, strings, dicts, lists and tuples."
    )


def default_convert_fn(batch):
    """A sample as it is."""
    return batch


def to_tensors(batch):
    """Arrays and numbers of a batch as Tensors."""
    import numpy

    if isinstance(batch, (numpy.ndarray, numpy.number)):
        if getattr(batch, "dtype", None) is not None and batch.dtype.kind not in "biufc":
            return batch
        return _core.to_tensor(batch)
    if isinstance(batch, dict):
        return {key: to_tensors(value) for key, value in batch.items()}
    if isinstance(batch, tuple) and hasattr(batch, "_fields"):
        return type(batch)(*(to_tensors(value) for value in batch))
    if isinstance(batch, (list, tuple)):
        return type(batch)(to_tensors(value) for value in batch)
    return batch
