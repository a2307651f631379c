# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The best sequence of tags under scores of tags and of transitions (Viterbi, 1967)."""

import paddle

from .. import _core
from ..nn import Layer


def viterbi_decode(potentials, transition_params, lengths, include_bos_eos_tag=True, name=None):
    """Scores and tags of the best sequences.

    Args:
        potentials: Scores of the tags, of shape [batch, length, tags].
        transition_params: Scores of going from tag i to tag j, of shape [tags, tags].
        lengths: Lengths of the sequences, of shape [batch].
        include_bos_eos_tag: The last tag stands for the begin of a sequence and the last but one
            for its end; what goes from them to the first and to the last tag of a sequence counts too.

    Returns:
        (scores of shape [batch], tags of shape [batch, longest length], 0 behind the end).
    """
    if potentials.ndim != 3 or list(transition_params.shape) != [potentials.shape[2]] * 2:
        raise ValueError(
            f"viterbi_decode: potentials has shape {list(potentials.shape)} and transition_params "
            f"{list(transition_params.shape)}; they must be [batch, length, tags] and [tags, tags]."
        )
    known = not _core.is_capturing()
    steps = (int(lengths.max()) if lengths.shape[0] else 0) if known else potentials.shape[1]
    if known and (steps > potentials.shape[1] or (lengths.shape[0] and int(lengths.min()) < 1)):
        raise ValueError(f"viterbi_decode: lengths must be from 1 to {potentials.shape[1]}, the length of potentials.")
    lengths = lengths.astype("int64").reshape([-1, 1])
    score = potentials[:, 0]
    if include_bos_eos_tag:
        score = score + transition_params[-1] + (lengths == 1).astype(score.dtype) * transition_params[-2]
    origins = []
    for step in range(1, steps):
        paths = score.unsqueeze(2) + transition_params
        best, origin = paths.max(1), paths.argmax(1)
        best = best + potentials[:, step]
        if include_bos_eos_tag:
            best = best + (lengths == step + 1).astype(score.dtype) * transition_params[-2]
        active = lengths > step
        score = paddle.where(active, best, score)
        same = paddle.arange(origin.shape[1], dtype="int64") + paddle.zeros_like(origin)
        origins.append(paddle.where(active, origin, same))
    tag = score.argmax(1, keepdim=True)
    tags = [tag]
    for origin in reversed(origins):
        tag = paddle.take_along_axis(origin, tag, 1)
        tags.append(tag)
    path = paddle.concat(tags[::-1], 1)
    inside = paddle.arange(path.shape[1], dtype="int64") < lengths
    path = path * inside.astype("int64")
    return score.max(1), path if known else paddle.slice(path, [1], [0], [lengths.max()])


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
