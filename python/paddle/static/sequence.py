# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions of tensors with boundaries of sequences. Programs have had no such tensors since PaddlePaddle 3.0: as
there, these functions refuse; masks and `paddle.nn.functional.sequence_mask` take their place."""


def _refused(name):
    return AssertionError(
        f"{name}: programs have no boundaries of sequences; pad the sequences and use their lengths "
        f"(paddle.nn.functional.sequence_mask)."
    )


def sequence_conv(
    input,
    num_filters,
    filter_size=3,
    filter_stride=1,
    padding=True,
    padding_start=None,
    bias_attr=None,
    param_attr=None,
    act=None,
    name=None,
):
    """Raises AssertionError."""
    raise _refused("sequence_conv")


def sequence_softmax(input, use_cudnn=False, name=None):
    """Raises AssertionError."""
    raise _refused("sequence_softmax")


def sequence_pool(input, pool_type, is_test=False, pad_value=0.0):
    """Raises AssertionError."""
    raise _refused("sequence_pool")


def sequence_first_step(input):
    """Raises AssertionError."""
    raise _refused("sequence_first_step")


def sequence_last_step(input):
    """Raises AssertionError."""
    raise _refused("sequence_last_step")


def sequence_expand(x, y, ref_level=-1, name=None):
    """Raises AssertionError."""
    raise _refused("sequence_expand")
