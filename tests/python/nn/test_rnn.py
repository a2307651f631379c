# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Recurrent cells and layers against NumPy."""

import numpy as np
import paddle
import pytest
from paddle import nn
from scipy.special import expit

KINDS = {"LSTM": nn.LSTM, "GRU": nn.GRU, "SimpleRNN": nn.SimpleRNN}
CELLS = {"LSTM": nn.LSTMCell, "GRU": nn.GRUCell, "SimpleRNN": nn.SimpleRNNCell}
X = np.random.RandomState(0).randn(2, 4, 3).astype("float32")


def step(kind, x, h, c, w_ih, w_hh, b_ih, b_hh):
    a, p = x @ w_ih.T + b_ih, h @ w_hh.T + b_hh
    if kind == "GRU":
        (a_r, a_z, a_n), (p_r, p_z, p_n) = np.split(a, 3, -1), np.split(p, 3, -1)
        z, n = expit(a_z + p_z), np.tanh(a_n + expit(a_r + p_r) * p_n)
        return z * h + (1 - z) * n, c
    if kind == "LSTM":
        i, f, g, o = np.split(a + p, 4, -1)
        c = expit(f) * c + expit(i) * np.tanh(g)
        return expit(o) * np.tanh(c), c
    return np.tanh(a + p), c


def reference(kind, layer, x, h0, c0, lengths):
    """x: [batch, steps, size]; states: [layers * directions, batch, size]."""
    finals = []
    for k in range(layer.num_layers):
        outs = []
        for d in range(layer.num_directions):
            suffix = f"_l{k}" + ("_reverse" if d else "")
            names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
            weights = [getattr(layer, n + suffix).numpy() for n in names]
            h, c = h0[len(finals)], c0[len(finals)]
            out = np.zeros((*x.shape[:2], h.shape[-1]), "float32")
            for t in reversed(range(x.shape[1])) if d else range(x.shape[1]):
                alive = (t < lengths)[:, None]
                new_h, new_c = step(kind, x[:, t], h, c, *weights)
                h, c = np.where(alive, new_h, h), np.where(alive, new_c, c)
                out[:, t] = np.where(alive, h, 0)
            outs.append(out)
            finals.append((h, c))
        x = np.concatenate(outs, -1)
    return x, np.stack([f[0] for f in finals]), np.stack([f[1] for f in finals])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("direction", ["forward", "bidirect"])
