# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Saving and loading of states: `path.pdparams` of layers, `path.pdopt` of optimizers."""

import os

from ...framework.io import load, save


def save_dygraph(state_dict, model_path):
    """Write the state of a layer or of an optimizer.

    Args:
        state_dict: What `state_dict()` gave.
        model_path: Path without an ending: '.pdparams' or, for an optimizer, '.pdopt' is put behind.

    Example:
        >>> from paddle import fluid
        >>> layer = fluid.dygraph.Linear(2, 1)
        >>> fluid.save_dygraph(layer.state_dict(), "linear")
        >>> parameters, optimizer = fluid.load_dygraph("linear")
        >>> sorted(parameters), optimizer
        (['bias', 'weight'], None)
    """
    if not os.path.basename(model_path):
        raise AssertionError(f"save_dygraph: model_path has value {model_path!r}; it must have the form folder/prefix.")
    from ...framework.parameter import EagerParamBase

    has_parameters = any(isinstance(value, EagerParamBase) for value in state_dict.values())
    suffix = ".pdparams" if has_parameters or not state_dict else ".pdopt"
    save(state_dict, model_path + suffix)


def load_dygraph(model_path, **configs):
    """Read what `save_dygraph` wrote.

    Args:
        model_path: Path without an ending, or with one of the two.
        **configs: `keep_name_table`: kept.

    Returns:
        The state of the layer and that of the optimizer as dicts of arrays; None for a file that does not exist.

    Raises:
        ValueError: Neither file exists.
    """
    for suffix in (".pdparams", ".pdopt"):
        model_path = model_path.removesuffix(suffix)
    found = [model_path + suffix if os.path.isfile(model_path + suffix) else None for suffix in (".pdparams", ".pdopt")]
    if found == [None, None]:
        raise ValueError(f"load_dygraph: {model_path}.pdparams and {model_path}.pdopt do not exist.")
    return tuple(None if path is None else load(path, return_numpy=True) for path in found)


__all__ = ["load_dygraph", "save_dygraph"]
