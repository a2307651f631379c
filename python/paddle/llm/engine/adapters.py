# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Adapters of low rank side by side: each request of an engine has one of them or none (Chen et al., "Punica", 2023)."""

import itertools
import os
import threading
from contextlib import contextmanager

from ... import _core
from ..lora.adapter import Adapter
from ..lora.layers import LoRALinear, extents, places

ops = _core.ops


class AdapterSlots:
    """Places for adapters beside the matrices of a decoder. Slot 0 is zero: tokens without an adapter.

    Args:
        model: A Decoder.
        count: Adapters that are loaded at once.
        rank: The highest rank; narrower ones are filled up with zeros.
    """

    def __init__(self, model, count, rank):
        self._model, self._count, self._rank = model, count, rank
        self._layers = {path: getattr(owner, name) for path, owner, name in places(model)}
        self._a, self._b = {}, {}
        for path, layer in self._layers.items():
            inputs, outputs = extents(layer.base if isinstance(layer, LoRALinear) else layer)
            self._a[path] = ops.full([count + 1, rank, inputs], 0.0, "float32")
            self._b[path] = ops.full([count + 1, outputs, rank], 0.0, "float32")
        self._slots, self._numbers, self._used = {}, itertools.count(1), {}
        self._lock = threading.Lock()

    @property
    def names(self):
        """Names of the adapters that are loaded."""
        return tuple(self._slots)

    def load(self, name, adapter):
        """Puts an adapter into a free slot; requests may run meanwhile.

        Args:
            name: What requests call it.
            adapter: An Adapter, or the path of its folder.

        Raises:
            ValueError: The name is taken, no slot is free, or the adapter does not fit.
        """
        if isinstance(adapter, (str, os.PathLike)):
            adapter = Adapter.load(adapter, self._model)
        if adapter.rank > self._rank:
            raise ValueError(
                f"load_adapter: {name!r} has the rank {adapter.rank}; this engine takes {self._rank}. Give a larger max_adapter_rank."
            )
        for path, (a, b) in adapter.weights.items():
            if path not in self._a:
                raise ValueError(f"load_adapter: {name!r} has matrices for {path!r}, which the model does not have.")
            for given, room, which in ((a, self._a[path], 2), (b, self._b[path], 1)):
                if given.shape[which - 1] != room.shape[which]:
                    raise ValueError(
                        f"load_adapter: a matrix of {path!r} in {name!r} has shape {list(given.shape)}; it does not fit the model."
                    )
        with self._lock:
            if name in self._slots:
                raise ValueError(f"load_adapter: there is an adapter {name!r} already; unload it first.")
            free = sorted(set(range(1, self._count + 1)) - {slot for slot, _ in self._slots.values()})
            if not free:
                raise ValueError(
                    f"load_adapter: {self._count} adapters are loaded; unload one, or give a larger max_adapters."
                )
            slot, rank = free[0], adapter.rank
            for path in self._a:
                self._a[path][slot] = 0.0
                self._b[path][slot] = 0.0
                if path in adapter.weights:
                    a, b = adapter.weights[path]
                    self._a[path][slot, :rank] = a.astype("float32")
                    self._b[path][slot, :, :rank] = b.astype("float32") * adapter.scale
            self._slots[name] = (slot, next(self._numbers))

    def unload(self, name):
        """Frees the slot of an adapter.

        Raises:
            ValueError: There is no such adapter, or a request still uses it.
        """
        with self._lock:
            self._check(name)
            if self._used.get(name):
                raise ValueError(f"unload_adapter: {self._used[name]} requests still use {name!r}.")
            del self._slots[name]

    def take(self, name):
        """(slot, number that no other adapter ever has) for a request, which gives it back by `give_back`."""
        with self._lock:
            self._check(name)
            self._used[name] = self._used.get(name, 0) + 1
            return self._slots[name]

    def give_back(self, name):
        """A request with the adapter is answered."""
        if name is not None:
            with self._lock:
                self._used[name] -= 1

    def _check(self, name):
        if name not in self._slots:
            known = ", ".join(map(repr, self._slots)) or "none"
            raise ValueError(f"Engine: there is no adapter {name!r}; loaded are: {known}.")

    @contextmanager
    def beside(self, slots):
        """While it lasts, the model's matrices add what the adapters say; slots: int64 Tensor [tokens]."""
        ids = slots.unsqueeze(1)

        def hook(path):
            def add(_, inputs, out):
                x = inputs[0].astype("float32").reshape([-1, self._a[path].shape[2]])
                narrow = ops.expert_matmul(x, self._a[path], ids)
                more = ops.expert_matmul(narrow, self._b[path], ids)
                return out + more.reshape(out.shape).astype(out.dtype)

            return add

        hooks = [layer.register_forward_post_hook(hook(path)) for path, layer in self._layers.items()]
        try:
            yield
        finally:
            for one in hooks:
                one.remove()
