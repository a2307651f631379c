# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Arguments of convolutions and pools: values per spatial axis, paddings and data formats."""

from ... import _core
from ...framework.symint import comes_late, is_open, numbers_of

FORMATS = {1: ("NCL", "NLC"), 2: ("NCHW", "NHWC"), 3: ("NCDHW", "NDHWC")}


def _are_integers(value, axes):
    """Whether nothing of a list is left to be checked or converted."""
    return isinstance(value, list | tuple) and len(value) == axes and {*map(type, value)} == {int}


def per_axis(value, axes, name):
    """One integer per spatial axis, from one for all of them, a list or a Tensor. Numbers that only a run of a
    captured program tells stay what they are.

    Args:
        name: Function and argument, "conv2d: stride", for the error.
    """
    if type(value) is int:
        return [value] * axes
    if _are_integers(value, axes):
        return list(value)
    if hasattr(value, "__index__") and not isinstance(value, _core.Tensor) and not getattr(value, "ndim", 0):
        return [value if is_open(value) else value.__index__()] * axes
    if isinstance(value, _core.Tensor):
        value = numbers_of(value)
        value = value if isinstance(value, list) else [value] * axes
    if not isinstance(value, list | tuple) or not all(hasattr(v, "__index__") for v in value):
        raise ValueError(f"{name} has value {value!r}; it must be an integer or a list of {axes} integers.")
    if len(value) != axes:
        raise ValueError(f"{name} has value {list(value)}; it must be an integer or a list of {axes} integers.")
    return [v if comes_late(v) else int(v) for v in value]


def rank_error(op, x, rank):
    """The sentence about an x that has not the axes of a batch of sequences, images or volumes."""
    axes = ", ".join(["N", *FORMATS[rank - 2][0][1:]])
    remedy = "; x.unsqueeze(0) makes it a batch of one" if x.ndim == rank - 1 else ""
    return f"{op}: x has shape {list(x.shape)}; it must have {rank} dimensions, such as [{axes}]{remedy}."


def channels_last(data_format, axes, op):
    """True for NLC, NHWC and NDHWC."""
    if data_format not in FORMATS[axes]:
        first, last = FORMATS[axes]
        raise ValueError(f"{op}: data_format has value {data_format!r}; it must be '{first}' or '{last}'.")
    return data_format == FORMATS[axes][1]


def _spatial_pairs(padding, last, op):
    spatial = padding[1:-1] if last else padding[2:]
    outer = [padding[0], padding[-1]] if last else padding[:2]
    if any(tuple(pair) != (0, 0) for pair in outer):
        raise ValueError(f"{op}: padding has value {padding}; the pairs of batch and channels must be [0, 0].")
    return [int(n) for pair in spatial for n in pair]


def paddings(padding, axes, last, op):
    """(one value per axis or a pair per axis, 'EXPLICIT', 'SAME' or 'VALID')."""
    if type(padding) is int and padding >= 0:
        return [padding] * axes, "EXPLICIT"
    if _are_integers(padding, axes) and min(padding) >= 0:
        return list(padding), "EXPLICIT"
    if isinstance(padding, str):
        if padding.upper() not in ("SAME", "VALID"):
            raise ValueError(f"{op}: padding has value {padding!r}; a string must be 'SAME' or 'VALID'.")
        return [0] * axes, padding.upper()
    if isinstance(padding, _core.Tensor):
        padding = numbers_of(padding)
        padding = padding if isinstance(padding, list) else [padding] * axes
    if hasattr(padding, "__index__"):
        given = [padding.__index__()] * axes
    elif isinstance(padding, list | tuple):
        given = list(padding)
        nested = [isinstance(p, list | tuple) for p in given]
        if len(given) == axes + 2 and all(nested) and all(len(p) == 2 for p in given):
            given = _spatial_pairs(given, last, op)
        elif any(nested) or len(given) not in (axes, 2 * axes) or not all(hasattr(p, "__index__") for p in given):
            raise ValueError(
                f"{op}: padding has value {padding}; give {axes} or {2 * axes} integers, or {axes + 2} pairs."
            )
        given = [p if comes_late(p) else int(p) for p in given]
    else:
        raise ValueError(f"{op}: padding has value {padding!r}; it must be an integer, a list or a string.")
    known = [p for p in given if not comes_late(p)]
    if any(p < 0 for p in known):
        raise ValueError(f"{op}: padding has value {padding}; no value may be negative.")
    if len(given) == 2 * axes == len(known) and given[::2] == given[1::2]:
        given = given[::2]
    return given, "EXPLICIT"


def flat_size(op, value, name):
    """A value of one axis as those of two, the first of extent 1: what works on lines as images of one row."""
    return [1, *per_axis(value, 1, f"{op}: {name}")]


def flat_padding(op, padding, last=False):
    """Padding of one axis as that of two, the first of extent 1."""
    pads, algorithm = paddings(padding, 1, last, op)
    if algorithm != "EXPLICIT":
        return algorithm
    return [0, pads[0]] if len(pads) == 1 else [0, 0, *pads]
