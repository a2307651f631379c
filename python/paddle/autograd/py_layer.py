# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`PyLayer`: operators with a forward and a backward written in Python."""

import contextlib
import functools
import threading

from .. import _core
from ..framework import modes

_hooks = []


class saved_tensors_hooks(contextlib.AbstractContextManager):
    """Inside, calls keep `pack_hook(t)` of what their gradients need, and get it back from `unpack_hook`.

    Args:
        pack_hook: Gets a tensor, returns anything: a NumPy array, a path, a compressed form.
        unpack_hook: Gets what pack_hook returned, returns a tensor of the same shape and dtype.
    """

    def __init__(self, pack_hook, unpack_hook):
        self._pair = (pack_hook, unpack_hook)

    def __enter__(self):
        _core.push_saved_tensor_hooks(*self._pair)
        _hooks.append(self._pair)
        return self

    def __exit__(self, *error):
        _hooks.pop()
        _core.pop_saved_tensor_hooks()
        return False


class _NoBackward(NotImplementedError, OSError):
    """As PaddlePaddle's error of a backward that raises, it is an OSError."""


class PyLayerContext:
    """What forward hands to backward."""

    container = ()
    non_differentiable = ()
    not_inplace_tensors = ()
    materialize_grads = True
    grad_in_dtype_consistent = True
    _unpack = None

    def save_for_backward(self, *tensors):
        """Keep tensors for backward."""
        if _hooks:
            pack, self._unpack = _hooks[-1]
            tensors = tuple(pack(t) if isinstance(t, _core.Tensor) else t for t in tensors)
        self.container = tensors

    def saved_tensor(self):
        """The kept tensors, as a tuple."""
        if self._unpack is not None:
            return tuple(self._unpack(t) for t in self.container)
        return self.container

    @property
    def saved_tensors(self):
        """The kept tensors, as a tuple."""
        return self.saved_tensor()

    def mark_not_inplace(self, *args):
        """Inputs that forward returns as they are and that do not count as written in place."""
        self.not_inplace_tensors = args

    def mark_non_differentiable(self, *args):
        """Outputs that get no gradient."""
        self.non_differentiable = args

    def set_materialize_grads(self, value):
        """False: backward gets None for outputs that no loss depends on, instead of zeros."""
        self.materialize_grads = bool(value)

    def set_grad_in_dtype_consistent(self, flag):
        """Whether backward gets gradients in the dtypes of the outputs of forward.

        Args:
            flag: Accepted either way: a gradient always has the dtype of its tensor here.
        """
        self.grad_in_dtype_consistent = bool(flag)


def once_differentiable(backward):
    """Decorator for a `backward` whose results have no gradients of their own, even with create_graph=True.

    Args:
        backward: Function of the context and the gradients.
    """

    @functools.wraps(backward)
    def run(ctx, *args):
        with modes.no_grad():
            return backward(ctx, *args)

    return run


class PyLayer(PyLayerContext):
    """An operator with a gradient of its own: a subclass defines static methods `forward(ctx, ...)` and
    `backward(ctx, *grads)`, and is called through `apply`.

    Example:
        >>> class Cube(paddle.autograd.PyLayer):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         ctx.save_for_backward(x)
        ...         return x**3
        ...
        ...     @staticmethod
        ...     def backward(ctx, grad):
        ...         (x,) = ctx.saved_tensor()
        ...         return grad * 3 * x**2
        >>> x = paddle.to_tensor([2.0], stop_gradient=False)
        >>> Cube.apply(x).backward()
        >>> x.grad.tolist()
        [12.0]
    """

    @staticmethod
    def forward(ctx, *args, **kwargs):
        """The result; may call `ctx.save_for_backward`."""
        raise NotImplementedError("PyLayer: forward is not defined; define it in the subclass.")

    @staticmethod
    def backward(ctx, *args):
        """One gradient (or None) per Tensor argument of forward."""
        raise _NoBackward("PyLayer: backward is not defined; define it in the subclass.")

    def name(self):
        """The name of the class."""
        return type(self).__name__

    @classmethod
    def apply(cls, *args, **kwargs):
        """Call forward and record backward."""
        if _watching or modes._recording is not None:
            record = _note(cls)
            if record is not None:
                return record(cls, args, kwargs)
        return _core.pylayer_apply(cls, PyLayerContext(), args, kwargs or None)


class Watch:
    """The PyLayers that a capture calls.

    Through control flow gradients are those of the operators of a run, which know nothing of a PyLayer's own backward;
    a program with both calls the PyLayer when it runs.

    Args:
        record: Called with (class, args, kwargs) in the place of a PyLayer.
    """

    def __init__(self, record):
        self.names, self.record = set(), record

    def __enter__(self):
        self._outer = _watching.get(threading.get_ident())
        _watching[threading.get_ident()] = self
        return self

    def __exit__(self, *error):
        if self._outer is None:
            del _watching[threading.get_ident()]
        else:
            _watching[threading.get_ident()] = self._outer


_watching = {}  # the Watch of the capture in progress, by thread


def forward_alone(cls, args, kwargs):
    """What forward gives with the gradients of its operators, for a PyLayer whose backward is their derivative."""
    return cls.forward(PyLayerContext(), *args, **kwargs)


def _note(cls):
    """Tells the program that is recorded of a PyLayer; returns what records it, or None."""
    plain = getattr(cls, "_gradient_of_its_forward", False)
    if modes._recording is not None and not plain:
        modes._recording._custom_gradients.add(cls.__name__)
    watch = _watching.get(threading.get_ident())
    if watch is not None:
        if not plain:
            watch.names.add(cls.__name__)
        return watch.record
    return forward_alone if plain and modes._recording is not None else None


def _refuse(what, names):
    raise NotImplementedError(
        f"{what}: gradients go through control flow on tensors and through the backward of {', '.join(sorted(names))}; "
        "a program cannot hold both. Use paddle.jit.to_static with full_graph=False, or no control flow on tensors."
    )


LegacyPyLayer = PyLayer
EagerPyLayer = PyLayer
