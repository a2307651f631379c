# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The functions of a kind of device, for the CPU: the state of its generator. It has neither number nor streams."""

from ..framework import random
from . import streams
from ._absent import absent_functions

Event, Stream = streams.Event, streams.Stream


def device_count():
    """0: the CPU counts as no accelerator."""
    return 0


def get_rng_state(device=None):
    """The state of the generator of a device, a GeneratorState.

    Args:
        device: Name of a device, or None for the current one.
    """
    return random.get_rng_state(device)[0]


def set_rng_state(new_state, device=None):
    """Restore what `get_rng_state` returned.

    Raises:
        TypeError: new_state is no GeneratorState.
    """
    if not isinstance(new_state, random.GeneratorState):
        raise TypeError(f"set_rng_state: new_state has type {type(new_state).__name__}; pass what get_rng_state gave.")
    random.set_rng_state([new_state], device)


def manual_seed(seed):
    """Seed the generator of the CPU."""
    random.seed(seed)


_absent = absent_functions(__name__, "on the CPU", "the CPU's memory is not measured; paddle has no accelerators.")
max_memory_allocated = _absent("max_memory_allocated", "most bytes in use")
max_memory_reserved = _absent("max_memory_reserved", "most bytes held")
reset_max_memory_allocated = _absent("reset_max_memory_allocated", "start measuring max_memory_allocated again")
reset_max_memory_reserved = _absent("reset_max_memory_reserved", "start measuring max_memory_reserved again")
