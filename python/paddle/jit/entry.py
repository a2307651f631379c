# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What a capture takes as constant, and the captured program that serves calls with the same."""

import functools
import inspect
import weakref

from .. import _core
from ..nn.layer.layers import Layer
from . import tree
from .spec import InputSpec


def may_die(instance):
    """Whether an object can be referred to weakly; one with slots cannot, unless it has one for that."""
    return type(instance).__weakrefoffset__ != 0


def _layers_of(instance):
    """The layer and all layers below it, each once."""
    if not isinstance(instance, Layer):
        return []
    layers, seen = [instance], {id(instance)}
    for layer in layers:
        for child in layer._sub_layers.values():
            if child is not None and id(child) not in seen:
                seen.add(id(child))
                layers.append(child)
    return layers


def reachable(function, instance):
    """What the function can see besides its arguments: closure cells, globals, attributes."""
    seen = []
    base = inspect.unwrap(function)
    code = getattr(base, "__code__", None)
    if code is not None:
        for cell in base.__closure__ or ():
            try:
                seen.append(cell.cell_contents)
            except ValueError:
                continue
        seen.extend(base.__globals__[n] for n in code.co_names if n in base.__globals__)
    if instance is not None:
        seen.extend(_attributes(instance))
    return seen


def _attributes(instance):
    """The values that an object holds, in its dict or in slots."""
    if hasattr(instance, "__dict__"):
        return vars(instance).values()
    members = (m for c in type(instance).__mro__ for m in vars(c).values() if inspect.ismemberdescriptor(m))
    return [m.__get__(instance) for m in members if hasattr(instance, m.__name__)]


def _constants(values, types):
    """The part of a key for those of the values that have one of these types; 1, 1.0 and True are three constants."""
    chosen = [v for v in values if isinstance(v, types)]
    return [*chosen, *map(type, chosen)]


def _reachable_layers(function, instance):
    layers = _layers_of(instance)
    for value in reachable(function, instance):
        if value is not instance and isinstance(value, Layer):
            layers.extend(_layers_of(value))
    return layers


def environment_of(function, instance):
    """(key, tensors): what a capture takes as constant. The tensors are in the key by identity."""
    key = [_core.is_grad_enabled()]
    amp_state = getattr(_core, "amp_state", None)
    if amp_state is not None:
        key.append(repr(amp_state()))
    key.extend(_constants(reachable(function, instance), (bool, int, float, str)))
    held = []
    for layer in _reachable_layers(function, instance):
        attributes = vars(layer)
        made_inside = () if layer is instance else _made_by_hooks(attributes["_forward_pre_hooks"])
        _core.append_layer(key, held, attributes, made_inside)
    return tuple(key), held


def _made_by_hooks(hooks):
    """Names of buffers that the hooks of a layer make anew in each call."""
    return {hook.name for hook, _ in hooks.values() if getattr(hook, "recomputes_buffer", False)} if hooks else ()


def with_changes(spec, before):
    """The spec with extents that are not what they were before as dynamic ones; 0 and 1 are themselves."""
    shape = [a if a == b or a in (0, 1) else -1 for a, b in zip(spec.shape, before, strict=True)]
    return InputSpec(shape, spec.dtype, spec.name, spec.stop_gradient)


class Entry:
    """One captured program with the structure of its result.

    Args:
        executable: The program.
        structure: Structure of the result.
        specs: InputSpec of each input.
        optimizers: Those whose learning rate it reads.
        loose: Numbers of the results that are made in it without history, with stop_gradient=False.
    """

    def __init__(self, executable, structure, specs, optimizers=(), loose=()):
        self.executable = executable
        self._loose = loose
        self.structure = structure
        self.training = True  # how the function was set when it was called last
        self.held = []  # tensors named in the key: alive as long as the entry
        self.shapes = [s.shape for s in specs]
        self._finds_gradients = executable.finds_gradients
        self.has_symbols = any(-1 in shape for shape in self.shapes)
        self.rates = [(weakref.ref(o), o._captured_rate) for o in optimizers]

    @functools.cached_property
    def program(self):
        """The program, to be read: one serves training and inference."""
        from .captured_program import CapturedProgram

        return CapturedProgram(self.executable)

    @property
    def train_program(self):
        """`program`."""
        return self.program

    infer_program = train_program

    def serves(self, shapes, tensors):
        """Whether tensors of these shapes may be given to the program, with the gradients that are there now."""
        if not self.has_symbols:
            return self.shapes == shapes and self.fits_gradients()
        fits = all(
            a in (-1, b)
            for own, given in zip(self.shapes, shapes, strict=True)
            for a, b in zip(own, given, strict=True)
        )
        return fits and self.executable.guards_hold(tensors)

    def fits_gradients(self):
        """Whether gradients that the program counts on are there, and no others."""
        return not self._finds_gradients or self.executable.gradients_fit()

    def __call__(self, tensors):
        for optimizer, rate in self.rates:
            owner = optimizer()
            if owner is not None:
                rate.fill_(owner.get_lr())
        results = self.executable.run(tensors)
        for i in self._loose:
            results[i].stop_gradient = False
        return tree.unflatten(self.structure, results)


class QuickCall:
    """The entry for calls that see just what an earlier one saw, found without a key."""

    _PATIENCE = 8  # guards that are made in turn without one of them ever holding

    def __init__(self):
        self._guard = self._entry = None
        self._patience = self._PATIENCE

    def find(self, args):
        if self._guard is None or not self._guard.holds(args):
            return None
        return self._entry

    def remember(self, entry, function, instance, args):
        """Notice a call that `entry` served, unless no two calls of the function are alike."""
        if self._guard is not None:
            self._patience = self._PATIENCE if self._guard.used else self._patience - 1
        base = inspect.unwrap(function)
        code = getattr(base, "__code__", None)
        if self._patience <= 0 or code is None or not all(isinstance(a, _core.Tensor) for a in args):
            return
        owner = None if instance is None else getattr(instance, "__dict__", None)
        if instance is not None and type(owner) is not dict:
            return  # a class, or an instance with slots: what it holds cannot be compared at once
        layers = _reachable_layers(function, instance)
        self._guard = _core.pir.CallGuard(args, base.__closure__, base.__globals__, code.co_names, owner, layers)
        self._entry = entry
