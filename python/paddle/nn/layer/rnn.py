# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Recurrent layers: cells over time, in both directions, stacked."""

from ... import _core
from ...framework.checked_numbers import check_whole
from ...framework.modes import recording_program
from .. import functional as F
from .container import LayerList, check_layer_count
from .layers import Layer
from .open_steps import run_open_steps
from .rnn_cells import GRUCell, LSTMCell, RNNCellBase, SimpleRNNCell
from .rnn_functions import birnn, concat_states, rnn, split_states  # noqa: F401

ops = _core.ops

__all__ = [
    "RNNCellBase",
    "SimpleRNNCell",
    "LSTMCell",
    "GRUCell",
    "RNN",
    "BiRNN",
    "SimpleRNN",
    "LSTM",
    "GRU",
]


def _map(fn, *trees):
    """fn over the leaves of nested tuples and lists of one structure."""
    if isinstance(trees[0], (tuple, list)):
        return type(trees[0])(_map(fn, *parts) for parts in zip(*trees, strict=True))
    return fn(*trees)


def _is_plain(cell):
    """True for a cell that the operator recurrence computes."""
    hooked = cell._forward_pre_hooks or cell._forward_post_hooks
    known = type(cell) in (SimpleRNNCell, LSTMCell, GRUCell)
    return known and not hooked and not getattr(cell, "proj_size", 0)


def _run_operator(cell, x, states, length, reverse):
    """All steps of a plain cell. x: [steps, batch, size]; returns outputs and the last states."""
    steps, batch, size = x.shape
    gates = ops.matmul(ops.reshape(x, [steps * batch, size]), cell.weight_ih, False, True)
    inner, outer = cell.bias_hh, cell.bias_ih
    if cell._mode != "GRU" and inner is not None and outer is not None:
        inner, outer = inner + outer, None
    if outer is not None:
        gates = gates + outer
    gates = ops.reshape(gates, [steps, batch, gates.shape[-1]])
    h, c = states if cell._mode == "LSTM" else (states, None)
    out, h, c, _ = ops.recurrence(gates, h, c, cell.weight_hh, inner, length, cell._mode, reverse)
    return out, (h, c) if cell._mode == "LSTM" else h


def _run_operator_to_lengths(cell, x, states, length, reverse):
    """As `_run_operator`; behind its length a sample keeps its states, and the cell goes on to give outputs."""
    out, final = _run_operator(cell, x, states, length, reverse)
    steps, batch, size = x.shape
    at_all_steps = _map(
        lambda s: ops.reshape(ops.expand(ops.unsqueeze(s, 0), [steps, *s.shape]), [steps * batch, s.shape[-1]]),
        states if reverse else final,
    )
    behind, _ = cell(ops.reshape(x, [steps * batch, size]), at_all_steps)
    inside = ops.reshape(ops.arange(0, steps, 1, _core.int64), [steps, 1, 1]) < ops.reshape(length, [1, batch, 1])
    return ops.where(inside, out, ops.reshape(behind, [steps, batch, behind.shape[-1]])), final


def _run(cell, x, states, length, reverse, kwargs):
    """All steps of a cell; returns outputs and the last states."""
    if kwargs or not _is_plain(cell):
        return _run_steps(cell, x, states, length, reverse, kwargs)
    return (_run_operator if length is None else _run_operator_to_lengths)(cell, x, states, length, reverse)


def _run_steps(cell, x, states, length, reverse, kwargs):
    """All steps of any cell, one call a step; behind its length a sample keeps its states."""
    steps = x.shape[0]
    if type(steps) is not int and recording_program() is not None:  # of a static program
        return run_open_steps(cell, x, states, length, reverse, kwargs)
    outs = [None] * steps
    for t in reversed(range(steps)) if reverse else range(steps):
        out, new = cell(x[t], states, **kwargs)
        if length is not None:
            alive = ops.reshape(length, [-1, 1]) > t
            new = _map(lambda a, b, m=alive: ops.where(m, a, b), new, states)
        outs[t], states = out, new
    return _map(lambda *parts: ops.stack(list(parts), 0), *outs), states


def _time_first(x):
    return ops.transpose(x, [1, 0, *range(2, x.ndim)])


def _length_of(sequence_length):
    if sequence_length is None:
        return None
    from ...tensor._args import as_tensor

    return ops.cast(as_tensor(sequence_length), _core.int64)


