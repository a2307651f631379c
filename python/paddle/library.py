# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Python functions as operators of a namespace: `@custom_op("mine::twice", mutates_args=())` makes
`paddle.ops.mine.twice`."""

import warnings

_functions = {}  # "namespace::name" -> CustomOpDef


def _qualified(name):
    parts = name.split("::")
    assert len(parts) == 2 and all(parts), f"library: name has value {name!r}; it must be 'namespace::name'."
    return parts


def _ignored(function, **settings):
    for name, value in settings.items():
        if value is not None:
            warnings.warn(f"{function}: {name} has no effect in this package.", stacklevel=3)


class CustomOpDef:
    """A function that `paddle.ops` finds under its namespace.

    Args:
        namespace: The namespace.
        name: Name of the operator in it.
        schema: What PyTorch's schema would say; kept.
        fn: The function.
        tags: Kept.
    """

    def __init__(self, namespace, name, schema, fn, tags=None):
        self._namespace, self._name, self._schema, self._fn = namespace, name, schema, fn
        self._tags = tags if tags is not None else []

    @property
    def _qualname(self):
        return f"{self._namespace}::{self._name}"

    def __repr__(self):
        return f"<CustomOpDef({self._qualname})>"

    def register_fake(self, fn, /):
        """Accept a function for shapes and dtypes: operators are traced by running them, so it is not needed."""
        return fn


def custom_op(name, fn=None, /, *, mutates_args, device_types=None, schema=None, tags=None):
    """Register a function as an operator; without `fn` a decorator.

    Args:
        name: 'namespace::name'.
        fn: The function.
        mutates_args: Names of arguments that it writes; kept for PyTorch's form.
        device_types, schema, tags: Kept for PyTorch's form.

    Returns:
        A CustomOpDef.

    Raises:
        AssertionError: The name has no namespace.
        ValueError: There is an operator of that name.

    Example:
        >>> import paddle
        >>> @paddle.library.custom_op("mine::twice", mutates_args=())
        ... def twice(x):
        ...     return x * 2
        >>> paddle.ops.mine.twice(21)
        42
    """
    _ignored("custom_op", device_types=device_types)

    def register(function):
        namespace, own = _qualified(name)
        if name in _functions:
            raise ValueError(f"custom_op: there is an operator {name!r} already; take another name.")
        _functions[name] = CustomOpDef(namespace, own, schema or "", function, tags)
        return _functions[name]

    return register if fn is None else register(fn)


def register_fake(op, func=None, /, *, lib=None, _stacklevel=1, allow_override=False):
    """Accept a function for shapes and dtypes of an operator; without `func` a decorator.

    Operators are traced by running them, so it is not needed.

    Args:
        op: A CustomOpDef or 'namespace::name'.
        func: The function.
        lib, allow_override: Kept for PyTorch's form.
    """
    if not isinstance(op, CustomOpDef):
        _qualified(op)
    return (lambda function: function) if func is None else func
