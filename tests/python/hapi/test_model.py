# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`paddle.Model`: loops, callbacks, files; `paddle.summary` and `paddle.flops`."""

import os
import re

import numpy as np
import paddle
import pytest
from paddle import nn
from paddle.callbacks import Callback, EarlyStopping, LRScheduler, ReduceLROnPlateau, VisualDL
from paddle.hapi.progressbar import ProgressBar


class Line(paddle.io.Dataset):
    """Two separable classes."""

    def __len__(self):
        return 32

    def __getitem__(self, i):
        return np.array([1.0, i / 16 - 1], "float32"), np.array([i >= 16], "int64")


def prepared(rate=0.1, metrics=True):
    paddle.seed(1)
    model = paddle.Model(nn.Linear(2, 2))
    adam = paddle.optimizer.Adam(rate, parameters=model.parameters())
    model.prepare(adam, nn.CrossEntropyLoss(), paddle.metric.Accuracy() if metrics else None)
    return model


class Log(Callback):
    def __init__(self):
        super().__init__()
        self.events = []

    def __getattribute__(self, name):
        if name.startswith("on_"):
            return lambda *args: self.events.append((name, *args))
        return super().__getattribute__(name)


def test_fit_learns_and_evaluate_tells():
    model = prepared()
    model.fit(Line(), batch_size=8, epochs=25, verbose=0)
    result = model.evaluate(Line(), batch_size=8, verbose=0)
    assert result["acc"] > 0.9 and result["loss"][0] < 0.6


def test_events_come_in_order_with_logs():
    log = Log()
    prepared().fit(Line(), Line(), batch_size=16, epochs=1, verbose=0, callbacks=log)
    names = [event[0] for event in log.events]
    batch = ["on_train_batch_begin", "on_train_batch_end"] * 2
    evaluation = ["on_eval_begin", *["on_eval_batch_begin", "on_eval_batch_end"] * 2, "on_eval_end"]
    assert names == ["on_train_begin", "on_epoch_begin", *batch, "on_epoch_end", *evaluation, "on_train_end"]
    logs = log.events[3][2]
    assert set(logs) == {"loss", "acc", "step", "batch_size"} and logs["batch_size"] == 16
    assert log.params["steps"] == 2 and log.params["metrics"] == ["loss", "acc"]


def test_single_batches():
    x, y = np.ones([2, 2], "float32"), np.zeros([2, 1], "int64")
    losses, metrics = prepared().train_batch([x], [y])
    assert losses[0].shape == () and len(metrics) == 1
    model = prepared(metrics=False)
    before = model.network.weight.numpy()
    assert len(model.train_batch(x, y, update=False)) == 1
    assert (model.network.weight.numpy() == before).all() and model.network.weight.grad is not None
    assert model.eval_batch([x], [y])[0] > 0
    assert model.predict_batch([x])[0].shape == (2, 2)
    with pytest.raises(AssertionError, match="prepare"):
        paddle.Model(nn.Linear(2, 2)).train_batch([x], [y])


def test_accumulated_gradients_add_up_to_one_large_batch():
    one, two = prepared(metrics=False), prepared(metrics=False)
    for model, rate in ((one, 0.5), (two, 0.5 / 4)):
        sgd = paddle.optimizer.SGD(rate, parameters=model.parameters())
        model.prepare(sgd, nn.CrossEntropyLoss())
    one.fit(Line(), batch_size=32, shuffle=False, verbose=0)
    two.fit(Line(), batch_size=8, shuffle=False, verbose=0, accumulate_grad_batches=4)
    np.testing.assert_allclose(one.network.weight.numpy(), two.network.weight.numpy(), rtol=1e-5)


def test_predict_gives_batches_or_arrays():
    model = prepared()
    parts = model.predict(Line(), batch_size=12, verbose=0)
    assert [p.shape for p in parts[0]] == [(12, 2), (12, 2), (8, 2)]
    joined = model.predict(Line(), batch_size=12, stack_outputs=True, verbose=0)
    assert joined[0].shape == (32, 2)


