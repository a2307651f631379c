# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The error of values that cannot be merged into one where branches or rounds meet."""

from ...ast.syntax import RETURN_VALUE


class Dygraph2StaticException(Exception):
    """Code that cannot be part of a captured program."""


class Mismatch(Dygraph2StaticException, TypeError):
    """Values of different structure that no phi value can stand for."""


def raise_mismatch(statement, name):
    """Raises Mismatch: a statement ("an if", "a loop") gives a variable values of different structure."""
    if name == RETURN_VALUE:
        raise Mismatch(
            f"to_static: {statement} on a tensor returns values of different structure. Your if/else have different number "
            "of return value. Return tensors, numbers or equal containers of them in all branches."
        )
    raise Mismatch(
        f"to_static: {statement} on a tensor gives variable {name!r} values of different structure; "
        "assign tensors, numbers or equal containers of them in all branches."
    )
