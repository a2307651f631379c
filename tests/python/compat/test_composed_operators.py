# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Operators of `paddle._C_ops` by position, as programs that were printed from saved graphs call them."""

import inspect

import numpy as np
import paddle
import pytest

C = paddle._C_ops
HOST = paddle.CPUPlace()


def integer(value):
    return C.full([1], float(value), paddle.int32, HOST)


def rand(*shape):
    return np.random.RandomState(sum(shape)).uniform(0.2, 1.0, shape).astype("float32")


def tensor(values, dtype=None):
    return paddle.to_tensor(values, dtype=dtype)


def captured(function, *inputs):
    return paddle.jit.to_static(function, full_graph=True)(*inputs)


def both(function, *inputs):
    """The result of eager calls, once the captured program has given the same."""
    eager, program = function(*inputs), captured(function, *inputs)
    for one, other in zip(*(r if isinstance(r, list | tuple) else [r] for r in (eager, program)), strict=True):
        np.testing.assert_allclose(one.numpy(), other.numpy(), rtol=1e-6)
    return eager


def test_an_axis_may_be_a_constant_of_the_program():
    x = tensor(rand(2, 4))
    joined = both(lambda x: C.concat([x, x], integer(1)), x)
    np.testing.assert_array_equal(joined.numpy(), np.concatenate([x.numpy()] * 2, 1))
    parts = both(lambda x: C.split(x, [1, 3], integer(1)), x)
    assert [p.shape for p in parts] == [[2, 1], [2, 3]]
    assert len(both(lambda x: C.split_with_num(x, 2, integer(1)), x)) == 2
    np.testing.assert_allclose(both(lambda x: C.cumsum(x, integer(1), False, False, False), x), x.numpy().cumsum(1))
    rows = both(lambda x: C.gather(x, tensor([3, 0]), integer(1)), x)
    np.testing.assert_array_equal(rows.numpy(), x.numpy()[:, [3, 0]])
    assert both(lambda x: C.one_hot(C.cast(x, paddle.int64), integer(3)), x).shape == [2, 4, 3]
    assert both(lambda x: x + C.eye(integer(2), integer(4), paddle.float32, HOST), x).shape == [2, 4]
    assert both(lambda x: C.topk(x, integer(2), 1, True, True), x)[0].shape == [2, 2]


def test_results_that_only_gradients_read_are_not_returned():
    x, ones, zeros = tensor(rand(2, 4, 3, 3)), paddle.ones([4]), paddle.zeros([4])
    assert both(lambda x: C.group_norm(x, ones, zeros, 1e-5, 2, "NCHW"), x).shape == x.shape
    assert both(lambda x: C.layer_norm(x, None, None, 1e-5, 2), x).shape == x.shape
    assert C.dropout(x, None, 0.5, True, "upscale_in_train", 0, False).shape == x.shape
    assert C.huber_loss(x, x, 1.0).shape == x.shape
    assert list(inspect.signature(C.layer_norm).parameters)[:3] == ["x", "scale", "bias"]


@pytest.mark.parametrize("is_test", [True, False])
def test_batch_norm(is_test):
    x = rand(4, 3, 2, 2)

    def run(x):
        mean, variance = paddle.full([3], 0.5), paddle.full([3], 2.0)
        scale, bias = paddle.full([3], 1.5), paddle.full([3], 0.25)
        out = C.batch_norm(x, mean, variance, scale, bias, is_test, 0.9, 1e-5, "NCHW", False, False)
        return [*out[:3], mean]

    out, mean, variance, running = both(run, tensor(x))
    of_batch, spread = x.mean((0, 2, 3)), x.var((0, 2, 3))
    used_mean, used_variance = (0.5, 2.0) if is_test else (of_batch[:, None, None], spread[:, None, None])
    expected = (x - used_mean) / np.sqrt(used_variance + 1e-5) * 1.5 + 0.25
    np.testing.assert_allclose(out.numpy(), expected, rtol=2e-5, atol=2e-5)
    np.testing.assert_allclose(mean.numpy(), np.full(3, 0.5) if is_test else 0.45 + 0.1 * of_batch, rtol=1e-5)
    np.testing.assert_allclose(running.numpy(), mean.numpy())


