# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Recurrent networks as functions of a cell, and the states of several layers as one tensor."""

from ... import _core


def rnn(cell, inputs, initial_states=None, sequence_length=None, time_major=False, is_reverse=False, **kwargs):
    """Run a cell over a sequence; see `RNN`.

    Returns:
        The outputs of all steps, and the last states.
    """
    from .rnn import RNN

    return RNN(cell, is_reverse, time_major)(inputs, initial_states, sequence_length, **kwargs)


def birnn(cell_fw, cell_bw, inputs, initial_states=None, sequence_length=None, time_major=False, **kwargs):
    """Run a cell over a sequence and another one over its reverse; see `BiRNN`.

    Returns:
        The outputs of both behind one another, and the pair of their last states.
    """
    from .rnn import BiRNN

    return BiRNN(cell_fw, cell_bw, time_major)(inputs, initial_states, sequence_length, **kwargs)


def split_states(states, bidirectional=False, state_components=1):
    """The states of the layers one by one.

    Args:
        states: [layers * directions, batch, size], or with several components a tuple of such tensors.
        bidirectional: Whether the layers have two directions; then each gives a pair.
        state_components: Number of tensors that a state is made of: 2 for LSTM.
    """
    if state_components == 1:
        parts = list(states.unbind(0))
    else:
        parts = list(zip(*(component.unbind(0) for component in states), strict=True))
    return list(zip(parts[0::2], parts[1::2], strict=True)) if bidirectional else parts


def concat_states(states, bidirectional=False, state_components=1):
    """The inverse of `split_states`.

    Args:
        states: States of the layers, pairs of them with `bidirectional`.
        bidirectional: Whether the layers have two directions.
        state_components: Number of tensors that a state is made of: 2 for LSTM.
    """
    parts = [state for pair in states for state in pair] if bidirectional else list(states)
    if state_components == 1:
        return _core.ops.stack(parts, 0)
    return tuple(_core.ops.stack(component, 0) for component in zip(*parts, strict=True))
