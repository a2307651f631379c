# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Batches of a DataLoader as feeds of static programs."""

from .. import _core
from ..framework import modes


def _dense(value):
    from ..static.scope import DenseTensor

    if isinstance(value, DenseTensor):
        return value
    with modes.eager_region():
        return DenseTensor(value if isinstance(value, _core.Tensor) else _core.to_tensor(value))


def feeds(batches, feed_list, places, return_list):
    """An iterator of feeds; an incomplete group of batches at the end is left out.

    Args:
        batches: Iterator of lists of Tensors or arrays, or of single ones.
        feed_list: Variables or names, one for each entry of a batch.
        places: Number of places, each of which gets a batch of its own.
        return_list: Whether batches are lists of DenseTensors (with several places lists of them) rather than dicts.
    """
    names = [getattr(variable, "name", variable) for variable in feed_list]
    group = []
    while True:
        with modes.eager_region():
            batch = next(batches, None)
        if batch is None:
            return
        entries = batch if isinstance(batch, (list, tuple)) else [batch]
        if len(entries) != len(names):
            raise ValueError(f"DataLoader: a batch has {len(entries)} entries for {len(names)} variables of feed_list.")
        dense = [_dense(entry) for entry in entries]
        group.append(dense if return_list else dict(zip(names, dense, strict=True)))
        if len(group) == places:
            yield group[0] if return_list and places == 1 else group
            group = []
