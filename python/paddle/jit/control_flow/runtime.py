# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What converted code calls for control flow, by one name."""

from .branches import choose, if_
from .loops import while_
from .truth import and_, assert_, compare, known_or_number, none_of, not_, or_, print_, scalar
from .values import is_symbolic, set_capture, truth

__all__ = [
    "and_",
    "assert_",
    "choose",
    "compare",
    "if_",
    "is_symbolic",
    "known_or_number",
    "none_of",
    "not_",
    "or_",
    "print_",
    "scalar",
    "set_capture",
    "truth",
    "while_",
]
