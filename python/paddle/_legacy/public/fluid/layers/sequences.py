# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions of sequences that stand one behind the other in the rows of a variable (LoD)."""

from ... import _core
from ...framework.layer_helper import LayerHelper
from ...nn.functional._by_name import activated
from ..operators import result, results, with_extents

ops = _core.ops


def sequence_pool(input, pool_type, is_test=False, pad_value=0.0):
    """One row of each sequence.

    Args:
        input: Rows of sequences.
        pool_type: 'sum', 'average', 'sqrt' (the sum divided by the root of the length), 'max', 'last' or 'first'.
        is_test: Not read.
        pad_value: The values of the row of an empty sequence.

    Example:
        >>> import numpy as np
        >>> import paddle
        >>> from paddle import fluid
        >>> paddle.enable_static()
        >>> main = fluid.Program()
        >>> with fluid.program_guard(main):
        ...     x = fluid.data("x", [None, 1], "float32", lod_level=1)
        ...     y = fluid.layers.sequence_pool(x, "sum")
        >>> rows = fluid.create_lod_tensor(np.ones([5, 1], "float32"), [[2, 3]], fluid.CPUPlace())
        >>> fluid.Executor().run(main, feed={"x": rows}, fetch_list=[y])[0].tolist()
        [[2.0], [3.0]]
        >>> paddle.disable_static()
    """
    kind = pool_type.upper()
    if kind not in ("SUM", "AVERAGE", "SQRT", "MAX", "LAST", "FIRST"):
        raise ValueError(f"sequence_pool: pool_type has value {pool_type!r}; it must be 'sum', 'max' or another one.")
    made = result("sequence_pool", {"X": input}, {"pooltype": kind, "pad_value": float(pad_value)})
    return _wide(made, input)


def _wide(made, x):
    """The rows, which are as wide as those of x."""
    return with_extents(made, [None, *x.shape[1:]])


def sequence_first_step(input):
    """The first row of each sequence."""
    return sequence_pool(input, "first")


def sequence_last_step(input):
    """The last row of each sequence."""
    return sequence_pool(input, "last")


