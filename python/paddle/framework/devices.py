# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The argument `device` of what makes tensors."""

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
