# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Gradients as part of a program."""

import contextlib

from .. import _core
from ..framework import modes
from .program import recorded_into


def _program_of(variable):
    """The program of a variable that `create_var` made, else the one that is recorded."""
    reference = getattr(variable, "_program", None)
    return modes.recording_program() if reference is None else reference() or modes.recording_program()


def _needs_gradient(tensor, frozen):
    return not tensor.stop_gradient and tensor.name not in frozen and id(tensor) not in frozen


def _gradients(targets, inputs, weights, constants, create_graph=False):
    """Gradients as further operators of the program; through branches, loops and operators whose extents are
    values, all of which are known when the program runs, one operator that takes them then."""
    program = modes.recording_program()
    recording = program._recording if program is not None else None
    if recording is None or not recording.gradients_wait:
        given = None if all(w is None for w in weights) else weights
        try:
            found = list(_core.grad(targets, inputs, given, True, create_graph, True, constants))
        except RuntimeError:  # a rule that needs a number of which the program holds only a symbol
            if recording is None or constants:
                raise
            return list(recording.record_gradient(targets, inputs, weights))
        if recording is not None and not constants and any(g is not None for g in found):
            recording.note_gradient(targets, inputs, weights, found)
        return found
    if program._custom_gradients:
        from ..autograd.py_layer import _refuse

        _refuse("gradients", program._custom_gradients)
    return list(recording.record_gradient(targets, inputs, weights))


def _named(program, items, what):
    """Variables of a list of variables and names."""
    found = []
    for i, item in enumerate(items):
        if not isinstance(item, (str, _core.Tensor)):
            raise TypeError(
                f"append_backward: {what}[{i}] has type {type(item).__name__}; it must be a variable or a name."
            )
        found.append(program.global_block().var(item) if isinstance(item, str) else item)
    return found


def _differentiable_state(program):
    """The parameters that the program reads, and its other values that are marked as persistable."""
    wanted = program._read_parameters()
    known = {id(t) for t in wanted}
    return wanted + [t for t in program.list_vars() if t.persistable and id(t) not in known]


def append_backward(loss, parameter_list=None, no_grad_set=None, callbacks=None, checkpoints=None, distop_context=None):
    """Append the gradients of a loss to the program.

    Args:
        loss: A variable; of one with several elements the sum is taken.
        parameter_list: Variables or their names; None: all parameters and persistable variables that need a
            gradient. Gradients of other variables can be fetched as `name@GRAD`.
        no_grad_set: Parameters or names that get none.
        callbacks: Kept for older programs.
        checkpoints: Kept for older programs: memory is planned by the compiler.
        distop_context: Kept for older programs.

    Returns:
        Pairs (parameter, gradient).

    Raises:
        TypeError: `loss` is no variable, an argument is no list, or it holds something else than variables and names.
    """
    program = _program_of(loss)
    if program is None:
        raise RuntimeError("append_backward: no program is recorded; use loss.backward() in dynamic mode.")
    if not isinstance(loss, _core.Tensor):
        raise TypeError(f"append_backward: loss has type {type(loss).__name__}; it must be a variable.")
    for name, value in (("parameter_list", parameter_list), ("no_grad_set", no_grad_set), ("callbacks", callbacks)):
        allowed = (list, tuple, set) if name == "no_grad_set" else (list, tuple)
        if value is not None and not isinstance(value, allowed):
            raise TypeError(f"append_backward: {name} has type {type(value).__name__}; it must be a list or tuple.")
    constants = list(no_grad_set or ())
    frozen = {t if isinstance(t, str) else id(t) for t in constants}
    for i, value in enumerate(constants):
        if not isinstance(value, (str, _core.Tensor)):
            raise TypeError(
                f"append_backward: no_grad_set[{i}] has type {type(value).__name__}; it must be a variable or a name."
            )
    if parameter_list is None:
        wanted = _differentiable_state(program)
    else:
        wanted = _named(program, list(parameter_list), "parameter_list")
    wanted = [t for t in wanted if _needs_gradient(t, frozen)]
    with recorded_into(program):
        seed = _core.ops.full_like(loss, 1.0)
        gradients = _gradients([loss], wanted, [seed], [])
    pairs = []
    for parameter, gradient in zip(wanted, gradients, strict=True):
        if gradient is not None:
            gradient.name = f"{parameter.name}@GRAD"
            pairs.append((parameter, gradient))
    program._losses.append((loss, [t for t in constants if isinstance(t, _core.Tensor)]))
    return pairs


def gradients(targets, inputs, target_gradients=None, no_grad_set=None):
    """Gradients of the sum of targets with respect to inputs; None where there is none.

    Args:
        targets: A variable or a list.
        inputs: A variable or a list.
        target_gradients: Their weights; None: ones.
        no_grad_set: Variables that count as constants.

    Raises:
        TypeError: A target or an input is no variable.
        ValueError: `target_gradients` has another length than `targets`.
    """

    def listed(value):
        return list(value) if isinstance(value, (list, tuple)) else [value]

    targets, inputs = listed(targets), listed(inputs)
    for what, values in (("targets", targets), ("inputs", inputs)):
        for value in values:
            if not isinstance(value, _core.Tensor):
                raise TypeError(f"gradients: {what} holds a {type(value).__name__}; it must hold variables.")
    if no_grad_set is not None and not isinstance(no_grad_set, (set, list, tuple, frozenset)):
        raise TypeError(f"gradients: no_grad_set has type {type(no_grad_set).__name__}; it must be a set of variables.")
    weights = [None] * len(targets) if target_gradients is None else listed(target_gradients)
    for value in weights:
        if value is not None and not isinstance(value, _core.Tensor):
            raise TypeError(f"gradients: target_gradients holds a {type(value).__name__}; it must hold variables.")
    if len(weights) != len(targets):
        raise ValueError(f"gradients: target_gradients has {len(weights)} entries for {len(targets)} targets.")
    program = _program_of(targets[0]) if targets else None
    with contextlib.nullcontext() if program is None else recorded_into(program):
        weights = [_core.ops.full_like(t, 1.0) if w is None else w for t, w in zip(targets, weights, strict=True)]
        found = _gradients(targets, inputs, weights, list(no_grad_set or ()), True)
    return found
