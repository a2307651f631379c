# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The arguments of a function, and what a program is given of them."""

import inspect

from .. import tree
from ..spec import InputSpec, bound_arguments, is_input
from .utils import parse_arg_and_kwargs


def get_parameters(layer_instance, include_sublayer=True):
    """The parameters of a layer by their names in the program.

    Args:
        layer_instance: A Layer, or None.
        include_sublayer: Whether those of its sublayers count.
    """
    if layer_instance is None:
        return {}
    found = layer_instance.parameters(include_sublayers=include_sublayer)
    return {p.name: p for p in found}


class FunctionSpec:
    """A function with the InputSpecs of its arguments.

    Args:
        function: The function.
        input_spec: A list or tuple of InputSpecs, values, or containers of them, one for each first argument; or None.

    Raises:
        TypeError: `input_spec` is no list or tuple.

    Example:
        >>> from paddle.jit.dy2static.function_spec import FunctionSpec
        >>> FunctionSpec(lambda a, b, c=1: a + b).args_name
        ['a', 'b', 'c']
    """

    def __init__(self, function, input_spec=None):
        if input_spec is not None and not isinstance(input_spec, (list, tuple)):
            raise TypeError(
                f"FunctionSpec: input_spec has type {type(input_spec).__name__}; it must be a list or tuple."
            )
        self.dygraph_function = function
        self.input_spec = None if input_spec is None else tuple(input_spec)
        names, self._defaults = parse_arg_and_kwargs(function)
        is_method = inspect.ismethod(function) or names[:1] == ["self"]
        self.args_name = names[1:] if is_method and names[:1] == ["self"] else names

    @property
    def flat_input_spec(self):
        """The InputSpecs in order, out of all containers; None without any."""
        if self.input_spec is None:
            return None
        found = []
        tree.flatten(list(self.input_spec), lambda v: isinstance(v, InputSpec), found)
        return found

    @property
    def code(self):
        """The source of the function."""
        from .utils import func_to_source_code

        return func_to_source_code(self.dygraph_function)

    def unified_args_and_kwargs(self, args, kwargs):
        """The arguments of a call by position, defaults filled in, and those that have no position.

        Args:
            args: Arguments by position.
            kwargs: Arguments by name.

        Raises:
            ValueError: There are too many, or one without default is missing.
            TypeError: The function has no argument of such a name.
        """
        return bound_arguments(self.dygraph_function, tuple(args), dict(kwargs))

    def args_to_input_spec(self, args, kwargs):
        """The arguments of a call with an InputSpec in the place of each tensor or array, by position and by name.

        Args:
            args: Arguments by position.
            kwargs: Arguments by name; none beside `input_spec`.

        Raises:
            ValueError: There are `kwargs` beside `input_spec`, or fewer arguments than InputSpecs.
        """
        declared = self.input_spec or ()
        if declared and kwargs:
            raise ValueError(
                f"FunctionSpec: {', '.join(map(repr, kwargs))} is given by name beside input_spec; give it by position."
            )
        if len(args) < len(declared):
            raise ValueError(f"FunctionSpec: {len(args)} arguments are given for {len(declared)} InputSpecs.")

        def described(value):
            leaves = []
            structure = tree.flatten(value, is_input, leaves)
            return tree.unflatten(structure, [_spec_of(leaf) for leaf in leaves])

        named = {k: described(v) for k, v in kwargs.items()}
        return (*declared, *map(described, args[len(declared) :])), named


def _spec_of(value):
    if isinstance(value, InputSpec):
        return value
    return InputSpec.from_numpy(value) if type(value).__module__ == "numpy" else InputSpec.from_tensor(value)


__all__ = ["FunctionSpec", "get_parameters"]
