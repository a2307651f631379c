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
import re
import sys
import threading
import warnings
import weakref

from .. import _core, _lazy
from ..autograd import py_layer
from ..framework.modes import in_dynamic_mode
from ..utils.environments import BooleanEnvironmentVariable, EnvironmentVariableGuard
from . import tree, verbosity
from .concrete import ConcreteProgram, ProgramCache
from .custom_gradient import CallsPyLayers, converted_call, recorder_of
from .entry import Entry, QuickCall, environment_of, reachable, with_changes
from .spec import InputSpec, bound_arguments, input_names, specs_for_export
from .symint import SymInt, number

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


def _has_gradient(dtype):
    """Whether tensors of the dtype can have gradients."""
    return str(dtype).rpartition(".")[2].lower().startswith(("float", "bfloat", "complex"))


def _made_of_tensor(value):
    """What a program gives as a tensor and its caller as something else: extents and lists that grow."""
    if isinstance(value, SymInt):
        return int, number(value)
    if type(value).__name__ == "GrownList":
        from .ast.grown import Elements

        return Elements(value.columns.maker), value.columns.tensors
    return None


# Signatures of one function from which on a warning says that many are captured.
_MANY_SIGNATURES = 64


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


class StaticFunction:
    """A function that is captured on its first call with each signature."""

    enabled = True
    in_segments = weakref.WeakSet()  # those that have run in segments

    def __init__(self, function, input_spec=None, instance=None, full_graph=True):
        functools.update_wrapper(self, function)
        self._function = function
        self._input_spec = input_spec
        self._instance = instance
        self._full_graph = full_graph
        self._cache = ProgramCache()
        self._segments = _core.pir.Segments()
        self._warned = False
        self._quick = QuickCall()
        self._last = None  # the last ConcreteProgram
        self._seen = None  # structure and InputSpecs of the first call that ran in segments
        self._with_hooks = False
        self.is_property = False  # a value, not a function of tensors: `to_static(property=True)`
        self._anew = ""  # why the last call captured, empty when it did not
        self.caller = None  # what is called in segments instead of the function: a layer with its hooks
        self._bound = weakref.WeakKeyDictionary()

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        bound = self._bound.get(instance)
        if bound is None:
            bound = StaticFunction(self._function, self._input_spec, weakref.ref(instance), self._full_graph)
            bound.is_property = self.is_property
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
        """The plain function; a layer has it as its forward again."""
        owner = self._owner()
        plain = self.dygraph_function
        name = getattr(self._function, "__name__", "forward")
        if owner is not None and name != "forward":
            made = vars(owner).get(name, getattr(type(owner), name, None))
            if isinstance(made, StaticFunction) and made._function is self._function:
                owner.__dict__[name] = plain
        if owner is not None:
            if vars(owner).get("forward") is self:
                del owner.__dict__["forward"]
            if isinstance(getattr(type(owner), "forward", None), StaticFunction):
                owner.__dict__["forward"] = plain
        return plain

    def __deepcopy__(self, memo):
        owner = self._owner()
        if owner is None:  # a copy of a function is the plain one
            return self._function
        copied = memo.get(id(owner))
        instance = weakref.ref(copied) if copied is not None else self._instance
        made = StaticFunction(self._function, self._input_spec, instance, self._full_graph)
        memo[id(self)] = made
        return made

    # -- what was captured -----------------------------------------------------------------------
    @property
    def class_instance(self):
        """The layer of a method, or None."""
        return self._owner()

    @property
    def function_spec(self):
        """The signature and the InputSpecs, as text."""
        signature = f"{getattr(self._function, '__name__', 'function')}{inspect.signature(self._function)}"
        return f"function: {signature}, input_spec: {self._input_spec}"

    @property
    def code(self):
        """Source of the function as `full_graph=True` captures it."""
        from .ast import converted_source

        return converted_source(self._function)

    def get_concrete_program(self, *args, **kwargs):
        """The ConcreteProgram for these arguments, and what runs it.

        Args:
            args: Tensors, arrays, InputSpecs and other arguments of the function.
            kwargs: The same by name.

        Raises:
            ValueError: An argument is missing.
            TypeError: The function has no argument of such a name.
        """
        args, kwargs = bound_arguments(self.dygraph_function, args, kwargs)
        leaves = []
        structure = tree.flatten((args, kwargs), _is_input, leaves)
        names = input_names(self.dygraph_function, args, kwargs, _is_input)
        specs = []
        for leaf, name in zip(leaves, names, strict=True):
            stops = leaf.stop_gradient if isinstance(leaf, (InputSpec, _core.Tensor)) else True
            stops = stops or not _has_gradient(leaf.dtype)
            given = leaf.name if isinstance(leaf, InputSpec) else None
            specs.append(InputSpec(leaf.shape, leaf.dtype, given or name, stops))
        environment, held = environment_of(self._function, self._owner())
        key = ("specs", tree.key_of(structure), tuple((s, s.name) for s in specs), environment)
        for entry in self._cache.by_key.get(key, ()):
            return self._cache.find(entry), entry
        entry = self._capture(self.dygraph_function, structure, specs)
        entry.held = held
        concrete = ConcreteProgram(self.dygraph_function, entry, specs)
        self._cache.add(key, entry, concrete)
        return concrete, entry

    def concrete_program_specify_input_spec(self, input_spec=None, with_hook=False, is_prim_infer=False):
        """The ConcreteProgram for InputSpecs; None: those given to `to_static`."""
        if not in_dynamic_mode():
            raise RuntimeError(f"concrete_program: {self!r} is only available in dynamic mode; call disable_static().")
        spec = self._input_spec if input_spec is None else input_spec
        if spec is not None:
            return self.get_concrete_program(*spec)[0]
        if self._last is not None:
            return self._last
        if self._seen is not None:
            args, kwargs = tree.unflatten(*self._seen)
            return self.get_concrete_program(*args, **kwargs)[0]
        if not inspect.signature(self.dygraph_function).parameters:
            return self.get_concrete_program()[0]
        raise ValueError(
            f"concrete_program: {self!r} has no InputSpec and was not called yet; pass input_spec to to_static, "
            "or call it first."
        )

    @property
    def concrete_program(self):
        """The ConcreteProgram of the InputSpecs, or of the last capture."""
        return self.concrete_program_specify_input_spec()

    @property
    def main_program(self):
        """The program of `concrete_program`."""
        return self.concrete_program.main_program

    @property
    def inputs(self):
        """InputSpecs of `concrete_program`."""
        return self.concrete_program.inputs

    @property
    def outputs(self):
        """OutputSpecs of the tensors that `concrete_program` gives."""
        return self.concrete_program.outputs

    def get_traced_count(self):
        """How many programs were captured."""
        return len(self._cache) or len(self._segments)

    def forget_segments(self):
        """Forgets the segments: the next calls capture anew."""
        self._segments = _core.pir.Segments()

    def train(self):
        """Sets the layer of a method to training."""
        if self._owner() is None:
            raise RuntimeError(f"train: {self!r} is no method of a layer.")
        self._owner().train()

    def eval(self):
        """Sets the layer of a method to inference."""
        if self._owner() is None:
            raise RuntimeError(f"eval: {self!r} is no method of a layer.")
        self._owner().eval()

    def __call__(self, *args, **kwargs):
        function = self.dygraph_function
        if not StaticFunction.enabled or self.is_property or in_capture():
            return function(*args, **kwargs)
        if not self._full_graph:
            return self._run_in_segments(function, args, kwargs)
        return self._run_captured(function, args, kwargs)

    # -- full_graph=False ------------------------------------------------------------------------
    def _run_in_segments(self, function, args, kwargs, reports=None):
        segments = self._segments
        if reports is None:
            if not segments.pays():
                self._warn_of_bound(segments)
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
        if self._seen is None:
            self._notice(args, kwargs)
        if verbosity.level() and reports is not None:
            self._say_what_is_new(reports.take())
        return result

    def _notice(self, args, kwargs):
        """Keeps the form of a call, for `concrete_program` and `jit.save`."""
        StaticFunction.in_segments.add(self)
        leaves = []
        structure = tree.flatten((args, kwargs), _is_input, leaves)
        stops = [getattr(v, "stop_gradient", True) for v in leaves]
        self._seen = structure, [InputSpec(v.shape, v.dtype, None, s) for v, s in zip(leaves, stops, strict=True)]

    def _warn_of_bound(self, segments):
        if segments.is_full and not self._warned:
            self._warned = True
            warnings.warn(
                f"to_static: {self!r} had {len(segments)} different segments; it runs without them from now on. "
                "paddle.jit.explain says what differs from call to call: numbers of Python that change are part of "
                "a segment, tensors are not.",
                stacklevel=4,
            )

    def _say_what_is_new(self, reports):
        for report in reports:
            if report.anew:
                verbosity.say_once(
                    f"to_static: {self!r} captured a segment of {len(report.calls)} calls anew: {report.anew}"
                )

    # -- full_graph=True -------------------------------------------------------------------------
    def _run_captured(self, function, args, kwargs):
        if not kwargs:
            known = self._quick.find(args)
            if known is not None:
                self._anew, self._cache.recent = "", known
                return known(args)
        leaves = []
        structure = tree.flatten((args, kwargs), _is_input, leaves)
        tensors = [v if _is_tensor(v) else _core.to_tensor(v) for v in leaves]
        environment, held = environment_of(self._function, self._owner())
        specs = self._specs_for(structure, tensors)
        key = (
            tree.key_of(structure),
            tuple((len(s.shape), str(s.dtype), s.stop_gradient) for s in specs),
            environment,
        )
        shapes = [tuple(t.shape) for t in tensors]
        self._anew = ""
        for entry in self._cache.by_key.get(key, ()):
            if entry.serves(shapes, tensors):
                self._cache.recent = entry
                if not kwargs:
                    self._quick.remember(entry, self._function, self._owner(), args)
                return entry(tensors)
        entry = self._capture_anew(function, structure, specs, tensors, key)
        entry.held = held
        self._last = ConcreteProgram(function, entry, specs)
        self._last.arguments = structure
        if entry.executable.reusable:
            self._cache.add(key, entry, self._last)
            self._warn_of_many()
        return entry(tensors)

    def _capture_anew(self, function, structure, specs, tensors, key):
        """A program for a call that no known one serves; extents that have changed become dynamic."""
        known = self._cache.by_key.get(key)
        self._anew = self._why_anew(key, specs)
        verbosity.say_once(f"to_static: {self!r} is captured: {self._anew}")
        if known:
            dynamic = [with_changes(s, before) for s, before in zip(specs, known[-1].shapes, strict=True)]
            if any(a.shape != b.shape for a, b in zip(dynamic, specs, strict=True)):
                with contextlib.suppress(Exception):  # code that needs the numbers is captured for each size
                    return self._capture(function, structure, dynamic, tensors)
        return self._capture(function, structure, specs, tensors)

    def _why_anew(self, key, specs):
        if not self._cache.by_key:
            return "first call"
        known = self._cache.by_key.get(key)
        if known:
            sizes = [
                f"input {i} has shape {list(s.shape)}, it had {list(b)}"
                for i, (s, b) in enumerate(zip(specs, known[-1].shapes, strict=True))
                if s.shape != tuple(b)
            ]
            return "; ".join(sizes) or "a guard does not hold"
        last = next(reversed(self._cache.by_key))
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
        count = len(self._cache)
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
            entries = [e for list_ in self._cache.by_key.values() for e in list_]
            lines = [f"captured anew: {self._anew}" if self._anew else "reused an earlier capture"]
            lines.append(f"signatures: {len(entries)}")
            for e in entries:
                lines.append(f"  inputs {[list(s) for s in e.shapes]}, {e.executable.num_operations} operations")
                lines.extend(f"    guard: {g}" for g in e.executable.guards)
            return Explanation(name, result, [], lines)
        reports = _core.pir.SegmentReports()
        result = self._run_in_segments(self.caller or self.dygraph_function, args, kwargs, reports)
        return Explanation(name, result, reports.take(), pays=self._segments.pays())

    def _specs_for(self, structure, tensors):
        declared = []
        if self._input_spec is not None:
            tree.flatten(self._input_spec, lambda v: isinstance(v, InputSpec), declared)
        if len(declared) > len(tensors):
            raise ValueError(
                f"to_static: input_spec describes {len(declared)} tensors; the call passes {len(tensors)}; "
                "pass them all, or describe fewer."
            )
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
            try:
                return self._captured(function, structure, specs, tensors, differentiate)
            except CallsPyLayers:
                return self._captured(function, structure, specs, tensors, differentiate, call_py_layers=True)

    def _captured(self, function, structure, specs, tensors, differentiate, call_py_layers=False):
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
            with py_layer.Watch(recorder_of(capture) if call_py_layers else converted_call) as watch:
                result = self._run_converted(capture, function, args, kwargs)
            outputs = []
            out_structure = tree.flatten(result, _is_tensor, outputs, _made_of_tensor, once=True)
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
            _name_the_line(error)
            raise
        finally:
            _state.depth -= 1
            if sys.exc_info()[0] is not None:
                capture.end()
        executable = capture.finish()
        return Entry(executable, out_structure, specs, _state.optimizers)

    def _run_converted(self, capture, function, args, kwargs):
        from . import ast
        from .ast import runtime

        owner = self._owner()
        layers = [v for v in reachable(self._function, None) if hasattr(v, "sublayers") and not isinstance(v, type)]
        converted = ast.convert(function)
        given = []
        tree.flatten((args, kwargs), _is_tensor, given)
        extents = {s for t in given for e in t.shape for s in re.findall(r"s\d+", str(e))}
        previous = runtime.set_capture(capture, extents)
        try:
            with ast.converted_layers(layers if owner is None or not hasattr(owner, "sublayers") else [owner, *layers]):
                return self._called(converted, owner)(*args, **kwargs)
        finally:
            runtime.set_capture(*previous)

    def _called(self, converted, owner):
        """What a capture calls: the function, or its layer with hooks around it."""
        hooks = owner is not None and (owner._forward_pre_hooks or owner._forward_post_hooks)
        if not self._with_hooks or not hooks:
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

    # -- for saving ------------------------------------------------------------------------------
    def capture_for_export(self, input_spec, hooks=False):
        """(entry, InputSpecs): a program without gradients for the given specs; with the hooks of its layer."""
        if input_spec is not None and self._input_spec is None and self._takes_more_than(input_spec):
            input_spec = None  # the inputs that are left when the program is cut down to its outputs
        if input_spec is not None or self._input_spec is not None:
            args, kwargs = tuple(specs_for_export(self._input_spec, input_spec, _is_input)), {}
        elif self._seen is not None:
            args, kwargs = tree.unflatten(*self._seen)
        elif self._last is not None:
            args, kwargs = tree.unflatten(self._last.arguments, self._last.inputs)
        elif not inspect.signature(self.dygraph_function).parameters:
            args, kwargs = (), {}
        else:
            raise ValueError(
                f"jit.save: no input specification of {self!r} is known; pass input_spec=[InputSpec(...)], or call it "
                "first."
            )
        args, kwargs = bound_arguments(self.dygraph_function, args, kwargs)
        leaves = []
        structure = tree.flatten((args, kwargs), _is_input, leaves)
        names = input_names(self.dygraph_function, args, kwargs, _is_input)
        specs = []
        for leaf, name in zip(leaves, names, strict=True):
            given = leaf.name if isinstance(leaf, InputSpec) else None
            given = None if given is not None and given.startswith("_jst.") else given
            specs.append(InputSpec(leaf.shape, leaf.dtype, given or name, True))
        self._with_hooks = hooks
        try:
            return self._capture(self.dygraph_function, structure, specs, None, False), specs
        finally:
            self._with_hooks = False

    def _takes_more_than(self, input_spec):
        """Whether the function needs further arguments, which an earlier call has shown."""
        if self._seen is None and self._last is None:
            return False
        try:
            bound_arguments(self.dygraph_function, tuple(input_spec), {})
        except ValueError:
            return True
        return False

    @property
    def program_cache(self):
        return self._cache

    def __repr__(self):
        return f"<StaticFunction {getattr(self._function, '__qualname__', self._function)}>"


