# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`InputSpec`: shape, dtype and name of an input; None or -1 marks a dynamic extent."""

import inspect

from .. import _core
from ..framework.dtypes import convert
from . import tree, verbosity


class InputSpec:
    """Describes an input of a captured function.

    Args:
        shape: Extents; None and negative ones are dynamic.
        dtype: Data type.
        name: Name in saved programs.
        stop_gradient: Whether no gradient is wanted.

    Example:
        >>> spec = paddle.static.InputSpec([None, 16], "float32", "x")
        >>> spec.shape, spec.name
        ((-1, 16), 'x')
    """

    def __init__(self, shape, dtype="float32", name=None, stop_gradient=False):
        self.shape = self._checked(shape)
        self.dtype = convert(dtype)
        self.name = name
        self.stop_gradient = stop_gradient

    @staticmethod
    def _checked(shape):
        if not isinstance(shape, (list, tuple)):
            raise TypeError(f"InputSpec: shape has type {type(shape).__name__}; it must be a list or tuple.")
        for i, extent in enumerate(shape):
            if extent is not None and not hasattr(extent, "__index__"):
                raise ValueError(f"InputSpec: shape[{i}] has value {extent!r}; it must be an int or None.")
        return tuple(-1 if s is None or int(s) < 0 else int(s) for s in shape)

    @classmethod
    def from_tensor(cls, tensor, name=None):
        """The shape, dtype and name of a Tensor.

        Raises:
            ValueError: `tensor` is none.
        """
        if not all(hasattr(tensor, name) for name in ("shape", "dtype", "name")):
            raise ValueError(f"InputSpec.from_tensor: tensor has type {type(tensor).__name__}; it must be a Tensor.")
        return cls(tensor.shape, tensor.dtype, name or tensor.name)

    @classmethod
    def from_numpy(cls, ndarray, name=None):
        """The shape and dtype of an array."""
        return cls(ndarray.shape, str(ndarray.dtype), name)

    def batch(self, batch_size):
        """Put an extent in front of the shape; returns the spec.

        Args:
            batch_size: An integer, or a list or tuple of one.

        Raises:
            ValueError: There is more than one.
            TypeError: It is no integer.
        """
        if isinstance(batch_size, (list, tuple)):
            if len(batch_size) != 1:
                raise ValueError(f"InputSpec.batch: batch_size has {len(batch_size)} entries; it must have one.")
            batch_size = batch_size[0]
        if not hasattr(batch_size, "__index__"):
            raise TypeError(f"InputSpec.batch: batch_size has type {type(batch_size).__name__}; it must be an int.")
        self.shape = (int(batch_size), *self.shape)
        return self

    def unbatch(self):
        """Take the first extent off the shape; returns the spec.

        Raises:
            ValueError: The shape is empty.
        """
        if not self.shape:
            raise ValueError("InputSpec.unbatch: the shape is empty; there is no batch axis.")
        self.shape = self.shape[1:]
        return self

    def _key(self):
        return ("spec", tuple(self.shape), str(self.dtype), self.stop_gradient)

    def __eq__(self, other):
        return isinstance(other, InputSpec) and self._key() == other._key() and self.name == other.name

    def __hash__(self):
        return hash(self._key())

    def __repr__(self):
        return (
            f"InputSpec(shape={self.shape}, dtype={self.dtype}, name={self.name}, stop_gradient={self.stop_gradient})"
        )


MARKED_AXES = "__sot_dynamic_dims"  # of tensors: the axes that `jit.marker.dynamic_dims` named


def marked_shape(tensor):
    """The shape of a tensor, with -1 for axes that `jit.marker.dynamic_dims` named."""
    shape = list(tensor.shape)
    for axis in getattr(tensor, MARKED_AXES, ()):
        shape[axis] = -1
    return tuple(shape)


def is_tensor(value):
    """Whether it is a Tensor."""
    return isinstance(value, _core.Tensor)


def is_input(value):
    """Whether an argument is an input of a program: a Tensor, an InputSpec or an array with axes."""
    if isinstance(value, (_core.Tensor, InputSpec)):
        return True
    return type(value).__module__ == "numpy" and getattr(value, "ndim", 0) > 0