def test_num_iters_and_stop_training_end_the_loop():
    log = Log()
    prepared().fit(Line(), batch_size=8, epochs=9, verbose=0, num_iters=6, callbacks=log)
    assert sum(e[0] == "on_train_batch_end" for e in log.events) == 6

    class Stop(Callback):
        def on_train_batch_end(self, step, logs=None):
            self.model.stop_training = step == 1

    log = Log()
    prepared().fit(Line(), batch_size=8, epochs=9, verbose=0, callbacks=[Stop(), log])
    assert sum(e[0] == "on_train_batch_end" for e in log.events) == 2


def test_saved_and_loaded(tmp_path):
    model = prepared()
    model.fit(Line(), batch_size=8, verbose=0, save_dir=str(tmp_path / "run"), epochs=2)
    assert {"0.pdparams", "0.pdopt", "1.pdparams", "final.pdparams"} <= set(os.listdir(tmp_path / "run"))
    other = prepared()
    other.load(str(tmp_path / "run" / "final"))
    np.testing.assert_array_equal(other.network.weight.numpy(), model.network.weight.numpy())
    wider = paddle.Model(nn.Linear(3, 2))
    with pytest.raises(ValueError, match="weight has shape"):
        wider.load(str(tmp_path / "run" / "final"))
    with pytest.warns(UserWarning, match="skipped"):
        wider.load(str(tmp_path / "run" / "final"), skip_mismatch=True)


def test_saved_for_inference(tmp_path):
    model = paddle.Model(nn.Linear(2, 2), paddle.static.InputSpec([None, 2], "float32", "x"))
    model.save(str(tmp_path / "net"), training=False)
    x = paddle.ones([3, 2])
    np.testing.assert_allclose(paddle.jit.load(str(tmp_path / "net"))(x).numpy(), model.network(x).numpy(), rtol=1e-6)
    with pytest.raises(RuntimeError, match="inputs"):
        prepared().save(str(tmp_path / "net"), training=False)


@pytest.mark.parametrize(("patience", "epochs"), [(0, 1), (1, 2), (2, 3)])
def test_early_stopping_waits_for_patience(tmp_path, patience, epochs):
    model, log = prepared(rate=0.0), Log()
    stop = EarlyStopping("loss", patience=patience, verbose=0)
    model.fit(Line(), Line(), batch_size=32, epochs=9, verbose=0, callbacks=[stop, log], save_dir=str(tmp_path))
    assert sum(e[0] == "on_epoch_end" for e in log.events) == epochs
    assert (tmp_path / "best_model.pdparams").exists()


def test_plateau_reduces_the_learning_rate():
    model = prepared(rate=1e-9)
    model.fit(
        Line(),
        Line(),
        batch_size=32,
        epochs=4,
        verbose=0,
        callbacks=ReduceLROnPlateau(patience=1, verbose=0, factor=0.5),
    )
    assert model._optimizer.get_lr() == pytest.approx(1e-9 / 8)


@pytest.mark.parametrize(("by_step", "steps"), [(True, 8), (False, 2)])
def test_the_scheduler_steps(by_step, steps):
    schedule = paddle.optimizer.lr.StepDecay(0.1, step_size=1, gamma=0.5)
    model = prepared()
    model.prepare(paddle.optimizer.SGD(schedule, parameters=model.parameters()), nn.CrossEntropyLoss())
    callback = LRScheduler(by_step=by_step, by_epoch=not by_step)
    model.fit(Line(), batch_size=8, epochs=2, verbose=0, callbacks=callback)
    assert schedule() == pytest.approx(0.1 * 0.5**steps)


def test_mixed_precision_trains():
    model = prepared()
    model.prepare(model._optimizer, nn.CrossEntropyLoss(), amp_configs={"level": "O1", "init_loss_scaling": 128})
    assert np.isfinite(model.train_batch([np.ones([2, 2], "float32")], [np.zeros([2, 1], "int64")])[0])


def test_progress_is_printed(capsys):
    prepared().fit(Line(), batch_size=8, epochs=1, verbose=2, log_freq=2)
    out = capsys.readouterr().out
    assert "Epoch 1/1" in out and "step 2/4 - loss: " in out and "step 4/4 - loss: " in out and "step 3/4" not in out
    prepared().evaluate(Line(), batch_size=8, verbose=1)
    assert "[==============================]" in capsys.readouterr().out


