# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Step-by-step decoding with a beam search."""

import collections
import contextlib
import functools

from .. import _core, tensor
from .layer.rnn import _map

ops = _core.ops

__all__ = ["BeamSearchDecoder", "dynamic_decode"]

_NEVER = -1e9


class Decoder:
    """What dynamic_decode runs: initialize, then step until all is finished, then finalize."""

    def initialize(self, inits):
        """First inputs, states and finished flags."""
        raise NotImplementedError(f"{type(self).__name__}: initialize is not defined; define it in the subclass.")

    def step(self, time, inputs, states, **kwargs):
        """Outputs, next states, next inputs and finished flags."""
        raise NotImplementedError(f"{type(self).__name__}: step is not defined; define it in the subclass.")

    def finalize(self, outputs, final_states, sequence_lengths):
        """The final outputs and states."""
        raise NotImplementedError(f"{type(self).__name__}: finalize is not defined; define it in the subclass.")

    @property
    def tracks_own_finished(self):
        """True when a finished entry may become unfinished again, as beams do when they move."""
        return False


class BeamSearchDecoder(Decoder):
    """Beam search over a cell.

    Args:
        cell: A cell: (inputs, states) to (outputs, states).
        start_token: First token of every sequence.
        end_token: Token that ends a sequence.
        beam_size: Number of beams.
        embedding_fn: Inputs of tokens; one-hot is not implied, tokens are given to the cell without it.
        output_fn: Logits of the cell's outputs.
    """

    OutputWrapper = collections.namedtuple("OutputWrapper", ("scores", "predicted_ids", "parent_ids"))
    StateWrapper = collections.namedtuple("StateWrapper", ("cell_states", "log_probs", "finished", "lengths"))

    def __init__(self, cell, start_token, end_token, beam_size, embedding_fn=None, output_fn=None):
        self.cell, self.embedding_fn, self.output_fn = cell, embedding_fn, output_fn
        self.start_token, self.end_token, self.beam_size = start_token, end_token, beam_size

    @staticmethod
    def tile_beam_merge_with_batch(x, beam_size):
        """[batch, ...] repeated per beam, [batch * beam_size, ...]."""
        return _map(lambda t: ops.repeat_interleave(t, beam_size, 0), x)

    def _split(self, x):
        return ops.reshape(x, [x.shape[0] // self.beam_size, self.beam_size, *x.shape[1:]])

    def _merge(self, x):
        return ops.reshape(x, [x.shape[0] * x.shape[1], *x.shape[2:]])

    def initialize(self, initial_cell_states):
        """Inputs, states and finished flags of the first step, [batch, beam, ...] each."""
        states = _map(lambda t: self._split(ops.repeat_interleave(t, self.beam_size, 0)), initial_cell_states)
        first = states
        while isinstance(first, (tuple, list)):
            first = first[0]
        batch = first.shape[0]
        shape = [batch, self.beam_size]
        tokens = ops.full(shape, self.start_token, _core.int64)
        beams = ops.arange(0, self.beam_size, 1, _core.int64)
        row = ops.where(beams == 0, ops.full([], 0.0, first.dtype), ops.full([], _NEVER, first.dtype))
        wrapper = self.StateWrapper(
            states,
            ops.expand(ops.unsqueeze(row, [0]), shape),
            ops.full(shape, False, _core.bool),
            ops.full(shape, 0, _core.int64),
        )
        inputs = tokens if self.embedding_fn is None else self.embedding_fn(tokens)
        return inputs, wrapper, ops.full(shape, False, _core.bool)

    def _gather(self, x, beam):
        """Entries of axis 1 of [batch, beam, ...] by the beams [batch, beam]."""
        index = ops.reshape(beam, [*beam.shape, *[1] * (x.ndim - 2)])
        return ops.take_along_axis(x, ops.expand(index, [*beam.shape, *x.shape[2:]]), 1)

    def _search(self, logits, cell_states, state):
        batch, _, tokens = logits.shape
        log_p = ops.log_softmax(logits, -1)
        # A finished beam goes on with its end token at no cost.
        column = ops.arange(0, tokens, 1, _core.int64)
        only_end = ops.where(
            column == self.end_token, ops.full([], 0.0, log_p.dtype), ops.full([], _NEVER, log_p.dtype)
        )
        log_p = ops.where(ops.unsqueeze(state.finished, [2]), only_end, log_p)
        total = ops.reshape(log_p + ops.unsqueeze(state.log_probs, [2]), [batch, self.beam_size * tokens])
        scores, place = ops.topk(total, self.beam_size, 1, True, True)
        count = ops.full_like(place, tokens)
        beam, token = ops.floor_divide(place, count), ops.remainder(place, count)
        finished, lengths = self._gather(state.finished, beam), self._gather(state.lengths, beam)
        lengths = lengths + ops.cast(ops.logical_not(finished), lengths.dtype)
        finished = ops.logical_or(finished, token == self.end_token)
        moved = _map(lambda t: self._gather(t, beam), cell_states)
        return self.OutputWrapper(scores, token, beam), self.StateWrapper(moved, scores, finished, lengths)

    def step(self, time, inputs, states, **kwargs):
        """One step; inputs and states are those of the step before."""
        merged = _map(self._merge, inputs), _map(self._merge, states.cell_states)
        outputs, cell_states = self.cell(*merged, **kwargs)
        outputs = outputs if self.output_fn is None else self.output_fn(outputs)
        output, state = self._search(self._split(outputs), _map(self._split, cell_states), states)
        tokens = output.predicted_ids
        return output, state, tokens if self.embedding_fn is None else self.embedding_fn(tokens), state.finished

    def finalize(self, outputs, final_states, sequence_lengths):
        """The full sequences of all beams, [steps, batch, beam], and the states."""
        return ops.gather_tree(outputs.predicted_ids, outputs.parent_ids), final_states

    @property
    def tracks_own_finished(self):
        """True: beams move, and their flags with them."""
        return True


def _leaves(fn, tree, *others):
    """fn over the leaves of nested tuples, lists and named tuples."""
    if isinstance(tree, (tuple, list)):
        parts = [_leaves(fn, *items) for items in zip(tree, *others, strict=True)]
        return type(tree)(*parts) if hasattr(tree, "_fields") else type(tree)(parts)
    return fn(tree, *others)


def dynamic_decode(
    decoder,
    inits=None,
    max_step_num=None,
    output_time_major=False,
    impute_finished=False,
    is_test=False,
    return_length=False,
    **kwargs,
):
    """Run a decoder until everything is finished.

    Args:
        decoder: A Decoder, such as BeamSearchDecoder.
        inits: What its initialize takes.
        max_step_num: Largest index of a step; None for no bound.
        output_time_major: Outputs are [steps, batch, ...] instead of [batch, steps, ...].
        impute_finished: Keep the states of finished entries.
        is_test: Accepted; it makes no difference here.
        return_length: Return the lengths too.

    Returns:
        Outputs and final states, and the lengths on demand.
    """
    inputs, states, finished = decoder.initialize(inits)
    lengths = ops.cast(ops.full_like(ops.cast(finished, _core.int64), 0), _core.int64)
    outputs, time = [], 0
    while not bool(ops.all(finished)):
        output, next_states, inputs, next_finished = decoder.step(time, inputs, states, **kwargs)
        if decoder.tracks_own_finished:
            lengths = getattr(next_states, "lengths", lengths)
        else:
            next_finished = ops.logical_or(next_finished, finished)
            lengths = lengths + ops.cast(ops.logical_not(finished), lengths.dtype)
            if impute_finished:
                next_states = _leaves(functools.partial(_keep, finished), next_states, states)
        outputs.append(output)
        states, finished, time = next_states, next_finished, time + 1
        if max_step_num is not None and time > max_step_num:
            break
    count = len(_flat(outputs[0]))
    columns = [tensor.stack([_flat(output)[i] for output in outputs], 0) for i in range(count)]
    stacked = _leaves(lambda _: columns.pop(0), outputs[0])
    with contextlib.suppress(NotImplementedError):
        stacked, states = decoder.finalize(stacked, states, lengths)
    if not output_time_major:
        stacked = _leaves(lambda t: ops.transpose(t, [1, 0, *range(2, t.ndim)]), stacked)
    return (stacked, states, lengths) if return_length else (stacked, states)


dynamic_decode._paddle_converted = True  # its loop ends by values; a capture reads it as code of users


def _flat(tree):
    if isinstance(tree, (tuple, list)):
        return [leaf for part in tree for leaf in _flat(part)]
    return [tree]


def _keep(finished, new, old):
    flag = ops.reshape(finished, [*finished.shape, *[1] * (new.ndim - finished.ndim)])
    return ops.where(flag, old, new)
