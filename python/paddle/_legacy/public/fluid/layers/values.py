# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions that make tensors."""

from ... import _core
from ... import arange as _arange
from ... import linspace as _linspace
from ... import shape as _extents
from ...framework.dtypes import convert
from ...framework.modes import in_dynamic_mode
from ...static.state import create_global_var as _create_global_var
from ...tensor.creation import assign as _assign
from ...tensor.random import gaussian as _gaussian
from ...tensor.random import uniform as _uniform
from ..operators import of_rank_one, set_offsets

ops = _core.ops


def fill_constant(shape, dtype, value, force_cpu=False, out=None, name=None):
    """A tensor of one value.

    Args:
        shape: Integers or tensors of one element, or a vector of integers.
        dtype: Its dtype.
        value: A number, or a tensor of one element.
        force_cpu: Not read.
        out: A tensor that takes it.
        name: Not read.

    Example:
        >>> from paddle import fluid
        >>> fluid.layers.fill_constant([2], "float32", 0.5).tolist()
        [0.5, 0.5]
    """
    from ... import full

    made = full(shape, value, dtype)
    if out is None:
        return made
    return _assign(made, out)


def _shape_like(input, shape, input_dim_idx, output_dim_idx):
    """The shape, one extent being that of another tensor."""
    extent = input.shape[input_dim_idx]
    if type(extent) is not int:
        extent = _extents(input)[input_dim_idx]
    return [extent if i == output_dim_idx else int(n) for i, n in enumerate(shape)]


def fill_constant_batch_size_like(input, shape, dtype, value, input_dim_idx=0, output_dim_idx=0, force_cpu=False):
    """A tensor of one value whose extent `output_dim_idx` is the extent `input_dim_idx` of another tensor."""
    made = fill_constant(_shape_like(input, shape, input_dim_idx, output_dim_idx), dtype, value)
    return set_offsets(made, [])


def uniform_random_batch_size_like(
    input, shape, dtype="float32", input_dim_idx=0, output_dim_idx=0, min=-1.0, max=1.0, seed=0
):
    """Random numbers between `min` and `max`, one extent being that of another tensor."""
    return _uniform(_shape_like(input, shape, input_dim_idx, output_dim_idx), dtype, min, max, seed)


def gaussian_random_batch_size_like(
    input, shape, input_dim_idx=0, output_dim_idx=0, mean=0.0, std=1.0, seed=0, dtype="float32"
):
    """Random numbers of a normal distribution, one extent being that of another tensor."""
    return _gaussian(_shape_like(input, shape, input_dim_idx, output_dim_idx), mean, std, seed, dtype)


def gaussian_random(shape, mean=0.0, std=1.0, seed=0, dtype="float32", name=None):
    """Random numbers of a normal distribution."""
    return _gaussian(shape, mean, std, seed, dtype)


def uniform_random(shape, dtype="float32", min=-1.0, max=1.0, seed=0, name=None):
    """Random numbers, all between `min` and `max` having the same chance."""
    return _uniform(shape, dtype, min, max, seed)


def sampling_id(x, min=0.0, max=1.0, seed=0, dtype="float32"):
    """A column for each row, drawn with the probabilities of the row; int64 of shape [N]."""
    drawn = _uniform([x.shape[0] if type(x.shape[0]) is int else _extents(x)[0], 1], x.dtype, min, max, seed)
    before = ops.cast(ops.cumsum(x, -1, False, False, False) < drawn, _core.int64).sum(-1)
    return ops.minimum(before, ops.full([], int(x.shape[-1]) - 1, _core.int64))


def ones(shape, dtype, force_cpu=False):
    """Ones."""
    return fill_constant(shape, dtype, 1)


def zeros(shape, dtype, force_cpu=False, name=None):
    """Zeros."""
    return fill_constant(shape, dtype, 0)


def ones_like(x, out=None):
    """Ones of the shape and dtype of x."""
    made = ops.full_like(x, 1)
    return made if out is None else _assign(made, out)


def zeros_like(x, out=None):
    """Zeros of the shape and dtype of x."""
    made = ops.full_like(x, 0)
    return made if out is None else _assign(made, out)


def cast(x, dtype):
    """x in another dtype."""
    return ops.cast(x, convert(dtype))


def assign(input, output=None):
    """A copy of a tensor, an array or a number; `output` takes it where it is given."""
    return of_rank_one(_assign(input, output))


def range(start, end, step, dtype, name=None):
    """start, start + step, ... up to before end."""
    return _arange(start, end, step, dtype)


def linspace(start, stop, num, dtype=None, name=None):
    """`num` numbers at equal distances from start to stop."""
    return _linspace(start, stop, num, dtype or "float32")


def eye(num_rows, num_columns=None, batch_shape=None, dtype="float32", name=None):
    """A matrix with ones where row and column are equal, repeated in the shape `batch_shape`."""
    made = ops.eye(num_rows, num_columns or num_rows, convert(dtype))
    if batch_shape:
        from ... import tile

        made = tile(made, [*batch_shape, 1, 1])
    return made


def diag(diagonal):
    """A matrix with a vector on its diagonal."""
    from ... import diag

    return diag(diagonal)


def triu(input, diagonal=0, name=None):
    """The upper triangle of matrices."""
    return ops.triu(input, diagonal)


def increment(x, value=1.0, in_place=True):
    """x plus a number, x taking it unless `in_place` is False."""
    from ... import increment

    return increment(x, value) if in_place else x + value


def create_tensor(dtype, name=None, persistable=False):
    """A variable that a later `assign` gives its value."""
    if in_dynamic_mode():
        made = ops.full([0], 0, convert(dtype))
    else:
        from ...static.program import default_main_program

        return default_main_program().global_block().create_var(name=name, dtype=dtype, persistable=persistable)
    if name is not None:
        made.name = name
    return made


def create_global_var(shape, value, dtype, persistable=False, force_cpu=False, name=None):
    """State of a program, of one value; see `paddle.static.create_global_var`."""
    return _create_global_var(shape, value, dtype, persistable, force_cpu, name)


def tensor_array_to_tensor(input, axis=1, name=None, use_stack=False):
    """The tensors of an array joined along an axis, or with `use_stack` stacked, and their extents there (int32)."""
    parts = list(input)
    extents = [1 if use_stack else int(p.shape[axis]) for p in parts]
    made = ops.stack(parts, axis) if use_stack else ops.concat(parts, axis)
    return made, _core.to_tensor(extents, dtype="int32")


def merge_selected_rows(x, name=None):
    """x: gradients of tables are dense in paddle, so there is nothing to merge."""
    return x


def get_tensor_from_selected_rows(x, name=None):
    """x: gradients of tables are dense in paddle."""
    return x


__all__ = (
    "assign cast create_global_var create_tensor diag eye fill_constant fill_constant_batch_size_like gaussian_random "
    "gaussian_random_batch_size_like get_tensor_from_selected_rows increment linspace merge_selected_rows ones ones_like range "
    "sampling_id tensor_array_to_tensor triu uniform_random uniform_random_batch_size_like zeros zeros_like"
).split()
