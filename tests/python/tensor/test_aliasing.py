# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Which functions give views, copies or the tensor itself; what a write through one shows."""

import numpy as np
import paddle
import paddle.nn.functional as F
import pytest

VIEWS = {
    "reshape": lambda x: x.reshape([4, 3]),
    "transpose": lambda x: x.transpose([1, 0]),
    "index": lambda x: x[0],
    "slice": lambda x: x[:, 1:3],
    "unsqueeze": lambda x: x.unsqueeze(0),
    "diagonal": lambda x: paddle.diagonal(x),
    "unbind": lambda x: paddle.unbind(x)[1],
    "unbind of columns": lambda x: x.unbind(-1)[1],
    "detach": lambda x: x.detach(),
}
COPIES = {
    "expand to its own shape": lambda x: x.expand([3, 4]),
    "expand": lambda x: x.expand([2, 3, 4]),
    "expand_as": lambda x: x.expand_as(paddle.zeros([3, 4])),
    "broadcast_to": lambda x: paddle.broadcast_to(x, [3, 4]),
    "split": lambda x: paddle.split(x, 2, 1)[0],
    "chunk": lambda x: paddle.chunk(x, 2, 1)[0],
    "tensor_split": lambda x: paddle.tensor_split(x, 2)[0],
    "hsplit": lambda x: paddle.hsplit(x, 2)[0],
    "index array": lambda x: x[[0, 1]],
    "clone": lambda x: x.clone(),
    "cast": lambda x: paddle.cast(x, "float32"),
    "dropout of inference": lambda x: F.dropout(x, 0.5, training=False),
}
ITSELF = {
    "astype": lambda x: x.astype("float32"),
    "float": lambda x: x.float(),
    "type_as": lambda x: x.type_as(paddle.zeros([1])),
    "cpu": lambda x: x.cpu(),
    "dropout of nothing": lambda x: F.dropout(x, 0.0),
}


def _x():
    return paddle.arange(12, dtype="float32").reshape([3, 4]).clone()


@pytest.mark.parametrize("name", VIEWS)
def test_a_write_to_either_is_seen_by_the_other(name):
    x = _x()
    view = VIEWS[name](x)
    view.fill_(77.0)
    assert (x.numpy() == 77).sum() == view.size
    x.zero_()
    assert not view.numpy().any()


@pytest.mark.parametrize("name", COPIES)
def test_a_copy_and_its_source_do_not_see_each_others_writes(name):
    x = _x()
    copy = COPIES[name](x)
    before = copy.numpy()
    x.fill_(-1.0)
    assert (copy.numpy() == before).all()
    copy.fill_(77.0)
    assert (x.numpy() == -1).all()


@pytest.mark.parametrize("name", ITSELF)
def test_nothing_to_do_gives_the_tensor_itself(name):
    x = _x()
    assert ITSELF[name](x) is x


def test_astype_of_its_own_dtype_adds_nothing_to_the_history():
    x = _x()
    x.stop_gradient = False
    assert x.astype("float32") is x and x.astype("float32").is_leaf
    y = x.astype("float64").astype("float32")
    y.sum().backward()
    assert (x.grad.numpy() == 1).all()


def test_the_gradient_of_an_expansion_is_summed_although_it_is_a_copy():
    x = paddle.ones([3, 1])
    x.stop_gradient = False
    wide = x.expand([3, 4])
    assert not wide.stop_gradient
    wide[0] = 5.0
    (wide * paddle.arange(4, dtype="float32")).sum().backward()
    assert x.grad.tolist() == [[0.0], [6.0], [6.0]]


def test_a_captured_expansion_may_be_written():
    @paddle.jit.to_static(full_graph=True)
    def f(x):
        y = x.expand([2, 3])
        y[0] = 7.0
        return y, x * 1

    y, x = f(paddle.ones([1, 3]))
    assert y.tolist() == [[7.0] * 3, [1.0] * 3] and x.tolist() == [[1.0] * 3]


def test_unbind_of_a_recorded_tensor_stacks_the_gradients():
    x = _x()
    x.stop_gradient = False
    first, _, last = x.unbind()
    (first * 2 + last * 3).sum().backward()
    assert x.grad.tolist() == [[2.0] * 4, [0.0] * 4, [3.0] * 4]