class RNN(Layer):
    """Runs a cell over a sequence.

    Args:
        cell: An RNNCellBase.
        is_reverse: Run from the last step to the first.
        time_major: Inputs are [steps, batch, ...] instead of [batch, steps, ...].
    """

    def __init__(self, cell, is_reverse=False, time_major=False):
        super().__init__()
        self.cell = cell
        self.is_reverse, self.time_major = is_reverse, time_major

    def forward(self, inputs, initial_states=None, sequence_length=None, **kwargs):
        if initial_states is None:
            initial_states = self.cell.get_initial_states(
                inputs, dtype=inputs.dtype, batch_dim_idx=1 if self.time_major else 0
            )
        x = inputs if self.time_major else _map(_time_first, inputs)
        length = _length_of(sequence_length)
        out, states = _run(self.cell, x, initial_states, length, self.is_reverse, kwargs)
        return (out if self.time_major else _map(_time_first, out)), states


class BiRNN(Layer):
    """Runs one cell forwards and one backwards, and joins their outputs.

    Args:
        cell_fw: The cell that runs forwards.
        cell_bw: The cell that runs backwards.
        time_major: Inputs are [steps, batch, ...] instead of [batch, steps, ...].
    """

    def __init__(self, cell_fw, cell_bw, time_major=False):
        super().__init__()
        if cell_fw.input_size != cell_bw.input_size:
            raise ValueError(
                f"BiRNN: cell_fw has input_size {cell_fw.input_size} and cell_bw {cell_bw.input_size}; "
                f"they must be equal."
            )
        self.cell_fw, self.cell_bw = cell_fw, cell_bw
        self.time_major = time_major

    def forward(self, inputs, initial_states=None, sequence_length=None, **kwargs):
        if initial_states is None:
            axis = 1 if self.time_major else 0
            initial_states = [
                cell.get_initial_states(inputs, dtype=inputs.dtype, batch_dim_idx=axis)
                for cell in (self.cell_fw, self.cell_bw)
            ]
        elif isinstance(initial_states, (tuple, list)) and len(initial_states) != 2:
            raise ValueError(
                f"BiRNN: initial_states has {len(initial_states)} entries; it must have one for each of the two cells."
            )
        x = inputs if self.time_major else _map(_time_first, inputs)
        length = _length_of(sequence_length)
        outs, finals = [], []
        for cell, states, reverse in zip((self.cell_fw, self.cell_bw), initial_states, (False, True), strict=True):
            out, final = _run(cell, x, states, length, reverse, kwargs)
            outs.append(out)
            finals.append(final)
        joined = _map(lambda a, b: ops.concat([a, b], -1), *outs)
        return (joined if self.time_major else _map(_time_first, joined)), tuple(finals)


