# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Messages of program files: bytes, fields, copies, errors."""

import pytest
from paddle.base.proto import framework_pb2 as messages
from paddle.base.proto.wire import DecodeError, EncodeError


def operator():
    made = messages.OpDesc(type="scale")
    made.inputs.add(parameter="X", arguments=["a", "b"])
    made.attrs.add(name="axis", type=messages.INT, i=-1)
    made.attrs.add(name="factor", type=messages.AttrType.FLOAT, f=0.1)
    made.attrs.add(name="sizes", type=messages.LONGS).longs.extend([1, -(1 << 40)])
    return made


def test_bytes():
    made = operator()
    # by hand: 3 type; 1 inputs {1 parameter, 2 arguments}; 4 attrs {1 name, 2 type, 3 i | 4 f | 15 longs}
    expected = (
        b"\x0a\x09\x0a\x01X\x12\x01a\x12\x01b\x1a\x05scale"
        b"\x22\x13\x0a\x04axis\x10\x00\x18\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"
        b"\x22\x0f\x0a\x06factor\x10\x01\x25\xcd\xcc\xcc\x3d"
        b"\x22\x16\x0a\x05sizes\x10\x0b\x78\x01\x78\x80\x80\x80\x80\x80\xe0\xff\xff\xff\x01"
    )
    assert made.SerializeToString() == expected and made.ByteSize() == len(expected)
    again = messages.OpDesc.FromString(expected)
    assert again == made and again.attrs[2].longs == [1, -(1 << 40)] and abs(again.attrs[1].f - 0.1) < 1e-8
    assert 'arguments: "b"' in str(again)


def test_fields():
    made = messages.VarDesc()
    assert not made.HasField("type") and made.type.dense_tensor.tensor.dims == []
    assert not made.HasField("type")
    made.type.dense_tensor.tensor.data_type = messages.VarType.FP32
    assert made.HasField("type") and made.type.HasField("dense_tensor") and messages.VarType.Type.Name(5) == "FP32"
    with pytest.raises(EncodeError, match="name"):
        made.SerializeToString()
    with pytest.raises(AttributeError):
        made.no_such = 1
    with pytest.raises(TypeError):
        made.name = 3


def test_copies_are_independent():
    program = messages.ProgramDesc()
    block = program.blocks.add(idx=0, parent_idx=-1)
    block.ops.extend([operator()])
    copy = messages.ProgramDesc()
    copy.CopyFrom(program)
    copy.blocks[0].ops[0].type = "other"
    assert block.ops[0].type == "scale" and block.forward_block_idx == -1
    copy.MergeFrom(program)
    assert len(copy.blocks) == 2


def test_bytes_that_are_no_message():
    for data in (b"\x0a\x09\x0a", b"\xff", b"\x0b", b"\x0a\xff\xff\xff\xff\x0f"):
        with pytest.raises(DecodeError):
            messages.OpDesc.FromString(data)
