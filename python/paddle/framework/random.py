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


def check_device(function, device):
    """The place of a device, None being the current one; ValueError unless paddle has it."""
    from .devices import device_to_place

    if device is not None and not isinstance(device, (str, _core.Place)):
        raise ValueError(f"{function}: device has value {device!r}; it must be the name of a device.")
    return device_to_place(device)


def _places(function, device):
    """The places of all devices of the type of a device."""
    from .devices import device_to_place

    place = check_device(function, device)
    if place.is_cpu_place():
        return [place]
    kind = _core.place_text(place).partition(":")[0]
    return [device_to_place(f"{kind}:{index}") for index in range(_core.device_count(place))]


def _seed_all(number):
    generator = Generator()
    generator._seed = whole("seed", "seed", number)
    _core.seed(generator._seed)
    return generator


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
        _core.seed(self._seed, self._place())
        return self

    def _place(self):
        return check_device("Generator", self._device)

    def initial_seed(self):
        """The seed that the state starts from."""
        return _core.get_rng_state(self._place())[0]

    def get_state(self):
        """The state, for `set_state`."""
        return GeneratorState(_core.get_rng_state(self._place()))

    def set_state(self, state):
        """Restore a state from `get_state`."""
        _core.set_rng_state(state, self._place())


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
    return _seed_all(seed)


def get_rng_state(device=None):
    """States of the generators of all devices of a type.

    Args:
        device: Name of a device of the type, or None for the current one.
    """
    return [GeneratorState(_core.get_rng_state(place)) for place in _places("get_rng_state", device)]


def set_rng_state(state_list, device=None):
    """Restore what `get_rng_state` returned."""
    places = _places("set_rng_state", device)
    if len(state_list) != len(places):
        raise ValueError(
            f"set_rng_state: state_list has length {len(state_list)}; pass the list of length "
            f"{len(places)} that get_rng_state returned."
        )
    for state, place in zip(state_list, places, strict=True):
        _core.set_rng_state(state, place)


def get_cuda_rng_state():
    """States of the generators of the GPUs; empty without one."""
    return []


def set_cuda_rng_state(state_list):
    """Restore what `get_cuda_rng_state` returned."""
    if len(state_list) != 0:
        raise ValueError("set_cuda_rng_state: paddle has no GPU; pass an empty list.")


def manual_seed(seed):
    """Seed the generators of all devices; the generator of the current device is returned."""
    return _seed_all(seed)


def _manual_program_seed(seed):
    """Give the current programs, the main one and the startup one, a seed of their own.

    Args:
        seed: An integer; see `Program.random_seed`.
    """
    from ..static.program import default_main_program, default_startup_program

    default_main_program().random_seed = seed
    default_startup_program().random_seed = seed