class RNNBase(LayerList):
    """Layers of cells of one kind; see SimpleRNN, LSTM and GRU."""

    def __init__(
        self,
        mode,
        input_size,
        hidden_size,
        num_layers=1,
        direction="forward",
        time_major=False,
        dropout=0.0,
        weight_ih_attr=None,
        weight_hh_attr=None,
        bias_ih_attr=None,
        bias_hh_attr=None,
        proj_size=0,
    ):
        super().__init__()
        if direction not in ("forward", "bidirect", "bidirectional"):
            raise ValueError(
                f"{type(self).__name__}: direction has value {direction!r}; it must be 'forward', 'bidirect' or "
                f"'bidirectional'."
            )
        check_layer_count(type(self).__name__, num_layers)
        check_whole(type(self).__name__, input_size=input_size, hidden_size=hidden_size)
        self.mode, self.input_size, self.hidden_size = mode, input_size, hidden_size
        self.num_directions = 1 if direction == "forward" else 2
        self.num_layers, self.dropout, self.time_major = num_layers, dropout, time_major
        self.state_components = 2 if mode == "LSTM" else 1
        self.proj_size = proj_size
        self.could_use_cudnn = proj_size == 0
        attrs = dict(
            weight_ih_attr=weight_ih_attr,
            weight_hh_attr=weight_hh_attr,
            bias_ih_attr=bias_ih_attr,
            bias_hh_attr=bias_hh_attr,
        )
        for layer in range(num_layers):
            size = input_size if layer == 0 else self.num_directions * (proj_size or hidden_size)
            cells = [self._new_cell(size, attrs) for _ in range(self.num_directions)]
            self.append(RNN(cells[0], False, time_major) if len(cells) == 1 else BiRNN(*cells, time_major))
        self._expose_parameters()

    def _new_cell(self, input_size, attrs):
        if self.mode == "LSTM":
            return LSTMCell(input_size, self.hidden_size, proj_size=self.proj_size, **attrs)
        if self.mode == "GRU":
            return GRUCell(input_size, self.hidden_size, **attrs)
        activation = "tanh" if self.mode == "RNN_TANH" else "relu"
        return SimpleRNNCell(input_size, self.hidden_size, activation, **attrs)

    def _expose_parameters(self):
        """Parameters also as weight_ih_l0, ..., weight_ih_l0_reverse, ..."""
        for layer in range(self.num_layers):
            for direction, cell in enumerate(self._cells(layer)):
                suffix = f"_l{layer}" + ("_reverse" if direction else "")
                for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
                    parameter = getattr(cell, name)
                    if parameter is not None:
                        setattr(self, name + suffix, parameter)

    def _cells(self, layer):
        wrapper = self[layer]
        return (wrapper.cell,) if self.num_directions == 1 else (wrapper.cell_fw, wrapper.cell_bw)

    def flatten_parameters(self):
        """Nothing: the operator reads the parameters where they are."""

    def forward(self, inputs, initial_states=None, sequence_length=None):
        if inputs.ndim != 3:
            raise ValueError(
                f"{type(self).__name__}: inputs has shape {list(inputs.shape)}; it must have three axes, "
                f"{'[steps, batch, size]' if self.time_major else '[batch, steps, size]'}."
            )
        if type(inputs.shape[-1]) is int and inputs.shape[-1] != self.input_size:
            raise ValueError(
                f"{type(self).__name__}: inputs has shape {list(inputs.shape)}; its last axis must have the input_size "
                f"of the layer, {self.input_size}."
            )
        x = inputs if self.time_major else _time_first(inputs)
        given = self._split_states(x, initial_states)
        length = _length_of(sequence_length)
        finals = []
        for layer in range(self.num_layers):
            if layer > 0 and self.dropout > 0:
                x = F.dropout(x, self.dropout, training=self.training)
            outs = []
            for direction, cell in enumerate(self._cells(layer)):
                out, final = self._run(cell, x, given[len(finals)], length, direction == 1)
                outs.append(out)
                finals.append(final)
            x = outs[0] if len(outs) == 1 else ops.concat(outs, -1)
        if self.state_components == 1:
            final = ops.stack(finals, 0)
        else:
            final = tuple(ops.stack([f[k] for f in finals], 0) for k in range(2))
        return (x if self.time_major else _time_first(x)), final

    def _run(self, cell, x, states, length, reverse):
        if _is_plain(cell):
            return _run_operator(cell, x, states, length, reverse)
        out, final = _run_steps(cell, x, states, length, reverse, {})
        if length is not None:  # as the operator: zeros behind the end of a sample
            steps = ops.reshape(ops.arange(0, x.shape[0], 1, _core.int64), [-1, 1, 1])
            alive = steps < ops.reshape(length, [1, -1, 1])
            out = ops.where(alive, out, ops.full_like(out, 0.0))
        return out, final

    def _split_states(self, x, initial_states):
        """One state (of an LSTM a pair) per layer and direction."""
        count = self.num_layers * self.num_directions
        if initial_states is None:
            sizes = [self.proj_size or self.hidden_size, self.hidden_size][: self.state_components]
            zeros = [ops.full([x.shape[1], n], 0.0, x.dtype) for n in sizes]
            return [tuple(zeros) if len(zeros) == 2 else zeros[0]] * count
        parts = initial_states if isinstance(initial_states, (tuple, list)) else [initial_states]
        if len(parts) != self.state_components:
            raise ValueError(
                f"{type(self).__name__}: initial_states has {len(parts)} tensors; it must have {self.state_components}."
            )
        for part, size in zip(parts, (self.proj_size or self.hidden_size, self.hidden_size), strict=False):
            needed = [count, x.shape[1], size]
            known = part.ndim == 3 and zip(part.shape, needed, strict=True)
            if part.ndim != 3 or any(type(a) is int and type(b) is int and a != b for a, b in known):
                raise ValueError(
                    f"{type(self).__name__}: initial_states has shape {list(part.shape)}; it must be {needed}: "
                    f"one state per layer and direction, samples, size of the state."
                )
        rows = [ops.unbind(p, 0) if type(p.shape[0]) is int else [p[i] for i in range(count)] for p in parts]
        return list(zip(*rows, strict=True)) if len(rows) == 2 else list(rows[0])

    def extra_repr(self):
        text = f"{self.input_size}, {self.hidden_size}"
        if self.num_layers != 1:
            text += f", num_layers={self.num_layers}"
        if self.time_major:
            text += f", time_major={self.time_major}"
        if self.dropout != 0:
            text += f", dropout={self.dropout}"
        return text


