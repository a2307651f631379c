# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Layers that are often put together."""

from . import layers


def simple_img_conv_pool(
    input,
    num_filters,
    filter_size,
    pool_size,
    pool_stride,
    pool_padding=0,
    pool_type="max",
    global_pooling=False,
    conv_stride=1,
    conv_padding=0,
    conv_dilation=1,
    conv_groups=1,
    param_attr=None,
    bias_attr=None,
    act=None,
    use_cudnn=True,
):
    """A convolution and a pooling behind it."""
    sizes = (num_filters, filter_size, conv_stride, conv_padding, conv_dilation, conv_groups)
    made = layers.conv2d(input, *sizes, param_attr, bias_attr, use_cudnn, act)
    return layers.pool2d(made, pool_size, pool_type, pool_stride, pool_padding, global_pooling)


def img_conv_group(
    input,
    conv_num_filter,
    pool_size,
    conv_padding=1,
    conv_filter_size=3,
    conv_act=None,
    param_attr=None,
    conv_with_batchnorm=False,
    conv_batchnorm_drop_rate=0.0,
    pool_stride=1,
    pool_type="max",
    use_cudnn=True,
):
    """Convolutions, each with a batch normalisation and a dropout behind it where they are asked for, and a pooling."""

    def each(value):
        return list(value) if isinstance(value, (list, tuple)) else [value] * len(conv_num_filter)

    made = input
    rows = zip(
        conv_num_filter,
        each(conv_filter_size),
        each(conv_padding),
        each(param_attr),
        each(conv_with_batchnorm),
        each(conv_batchnorm_drop_rate),
        strict=True,
    )
    for count, size, padding, attr, normalised, rate in rows:
        act = None if normalised else conv_act
        made = layers.conv2d(made, count, size, padding=padding, param_attr=attr, act=act)
        if normalised:
            made = layers.batch_norm(made, act=conv_act)
            if abs(rate) > 1e-5:
                made = layers.dropout(made, rate)
    return layers.pool2d(made, pool_size, pool_type, pool_stride)


def sequence_conv_pool(
    input, num_filters, filter_size, param_attr=None, act="sigmoid", pool_type="max", bias_attr=None
):
    """A convolution of sequences and one row of each behind it."""
    made = layers.sequence_conv(input, num_filters, filter_size, param_attr=param_attr, bias_attr=bias_attr, act=act)
    return layers.sequence_pool(made, pool_type)


def glu(input, dim=-1):
    """The first half of an axis times the sigmoid of the second."""
    first, second = layers.split(input, 2, dim)
    return first * layers.sigmoid(second)


def scaled_dot_product_attention(queries, keys, values, num_heads=1, dropout_rate=0.0):
    """softmax(Q K^T / sqrt(d)) V of each head: shapes [N, T, D]."""
    if int(queries.shape[-1]) % num_heads or int(values.shape[-1]) % num_heads:
        raise ValueError(
            f"scaled_dot_product_attention: queries have {queries.shape[-1]} and values {values.shape[-1]} places; both must "
            f"be multiples of num_heads, {num_heads}."
        )

    def heads(x):
        if num_heads == 1:
            return x
        return layers.transpose(layers.reshape(x, [0, 0, num_heads, int(x.shape[-1]) // num_heads]), [0, 2, 1, 3])

    q, k, v = heads(queries), heads(keys), heads(values)
    weights = layers.softmax(layers.matmul(q * int(q.shape[-1]) ** -0.5, k, transpose_y=True))
    if dropout_rate:
        weights = layers.dropout(weights, dropout_rate, is_test=False)
    made = layers.matmul(weights, v)
    if num_heads == 1:
        return made
    return layers.reshape(layers.transpose(made, [0, 2, 1, 3]), [0, 0, int(values.shape[-1])])


__all__ = ["glu", "img_conv_group", "scaled_dot_product_attention", "sequence_conv_pool", "simple_img_conv_pool"]
