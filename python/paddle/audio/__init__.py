# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Audio: wave files, windows and filter banks, spectral features."""

from .. import _lazy
from .backends.wave_backend import info, load, save

__all__ = ["backends", "datasets", "features", "functional", "info", "load", "save"]

_MODULES = {"backends", "datasets", "features", "functional"}
__getattr__ = _lazy.attribute_hook(__name__, _MODULES, {})
