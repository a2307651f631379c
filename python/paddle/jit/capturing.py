# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""One capture of a Python function: it runs once on tensors without memory, and its calls are a program."""

import functools
import re
import sys
import threading

from .. import _core
from ..autograd import py_layer
from ..framework.symint import SymInt, number
from ..nn.layer.layers import Layer
from . import tree
from .control_flow.context import reset_function_state
from .control_flow.values.undefined import Undefined
from .custom_gradient import CallsPyLayers, converted_call, recorder_of
from .entry import Entry, reachable
from .spec import is_tensor

_state = threading.local()


def in_capture():
    """Whether this thread captures a function."""
    return getattr(_state, "depth", 0) > 0


def learning_rate_of(optimizer):
    """The learning rate as a tensor that captured programs read; each run sets it first."""
    rate = getattr(optimizer, "_captured_rate", None)
    if rate is None:
        with _core.pir.Suspended():
            rate = optimizer._captured_rate = _core.ops.full([1], optimizer.get_lr(), _core.float32)
    _state.optimizers.add(optimizer)
    return rate


class MadeInBranch(Exception):
    """An optimizer would make the master weights of `params` in a branch on a tensor, and other runs would not see them."""

    def __init__(self, optimizer, params):
        super().__init__()
        self.optimizer, self.params = optimizer, params


def refuse_in_branches(optimizer, param):
    """Called where the master weight of a parameter is made: what a branch makes is gone behind it."""
    from .control_flow.context import active

    capture = getattr(active, "capture", None)
    if capture is None or not capture.open_scopes:
        return
    if _core.pir.is_symbolic(param):
        raise RuntimeError(
            f"to_static: {type(optimizer).__name__} would make the master weight of parameter {param.name} in a branch on "
            "a tensor, behind a write to the parameter; let the optimizer step once before the function is captured."
        )
    wanted = [p for p in optimizer._parameter_list if p is param or (not p.stop_gradient and p.grad is not None)]
    known = optimizer._master_weights
    raise MadeInBranch(optimizer, [p for p in wanted if optimizer._is_multi_precision(p) and p.name not in known])


def watch_scaler(scaler):
    """Refuse at the end of the capture that a GradScaler is amid a step: runs would not tell it."""
    _state.scalers.setdefault(scaler, dict(scaler._states))


def _check_scalers():
    for scaler, before in _state.scalers.items():
        if scaler._states != before:
            raise RuntimeError(
                f"to_static: the function calls unscale_ or step of a {type(scaler).__name__} and not update(), and its "
                "caller would not know that gradients are unscaled; call update() in the same captured function."
            )


def capture_function(
    function, owner, structure, specs, tensors=None, differentiate=True, with_hooks=False, for_export=None
):
    """The Entry of a function for inputs of the given specs.

    Args:
        function: The function, bound to its owner.
        owner: The layer of a method, or None.
        structure: (args, kwargs) with leaves in the places of the inputs.
        specs: InputSpec of each leaf.
        tensors: Examples of the inputs; without them nothing of the program depends on their extents.
        differentiate: Whether the program has a gradient.
        with_hooks: Whether the hooks of the owner are part of the program.
        for_export: Whether the program has operators of files alone; None: where there are no examples.
    """
    for_export = tensors is None if for_export is None else for_export
    run = functools.partial(
        _captured, function, owner, structure, specs, tensors, differentiate, with_hooks, for_export
    )
    with _core.pir.Suspended():
        return _captured_as_needed(run)


def _captured_as_needed(run):
    """The Entry; the function is captured anew when a generator, a property or an operator of a class branches on tensors,
    PyLayers have to be called, state was written after Python had read it, or a branch would make master weights."""
    from .ast import generators
    from .control_flow.implicit_calls import converted_implicit_calls, implicit_calls_in_traceback
    from .control_flow.values.state_reads import ReadBeforeWrite, begin_state_reads

    methods = set()
    materialized = before = generators.set_materialized(frozenset())
    options = {}
    written = []
    try:
        while True:
            generators.set_materialized(materialized)
            begin_state_reads(written)
            try:
                with converted_implicit_calls(methods):
                    return run(**options)
            except CallsPyLayers:
                options["call_py_layers"] = True
            except MadeInBranch as error:
                options.setdefault("masters", []).append(error)
            except ReadBeforeWrite as error:
                written = written + error.tensors
            except RuntimeError as error:
                found_generators, found_methods = (
                    generators.generators_in_traceback(error),
                    implicit_calls_in_traceback(error) - methods,
                )
                if not (found_generators or found_methods) or "asks for the values" not in str(error):
                    raise
                materialized = materialized | found_generators
                methods |= found_methods
    finally:
        generators.set_materialized(before)
        begin_state_reads(())


def _is_output(value):
    if isinstance(value, Undefined):
        value._raise()
    return is_tensor(value)


