# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Cells as layers: `LSTMCell(hidden_size, input_size)`, `GRUCell(hidden_size, input_size)`."""

from ... import nn as _nn


class LSTMCell(_nn.Layer):
    """One step of long short-term memory: (input, hidden, cell) to (hidden, cell).

    Args:
        hidden_size: Number of outputs.
        input_size: Number of inputs.
        param_attr: ParamAttr of the weights.
        bias_attr: ParamAttr of the biases.
        gate_activation: Kept: sigmoid.
        activation: Kept: tanh.
        forget_bias: Kept where use_cudnn_impl is True: 0.
        use_cudnn_impl: True.
        dtype: Dtype of the parameters.

    Raises:
        NotImplementedError: Another activation, or use_cudnn_impl is False.
    """

    def __init__(
        self,
        hidden_size,
        input_size,
        param_attr=None,
        bias_attr=None,
        gate_activation=None,
        activation=None,
        forget_bias=1.0,
        use_cudnn_impl=True,
        dtype="float64",
    ):
        super().__init__()
        _refuse("LSTMCell", gate_activation, activation, use_cudnn_impl)
        attrs = {"weight_ih_attr": param_attr, "weight_hh_attr": param_attr}
        self._cell = _nn.LSTMCell(input_size, hidden_size, **attrs, bias_ih_attr=bias_attr, bias_hh_attr=bias_attr)
        self._cell.to(dtype=dtype)

    def forward(self, input, pre_hidden, pre_cell):
        _, (hidden, cell) = self._cell(input, (pre_hidden, pre_cell))
        return hidden, cell


class GRUCell(_nn.Layer):
    """One step of a gated recurrent unit: (input, hidden) to hidden; see `LSTMCell`."""

    def __init__(
        self,
        hidden_size,
        input_size,
        param_attr=None,
        bias_attr=None,
        gate_activation=None,
        activation=None,
        use_cudnn_impl=True,
        dtype="float64",
    ):
        super().__init__()
        _refuse("GRUCell", gate_activation, activation, use_cudnn_impl)
        attrs = {"weight_ih_attr": param_attr, "weight_hh_attr": param_attr}
        self._cell = _nn.GRUCell(input_size, hidden_size, **attrs, bias_ih_attr=bias_attr, bias_hh_attr=bias_attr)
        self._cell.to(dtype=dtype)

    def forward(self, input, pre_hidden):
        return self._cell(input, pre_hidden)[1]


def _refuse(name, gate_activation, activation, use_cudnn_impl):
    if not use_cudnn_impl or gate_activation is not None or activation is not None:
        raise NotImplementedError(f"{name}: other activations and use_cudnn_impl=False are not available in paddle.")


__all__ = ["GRUCell", "LSTMCell"]
