# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions that see the tensors of each operator while a predictor runs."""

import numpy as np
import paddle
import pytest
from paddle import inference
from paddle.static import InputSpec


class Net(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.linear = paddle.nn.Linear(3, 2)

    def forward(self, x):
        y = paddle.tanh(self.linear(x))
        rounds = paddle.zeros([], "int64")
        while rounds < 2:
            y = paddle.exp(y)
            rounds = rounds + 1
        return y


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    paddle.seed(0)
    net = Net()
    path = str(tmp_path_factory.mktemp("saved") / "net")
    layer = paddle.jit.to_static(net, full_graph=True)
    paddle.jit.save(layer, path, input_spec=[InputSpec([None, 3], "float32", name="x")])
    return net, path


def predictor_of(path, optimised=False):
    config = inference.Config(path + ".json", path + ".pdiparams")
    config.switch_ir_optim(optimised)
    return inference.create_predictor(config)


X = np.random.default_rng(0).normal(size=(4, 3)).astype("float32")


def test_operands_and_results_of_each_operator_are_seen_in_order(saved):
    net, path = saved
    predictor = predictor_of(path)
    seen = []
    predictor.register_input_hook(lambda op, name, value: seen.append(("in", op, name, value.numpy())))
    predictor.register_output_hook(lambda op, name, value: seen.append(("out", op, name, value.numpy())))
    (result,) = predictor.run([X])
    x, w, product = (values for _, op, _, values in seen if op == "pd_op.matmul:0")
    np.testing.assert_array_equal(x, X)
    np.testing.assert_array_equal(w, net.linear.weight.numpy())
    np.testing.assert_allclose(product, X @ w, rtol=1e-6, atol=1e-7)
    assert [(way, op, name) for way, op, name, _ in seen][:2] == [
        ("in", "pd_op.matmul:0", "x"),
        ("in", "pd_op.matmul:0", net.linear.weight.name),
    ]
    assert [kind for kind, op, *_ in seen if op.startswith("pd_op.exp:")] == ["in", "out"] * 2
    way, _, name, last = seen[-1]
    assert (way, name) == ("out", "fetch_name_0")
    np.testing.assert_array_equal(last, result.numpy())


@pytest.mark.parametrize("optimised", [False, True])
def test_a_value_has_the_same_name_wherever_it_is_seen(tmp_path, optimised):
    net = paddle.nn.Sequential(paddle.nn.Linear(3, 4), paddle.nn.Tanh(), paddle.nn.Linear(4, 2), paddle.nn.Softmax())
    paddle.jit.save(net, str(tmp_path / "net"), input_spec=[InputSpec([None, 3], "float32", name="x")])
    predictor = predictor_of(str(tmp_path / "net"), optimised)
    values = {}

    def check(op, name, value):
        np.testing.assert_array_equal(values.setdefault(name, value.numpy()), value.numpy())

    predictor.register_input_hook(check)
    predictor.register_output_hook(check)
    predictor.run([X])
    assert {"x", net[2].bias.name, "fetch_name_0"} <= values.keys()


def test_hooks_are_called_in_the_order_of_their_registration(saved):
    predictor = predictor_of(saved[1])
    seen = []
    for k in range(2):
        predictor.register_output_hook(lambda op, name, value, k=k: seen.append(k))
    predictor.run([X])
    assert seen == [0, 1] * (len(seen) // 2) and seen


def test_what_a_hook_writes_is_what_the_program_goes_on_with(saved):
    predictor = predictor_of(saved[1])

    def zero(op, name, value):
        if "tanh" in op:
            value[:] = 0.0

    predictor.register_output_hook(zero)
    (result,) = predictor.run([X])
    np.testing.assert_allclose(result.numpy(), np.full((4, 2), np.e), rtol=1e-6)


def test_a_clone_has_no_hooks(saved):
    predictor = predictor_of(saved[1])
    seen = []
    predictor.register_output_hook(lambda *_: seen.append(1))
    predictor.clone().run([X])
    assert not seen


def test_a_tensor_kept_by_a_hook_keeps_its_values(saved):
    predictor = predictor_of(saved[1], True)
    kept = []
    predictor.register_output_hook(lambda op, name, value: kept.append((value, value.numpy().copy())))
    predictor.run([X])
    assert len(kept) > 4
    for value, then in kept:
        np.testing.assert_array_equal(value.numpy(), then)


def test_an_error_of_a_hook_ends_the_run_and_the_next_run_is_whole(saved):
    predictor = predictor_of(saved[1])
    armed = [True]

    def fail(op, name, value):
        if armed[0]:
            raise KeyError("not this one")

    predictor.register_input_hook(fail)
    with pytest.raises(KeyError, match="not this one"):
        predictor.run([X])
    armed[0] = False
    (result,) = predictor.run([X])
    np.testing.assert_allclose(result.numpy(), saved[0](paddle.to_tensor(X)).numpy(), rtol=1e-6)


def test_a_hook_may_run_other_programs(saved):
    predictor, other = predictor_of(saved[1]), predictor_of(saved[1])
    seen = []

    def nested(op, name, value):
        seen.append(op)
        other.run([X])

    predictor.register_output_hook(nested)
    predictor.run([X])
    alone = len(seen)
    other.register_output_hook(lambda *_: None)
    predictor.run([X])
    assert len(seen) == 2 * alone


@pytest.mark.parametrize("hook", [None, 3, "print"])
def test_a_hook_must_be_callable(saved, hook):
    with pytest.raises(TypeError, match="register_output_hook: hookfunc"):
        predictor_of(saved[1]).register_output_hook(hook)
