# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Work of devices in the trace."""

import json
import subprocess
import sys

import numpy as np
import paddle

from tests.device.plugins.build import ROOT, defective


def test_spans_of_a_device_stand_in_the_trace(tmp_path):
    paddle.device.load_plugin(defective("with_profiler"))
    x = paddle.to_tensor(np.ones([64, 64], "float32"), place="with_profiler:0")
    x + x  # before the recording
    path = tmp_path / "trace.json"
    paddle._core.profiler_start()
    begin = paddle._core.profiler_now()
    for _ in range(5):
        x = x + x
    x.numpy()
    end = paddle._core.profiler_now()
    paddle._core.profiler_stop()
    paddle._core.profiler_export(str(path))
    spans = [s for s in json.loads(path.read_text())["traceEvents"] if s.get("cat") == "device"]
    assert [s["name"] for s in spans] == ["add"] * 5 + ["copy"]
    for span in spans:
        assert begin <= 1e3 * span["ts"] + 1 and 1e3 * (span["ts"] + span["dur"]) <= end + 1
    assert len({s["tid"] for s in spans}) == 1
    paddle._core.profiler_start()
    assert [s for s in paddle._core.profiler_stop() if "device" in s] == []


def test_a_span_that_runs_backwards_is_a_warning():
    code = f"""
import paddle
paddle.device.load_plugin({str(defective("backward_spans"))!r})
paddle._core.profiler_start()
paddle.ones([2]) + 1
print(len(paddle._core.profiler_stop()) > 0)
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout == "True\n", done.stderr
    assert "plugin backward_spans" in done.stderr and "profiler.stop told a span from" in done.stderr