@pytest.mark.parametrize(
    "value, text",
    [
        (0.25, "0.2500"),
        (0.0, "0.0000e+00"),
        (np.float32(5e-4), "5.0000e-04"),
        ([1e-3, np.array([2.0])], "1.0000e-03 2.0000"),
        (3, "3"),
        (np.array([1.0, 2.0]), "[1. 2.]"),
        (float("nan"), "nan"),
    ],
)
def test_numbers_of_the_progress_line(value, text, capsys):
    ProgressBar(3, verbose=2).update(1, [("x", value)])
    assert f"step 1/3 - x: {text} - " in capsys.readouterr().out


def test_visualdl_names_the_missing_package(tmp_path):
    with pytest.raises(ImportError, match="visualdl"):
        prepared().fit(Line(), batch_size=8, verbose=0, callbacks=VisualDL(str(tmp_path)))


def test_summary_counts_parameters(capsys):
    with paddle.utils.unique_name.guard():
        net = nn.Sequential(nn.Linear(4, 3), nn.ReLU(), nn.Sequential(nn.Linear(3, 2), nn.LayerNorm(2)))
    assert paddle.summary(net, (5, 4)) == {"total_params": 27, "trainable_params": 27}
    out = capsys.readouterr().out
    assert "LayerNorm-1" in out and "[5, 2]" in out and "Total params: 27" in out
    assert paddle.summary(net, input=paddle.ones([1, 4]))["total_params"] == 27
    with pytest.raises(ValueError, match="input_size"):
        paddle.summary(net)


def test_flops_of_layers(capsys):
    net = nn.Sequential(nn.Linear(4, 3), nn.Sigmoid())
    assert paddle.flops(net, [2, 4], print_detail=True) == 2 * 12 + 2 * 3
    assert "Total Flops: 30" in capsys.readouterr().out

    def counter(layer, inputs, output):
        layer.total_ops += 100

    assert paddle.flops(net, [2, 4], custom_ops={nn.Sigmoid: counter}) == 124


def test_values_of_all_processes_are_put_together():
    from paddle.hapi.model import _all_gather

    paddle.distributed.init_parallel_env()
    np.testing.assert_array_equal(_all_gather(paddle.to_tensor([[1.0, 2.0]])).numpy(), [[1.0, 2.0]])