def test_in_place_forms():
    x = tensor([-1.0, 2.0])
    assert C.relu_(x) is x
    assert x.tolist() == [0, 2]
    assert C.add_(x, x).tolist() == [0, 4]
    assert C.cast_(x, paddle.int64).dtype == paddle.int64
    assert C.unsqueeze_(x, [0]).shape == [1, 2]
    assert C.where_(tensor([[True, False]]), x, x * 0).tolist() == [[0, 0]]
    with pytest.raises(AttributeError):
        C.conv2d_  # noqa: B018

    def doubled(x):
        y = x * 2
        C.scale_(y, 3.0, 1.0, True)
        return y

    x = tensor([1.0], "float32")
    x.stop_gradient = False
    out = doubled(x)
    out.backward()
    assert (out.tolist(), x.grad.tolist()) == ([7], [6])
    assert captured(doubled, x).tolist() == [7]


def test_values_are_written_by_position():
    def part(x):
        y = C.full([1, 4, 4], 1.0, paddle.float32, HOST)
        C.set_value_(y, [0, 0], [-2, -2], [1, 1], [1, 2], [], [], [1], [float("5")])
        return y + x

    expected = np.ones([1, 4, 4], "float32")
    expected[:, :-2, :-2] = 5
    np.testing.assert_array_equal(both(part, paddle.zeros([1])).numpy(), expected)

    x = paddle.zeros([2, 3])
    start = C.stack([tensor(1), tensor(0)], 0)
    out = C.set_value(x, start, [2, 2147483647], [1, 2], [0, 1], [0], [], [2], [7.0, 8.0])
    assert (out.tolist(), x.sum().item()) == ([[0, 0, 0], [7, 0, 8]], 0)
    rows = C.set_value_with_tensor_(x, paddle.ones([1, 3]), [0], [1], [1], [0], [], [])
    assert rows is x
    assert x.tolist() == [[1, 1, 1], [0, 0, 0]]
    out = C.set_value_with_tensor(x, paddle.full([2, 1, 1], 9.0), [0], [1], [1], [1], [], [1])
    assert out.tolist() == [[9, 1, 1], [9, 0, 0]]

    made = C.assign_value_(C.full([2], 0.0, paddle.int64, HOST), [2], paddle.int64, [3.0, -1.0], HOST)
    assert (made.dtype, made.tolist()) == (paddle.int64, [3, -1])
    assert C.full_(paddle.zeros([3]), [2], 4.0, paddle.float32, HOST).tolist() == [4, 4]
    assert C.assign_out_(tensor([1.0, 2.0]), paddle.zeros([2])).tolist() == [1, 2]


def lstm_step(x, h, c, w, r, b):
    i, f, g, o = np.split(x @ w.T + h @ r.T + b, 4, -1)
    sigmoid = lambda v: 1 / (1 + np.exp(-v))
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    return sigmoid(o) * np.tanh(c), c


