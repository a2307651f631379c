# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Values of `fluid.layers` where their forms or results are not those of functions of today."""

import numpy as np
import paddle
import pytest
from paddle import fluid
from paddle.fluid import layers

RNG = np.random.RandomState(0)
X = RNG.randn(2, 3, 4).astype("float32")


def tensor(array):
    return fluid.dygraph.to_variable(np.asarray(array))


def same(found, wanted, **kwargs):
    np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-5, atol=1e-6, **kwargs)


def test_cross_entropy_takes_probabilities():
    shares = np.array([[0.2, 0.8], [0.5, 0.5]], "float32")
    same(layers.cross_entropy(tensor(shares), tensor([[1], [0]])), -np.log([[0.8], [0.5]]))
    soft = np.array([[0.3, 0.7], [1.0, 0.0]], "float32")
    same(layers.cross_entropy(tensor(shares), tensor(soft), soft_label=True), -(soft * np.log(shares)).sum(1)[:, None])
    ignored = layers.cross_entropy(tensor(shares), tensor([[1], [-100]]))
    same(ignored, [[-np.log(0.8)], [0.0]])


@pytest.mark.parametrize(
    ("name", "reduced"),
    [
        ("reduce_sum", np.sum),
        ("reduce_mean", np.mean),
        ("reduce_max", np.max),
        ("reduce_min", np.min),
        ("reduce_prod", np.prod),
    ],
)
def test_reductions_take_dim_and_keep_one_axis(name, reduced):
    function = getattr(layers, name)
    same(function(tensor(X), dim=1), reduced(X, 1))
    same(function(tensor(X), dim=[0, -1], keep_dim=True), reduced(X, (0, 2), keepdims=True))
    whole = function(tensor(X))
    assert whole.shape == [1]
    same(whole, [reduced(X)])


def test_sums_of_integers_keep_their_dtype():
    assert layers.reduce_sum(tensor(np.ones([3], "int32"))).dtype == paddle.int32


def test_elementwise_functions_put_y_below_an_axis_of_x():
    y = RNG.rand(3).astype("float32") + 1
    same(layers.elementwise_add(tensor(X), tensor(y), axis=1), X + y[:, None])
    same(layers.elementwise_mul(tensor(X), tensor(y[:2]), axis=0), X * y[:2, None, None])
    same(layers.elementwise_sub(tensor(X), tensor(X[0]), act="relu"), np.maximum(X - X[0], 0))
    same(layers.elementwise_pow(tensor(np.abs(X)), tensor(np.abs(X))), np.abs(X) ** np.abs(X))
    whole = layers.elementwise_div(tensor(np.array([7, 9], "int32")), tensor(np.array([2, 3], "int32")))
    assert whole.dtype == paddle.int32 and whole.tolist() == [3, 3]


def test_mul_takes_tensors_as_matrices():
    weight = RNG.randn(12, 5).astype("float32")
    same(layers.mul(tensor(X), tensor(weight)), X.reshape(2, 12) @ weight)
    same(layers.mul(tensor(X), tensor(weight[:4]), x_num_col_dims=2), X @ weight[:4])
    assert layers.matmul(tensor(X[0, 0]), tensor(X[0, 0])).shape == [1]


def test_pool2d_takes_means_without_places_around():
    image = np.arange(16.0, dtype="float32").reshape(1, 1, 4, 4)
    same(layers.pool2d(tensor(image), 2, "max", 2), [[[[5, 7], [13, 15]]]])
    same(layers.pool2d(tensor(image), 2, "avg", 2, pool_padding=1)[0, 0, 0, :1], [0.0])
    same(layers.pool2d(tensor(image), 2, "avg", 2, pool_padding=1, exclusive=False)[0, 0, 1, :1], [(4 + 8) / 4])
    same(layers.pool2d(tensor(image), pool_type="avg", global_pooling=True), [[[[7.5]]]])
    with pytest.raises(ValueError, match="pool_type has value 'sum'"):
        layers.pool2d(tensor(image), 2, "sum")


def test_one_hot_and_topk():
    labels = tensor(np.array([[1], [0]]))
    same(layers.one_hot(labels, 3), [[0, 1, 0], [1, 0, 0]])
    assert fluid.one_hot(labels, 3).shape == [2, 1, 3]
    values, places = layers.topk(tensor(X[0]), k=2)
    same(values, -np.sort(-X[0], -1)[:, :2])
    assert places.tolist() == np.argsort(-X[0], -1)[:, :2].tolist()


def test_reshape_squeeze_expand_and_split():
    x = tensor(X)
    assert layers.reshape(x, [0, -1]).shape == [2, 12]
    assert layers.unsqueeze(x, axes=[0, 2]).shape == [1, 2, 1, 3, 4]
    assert layers.squeeze(layers.unsqueeze(x, [1]), axes=[1]).shape == [2, 3, 4]
    same(layers.expand(x, [1, 2, 1]), np.tile(X, [1, 2, 1]))
    assert [part.shape[1] for part in layers.split(x, [1, -1], dim=1)] == [1, 2]
    assert [part.shape for part in layers.split(x, 2)] == [[2, 3, 2]] * 2
    assert layers.flatten(x, axis=2).shape == [6, 4]
    same(layers.slice(x, axes=[1, 2], starts=[1, -2], ends=[3, 10]), X[:, 1:3, -2:])
    assert layers.shape(x).tolist() == [2, 3, 4] and layers.shape(x).dtype == paddle.int32
    same(layers.pad2d(tensor(X[None]), [1, 0, 0, 2]), np.pad(X[None], [(0, 0), (0, 0), (1, 0), (0, 2)]))
    same(layers.reverse(x, [0, 2]), X[::-1, :, ::-1])


