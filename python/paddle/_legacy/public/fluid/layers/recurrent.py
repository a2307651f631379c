# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Recurrent layers of padded sequences, and decoding."""

from ... import _core
from ... import nn as _nn
from ...framework.param_attr import ParamAttr
from ...nn.decode import BeamSearchDecoder as BeamSearchDecoder
from ...nn.decode import Decoder as Decoder
from ...nn.decode import dynamic_decode as dynamic_decode
from ...nn.layer import rnn_functions as _functions

ops = _core.ops


class RNNCell(_nn.RNNCellBase):
    """Base of cells: a subclass defines `call(inputs, states, **kwargs)`, which gives (outputs, new states)."""

    def call(self, inputs, states, **kwargs):
        """One step."""
        raise NotImplementedError(f"{type(self).__name__}: call is not defined; define it in the subclass.")

    def forward(self, inputs, states=None, **kwargs):
        """`call`."""
        return self.call(inputs, states, **kwargs)


class GRUCell(RNNCell):
    """A gated recurrent unit of one layer for both gates and one for the candidate.

    Its step, of x and h side by side: r, u = gate(W_g [x, h] + b_g); c = act(W_c [x, r h] + b_c);
    h = u h + (1 - u) c.

    Args:
        hidden_size: Number of outputs.
        param_attr: ParamAttr of the weights.
        bias_attr: ParamAttr of the biases.
        gate_activation: Function of the gates; None: sigmoid.
        activation: Function of the candidate; None: tanh.
        dtype: Dtype of the parameters.
        name: Prefix of their names.
    """

    def __init__(
        self,
        hidden_size,
        param_attr=None,
        bias_attr=None,
        gate_activation=None,
        activation=None,
        dtype="float32",
        name="GRUCell",
    ):
        super().__init__(name, dtype)
        self.hidden_size, self._attrs, self._kind = hidden_size, (param_attr, bias_attr), dtype
        self._gate, self._act = gate_activation or ops.sigmoid, activation or ops.tanh
        self._made = False

    def _layer(self, name, inputs, outputs, bias):
        weight_attr, bias_attr = (_part_of(attr, name) for attr in self._attrs)
        first = _nn.initializer.Constant(bias)
        self.add_parameter(f"{name}_weight", self.create_parameter([inputs, outputs], weight_attr, self._kind))
        made = self.create_parameter([outputs], bias_attr, self._kind, True, first)
        self.add_parameter(f"{name}_bias", made)

    def _apply(self, name, x):
        made = ops.matmul(x, getattr(self, f"{name}_weight"))
        bias = getattr(self, f"{name}_bias")
        return made if bias is None else made + bias

    def call(self, inputs, states):
        """One step: inputs [N, D], states [N, hidden_size]."""
        if not self._made:
            width = int(inputs.shape[-1]) + self.hidden_size
            self._layer("gate", width, 2 * self.hidden_size, 1.0)
            self._layer("candidate", width, self.hidden_size, 0.0)
            self._made = True
        gates = self._gate(self._apply("gate", ops.concat([inputs, states], 1)))
        reset, update = ops.split(gates, [self.hidden_size] * 2, 1)
        candidate = self._act(self._apply("candidate", ops.concat([inputs, reset * states], 1)))
        made = update * states + (1.0 - update) * candidate
        return made, made

    @property
    def state_shape(self):
        """The shape of a state without the batch."""
        return [self.hidden_size]


