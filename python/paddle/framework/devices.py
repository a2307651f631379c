# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Places: the one on which new tensors are made, those that names of devices stand for, and the arguments `device` and
`pin_memory` of what makes tensors."""

import functools

from .. import _core


def check_device(device):
    """The place of a device on which tensors can be made.

    Args:
        device: A name, a place or None for the current device.

    Returns:
        A place; None for None.

    Raises:
        ArgumentTypeError: It names no device (a TypeError and a ValueError).
        ValueError: There is no such device.
    """
    if device is None:
        return None
    try:
        place = device if isinstance(device, _core.Place) else _core.Place(device)
    except TypeError:
        raise _core.ArgumentTypeError(f"device: {device!r} is no device; pass 'cpu' or a place.") from None
    if place.get_device_id() >= _core.device_count(place):
        raise ValueError(f"device: there is no device {device!r}; paddle.device.get_available_device() lists them.")
    return place


def placed(tensor, device):
    """A tensor on the device that an argument `device` names; itself when that is None or where it is."""
    place = check_device(device)
    return tensor if place is None or tensor.place == place else _core.ops.copy_to(tensor, place, True)


class made_on:
    """Context manager: this thread makes new tensors on a device; None changes nothing."""

    def __init__(self, device):
        self._place = check_device(device)

    def __enter__(self):
        if self._place is not None:
            self._before = _core.swap_thread_place(self._place)
        return self

    def __exit__(self, exc_type, exc_value, traceback):
        if self._place is not None:
            _core.swap_thread_place(self._before)


def honours_device(fn):
    """Decorator of a function that makes a tensor: what it makes, and draws, is on its keyword `device`, in
    page-locked memory of the host with the keyword `pin_memory` where that device offers it."""

    @functools.wraps(fn)
    def call(*args, **kwargs):
        if not kwargs:
            return fn(*args)
        device, pin = kwargs.get("device"), kwargs.get("pin_memory")
        if device is None and not pin:
            return fn(*args, **kwargs)
        with made_on(device):
            made = placed(fn(*args, **kwargs), device)
        return pinned(made, device) if pin else made

    return call


def pinned(tensor, device):
    """A tensor in page-locked memory of the host, for the device or else the current one; itself on the CPU, which
    needs none."""
    place = check_device(device) or _core.default_place()
    if place.is_cpu_place():
        return tensor
    copy = pinned_copy(tensor, place)
    copy.stop_gradient = tensor.stop_gradient
    return copy


def pinned_copy(tensor, place):
    """The values of a tensor in page-locked memory of the host.

    Raises:
        RuntimeError: The device has no page-locked memory.
    """
    if not _core.has_pinned_memory(place):
        raise RuntimeError(f"pin_memory: {place} has no page-locked memory.")
    return _core.pinned_copy(tensor, place)


def set_device(device):
    """Make new tensors on a device, and return its place.

    Args:
        device: 'cpu', or the name of a device that a plugin provides, with its number: 'name:0'.

    Raises:
        ValueError: There is no such device.

    Example:
        >>> paddle.set_device("cpu")
        Place(cpu)
    """
    name = getattr(device, "type", device)
    if isinstance(name, int) and name:
        raise ValueError(f"set_device: device has value {name}; the CPU, the only device of that form, has number 0.")
    if not isinstance(name, str):
        name = "cpu"
    place = place_of_name(name)
    if place is None:
        known = ", ".join(f"'{one}'" for one in get_available_device())
        raise ValueError(f"set_device: device has value {device!r}; there is no such device, pass one of {known}.")
    _core.set_default_place(place)
    return place


def place_of_name(name):
    """The place that a name such as 'cpu' or 'npu:1' stands for; None when no device type has that name."""
    kind = name.split(":")[0]
    if kind == "cpu":
        return _core.CPUPlace()
    return _core.Place(name) if kind in _core.custom_device_types() else None


def current_place():
    """The place of the current device."""
    place = _core.default_place()
    return _core.CPUPlace() if place.is_cpu_place() else place


def get_available_device():
    """Names of devices."""
    return ["cpu", *get_available_custom_device()]


def get_available_custom_device():
    """Names of devices that plugins provide."""
    counts = ((kind, _core.device_count(_core.Place(kind))) for kind in _core.custom_device_types())
    return [f"{kind}:{i}" for kind, count in counts for i in range(count)]


def device_to_place(device=None):
    """The place of a device name; None is the current one."""
    return current_place() if device is None else convert_to_place(device)


def convert_to_place(device):
    """The place that a device name or place stands for; None for None."""
    if device is None or isinstance(device, _core.Place):
        return device
    place = place_of_name(str(device))
    if place is None:
        set_device(str(device))  # raises
    return place
