# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Messages of `.pdmodel` files and descriptions of operators: `ProgramDesc`, `OpDesc`, `OpProto`, ..."""

from ...framework.protobuf_wire import Enum, message_class

AttrType = Enum(
    INT=0,
    FLOAT=1,
    STRING=2,
    INTS=3,
    FLOATS=4,
    STRINGS=5,
    BOOLEAN=6,
    BOOLEANS=7,
    BLOCK=8,
    LONG=9,
    BLOCKS=10,
    LONGS=11,
    FLOAT64S=12,
    VAR=13,
    VARS=14,
    FLOAT64=15,
    SCALAR=16,
    SCALARS=17,
)
globals().update(AttrType.items())

_KINDS = {}


def _message(name, fields, key=None, **members):
    made = message_class(name, fields, __name__, _KINDS, **members)
    _KINDS[key or name] = made
    return made


Version = _message("Version", "1:version:int64=0")
Complex = _message("Complex", "1:r!:double 2:i!:double")
Scalar = _message(
    "Scalar",
    "1:type!:Type 2:b:bool 3:i:int64 4:r:double 5:c:Complex",
    Type=Enum(BOOLEAN=1, LONG=2, FLOAT64=3, COMPLEX128=4),
)
_attribute = (
    "1:name!:string 2:type!:AttrType 3:i:int32 4:f:float 5:s:string 6:ints*:int32 7:floats*:float 8:strings*:string "
    "10:b:bool 11:bools*:bool 12:block_idx:int32 13:l:int64 14:blocks_idx*:int32 15:longs*:int64 16:float64s*:double "
    "17:var_name:string 18:vars_name*:string 19:float64:double 20:scalar:Scalar 21:scalars*:Scalar"
)
OpDesc = _message(
    "OpDesc",
    "3:type!:string 1:inputs*:OpDesc.Var 2:outputs*:OpDesc.Var 4:attrs*:OpDesc.Attr 5:is_target:bool=false",
    Attr=_message("Attr", _attribute, "OpDesc.Attr"),
    Var=_message("Var", "1:parameter!:string 2:arguments*:string", "OpDesc.Var"),
)
OpProto = _message(
    "OpProto",
    "1:type!:string 2:inputs*:OpProto.Var 3:outputs*:OpProto.Var 4:attrs*:OpProto.Attr 5:comment!:string",
    Attr=_message(
        "Attr",
        "1:name!:string 2:type!:AttrType 3:comment!:string 4:generated:bool=false 5:extra:bool=false "
        "6:quant:bool=false 7:support_tensor:bool=false",
        "OpProto.Attr",
    ),
    Var=_message(
        "Var",
        "1:name!:string 2:comment!:string 3:duplicable:bool=false 4:intermediate:bool=false 5:dispensable:bool=false "
        "6:extra:bool=false 7:quant:bool=false",
        "OpProto.Var",
    ),
)
_variable_kinds = Enum(
    BOOL=0,
    INT16=1,
    INT32=2,
    INT64=3,
    FP16=4,
    FP32=5,
    FP64=6,
    SIZE_T=19,
    UINT8=20,
    INT8=21,
    BF16=22,
    COMPLEX64=23,
    COMPLEX128=24,
    FP8_E4M3FN=32,
    FP8_E5M2=33,
    UINT16=36,
    UINT32=37,
    UINT64=38,
    DENSE_TENSOR=7,
    SELECTED_ROWS=8,
    FEED_MINIBATCH=9,
    FETCH_LIST=10,
    STEP_SCOPES=11,
    LOD_RANK_TABLE=12,
    DENSE_TENSOR_ARRAY=13,
    PLACE_LIST=14,
    READER=15,
    RAW=17,
    TUPLE=18,
    STRING=25,
    STRINGS=26,
    VOCAB=27,
    FEED_LIST=28,
    PSTRING=29,
    SPARSE_COO=30,
    SPARSE_CSR=31,
)
_members = {
    "TensorDesc": _message("TensorDesc", "1:data_type!:Type 2:dims*:int64"),
    "DenseTensorDesc": _message("DenseTensorDesc", "1:tensor!:TensorDesc 2:legacy_lod_level:int32=0"),
    "DenseTensorArrayDesc": _message("DenseTensorArrayDesc", "1:tensor!:TensorDesc 2:legacy_lod_level:int32=0"),
    "ReaderDesc": _message("ReaderDesc", "1:dense_tensor*:DenseTensorDesc"),
    "Tuple": _message("Tuple", "1:element_type*:Type"),
}
VarType = _message(
    "VarType",
    "1:type!:Type 2:selected_rows:TensorDesc 3:dense_tensor:DenseTensorDesc 4:tensor_array:DenseTensorArrayDesc "
    "5:reader:ReaderDesc 7:tuple:Tuple 8:string:TensorDesc 9:strings:TensorDesc 10:vocab:TensorDesc "
    "11:sparse_coo:TensorDesc 12:sparse_csr:TensorDesc",
    Type=_variable_kinds,
    **_members,
)
VarDesc = _message(
    "VarDesc",
    "1:name!:string 2:type!:VarType 3:persistable:bool=false 4:need_check_feed:bool=false 5:is_parameter:bool=false "
    "6:stop_gradient:bool=false 7:attrs*:VarDesc.Attr",
    Attr=_message("Attr", "1:name!:string 2:type!:AttrType 3:i:int32 4:s:string 5:ints*:int32", "VarDesc.Attr"),
)
BlockDesc = _message(
    "BlockDesc",
    "1:idx!:int32 2:parent_idx!:int32 3:vars*:VarDesc 4:ops*:OpDesc 5:forward_block_idx:int32=-1",
)
OpVersion = _message("OpVersion", "1:version!:int32")
OpVersionMap = _message(
    "OpVersionMap",
    "1:pair*:OpVersionPair",
    OpVersionPair=_message("OpVersionPair", "1:op_name!:string 2:op_version!:OpVersion"),
)
ProgramDesc = _message("ProgramDesc", "1:blocks*:BlockDesc 4:version:Version 5:op_version_map:OpVersionMap")
