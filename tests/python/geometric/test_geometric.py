# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""paddle.geometric against sums written out in NumPy."""

import numpy as np
import paddle
import pytest

X = np.array([[1.0, 2, 3], [1, 5, 0], [4, 5, 6]], "float32")
SRC, DST = [0, 1, 2, 0], [1, 1, 1, 0]
EDGE = np.array([[1.0], [2], [3], [4]], "float32")
OPS = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide}
REDUCE = {"sum": np.sum, "mean": np.mean, "max": np.max, "min": np.min}


def expected(message, dst, count, reduce):
    out = np.zeros((count, *message.shape[1:]), message.dtype)
    for node in set(dst):
        out[node] = REDUCE[reduce](message[np.array(dst) == node], axis=0)
    return out


@pytest.mark.parametrize("reduce", REDUCE)
def test_send_u_recv_reduces_what_edges_bring(reduce):
    src, dst = paddle.to_tensor(SRC), paddle.to_tensor(DST)
    out = paddle.geometric.send_u_recv(paddle.to_tensor(X), src, dst, reduce)
    np.testing.assert_allclose(out.numpy(), expected(X[SRC], DST, 3, reduce), rtol=1e-6)
    out = paddle.geometric.send_u_recv(paddle.to_tensor(X), src, dst, reduce, out_size=paddle.to_tensor([2]))
    np.testing.assert_allclose(out.numpy(), expected(X[SRC], DST, 2, reduce), rtol=1e-6)


@pytest.mark.parametrize(
    ("reduce", "grad"),
    [
        ("sum", [[2, 4, 6], [1, 2, 3], [1, 2, 3]]),
        ("mean", [[4 / 3, 8 / 3, 4], [1 / 3, 2 / 3, 1], [1 / 3, 2 / 3, 1]]),
        ("max", [[1, 2, 3], [0, 2, 0], [1, 2, 3]]),
        ("min", [[2, 4, 3], [1, 0, 3], [0, 0, 0]]),
    ],
)
def test_every_element_that_attains_an_extreme_gets_its_gradient(reduce, grad):
    x = paddle.to_tensor(X, stop_gradient=False)
    out = paddle.geometric.send_u_recv(x, paddle.to_tensor(SRC), paddle.to_tensor(DST), reduce)
    (out * paddle.to_tensor([1.0, 2, 3])).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), grad, rtol=1e-6)


@pytest.mark.parametrize("reduce", REDUCE)
@pytest.mark.parametrize("op", OPS)
def test_send_ue_recv_joins_nodes_and_edges(op, reduce):
    src, dst = paddle.to_tensor(SRC), paddle.to_tensor(DST)
    want = expected(OPS[op](X[SRC], EDGE), DST, 3, reduce)
    for edge in (EDGE, EDGE[:, 0]):
        out = paddle.geometric.send_ue_recv(paddle.to_tensor(X), paddle.to_tensor(edge), src, dst, op, reduce)
        np.testing.assert_allclose(out.numpy(), want, rtol=1e-6)


def test_gradients_of_messages_have_any_order():
    x = paddle.to_tensor(X.astype("float64"), stop_gradient=False)
    edge = paddle.to_tensor(EDGE.astype("float64"), stop_gradient=False)
    src, dst = paddle.to_tensor(SRC), paddle.to_tensor(DST)
    out = paddle.geometric.send_ue_recv(x, edge, src, dst, "mul", "max")
    gx, ge = paddle.grad((out * paddle.to_tensor([1.0, 2, 3], "float64")).sum(), [x, edge], create_graph=True)
    np.testing.assert_allclose(gx.numpy(), [[4, 8, 12], [0, 0, 0], [3, 6, 9]])
    np.testing.assert_allclose(ge.numpy(), [[0], [0], [32], [14]])
    (second,) = paddle.grad(gx.sum(), edge)
    np.testing.assert_allclose(second.numpy(), [[0], [0], [6], [6]])


@pytest.mark.parametrize("op", OPS)
def test_send_uv_joins_both_ends(op):
    out = paddle.geometric.send_uv(
        paddle.to_tensor(X), paddle.to_tensor(X[:, :1] + 1), paddle.to_tensor(SRC), paddle.to_tensor(DST), op
    )
    np.testing.assert_allclose(out.numpy(), OPS[op](X[SRC], X[DST, :1] + 1), rtol=1e-6)


@pytest.mark.parametrize("reduce", REDUCE)
def test_segments_are_reduced_and_missing_ids_give_zero(reduce):
    function = getattr(paddle.geometric, "segment_" + reduce)
    ids = [0, 0, 2]
    out = function(paddle.to_tensor(X), paddle.to_tensor(ids))
    np.testing.assert_allclose(out.numpy(), expected(X, ids, 3, reduce), rtol=1e-6)
    assert function(paddle.zeros([0, 2]), paddle.zeros([0], "int64")).shape == [0, 2]


def test_segment_means_of_integers_round_down():
    out = paddle.geometric.segment_mean(paddle.to_tensor([[1, 2], [1, 5]]), paddle.to_tensor([0, 0]))
    assert out.dtype == paddle.int64
    assert out.tolist() == [[1, 3]]


