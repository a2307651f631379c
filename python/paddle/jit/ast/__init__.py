# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Python control flow on tensors as operations of a captured program.

`convert(function)` gives a function with the same behaviour whose `if`, `while`, `for`, `and`, `or`,
`not`, conditional expressions, chained comparisons, `assert`, `break`, `continue` and early `return`
also work on tensors of a capture.  rewrite.py changes the syntax tree, calls.py names what the
changed code calls, convert.py makes functions of it and finds the functions that are called.
"""

from .convert import convert, converted_layers, converted_source

__all__ = ["convert", "converted_layers", "converted_source"]