@pytest.mark.parametrize("lengths", [None, [2, 4]])
def test_layers_equal_numpy(kind, direction, lengths):
    layer = KINDS[kind](3, 5, 2, direction=direction)
    rng = np.random.RandomState(1)
    states = rng.randn(2, 2 * layer.num_directions, 2, 5).astype("float32")
    pair = tuple(map(paddle.to_tensor, states))
    length = None if lengths is None else paddle.to_tensor(lengths)
    out, final = layer(paddle.to_tensor(X), pair if kind == "LSTM" else pair[0], length)
    expected, h, c = reference(kind, layer, X, *states, np.array(lengths or [4, 4]))
    np.testing.assert_allclose(out.numpy(), expected, rtol=1e-4, atol=1e-5)
    h_out = final[0] if kind == "LSTM" else final
    np.testing.assert_allclose(h_out.numpy(), h, rtol=1e-4, atol=1e-5)
    if kind == "LSTM":
        np.testing.assert_allclose(final[1].numpy(), c, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kind", CELLS)
def test_wrapper_equals_calling_the_cell(kind):
    cell = CELLS[kind](3, 5)
    x = paddle.to_tensor(X)
    states = cell.get_initial_states(x)
    outs = [None] * 4
    for t in reversed(range(4)):
        outs[t], states = cell(x[:, t], states)
    out, final = nn.RNN(cell, is_reverse=True)(x)
    np.testing.assert_allclose(out.numpy(), paddle.stack(outs, 1).numpy(), rtol=1e-5, atol=1e-6)
    last = (final[0], states[0]) if kind == "LSTM" else (final, states)
    np.testing.assert_allclose(last[0].numpy(), last[1].numpy(), rtol=1e-5, atol=1e-6)


def test_wrapper_runs_cells_of_users_and_keeps_finished_states():
    class Sum(nn.RNNCellBase):
        def forward(self, inputs, states):
            return inputs * 2, states + inputs

        @property
        def state_shape(self):
            return (3,)

    out, final = nn.RNN(Sum())(paddle.to_tensor(X), sequence_length=paddle.to_tensor([2, 4]))
    np.testing.assert_allclose(out.numpy(), X * 2, rtol=1e-6)
    np.testing.assert_allclose(final.numpy(), np.stack([X[0, :2].sum(0), X[1].sum(0)]), rtol=1e-5)


def test_two_cells_join_their_outputs():
    forward, backward = nn.GRUCell(3, 5), nn.GRUCell(3, 5)
    x = paddle.to_tensor(X)
    out, (a, b) = nn.BiRNN(forward, backward)(x)
    np.testing.assert_allclose(out[..., :5].numpy(), nn.RNN(forward)(x)[0].numpy(), rtol=1e-6)
    np.testing.assert_allclose(out[..., 5:].numpy(), nn.RNN(backward, is_reverse=True)(x)[0].numpy(), rtol=1e-6)
    assert a.shape == b.shape == [2, 5]


def test_time_major_is_the_transposed_input():
    layer = nn.GRU(3, 5)
    other = nn.GRU(3, 5, time_major=True)
    other.set_state_dict(layer.state_dict())
    out, _ = other(paddle.to_tensor(np.ascontiguousarray(X.swapaxes(0, 1))))
    np.testing.assert_allclose(out.numpy().swapaxes(0, 1), layer(paddle.to_tensor(X))[0].numpy(), rtol=1e-5, atol=1e-6)


def test_projection_shrinks_the_hidden_state():
    layer = nn.LSTM(3, 5, proj_size=2)
    out, (h, c) = layer(paddle.to_tensor(X))
    assert out.shape == [2, 4, 2] and h.shape == [1, 2, 2] and c.shape == [1, 2, 5]
    cell, state = layer[0].cell, None
    for t in range(4):
        y, state = cell(paddle.to_tensor(X[:, t]), state)
    np.testing.assert_allclose(out[:, -1].numpy(), y.numpy(), rtol=1e-5, atol=1e-6)


def test_gradients_of_the_operator_equal_those_of_the_steps():
    layer = nn.LSTM(3, 5)
    x = paddle.to_tensor(X, stop_gradient=False)
    (layer(x)[0] ** 2).sum().backward()
    fused = [x.grad.numpy()] + [p.grad.numpy() for p in layer.parameters()]
    layer.clear_gradients()
    x.clear_gradient()
    state, total = None, 0.0
    for t in range(4):
        y, state = layer[0].cell(x[:, t], state)
        total = total + (y**2).sum()
    total.backward()
    for a, b in zip(fused, [x.grad] + [p.grad for p in layer.parameters()], strict=True):
        np.testing.assert_allclose(a, b.numpy(), rtol=1e-4, atol=1e-5)


def test_parameters_have_paddle_names():
    layer = nn.LSTM(3, 4, direction="bidirect")
    flat = [f"{n}_l0{s}" for s in ("", "_reverse") for n in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")]
    assert [n for n, _ in layer.named_parameters()] == flat
    assert list(layer.state_dict())[8:12] == [
        f"0.cell_fw.{n}" for n in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    ]
    assert (
        repr(layer) == "LSTM(3, 4\n  (0): BiRNN(\n    (cell_fw): LSTMCell(3, 4)\n    (cell_bw): LSTMCell(3, 4)\n  )\n)"
    )


@pytest.mark.parametrize(
    "make",
    [
        lambda: nn.LSTM(3, 4, direction="sideways"),
        lambda: nn.GRUCell(3, 0),
        lambda: nn.SimpleRNN(3, 4, activation="gelu"),
        lambda: nn.LSTM(3, 4, proj_size=4),
        lambda: nn.GRU(3, 4)(paddle.ones([4, 3])),
        lambda: nn.GRU(3, 4)(paddle.to_tensor(X), paddle.zeros([2, 2, 4])),
    ],
)
def test_wrong_arguments_are_refused(make):
    with pytest.raises(ValueError):
        make()


def test_captured_layer_equals_the_eager_one():
    layer = nn.LSTM(3, 5, 2)
    program = paddle.jit.to_static(lambda x: layer(x)[0], full_graph=True)
    np.testing.assert_allclose(program(paddle.to_tensor(X)).numpy(), layer(paddle.to_tensor(X))[0].numpy(), rtol=1e-6)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("make", [nn.SimpleRNNCell, nn.LSTMCell, nn.GRUCell])
def test_behind_its_length_a_sample_keeps_its_states(make, reverse):
    cell = make(3, 5)
    lengths = [2, 4]
    x = paddle.to_tensor(X, stop_gradient=False)
    out, final = nn.RNN(cell, is_reverse=reverse)(x, sequence_length=paddle.to_tensor(lengths))
    state = cell.get_initial_states(x)
    outs = {}
    for t in reversed(range(4)) if reverse else range(4):
        outs[t], new = cell(x[:, t], state)
        alive = paddle.to_tensor([[t < n] for n in lengths])
        keep = lambda a, b, alive=alive: paddle.where(alive, a, b)
        state = tuple(map(keep, new, state)) if isinstance(new, tuple) else keep(new, state)
    for t in range(4):
        np.testing.assert_allclose(out[:, t].numpy(), outs[t].numpy(), rtol=1e-5, atol=1e-6)
    pairs = zip(final, state, strict=True) if isinstance(state, tuple) else [(final, state)]
    for a, b in pairs:
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-5, atol=1e-6)
    (gradient,) = paddle.grad((out**2).sum(), x, retain_graph=True)
    (expected,) = paddle.grad(sum((o**2).sum() for o in outs.values()), x)
    np.testing.assert_allclose(gradient.numpy(), expected.numpy(), rtol=1e-4, atol=1e-5)


def test_a_program_runs_over_sequences_of_any_number_of_steps():
    cell = nn.GRUCell(3, 5)
    run = paddle.jit.to_static(
        lambda x, n: nn.RNN(cell, time_major=True)(x, sequence_length=n)[0],
        input_spec=[paddle.static.InputSpec([None, 2, 3]), paddle.static.InputSpec([2], "int64")],
        full_graph=True,
    )
    for steps in (2, 4):
        x, lengths = paddle.to_tensor(X.transpose(1, 0, 2)[:steps].copy()), paddle.to_tensor([1, steps])
        expected = nn.RNN(cell, time_major=True)(x, sequence_length=lengths)[0]
        np.testing.assert_allclose(run(x, lengths).numpy(), expected.numpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("cls", [nn.SimpleRNNCell, nn.GRUCell, nn.LSTMCell])
def test_a_cell_without_a_parameter_has_a_fixed_one(cls):
    cell = cls(3, 2, weight_hh_attr=False, bias_ih_attr=False)
    fixed = {name: p for name, p in cell.named_parameters() if p.stop_gradient}
    assert sorted(cell.state_dict()) == ["bias_hh", "bias_ih", "weight_hh", "weight_ih"]
    assert sorted(fixed) == ["bias_ih", "weight_hh"]
    assert set(fixed["bias_ih"].tolist()) == {0.0} and set(fixed["weight_hh"].numpy().ravel()) == {1.0}
    cell(paddle.ones([1, 3]))[0].sum().backward()
    assert cell.weight_ih.grad is not None and fixed["bias_ih"].grad is None
