# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""A second device: where tensors live, what moves them, what is refused, what runs without a kernel."""

import ctypes
import pickle

import numpy as np
import paddle
import pytest

from tests.device.plugins.build import defective
from tests.device.skeleton import launches, place, there

pytestmark = pytest.mark.threads


def on_device(t):
    return t.place == place()


def test_a_tensor_keeps_its_place_and_shows_it():
    x = there([[1.0, 2.0], [3.0, 4.0]])
    assert str(x.place) == "Place(skeleton:0)" and x.place.is_custom_place()
    assert x.place.get_device_type() == "skeleton" and x.place.custom_device_id() == 0
    np.testing.assert_array_equal(x.numpy(), [[1, 2], [3, 4]])
    assert "Place(skeleton:0)" in repr(x) and "3." in repr(x)


def test_the_device_of_a_tensor_and_the_current_one_have_names():
    x = there([1.0], index=1)
    assert (x.device, x.device.type, x.device.index, x.get_device()) == ("skeleton:1", "skeleton", 1, 1)
    with paddle.device.Device("skeleton:0"):
        assert paddle.get_default_device() == "skeleton:0" and on_device(paddle.ones([1]))
    assert paddle.to_tensor([1.0]).device == "cpu"


def test_a_place_survives_pickling():
    assert pickle.loads(pickle.dumps(place(1))) == place(1)
    assert hash(place(1)) != hash(place(0))


def test_kernels_of_the_device_compute():
    x, y = there(np.arange(6.0, dtype="float32").reshape(2, 3)), there([1.0, 2.0, 3.0])
    before = launches()
    out = paddle.exp(x + y) * y
    assert launches() == before + 3
    assert on_device(out)
    a = np.arange(6.0).reshape(2, 3)
    np.testing.assert_allclose(out.numpy(), np.exp(a + [1, 2, 3]) * [1, 2, 3], rtol=1e-6)


def test_tensors_of_two_places_are_refused_by_name():
    x, y = there([1.0, 2.0]), paddle.to_tensor([1.0, 2.0])
    with pytest.raises(ValueError, match=r"add: x is on Place\(skeleton:0\) and y with shape \[2\] on Place\(cpu\)"):
        x + y
    with pytest.raises(ValueError, match=r"concat: x\[0\] is on Place\(skeleton:0\) and x\[1\]"):
        paddle.concat([x, there([3.0], index=1)])


def test_a_number_of_the_host_goes_with_tensors_of_a_device():
    out = there([1.0, 2.0]) * paddle.to_tensor(3.0)
    assert on_device(out)
    np.testing.assert_array_equal(out.numpy(), [3, 6])


def test_values_move_and_gradients_move_back():
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    y = x.to("skeleton:0")
    assert on_device(y) and not on_device(x)
    (y * y).sum().backward()
    assert x.grad.place == x.place
    np.testing.assert_array_equal(x.grad.numpy(), [2, 4])
    z = y.to("skeleton:1")
    assert z.place == place(1)
    np.testing.assert_array_equal(z.cpu().numpy(), [1, 2])


def test_place_arguments_are_honoured():
    assert on_device(paddle.to_tensor([1, 2], place="skeleton:0"))
    assert on_device(paddle.ones([2, 3], device="skeleton:0"))
    assert not on_device(paddle.ones([2, 3]))


def test_set_device_decides_where_new_tensors_are():
    paddle.set_device(f"{'skeleton'}:0") if place() else None
    try:
        assert paddle.get_device() == "skeleton:0"
        made = [paddle.ones([2]), paddle.arange(3), paddle.rand([4]), paddle.to_tensor([1.0]), paddle.eye(2)]
        assert [on_device(t) for t in made] == [True] * 5
        np.testing.assert_array_equal(made[1].numpy(), [0, 1, 2])
        layer = paddle.nn.Linear(3, 2)
        assert on_device(layer.weight)
    finally:
        paddle.set_device("cpu")
    assert not on_device(paddle.ones([2]))


def test_an_operator_without_a_kernel_runs_decomposed_and_silently(recwarn):
    x = np.linspace(-2, 2, 12, dtype="float32").reshape(3, 4)
    out = paddle.nn.functional.silu(there(x))
    assert on_device(out)
    np.testing.assert_allclose(out.numpy(), x / (1 + np.exp(-x)), rtol=1e-5)


def test_an_operator_without_kernel_and_decomposition_goes_through_the_host():
    x = there([3.0, 1.0, 2.0])
    values, indices = paddle.topk(x, 2)
    assert on_device(values) and on_device(indices)
    np.testing.assert_array_equal(indices.numpy(), [0, 2])
    paddle.set_flags({"FLAGS_forbid_fallback": True})
    try:
        with pytest.raises(NotImplementedError, match="FLAGS_forbid_fallback forbids the host's kernel"):
            paddle.topk(x, 2)
    finally:
        paddle.set_flags({"FLAGS_forbid_fallback": False})


def test_writes_in_place_and_through_views():
    x = there(np.zeros((3, 4), "float32"))
    x[1] = 5.0
    x[:, 2] = there([1.0, 2.0, 3.0])
    view = x[0]
    view.add_(there([1.0, 1.0, 1.0, 1.0]))
    expected = np.zeros((3, 4))
    expected[1] = 5
    expected[:, 2] = [1, 2, 3]
    expected[0] += 1
    np.testing.assert_array_equal(x.numpy(), expected)
    np.testing.assert_array_equal(x.t().contiguous().numpy(), expected.T)


