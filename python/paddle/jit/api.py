# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`to_static`: functions that run as programs, in one of two forms.

`full_graph=False`, the default: the Python function runs on every call; its operators are recorded and
run together, in segments, when a value is needed (`_core.pir.Segments`).  Nothing is constant, so
results, prints and side effects are those of the plain function.

`full_graph=True`: the function is captured once per signature as one program.  Python control flow on
tensors is recorded as control flow of the program (package ast); globals, closures and attributes are
constants of the capture; what cannot be captured is an error that names the line.
"""

import contextlib
import functools
import inspect
import os
import sys
import threading
import warnings
import weakref

from .. import _core
from . import tree, verbosity
from .spec import InputSpec

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_state = threading.local()


def _name_the_line(error):
    """An error of the capture says at which line of the user's it came up."""
    where = None
    at = error.__traceback__
    while at is not None:
        name = at.tb_frame.f_code.co_filename
        if not name.startswith((_PACKAGE, "<")):
            where = f"{name}:{at.tb_lineno}"
        at = at.tb_next
    text = error.args[0] if len(error.args) == 1 and isinstance(error.args[0], str) else None
    if where is not None and text is not None and where not in text:
        error.args = (f"{text} (at {where} while to_static captures)",)


def _is_tensor(value):
    return isinstance(value, _core.Tensor)


def _is_input(value):
    return (
        _is_tensor(value)
        or isinstance(value, InputSpec)
        or type(value).__module__ == "numpy"
        and hasattr(value, "ndim")
        and value.ndim > 0
    )


# Signatures of one function from which on a warning says that many are captured.
_MANY_SIGNATURES = 64

_PLAIN_TYPES = frozenset((bool, int, float, str, type(None)))


def in_capture():
    return getattr(_state, "depth", 0) > 0


def learning_rate_of(optimizer):
    """The learning rate as a tensor that captured programs read; each run sets it first."""
    rate = getattr(optimizer, "_captured_rate", None)
    if rate is None:
        with _core.pir.Suspended():
            rate = optimizer._captured_rate = _core.ops.full([1], optimizer.get_lr(), _core.float32)
    _state.optimizers.add(optimizer)
    return rate


def _layers_of(instance):
    return list(instance.sublayers(include_self=True)) if hasattr(instance, "sublayers") else []


def _reachable(function, instance):
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
        seen.extend(vars(instance).values())
    return seen


def _environment(function, instance):
    """(key, tensors): what a capture takes as constant. The tensors are in the key by identity."""
    key = [_core.is_grad_enabled()]
    amp_state = getattr(_core, "amp_state", None)
    if amp_state is not None:
        key.append(repr(amp_state()))
    layers = _layers_of(instance)
    for value in _reachable(function, instance):
        if value is not instance and hasattr(value, "sublayers") and not isinstance(value, type):
            layers.extend(_layers_of(value))
        elif isinstance(value, (bool, int, float, str)):
            key.append(value)
    held = []
    for layer in layers:
        attributes = vars(layer)
        key.extend([v for v in attributes.values() if type(v) in _PLAIN_TYPES])
        key.append(len(attributes))
        for table in (attributes["_parameters"], attributes["_buffers"]):
            if table:
                tensors = [t for t in table.values() if t is not None]
                held.extend(tensors)
                key.extend([(id(t), t.stop_gradient) for t in tensors])
    return tuple(key), held


def _with_changes(spec, before):
    """The spec with extents that are not what they were before as dynamic ones; 0 and 1 are themselves."""
    shape = [a if a == b or a in (0, 1) else -1 for a, b in zip(spec.shape, before, strict=True)]
    return InputSpec(shape, spec.dtype, spec.name, spec.stop_gradient)


