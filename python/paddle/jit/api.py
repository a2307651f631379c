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

import inspect
import weakref

from .. import _lazy
from ..utils.environments import BooleanEnvironmentVariable, EnvironmentVariableGuard
from .backend import Backend
from .spec import is_tensor
from .static_function import StaticFunction

# Whether functions are captured in segments where `to_static` is called without `full_graph`.
ENV_ENABLE_SOT = BooleanEnvironmentVariable("ENABLE_FALL_BACK", True)


def sot_mode_guard(value):
    """Inside, `to_static` takes `full_graph=not value` where it is called without `full_graph`.

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


class _Default(str):
    """The value of an argument that was not given."""


def _is_compiled(backend, build_strategy):
    """Whether programs are compiled; None: as FLAGS_use_cinn says."""
    if backend is not _UNSAID:
        return backend in ("CINN", Backend.CINN)
    return True if build_strategy is not None and build_strategy.build_cinn_pass else None


_UNSAID = _Default("CINN")


def to_static(function=None, input_spec=None, build_strategy=None, backend=_UNSAID, **kwargs):
    """Captures a function or the forward of a layer as a program.

    Args:
        function: Function, method or Layer; None makes a decorator.
        input_spec: InputSpec per tensor argument, for dynamic extents.
        build_strategy: Its `build_cinn_pass` compiles the programs where `backend` is not given.
        backend: "CINN" or Backend.CINN: kernels are generated for what runs between library calls. None or another
            Backend: the programs are interpreted. Not given: as FLAGS_use_cinn says.
        full_graph: False (the default, unless the environment has ENABLE_FALL_BACK=false): the function runs on every
            call, its operators in segments. True: it is captured once per signature; what cannot be captured raises.

    Returns:
        A StaticFunction, or the layer with its forward captured.

    Example:
        >>> @paddle.jit.to_static
        ... def double_if_large(x):
        ...     return x * 2 if x.sum() > 3 else x
        >>> double_if_large(paddle.to_tensor([1.0, 4.0])).tolist()
        [2.0, 8.0]
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
    if backend not in (None, "", "CINN", *Backend):
        raise ValueError(f"to_static: backend has value {backend!r}; use None, 'CINN' or a Backend.")

    compiled = _is_compiled(backend, build_strategy)

    def made_of(target, instance=None):
        return StaticFunction(target, input_spec, instance, full_graph, compiled)

    def decorate(target):
        if isinstance(target, StaticFunction):
            if input_spec is None and compiled is None:
                return target
            again = made_of(target._function, target._instance)
            again.is_property = target.is_property
            return again
        if hasattr(target, "sublayers") and not inspect.isroutine(target):
            own = vars(target).get("forward")  # a function that replaces the class's for this layer
            if own is not None and not isinstance(own, StaticFunction):
                target.__dict__["forward"] = decorate(own)
                return target
            if own is not None:
                again = made_of(own._function, own._instance)
                target.__dict__["forward"] = again
                return target
            forward = type(target).forward
            if isinstance(forward, StaticFunction):
                forward = forward._function
            target.__dict__["forward"] = made_of(forward, weakref.ref(target))
            return target
        if isinstance(target, (staticmethod, classmethod)):
            return type(target)(decorate(target.__func__))
        if not callable(target):
            raise TypeError(f"to_static: function has type {type(target).__name__}; it must be a function or Layer.")
        if getattr(target, "_paddle_not_to_static", False):
            return target
        if is_property:
            made = made_of(target)
            made.is_property = True
            return made
        owner = getattr(target, "__self__", None)
        if owner is not None and not inspect.isclass(owner):
            return made_of(target.__func__, owner)
        return made_of(target)

    return decorate if function is None else decorate(function)


def not_to_static(func=None):
    """Marks a function that `to_static` leaves alone: captured functions call it as it is.

    Args:
        func: The function; None makes a decorator.

    Returns:
        The function.

    Example:
        >>> @paddle.jit.not_to_static
        ... def twice(x):
        ...     return x * 2
        >>> twice(paddle.ones([1])).tolist()
        [2.0]
    """
    if func is None:
        return not_to_static
    if not callable(func):
        raise TypeError(f"not_to_static: func has type {type(func).__name__}; it must be a function.")
    getattr(func, "__func__", func)._paddle_not_to_static = True
    return func


def ignore_module(modules):
    """Modules whose functions are left alone by conversion."""
    from .control_flow.convert import ignore_modules

    ignore_modules(modules)


def set_dynamic_shape(variable, shape_list):
    """Says which extents of a tensor change while a captured function runs. Captured loops find that out by
    themselves, so only the arguments are checked.

    Args:
        variable: A Tensor.
        shape_list: An extent for each axis, -1 where it changes.

    Raises:
        TypeError: `variable` is no Tensor.
        ValueError: There are more or fewer extents than axes, or one of them contradicts the shape.
    """
    if not is_tensor(variable):
        raise TypeError(f"set_dynamic_shape: variable has type {type(variable).__name__}; it must be a Tensor.")
    extents = list(variable.shape)
    fits = len(extents) == len(shape_list) and all(
        stated in (-1, None) or not isinstance(extent, int) or stated == extent
        for stated, extent in zip(shape_list, extents, strict=True)
    )
    if not fits:
        raise ValueError(
            f"set_dynamic_shape: shape_list is {list(shape_list)}, the tensor has shape {extents}; give -1 or the "
            "extent for each axis."
        )


_ELSEWHERE = {name: ("paddle.jit.saved", name) for name in ("TranslatedLayer", "load", "save")}
_ELSEWHERE["switch_to_static_graph"] = ("paddle.base.dygraph.base", "switch_to_static_graph")
__getattr__ = _lazy.attribute_hook(__name__, (), _ELSEWHERE)
