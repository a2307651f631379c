# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What a `Layer` does to the dtype and the device of the tensors of its tree."""

from ... import _core, _legacy
from ...framework.dtypes import convert, is_floating


class _NoFlag(TypeError, AssertionError):
    """An argument that must be True or False is something else; versions of PaddlePaddle raise one or the other."""


class Convertible:
    """The part of `Layer` that casts and moves; a base of nothing else."""

    def type(self, dst_type):
        """Cast all parameters and buffers."""
        self._cast(convert(dst_type), lambda layer, t: True)
        return self

    def to(self, device=None, dtype=None, blocking=None, non_blocking=None, *, copy=None, other=None, tensor=None):
        """Move the tree to a device or cast its floating tensors.

        The forms are to(device, dtype, blocking, copy), to(dtype, blocking, copy) and to(other, blocking, copy), where
        any argument may be left out or given by its name.

        Args:
            device: A name or a place.
            dtype: The dtype of the floating tensors; as they are when None.
            other: A Tensor of that dtype; `tensor` is another name.
            blocking: Without effect, as its opposite `non_blocking`: copies from and to the host wait.
            copy: Without effect: the layer keeps its tensors.

        Returns:
            The layer.

        Raises:
            ValueError: `device` is neither a name nor a place, or there is no such device.
            TypeError: `blocking`, `non_blocking` or `copy` is no bool (an AssertionError, too).

        Example:
            >>> paddle.nn.Linear(2, 2).to(dtype="float64").weight.dtype
            paddle.float64
        """
        flags = {"blocking": blocking, "non_blocking": non_blocking, "copy": copy}
        device, dtype = _target(device, [dtype, other, tensor], flags)
        if device is not None and not isinstance(device, (str, _core.Place)):
            raise ValueError(f"Layer.to: device has type {type(device).__name__}; it must be a name or a place.")
        if device is not None:
            self._move(_place_of(device))
        if dtype is not None:
            named = dtype if isinstance(dtype, str) else None
            self._cast(convert(dtype), lambda layer, t: is_floating(t.dtype), named)
        return self

    def astype(self, dtype=None):
        """Cast the floating tensors of the tree.

        Args:
            dtype: A dtype or its name.

        Returns:
            The layer.

        Raises:
            ValueError: dtype is no dtype.

        Example:
            >>> paddle.nn.Linear(2, 1).astype("float64").weight.dtype
            paddle.float64
        """
        try:
            return self.to(dtype=dtype if dtype is None else convert(dtype))
        except TypeError as error:
            raise ValueError(f"Layer.astype: dtype has value {dtype!r}; it must be a dtype.") from error

    def float(self, excluded_layers=None):
        """Cast the floating tensors to float32."""
        return self._cast_except("float32", excluded_layers)

    def float16(self, excluded_layers=None):
        """Cast the floating tensors to float16, without those of `excluded_layers`, by default `BatchNorm`."""
        return self._cast_to_half("float16", excluded_layers)

    half = float16

    def bfloat16(self, excluded_layers=None):
        """Cast the floating tensors to bfloat16, without those of `excluded_layers`, by default `BatchNorm`."""
        return self._cast_to_half("bfloat16", excluded_layers)

    def double(self):
        """Cast the floating tensors to float64."""
        return self.to(dtype=_core.float64)

    def cuda(self, device=None):
        """Move the tree to a GPU."""
        from ... import device as devices

        devices.set_device("gpu" if device is None else device if isinstance(device, str) else f"gpu:{device}")
        return self

    xpu = _legacy.absent_names("paddle.nn.Layer", __name__)["xpu"]

    def cpu(self):
        """Move the tree to the memory of the host."""
        return self.to("cpu")

    def _cast_to_half(self, dtype, excluded):
        if excluded is not None:
            return self._cast_except(dtype, excluded)
        from .norm import BatchNorm

        self._cast(convert(dtype), lambda layer, t: is_floating(t.dtype) and type(layer) is not BatchNorm)
        return self

    def _cast_except(self, dtype, excluded):
        excluded = tuple(excluded) if isinstance(excluded, (list, tuple)) else (excluded,)
        excluded = tuple(e for e in excluded if e is not None)
        if not all(isinstance(e, type) and issubclass(e, Convertible) for e in excluded):
            raise TypeError(f"Layer.{dtype}: excluded_layers has value {excluded}; it must be classes of layers.")
        self._cast(
            convert(dtype),
            lambda layer, t: is_floating(t.dtype) and not isinstance(layer, excluded),
        )
        return self

    def _move(self, place):
        previous = _core.set_grad_enabled(False)
        try:
            for layer in self.sublayers(include_self=True):
                for table in (layer._parameters, layer._buffers):
                    for t in table.values():
                        if t is not None and t.place != place:
                            _exchange_memory(t, lambda values: _core.ops.copy_to(values, place, True))
        finally:
            _core.set_grad_enabled(previous)

    def _cast(self, dtype, wanted, kept=None):
        """Cast what is wanted; layers keep the dtype itself, or `kept`, the name that it was given by."""
        previous = _core.set_grad_enabled(False)
        try:
            for layer in self.sublayers(include_self=True):
                cast = False
                for table in (layer._parameters, layer._buffers):
                    for t in table.values():
                        if t is None or not wanted(layer, t):
                            continue
                        cast = True
                        if t.dtype != dtype:
                            _exchange_memory(t, lambda values: _core.ops.cast(values, dtype))
                if cast:
                    layer._dtype = dtype if kept is None else kept
        finally:
            _core.set_grad_enabled(previous)


def _target(device, dtypes, flags):
    """(device, dtype) that the arguments of `Layer.to` name, once its flags are flags."""
    if isinstance(dtypes[0], bool):  # to(dtype, blocking, copy)
        flags, dtypes = {**flags, "blocking or copy": dtypes[0]}, dtypes[1:]
    for name, flag in flags.items():
        if flag is not None and not isinstance(flag, bool):
            raise _NoFlag(f"Layer.to: {name} has type {type(flag).__name__}; it must be a bool.")
    device, dtype = _device_and_dtype(device)
    named = [value for value in (dtype, *dtypes) if value is not None]
    if len(named) > 1:
        raise TypeError(f"Layer.to: a dtype is given {len(named)} times, as {named}; give it once.")
    dtype = named[0] if named else None
    return device, dtype.dtype if isinstance(dtype, _core.Tensor) else dtype


def _device_and_dtype(value):
    """(device, dtype) of the single argument of `Layer.to`, of which one is None."""
    if isinstance(value, _core.Tensor):
        return None, value.dtype
    if isinstance(value, _core.DType) or isinstance(value, str) and hasattr(_core, value):
        return None, value
    return value, None


def _place_of(device):
    from ... import device as devices

    try:
        place = devices._convert_to_place(device)
    except ValueError as error:
        raise ValueError(f"Layer.to: device has value {device!r}; {str(error).partition('; ')[2]}") from None
    return devices.CPUPlace() if place.is_cpu_place() else place


def _exchange_memory(t, changed):
    """Exchange the memory of a member, and that of its gradient, for that of the changed values; the objects stay."""
    grad = t.grad
    t.data = changed(t)
    if grad is not None:
        grad.data = changed(grad)
