# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`set_config`: what may be tuned while a program runs."""

import json
import warnings

__all__ = ["set_config"]


_RULES = {"kernel": {"enable": bool, "tuning_range": list}, "layout": {"enable": bool}, "dataloader": {"enable": bool}}
_config = {kind: {"enable": False} for kind in _RULES}
_config["kernel"]["tuning_range"] = [1, 10]


def set_config(config=None):
    """Set what may be tuned.

    On the CPU the layout of operands, the algorithm of an operator and the number of loader processes are what the
    program asks for or the library measured before, so no setting changes results or speed.

    Args:
        config: {"kernel": {"enable": bool, "tuning_range": [first step, last step]}, "layout": {"enable": bool},
            "dataloader": {"enable": bool}}, each optional; the path of a JSON file of it; None enables all. Values of
            other types are left out with a warning.
    """
    if config is None:
        config = {kind: {"enable": True} for kind in _RULES}
    elif isinstance(config, str):
        try:
            with open(config, encoding="utf8") as file:
                config = json.load(file)
        except (OSError, ValueError) as error:
            warnings.warn(f"autotune.set_config: {config} can't be read: {error}", stacklevel=2)
            return
    if not isinstance(config, dict):
        warnings.warn(f"autotune.set_config: config has type {type(config).__name__}; it must be a dict.", stacklevel=2)
        return
    for kind, rules in _RULES.items():
        for key, wanted in rules.items():
            if key not in config.get(kind, {}):
                continue
            value = config[kind][key]
            if isinstance(value, wanted):
                _config[kind][key] = value
            else:
                warnings.warn(
                    f"autotune.set_config: {key} of {kind} has value {value!r}; it must be a {wanted.__name__}.",
                    stacklevel=2,
                )
