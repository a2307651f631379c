# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""States of the generators by number: several sequences of random values that go on where they stopped."""

from ..framework import random as _random

_states = []
_current = 0


def register_rng_state_as_index(state_list=None, device=None):
    """Keep states under numbers, and go on with the last of them.

    Args:
        state_list: What `paddle.get_rng_state` returned; None: the present states.
        device: Name of a device, or None for the current one.

    Returns:
        A list of numbers, for `set_rng_state` with `use_index`.

    Example:
        >>> import paddle
        >>> before = paddle.incubate.get_rng_state(use_index=True)
        >>> other = paddle.incubate.register_rng_state_as_index()
        >>> paddle.incubate.set_rng_state(before, use_index=True)
    """
    states = list(_random.get_rng_state(device) if state_list is None else state_list)
    if not _states:
        _states.append(None)  # that of the sequence in use
    _states.extend(states)
    numbers = list(range(len(_states) - len(states), len(_states)))
    set_rng_state(numbers[-1:], device, True)
    return numbers


def get_rng_state(device=None, use_index=False):
    """`paddle.get_rng_state`, or with `use_index` the number of the sequence in use.

    Args:
        device: Name of a device, or None for the current one.
        use_index: Whether a number is wanted.
    """
    if not use_index:
        return _random.get_rng_state(device)
    if not _states:
        _states.append(_random.get_rng_state(device)[0])
    return [_current]


def set_rng_state(state_list, device=None, use_index=False):
    """`paddle.set_rng_state`, or with `use_index` the sequence of a number from here on.

    Args:
        state_list: States, or a list of one number.
        device: Name of a device, or None for the current one.
        use_index: Whether it is a number.

    Raises:
        ValueError: No sequence has that number.
    """
    global _current
    if not use_index:
        return _random.set_rng_state(state_list, device)
    (index,) = state_list
    if not 0 <= index < len(_states):
        raise ValueError(f"set_rng_state: there is no sequence {index}; {len(_states)} are registered.")
    _states[_current] = _random.get_rng_state(device)[0]
    _current = index
    _random.set_rng_state([_states[index]], device)