def _captured(
    function,
    owner,
    structure,
    specs,
    tensors,
    differentiate,
    with_hooks,
    for_export,
    call_py_layers=False,
    masters=(),
):
    capture = _core.pir.Capture(for_export)
    capture.begin()
    _state.depth = getattr(_state, "depth", 0) + 1
    _state.optimizers, _state.scalers = set(), {}
    try:
        metas = []
        for i, spec in enumerate(specs):
            example = tensors[i] if tensors is not None else None
            extents = list(example.shape) if example is not None else []
            metas.append(
                capture.add_input(spec.name, list(spec.shape), spec.dtype, spec.stop_gradient, extents, example)
            )
        args, kwargs = tree.unflatten(structure, metas)
        for wanted in masters:
            for param in wanted.params:
                wanted.optimizer._master(param)
        with py_layer.Watch(recorder_of(capture) if call_py_layers else converted_call) as watch:
            result = _run_converted(capture, function, owner, with_hooks, args, kwargs, tensors is None)
        _check_scalers()
        outputs = []
        out_structure = tree.flatten(result, _is_output, outputs, _made_of_tensor, once=True)
        given = [] if metas is None else metas
        loose = [
            i for i, t in enumerate(outputs)
            if not t.stop_gradient and t.is_leaf and _core.pir.is_symbolic(t) and not any(t is m for m in given)
        ]  # fmt: skip
        own_gradients = bool(watch.names) and not call_py_layers
        wanted = capture.has_gradient or (differentiate and any(not t.stop_gradient for t in outputs))
        if own_gradients and wanted and capture.has_control_flow:
            raise CallsPyLayers
        try:
            capture.set_outputs(outputs, differentiate and _core.is_grad_enabled())
        except RuntimeError as error:  # a backward that decides by values
            if own_gradients:
                raise CallsPyLayers from error
            raise
        args = kwargs = result = metas = outputs = None
    except Exception as error:
        from .dy2static.error import named

        renamed = named(error)
        if renamed is error:
            raise
        raise renamed from None
    finally:
        reset_function_state()  # what is held for it would outlive the capture
        _state.depth -= 1
        if sys.exc_info()[0] is not None:
            capture.abandon()
            for optimizer in _state.optimizers:
                optimizer._forget_unmade()
            for scaler, before in _state.scalers.items():
                scaler._states = before
    executable = capture.finish()
    return Entry(executable, out_structure, specs, _state.optimizers, loose)


def _run_converted(capture, function, owner, with_hooks, args, kwargs, is_saved):
    from .control_flow.context import check_escaped_error, set_capture
    from .control_flow.convert import convert, converted_layers
    from .control_flow.effects.container_aliases import check_copies_unchanged
    from .control_flow.effects.escapes import check_no_escaping_unions, check_saved_result, replace_escaping_extents
    from .control_flow.recording.exceptions import Unreachable
    from .control_flow.values.optional_keys import check_no_optional_keys
    from .control_flow.values.state_reads import check_state_reads

    layers = [v for v in reachable(function, None) if isinstance(v, Layer)]
    converted = convert(function)
    given = []
    tree.flatten((args, kwargs), is_tensor, given)
    extents = {s for t in given for e in t.shape for s in re.findall(r"s\d+", str(e))}
    previous = set_capture(capture, extents)
    reset_function_state(is_saved)
    try:
        with converted_layers([owner, *layers] if isinstance(owner, Layer) else layers):
            try:
                result = _called(converted, owner, with_hooks)(*args, **kwargs)
            except Unreachable:  # the function raises in every run
                result = None
            check_escaped_error()
            check_copies_unchanged()
            check_no_escaping_unions(function, owner, args, kwargs)
            if extents:
                replace_escaping_extents(function, owner)
            if is_saved:
                check_saved_result(result)
                check_no_optional_keys(result, "returned by a program that goes to a file")
            else:
                check_state_reads(capture)
            return result
    finally:
        set_capture(*previous)


def _called(converted, owner, with_hooks):
    """What a capture calls: the function, or its layer with hooks around it."""
    if not with_hooks or owner is None or not (owner._forward_pre_hooks or owner._forward_post_hooks):
        return converted

    def call(*args, **kwargs):
        own = owner.__dict__.get("forward")
        owner.__dict__["forward"] = converted
        try:
            return owner(*args, **kwargs)
        finally:
            del owner.__dict__["forward"]
            if own is not None:
                owner.__dict__["forward"] = own

    return call


def _made_of_tensor(value):
    """What a program returns as tensors and its caller as something else: extents, DynamicLists, TaggedUnions, and dicts
    with optional keys and their items."""
    if isinstance(value, SymInt):
        return int, number(value)
    if type(value).__name__ == "DynamicList":
        from .control_flow.values.dynamic_list import ListConstructor

        return ListConstructor(value.store.constructor), value.store.tensors
    if type(value).__name__ == "TaggedUnion":
        from .control_flow.values.tagged_union import selected, union_node

        return selected, union_node(value)[1]
    if type(value).__name__ == "OptionalItems":
        from .control_flow.values.optional_items import present_items

        return present_items, [[list(pair) for pair in value.pairs]]
    if type(value) is dict:
        from .control_flow.values.dict_structure import dict_node

        return dict_node(value)
    return None
