# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`StaticFunction`: a function that runs as programs."""

import contextlib
import functools
import inspect
import warnings
import weakref

from .. import _core
from ..framework.modes import in_dynamic_mode
from . import tree, verbosity
from .capturing import capture_function, in_capture
from .concrete import ConcreteProgram, ProgramCache
from .entry import QuickCall, environment_of, may_die, with_changes
from .segmented import SegmentedCalls
from .spec import (
    InputSpec,
    bound_arguments,
    has_gradient,
    input_names,
    is_input,
    is_tensor,
    specs_for_call,
    specs_for_export,
)

# Signatures of one function from which on a warning says that many are captured.
_MANY_SIGNATURES = 64


class _OfInstances:
    """A value for each of several objects, which may be equal, while they live."""

    def __init__(self):
        self._values = {}

    def get(self, instance):
        found = self._values.get(id(instance))
        return None if found is None else found[1]

    def put(self, instance, value):
        key, values = id(instance), self._values
        values[key] = weakref.ref(instance, lambda _: values.pop(key, None)), value


class StaticFunction:
    """A function that runs as programs: what `to_static` makes of one.

    Args:
        function: The function, or that of a method.
        input_spec: InputSpecs of its tensors, or None.
        instance: The layer of a method, or a weak reference to it.
        full_graph: Whether it is captured whole, once per signature; else calls run in segments.
        compiled: Whether its programs are compiled; None: as FLAGS_use_cinn says.
    """

    enabled = True
    in_segments = weakref.WeakSet()  # those with full_graph=False

    def __init__(self, function, input_spec=None, instance=None, full_graph=True, compiled=None):
        functools.update_wrapper(self, function)
        self._function = function
        self._input_spec = input_spec
        self._instance = instance
        self._full_graph = full_graph
        self._compiled = compiled
        self._cache = ProgramCache()
        self._segments = SegmentedCalls(repr(self), compiled)
        self._quick = QuickCall()
        self._last = None  # the last ConcreteProgram
        self._training = True
        self.is_property = False  # a value, not a function of tensors: `to_static(property=True)`
        self._anew = ""  # why the last call captured, empty when it did not
        self.caller = None  # what is called in segments instead of the function: a layer with its hooks
        self._bound = _OfInstances()
        if not full_graph:
            StaticFunction.in_segments.add(self)

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        bound = self._bound.get(instance)
        if bound is None:
            cached = may_die(instance)  # else the function would keep it alive
            kept = weakref.ref(instance) if cached else instance
            bound = self.like(self._function, self._input_spec, kept)
            bound.is_property = self.is_property
            if cached:
                self._bound.put(instance, bound)
        return bound

    def like(self, function, input_spec, instance):
        """A StaticFunction of another function or object, with the settings of this one."""
        return StaticFunction(function, input_spec, instance, self._full_graph, self._compiled)

    @property
    def dygraph_function(self):
        """The plain function, bound to its layer."""
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
        made = self.like(self._function, self._input_spec, instance)
        memo[id(self)] = made
        return made

    def _inputs_of(self, args, kwargs):
        """Structure of the arguments of a call, and value and name of each input."""
        function = self.dygraph_function
        args, kwargs = bound_arguments(function, args, kwargs)
        leaves = []
        structure = tree.flatten((args, kwargs), is_input, leaves)
        return structure, list(zip(leaves, input_names(function, args, kwargs), strict=True))

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
        from .control_flow.convert import converted_source

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
        structure, inputs = self._inputs_of(args, kwargs)
        specs = []
        for leaf, name in inputs:
            stops = leaf.stop_gradient if isinstance(leaf, (InputSpec, _core.Tensor)) else True
            stops = stops or not has_gradient(leaf.dtype)
            given = leaf.name if isinstance(leaf, InputSpec) else None
            specs.append(InputSpec(leaf.shape, leaf.dtype, given or name, stops))
        environment, held = environment_of(self._function, self._owner())
        key = ("specs", tree.key_of(structure), tuple((s, s.name) for s in specs), environment)
        for entry in self._cache.by_key.get(key, ()):
            return self._cache.find(entry), entry
        entry = self._capture(structure, specs)
        entry.held = held
        concrete = ConcreteProgram(self.dygraph_function, entry, specs, structure, self._owner())
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
        if self._segments.seen is not None:
            args, kwargs = tree.unflatten(*self._segments.seen)
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
        """What `concrete_program` takes: a ProgramInput of each tensor."""
        return self.concrete_program.specs

    @property
    def outputs(self):
        """OutputSpecs of the tensors that `concrete_program` gives."""
        return self.concrete_program.outputs

    def get_traced_count(self):
        """How many programs were captured."""
        return len(self._cache) or len(self._segments)

    def forget_segments(self):
        """Forgets the segments: the next calls capture anew."""
        self._segments.forget()

    def train(self):
        """Sets the function to training.

        Raises:
            RuntimeError: It is the method of a layer in inference, which `Layer.train()` sets to training.
        """
        self._switch("train", True)

    def eval(self):
        """Sets the function to inference.

        Raises:
            RuntimeError: It is the method of a layer in training, which `Layer.eval()` sets to inference.
        """
        self._switch("eval", False)

    def _switch(self, name, training):
        owner = self._owner()
        if getattr(owner, "training", training) is not training:
            raise RuntimeError(f"{name}: {self!r} is a method of a layer; call {name}() of the layer.")
        self._training = training
        for entries in self._cache.values():
            for entry in entries:
                entry.training = training

    def __call__(self, *args, **kwargs):
        function = self.dygraph_function
        if not StaticFunction.enabled or self.is_property or in_capture():
            return function(*args, **kwargs)
        if not in_dynamic_mode():
            raise RuntimeError(f"to_static: {self!r} is called in static mode; call paddle.disable_static() before.")
        if not self._full_graph:
            return self._segments(function, args, kwargs)
        return self._run_captured(function, args, kwargs)

    # -- full_graph=True -------------------------------------------------------------------------
    def _run_captured(self, function, args, kwargs):
        if not kwargs:
            known = self._quick.find(args)
            if known is not None and known.fits_gradients():
                self._anew, self._cache.recent = "", known
                return known(args)
        leaves = []
        structure = tree.flatten((args, kwargs), is_input, leaves)
        tensors = [v if is_tensor(v) else _core.to_tensor(v) for v in leaves]
        environment, held = environment_of(self._function, self._owner())
        specs = specs_for_call(self._input_spec, tensors)
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
        entry = self._capture_anew(structure, specs, tensors, key)
        entry.held = held
        self._last = ConcreteProgram(function, entry, specs, structure, self._owner())
        if entry.executable.reusable:
            self._cache.add(key, entry, self._last)
            self._warn_of_many()
        return entry(tensors)

    def _capture_anew(self, structure, specs, tensors, key):
        """A program for a call that no known one serves; extents that have changed become dynamic."""
        known = self._cache.by_key.get(key)
        self._anew = self._cache.why_anew(key, specs)
        verbosity.say_once(f"to_static: {self!r} is captured: {self._anew}")
        if known:
            dynamic = [with_changes(s, before) for s, before in zip(specs, known[-1].shapes, strict=True)]
            if any(a.shape != b.shape for a, b in zip(dynamic, specs, strict=True)):
                with contextlib.suppress(Exception):  # code that needs the numbers is captured for each size
                    return self._capture(structure, dynamic, tensors)
        return self._capture(structure, specs, tensors)

    def _warn_of_many(self):
        count = len(self._cache)
        if count == _MANY_SIGNATURES:
            warnings.warn(
                f"to_static: {self!r} is captured for {count} signatures; each call with a new one captures again. Pass "
                f"InputSpec with None for dynamic extents, and keep counters out of attributes and arguments.",
                stacklevel=4,
            )

    def explain_call(self, args, kwargs, bandwidth=False):
        """Runs the function and says what capture made of that call."""
        from .explain import Explanation
        from .groups import lines_of, records_of

        name = getattr(self._function, "__qualname__", str(self._function)).rpartition("<locals>.")[2]
        if self._full_graph:
            with _core.pir.GroupWatch():
                result = self(*args, **kwargs)
            entries = [e for list_ in self._cache.by_key.values() for e in list_]
            lines = [f"captured anew: {self._anew}" if self._anew else "reused an earlier capture"]
            lines.append(f"signatures: {len(entries)}")
            groups = [records_of(e.executable.groups, bandwidth) for e in entries]
            for e, of_entry in zip(entries, groups, strict=True):
                lines.append(f"  inputs {[list(s) for s in e.shapes]}, {e.executable.num_operations} operations")
                lines.extend(f"    guard: {g}" for g in e.executable.guards)
                lines.extend(f"    {line}" for group in of_entry for line in lines_of(group))
                lines.extend(f"    {line}" for line in e.executable.decisions.splitlines())
            return Explanation(name, result, [], lines, groups=groups)
        reports = _core.pir.SegmentReports()
        with _core.pir.GroupWatch():
            result = self._segments(self.caller or self.dygraph_function, args, kwargs, reports)
        segments = reports.take()
        groups = [records_of(segment.groups, bandwidth) for segment in segments]
        return Explanation(name, result, segments, pays=self._segments.pays(), groups=groups)

    def _capture(self, structure, specs, tensors=None, differentiate=True, with_hooks=False):
        owner = self._owner()
        function = self.dygraph_function
        with _core.pir.CompilerScope(self._compiled):
            entry = capture_function(function, owner, structure, specs, tensors, differentiate, with_hooks)
        entry.training = getattr(owner, "training", self._training)
        return entry

    # -- for saving ------------------------------------------------------------------------------
    def capture_for_export(self, input_spec, hooks=False):
        """(entry, InputSpecs): a program without gradients for the given specs; with the hooks of its layer."""
        if input_spec is not None and self._input_spec is None and self._takes_more_than(input_spec):
            input_spec = None  # the inputs that are left when the program is cut down to its outputs
        if input_spec is not None or self._input_spec is not None:
            args, kwargs = tuple(specs_for_export(self._input_spec, input_spec)), {}
        elif self._segments.seen is not None:
            args, kwargs = tree.unflatten(*self._segments.seen)
        elif self._last is not None:
            args, kwargs = tree.unflatten(self._last.arguments, self._last.specs)
        elif not inspect.signature(self.dygraph_function).parameters:
            args, kwargs = (), {}
        else:
            raise ValueError(
                f"jit.save: no input specification of {self!r} is known; pass input_spec=[InputSpec(...)], or call it "
                "first."
            )
        structure, inputs = self._inputs_of(args, kwargs)
        specs = []
        for leaf, name in inputs:
            given = leaf.name if isinstance(leaf, InputSpec) else None
            given = None if given is not None and given.startswith("_jst.") else given
            specs.append(InputSpec(leaf.shape, leaf.dtype, given or name, True))
        return self._capture(structure, specs, None, False, hooks), specs

    def knows_its_inputs(self):
        """Whether InputSpecs were given or a call has shown them."""
        return not (self._input_spec is None and self._segments.seen is None and self._last is None)

    def _takes_more_than(self, input_spec):
        """Whether the function needs further arguments, which an earlier call has shown."""
        if self._segments.seen is None and self._last is None:
            return False
        try:
            bound_arguments(self.dygraph_function, tuple(input_spec), {})
        except ValueError:
            return True
        return False

    @property
    def program_cache(self):
        """The programs of the signatures seen with `full_graph=True`."""
        return self._cache

    def __repr__(self):
        return f"<StaticFunction {getattr(self._function, '__qualname__', self._function)}>"
