# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Values of variables while control flow is captured: those that have none yet, structures and their leaves,
numbers beside tensors."""

import re
import threading

from ... import _core
from ...framework.symint import SymInt, is_known, number
from .. import tree
from ..ast.syntax import RETURN_VALUE
from . import instances, one_of
from .grown import GrownList
from .places import Missing, grown_node
from .undefined import Undefined

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


def begin_function(is_saved=False):
    """Forgets what another captured function left: handlers around it, values that are one of two. `is_saved`: the
    program goes to a file."""
    active.is_saved = is_saved
    active.alternatives = active.tried = active.optional = active.joined = active.new_objects = active.replaced = (
        active.copies
    ) = None
    active.kept_alternatives = False


def note_left(error):
    """Notices that an exception leaves a branch or loop that is being recorded."""
    if isinstance(error, Exception):
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


def written_names(names):
    """What `locals()` gives in converted code, without what the conversion added: its own names all begin with `__jst`."""
    return {k: v for k, v in names.items() if not k.startswith("__jst") and not isinstance(v, Undefined)}


def result(value):
    """What a function returns that came to its end."""
    if isinstance(value, Undefined) and value.why:
        mismatch("a loop", RETURN_VALUE)
    return None if isinstance(value, Undefined) else value


# -- values of two branches --------------------------------------------------------------------------
def is_leaf(value):
    return isinstance(value, (_core.Tensor, SymInt, bool, int, float, Undefined))


def flatten(value, places=None):
    """Structure and leaves; containers that `places` knows are leaves by themselves."""
    return _taken_apart(value, _node, places)


def flatten_object(value):
    """Structure and leaves of an object as those of its attributes."""
    value = instances.one_made(value)
    return _taken_apart(value, lambda v: instances.attributes(v) if v is value else _node(v), None)


def _taken_apart(value, node, places):
    leaves = []
    test = is_leaf if places is None else lambda v: is_leaf(v) or places.is_known(v)
    return tree.flatten(value, test, leaves, node), leaves


def _node(value):
    found = one_of.node(value) or _keyed(value) or grown_node(value)
    return found or instances.node(value, getattr(active, "capture", None))


def _keyed(value):
    if not getattr(active, "optional", None):
        return None
    from .keyed import node

    return node(value)


def flatten_contents(contents, places, name):
    if contents is Missing:
        return flatten(Undefined(name))
    if isinstance(contents, dict):  # which of its keys are there the places know
        return _taken_apart(contents, lambda v: None if v is contents else _node(v), places)
    if isinstance(contents, list) or places.is_known(contents):
        return flatten(contents, places)
    return flatten(contents)


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
    return paddle.full(known_shape(like.shape), 0, like.dtype)


def known_shape(shape):
    """The shape with 1 for extents that are made in a branch or loop."""
    known = getattr(active, "extents", None) or ()
    return [e if all(s in known for s in re.findall(r"s\d+", str(e))) else 1 for e in shape]


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


def may_be_joined(a, b):
    """Whether both() takes the two as values of one variable."""
    return _is_undefined(a) or _is_undefined(b) or tree.key_of(a[0]) == tree.key_of(b[0])


def _either(a, b, name):
    """A OneOf of two taken values: its structure, and the leaves of both sides."""
    active.alternatives = True
    parts, leaves = [], ([True], [False])
    for side, (structure, own) in enumerate((a, b)):
        parts.append(tree.shifted(structure, len(leaves[0])))
        leaves[side].extend(own)
        leaves[1 - side].extend([Undefined(name)] * len(own))
    return tree.Made(one_of.Maker(name), [tree.Leaf(0), *parts]), *leaves


def _kind(value):
    """dtype and rank of a tensor; of a number, its rank."""
    if isinstance(value, _core.Tensor):
        return value.dtype, value.ndim
    return None, 0


def _differ(pair):
    """Whether no one tensor can stand for both: leaves of different rank, or tensors of different dtype."""
    if not any(isinstance(v, _core.Tensor) for v in pair) or any(isinstance(v, Undefined) for v in pair):
        return False
    (dtype, rank), (other, other_rank) = map(_kind, pair)
    return rank != other_rank or (None not in (dtype, other) and dtype != other)


def joined_leaf(take, left, right, name):
    """The structure of two leaves as one: take(left, right), or that of a OneOf where they _differ."""
    if not _differ((left, right)):
        return take(left, right)
    active.alternatives = True
    parts = [take(True, False), take(left, Undefined(name)), take(Undefined(name), right)]
    return tree.Made(one_of.Maker(name), parts)


def _apart(structure, pairs, name):
    """The structure with a OneOf in the place of leaves that _differ; and the leaves of both sides."""
    leaves = ([], [])

    def take(left, right):
        leaves[0].append(left)
        leaves[1].append(right)
        return tree.Leaf(len(leaves[0]) - 1)

    structure = tree.replaced(structure, lambda leaf: joined_leaf(take, *pairs[leaf.index], name))
    return structure, *leaves


def _of_one_structure(a, b, name):
    from .keyed import evened

    return evened(a, b, name)


def both(first, second, names, count=0, places=()):
    """Structures and pairs of leaves of the variables after both branches; the first `count` may be one of two, and those
    at the positions `places` None or something else."""
    structures, pairs = [], []
    for k, (a, b, name) in enumerate(zip(first, second, names, strict=True)):
        a, b = one_of.lifted(a, b[0], Undefined(name)) or a, one_of.lifted(b, a[0], Undefined(name)) or b
        structure, left = a
        other, right = b
        unset = next((taken for taken in (a, b) if _is_undefined(taken) and taken[1][0].why), None)
        if unset is not None:  # it has a value in this branch, too, but none that can be had here
            structure, left = unset
            right = left
        elif _is_undefined(a) or _is_undefined(b):
            structure, kept = b if _is_undefined(a) else a
            missing = [Undefined(name)] * len(kept)
            left, right = (missing, kept) if _is_undefined(a) else (kept, missing)
        elif tree.key_of(structure) != tree.key_of(other) and (made := _of_one_structure(a, b, name)) is not None:
            structure, left, right = made
        elif tree.key_of(structure) != tree.key_of(other):
            is_limited = k >= count or name == RETURN_VALUE
            if (k >= count and k not in places) or (
                is_limited and not any(map(one_of.may_be_none, (structure, other)))
            ):
                mismatch("an if", name)
            structure, left, right = _either(a, b, name)
        elif (k < count or k in places) and any(map(_differ, zip(left, right, strict=True))):
            structure, left, right = _apart(structure, list(zip(left, right, strict=True)), name)
        structures.append((structure, len(left)))
        for pair in zip(left, right, strict=True):
            if not same(*pair) and not all(map(is_leaf, pair)):  # two lists, dicts or objects
                mismatch("an if", name)
            pairs.append(pair)
    return structures, pairs


def rebuild(structures, leaves):
    out, at = [], 0
    for structure, count in structures:
        out.append(tree.unflatten(structure, leaves[at : at + count]))
        at += count
    return tuple(out)


def is_true(tensor):
    """The elements that Python's bool() finds true: numbers above zero."""
    if tensor.dtype == _core.bool:
        return tensor
    if tensor.is_complex():
        return tensor.astype("bool")
    return _core.ops.greater_than(tensor, _core.ops.full_like(tensor, 0))


def truth(test):
    """The condition of a branch or loop: a tensor, or what Python decides by."""
    from . import presence, state

    if isinstance(test, SymInt) and not is_known(test):
        return number(test) != 0
    if isinstance(test, one_of.OneOf):
        return one_of.truth_of(test)
    if isinstance(test, GrownList):
        return test.length() > 0
    return presence.any_there(test) if presence.optional_keys(test) else state.latest(test)