def test_losses_are_their_formulas():
    a, b = (RNG.rand(4, 3).astype("float32") for _ in range(2))
    same(layers.square_error_cost(tensor(a), tensor(b)), (a - b) ** 2)
    d = np.abs(a - b)
    same(layers.smooth_l1(tensor(a), tensor(b), sigma=2.0), np.where(d < 0.25, 2 * d * d, d - 0.125).sum(1)[:, None])
    same(layers.huber_loss(tensor(a), tensor(b), 0.3), np.where(d <= 0.3, d * d / 2, 0.3 * (d - 0.15)))
    entropy = np.log1p(np.exp(-a)) + a * (1 - b)
    same(layers.sigmoid_cross_entropy_with_logits(tensor(a), tensor(b)), entropy)
    same(layers.log_loss(tensor(a), tensor(b)), -b * np.log(a + 1e-4) - (1 - b) * np.log(1 - a + 1e-4))
    same(layers.kldiv_loss(tensor(np.log(a)), tensor(b), "sum"), [(b * (np.log(b) - np.log(a))).sum()])
    one = a[:, :1] - b[:, :1]
    same(
        layers.rank_loss(tensor(b[:, 1:2]), tensor(a[:, :1]), tensor(b[:, :1])), np.log1p(np.exp(one)) - b[:, 1:2] * one
    )
    label = np.array([[0], [2], [1], [1]])
    own = np.take_along_axis(a, label, 1)
    others = [
        [-np.log(1 / (1 + np.exp(-(own[i, 0] - a[i, j])))) for j in range(3) if j != label[i, 0]] for i in range(4)
    ]
    same(layers.bpr_loss(tensor(a), tensor(label)), np.mean(others, 1)[:, None])


def test_activations_have_the_settings_of_then():
    x = tensor(X)
    same(layers.leaky_relu(x), np.where(X > 0, X, 0.02 * X))
    same(layers.hard_sigmoid(x), np.clip(0.2 * X + 0.5, 0, 1))
    same(layers.brelu(x, -0.5, 0.5), np.clip(X, -0.5, 0.5))
    same(layers.soft_relu(x), np.log1p(np.exp(X)))
    same(layers.stanh(x), 1.7159 * np.tanh(0.67 * X))
    same(layers.swish(x, 2.0), X / (1 + np.exp(-2 * X)))
    same(layers.hard_swish(x), X * np.clip(X + 3, 0, 6) / 6)
    same(layers.thresholded_relu(x, 0.5), np.where(X > 0.5, X, 0))
    same(layers.pow(x, factor=2.0), X**2)
    same(layers.cumsum(x, axis=1, exclusive=True), np.cumsum(X, 1) - X)
    same(layers.scale(x, 2.0, 1.0, bias_after_scale=False), 2 * (X + 1))
    same(layers.l2_normalize(x, axis=-1), X / np.sqrt((X**2).sum(-1, keepdims=True)))
    same(layers.clip_by_norm(x, 1.0), X / np.sqrt((X**2).sum()))


def test_unique_gives_elements_in_the_order_of_their_first_places():
    out, index, count = layers.unique_with_counts(tensor(np.array([2, 3, 3, 1, 5, 3])))
    assert (out.tolist(), index.tolist(), count.tolist()) == ([2, 3, 1, 5], [0, 1, 1, 2, 3, 1], [1, 3, 1, 1])


def test_gru_and_lstm_cells_follow_their_formulas():
    x, h, c = (RNG.randn(2, 3).astype("float32") for _ in range(3))

    def sigmoid(v):
        return 1 / (1 + np.exp(-v))

    cell = layers.GRUCell(3)
    made, _ = cell(tensor(x), tensor(h))
    weight, other = cell.gate_weight.numpy(), cell.candidate_weight.numpy()
    r, u = np.split(sigmoid(np.concatenate([x, h], 1) @ weight + 1.0), 2, 1)
    candidate = np.tanh(np.concatenate([x, r * h], 1) @ other)
    same(made, u * h + (1 - u) * candidate)

    cell = layers.LSTMCell(3)
    made, (_, new) = cell(tensor(x), [tensor(h), tensor(c)])
    i, j, f, o = np.split(np.concatenate([x, h], 1) @ cell.gates_weight.numpy(), 4, 1)
    wanted = c * sigmoid(f + 1.0) + sigmoid(i) * np.tanh(j)
    same(new, wanted)
    same(made, np.tanh(wanted) * sigmoid(o))


def test_functions_that_make_parameters_say_that_they_need_a_program():
    with pytest.raises(AssertionError, match=r"paddle\.enable_static\(\)"):
        layers.fc(tensor(X), 3)
    with pytest.raises(AssertionError, match=r"paddle\.enable_static\(\)"):
        layers.data("x", [3])


def test_chunks_of_all_schemes():
    from paddle.fluid.chunks import chunks_of

    assert chunks_of([0, 1, 1, 2, 4, 1], "IOB", 2) == {(0, 2, 0), (3, 3, 1), (5, 5, 0)}
    assert chunks_of([0, 1, 0, 4], "IOE", 2) == {(0, 1, 0), (2, 2, 0)}
    assert chunks_of([0, 1, 2, 3, 8, 4, 6], "IOBES", 2) == {(0, 2, 0), (3, 3, 0), (5, 6, 1)}
    assert chunks_of([0, 0, 1, 2], "plain", 2) == {(0, 1, 0), (2, 2, 1)}