class LSTMCell(GRUCell):
    """Long short-term memory of one layer for all gates.

    Its step, of x and h side by side: i, j, f, o = W [x, h] + b; c = c gate(f + forget_bias) + gate(i) act(j);
    h = act(c) gate(o).

    Args:
        hidden_size: Number of outputs.
        param_attr: ParamAttr of the weights.
        bias_attr: ParamAttr of the bias.
        gate_activation: Function of the gates; None: sigmoid.
        activation: Function of the candidate and of the cell; None: tanh.
        forget_bias: Added to the forget gate.
        dtype: Dtype of the parameters.
        name: Prefix of their names.
    """

    def __init__(
        self,
        hidden_size,
        param_attr=None,
        bias_attr=None,
        gate_activation=None,
        activation=None,
        forget_bias=1.0,
        dtype="float32",
        name="LSTMCell",
    ):
        super().__init__(hidden_size, param_attr, bias_attr, gate_activation, activation, dtype, name)
        self._forget_bias = float(forget_bias)

    def call(self, inputs, states):
        """One step: inputs [N, D], states [h, c] of shape [N, hidden_size] each."""
        hidden, cell = states
        if not self._made:
            self._layer("gates", int(inputs.shape[-1]) + self.hidden_size, 4 * self.hidden_size, 0.0)
            self._made = True
        gates = self._apply("gates", ops.concat([inputs, hidden], -1))
        into, candidate, forget, output = ops.split(gates, [self.hidden_size] * 4, -1)
        cell = cell * self._gate(forget + self._forget_bias) + self._gate(into) * self._act(candidate)
        hidden = self._act(cell) * self._gate(output)
        return hidden, [hidden, cell]

    @property
    def state_shape(self):
        """The shapes of a state without the batch."""
        return [[self.hidden_size], [self.hidden_size]]


def _part_of(attr, name):
    """The ParamAttr of one of several parameters, its name being extended."""
    attr = ParamAttr._to_attr(attr)
    if not isinstance(attr, ParamAttr) or attr.name is None:
        return attr
    made = ParamAttr(**{**_settings(attr), "name": f"{attr.name}_{name}"})
    return made


def _settings(attr):
    names = ("initializer", "learning_rate", "regularizer", "trainable", "do_model_average", "need_clip")
    return {name: getattr(attr, name) for name in names if hasattr(attr, name)}


def rnn(cell, inputs, initial_states=None, sequence_length=None, time_major=False, is_reverse=False, **kwargs):
    """A cell along time.

    Args:
        cell: An RNNCell.
        inputs: Shape [N, T, ...], or [T, N, ...] with time_major.
        initial_states: First states; None: zeros.
        sequence_length: Lengths of shape [N]; None: all are whole.
        time_major: Whether the axis of time comes first.
        is_reverse: Whether it goes from the end.
        **kwargs: Given to every call of the cell.

    Returns:
        The outputs [N, T, ...] and the last states.
    """
    if initial_states is None:
        initial_states = cell.get_initial_states(inputs, batch_dim_idx=1 if time_major else 0)
    return _functions.rnn(cell, inputs, initial_states, sequence_length, time_major, is_reverse, **kwargs)


def birnn(cell_fw, cell_bw, inputs, initial_states=None, sequence_length=None, time_major=False, **kwargs):
    """Two cells along time, one from the end; their outputs side by side, and both last states."""
    states = initial_states or (None, None)
    there, last = rnn(cell_fw, inputs, states[0], sequence_length, time_major, False, **kwargs)
    back, first = rnn(cell_bw, inputs, states[1], sequence_length, time_major, True, **kwargs)
    return ops.concat([there, back], -1), (last, first)


def lstm(
    input,
    init_h,
    init_c,
    max_len,
    hidden_size,
    num_layers,
    dropout_prob=0.0,
    is_bidirec=False,
    is_test=False,
    name=None,
    default_initializer=None,
    seed=-1,
):
    """Layers of long short-term memory of sequences of one length: input [T, N, D].

    Args:
        input: Shape [T, N, D].
        init_h: Shape [layers * directions, N, hidden_size].
        init_c: The same of the cells.
        max_len: Not read.
        hidden_size: Number of outputs of a direction.
        num_layers: Number of layers.
        dropout_prob: Share of elements that are set to 0 between layers.
        is_bidirec: Whether there are two directions.
        is_test: Whether nothing is set to 0.
        name: Not read.
        default_initializer: Initializer of the weights.
        seed: Not read.

    Returns:
        The outputs [T, N, directions * hidden_size], the last outputs and the last cells.
    """
    attr = None if default_initializer is None else ParamAttr(initializer=default_initializer)
    layer = _nn.LSTM(
        int(input.shape[-1]),
        hidden_size,
        num_layers,
        "bidirect" if is_bidirec else "forward",
        time_major=True,
        dropout=0.0 if is_test else dropout_prob,
        weight_ih_attr=attr,
        weight_hh_attr=attr,
    )
    made, (hidden, cell) = layer(input, (init_h, init_c))
    return made, hidden, cell


__all__ = "BeamSearchDecoder Decoder GRUCell LSTMCell RNNCell birnn dynamic_decode lstm rnn".split()
