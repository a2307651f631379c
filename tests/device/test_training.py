# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Training on the second device: optimizers and their state, mixed precision, data loaders, second streams and threads."""

import copy
import threading

import numpy as np
import paddle
import pytest

from tests.device.skeleton import place, there

pytestmark = pytest.mark.threads

RNG = np.random.default_rng(0)
INPUTS = RNG.normal(size=(6, 4)).astype("float32")
LABELS = RNG.normal(size=(6, 1)).astype("float32")


@pytest.fixture
def on_device():
    place()  # loads the device
    paddle.set_device("skeleton:0")
    yield
    paddle.set_device("cpu")


def on(t, index=0):
    return t.place == place(index)


def network():
    paddle.seed(3)
    with paddle.utils.unique_name.guard():
        return layers()


def layers():
    return paddle.nn.Sequential(paddle.nn.Linear(4, 8), paddle.nn.Tanh(), paddle.nn.Linear(8, 1))


def arrays(model):
    return {name: value.numpy() for name, value in model.state_dict().items()}


def losses(model, optimizer, inputs, labels, steps=4):
    found = []
    for _ in range(steps):
        loss = ((model(inputs) - labels) ** 2).mean()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        found.append(loss.item())
    return found


OPTIMIZERS = {
    "SGD": {},
    "Momentum": {"weight_decay": 0.01},
    "Adagrad": {},
    "Adadelta": {},
    "Adam": {"grad_clip": True},
    "AdamW": {},
    "Adamax": {},
    "NAdam": {},
    "RAdam": {},
    "ASGD": {},
    "Rprop": {},
    "RMSProp": {},
    "Lamb": {},
}


def optimizer_of(name, model):
    options = dict(OPTIMIZERS[name])
    if options.pop("grad_clip", False):
        options["grad_clip"] = paddle.nn.ClipGradByGlobalNorm(0.5)
    return getattr(paddle.optimizer, name)(learning_rate=0.01, parameters=model.parameters(), **options)


def tensors_in(value):
    if isinstance(value, paddle.Tensor):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from tensors_in(part)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_optimizers_step_as_on_the_host(name):
    model = network()
    twin = network().to("skeleton:0")
    twin.set_state_dict(model.state_dict())
    expected = losses(model, optimizer_of(name, model), paddle.to_tensor(INPUTS), paddle.to_tensor(LABELS))
    optimizer = optimizer_of(name, twin)
    got = losses(twin, optimizer, there(INPUTS), there(LABELS))
    np.testing.assert_allclose(got, expected, rtol=1e-4)
    assert all(on(p) for p in twin.parameters())
    state = [t for t in tensors_in(optimizer.state_dict()) if t.size > 1]
    assert all(on(t) for t in state)


def test_state_of_an_optimizer_is_saved_and_loaded(tmp_path, on_device):
    model = network()
    optimizer = paddle.optimizer.Adam(0.01, parameters=model.parameters())
    losses(model, optimizer, there(INPUTS), there(LABELS))
    paddle.save(optimizer.state_dict(), str(tmp_path / "state.pdopt"))
    paddle.save(model.state_dict(), str(tmp_path / "model.pdparams"))
    second = network()
    second.set_state_dict(paddle.load(str(tmp_path / "model.pdparams")))
    again = paddle.optimizer.Adam(0.01, parameters=second.parameters())
    again.set_state_dict(paddle.load(str(tmp_path / "state.pdopt")))
    assert all(on(p) for p in second.parameters())
    expected = losses(model, optimizer, there(INPUTS), there(LABELS))
    np.testing.assert_allclose(losses(second, again, there(INPUTS), there(LABELS)), expected, rtol=1e-6)


@pytest.mark.parametrize("level", ["O1", "O2"])
def test_mixed_precision(level, on_device):
    model = network()
    host = {name: paddle.to_tensor(value, place="cpu") for name, value in arrays(model).items()}
    optimizer = paddle.optimizer.SGD(0.1, parameters=model.parameters())
    if level == "O2":
        model, optimizer = paddle.amp.decorate(model, optimizers=optimizer, level="O2", dtype="bfloat16")
    scaler = paddle.amp.GradScaler(init_loss_scaling=128.0)
    inputs, labels = there(INPUTS), there(LABELS)
    found = []
    for _ in range(3):
        with paddle.amp.auto_cast(level=level, dtype="bfloat16"):
            out = model(inputs)
            loss = ((out.astype("float32") - labels) ** 2).mean()
        assert out.dtype == paddle.bfloat16 and on(out)
        scaled = scaler.scale(loss)
        scaled.backward()
        scaler.step(optimizer)
        scaler.update()
        optimizer.clear_grad()
        found.append(loss.item())
    paddle.set_device("cpu")
    single = network()
    single.set_state_dict(host)
    plain = losses(
        single, paddle.optimizer.SGD(0.1, parameters=single.parameters()), *map(paddle.to_tensor, (INPUTS, LABELS))
    )
    np.testing.assert_allclose(found, plain[:3], rtol=0.05)


class Rows(paddle.io.Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, i):
        return np.full([3], i, "float32"), np.int64(i)


@pytest.mark.parametrize("workers", [0, 2])
def test_a_data_loader_puts_batches_on_its_place(workers):
    loader = paddle.io.DataLoader(Rows(), batch_size=4, num_workers=workers, places=[place(1)])
    seen = [(x, i) for x, i in loader]
    assert all(on(t, 1) for pair in seen for t in pair)
    np.testing.assert_array_equal(np.concatenate([i.numpy() for _, i in seen]), np.arange(8))
    np.testing.assert_array_equal(seen[1][0].numpy()[:, 0], [4, 5, 6, 7])


@pytest.mark.parametrize("workers", [0, 2])
def test_a_data_loader_follows_the_current_device(workers, on_device):
    for x, i in paddle.io.DataLoader(Rows(), batch_size=4, num_workers=workers):
        assert on(x) and on(i)
        np.testing.assert_array_equal(x.numpy()[:, 0], i.numpy())


def test_copies_of_layers_and_parameters_stay_there(on_device):
    model = network()
    twin = copy.deepcopy(model)
    assert all(on(p) for p in twin.parameters())
    for a, b in zip(model.parameters(), twin.parameters(), strict=True):
        np.testing.assert_array_equal(a.numpy(), b.numpy())


def test_a_layer_moves_with_its_buffers():
    norm = paddle.nn.BatchNorm1D(4)
    norm.to("skeleton:1")
    assert all(on(t, 1) for t in norm.state_dict().values())
    x = there(INPUTS, index=1)
    expected = (INPUTS - INPUTS.mean(0)) / np.sqrt(INPUTS.var(0) + 1e-5)
    np.testing.assert_allclose(norm(x).numpy(), expected, rtol=1e-4, atol=1e-5)


def test_threads_compute_there_at_once():
    x = there(np.linspace(0, 1, 64, dtype="float32"))
    expected = np.exp(np.linspace(0, 1, 64, dtype="float32"))
    wrong = []

    def work(k):
        for _ in range(20):
            y = (paddle.exp(x) * float(k) + float(k)) / float(k)
            if not np.allclose(y.numpy(), expected + 1, rtol=1e-5):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in (1, 2, 3)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong
