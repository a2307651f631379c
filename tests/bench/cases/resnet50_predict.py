# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""ResNet-50 saved and read back by the inference engine, batch 1 and 8: latency."""

from harness import fill_paddle, normal
from models.predict import measure, onnxruntime_session, openvino_model, saved_predictor
from models.resnet import paddle_resnet

BATCHES = (1, 8)


def run_paddle(bench):
    spec = bench.paddle().static.InputSpec([None, 3, 224, 224], "float32", "x")
    run = saved_predictor(bench, fill_paddle(paddle_resnet(50)), spec)
    for batch in BATCHES:
        measure(bench, run, f"batch{batch}", normal("x", [batch, 3, 224, 224]))


def run_onnx(bench, engine):
    from models.onnx_builder import resnet50

    run = engine(bench, resnet50())
    for batch in BATCHES:
        measure(bench, run, f"batch{batch}", normal("x", [batch, 3, 224, 224]))


def run_onnxruntime(bench):
    run_onnx(bench, onnxruntime_session)


def run_openvino(bench):
    run_onnx(bench, openvino_model)
