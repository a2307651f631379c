# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Identity, attributes, copies and the end of Python's Tensor objects."""

import copy
import gc
import pickle
import weakref

import numpy as np
import paddle
import pytest


class Tagged(paddle.Tensor):
    """A subclass, at module level so that pickle finds it."""

    def total(self):
        return float(self.sum())


def parameter(values=(1.0, 2.0)):
    p = paddle.create_parameter([len(values)], "float32")
    p.set_value(np.asarray(values, "float32"))
    return p


def test_a_gradient_is_one_object():
    p = parameter()
    (p * p).sum().backward()
    g = p.grad
    assert p.grad is g
    g.tag = "kept"
    del g
    gc.collect()
    assert p.grad.tag == "kept"
    (p * p).sum().backward()  # accumulates into the same object
    assert p.grad.tag == "kept" and p.grad.numpy().tolist() == [4.0, 8.0]


def test_attributes_survive_while_only_a_layer_holds_the_parameter():
    layer = paddle.nn.Linear(2, 2)
    layer.weight.tag = "kept"
    gc.collect()
    assert layer.weight.tag == "kept" and layer.weight is layer.parameters()[0]
    copied = dict(layer.named_parameters())["weight"]
    assert copied.tag == "kept"


def test_attributes_survive_while_only_the_graph_holds_the_tensor():
    seen = []

    class Twice(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            seen.append(ctx.saved_tensor()[0].tag)
            return grad * 2

    p = parameter()
    p.tag = "kept"
    loss = Twice.apply(p).sum()
    del p
    gc.collect()
    loss.backward()
    assert seen == ["kept"]


def test_a_hook_of_a_leaf_that_the_user_dropped_still_runs():
    seen = []
    p = parameter()
    p.register_hook(lambda g: seen.append(g.numpy().tolist()))
    loss = (p * p).sum()
    del p
    gc.collect()
    loss.backward()
    assert seen == [[2.0, 4.0]]


def test_weak_references_end_with_the_object():
    t = paddle.ones([2])
    r = weakref.ref(t)
    assert r() is t
    del t
    assert r() is None


def test_cycles_through_attributes_are_collected():
    t = paddle.ones([2])
    t.me = t
    dead = weakref.ref(t)
    del t
    gc.collect()
    assert dead() is None


def test_a_copied_tensor_is_independent():
    t = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    for other in (copy.deepcopy(t), pickle.loads(pickle.dumps(t))):
        assert not other.stop_gradient and other.numpy().tolist() == [1.0, 2.0] and other.grad is None
        with paddle.no_grad():
            other.add_(paddle.ones([2]))
    assert t.numpy().tolist() == [1.0, 2.0]


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int64", "float16", "bfloat16", "float64", "complex64"])
def test_every_dtype_is_pickled(dtype):
    t = paddle.to_tensor([[1, 0], [0, 1]]).astype(dtype)
    other = pickle.loads(pickle.dumps(t))
    assert other.dtype == t.dtype and bool((other == t).all())


def test_a_copied_parameter_is_a_parameter():
    layer = paddle.nn.Linear(2, 3)
    w = layer.weight
    w.optimize_attr["learning_rate"] = 0.5
    w.tag = "x"
    for other in (copy.deepcopy(w), pickle.loads(pickle.dumps(w))):
        assert type(other) is type(w) and not other.stop_gradient and other.persistable
        assert other.optimize_attr["learning_rate"] == 0.5 and other.tag == "x"
        np.testing.assert_array_equal(other.numpy(), w.numpy())


def test_a_copied_layer_computes_the_same_and_keeps_ties():
    paddle.seed(0)
    shared = paddle.nn.Linear(3, 3)
    net = paddle.nn.Sequential(shared, paddle.nn.BatchNorm1D(3), shared)
    x = paddle.randn([4, 3])
    net(x)  # moves the running statistics
    net.eval()
    for other in (copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
        other.eval()
        np.testing.assert_array_equal(other(x).numpy(), net(x).numpy())
        assert other[0] is other[2] and other[0].weight is other[2].weight
        assert other[0].weight is not net[0].weight
        with paddle.no_grad():
            other[0].weight.zero_()
    assert float(net[0].weight.abs().sum()) > 0


def test_a_subclass_keeps_its_type_and_attributes():
    t = Tagged(paddle.ones([2]))
    t.tag = [1, 2]
    for other in (copy.copy(t), copy.deepcopy(t), pickle.loads(pickle.dumps(t))):
        assert type(other) is Tagged and other.tag == [1, 2] and other.total() == 2.0
    assert copy.deepcopy(t).tag is not t.tag


def test_copies_of_one_container_share_what_was_shared():
    t = paddle.ones([2])
    a, b = copy.deepcopy([t, t])
    assert a is b and a is not t


def test_dtypes_and_places_are_copied():
    for value in (paddle.float32, paddle.CPUPlace()):
        assert copy.deepcopy(value) == value and pickle.loads(pickle.dumps(value)) == value


@pytest.fixture
def print_options():
    yield paddle.set_printoptions
    paddle.set_printoptions(precision=8, threshold=1000, edgeitems=3, sci_mode=False, linewidth=80)


def test_print_options(print_options):
    x = paddle.to_tensor([1.23456789, 1000.0], dtype="float64")
    print_options(precision=3)
    assert "1.235" in str(x) and "1.2346" not in str(x)
    print_options(precision=3, sci_mode=True)
    assert "1.235e+00" in str(x)
    print_options(sci_mode=False, threshold=10, edgeitems=2)
    text = str(paddle.arange(100))
    assert "..." in text and "50" not in text and "98" in text