def test_derivatives_of_order_two():
    x = there([0.5, 1.5], stop_gradient=False)
    (first,) = paddle.grad((x * x * x).sum(), [x], create_graph=True)
    (second,) = paddle.grad(first.sum(), [x])
    assert on_device(first) and on_device(second)
    np.testing.assert_allclose(second.numpy(), [3, 9], rtol=1e-6)


def network():
    return paddle.nn.Sequential(paddle.nn.Linear(4, 8), paddle.nn.Tanh(), paddle.nn.Linear(8, 1))


def train(model, inputs, labels, steps=5):
    optimizer = paddle.optimizer.SGD(0.1, parameters=model.parameters())
    losses = []
    for _ in range(steps):
        loss = ((model(inputs) - labels) ** 2).mean()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(float(loss))
    return losses


def test_a_model_trains_as_on_the_host():
    rng = np.random.default_rng(0)
    inputs, labels = rng.normal(size=(6, 4)).astype("float32"), rng.normal(size=(6, 1)).astype("float32")
    paddle.seed(3)
    model = network()
    copy = network().to("skeleton:0")
    copy.set_state_dict(model.state_dict())
    assert all(on_device(p) for p in copy.parameters())
    expected = train(model, paddle.to_tensor(inputs), paddle.to_tensor(labels))
    got = train(copy, there(inputs), there(labels))
    np.testing.assert_allclose(got, expected, rtol=1e-4)


def test_state_of_a_device_is_saved_and_loaded(tmp_path):
    model = network().to("skeleton:0")
    paddle.save(model.state_dict(), str(tmp_path / "model.pdparams"))
    loaded = paddle.load(str(tmp_path / "model.pdparams"))
    for name, value in model.state_dict().items():
        np.testing.assert_array_equal(loaded[name].numpy(), value.numpy())


def test_strided_copies_and_casts_are_the_devices_own():
    a = np.arange(12.0, dtype="float32").reshape(3, 4)
    x = there(a)
    paddle.set_flags({"FLAGS_forbid_fallback": True})
    try:
        np.testing.assert_array_equal(x.t().contiguous().numpy(), a.T)
        np.testing.assert_array_equal(x[:, ::2].astype("int32").numpy(), a[:, ::2])
    finally:
        paddle.set_flags({"FLAGS_forbid_fallback": False})


# -- memory order, random numbers ----------------------------------------------------------------------------------------


def test_a_device_that_prefers_channels_last_is_called_so():
    """The second device of the skeleton does; a kernel beside the skeleton's counts."""
    library = defective("with_layouts")
    paddle.device.load_plugin(library)
    count = ctypes.c_longlong.in_dll(ctypes.CDLL(str(library)), "calls_with_channels_last")
    x = np.random.default_rng(0).normal(size=(2, 8, 3, 5)).astype("float32")
    expected = paddle.nn.functional.pixel_shuffle(paddle.to_tensor(x), 2).numpy()
    for index, calls in ((0, 0), (1, 1)):
        before = count.value
        out = paddle.nn.functional.pixel_shuffle(paddle.to_tensor(x, place=f"with_layouts:{index}"), 2)
        assert out.shape == [2, 2, 6, 10]
        after = paddle.tanh(out + out)  # keeps the order
        np.testing.assert_allclose(after.numpy(), np.tanh(2 * expected), rtol=1e-6, atol=1e-7)
        np.testing.assert_array_equal(out.transpose([0, 2, 3, 1]).numpy(), expected.transpose(0, 2, 3, 1))
        assert count.value - before == calls


def test_each_device_draws_from_its_own_generator():
    place(0)
    paddle.seed(5)
    first = [paddle.rand([3]).numpy() for _ in range(2)]
    paddle.seed(5)
    drawn = {}
    for name in ("skeleton:0", "cpu", "skeleton:1"):
        paddle.set_device(name)
        try:
            drawn[name] = [paddle.rand([3]).numpy(), paddle.bernoulli(paddle.full([64], 0.5)).numpy()]
        finally:
            paddle.set_device("cpu")
    for name, (uniform, bits) in drawn.items():  # the host draws in between, and moves nobody else's on
        np.testing.assert_array_equal(uniform, first[0], err_msg=name)
        np.testing.assert_array_equal(bits, drawn["cpu"][1], err_msg=name)
    assert not np.array_equal(first[0], first[1])


def test_states_of_generators_belong_to_devices():
    place(0)
    paddle.seed(11)
    assert len(paddle.get_rng_state("skeleton")) == 2
    host = paddle.get_rng_state("cpu")
    states = paddle.get_rng_state("skeleton:0")
    paddle.set_device("skeleton:1")
    try:
        first = paddle.rand([4]).numpy()
        assert paddle.get_rng_state("cpu") == host
        assert paddle.get_rng_state()[0] == states[0] and paddle.get_rng_state()[1] != states[1]
        paddle.set_rng_state(states)
        np.testing.assert_array_equal(paddle.rand([4]).numpy(), first)
        paddle.Generator("skeleton:1").manual_seed(12)
        assert paddle.Generator("skeleton:1").initial_seed() == 12
        assert paddle.Generator("skeleton:0").initial_seed() == 11
        with pytest.raises(ValueError, match="length 1"):
            paddle.set_rng_state(host)
    finally:
        paddle.set_device("cpu")
        paddle.seed(0)
