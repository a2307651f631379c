# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`Device`: the name of a device with its kind and number."""

from .. import _core

_previous = []
_KINDS = ("cpu", "gpu", "xpu", "npu", "dcu", "mlu", "ipu", "gcu", "intel_gpu", "iluvatar_gpu", "metax_gpu")


class Device(str):
    """A device name such as 'cpu' or 'gpu:1'.

    Args:
        type: Kind, or kind and number in one text; None is the current device.
        index: Number of the device, when `type` has none.

    Inside `with Device('cpu'):` new tensors are made there.
    """

    def __new__(cls, type=None, index=None):
        from . import get_device

        text = get_device() if type is None else f"gpu:{type}" if isinstance(type, int) else str(type)
        kind, _, number = text.partition(":")
        if number and index is not None:
            raise ValueError(f"Device: type {text!r} has a number and index is {index!r}; give one of them.")
        kind = "gpu" if kind == "cuda" else kind
        # Plugins are looked for only when they are asked for.
        if kind not in _KINDS and kind not in _core.custom_device_types():
            kinds = dict.fromkeys((*_KINDS, *_core.custom_device_types()))
            raise ValueError(f"Device: type has value {text!r}; its kind must be one of {', '.join(kinds)}.")
        index = int(number) if number else index
        made = super().__new__(cls, kind if index is None else f"{kind}:{index}")
        made._type, made._index = kind, index
        return made

    @property
    def type(self):
        """Kind of the device."""
        return self._type

    @property
    def index(self):
        """Number of the device, or None."""
        return self._index

    def __getnewargs__(self):
        return (str(self),)

    def __enter__(self):
        from . import get_device, set_device

        _previous.append(get_device())
        set_device(str(self))
        return self

    def __exit__(self, exc_type, exc_val, exc_tb):
        from . import set_device

        set_device(_previous.pop())
        return False
