# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Layers that were contributed."""

from ...nn.functional._by_name import activated
from ...static.metric import ctr_metric_bundle
from .. import absent
from ..layers.recurrent import _part_of


def fused_elemwise_activation(x, y, functor_list, axis=-1, scale=0.0, save_intermediate_out=True):
    """Two functions in turn, as ['elementwise_add', 'relu'] or ['relu', 'elementwise_add'].

    Args:
        x: A tensor.
        y: A tensor.
        functor_list: Names; one of them is 'elementwise_add' or 'elementwise_mul'.
        axis: Where the axes of y begin below those of x.
        scale: Factor of 'scale'.
        save_intermediate_out: Kept.
    """
    from .. import layers

    def unary(name, value):
        return layers.scale(value, scale) if name == "scale" else activated(value, name)

    first, second = functor_list
    if first.startswith("elementwise"):
        return getattr(layers, first)(x, unary(second, y), axis=axis)
    return unary(first, getattr(layers, second)(x, y, axis=axis))


def basic_lstm(
    input,
    init_hidden,
    init_cell,
    hidden_size,
    num_layers=1,
    sequence_length=None,
    dropout_prob=0.0,
    bidirectional=False,
    batch_first=True,
    param_attr=None,
    bias_attr=None,
    gate_activation=None,
    activation=None,
    forget_bias=1.0,
    dtype="float32",
    name="basic_lstm",
):
    """Layers of long short-term memory over padded sequences, of `fluid.layers.LSTMCell`s.

    Args:
        input: Shape [N, T, D], or [T, N, D] without batch_first.
        init_hidden: First outputs, of shape [layers * directions, N, hidden_size]; None: zeros.
        init_cell: First cells of the same shape.
        hidden_size: Number of outputs of a direction.
        num_layers: Number of layers.
        sequence_length: Lengths of shape [N].
        dropout_prob: Share of elements that are set to 0 between layers.
        bidirectional: Whether there are two directions.
        batch_first: Whether the axis of the batch comes first.

    Returns:
        The outputs, and the last outputs and cells of shape [layers * directions, N, hidden_size].
    """
    from .. import layers

    directions = 2 if bidirectional else 1
    given, hiddens, cells = input, [], []
    for layer in range(num_layers):
        if layer and dropout_prob:
            given = layers.dropout(given, dropout_prob, dropout_implementation="upscale_in_train")
        parts = []
        for back in range(directions):
            end = f"{'reverse' if back else 'fw'}_{{}}_{layer}"
            attrs = (_part_of(param_attr, end.format("w")), _part_of(bias_attr, end.format("b")))
            settings = (*attrs, gate_activation, activation, forget_bias, dtype)
            cell = layers.LSTMCell(hidden_size, *settings, name=f"{name}_{layer}_{back}")
            at = layer * directions + back
            first = None if init_hidden is None else [init_hidden[at], init_cell[at]]
            out, (hidden, state) = layers.rnn(cell, given, first, sequence_length, not batch_first, bool(back))
            parts.append(out)
            hiddens.append(hidden)
            cells.append(state)
        given = parts[0] if directions == 1 else layers.concat(parts, -1)
    return given, layers.stack(hiddens), layers.stack(cells)


def __getattr__(name):
    raise absent.error(__name__, name)


__all__ = ["basic_lstm", "ctr_metric_bundle", "fused_elemwise_activation"]
