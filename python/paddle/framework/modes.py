# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Gradient and execution modes: `no_grad`, `enable_grad`, `set_grad_enabled`, static mode."""

import contextlib
import functools

from .. import _core

_static = False
_pir_api = True  # what programs are given that ask for the kind of programs they make
_recording = None  # the static program to which calls on this thread are appended


def recording_program():
    """The `paddle.static.Program` that is being recorded, or None."""
    return _recording


def eager_region():
    """Inside, calls run at once although a static program is being recorded: for state that
    programs read and write."""
    return contextlib.nullcontext() if _recording is None else _core.pir.Suspended()


def _record(program):
    """Append calls to another program from now on; returns the one before."""
    global _recording
    before = _recording
    if before is not None:
        before._recording.leave()
    _recording = program
    if program is not None:
        program._recording.enter()
    return before


class _GradMode:
    """Context manager and decorator that sets the gradient mode and restores it."""

    DECORATED_BY_MARKER_ATTR = "__decorated_by__"  # of a decorated function: what it was decorated with

    def __init__(self, mode):
        self._mode = mode
        self._previous = []

    def __enter__(self):
        self._previous.append(_core.set_grad_enabled(self._mode))
        return self

    def __exit__(self, *error):
        _core.set_grad_enabled(self._previous.pop())
        return False

    def clone(self):
        """Another guard of the same mode."""
        return type(self)()

    def __call__(self, func):
        decorated = self._decorated(func)
        setattr(decorated, self.DECORATED_BY_MARKER_ATTR, self)
        return decorated

    def _decorated(self, func):
        mode = self._mode
        if _is_generator_function(func):

            @functools.wraps(func)
            def steps(*args, **kwargs):
                generator = func(*args, **kwargs)
                try:
                    with _GradMode(mode):
                        item = next(generator)
                    while True:
                        sent = yield item
                        with _GradMode(mode):
                            item = generator.send(sent)
                except StopIteration as stop:
                    return stop.value
                finally:
                    generator.close()

            return steps

        @functools.wraps(func)
        def call(*args, **kwargs):
            previous = _core.set_grad_enabled(mode)
            try:
                return func(*args, **kwargs)
            finally:
                _core.set_grad_enabled(previous)

        return call


def _is_generator_function(func):
    code = getattr(func, "__code__", None)
    return code is not None and bool(code.co_flags & 0x20)


class _FixedGradMode(_GradMode):
    """A mode with a name of its own; called with a function it decorates that."""

    _mode = False

    def __new__(cls, func=None):
        self = super().__new__(cls)
        if func is None:
            return self
        self.__init__()
        return self(func)

    def __init__(self, func=None):
        super().__init__(self._mode)


class no_grad(_FixedGradMode):
    """Operators inside record no gradient graph; also a decorator, with or without brackets.

    Args:
        func: The function of a decorator without brackets.

    Example:
        >>> weight = paddle.to_tensor([1.0], stop_gradient=False)
        >>> with paddle.no_grad():
        ...     (weight * 2).stop_gradient
        True
    """


class enable_grad(_FixedGradMode):
    """Operators inside record the gradient graph, also within `no_grad`; also a decorator.

    Args:
        func: The function of a decorator without brackets.

    Example:
        >>> weight = paddle.to_tensor([1.0], stop_gradient=False)
        >>> with paddle.no_grad(), paddle.enable_grad():
        ...     (weight * 2).stop_gradient
        False
    """

    _mode = True


class set_grad_enabled(_GradMode):
    """Set at once whether operators record the gradient graph; a context manager restores it at the end.

    Args:
        mode: A bool.

    Example:
        >>> with paddle.set_grad_enabled(False):
        ...     paddle.is_grad_enabled()
        False
    """

    def __init__(self, mode):
        self.mode = bool(mode)
        super().__init__(self.mode)
        self.prev = _core.set_grad_enabled(self.mode)

    def clone(self):
        """Another guard of the same mode, which sets it at once."""
        return type(self)(self.mode)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        _core.set_grad_enabled(self.prev)
        return False


def is_grad_enabled():
    """True when operators record the gradient graph."""
    return _core.is_grad_enabled()


def in_dynamic_mode():
    """Whether calls run at once: True outside of static-graph mode.

    Example:
        >>> paddle.in_dynamic_mode()
        True
    """
    return not _static


def in_pir_mode():
    """True in static-graph mode, but not inside of `paddle.pir_utils.OldIrGuard`."""
    return _static and _pir_api


def in_dynamic_or_pir_mode():
    """True in dynamic mode and where `in_pir_mode()` is."""
    return not _static or _pir_api


def use_pir_api():
    """True but inside of `paddle.pir_utils.OldIrGuard`."""
    return _pir_api


def set_pir_api(value):
    """Set what `use_pir_api()` says; gives what it said before."""
    global _pir_api
    before, _pir_api = _pir_api, bool(value)
    return before


def dygraph_only(func):
    """Decorator: `func` runs eagerly only; programs here are captured from eager code, so it is `func` itself."""
    return func


def non_static_only(func):
    """Decorator: a call of `func` while a static program is being recorded is an AssertionError."""

    @functools.wraps(func)
    def checked(*args, **kwargs):
        if recording_program() is not None:
            raise AssertionError(f"{func.__name__}: it runs eagerly only; call paddle.disable_static() first.")
        return func(*args, **kwargs)

    return checked


def static_only(func):
    """Decorator: a call of `func` outside static mode is an AssertionError."""

    @functools.wraps(func)
    def checked(*args, **kwargs):
        if not _static:
            raise AssertionError(f"{func.__name__}: it belongs to static mode; call paddle.enable_static() first.")
        return func(*args, **kwargs)

    return checked


def disable_signal_handler():
    """Do nothing: no signal handlers are installed."""


def enable_static():
    """Record calls into the default main program instead of running them, until `disable_static`.

    Example:
        >>> paddle.enable_static()
        >>> paddle.in_dynamic_mode()
        False
        >>> paddle.disable_static()
    """
    global _static
    if not _static:
        from ..static.program import default_main_program

        _static = True
        _record(default_main_program())


def dynamically(func):
    """Decorator: the function runs in dynamic mode, in static mode as well."""

    @functools.wraps(func)
    def run(*args, **kwargs):
        global _static
        if not _static:
            return func(*args, **kwargs)
        _static, outer = False, _record(None)
        try:
            return func(*args, **kwargs)
        finally:
            _record(outer)
            _static = True

    return run


def disable_static(place=None):
    """Return to dynamic mode.

    Args:
        place: Device on which tensors are made from now on, or None to keep it.

    Example:
        >>> paddle.enable_static()
        >>> paddle.disable_static()
        >>> paddle.in_dynamic_mode()
        True
    """
    global _static
    if _static:
        _static = False
        _record(None)
    if place is not None:
        from .devices import set_device

        set_device(place)
