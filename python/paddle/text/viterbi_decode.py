# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The best sequence of tags under scores of tags and of transitions (Viterbi, 1967)."""

from .. import _core
from ..nn import Layer


def viterbi_decode(potentials, transition_params, lengths, include_bos_eos_tag=True, name=None):
    """Scores and tags of the best sequences.

    Args:
        potentials: Scores of the tags, float32 or float64, of shape [batch, length, tags].
        transition_params: Scores of going from tag i to tag j, of shape [tags, tags].
        lengths: Lengths of the sequences, integers of shape [batch].
        include_bos_eos_tag: The last tag stands for the begin of a sequence and the last but one
            for its end; what goes from them to the first and to the last tag of a sequence counts too.

    Returns:
        (scores of shape [batch], tags of shape [batch, longest length], 0 behind the end).

    Raises:
        ValueError: The shapes do not fit, or a length is not from 1 to that of potentials.
    """
    return tuple(_core.ops.viterbi_decode(potentials, transition_params, lengths, include_bos_eos_tag))


class ViterbiDecoder(Layer):
    """`viterbi_decode` with given transitions.

    Args:
        transitions: Scores of going from tag i to tag j, of shape [tags, tags].
        include_bos_eos_tag: See `viterbi_decode`.
    """

    def __init__(self, transitions, include_bos_eos_tag=True, name=None):
        super().__init__()
        self.transitions, self.include_bos_eos_tag, self.name = transitions, include_bos_eos_tag, name

    def forward(self, potentials, lengths):
        """Scores and tags of the best sequences."""
        return viterbi_decode(potentials, self.transitions, lengths, self.include_bos_eos_tag, self.name)
