# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`VarDesc.VarType`: what the variables of a saved program hold."""

import enum

from .. import _core


class _Kind(enum.IntEnum):
    """What a variable of a saved program holds, where that is not the elements of a tensor."""

    DENSE_TENSOR = 7
    SELECTED_ROWS = 8
    FEED_MINIBATCH = 9
    FETCH_LIST = 10
    STEP_SCOPES = 11
    DENSE_TENSOR_ARRAY = 13
    PLACE_LIST = 14
    READER = 15
    RAW = 17
    STRING = 25
    STRINGS = 26
    VOCAB = 27
    SPARSE_COO = 30

    def __str__(self):
        return f"VarType.{self.name}"


class VarDesc:
    """Home of `VarType`."""

    class VarType:
        """Dtypes by the names of saved programs (they are the dtypes themselves), and kinds of variables."""

        BOOL = _core.bool
        UINT8 = _core.uint8
        INT8 = _core.int8
        INT16 = _core.int16
        INT32 = _core.int32
        INT64 = _core.int64
        FP16 = _core.float16
        BF16 = _core.bfloat16
        FP32 = _core.float32
        FP64 = _core.float64
        COMPLEX64 = _core.complex64
        COMPLEX128 = _core.complex128
        FP8_E4M3FN = _core.float8_e4m3fn
        FP8_E5M2 = _core.float8_e5m2
        LOD_TENSOR, LOD_TENSOR_ARRAY = _Kind.DENSE_TENSOR, _Kind.DENSE_TENSOR_ARRAY


for _kind in _Kind:
    setattr(VarDesc.VarType, _kind.name, _kind)
# Variables have the dtypes of tensors: each stands for itself.
vartype_to_datatype = {value: value for value in vars(VarDesc.VarType).values() if isinstance(value, _core.DType)}
datatype_to_vartype = dict(vartype_to_datatype)
