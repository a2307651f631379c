# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Which operators of static programs run in 16 bits, and the dtypes that may be."""

from ... import _core


def __getattr__(name):
    if name == "FP16_WHITE_LIST":
        return _get_white_list("float16")
    if name == "FP16_BLACK_LIST":
        return _get_black_list()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _get_white_list(dtype):
    from ... import amp

    return set(amp.white_list()[check_amp_dtype(dtype)]["O1"])


def _get_black_list():
    from ... import amp

    return set(amp.black_list()["float16"]["O1"])


def check_amp_dtype(dtype):
    """The name of a 16-bit dtype.

    Raises:
        ValueError: It is another one.
    """
    name = getattr(dtype, "name", dtype)
    if name not in ("float16", "bfloat16"):
        raise ValueError(f"static.amp: dtype has value {dtype!r}; it must be 'float16' or 'bfloat16'.")
    return name


get_low_precision_dtypestr = check_amp_dtype


def get_low_precision_vartype(dtype):
    """The 16-bit dtype of a name.

    Raises:
        ValueError: It is another one.
    """
    return getattr(_core, check_amp_dtype(dtype))


class AutoMixedPrecisionLists:
    """Names of operators that run in 16 bits, in float32, or in what they are given.

    Args:
        custom_white_list: Names to add to those that run in 16 bits.
        custom_black_list: Names to add to those that run in float32.
        custom_black_varnames: Names of variables whose operators run in float32.
        dtype: 'float16' or 'bfloat16'.

    Raises:
        ValueError: A name is in both lists.
    """

    def __init__(self, custom_white_list=None, custom_black_list=None, custom_black_varnames=None, dtype="float16"):
        white, black = set(custom_white_list or ()), set(custom_black_list or ())
        if white & black:
            raise ValueError(
                f"AutoMixedPrecisionLists: {sorted(white & black)} are in both lists; name each operator in one of them."
            )
        self.amp_dtype = check_amp_dtype(dtype)
        self.white_list = (_get_white_list(dtype) | white) - black
        self.black_list = (_get_black_list() | black) - white
        self.gray_list, self.unsupported_list = set(), set()
        self.black_varnames = custom_black_varnames
