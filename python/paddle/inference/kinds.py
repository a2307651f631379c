# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Enumerations of the inference interface."""

import enum


class _Kind(enum.Enum):
    """Base of the enumerations; `name` and `value` can be looked at on the class too, as descriptors."""

    name = property(lambda self: self._name_, doc="The name of the member.")
    value = property(lambda self: self._value_, doc="The number of the member.")

    def __int__(self):
        return self.value

    __index__ = __int__


class DataType(_Kind):
    """Element types of inputs and outputs."""

    FLOAT64 = 7
    FLOAT32 = 0
    FLOAT16 = 5
    BFLOAT16 = 8
    INT64 = 1
    INT32 = 2
    UINT8 = 3
    INT8 = 4
    BOOL = 6


class PlaceType(_Kind):
    """Where a tensor lives."""

    UNK = -1
    CPU = 0
    GPU = 1
    XPU = 2
    CUSTOM = 4


class PrecisionType(_Kind):
    """Precision in which a model runs."""

    Float32 = 0
    Int8 = 1
    Half = 2
    Bfloat16 = 3


_BYTES = {"FLOAT64": 8, "INT64": 8, "FLOAT32": 4, "INT32": 4, "FLOAT16": 2, "BFLOAT16": 2}


def get_num_bytes_of_data_type(dtype):
    """Bytes of one element of a DataType."""
    return _BYTES.get(dtype.name, 1)
