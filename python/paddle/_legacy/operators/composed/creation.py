# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Operators that make tensors of given values or of none."""

from .... import _core

ops = _core.ops

__all__ = [
    "copy_to",
    "empty",
    "empty_like",
    "full_batch_size_like",
    "full_int_array",
    "logspace",
    "memcpy_d2h",
    "memcpy_h2d",
    "npu_identity",
    "ones",
    "ones_like",
    "sequence_mask",
    "shape",
    "share_data",
    "share_data_",
    "uniform_random_batch_size_like",
    "zeros",
    "zeros_like",
]


def empty(shape, dtype=_core.float32, place=None):
    """A tensor of undetermined values."""
    from ....tensor import creation

    return creation.empty(shape, dtype, device=place)


def empty_like(x, dtype=None, place=None):
    """A tensor of the shape of x with undetermined values."""
    return empty(x.shape, x.dtype if dtype is None else dtype, place)


def full_int_array(value, dtype=_core.int64, place=None):
    """A vector of given integers."""
    from ....tensor import creation

    return creation.to_tensor(list(value), dtype, place)


def ones(shape, dtype=_core.float32, place=None):
    """A tensor of ones."""
    return ops.full(shape, 1, dtype, place)


def ones_like(x, dtype=None, place=None):
    """A tensor of the shape of x filled with one."""
    return ops.full_like(x, 1, dtype, place)


def zeros(shape, dtype=_core.float32, place=None):
    """A tensor of zeros."""
    return ops.full(shape, 0, dtype, place)


def zeros_like(x, dtype=None, place=None):
    """A tensor of the shape of x filled with zero."""
    return ops.full_like(x, 0, dtype, place)


def _batch_shape(input, shape, input_dim_idx, output_dim_idx):
    shape = list(shape)
    shape[output_dim_idx] = input.shape[input_dim_idx]
    return shape


def full_batch_size_like(input, shape, dtype, value, input_dim_idx, output_dim_idx, place=None):
    """A filled tensor, one of whose sizes is a size of input."""
    return ops.full(_batch_shape(input, shape, input_dim_idx, output_dim_idx), value, dtype, place)


def uniform_random_batch_size_like(
    input,
    shape,
    input_dim_idx=0,
    output_dim_idx=0,
    min=-1.0,
    max=1.0,
    seed=0,
    diag_num=0,
    diag_step=0,
    diag_val=1.0,
    dtype=_core.float32,
):
    """Uniform values in [min, max), in a shape one of whose sizes is a size of input."""
    if diag_num:
        raise NotImplementedError(f"uniform_random_batch_size_like: diag_num has value {diag_num}; it must be 0.")
    return ops.uniform(_batch_shape(input, shape, input_dim_idx, output_dim_idx), dtype, min, max, seed)


def logspace(start, stop, num, base, dtype, place=None):
    """base to the power of num values that lie evenly between start and stop."""
    from ....tensor import creation

    return creation.logspace(start, stop, num, base, dtype)


def shape(input):
    """The sizes of input, as int32."""
    return ops.cast(ops.shape64(input), _core.int32)


def sequence_mask(x, max_len, out_dtype):
    """Rows of x[i] ones, then zeros; max_len below zero is the largest of x."""
    from ....nn import functional as F

    if not isinstance(max_len, _core.Tensor) and max_len < 0:
        max_len = None
    return F.sequence_mask(x, max_len, out_dtype)


def share_data(x):
    """x on its own memory."""
    return x


share_data_ = share_data


def npu_identity(x, format=-1):
    """x; the format is one of a device's own layouts."""
    return x


def memcpy_d2h(x, dst_place_type):
    """A copy in the host's memory."""
    return x.cpu()


def memcpy_h2d(x, dst_place_type):
    """A copy in the memory of the current device."""
    from ....device import get_device

    return x.to(get_device())


def copy_to(x, place, blocking):
    """A copy on another place."""
    return x._copy_to(place, blocking)