class _Entry:
    """One captured program with the structure of its result."""

    def __init__(self, executable, structure, specs, optimizers=()):
        self.executable = executable
        self.structure = structure
        self.held = []  # tensors named in the key: alive as long as the entry
        self.shapes = [s.shape for s in specs]
        self.has_symbols = any(-1 in shape for shape in self.shapes)
        self.rates = [(weakref.ref(o), o._captured_rate) for o in optimizers]

    def serves(self, shapes, tensors):
        """Whether tensors of these shapes may be given to the program."""
        if not self.has_symbols:
            return self.shapes == shapes
        fits = all(
            a in (-1, b)
            for own, given in zip(self.shapes, shapes, strict=True)
            for a, b in zip(own, given, strict=True)
        )
        return fits and self.executable.guards_hold(tensors)

    def __call__(self, tensors):
        for optimizer, rate in self.rates:
            owner = optimizer()
            if owner is not None:
                rate.fill_(owner.get_lr())
        return tree.unflatten(self.structure, self.executable.run(tensors))


class StaticFunction:
    """A function that is captured on its first call with each signature."""

    enabled = True

    def __init__(self, function, input_spec=None, instance=None, full_graph=True):
        functools.update_wrapper(self, function)
        self._function = function
        self._input_spec = input_spec
        self._instance = instance
        self._full_graph = full_graph
        self._cache = {}
        self._segments = _core.pir.Segments()
        self._anew = ""  # why the last call captured, empty when it did not
        self.caller = None  # what is called in segments instead of the function: a layer with its hooks
        self._bound = weakref.WeakKeyDictionary()

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        bound = self._bound.get(instance)
        if bound is None:
            bound = StaticFunction(self._function, self._input_spec, weakref.ref(instance), self._full_graph)
            self._bound[instance] = bound
        return bound

    @property
    def dygraph_function(self):
        owner = self._owner()
        return self._function if owner is None else self._function.__get__(owner)

    def _owner(self):
        instance = self._instance
        return instance() if isinstance(instance, weakref.ref) else instance

    def rollback(self):
        """The plain function."""
        return self.dygraph_function

    def __call__(self, *args, **kwargs):
        function = self.dygraph_function
        if not StaticFunction.enabled or in_capture():
            return function(*args, **kwargs)
        if not self._full_graph:
            return self._run_in_segments(function, args, kwargs)
        return self._run_captured(function, args, kwargs)

    # -- full_graph=False ------------------------------------------------------------------------
    def _run_in_segments(self, function, args, kwargs, reports=None):
        segments = self._segments
        if reports is None:
            if not segments.pays():
                return function(*args, **kwargs)
            if verbosity.level():
                reports = _core.pir.SegmentReports()
        if not segments.begin(reports):  # a part of a function that runs so
            return function(*args, **kwargs)
        try:
            result = function(*args, **kwargs)
        except BaseException:
            with contextlib.suppress(Exception):  # the first error is the user's
                segments.end()
            raise
        segments.end()
        if verbosity.level() and reports is not None:
            self._say_what_is_new(reports.take())
        return result

    def _say_what_is_new(self, reports):
        for report in reports:
            if report.anew:
                verbosity.say_once(
                    f"to_static: {self!r} captured a segment of {len(report.calls)} calls anew: {report.anew}"
                )

    # -- full_graph=True -------------------------------------------------------------------------
    def _run_captured(self, function, args, kwargs):
        leaves = []
        structure = tree.flatten((args, kwargs), _is_input, leaves)
        tensors = [v if _is_tensor(v) else _core.to_tensor(v) for v in leaves]
        environment, held = _environment(self._function, self._owner())
        specs = self._specs_for(structure, tensors)
        key = (
            tree.key_of(structure),
            tuple((len(s.shape), str(s.dtype), s.stop_gradient) for s in specs),
            environment,
        )
        shapes = [tuple(t.shape) for t in tensors]
        self._anew = ""
        for entry in self._cache.get(key, ()):
            if entry.serves(shapes, tensors):
                return entry(tensors)
        entry = self._capture_anew(function, structure, specs, tensors, key)
        entry.held = held
        if entry.executable.reusable:
            self._cache.setdefault(key, []).append(entry)
            self._warn_of_many()
        return entry(tensors)

    def _capture_anew(self, function, structure, specs, tensors, key):
        """A program for a call that no known one serves; extents that have changed become dynamic."""
        known = self._cache.get(key)
        self._anew = self._why_anew(key, specs)
        verbosity.say_once(f"to_static: {self!r} is captured: {self._anew}")
        if known:
            dynamic = [_with_changes(s, before) for s, before in zip(specs, known[-1].shapes, strict=True)]
            if any(a.shape != b.shape for a, b in zip(dynamic, specs, strict=True)):
                with contextlib.suppress(Exception):  # code that needs the numbers is captured for each size
                    return self._capture(function, structure, dynamic, tensors)
        return self._capture(function, structure, specs, tensors)

    def _why_anew(self, key, specs):
        if not self._cache:
            return "first call"
        known = self._cache.get(key)
        if known:
            sizes = [
                f"input {i} has shape {list(s.shape)}, it had {list(b)}"
                for i, (s, b) in enumerate(zip(specs, known[-1].shapes, strict=True))
                if s.shape != tuple(b)
            ]
            return "; ".join(sizes) or "a guard does not hold"
        last = next(reversed(self._cache))
        for position, part in enumerate(
            (
                "Python arguments",
                "dtype, rank or stop_gradient of an input",
                "attributes, globals, training or AMP state",
            )
        ):
            if key[position] != last[position]:
                return f"{part} changed"
        return "another signature"

    def _warn_of_many(self):
        count = sum(map(len, self._cache.values()))
        if count == _MANY_SIGNATURES:
            warnings.warn(
                f"to_static: {self!r} is captured for {count} signatures; each call with a new one captures again. Pass "
                f"InputSpec with None for extents that vary, and keep counters out of attributes and arguments.",
                stacklevel=4,
            )

    def explain_call(self, args, kwargs):
        """Runs the function and says what capture made of that call."""
        from .explain import Explanation

        name = getattr(self._function, "__qualname__", str(self._function)).rpartition("<locals>.")[2]
        if self._full_graph:
            result = self(*args, **kwargs)
            entries = [e for list_ in self._cache.values() for e in list_]
            lines = [f"captured anew: {self._anew}" if self._anew else "reused an earlier capture"]
            lines.append(f"signatures: {len(entries)}")
            for e in entries:
                lines.append(f"  inputs {[list(s) for s in e.shapes]}, {e.executable.num_operations} operations")
                lines.extend(f"    guard: {g}" for g in e.executable.guards)
            return Explanation(name, result, [], lines)
        reports = _core.pir.SegmentReports()
        result = self._run_in_segments(self.caller or self.dygraph_function, args, kwargs, reports)
        return Explanation(name, result, reports.take())

    def _specs_for(self, structure, tensors):
        declared = []
        if self._input_spec is not None:
            tree.flatten(self._input_spec, lambda v: isinstance(v, InputSpec), declared)
        specs = []
        for i, t in enumerate(tensors):
            shape, name = tuple(t.shape), None
            if i < len(declared):
                shape, name = declared[i].shape, declared[i].name
                self._check(declared[i], t)
            specs.append(InputSpec(shape, t.dtype, name or f"_jst.{i}", bool(t.stop_gradient)))
        return specs

    def _check(self, spec, tensor):
        fits = len(spec.shape) == len(tensor.shape) and all(
            a in (-1, b) for a, b in zip(spec.shape, tensor.shape, strict=False)
        )
        if not fits:
            raise ValueError(
                f"to_static: argument has shape {list(tensor.shape)}; its InputSpec says "
                f"{list(spec.shape)}; pass a tensor that fits or change the InputSpec."
            )

    def _capture(self, function, structure, specs, tensors=None, differentiate=True):
        with _core.pir.Suspended():
            return self._captured(function, structure, specs, tensors, differentiate)

    def _captured(self, function, structure, specs, tensors, differentiate):
        capture = _core.pir.Capture(tensors is None)
        capture.begin()
        _state.depth = getattr(_state, "depth", 0) + 1
        _state.optimizers = set()
        try:
            metas = []
            for i, spec in enumerate(specs):
                examples = list(tensors[i].shape) if tensors is not None else []
                metas.append(capture.add_input(spec.name, list(spec.shape), spec.dtype, spec.stop_gradient, examples))
            args, kwargs = tree.unflatten(structure, metas)
            result = self._run_converted(capture, function, args, kwargs)
            outputs = []
            out_structure = tree.flatten(result, _is_tensor, outputs)
            capture.set_outputs(outputs, differentiate and _core.is_grad_enabled())
            args = kwargs = result = metas = outputs = None
        except Exception as error:
            _name_the_line(error)
            raise
        finally:
            _state.depth -= 1
            if sys.exc_info()[0] is not None:
                capture.end()
        executable = capture.finish()
        return _Entry(executable, out_structure, specs, _state.optimizers)

    def _run_converted(self, capture, function, args, kwargs):
        from . import ast
        from .ast import runtime

        owner = self._owner()
        layers = [v for v in _reachable(self._function, None) if hasattr(v, "sublayers") and not isinstance(v, type)]
        converted = ast.convert(function)
        previous = runtime.set_capture(capture)
        try:
            with ast.converted_layers(layers if owner is None or not hasattr(owner, "sublayers") else [owner, *layers]):
                return converted(*args, **kwargs)
        finally:
            runtime.set_capture(previous)

    # -- for saving ------------------------------------------------------------------------------
    def capture_for_export(self, input_spec):
        """A program without gradients for the given specs."""
        spec = input_spec if input_spec is not None else self._input_spec
        if spec is None:
            raise ValueError("jit.save: no input specification is known; pass input_spec=[InputSpec(...)].")
        leaves = []
        names = [
            p.name
            for p in inspect.signature(self.dygraph_function).parameters.values()
            if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
        ]
        structure = tree.flatten((tuple(spec), {}), _is_input, leaves)
        specs = []
        for i, leaf in enumerate(leaves):
            if not isinstance(leaf, InputSpec):
                leaf = InputSpec(leaf.shape, leaf.dtype)
            name = leaf.name or (names[i] if i < len(names) else f"input_{i}")
            specs.append(InputSpec(leaf.shape, leaf.dtype, name, True))
        return self._capture(self.dygraph_function, structure, specs, None, False)

    @property
    def program_cache(self):
        return self._cache

    def __repr__(self):
        return f"<StaticFunction {getattr(self._function, '__qualname__', self._function)}>"


