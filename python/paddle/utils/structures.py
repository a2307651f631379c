# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What operators and control flow ask of shapes and nested structures, for code written against PaddlePaddle."""

from .. import _core
from ..framework.modes import recording_program
from .nesting import map_structure

Tensor = _core.Tensor


def convert_shape_to_list(shape):
    """A shape as a list of ints, from a list or tuple of ints and Tensors, or from one Tensor."""
    if isinstance(shape, (list, tuple)):
        return [entry.item() if isinstance(entry, Tensor) else entry for entry in shape]
    return [int(n) for n in shape.tolist()]


def check_shape(shape):
    """Raise unless the entries of a list or tuple are non-negative integers or Tensors."""
    if isinstance(shape, Tensor):
        if recording_program() is not None and shape.dtype.name not in ("int32", "int64"):
            raise TypeError(f"check_shape: shape has dtype {shape.dtype.name}; it must be int32 or int64.")
        return
    if not isinstance(shape, (list, tuple)):
        return
    for entry in shape:
        if isinstance(entry, Tensor):
            continue
        if not hasattr(entry, "__index__"):
            raise TypeError(f"check_shape: shape has the entry {entry!r}; all entries must be integers.")
        if entry < 0:
            raise ValueError(f"check_shape: shape has the entry {entry}; all entries must be positive.")


def try_get_constant_shape_from_tensor(shape_tensor):
    """The extents that a Tensor made by `paddle.shape` of a recorded program holds, -1 where they are not known; None
    for any other Tensor."""
    op = shape_tensor.get_defining_op() if recording_program() is not None else None
    if op is None or op.name() not in ("pd_op.shape", "pd_op.shape64"):
        return None
    return list(op.operand_source(0).shape)


def get_int_tensor_list(ele_list, default_dtype="int64"):
    """A list of ints and Tensors as Tensors without axes, of an integer dtype."""
    made = []
    for entry in ele_list:
        if isinstance(entry, Tensor):
            entry.stop_gradient = True
            made.append(entry if entry.dtype.name == default_dtype else entry.astype(default_dtype))
        else:
            made.append(_core.ops.full([], entry, getattr(_core, default_dtype)))
    return made


def hold_mutable_vars(structure):
    """Whether an entry of a list or tuple is a list, tuple or dict itself."""
    return any(isinstance(entry, (list, tuple, dict)) for entry in structure)


def copy_mutable_vars(structure):
    """A copy of nested lists, tuples and dicts that shares only the leaves."""
    return map_structure(lambda leaf: leaf, structure)


def padding_to_same_structure(nest1, nest2, obj=None):
    """Both nested structures with `obj` where they hold None.

    Args:
        nest1, nest2: Structures of lists, tuples and dicts.
        obj: What takes the place of None.
    """

    def pad(leaf):
        return obj if leaf is None else leaf

    return map_structure(pad, nest1), map_structure(pad, nest2)


def get_shape_tensor_inputs(inputs, attrs, shape, op_type):
    """Fill in the inputs and attributes that give an operator of PaddlePaddle 2 its shape.

    Args:
        inputs: Dict of inputs; gets 'ShapeTensor' for a Tensor, 'ShapeTensorList' for a list that holds some.
        attrs: Dict of attributes; gets 'shape' for a list, with -1 where an entry is a Tensor.
        shape: A Tensor, or a list or tuple of ints and Tensors.
        op_type: The operator, for messages.

    Raises:
        TypeError: `shape` is neither.
    """
    if isinstance(shape, Tensor):
        inputs["ShapeTensor"] = shape.astype("int32") if shape.dtype.name == "int64" else shape
        return
    if not isinstance(shape, (list, tuple)):
        raise TypeError(f"{op_type}: shape has type {type(shape).__name__}; it must be a Tensor, a list or a tuple.")
    attrs["shape"] = [-1 if isinstance(entry, Tensor) else entry for entry in shape]
    if -1 in attrs["shape"] and any(isinstance(entry, Tensor) for entry in shape):
        inputs["ShapeTensorList"] = get_int_tensor_list(shape, "int32")


def get_inputs_outputs_in_block(block):
    """Names of what a branch or body of a loop reads from outside, and of what it gives, as two sets.

    Raises:
        AssertionError: `block` is no Block, or the outermost one.
    """
    from ..static.block import Block

    if not isinstance(block, Block) or block.idx == 0:
        raise AssertionError(f"get_inputs_outputs_in_block: block is {block!r}; pass the block of a branch or loop.")
    read, given = set(), set()
    for operator in block.ops:
        read.update(name for name in operator.input_arg_names if name not in given)
        given.update(operator.output_arg_names)
    return read, given
