# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Saved models behind one form, run(array) -> array, in the inference engine of each framework.

In float32, or, with BENCH_BFLOAT16=1, in bfloat16 where the engine offers it and the machine has the instructions.
"""

import os
import tempfile


def in_bfloat16():
    return os.environ.get("BENCH_BFLOAT16", "0") == "1"


def paddle_predictor(bench, program, parameters):
    """`paddle.inference` on files; BENCH_ONEDNN=0 switches oneDNN off where it is a choice."""
    from paddle import inference

    config = inference.Config(program, parameters)
    config.set_cpu_math_library_num_threads(bench.threads)
    config.disable_glog_info()
    if os.environ.get("BENCH_ONEDNN", "1") == "1":
        config.enable_mkldnn()
    if in_bfloat16():
        config.enable_mkldnn_bfloat16()
    predictor = inference.create_predictor(config)
    source = predictor.get_input_handle(predictor.get_input_names()[0])
    result = predictor.get_output_handle(predictor.get_output_names()[0])

    def run(x):
        source.reshape(x.shape)
        source.copy_from_cpu(x)
        predictor.run()
        return result.copy_to_cpu()

    return run


def saved_predictor(bench, model, spec):
    """A layer saved by `paddle.jit.save` and read back by `paddle_predictor`."""
    paddle = bench.paddle()
    model.eval()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model")
        paddle.jit.save(paddle.jit.to_static(model, full_graph=True), path, input_spec=[spec])
        return paddle_predictor(bench, path + ".json", path + ".pdiparams")


def onnxruntime_session(bench, model):
    """ONNX Runtime on a file or on the bytes of one."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = bench.threads
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    return lambda x: session.run(None, {name: x})[0]


def openvino_model(bench, model):
    """OpenVINO on a file or on the bytes of one. Its own default on a machine with bfloat16 instructions is
    bfloat16."""
    import openvino

    precision = "bf16" if in_bfloat16() else "f32"
    core = openvino.Core()
    core.set_property("CPU", {"INFERENCE_NUM_THREADS": bench.threads})
    compiled = core.compile_model(
        core.read_model(model), "CPU", {"PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": precision}
    )
    return lambda x: compiled(x)[0]


def measure(bench, run, label, x):
    """The checksum and the latency of run(x)."""
    bench.check(f"abs_sum_{label}", abs(run(x).astype("float64")).sum())
    bench.time(f"latency_{label}", lambda: run(x), budget=4)