def test_bad_graphs_are_refused():
    x, src, dst = paddle.to_tensor(X), paddle.to_tensor(SRC), paddle.to_tensor(DST)
    geometric = paddle.geometric
    with pytest.raises(ValueError, match="must not decrease"):
        geometric.segment_sum(x, paddle.to_tensor([2, 0, 0]))
    with pytest.raises(IndexError):
        geometric.segment_sum(x, paddle.to_tensor([-1, 0, 0]))
    with pytest.raises(ValueError, match="segment_ids must be a Tensor"):
        geometric.segment_sum(x, 0.5)
    with pytest.raises(ValueError, match="reduce_op"):
        geometric.send_u_recv(x, src, dst, "prod")
    with pytest.raises(IndexError, match="dst_index"):
        geometric.send_u_recv(x, src, dst, out_size=1)
    with pytest.raises(IndexError, match="src_index"):
        geometric.send_u_recv(x, src + 5, dst)
    with pytest.raises(ValueError, match="one row per edge"):
        geometric.send_ue_recv(x, paddle.ones([3, 1]), src, dst)


def test_reindex_numbers_nodes_as_they_appear():
    x = paddle.to_tensor([0, 1, 2])
    near, count = paddle.to_tensor([8, 9, 0, 4, 7, 6, 7]), paddle.to_tensor([2, 3, 2], dtype="int32")
    made = paddle.geometric.reindex_graph(x, near, count)
    assert [one.tolist() for one in made] == [
        [3, 4, 0, 5, 6, 7, 6],
        [0, 0, 1, 1, 1, 2, 2],
        [0, 1, 2, 8, 9, 4, 7, 6],
    ]
    other, sizes = paddle.to_tensor([0, 2, 3, 5, 1]), paddle.to_tensor([1, 3, 1], dtype="int32")
    made = paddle.geometric.reindex_heter_graph(x, [near, other], [count, sizes])
    assert [one.tolist() for one in made] == [
        [3, 4, 0, 5, 6, 7, 6, 0, 2, 8, 9, 1],
        [0, 0, 1, 1, 1, 2, 2, 0, 1, 1, 1, 2],
        [0, 1, 2, 8, 9, 4, 7, 6, 3, 5],
    ]


def test_reindex_in_programs():
    def f(x, near, count):
        return paddle.geometric.reindex_graph(x, near, count)

    x, near = paddle.to_tensor([5, 1, 2]), paddle.to_tensor([8, 5, 0, 4, 7, 8, 7])
    count = paddle.to_tensor([2, 3, 2], dtype="int32")
    expected = [t.tolist() for t in f(x, near, count)]
    assert expected[2] == [5, 1, 2, 8, 0, 4, 7]
    captured = paddle.jit.to_static(f, full_graph=True)
    made = captured(x, near, count)
    assert [t.tolist() for t in made] == expected and [t.dtype for t in made] == [paddle.int64] * 3
    fewer = (x[:2], near[:4], paddle.to_tensor([3, 1], dtype="int32"))
    assert [t.tolist() for t in captured(*fewer)] == [t.tolist() for t in f(*fewer)]


ROW = [3, 7, 0, 9, 1, 4, 2, 9, 3, 9, 1, 9, 7]
COLPTR = [0, 2, 4, 5, 6, 7, 9, 11, 11, 13, 13]


def test_sampled_neighbours_are_distinct_and_belong_to_the_node():
    row, colptr, nodes = paddle.to_tensor(ROW), paddle.to_tensor(COLPTR), paddle.to_tensor([0, 8, 1, 2])
    everything, count = paddle.geometric.sample_neighbors(row, colptr, nodes)
    assert everything.tolist() == [3, 7, 9, 7, 0, 9, 1]
    assert (count.tolist(), count.dtype) == ([2, 2, 2, 1], paddle.int32)
    near, count, ids = paddle.geometric.sample_neighbors(
        row, colptr, nodes, 1, eids=paddle.arange(13), return_eids=True
    )
    assert count.tolist() == [1, 1, 1, 1]
    assert near.tolist() == [ROW[i] for i in ids.tolist()]
    for node, edge in zip([0, 8, 1, 2], ids.tolist(), strict=True):
        assert COLPTR[node] <= edge < COLPTR[node + 1]
    with pytest.raises(ValueError, match="eids"):
        paddle.geometric.sample_neighbors(row, colptr, nodes, 1, return_eids=True)
    with pytest.raises(IndexError):
        paddle.geometric.sample_neighbors(row, colptr, paddle.to_tensor([10]))


def test_chances_follow_the_weights():
    paddle.seed(7)
    degree = 4
    row, colptr = paddle.arange(degree), paddle.to_tensor([0, degree])
    weight = paddle.to_tensor([1.0, 2.0, 0.0, 5.0])
    nodes = paddle.zeros([4000], "int64")
    near, _ = paddle.geometric.weighted_sample_neighbors(row, colptr, weight, nodes, 1)
    share = np.bincount(near.numpy(), minlength=degree) / 4000
    np.testing.assert_allclose(share, [1 / 8, 2 / 8, 0, 5 / 8], atol=0.03)
    near, _ = paddle.geometric.sample_neighbors(row, colptr, nodes, 2)
    assert (np.diff(near.numpy().reshape(-1, 2)) > 0).all()
    np.testing.assert_allclose(np.bincount(near.numpy()) / 4000, [0.5] * 4, atol=0.03)


def test_the_number_of_nodes_may_be_a_value_of_a_captured_function():
    def received(x, nodes):
        src, dst = paddle.to_tensor(SRC), paddle.to_tensor(DST)
        return [paddle.geometric.send_u_recv(x, src, dst, reduce, out_size=nodes) for reduce in REDUCE]

    captured = paddle.jit.to_static(received, full_graph=True)
    for nodes, count in ((2, 2), (5, 5), (0, 3)):
        for reduce, out in zip(REDUCE, captured(paddle.to_tensor(X), paddle.to_tensor(nodes)), strict=True):
            np.testing.assert_allclose(out.numpy(), expected(X[SRC], DST, count, reduce), rtol=1e-6)
