# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`fleet.auto.Engine`: training, evaluation, prediction and files of a layer over datasets."""

import numpy as np
import paddle
import pytest
from paddle.distributed.fleet import auto

X = np.random.default_rng(0).standard_normal((32, 3)).astype("float32")
Y = (X.sum(1) > 0).astype("int64")[:, None]


def dataset(*arrays):
    return paddle.io.TensorDataset([paddle.to_tensor(a) for a in arrays])


def engine(strategy=None):
    net = paddle.nn.Linear(3, 2)
    net.weight.set_value(np.zeros((3, 2), "float32"))
    optimizer = paddle.optimizer.SGD(0.5, parameters=net.parameters())
    return net, auto.Engine(net, paddle.nn.CrossEntropyLoss(), optimizer, paddle.metric.Accuracy(), strategy=strategy)


def softmax_steps(batches):
    """The weights after steps of gradient descent on the cross entropy, from zeros."""
    w, b = np.zeros((3, 2)), np.zeros(2)
    for x, y in batches:
        p = np.exp(x @ w + b)
        p /= p.sum(1, keepdims=True)
        p[np.arange(len(y)), y[:, 0]] -= 1
        w, b = w - 0.5 * x.T @ p / len(y), b - 0.5 * p.mean(0)
    return w, b


def test_training_takes_the_steps_of_the_optimizer():
    net, made = engine()
    history = made.fit(dataset(X, Y), batch_size=8, epochs=2, valid_data=dataset(X, Y), verbose=0)
    w, b = softmax_steps([(X[i : i + 8], Y[i : i + 8]) for _ in range(2) for i in range(0, 32, 8)])
    np.testing.assert_allclose(net.weight.numpy(), w, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(net.bias.numpy(), b, rtol=1e-4, atol=1e-5)
    assert history.epoch == [0, 1] and set(history.history) == {"loss", "acc", "lr", "val_loss", "val_acc"}
    right = ((X @ w + b).argmax(1) == Y[:, 0]).mean()
    assert history.history["val_acc"][1] == pytest.approx(right)
    assert made.evaluate(dataset(X, Y), batch_size=8, verbose=0)["acc"] == pytest.approx(right)


def test_predictions_come_batch_by_batch():
    net, made = engine()
    found = made.predict(dataset(X, Y), batch_size=24, verbose=0)
    assert [out.shape for (out,) in found] == [(24, 2), (8, 2)]
    np.testing.assert_allclose(found[1][0], X[24:] @ net.weight.numpy() + net.bias.numpy(), atol=1e-6)
    assert len(made.predict(dataset(X), batch_size=8, steps=2, verbose=0)) == 2


def test_single_steps_with_merged_gradients():
    strategy = auto.Strategy()
    strategy.gradient_merge.enable, strategy.gradient_merge.k_steps = True, 2
    net, made = engine(strategy)
    spec = paddle.static.InputSpec
    made.prepare(spec([None, 3], "float32", "x"), spec([None, 1], "int64", "y"), mode="train")
    assert made.get_feed_name_list() == ["x", "y"] and made.optimizer is not None
    made.run([X[:8], Y[:8]])
    assert not net.weight.numpy().any()
    assert made.run(feed={"x": X[8:16], "y": Y[8:16]})["loss"] == pytest.approx(np.log(2), rel=1e-5)
    w, _ = softmax_steps([(X[:16], Y[:16])])
    np.testing.assert_allclose(net.weight.numpy(), w, rtol=1e-4, atol=1e-6)


def test_files_hold_parameters_and_state(tmp_path):
    net, made = engine()
    made.fit(dataset(X, Y), batch_size=16, verbose=0)
    made.save(str(tmp_path / "model"))
    other_net, other = engine()
    other.load(str(tmp_path / "model"))
    np.testing.assert_array_equal(other_net.weight.numpy(), net.weight.numpy())
    made.save(str(tmp_path / "inference"), training=False)
    loaded = paddle.jit.load(str(tmp_path / "inference"))
    np.testing.assert_allclose(loaded(paddle.to_tensor(X[:5])).numpy(), net(paddle.to_tensor(X[:5])).numpy(), atol=1e-6)


def test_what_an_engine_refuses():
    net = paddle.nn.Linear(3, 2)
    for arguments in ((3,), (net, 3), (net, None, 3), (net, None, None, 3)):
        with pytest.raises(TypeError, match="Engine: argument"):
            auto.Engine(*arguments)
    with pytest.raises(ValueError, match="needs a loss"):
        auto.Engine(net).fit(dataset(X))
    with pytest.raises(ValueError, match="no mode is chosen"):
        auto.Engine(net).run([X])
    with pytest.raises(ValueError, match="must be one of"):
        auto.Engine(net).to_mode("other")