def to_static(function=None, input_spec=None, build_strategy=None, backend="CINN", **kwargs):
    """Captures a function or the forward of a layer as a program.

    Args:
        function: Function, method or Layer; None makes a decorator.
        input_spec: InputSpec per tensor argument, for dynamic extents.
        build_strategy: Accepted for compatibility.
        backend: "CINN" or None; both interpret the program.
        full_graph: False (the default): the function runs on every call, its operators in segments.
            True: it is captured once per signature; what cannot be captured raises.

    Returns:
        A StaticFunction, or the layer with its forward captured.
    """
    full_graph = bool(kwargs.pop("full_graph", False))
    unknown = set(kwargs) - {"property"}
    if unknown:
        raise ValueError(f"to_static: unknown argument {sorted(unknown)[0]!r}; remove it.")
    if backend not in (None, "", "CINN"):
        raise ValueError(f"to_static: backend has value {backend!r}; use None or 'CINN'.")

    def decorate(target):
        if isinstance(target, StaticFunction):
            return target
        if hasattr(target, "sublayers") and not inspect.isroutine(target):
            own = vars(target).get("forward")  # a function that replaces the class's for this layer
            if own is not None and not isinstance(own, StaticFunction):
                target.__dict__["forward"] = decorate(own)
                return target
            forward = type(target).forward
            if isinstance(forward, StaticFunction):
                forward = forward._function
            target.__dict__["forward"] = StaticFunction(forward, input_spec, weakref.ref(target), full_graph)
            return target
        if getattr(target, "_paddle_not_to_static", False):
            return target
        owner = getattr(target, "__self__", None)
        if owner is not None and not inspect.isclass(owner):
            return StaticFunction(target.__func__, input_spec, owner, full_graph)
        return StaticFunction(target, input_spec, None, full_graph)

    return decorate if function is None else decorate(function)


def not_to_static(func=None):
    """Marks a function that to_static leaves alone."""
    if func is None:
        return not_to_static
    func._paddle_not_to_static = True
    return func


def ignore_module(modules):
    """Modules whose functions are left alone by conversion."""
    from .ast.convert import ignore_modules

    ignore_modules(modules)
