# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Gradients as part of a program."""

from .. import _core
from ..framework import modes


def _needs_gradient(tensor, frozen):
    return not tensor.stop_gradient and tensor.name not in frozen and id(tensor) not in frozen


def _gradients(targets, inputs, weights, constants, create_graph=False):
    """Gradients as further operators of the program; through branches and loops, whose number of rounds
    is known when the program runs, one operator that takes them then."""
    program = modes.recording_program()
    recording = program._recording if program is not None else None
    if recording is None or not recording.has_control_flow:
        weights = None if all(w is None for w in weights) else weights
        return list(_core.grad(targets, inputs, weights, True, create_graph, True, constants))
    return list(recording.record_gradient(targets, inputs, weights))


def append_backward(loss, parameter_list=None, no_grad_set=None, callbacks=None, checkpoints=None):
    """Append the gradients of a loss to the program.

    Args:
        loss: A variable of one element.
        parameter_list: Parameters or their names; None: all that need a gradient.
        no_grad_set: Parameters or names that get none.

    Returns:
        Pairs (parameter, gradient).
    """
    program = modes.recording_program()
    if program is None:
        raise RuntimeError("append_backward: no program is recorded; use loss.backward() in dynamic mode.")
    frozen = {t if isinstance(t, str) else id(t) for t in no_grad_set or ()}
    wanted = program.all_parameters() if parameter_list is None else list(parameter_list)
    wanted = [program.global_block().var(t) if isinstance(t, str) else t for t in wanted]
    wanted = [t for t in wanted if _needs_gradient(t, frozen)]
    gradients = _gradients([loss], wanted, [None], [])
    pairs = []
    for parameter, gradient in zip(wanted, gradients, strict=True):
        if gradient is not None:
            gradient.name = f"{parameter.name}@GRAD"
            pairs.append((parameter, gradient))
    return pairs


def gradients(targets, inputs, target_gradients=None, no_grad_set=None):
    """Gradients of the sum of targets with respect to inputs; None where there is none.

    Args:
        targets: A variable or a list.
        inputs: A variable or a list.
        target_gradients: Their weights; None: ones.
        no_grad_set: Variables that count as constants.
    """

    def listed(value):
        return list(value) if isinstance(value, (list, tuple)) else [value]

    targets = listed(targets)
    weights = [None] * len(targets) if target_gradients is None else listed(target_gradients)
    return _gradients(targets, listed(inputs), weights, list(no_grad_set or ()), True)