def test_summary_has_a_row_for_each_layer_that_runs(capsys):
    class Net(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.steps = paddle.nn.Sequential(paddle.nn.Linear(4, 3), paddle.nn.ReLU())
            self.memory = paddle.nn.GRU(3, 2)

        def forward(self, x):
            return self.memory(self.steps(self.steps[0](x).sum(-1, True).expand([2, 5, 4])))

    with paddle.utils.unique_name.guard():
        net = Net()
    paddle.summary(net, (2, 5, 4))
    lines = capsys.readouterr().out.splitlines()
    rows = [line.split()[0] for line in lines[3 : lines.index("=" * len(lines[0]), 3)]]
    assert rows == ["Linear-1", "ReLU-1", "GRU-1"]
    assert lines[1].startswith(" Layer (type)       Input Shape ") and "[[2, 5, 2], [1, 2, 2]]" in lines[5]


def test_inference_files_take_their_shapes_from_the_last_batch(tmp_path):
    net = nn.Linear(3, 2)
    model = paddle.Model(net)
    model.prepare(paddle.optimizer.SGD(0.1, parameters=net.parameters()), nn.CrossEntropyLoss())
    with pytest.raises(RuntimeError, match="run a batch first"):
        model.save(str(tmp_path / "net"), training=False)
    model.train_batch([np.ones((4, 3), "float32")], [np.zeros((4, 1), "int64")])
    model.save(str(tmp_path / "net"), training=False)
    x = paddle.ones([2, 3])
    np.testing.assert_allclose(paddle.jit.load(str(tmp_path / "net"))(x).numpy(), net(x).numpy(), rtol=1e-6)


def test_a_number_of_batches_stands_for_the_epochs():
    seen = []

    class Watch(paddle.callbacks.Callback):
        def on_epoch_begin(self, epoch, logs=None):
            seen.append(self.params["steps"])

        def on_train_batch_end(self, step, logs=None):
            seen.append("batch")

        def on_eval_begin(self, logs=None):
            seen.append(f"{logs['steps']} to evaluate")

    prepared().fit(Line(), Line(), epochs=2, batch_size=8, num_iters=2, verbose=0, callbacks=Watch())
    whole = len(Line()) // 8
    assert seen == [2, "batch", "batch", f"{whole} to evaluate"]


def test_specifications_need_names_and_static_mode_needs_inputs():
    spec = paddle.static.InputSpec([None, 2], "float32")
    with pytest.raises(ValueError, match="name"):
        paddle.Model(nn.Linear(2, 2), spec)
    paddle.enable_static()
    try:
        with pytest.raises(TypeError, match="inputs"):
            paddle.Model(nn.Linear(2, 2))
    finally:
        paddle.disable_static()


def test_summary_passes_an_input_as_the_network_takes_it():
    class One(nn.Layer):
        def forward(self, pair):
            return pair[0] + pair[1]

    class Two(nn.Layer):
        def forward(self, first, second):
            return first + second

    x = paddle.ones([2])
    for net in (One(), Two()):
        assert paddle.summary(net, input=[x, x])["total_params"] == 0


def test_a_list_of_callbacks_calls_them_by_mode():
    seen = []

    class Seen(paddle.callbacks.Callback):
        def __getattribute__(self, name):
            return (
                (lambda *args: seen.append((name, *args))) if name.startswith("on_") else super().__getattribute__(name)
            )

    callbacks = paddle.hapi.callbacks.config_callbacks([Seen()], verbose=0, mode="eval")
    callbacks.on_begin("train")
    callbacks.on_epoch_begin(0)
    callbacks.on_batch_begin("eval", 2, {"loss": 1.0})
    callbacks.on_batch_end("predict", 2)
    callbacks.on_epoch_end(0, {})
    callbacks.on_end("eval", {"loss": 2.0})
    assert seen == [
        ("on_train_begin", None), ("on_epoch_begin", 0, None), ("on_eval_batch_begin", 2, {"loss": 1.0}),
        ("on_predict_batch_end", 2, None), ("on_epoch_end", 0, {}), ("on_eval_end", {"loss": 2.0}),
    ]  # fmt: skip


def test_the_third_level_of_printing_tells_the_speed(capsys):
    prepared().fit(Line(), batch_size=16, epochs=1, verbose=3, log_freq=1)
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("step ")]
    assert len(lines) == 2
    for line in lines:
        assert re.search(
            r"avg_reader_cost: \d\.\d{5} sec - avg_batch_cost: \d\.\d{5} sec - ips: \d+\.\d{5} samples/sec", line
        )


def test_summary_adds_up_its_rows(capsys):
    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.a, self.b, self.idle = nn.Linear(2, 2), nn.Linear(2, 2), nn.Linear(2, 9)
            self.b.weight = self.a.weight
            self.b.bias.stop_gradient = True

        def forward(self, x):
            return self.b(self.a(x))

    assert paddle.summary(Net(), (3, 2)) == {"total_params": 12, "trainable_params": 10}
    paddle.summary(nn.Transformer(8, 2, 1, 1, 16), [(2, 4, 8), (2, 5, 8)])
    rows = [line.split("  ") for line in capsys.readouterr().out.splitlines() if "Transformer" in line]
    assert [[part.strip() for part in row if part.strip()][1] for row in rows] == [
        "[[2, 4, 8]]", "[[2, 4, 8]]", "[[2, 5, 8], [2, 4, 8]]", "[[2, 5, 8], [2, 4, 8]]",
    ]  # fmt: skip


def test_unknown_settings_of_mixed_precision_and_missing_files_are_refused(tmp_path):
    model = paddle.Model(nn.Linear(2, 2))
    with pytest.raises(ValueError, match="no_such_setting"):
        model.prepare(None, nn.CrossEntropyLoss(), amp_configs={"level": "O1", "no_such_setting": 1})
    for error in (ValueError, AssertionError):
        with pytest.raises(error, match="there is no file"):
            model.load(str(tmp_path / "none"))
