# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Errors of values that no one value can stand for behind branches or rounds."""

from ...ast.syntax import RETURN_VALUE


class Dygraph2StaticException(Exception):
    """Code that cannot be part of a captured program."""


class Mismatch(Dygraph2StaticException, TypeError):
    """Values that cannot be joined."""


def mismatch(what, name):
    if name == RETURN_VALUE:
        raise Mismatch(
            f"to_static: {what} on a tensor returns values of different structure. Your if/else have different number "
            "of return value. Return tensors, numbers or equal containers of them in all branches."
        )
    raise Mismatch(
        f"to_static: {what} on a tensor gives variable {name!r} values of different structure; "
        "assign tensors, numbers or equal containers of them in all branches."
    )
