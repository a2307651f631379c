# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The random state: `seed`, `get_rng_state`, `set_rng_state`, `Generator`."""

from .. import _core
from .checked_numbers import whole


class GeneratorState(tuple):
    """A state of a generator of random numbers: its seed, and how many were drawn."""

    __slots__ = ()

    def __reduce__(self):
        return GeneratorState, (tuple(self),)

    def current_seed(self):
        """The seed."""
        return self[0]


def _state():
    return GeneratorState(_core.get_rng_state())


def check_device(function, device):
    """Raises ValueError unless paddle has the device."""
    from ..device import device_to_place

    if device is not None and not isinstance(device, (str, _core.Place)):
        raise ValueError(f"{function}: device has value {device!r}; it must be the name of a device.")
    device_to_place(device)


class Generator:
    """A handle on the random number generator of a device.

    Args:
        device: Name of the device; None for the current one.

    Example:
        >>> _ = paddle.Generator().manual_seed(7)
    """

    def __init__(self, device=None):
        self._device = device
        self._seed = 0

    def manual_seed(self, seed):
        """Seed the generator of the device."""
        self._seed = whole("seed", "seed", seed)
        _core.seed(self._seed)
        return self

    def initial_seed(self):
        """The seed that the state starts from."""
        return _core.get_rng_state()[0]

    def get_state(self):
        """The state, for `set_state`."""
        return _state()

    def set_state(self, state):
        """Restore a state from `get_state`."""
        _core.set_rng_state(state)


def seed(seed):
    """Seed the random number generators of all devices.

    Args:
        seed: An integer.

    Returns:
        The Generator of the current device.

    Example:
        >>> _ = paddle.seed(7)
        >>> first = paddle.rand([2])
        >>> _ = paddle.seed(7)
        >>> bool((paddle.rand([2]) == first).all())
        True
    """
    return Generator().manual_seed(seed)


def get_rng_state(device=None):
    """States of the generators, one per device.

    Args:
        device: Name of a device, or None for the current one.
    """
    check_device("get_rng_state", device)
    return [_state()]


def set_rng_state(state_list, device=None):
    """Restore what `get_rng_state` returned."""
    check_device("set_rng_state", device)
    if len(state_list) != 1:
        raise ValueError(
            f"set_rng_state: state_list has length {len(state_list)}; pass the list of length 1 "
            f"that get_rng_state returned."
        )
    _core.set_rng_state(state_list[0])


def get_cuda_rng_state():
    """States of the generators of the GPUs; empty without one."""
    return []


def set_cuda_rng_state(state_list):
    """Restore what `get_cuda_rng_state` returned."""
    if len(state_list) != 0:
        raise ValueError("set_cuda_rng_state: paddle has no GPU; pass an empty list.")


def manual_seed(seed):
    """Seed the generators of all devices; the generator of the current device is returned."""
    return Generator().manual_seed(seed)


def _manual_program_seed(seed):
    """Give the current programs, the main one and the startup one, a seed of their own.

    Args:
        seed: An integer; see `Program.random_seed`.
    """
    from ..static.program import default_main_program, default_startup_program

    default_main_program().random_seed = seed
    default_startup_program().random_seed = seed
