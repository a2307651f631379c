# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Optional imports, deprecation marks and nested structures."""

import functools
import importlib


def try_import(module_name, err_msg=None):
    """Import a module or raise ImportError with a helpful message.

    Args:
        module_name: Name of the module.
        err_msg: Message instead of the default one.
    """
    try:
        return importlib.import_module(module_name)
    except ImportError:
        raise ImportError(
            err_msg
            or f"try_import: module {module_name!r} is not installed; run `pip install {module_name.split('.')[0]}`."
        ) from None


def deprecated(update_to="", since="", reason="", level=0):
    """Decorator that warns at each call of a deprecated function.

    Args:
        update_to: What to use instead.
        since: The first version that warns.
        reason: Why.
        level: 0 nothing, 1 warn, 2 raise RuntimeError.
    """

    def wrap(func):
        text = f"{func.__module__}.{func.__name__} is deprecated"
        text += f" since {since}" if since else ""
        text += f"; use {update_to} instead" if update_to else ""
        text += f"; {reason}" if reason else ""

        @functools.wraps(func)
        def call(*args, **kwargs):
            if level == 2:
                raise RuntimeError(text)
            if level == 1:
                import warnings

                warnings.warn(text, DeprecationWarning, stacklevel=2)
            return func(*args, **kwargs)

        return call

    return wrap


def _is_sequence(value):
    return isinstance(value, (list, tuple, dict))


def flatten(nest):
    """The leaves of nested lists, tuples and dicts (dicts in key order), as one list."""
    if isinstance(nest, dict):
        return [leaf for key in sorted(nest) for leaf in flatten(nest[key])]
    if isinstance(nest, (list, tuple)):
        return [leaf for item in nest for leaf in flatten(item)]
    return [nest]


def _rebuild(structure, leaves):
    if isinstance(structure, dict):
        made = {key: _rebuild(structure[key], leaves) for key in sorted(structure)}
        return type(structure)((key, made[key]) for key in structure)
    if isinstance(structure, tuple) and hasattr(structure, "_fields"):
        return type(structure)(*(_rebuild(item, leaves) for item in structure))
    if isinstance(structure, (list, tuple)):
        return type(structure)(_rebuild(item, leaves) for item in structure)
    return next(leaves)


def pack_sequence_as(structure, flat_sequence):
    """The leaves in `flat_sequence` in the shape of `structure`."""
    count = len(flatten(structure))
    if count != len(flat_sequence):
        raise ValueError(
            f"pack_sequence_as: flat_sequence has {len(flat_sequence)} items; the structure has {count} leaves."
        )
    return _rebuild(structure, iter(flat_sequence))


def map_structure(func, *structure):
    """Call `func` on the leaves of structures of equal shape."""
    flat = [flatten(s) for s in structure]
    return pack_sequence_as(structure[0], [func(*leaves) for leaves in zip(*flat, strict=False)])


def run_check():
    """Run one training step and report that the installation works."""
    import paddle

    print("Running verify PaddlePaddle program ... ")
    layer = paddle.nn.Linear(2, 2)
    loss = layer(paddle.ones([2, 2])).sum()
    loss.backward()
    if layer.weight.grad is None:
        raise RuntimeError("run_check: the backward pass gave no gradient.")
    print("PaddlePaddle works well on 1 CPU.")
    print("PaddlePaddle is installed successfully! Let's start deep learning with PaddlePaddle now.")
