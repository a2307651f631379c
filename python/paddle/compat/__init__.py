# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions with the arguments and results that PyTorch programs expect."""

from .. import _core, _lazy
from ..framework.symint import is_open
from .keywords import forbid
from .proxy import (
    disable_torch_proxy,
    enable_torch_proxy,
    extend_torch_proxy_blocked_modules,
    use_torch_proxy_guard,
)
from .reductions import equal, max, median, min, nanmedian, seed, slogdet, sort, unique

__all__ = [
    "equal",
    "max",
    "median",
    "min",
    "nanmedian",
    "seed",
    "slogdet",
    "sort",
    "split",
    "unique",
]

_PADDLE_NAMES = {"x", "num_or_sections", "axis", "name"}


def _split(tensor, split_size_or_sections, dim=0):
    """Cuts a tensor into parts of a size, or of given sizes.

    Args:
        tensor: The tensor.
        split_size_or_sections: Size of every part but a smaller last one, or the sizes of all parts.
        dim: The axis that is cut.

    Returns:
        A tuple of tensors.

    Raises:
        TypeError: A keyword of `paddle.split` is used, or the sizes are no integers.
        ValueError: The sizes do not add up to the extent of the axis.

    Example:
        >>> import paddle
        >>> [part.tolist() for part in paddle.compat.split(paddle.arange(5), 2)]
        [[0, 1], [2, 3], [4]]
    """
    rank = tensor.ndim
    if not -rank <= dim < rank:
        raise ValueError(f"(InvalidArgument) The dim is expected to be in range of [{-rank}, {rank}), but got {dim}")
    extent = tensor.shape[dim]
    if isinstance(split_size_or_sections, (list, tuple)):
        sections = [int(size) for size in split_size_or_sections]
    elif isinstance(split_size_or_sections, int):
        size = split_size_or_sections
        assert size > 0, f"split: split_size_or_sections must be greater than 0, got {size}."
        whole, rest = divmod(extent, size)
        sections = [size] * whole + [rest] * (rest > 0) or [0]
    else:
        raise TypeError(
            f"split: split_size_or_sections must be an int, a list or a tuple, got {type(split_size_or_sections)}."
        )
    if not is_open(extent) and (any(size < 0 for size in sections) or sum(sections) != extent):
        raise ValueError(f"split: sections {sections} must add up to the extent {extent} of axis {dim}.")
    if len(sections) == 1:
        return (tensor,)
    return tuple(_core.ops.split(tensor, sections, dim))


_split.__name__ = _split.__qualname__ = "split"
split = forbid(_split, "paddle.split", _PADDLE_NAMES)

__getattr__ = _lazy.attribute_hook(__name__, ("nn",), {})
