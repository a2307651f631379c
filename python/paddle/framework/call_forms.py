# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Decorators for functions written in Python that are called in several forms: other keywords for an argument,
several integers in place of a list."""

import functools

from .. import _core

Tensor = _core.Tensor


@functools.cache
def form_of(function):
    """A function of Python with the signature of an operator function: what tools read of functions."""
    import inspect

    signature = inspect.signature(function)
    bare = [p.replace(default=inspect.Parameter.empty) for p in signature.parameters.values()]
    text = f"def {function.__name__}{signature.replace(parameters=bare)}: pass"
    made = {"__name__": function.__module__}
    exec(compile(text, f"<{function.__module__}>", "exec", dont_inherit=True), made)
    form = made[function.__name__]
    given = {p.name: p.default for p in signature.parameters.values() if p.default is not p.empty}
    positional = [p.name for p in bare if p.kind is p.POSITIONAL_OR_KEYWORD]
    form.__defaults__ = tuple(given.pop(name) for name in positional if name in given) or None
    form.__kwdefaults__ = given or None
    return form


def aliases(**names):
    """Decorator that accepts other keywords, as in `aliases(input='x', dim='axis')`."""

    def wrap(fn):
        @functools.wraps(fn)
        def call(*args, **kwargs):
            if not kwargs:
                return fn(*args)
            for other, own in names.items():
                if other not in kwargs:
                    continue
                if own in kwargs:
                    raise TypeError(f"{fn.__name__}: both '{own}' and '{other}' are given; they are the same argument.")
                kwargs[own] = kwargs.pop(other)
            return fn(*args, **kwargs)

        return call

    return wrap


def ordered_as_in_pytorch(is_theirs, *names):
    """Decorator that accepts positional arguments in PyTorch's order.

    Args:
        is_theirs: Says of the positional arguments whether they stand in that order.
        names: PyTorch's order, in this function's names.
    """

    def wrap(fn):
        @functools.wraps(fn)
        def call(*args, **kwargs):
            if not is_theirs(args):
                return fn(*args, **kwargs)
            if len(args) > len(names):
                raise TypeError(
                    f"{fn.__name__}: {len(args)} positional arguments are given; in this order there are at most "
                    f"{len(names)}: {', '.join(names)}."
                )
            given = dict(zip(names, args, strict=False))
            twice = sorted(given.keys() & kwargs.keys())
            if twice:
                raise TypeError(f"{fn.__name__}: {twice[0]!r} is given by position and by keyword.")
            return fn(**given, **kwargs)

        return call

    return wrap


def refused(instead, *names):
    """Decorator that refuses PyTorch's keywords, which mean another result there.

    `refused("paddle.compat.sort", "dim")` on `sort`: who writes `sort(x, dim=1)` expects values and indices.
    """

    def wrap(fn):
        @functools.wraps(fn)
        def call(*args, **kwargs):
            wrong = [name for name in names if name in kwargs]
            if wrong:
                raise TypeError(
                    f"{fn.__name__}: got an unexpected keyword argument {', '.join(map(repr, wrong))}; "
                    f"did you mean {instead}()?"
                )
            return fn(*args, **kwargs)

        return call

    return wrap


def packed(at, name, *others):
    """Decorator that accepts the argument at a position as several integers, and by other keywords.

    `packed(0, "shape", "size")` on `zeros` makes `zeros(2, 3)` and `zeros(size=[2, 3])` mean
    `zeros([2, 3])`.
    """

    def wrap(fn):
        @functools.wraps(fn)
        def call(*args, **kwargs):
            if len(args) > at + 1:
                end = at
                while end < len(args) and _is_size(args[end]):
                    end += 1
                if end > at + 1:
                    args = (*args[:at], list(args[at:end]), *args[end:])
            if not kwargs:
                return fn(*args)
            for other in others:
                if other in kwargs:
                    if name in kwargs or len(args) > at:
                        raise TypeError(
                            f"{fn.__name__}: both '{name}' and '{other}' are given; they are the same argument."
                        )
                    kwargs[name] = kwargs.pop(other)
            return fn(*args, **kwargs)

        return call

    return wrap


def listed(name):
    """Decorator that accepts the first argument, a list of tensors, as several arguments.

    `listed("inputs")` on `block_diag` makes `block_diag(a, b)` mean `block_diag([a, b])`.
    """

    def wrap(fn):
        @functools.wraps(fn)
        def call(*args, **kwargs):
            if args and isinstance(args[0], Tensor) and all(isinstance(a, Tensor) for a in args):
                if name in kwargs:
                    raise TypeError(f"{fn.__name__}: '{name}' is given by position and by keyword.")
                return fn(list(args), **kwargs)
            return fn(*args, **kwargs)

        return call

    return wrap


def _is_size(value):
    return hasattr(value, "__index__") and not (isinstance(value, Tensor) and value.ndim > 0)
