# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Orders in which a stage of a pipeline runs the forward and backward passes of its micro-batches.

A step is ('f' or 'b', part of the stage, micro-batch). Sources: PipeDream (Narayanan et al., 2019) for one forward and one
backward in turn; Megatron-LM (Narayanan et al., 2021) for stages of several chunks.
"""


def one_forward_one_backward(stage, stages, micros):
    """As many forward passes as stages follow, then one forward and one backward in turn, then the rest backward."""
    ahead = min(stages - stage - 1, micros)
    return _in_turn([("f", 0, m) for m in range(micros)], [("b", 0, m) for m in range(micros)], ahead)


def interleaved(stage, stages, parts, micros):
    """The same for stages of several parts: micro-batches go through the parts in groups of as many as there are stages."""
    forward = [(part, micro) for part, micro in _groups(stages, parts, micros)]
    backward = [(parts - 1 - part, micro) for part, micro in forward]
    # Without whole groups the turns of two stages would not meet.
    whole = micros % stages == 0
    ahead = min((stages - stage - 1) * 2 + (parts - 1) * stages, parts * micros) if whole else parts * micros
    return _in_turn([("f", *s) for s in forward], [("b", *s) for s in backward], ahead)


def forward_alone(parts, micros):
    """Forward passes alone, part after part."""
    return [("f", part, micro) for part in range(parts) for micro in range(micros)]


def _groups(stages, parts, micros):
    for first in range(0, micros, stages):
        for part in range(parts):
            for micro in range(first, min(first + stages, micros)):
                yield part, micro


def _in_turn(forward, backward, ahead):
    steps = forward[:ahead]
    for one, other in zip(forward[ahead:], backward, strict=False):
        steps += [one, other]
    return steps + backward[len(forward) - ahead :]


def as_text(steps, parts):
    """Steps as text: 'f0;f1;b0;b1;', with '_vp' and the chunk behind the micro-batch where there are several chunks."""
    return "".join(f"{kind}{micro}{f'_vp{part}' if parts > 1 else ''};" for kind, part, micro in steps)
