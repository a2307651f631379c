# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Helpers for programs: unique names, optional imports, nested structures."""

from . import unique_name
from .misc import deprecated, flatten, map_structure, pack_sequence_as, run_check, try_import

__all__ = [
    "deprecated",
    "flatten",
    "map_structure",
    "pack_sequence_as",
    "require_version",
    "run_check",
    "try_import",
    "unique_name",
]


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