def test_rnn():
    steps, batch, size, units = 3, 2, 4, 5
    x, states = rand(steps, batch, size), [rand(2, batch, units), rand(2, batch, units) / 2]
    matrices = [rand(4 * units, n) - 0.5 for n in (size, units, size, units)]
    biases = [rand(4 * units) - 0.5 for _ in range(4)]
    out, _, last = C.rnn(
        tensor(x), [tensor(s) for s in states], [tensor(w) for w in matrices + biases], None,
        C.full([], 0.0, paddle.uint8, HOST), 0.0, True, size, units, 1, "LSTM", 0, True,
    )  # fmt: skip
    expected = np.zeros([steps, batch, 2 * units], "float32")
    for direction in range(2):
        h, c = states[0][direction], states[1][direction]
        w, r = matrices[2 * direction : 2 * direction + 2]
        bias = biases[2 * direction] + biases[2 * direction + 1]
        for t in reversed(range(steps)) if direction else range(steps):
            h, c = lstm_step(x[t], h, c, w, r, bias)
            expected[t, :, direction * units : (direction + 1) * units] = h
        np.testing.assert_allclose(last[0][direction].numpy(), h, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(last[1][direction].numpy(), c, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(out.numpy(), expected, rtol=1e-5, atol=1e-6)


def test_norms_and_products():
    x = rand(2, 3, 4)
    out, length = both(lambda x: C.norm(x, 1, 1e-12, False), tensor(x))
    np.testing.assert_allclose(length.numpy(), np.linalg.norm(x, axis=1, keepdims=True), rtol=1e-6)
    np.testing.assert_allclose(out.numpy(), x / np.linalg.norm(x, axis=1, keepdims=True), rtol=1e-6)
    np.testing.assert_allclose(
        both(lambda x: C.frobenius_norm(x, [1, 2], False, False), tensor(x)), np.sqrt((x**2).sum((1, 2))), rtol=1e-6
    )
    np.testing.assert_allclose(C.clip_by_norm(tensor([3.0, 4.0]), 1.0).numpy(), [0.6, 0.8], rtol=1e-6)
    assert C.clip_by_norm(tensor([0.3, 0.4]), 1.0).tolist() == pytest.approx([0.3, 0.4])
    product = C.einsum([tensor(x), tensor(x)], "bij,bkj->bik")[0]
    np.testing.assert_allclose(product.numpy(), np.einsum("bij,bkj->bik", x, x), rtol=1e-5)
    np.testing.assert_allclose(
        C.linear_v2(tensor(x), tensor(rand(5, 4)), None, True).numpy(), x @ rand(5, 4).T, rtol=1e-5
    )
    assert C.matrix_rank(paddle.eye(3), 0.5, False, False).item() == 3
    assert C.mish(tensor([1.0]), 20.0).item() == pytest.approx(np.tanh(np.log1p(np.e)))
    values, first, inverse, counts = C.unique(tensor([3, 1, 3]), True, True, True, [], paddle.int64, True)
    assert [v.tolist() for v in (values, first, inverse, counts)] == [[1, 3], [1, 0], [1, 0, 1], [1, 2]]


def test_graph_operators():
    x, sources, targets = tensor([[1.0], [2.0], [4.0]]), tensor([0, 1, 2]), tensor([1, 1, 0])
    assert C.send_u_recv(x, sources, targets, "SUM", [0]).tolist() == [[4], [3], [0]]
    assert C.send_u_recv(x, sources, targets, "MAX", [2]).tolist() == [[4], [2]]
    assert C.send_ue_recv(x, x, sources, targets, "MUL", "SUM", [0]).tolist() == [[16], [5], [0]]
    assert C.send_uv(x, x, sources, targets, "ADD").tolist() == [[3], [4], [5]]
    assert C.segment_pool(x, tensor([0, 0, 1]), "MEAN").tolist() == [[1.5], [4]]


def test_detection_operators():
    rois = tensor([[0.0, 0.0, 40, 40], [0, 0, 300, 300], [0, 0, 30, 30]])
    levels, counts, restore = C.distribute_fpn_proposals(rois, tensor([2, 1], "int32"), 2, 5, 4, 224, False)
    assert [len(level) for level in levels] == [2, 0, 1, 0]
    assert [c.tolist() for c in counts] == [[1, 1], [0, 0], [1, 0], [0, 0]]
    assert restore.tolist() == [[0], [2], [1]]
    boxes = [tensor(np.arange(4.0 * n).reshape(n, 4).astype("float32") + 10 * n) for n in (3, 2)]
    scores = [tensor([[0.1], [0.9], [0.5]]), tensor([[0.3], [0.7]])]
    numbers = [tensor([1, 2], "int32"), tensor([1, 1], "int32")]
    kept, of_image = C.collect_fpn_proposals(boxes, scores, numbers, 3)
    assert of_image.tolist() == [0, 3]
    assert kept[:, 0].tolist() == [34, 24, 38]


def test_loss_scaling():
    grads, scale = [tensor([2.0, 4.0]), tensor([6.0])], tensor([2.0])
    _, found = C.check_finite_and_unscale_(grads, scale)
    assert ([g.tolist() for g in grads], found.tolist()) == ([[1, 2], [3]], [False])
    good, bad = tensor([1], "int32"), tensor([0], "int32")
    C.update_loss_scaling_(grads, found, scale, good, bad, 2, 1, 2.0, 0.5, False)
    assert (scale.item(), good.item(), bad.item()) == (4, 0, 0)
    _, found = C.check_finite_and_unscale_([tensor([float("inf")])], scale)
    C.update_loss_scaling_(grads, found, scale, good, bad, 2, 1, 2.0, 0.5, False)
    assert (scale.item(), good.item(), bad.item(), grads[1].item()) == (2, 0, 0, 0)


def test_small_operators():
    share, hits, total = C.accuracy(paddle.rand([2, 2]), tensor([[0, 1], [2, 1]]), tensor([[1], [0]]))
    assert (share.item(), hits.item(), total.item()) == (0.5, 1, 2)
    assert C.shape(paddle.ones([2, 3])).dtype == paddle.int32
    assert C.full_int_array([2, 3], paddle.int64, HOST).tolist() == [2, 3]
    assert C.sequence_mask(tensor([1, 3]), -1, paddle.int64).tolist() == [[1, 0, 0], [1, 1, 1]]
    assert C.full_batch_size_like(paddle.ones([5, 2]), [1, 3], paddle.float32, 2.0, 0, 0, HOST).shape == [5, 3]
    x = paddle.rand([2, 4, 2, 2])
    assert C.temporal_shift(x, 2, 0.25, "NCHW").shape == x.shape
    assert C.affine_channel(x, paddle.full([4], 2.0), paddle.ones([4]), "NCHW").numpy() == pytest.approx(
        2 * x.numpy() + 1
    )
    assert C.index_select_strided(x, 1, 0).shape == [4, 2, 2]
    assert [t.shape for t in C.max_with_index(x, 1, False, False)] == [[2, 2, 2]] * 2
    out, state = C.fused_dropout_add(x, x, None, 0.5, True, "upscale_in_train", 0, False)
    assert state is None
    np.testing.assert_allclose(out.numpy(), 2 * x.numpy())


def test_every_listed_operator_is_found():
    listed = dir(C)
    assert {"relu_", "batch_norm", "conv2d", "matmul_grad"} <= set(listed)
    for name in listed:
        assert getattr(C, name) is not None


def test_attention_by_position():
    q, k, v = (rand(1, n, 2, 4) for n in (3, 5, 5))
    out = paddle._C_ops.flash_attn(tensor(q), tensor(k), tensor(v), None, None, 0.0, False, False, True, "")[0]
    weights = np.exp(np.einsum("bqhd,bkhd->bhqk", q, k) / 2)
    weights /= weights.sum(-1, keepdims=True)
    np.testing.assert_allclose(out.numpy(), np.einsum("bhqk,bkhd->bqhd", weights, v), rtol=1e-5)


def test_operators_on_sparse_tensors():
    ops = paddle._C_ops
    dense = np.array([[0.0, -2.0], [3.0, 0.0]], "float32")
    x = paddle.to_tensor(dense).to_sparse_coo(2)
    assert x.shape == [2, 2] and isinstance(x.shape, paddle.Size)
    assert ops.sparse_relu(x).to_dense().numpy().tolist() == np.maximum(dense, 0).tolist()
    assert ops.sparse_values(x).tolist() == [-2.0, 3.0] and ops.sparse_indices(x).tolist() == [[0, 1], [1, 0]]
    assert ops.sparse_scale(x, 2.0, 0.0, True).to_dense().numpy().tolist() == (2 * dense).tolist()
    assert ops.sparse_divide_scalar(x, 2.0).to_dense().numpy().tolist() == (dense / 2).tolist()
    again = ops.sparse_sparse_coo_tensor(ops.sparse_values(x), ops.sparse_indices(x), [2, 2])
    assert ops.sparse_to_dense(again).numpy().tolist() == dense.tolist()
    with pytest.raises(ValueError, match="bias is 1"):
        ops.sparse_scale(x, 2.0, 1.0, True)
    with pytest.raises(AttributeError, match="none of that name"):
        getattr(ops, "sparse_no_such_operator")  # noqa: B009
