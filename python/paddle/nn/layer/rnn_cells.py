# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Recurrent cells: one step from inputs and states to outputs and new states."""

import contextlib

from ... import _core
from ...framework.checked_numbers import check_whole
from ...framework.dtypes import convert
from ..initializer import Constant, Uniform
from .layers import Layer

ops = _core.ops


def _is_shape(value):
    return isinstance(value, (tuple, list)) and all(hasattr(n, "__index__") for n in value)


class RNNCellBase(Layer):
    """A cell: one step from (inputs, states) to (outputs, new states)."""

    def get_initial_states(self, batch_ref, shape=None, dtype=None, init_value=0.0, batch_dim_idx=0):
        """States of one value for the batch of a tensor.

        Args:
            batch_ref: Tensor (or structure of tensors) that tells the size of the batch.
            shape: Shape of a state without the batch, or a structure of them; `state_shape` by default.
            dtype: dtype of the states; the default dtype when None.
            init_value: The value.
            batch_dim_idx: Axis of the batch in batch_ref.
        """
        while isinstance(batch_ref, (tuple, list)):
            batch_ref = batch_ref[0]
        batch = batch_ref.shape[batch_dim_idx]

        def state(shape, dtype):
            sizes = [n for n in shape if n != -1]
            return ops.full([batch, *sizes], init_value, convert(dtype))

        if dtype is None:
            with contextlib.suppress(NotImplementedError):
                dtype = self.state_dtype

        def build(shape, dtype):
            if _is_shape(shape):
                return state(shape, dtype)
            kinds = dtype if isinstance(dtype, (tuple, list)) else [dtype] * len(shape)
            return type(shape)(build(s, d) for s, d in zip(shape, kinds, strict=True))

        return build(self.state_shape if shape is None else shape, dtype)

    @property
    def state_shape(self):
        """Shape of a state without the batch, or a structure of shapes."""
        raise NotImplementedError(
            f"{type(self).__name__}: state_shape is not defined; define it to use default states."
        )

    @property
    def state_dtype(self):
        """dtype of a state, or a structure of dtypes; the default dtype where a cell has none."""
        raise NotImplementedError(f"{type(self).__name__}: state_dtype is not defined; states have the default dtype.")


class _GatedCell(RNNCellBase):
    """Parameters that the cells share.

    Args:
        input_size: Size of the inputs.
        hidden_size: Size of the state.
        gates: Rows of the weights per unit of the state.
        state_size: Size of the state that meets weight_hh.
        attrs: ParamAttr of weight_ih, weight_hh, bias_ih and bias_hh. False makes a weight of ones or a bias of
            zeros that is not trained; it stands among the parameters and in the state.
    """

    def __init__(self, input_size, hidden_size, gates, state_size, attrs):
        super().__init__()
        check_whole(type(self).__name__, input_size=input_size, hidden_size=hidden_size)
        if hidden_size <= 0:
            raise ValueError(f"{type(self).__name__}: hidden_size has value {hidden_size}; it must be greater than 0.")
        std = hidden_size**-0.5
        rows = gates * hidden_size

        def parameter(shape, attr, is_bias=False):
            fixed = attr is False
            initializer = Constant(0.0 if is_bias else 1.0) if fixed else Uniform(-std, std)
            made = self.create_parameter(
                shape, None if fixed else attr, is_bias=is_bias, default_initializer=initializer
            )
            made.stop_gradient = made.stop_gradient or fixed
            return made

        self.weight_ih = parameter([rows, input_size], attrs[0])
        self.weight_hh = parameter([rows, state_size], attrs[1])
        self.bias_ih = parameter([rows], attrs[2], True)
        self.bias_hh = parameter([rows], attrs[3], True)
        self.input_size, self.hidden_size = input_size, hidden_size

    def _states(self, inputs, states):
        return self.get_initial_states(inputs, self.state_shape, inputs.dtype) if states is None else states

    def _input_part(self, inputs):
        return _affine(inputs, self.weight_ih, self.bias_ih)

    def _state_part(self, state):
        return _affine(state, self.weight_hh, self.bias_hh)

    def extra_repr(self):
        return f"{self.input_size}, {self.hidden_size}"


def _affine(x, weight, bias):
    out = ops.matmul(x, weight, False, True)
    return out if bias is None else out + bias


