# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What is installed: optional modules, the version, and whether a training step works."""

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


def require_version(min_version, max_version=None):
    """Raise when the API level is outside [min_version, max_version]."""
    from ..version import full_version

    def parts(text):
        if not isinstance(text, str):
            raise TypeError(f"require_version: {text!r} is no version string such as '3.0.0'.")
        pieces = text.split(".")
        if not all(p.isdigit() for p in pieces):
            raise ValueError(f"require_version: {text!r} is no version such as '3.0.0'.")
        return tuple(int(p) for p in pieces) + (0,) * (4 - len(pieces))

    have = parts(full_version)
    if have < parts(min_version) or (max_version is not None and have > parts(max_version)):
        bound = "" if max_version is None else f" and at most {max_version}"
        raise Exception(
            f"require_version: the API level is {full_version}; at least {min_version}{bound} is asked for."
        )


def run_check():
    """Run one training step and report that the installation works."""
    from ..nn import Linear
    from ..tensor import ones

    print("Running verify PaddlePaddle program ... ")
    layer = Linear(2, 2)
    loss = layer(ones([2, 2])).sum()
    loss.backward()
    if layer.weight.grad is None:
        raise RuntimeError("run_check: the backward pass gave no gradient.")
    print("PaddlePaddle works well on 1 CPU.")
    print("PaddlePaddle is installed successfully! Let's start deep learning with PaddlePaddle now.")
