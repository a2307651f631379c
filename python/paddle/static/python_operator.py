# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`register_op`: a Python function as an operator of programs, with a function that tells shapes and dtypes."""

import functools
import inspect

from .. import _core
from ..framework import modes
from ..framework.dtypes import convert


class MetaTensor:
    """Shape and dtype of a tensor without values.

    Args:
        dtype: The dtype; float32 by default.
        shape: The shape, -1 where an extent is not known. `MetaTensor(other)` is a copy.

    Example:
        >>> import paddle
        >>> meta = paddle.static.MetaTensor(shape=[2, -1], dtype="int64")
        >>> meta.shape, meta.copy() == meta
        ([2, -1], True)
    """

    def __init__(self, dtype=None, shape=(0,)):
        if isinstance(dtype, MetaTensor):
            dtype, shape = dtype.dtype, dtype.shape
        self._dtype, self._shape = _core.float32, []
        self.set_dtype("float32" if dtype is None else dtype)
        self.set_shape(shape)

    @property
    def shape(self):
        """The shape, as a list."""
        return list(self._shape)

    @property
    def dtype(self):
        """The dtype."""
        return self._dtype

    def set_shape(self, shape):
        """Take another shape."""
        self._shape = [int(n) if type(n) is int else -1 for n in shape]

    def set_dtype(self, dtype):
        """Take another dtype, given as an object or a name.

        Raises:
            RuntimeError: There is no dtype of that name.
        """
        try:
            self._dtype = convert(dtype)
        except TypeError:
            raise RuntimeError(f"MetaTensor.set_dtype: {dtype!r} is no data type.") from None

    def copy(self):
        """Another one of the same shape and dtype."""
        return MetaTensor(self)

    def __eq__(self, other):
        if not isinstance(other, MetaTensor):
            return NotImplemented
        return (self._shape, self._dtype) == (other._shape, other._dtype)

    __hash__ = None

    def __repr__(self):
        return f"MetaTensor(shape={self._shape}, dtype={self._dtype.name})"


def _meta_of(value):
    if not isinstance(value, _core.Tensor):
        return value
    return MetaTensor(value.dtype, getattr(value, "_declared", None) or value.shape)


def _many(values):
    return list(values) if isinstance(values, (tuple, list)) else [values]


class _Recorded:
    """A call as one operation of the program that is recorded."""

    def __init__(self, function, infer_meta, input_names, output_names):
        self._function, self._infer_meta = function, infer_meta
        self._inputs, self._outputs = input_names, output_names
        self._signature = inspect.signature(function)

    def __call__(self, arguments, keywords):
        given = self._signature.bind(*arguments, **keywords)
        given.apply_defaults()
        values = given.arguments
        missing = [name for name in self._inputs if not isinstance(values.get(name), _core.Tensor)]
        if missing:
            raise TypeError(f"{self._function.__name__}: inputs {missing} are no tensors; pass variables for them.")
        inputs = [values[name] for name in self._inputs]

        def filled(tensors):
            again = inspect.BoundArguments(self._signature, dict(values))
            again.arguments.update(zip(self._inputs, tensors, strict=True))
            return again

        metas = filled([_meta_of(t) for t in inputs])
        shown = _many(self._infer_meta(*metas.args, **metas.kwargs))
        if len(shown) != len(self._outputs):
            raise ValueError(
                f"{self._function.__name__}: infer_meta gives {len(shown)} results; output_names has {self._outputs}."
            )

        def run(tensors):
            with modes.eager_region(), modes.no_grad():
                call = filled(tensors)
                return _many(self._function(*call.args, **call.kwargs))

        shapes, dtypes = [m.shape for m in shown], [m.dtype for m in shown]
        results = _core.pir.call_function(inputs, _core.pir.register_function(run, shapes, dtypes, -1))
        return results[0] if len(results) == 1 else tuple(results)


def register_op(fn=None, /, *, name=None, infer_meta=None, input_names=None, output_names=None, inplace_map=None):
    """Make a Python function an operator: in a static program a call is one operation, which calls the function when
    the program runs; in eager mode the function is called as it is.

    Args:
        fn: The function, of tensors and other values; it returns a tensor or a tuple of them. None: a decorator.
        name: Kept in the function's `__name__`; by default that of the function.
        infer_meta: Function of the same arguments, with MetaTensors in place of tensors, that gives the MetaTensors of
            the results.
        input_names: Names of the parameters that are tensors.
        output_names: Names of the results.
        inplace_map: Must be None or empty: an operation of a program gives new values.

    Raises:
        ValueError: input_names, output_names or infer_meta is missing.
        NotImplementedError: inplace_map is given.

    Example:
        >>> import paddle
        >>> def meta(x):
        ...     return paddle.static.MetaTensor(x.dtype, x.shape)
        >>> @paddle.static.register_op(infer_meta=meta, input_names=["x"], output_names=["out"])
        ... def square(x):
        ...     return x * x
        >>> square(paddle.to_tensor([3.0])).item()
        9.0
    """
    if fn is None:
        return functools.partial(
            register_op,
            name=name,
            infer_meta=infer_meta,
            input_names=input_names,
            output_names=output_names,
            inplace_map=inplace_map,
        )
    for argument, value in (("input_names", input_names), ("output_names", output_names), ("infer_meta", infer_meta)):
        if value is None:
            raise ValueError(f"register_op: {argument} is None; it must be given.")
    if inplace_map:
        raise NotImplementedError(
            "register_op: inplace_map must be empty; return a new tensor in place of writing one."
        )
    recorded = _Recorded(fn, infer_meta, list(input_names), list(output_names))

    @functools.wraps(fn)
    def call(*arguments, **keywords):
        if modes.recording_program() is None:
            return fn(*arguments, **keywords)
        return recorded(arguments, keywords)

    if name is not None:
        call.__name__ = name
    return call
