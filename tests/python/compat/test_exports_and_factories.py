# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Exports, factories and conversions of several modules, with the values that they give."""

import json

import numpy as np
import paddle
import pytest


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def test_yolo_box_decodes_anchors():
    rng = np.random.default_rng(0)
    height = width = 2
    classes, anchors = 3, [10, 13, 16, 30]
    x = rng.normal(size=(1, 2 * (5 + classes), height, width)).astype("float32")
    size = np.array([[64, 96]], "int32")
    boxes, scores = paddle.vision.ops.yolo_box(
        paddle.to_tensor(x),
        paddle.to_tensor(size),
        anchors,
        classes,
        conf_thresh=0.0,
        downsample_ratio=32,
        clip_bbox=False,
    )
    raw = x.reshape(2, 5 + classes, height, width)
    rows, columns = np.meshgrid(np.arange(height), np.arange(width), indexing="ij")
    expected_boxes, expected_scores = [], []
    for a in range(2):
        cx = (columns + sigmoid(raw[a, 0])) / width * 96
        cy = (rows + sigmoid(raw[a, 1])) / height * 64
        w = np.exp(raw[a, 2]) * anchors[2 * a] / (32 * width) * 96
        h = np.exp(raw[a, 3]) * anchors[2 * a + 1] / (32 * height) * 64
        box = np.stack([cx - w / 2, cy - h / 2, cx + w / 2, cy + h / 2], -1)
        expected_boxes.append(box.reshape(-1, 4))
        score = sigmoid(raw[a, 4])[None] * sigmoid(raw[a, 5:])
        expected_scores.append(score.reshape(classes, -1).T)
    np.testing.assert_allclose(boxes.numpy()[0], np.concatenate(expected_boxes), rtol=1e-4, atol=1e-3)
    np.testing.assert_allclose(scores.numpy()[0], np.concatenate(expected_scores), rtol=1e-4, atol=1e-5)


def test_memory_efficient_attention():
    from paddle.incubate.nn.memory_efficient_attention import memory_efficient_attention

    rng = np.random.default_rng(1)
    q, k, v = (rng.normal(size=(2, 5, 3, 8)).astype("float32") for _ in range(3))
    out = memory_efficient_attention(*map(paddle.to_tensor, (q, k, v)), training=False)
    weights = np.einsum("bqhd,bkhd->bhqk", q, k) / np.sqrt(8)
    weights = np.exp(weights) / np.exp(weights).sum(-1, keepdims=True)
    np.testing.assert_allclose(out.numpy(), np.einsum("bhqk,bkhd->bqhd", weights, v), rtol=1e-4, atol=1e-5)


def test_chrome_traces_are_exported(tmp_path):
    handler = paddle.profiler.export_chrome_tracing(str(tmp_path), worker_name="one")
    with paddle.profiler.Profiler(on_trace_ready=handler):
        paddle.ones([4]).sum()
    (file,) = tmp_path.glob("one*.json")
    assert json.loads(file.read_text())


def test_factories_make_what_they_describe():
    from paddle.quantization import factory
    from paddle.quantization.observers import AbsmaxObserver
    from paddle.quantization.quanters import FakeQuanterWithAbsMaxObserver

    observer, quanter = AbsmaxObserver(quant_bits=8), FakeQuanterWithAbsMaxObserver(moving_rate=0.9)
    assert isinstance(observer, factory.ObserverFactory) and isinstance(quanter, factory.QuanterFactory)
    made = observer._instance(paddle.nn.Linear(2, 2))
    made(paddle.to_tensor([[1.0, -3.0]]))
    assert made.bit_length() == 8


def test_optimizers_join_no_buffers():
    optimizer = paddle.optimizer.Adam(parameters=paddle.nn.Linear(2, 2).parameters())
    assert optimizer.fused_buffer_version == 0 and optimizer.fused_states_buffer_ipc_meta is None


def test_variables_of_a_helper_have_the_dtype():
    helper = paddle.incubate.LayerHelper("scale")
    made = helper.create_variable_for_type_inference("float64")
    assert made.dtype == paddle.float64


def test_what_a_program_saved_is_loaded(tmp_path):
    paddle.enable_static()
    try:
        main, startup = paddle.static.Program(), paddle.static.Program()
        with paddle.static.program_guard(main, startup):
            x = paddle.static.data("x", [1, 2], "float32")
            weight = paddle.static.create_parameter(
                [2, 1], "float32", name="w", default_initializer=paddle.nn.initializer.Constant(3.0)
            )
            y = paddle.matmul(x, weight)
        executor = paddle.static.Executor()
        executor.run(startup)
        paddle.static.save(main, str(tmp_path / "saved"))
        feed = {"x": np.ones((1, 2), "float32")}
        assert executor.run(main, feed=feed, fetch_list=[y])[0].item() == 6.0
    finally:
        paddle.disable_static()


def test_asynchronous_copies_belong_to_gpus():
    from paddle.incubate.tensor.manipulation import async_offload

    with pytest.raises(AttributeError, match="async_offload"):
        async_offload(paddle.ones([3]), None)