# Whether functions are captured in segments where `to_static` is not told.
ENV_ENABLE_SOT = BooleanEnvironmentVariable("ENABLE_FALL_BACK", True)


def sot_mode_guard(value):
    """Inside, `to_static` takes `full_graph=not value` where it is not told.

    Args:
        value: A bool.
    """
    return EnvironmentVariableGuard(ENV_ENABLE_SOT, value)


class ProgramTranslator:
    """The switch of capture as an object; there is one in a process."""

    _one = None

    def __new__(cls):
        if cls._one is None:
            cls._one = super().__new__(cls)
        return cls._one

    @classmethod
    def get_instance(cls):
        """The object."""
        return cls()

    def enable(self, enable_to_static):
        """Turn capture on or off; see `paddle.jit.enable_to_static`."""
        if not isinstance(enable_to_static, bool):
            raise AssertionError(
                f"ProgramTranslator.enable: enable_to_static has type {type(enable_to_static).__name__}; it must be "
                "a bool."
            )
        StaticFunction.enabled = enable_to_static

    @property
    def enable_to_static(self):
        """Whether capture is on."""
        return StaticFunction.enabled


def to_static(function=None, input_spec=None, build_strategy=None, backend="CINN", **kwargs):
    """Captures a function or the forward of a layer as a program.

    Args:
        function: Function, method or Layer; None makes a decorator.
        input_spec: InputSpec per tensor argument, for dynamic extents.
        build_strategy: Accepted for compatibility.
        backend: "CINN" or None; both interpret the program.
        full_graph: False (the default, unless the environment has ENABLE_FALL_BACK=false): the function runs on every call, its operators in segments.
            True: it is captured once per signature; what cannot be captured raises.

    Returns:
        A StaticFunction, or the layer with its forward captured.
    """
    full_graph = kwargs.get("full_graph")
    full_graph = not ENV_ENABLE_SOT.get() if full_graph is None else bool(full_graph)
    is_property = bool(kwargs.get("property", False))
    if input_spec is not None and not isinstance(input_spec, (list, tuple)):
        raise TypeError(f"to_static: input_spec has type {type(input_spec).__name__}; it must be a list or tuple.")
    if build_strategy is not None:
        from ..static import BuildStrategy

        if not isinstance(build_strategy, BuildStrategy):
            kind = type(build_strategy).__name__
            raise TypeError(f"to_static: build_strategy has type {kind}; it must be a paddle.static.BuildStrategy.")
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
            if own is not None:
                again = StaticFunction(own._function, input_spec, own._instance, full_graph)
                target.__dict__["forward"] = again
                return target
            forward = type(target).forward
            if isinstance(forward, StaticFunction):
                forward = forward._function
            target.__dict__["forward"] = StaticFunction(forward, input_spec, weakref.ref(target), full_graph)
            return target
        if not callable(target):
            raise TypeError(f"to_static: function has type {type(target).__name__}; it must be a function or Layer.")
        if getattr(target, "_paddle_not_to_static", False):
            return target
        if is_property:
            made = StaticFunction(target, input_spec, None, full_graph)
            made.is_property = True
            return made
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


__getattr__ = _lazy.attribute_hook(__name__, (), {name: ("paddle.jit.saved", name) for name in ("load", "save")})
