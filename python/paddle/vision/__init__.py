# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Computer vision: transforms, models, datasets, operators; their names are here too."""

import importlib
import importlib.util

from .. import _bind
from .image import get_image_backend, image_load, set_image_backend

__all__ = ["get_image_backend", "image_load", "set_image_backend"]

_PARTS = ("transforms", "models", "datasets", "ops")
_SHARED = ("transforms", "models", "datasets")


def __getattr__(name):
    path = f"{__name__}.{name}"
    if name in _PARTS:
        if importlib.util.find_spec(path) is not None:
            return importlib.import_module(path)
        found = _bind.submodule(path)
        if found is not None:
            return found
    elif not name.startswith("_"):
        for part in _SHARED:
            module = importlib.import_module(f"{__name__}.{part}")
            if name in module.__all__:
                globals()[name] = getattr(module, name)
                return globals()[name]
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


def __dir__():
    names = set(globals()) | set(_PARTS)
    for part in _SHARED:
        names.update(importlib.import_module(f"{__name__}.{part}").__all__)
    return sorted(names)
