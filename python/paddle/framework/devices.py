# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The argument `device` of what makes tensors."""

from .. import _core


def check_device(device):
    """Raises unless tensors can be made on a device; this build has the CPU alone.

    Args:
        device: A name, a place or None for the current device.

    Raises:
        ArgumentTypeError: It names no device (a TypeError and a ValueError).
        ValueError: This build has no such device.
    """
    if device is None:
        return
    try:
        place = device if isinstance(device, _core.Place) else _core.Place(device)
    except TypeError:
        raise _core.ArgumentTypeError(f"device: {device!r} is no device; pass 'cpu' or a place.") from None
    if not place.is_cpu_place():
        raise ValueError(f"device: {device!r} is no device of this build; pass 'cpu'.")