class SimpleRNNCell(_GatedCell):
    """h' = act(W_ih x + b_ih + W_hh h + b_hh).

    Args:
        input_size: Size of the inputs.
        hidden_size: Size of the state.
        activation: 'tanh' or 'relu'.
        weight_ih_attr: ParamAttr of weight_ih, [hidden_size, input_size].
        weight_hh_attr: ParamAttr of weight_hh, [hidden_size, hidden_size].
        bias_ih_attr: ParamAttr of bias_ih, [hidden_size]; False for zeros that are not trained.
        bias_hh_attr: ParamAttr of bias_hh, [hidden_size]; False for zeros that are not trained.
    """

    def __init__(
        self,
        input_size,
        hidden_size,
        activation="tanh",
        weight_ih_attr=None,
        weight_hh_attr=None,
        bias_ih_attr=None,
        bias_hh_attr=None,
        name=None,
    ):
        attrs = (weight_ih_attr, weight_hh_attr, bias_ih_attr, bias_hh_attr)
        super().__init__(input_size, hidden_size, 1, hidden_size, attrs)
        if activation not in ("tanh", "relu"):
            raise ValueError(f"SimpleRNNCell: activation has value {activation!r}; it must be 'tanh' or 'relu'.")
        self.activation = activation
        self._mode = "RNN_TANH" if activation == "tanh" else "RNN_RELU"

    def forward(self, inputs, states=None):
        h = self._states(inputs, states)
        h = getattr(ops, self.activation)(self._input_part(inputs) + self._state_part(h))
        return h, h

    @property
    def state_shape(self):
        return (self.hidden_size,)

    def extra_repr(self):
        act = "" if self.activation == "tanh" else f", activation={self.activation}"
        return super().extra_repr() + act


class LSTMCell(_GatedCell):
    """Long short-term memory (Hochreiter & Schmidhuber 1997), gates in the order i, f, g, o.

    Args:
        input_size: Size of the inputs.
        hidden_size: Size of the cell state.
        weight_ih_attr: ParamAttr of weight_ih, [4 * hidden_size, input_size].
        weight_hh_attr: ParamAttr of weight_hh, [4 * hidden_size, hidden_size].
        bias_ih_attr: ParamAttr of bias_ih, [4 * hidden_size]; False for zeros that are not trained.
        bias_hh_attr: ParamAttr of bias_hh, [4 * hidden_size]; False for zeros that are not trained.
        proj_size: Size to which the hidden state is projected; 0 for no projection.
    """

    _mode = "LSTM"

    def __init__(
        self,
        input_size,
        hidden_size,
        weight_ih_attr=None,
        weight_hh_attr=None,
        bias_ih_attr=None,
        bias_hh_attr=None,
        proj_size=0,
        name=None,
    ):
        check_whole("LSTMCell", hidden_size=hidden_size, proj_size=proj_size)
        if proj_size < 0:
            raise ValueError(f"LSTMCell: proj_size has value {proj_size}; it must not be negative.")
        if proj_size >= hidden_size > 0:
            raise ValueError(
                f"LSTMCell: proj_size has value {proj_size} and hidden_size {hidden_size}; proj_size must be smaller."
            )
        attrs = (weight_ih_attr, weight_hh_attr, bias_ih_attr, bias_hh_attr)
        super().__init__(input_size, hidden_size, 4, proj_size or hidden_size, attrs)
        self.proj_size = proj_size
        if proj_size:
            std = hidden_size**-0.5
            self.weight_ho = self.create_parameter(
                [hidden_size, proj_size], weight_hh_attr, default_initializer=Uniform(-std, std)
            )

    def forward(self, inputs, states=None):
        h, c = self._states(inputs, states)
        i, f, g, o = ops.split_with_num(self._input_part(inputs) + self._state_part(h), 4, -1)
        c = ops.sigmoid(f) * c + ops.sigmoid(i) * ops.tanh(g)
        h = ops.sigmoid(o) * ops.tanh(c)
        if self.proj_size:
            h = ops.matmul(h, self.weight_ho)
        return h, (h, c)

    @property
    def state_shape(self):
        return ((self.proj_size or self.hidden_size,), (self.hidden_size,))


class GRUCell(_GatedCell):
    """Gated recurrent unit (Cho et al. 2014), gates in the order r, z, n.

    Args:
        input_size: Size of the inputs.
        hidden_size: Size of the state.
        weight_ih_attr: ParamAttr of weight_ih, [3 * hidden_size, input_size].
        weight_hh_attr: ParamAttr of weight_hh, [3 * hidden_size, hidden_size].
        bias_ih_attr: ParamAttr of bias_ih, [3 * hidden_size]; False for zeros that are not trained.
        bias_hh_attr: ParamAttr of bias_hh, [3 * hidden_size]; False for zeros that are not trained.
    """

    _mode = "GRU"

    def __init__(
        self,
        input_size,
        hidden_size,
        weight_ih_attr=None,
        weight_hh_attr=None,
        bias_ih_attr=None,
        bias_hh_attr=None,
        name=None,
    ):
        attrs = (weight_ih_attr, weight_hh_attr, bias_ih_attr, bias_hh_attr)
        super().__init__(input_size, hidden_size, 3, hidden_size, attrs)

    def forward(self, inputs, states=None):
        h = self._states(inputs, states)
        x_r, x_z, x_n = ops.split_with_num(self._input_part(inputs), 3, -1)
        h_r, h_z, h_n = ops.split_with_num(self._state_part(h), 3, -1)
        z = ops.sigmoid(x_z + h_z)
        n = ops.tanh(x_n + ops.sigmoid(x_r + h_r) * h_n)
        h = (h - n) * z + n
        return h, h

    @property
    def state_shape(self):
        return (self.hidden_size,)