class SimpleRNN(RNNBase):
    """Layers of SimpleRNNCell.

    Args:
        input_size: Size of the inputs.
        hidden_size: Size of the states.
        num_layers: Number of layers.
        direction: 'forward', or 'bidirect' ('bidirectional') for both.
        time_major: Inputs and outputs are [steps, batch, size] instead of [batch, steps, size].
        dropout: Probability of a zero between the layers while training.
        activation: 'tanh' or 'relu'.
        weight_ih_attr: ParamAttr of every weight_ih.
        weight_hh_attr: ParamAttr of every weight_hh.
        bias_ih_attr: ParamAttr of every bias_ih; False for zeros that are not trained.
        bias_hh_attr: ParamAttr of every bias_hh; False for zeros that are not trained.
    """

    def __init__(
        self,
        input_size,
        hidden_size,
        num_layers=1,
        direction="forward",
        time_major=False,
        dropout=0.0,
        activation="tanh",
        weight_ih_attr=None,
        weight_hh_attr=None,
        bias_ih_attr=None,
        bias_hh_attr=None,
        name=None,
    ):
        if activation not in ("tanh", "relu"):
            raise ValueError(f"SimpleRNN: activation has value {activation!r}; it must be 'tanh' or 'relu'.")
        super().__init__(
            "RNN_TANH" if activation == "tanh" else "RNN_RELU",
            input_size,
            hidden_size,
            num_layers,
            direction,
            time_major,
            dropout,
            weight_ih_attr,
            weight_hh_attr,
            bias_ih_attr,
            bias_hh_attr,
        )
        self.activation = activation


class LSTM(RNNBase):
    """Layers of LSTMCell; the states are a pair (h, c) of [layers * directions, batch, size].

    Args:
        input_size: Size of the inputs.
        hidden_size: Size of the states.
        num_layers: Number of layers.
        direction: 'forward', or 'bidirect' ('bidirectional') for both.
        time_major: Inputs and outputs are [steps, batch, size] instead of [batch, steps, size].
        dropout: Probability of a zero between the layers while training.
        weight_ih_attr: ParamAttr of every weight_ih.
        weight_hh_attr: ParamAttr of every weight_hh.
        bias_ih_attr: ParamAttr of every bias_ih; False for zeros that are not trained.
        bias_hh_attr: ParamAttr of every bias_hh; False for zeros that are not trained.
        proj_size: Size to which hidden states are projected; 0 for no projection.

    Shape:
        inputs [batch, steps, input_size], optional states (h, c) to outputs [batch, steps, directions * hidden_size] and
        the last states (h, c), each [layers * directions, batch, hidden_size] (h: proj_size where that is not 0).

    Raises:
        ValueError: When it is called, inputs or states have another shape.

    Example:
        >>> out, (h, c) = paddle.nn.LSTM(3, 4, num_layers=2)(paddle.ones([2, 5, 3]))
        >>> out.shape, h.shape
        (paddle.Size([2, 5, 4]), paddle.Size([2, 2, 4]))
    """

    def __init__(
        self,
        input_size,
        hidden_size,
        num_layers=1,
        direction="forward",
        time_major=False,
        dropout=0.0,
        weight_ih_attr=None,
        weight_hh_attr=None,
        bias_ih_attr=None,
        bias_hh_attr=None,
        proj_size=0,
        name=None,
    ):
        super().__init__(
            "LSTM",
            input_size,
            hidden_size,
            num_layers,
            direction,
            time_major,
            dropout,
            weight_ih_attr,
            weight_hh_attr,
            bias_ih_attr,
            bias_hh_attr,
            proj_size,
        )


class GRU(RNNBase):
    """Layers of GRUCell.

    Args:
        input_size: Size of the inputs.
        hidden_size: Size of the states.
        num_layers: Number of layers.
        direction: 'forward', or 'bidirect' ('bidirectional') for both.
        time_major: Inputs and outputs are [steps, batch, size] instead of [batch, steps, size].
        dropout: Probability of a zero between the layers while training.
        weight_ih_attr: ParamAttr of every weight_ih.
        weight_hh_attr: ParamAttr of every weight_hh.
        bias_ih_attr: ParamAttr of every bias_ih; False for zeros that are not trained.
        bias_hh_attr: ParamAttr of every bias_hh; False for zeros that are not trained.
    """

    def __init__(
        self,
        input_size,
        hidden_size,
        num_layers=1,
        direction="forward",
        time_major=False,
        dropout=0.0,
        weight_ih_attr=None,
        weight_hh_attr=None,
        bias_ih_attr=None,
        bias_hh_attr=None,
        name=None,
    ):
        super().__init__(
            "GRU",
            input_size,
            hidden_size,
            num_layers,
            direction,
            time_major,
            dropout,
            weight_ih_attr,
            weight_hh_attr,
            bias_ih_attr,
            bias_hh_attr,
        )
