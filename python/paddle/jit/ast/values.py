# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Values of variables while control flow is captured: those that have none yet, structures and their leaves,
numbers beside tensors."""

import re
import threading

from ... import _core
from ...framework.symint import SymInt, is_known, number
from .. import tree
from .grown import GrownList
from .places import Missing, grown_node
from .rewrite import RETURN_VALUE

active = threading.local()


def set_capture(capture, extents=None):
    """Makes `capture` the one that regions are recorded into; returns the previous (capture, extents).

    Args:
        capture: The Capture, or None.
        extents: Text of the symbols that its inputs have as extents; None: not known.
    """
    previous = getattr(active, "capture", None), getattr(active, "extents", None)
    active.capture, active.extents, active.left = capture, extents, None
    return previous


def note_left(error):
    """Notices that an exception leaves a branch or loop that is being recorded."""
    active.left = type(error).__name__


def check_left():
    """Raises when an exception left a branch or loop of the capture and was caught by the function: what follows
    would be recorded for runs that take another way."""
    if active.left is not None:
        raise RuntimeError(
            f"to_static: {active.left} leaves a branch or loop on a tensor and is caught outside of it; a captured "
            "program cannot do that. Decide by Python values, or let the exception reach the caller."
        )


def is_symbolic(value):
    """A tensor of the capture, whose values are unknown."""
    return isinstance(value, _core.Tensor) and _core.pir.is_symbolic(value)


class Undefined:
    """A variable that has no value yet; every use raises."""

    def __init__(self, name, why=""):
        self.__dict__.update(_name=name, _why=why)

    def _raise(self, *args, **kwargs):
        raise UnboundLocalError(
            f"cannot access variable {self._name!r} where it is not associated with a value{self._why}"
        )

    __getattr__ = __setattr__ = __call__ = __getitem__ = __iter__ = __len__ = __bool__ = __float__ = __int__ = _raise
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __lt__ = __gt__ = _raise
    __matmul__ = __le__ = __ge__ = __neg__ = __index__ = _raise


def result(value):
    """What a function returns that came to its end."""
    return None if isinstance(value, Undefined) else value


# -- values of two branches --------------------------------------------------------------------------
def is_leaf(value):
    return isinstance(value, (_core.Tensor, SymInt, bool, int, float)) or isinstance(value, Undefined)


def flatten(value, places=None):
    """Structure and leaves; containers that `places` knows are leaves by themselves."""
    leaves = []
    test = is_leaf if places is None else lambda v: is_leaf(v) or places.is_known(v)
    return tree.flatten(value, test, leaves, grown_node), leaves


def flatten_contents(contents, places, name):
    if contents is Missing:
        return flatten(Undefined(name))
    if isinstance(contents, (list, dict)) and not places.is_known(contents):
        return flatten(contents, places)
    return flatten(contents) if not places.is_known(contents) else flatten(contents, places)


def as_tensor(value, like):
    """A Python number or an extent as a tensor that fits beside `like`."""
    if isinstance(value, _core.Tensor):
        return value
    dtype = like.dtype if isinstance(like, _core.Tensor) else None
    if isinstance(value, SymInt):
        return number(value).astype(dtype or ("float32" if isinstance(like, float) else "int64"))
    if dtype is None:
        kinds = {type(v) for v in (value, like) if not isinstance(v, Undefined)}
        dtype = "float32" if float in kinds else "bool" if kinds == {bool} else "int64"
    import paddle

    return paddle.full([], value, dtype)


def filler(like):
    """What stands in a branch for a variable that only the other one sets; extents made there are 1."""
    import paddle

    if isinstance(like, SymInt):
        return 1
    if not isinstance(like, _core.Tensor):
        return like
    known = getattr(active, "extents", None) or ()
    shape = [e if all(s in known for s in re.findall(r"s\d+", str(e))) else 1 for e in like.shape]
    return paddle.full(shape, 0, like.dtype)


def same(a, b):
    if a is b:
        return True
    if isinstance(a, _core.Tensor) or isinstance(b, _core.Tensor):
        return False
    if isinstance(a, Undefined) or isinstance(b, Undefined):
        return isinstance(a, Undefined) and isinstance(b, Undefined)
    if isinstance(a, SymInt) or isinstance(b, SymInt):
        return type(a) is type(b) and hash(a) == hash(b)
    return type(a) is type(b) and a == b


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


def _is_undefined(taken):
    _, leaves = taken
    return len(leaves) == 1 and isinstance(leaves[0], Undefined)


def both(first, second, names):
    """Structures and pairs of leaves of the variables after both branches."""
    structures, pairs = [], []
    for a, b, name in zip(first, second, names, strict=True):
        structure, left = a
        other, right = b
        if _is_undefined(a) or _is_undefined(b):
            structure, kept = b if _is_undefined(a) else a
            missing = [Undefined(name)] * len(kept)
            left, right = (missing, kept) if _is_undefined(a) else (kept, missing)
        elif tree.key_of(structure) != tree.key_of(other):
            mismatch("an if", name)
        structures.append((structure, len(left)))
        pairs.extend(zip(left, right, strict=True))
    return structures, pairs


def rebuild(structures, leaves):
    out, at = [], 0
    for structure, count in structures:
        out.append(tree.unflatten(structure, leaves[at : at + count]))
        at += count
    return tuple(out)


def truth(test):
    """The condition of a branch or loop: a tensor, or what Python decides by."""
    if isinstance(test, SymInt) and not is_known(test):
        return number(test) != 0
    return test.length() > 0 if isinstance(test, GrownList) else test