def has_gradient(dtype):
    """Whether tensors of the dtype can have gradients."""
    return str(dtype).rpartition(".")[2].lower().startswith(("float", "bfloat", "complex"))


def bound_arguments(function, args, kwargs):
    """(args, kwargs) with the defaults of the function filled in.

    Raises:
        ValueError: An argument is missing or there are too many.
        TypeError: The function has no argument of such a name.
    """
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return tuple(args), dict(kwargs)
    names = signature.parameters
    takes_any = any(p.kind is p.VAR_KEYWORD for p in names.values())
    unknown = [k for k in kwargs if k not in names and not takes_any]
    name = getattr(function, "__name__", "the function")
    if unknown:
        raise TypeError(f"to_static: {name}() has no argument {unknown[0]!r}.")
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError as error:
        raise ValueError(f"to_static: {name}(): {error}; give an InputSpec or value for each argument.") from None
    bound.apply_defaults()
    return bound.args, bound.kwargs


def _leaf_names(value, name):
    """Names of the leaves of one argument: l_0, l_1 of a list `l`, the keys of a dict."""
    if is_input(value):
        yield name
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaf_names(inner, str(key))
    elif isinstance(value, (list, tuple)):
        for i, inner in enumerate(value):
            yield from _leaf_names(inner, f"{name}_{i}")


def input_names(function, args, kwargs):
    """A unique name for each leaf of the arguments, in the order in which they are taken apart."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    positional = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    rest = next((p.name for p in parameters if p.kind is p.VAR_POSITIONAL), "input")
    names = []
    for i, value in enumerate(args):
        own = positional[i] if i < len(positional) else f"{rest}_{i - len(positional)}"
        names.extend(_leaf_names(value, own))
    for key, value in kwargs.items():
        names.extend(_leaf_names(value, key))
    unique = []
    for name in names:
        while name in unique:
            name += "_"
        unique.append(name)
    return unique


def specs_for_call(declared, tensors):
    """The InputSpecs of a call: names and shapes as `to_static` was given, the rest as the tensors have it.

    The shape of a tensor that its InputSpec does not describe is its own.

    Args:
        declared: What `to_static` was given, or None; it may describe the first tensors only.
        tensors: The inputs of the call.

    Raises:
        ValueError: There are fewer tensors than described.
    """
    given = []
    if declared is not None:
        tree.flatten(declared, lambda v: isinstance(v, InputSpec), given)
    if len(given) > len(tensors):
        raise ValueError(
            f"to_static: input_spec describes {len(given)} tensors; the call passes {len(tensors)}; "
            "pass them all, or describe fewer."
        )
    specs = []
    for i, t in enumerate(tensors):
        shape, name = marked_shape(t), None
        if i < len(given):
            name = given[i].name
            shape = given[i].shape if _fits(given[i], t) else shape
        specs.append(InputSpec(shape, t.dtype, name or f"_jst.{i}", bool(t.stop_gradient)))
    return specs


def _fits(spec, tensor):
    fits = len(spec.shape) == len(tensor.shape) and all(
        a in (-1, b) for a, b in zip(spec.shape, tensor.shape, strict=True)
    )
    if not fits:
        verbosity.say_once(
            f"to_static: an argument has shape {list(tensor.shape)}; its InputSpec says {list(spec.shape)}; "
            "the function is captured for what is passed."
        )
    return fits


def specs_for_export(declared, given):
    """The InputSpecs of a program that is saved.

    Args:
        declared: What `to_static` was given, or None.
        given: What `jit.save` was given, or None; with fewer entries the program is pruned to them.

    Raises:
        ValueError: The two do not agree.
    """
    if not given or declared is None:
        return declared if not given and declared is not None else given
    mine, other = [], []
    tree.flatten(list(declared), is_input, mine)
    tree.flatten(list(given), is_input, other)
    if len(other) < len(mine):
        return declared
    for a, b in zip(mine, other, strict=False):
        fits = len(a.shape) == len(b.shape) and all(
            p == q or -1 in (p, q) for p, q in zip(a.shape, b.shape, strict=True)
        )
        if not fits or str(a.dtype) != str(InputSpec(b.shape, b.dtype).dtype):
            raise ValueError(
                f"jit.save: input_spec has {b!r}; to_static was given {a!r}; the dtype, the rank and the fixed "
                "extents must agree."
            )
    return given
