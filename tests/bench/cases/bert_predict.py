# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""BERT-base saved and read back by the inference engine, 128 tokens, batch 1 and 8: latency."""

from harness import fill_paddle, integers
from models.predict import measure, onnxruntime_session, openvino_model, saved_predictor

from cases.bert_base_infer import BATCHES, DIM, FFN, HEADS, LAYERS, LENGTH, VOCAB, paddle_bert


def run_paddle(bench):
    spec = bench.paddle().static.InputSpec([None, LENGTH], "int64", "x")
    run = saved_predictor(bench, fill_paddle(paddle_bert()), spec)
    for batch in BATCHES:
        measure(bench, run, f"batch{batch}", integers("tokens", [batch, LENGTH], VOCAB))


def run_onnx(bench, engine):
    from models.onnx_builder import bert_base

    run = engine(bench, bert_base(DIM, LAYERS, HEADS, FFN, VOCAB, LENGTH))
    for batch in BATCHES:
        measure(bench, run, f"batch{batch}", integers("tokens", [batch, LENGTH], VOCAB))


def run_onnxruntime(bench):
    run_onnx(bench, onnxruntime_session)


def run_openvino(bench):
    run_onnx(bench, openvino_model)
