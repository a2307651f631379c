# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Whether programs are decomposed into basic operators, and which operators can be."""

from .. import _core

_prim = {"eager": False, "forward": False, "backward": False}
_prim_forward_blacklist = set()


def set_prim_eager_enabled(value, print_flag=False):
    """Kept for programs that switch decomposition on: every operator here is differentiable to any order anyway."""
    _prim["eager"] = bool(value)


def _set_prim_forward_enabled(value, print_flag=False):
    """Remember whether operators are taken apart before gradients are."""
    _prim["forward"] = bool(value)


def _set_prim_backward_enabled(value, print_flag=False):
    """Remember whether gradients are made of basic operators: they always are."""
    _prim["backward"] = bool(value)


def _set_prim_all_enabled(value, print_flag=False):
    """Remember both."""
    _set_prim_forward_enabled(value)
    _set_prim_backward_enabled(value)


def _is_fwd_prim_enabled():
    """The last setting of `_set_prim_forward_enabled`."""
    return _prim["forward"]


def _is_bwd_prim_enabled():
    """The last setting of `_set_prim_backward_enabled`."""
    return _prim["backward"]


def _is_all_prim_enabled():
    """Whether both were switched on."""
    return _prim["forward"] and _prim["backward"]


def _is_eager_prim_enabled():
    """The last setting of `set_prim_eager_enabled`."""
    return _prim["eager"]


def _clear_prim_vjp_skip_default_ops():
    """Nothing is skipped here."""


def _set_prim_forward_blacklist(*names):
    """Operators that `paddle.decomposition.decompose` leaves as they are, such as 'pd_op.gelu'."""
    _prim_forward_blacklist.update(names)


def _set_prim_backward_blacklist(*names):
    """Kept for programs that name gradients to leave whole: gradients are made of basic operators always."""


def _described(op):
    """What the registry says of an operator of a program; {} for one that is not of the dialect pd_op."""
    dialect, _, name = op.name().rpartition(".")
    return _core.describe_op(name) if dialect == "pd_op" and hasattr(_core.ops, name) else {}


def has_vjp(op):
    """Whether an operator of a program has a gradient."""
    return bool(_described(op).get("differentiable"))


def has_decomp_rule(op):
    """Whether an operator of a program is composed of others."""
    return bool(_described(op).get("composed"))


def has_custom_vjp(op):
    """Whether an operator of a program has a gradient of its own, beside that of the operators it is composed of."""
    return has_vjp(op) and has_decomp_rule(op)
