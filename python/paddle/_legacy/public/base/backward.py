# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Gradients as part of a program, under their older path."""

import re

from ..autograd.backward_utils import _as_list
from ..static.gradient import append_backward, gradients

calc_gradient = gradients

_SUFFIX = "@GRAD"


def _append_grad_suffix_(name):
    """The name of the gradient of a variable."""
    return name + _SUFFIX


def _strip_grad_suffix_(name):
    """The name of the variable that a gradient belongs to; `name` itself when it is none of a gradient."""
    at = re.search(f"{_SUFFIX}(?=@|$)", name)
    name = name[: at.start()] if at and at.start() else name
    return name.rpartition("grad/")[2]


__all__ = ["_as_list", "append_backward", "calc_gradient", "gradients"]