def sequence_softmax(input, use_cudnn=False, name=None):
    """The softmax of the rows, of shape [rows, 1] or [rows], of each sequence."""
    return _wide(result("sequence_softmax", {"X": input}), input)


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
    """Each row with its neighbours in the sequence, as one long row, times a matrix.

    Args:
        input: Rows of sequences of shape [rows, D].
        num_filters: Number of outputs.
        filter_size: Number of rows that are taken.
        filter_stride: 1.
        padding: Not read: rows outside of a sequence are 0.
        padding_start: Place of the first row that is taken; None: -(filter_size // 2).
        bias_attr: ParamAttr of the bias; False: none.
        param_attr: ParamAttr of the matrix, of shape [filter_size * D, num_filters].
        act: Name of an activation behind it.
        name: Prefix of the names of the parameters.
    """
    helper = LayerHelper("sequence_conv", name=name)
    filter = helper.create_parameter(param_attr, [filter_size * int(input.shape[1]), num_filters], input.dtype)
    first = -(filter_size // 2) if padding_start is None else padding_start
    attrs = {"contextStride": filter_stride, "contextStart": first, "contextLength": filter_size}
    made = with_extents(result("sequence_conv", {"X": input, "Filter": filter}, attrs), [None, num_filters])
    bias = helper.create_parameter(bias_attr, [num_filters], input.dtype, is_bias=True)
    return activated(made if bias is None else made + bias, act)


def sequence_concat(input, name=None):
    """The sequences of the same number of all inputs, one behind the other."""
    return _wide(result("sequence_concat", {"X": list(input)}), input[0])


def sequence_slice(input, offset, length, name=None):
    """A part of each sequence: its first row and its length, both of shape [sequences, 1]."""
    return _wide(result("sequence_slice", {"X": input, "Offset": offset, "Length": length}), input)


def sequence_expand(x, y, ref_level=-1, name=None):
    """The sequences of x, or its rows, as often as the sequence of y has elements at a level."""
    return _wide(result("sequence_expand", {"X": x, "Y": y}, {"ref_level": ref_level}), x)


def sequence_expand_as(x, y, name=None):
    """Each row of x as often as the sequence of y of its number has rows."""
    return _wide(result("sequence_expand_as", {"X": x, "Y": y}), x)


def sequence_pad(x, pad_value, maxlen=None, name=None):
    """The sequences side by side, filled up.

    Args:
        x: Rows of sequences of shape [rows, ...].
        pad_value: A tensor of one number, or of one for each place of a row.
        maxlen: Length that they get; None: that of the longest.
        name: Not read.

    Returns:
        A tensor of shape [sequences, length, ...], and the lengths (int64).
    """
    attrs = {"padded_length": -1 if maxlen is None else maxlen}
    made, length = results("sequence_pad", {"X": x, "PadValue": pad_value}, ["Out", "Length"], attrs)
    return with_extents(made, [None, maxlen, *x.shape[1:]]), length


def padded(x):
    """The sequences side by side, filled up with zeros, and their lengths."""
    return sequence_pad(x, ops.full([1], 0, x.dtype))


def sequence_unpad(x, length, name=None):
    """The rows of padded sequences [N, T, ...] up to their lengths, one behind the other."""
    return with_extents(result("sequence_unpad", {"X": x, "Length": length}), [None, *x.shape[2:]])


def sequence_reshape(input, new_dim):
    """Rows of another width, the sequences holding the same elements."""
    return with_extents(result("sequence_reshape", {"X": input}, {"new_dim": new_dim}), [None, new_dim])


def sequence_scatter(input, index, updates, name=None):
    """Row i of input plus the i-th sequence of `updates` at the columns of the i-th of `index`."""
    return result("sequence_scatter", {"X": input, "Ids": index, "Updates": updates})


def sequence_enumerate(input, win_size, pad_value=0, name=None):
    """Each integer and those behind it in its sequence: shape [rows, win_size]."""
    made = result("sequence_enumerate", {"X": input}, {"win_size": win_size, "pad_value": pad_value})
    return with_extents(made, [None, win_size])


def sequence_mask(x, maxlen=None, dtype="int64", name=None):
    """For each length a row of ones up to it and zeros behind; see `paddle.nn.functional.sequence_mask`."""
    from ...nn.functional import sequence_mask

    return sequence_mask(x, maxlen, dtype)


def sequence_reverse(x, name=None):
    """Each sequence from its end to its beginning."""
    return _wide(result("sequence_reverse", {"X": x}, {}, "Y"), x)


def _recurrent_inputs(kind, input, size, param_attr, bias_attr, factor, peepholes=False):
    helper = LayerHelper(kind)
    weight = helper.create_parameter(param_attr, [size, factor * size], input.dtype)
    width = (factor + 3 * peepholes) * size
    bias = helper.create_parameter(bias_attr, [1, width], input.dtype, is_bias=True)
    return {"Input": input, "Weight": weight, "Bias": bias}


def dynamic_lstm(
    input,
    size,
    h_0=None,
    c_0=None,
    param_attr=None,
    bias_attr=None,
    use_peepholes=True,
    is_reverse=False,
    gate_activation="sigmoid",
    cell_activation="tanh",
    candidate_activation="tanh",
    dtype="float32",
    name=None,
):
    """Long short-term memory over sequences, the products with the inputs being done (by `fc` with size outputs).

    Args:
        input: Rows of sequences of shape [rows, 4 * D].
        size: 4 * D.
        h_0: First outputs, of shape [sequences, D].
        c_0: First cells, of shape [sequences, D].
        param_attr: ParamAttr of the weights, of shape [D, 4 * D]: candidate, input, forget, output.
        bias_attr: ParamAttr of the bias, of shape [1, 7 * D] with peepholes, else [1, 4 * D].
        use_peepholes: Whether gates see the cell.
        is_reverse: Whether it goes from the end.
        gate_activation: Name of the function of gates.
        cell_activation: Name of the function of cells.
        candidate_activation: Name of the function of candidates.
        dtype: Not read.
        name: Not read.

    Returns:
        The outputs and the cells, of shape [rows, D].
    """
    inputs = _recurrent_inputs("lstm", input, size // 4, param_attr, bias_attr, 4, use_peepholes)
    attrs = {
        "use_peepholes": use_peepholes,
        "is_reverse": is_reverse,
        "gate_activation": gate_activation,
        "cell_activation": cell_activation,
        "candidate_activation": candidate_activation,
    }
    made = results("lstm", {**inputs, "H0": h_0, "C0": c_0}, ["Hidden", "Cell"], attrs)
    return tuple(with_extents(v, [None, size // 4]) for v in made)


def dynamic_gru(
    input,
    size,
    param_attr=None,
    bias_attr=None,
    is_reverse=False,
    gate_activation="sigmoid",
    candidate_activation="tanh",
    h_0=None,
    origin_mode=False,
):
    """Gated recurrent units over sequences, the products with the inputs being done (by `fc` with 3 * size outputs).

    Args:
        input: Rows of sequences of shape [rows, 3 * size].
        size: Number of outputs.
        param_attr: ParamAttr of the weights, of shape [size, 3 * size].
        bias_attr: ParamAttr of the bias, of shape [1, 3 * size].
        is_reverse: Whether it goes from the end.
        gate_activation: Name of the function of gates.
        candidate_activation: Name of the function of candidates.
        h_0: First outputs, of shape [sequences, size].
        origin_mode: Whether the update gate u weights the old output: h = u h + (1 - u) c, rather than the new one.

    Returns:
        The outputs, of shape [rows, size].
    """
    inputs = _recurrent_inputs("gru", input, size, param_attr, bias_attr, 3)
    attrs = {
        "is_reverse": is_reverse,
        "gate_activation": gate_activation,
        "activation": candidate_activation,
        "origin_mode": origin_mode,
    }
    return with_extents(result("gru", {**inputs, "H0": h_0}, attrs, "Hidden"), [None, size])


def gru_unit(
    input,
    hidden,
    size,
    param_attr=None,
    bias_attr=None,
    activation="tanh",
    gate_activation="sigmoid",
    origin_mode=False,
):
    """One step of `dynamic_gru`: input of shape [N, size] with size = 3 * D, hidden of shape [N, D].

    Returns:
        The new output, the reset output before its product, and the gates.
    """
    width = size // 3
    helper = LayerHelper("gru_unit")
    weight = helper.create_parameter(param_attr, [width, 3 * width], input.dtype)
    bias = helper.create_parameter(bias_attr, [1, 3 * width], input.dtype, is_bias=True)
    kinds = {"identity": 0, "sigmoid": 1, "tanh": 2, "relu": 3}
    attrs = {"activation": kinds[activation], "gate_activation": kinds[gate_activation], "origin_mode": origin_mode}
    inputs = {"Input": input, "HiddenPrev": hidden, "Weight": weight, "Bias": bias}
    return tuple(results("gru_unit", inputs, ["Hidden", "ResetHiddenPrev", "Gate"], attrs))


def lstm_unit(x_t, hidden_t_prev, cell_t_prev, forget_bias=0.0, param_attr=None, bias_attr=None, name=None):
    """One step of long short-term memory: x_t [N, D], hidden and cell [N, H].

    The gates are one layer of x_t beside the output: input, forget, candidate, output.

    Returns:
        The new output and cell.
    """
    from .with_parameters import fc

    width = int(cell_t_prev.shape[1])
    gates = fc(ops.concat([x_t, hidden_t_prev], 1), 4 * width, param_attr=param_attr, bias_attr=bias_attr)
    into, forget, output, candidate = ops.split(gates, [width] * 4, 1)
    cell = ops.sigmoid(forget + forget_bias) * cell_t_prev + ops.sigmoid(into) * ops.tanh(candidate)
    return ops.sigmoid(output) * ops.tanh(cell), cell


def beam_search(
    pre_ids,
    pre_scores,
    ids,
    scores,
    beam_size,
    end_id,
    level=0,
    is_accumulated=True,
    name=None,
    return_parent_idx=False,
):
    """The best continuations of each beam; see `beam_search_decode`.

    Returns:
        The chosen ids and scores, of shape [rows, 1]; with return_parent_idx the rows that they continue too.
    """
    inputs = {"pre_ids": pre_ids, "pre_scores": pre_scores, "ids": ids, "scores": scores}
    attrs = {"level": level, "beam_size": beam_size, "end_id": end_id, "is_accumulated": is_accumulated}
    chosen = results("beam_search", inputs, ["selected_ids", "selected_scores", "parent_idx"], attrs)
    return tuple(chosen) if return_parent_idx else tuple(chosen[:2])


__all__ = (
    "beam_search dynamic_gru dynamic_lstm gru_unit lstm_unit sequence_concat sequence_conv sequence_enumerate sequence_expand "
    "sequence_expand_as sequence_first_step sequence_last_step sequence_mask sequence_pad sequence_pool sequence_reshape "
    "sequence_reverse sequence_scatter sequence_slice sequence_softmax sequence_unpad"
).split()
