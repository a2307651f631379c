# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""High-level training: `Model`, its callbacks, `summary` and `flops`."""

from .. import _paths
from . import callbacks, logger
from .dynamic_flops import flops
from .model import Model
from .model_summary import summary

__all__ = ["Model", "callbacks", "flops", "summary"]

_paths.attach(__name__)