def test_assign_makes_its_output_like_its_input():
    out = paddle.zeros([3], dtype="int64")
    x = paddle.ones([2, 2])
    assert paddle.assign(x, out) is out
    assert out.shape == [2, 2] and out.dtype == paddle.float32
    x.zero_()
    assert out.tolist() == [[1.0, 1.0], [1.0, 1.0]]


def test_a_gradient_flows_through_the_output_of_assign():
    x = paddle.ones([2])
    x.stop_gradient = False
    out = paddle.zeros([2])
    paddle.assign(x * 3, out)
    out.sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]


@pytest.mark.parametrize("output", ["plain", "leaf", "with history", "view"])
def test_the_output_of_assign_has_the_history_of_its_input(output):
    x, other = paddle.ones([2]), paddle.ones([2])
    x.stop_gradient = other.stop_gradient = False
    base = paddle.zeros([2, 2])
    out = {"plain": paddle.zeros([2]), "leaf": paddle.zeros([2]), "with history": other * 2, "view": base[0]}[output]
    out.stop_gradient = out.stop_gradient and output != "leaf"
    assert paddle.assign(x * 3, out) is out and not out.is_leaf
    assert output != "view" or base.tolist() == [[3.0, 3.0], [0.0, 0.0]]
    got = paddle.grad([out.sum()], [x, other], allow_unused=True)
    assert got[0].tolist() == [3.0, 3.0] and got[1] is None


def test_assign_without_gradients_leaves_a_leaf():
    x, leaf = paddle.ones([2]), paddle.zeros([2])
    x.stop_gradient = leaf.stop_gradient = False
    with paddle.no_grad():
        paddle.assign(x, leaf)
    assert leaf.is_leaf and not leaf.stop_gradient and leaf.tolist() == [1.0, 1.0]


@pytest.mark.parametrize("x", [np.ones([2, 2]), paddle.ones([4])], ids=["dtype", "shape"])
def test_a_leaf_takes_dtype_and_shape_of_what_is_assigned(x):
    leaf = paddle.nn.Linear(2, 2).weight
    assert paddle.assign(x, leaf) is leaf
    assert leaf.is_leaf and not leaf.stop_gradient
    assert leaf.shape == list(x.shape) and str(leaf.dtype).endswith(str(x.dtype).split(".")[-1])
    (leaf * 3).sum().backward()
    assert leaf.grad.flatten().tolist() == [3.0] * 4


def test_a_leaf_takes_the_history_of_what_is_assigned_with_another_shape():
    leaf, x = paddle.ones([3]), paddle.ones([2])
    leaf.stop_gradient = x.stop_gradient = False
    paddle.assign(x * 3, leaf)
    leaf.sum().backward()
    assert not leaf.is_leaf and x.grad.tolist() == [3.0, 3.0]


def test_a_transposing_einsum_has_its_own_memory():
    x = _x()
    turned = paddle.einsum("ij->ji", x)
    turned.zero_()
    assert x.numpy().any()


def test_a_tensor_can_be_walked_backwards():
    assert [row.tolist() for row in reversed(paddle.to_tensor([[1], [2]]))] == [[2], [1]]


def test_a_cleared_tensor_takes_memory_again():
    x = paddle.ones([2, 3])
    x._clear_data()
    assert not x._is_initialized() and str(x) == "Tensor(Not initialized)" and list(x.shape) == [2, 3]
    x.set_value(np.full([2, 3], 4.0, "float32"))
    assert x.numpy().tolist() == [[4.0] * 3] * 2
    x._clear()
    x.copy_(paddle.arange(4, dtype="float32"), True)
    assert x.tolist() == [0.0, 1.0, 2.0, 3.0]


def test_a_tensor_that_is_given_a_buffer_keeps_its_shape():
    buffer, weight = paddle.arange(6, dtype="float32"), paddle.zeros([2, 2])
    buffer._share_buffer_to(weight)
    assert weight.tolist() == [[0.0, 1.0], [2.0, 3.0]] and weight._is_shared_buffer_with(buffer)
    empty = paddle.base.core.eager.Tensor()
    buffer._share_buffer_to(empty)
    assert empty.tolist() == buffer.tolist()


def test_a_tensor_becomes_another_one_and_keeps_its_name():
    x, y = paddle.to_tensor([1.0], stop_gradient=False), paddle.to_tensor([2, 3], dtype="int32")
    name = x.name
    x.reconstruct_from_(y)
    assert x.tolist() == [2, 3] and x.dtype == paddle.int32 and x.stop_gradient and x.name == name
