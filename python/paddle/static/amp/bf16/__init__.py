# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Mixed precision with bfloat16 in static programs."""

from .... import _paths
from ...program import name_scope
from ..lists import _get_black_list, _get_white_list


def bf16_guard():
    """Context manager: marks calls that may run in bfloat16."""
    return name_scope("__use_bf16__")


class AutoMixedPrecisionListsBF16:
    """Names of operators that run in bfloat16, in float32, or in what they are given.

    Args:
        custom_bf16_list: Names to add to those that run in bfloat16.
        custom_fp32_list: Names to add to those that run in float32.
        custom_fp32_varnames: Names of variables whose operators run in float32.

    Raises:
        ValueError: A name is in both lists.
    """

    def __init__(self, custom_bf16_list=None, custom_fp32_list=None, custom_fp32_varnames=None):
        low, full = set(custom_bf16_list or ()), set(custom_fp32_list or ())
        if low & full:
            raise ValueError(
                f"AutoMixedPrecisionListsBF16: {sorted(low & full)} are in both lists; name each operator in one of "
                f"them."
            )
        self.bf16_list = (_get_white_list("bfloat16") | low) - full
        self.fp32_list = (_get_black_list() | full) - low
        self.gray_list, self.unsupported_list = set(), set()
        self.bf16_initializer_list = {"fill_constant", "uniform_random"}
        self.fp32_varnames = custom_fp32_varnames


def convert_float_to_uint16(in_list):
    """The bits of the bfloat16 numbers that float32 numbers round to.

    Args:
        in_list: An array or a list of numbers.

    Returns:
        A uint16 array of the same shape.

    Example:
        >>> import paddle
        >>> paddle.static.amp.bf16.convert_float_to_uint16([1.5]).tolist()
        [16320]
    """
    import numpy

    from .... import _core
    from ....framework import modes

    array = numpy.asarray(in_list, dtype="float32")
    with modes.eager_region():
        bits = _core.ops.cast(_core.to_tensor(array), _core.bfloat16).numpy()
    return bits.view(numpy.uint16).reshape(array.shape)


def decorate_bf16(optimizer, amp_lists=None, use_pure_bf16=False, use_bf16_guard=None):
    """The optimizer for a program in bfloat16, which needs no loss scaling.

    Args:
        optimizer: An optimizer.
        amp_lists: AutoMixedPrecisionListsBF16.
        use_pure_bf16: Whether all that can runs in bfloat16.
        use_bf16_guard: Kept for older programs.
    """
    from .. import decorate

    level = "O2" if use_pure_bf16 else "O1"
    return decorate(optimizer, amp_lists or AutoMixedPrecisionListsBF16(), level, "bfloat16", init_loss_scaling=1.0)


_paths.attach(__name__)
