# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The library of PaddlePaddle 2's programs and operators is loaded by the first file that needs it and by nothing else."""

import pathlib
import re
import shutil
import subprocess
import sys

import paddle
import pytest

COMPAT = pathlib.Path(__file__).resolve().parents[2] / "compat"
LIBRARY = pathlib.Path(paddle.__file__).parent / "libs" / "libpaddle_legacy.so"

LOADED = """
import sys
import paddle
from paddle import inference

def is_loaded():
    return "libpaddle_legacy" in open("/proc/self/maps").read()

def predictor_of(*files):
    return inference.create_predictor(inference.Config(*files))
"""
ORDINARY = """
class Net(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.conv, self.norm, self.head = paddle.nn.Conv2D(3, 4, 3), paddle.nn.BatchNorm2D(4), paddle.nn.Linear(4, 2)

    def forward(self, x):
        y = paddle.nn.functional.gelu(self.norm(self.conv(x))).mean([2, 3])
        total = paddle.zeros([y.shape[0], 4])
        for _ in range(paddle.to_tensor(3)):  # a loop of the program
            total = total + y
        if total.sum() > 0:  # and a branch
            total = total * 2
        total[:, 1] = 0.5  # a set_value
        return paddle.nn.functional.softmax(self.head(total))

path = sys.argv[1]
net = Net()
net.eval()
x = paddle.rand([2, 3, 8, 8])
paddle.jit.save(net, path, input_spec=[paddle.static.InputSpec([None, 3, 8, 8], "float32", name="x")])
loaded = paddle.jit.load(path)
assert paddle.allclose(loaded(x), net(x), rtol=1e-4)
loaded.train()
loaded(x).sum().backward()
assert paddle.allclose(predictor_of(path + ".json", path + ".pdiparams").run([x])[0], net(x), rtol=1e-4)
assert paddle._core.pir.model_summary(path + ".json")["missing"] == []
paddle.jit.to_static(net)(x)
assert not is_loaded()
"""


@pytest.fixture
def run(tmp_path):
    """Runs code in a process of its own, from a file, for to_static reads the source."""

    def run(code, *arguments):
        script = tmp_path / "script.py"
        script.write_text(LOADED + code)
        command = [sys.executable, script, *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
        assert done.returncode == 0, done.stdout + done.stderr

    return run


def test_no_ordinary_program_loads_it_and_an_old_one_does(run, tmp_path):
    old = COMPAT / "programs_v2" / "elementwise"
    run(
        ORDINARY + "predictor_of(sys.argv[2], sys.argv[3])\nassert is_loaded()",
        tmp_path / "net",
        f"{old}.pdmodel",
        f"{old}.pdiparams",
    )


@pytest.mark.parametrize(
    "code",
    [
        "paddle._core.pir.SavedProgram.load(sys.argv[1] + '.pdmodel', sys.argv[1] + '.pdiparams')",
        "paddle._core.pir.model_summary(sys.argv[1] + '.pdmodel')",
        "assert 'fc' in paddle._core.pir.translated_operators()",
    ],
)
def test_what_else_loads_it(run, code):
    run(f"assert not is_loaded()\n{code}\nassert is_loaded()", COMPAT / "programs_v2" / "elementwise")


# Programs of PaddlePaddle 3 with operators that only the library knows, or tensor arrays.
NEEDS = {"composed", "fused", "arrays"}


@pytest.mark.parametrize(
    "name", ["composed", "fused", "arrays", "mlp", "control_if", "control_while", "inplace", "transformer_block"]
)
def test_programs_of_paddlepaddle_3_load_it_for_operators_that_it_knows(run, name):
    (program,) = (COMPAT / "programs" / name).glob("*.json")
    params = program.with_suffix(".pdiparams")
    code = f"""
assert paddle._core.pir.model_summary(sys.argv[1])["missing"] == []
assert is_loaded() == {name in NEEDS}
paddle._core.pir.SavedProgram.load(sys.argv[1], sys.argv[2])
assert is_loaded() == {name in NEEDS}
"""
    run(code, program, params if params.exists() else "")


@pytest.mark.threads
def test_threads_load_it_at_once(run):
    old = COMPAT / "programs_v2" / "elementwise"
    run(
        """
import threading
start, made = threading.Barrier(8), []
def work():
    start.wait()
    made.append(predictor_of(sys.argv[1], sys.argv[2]))
threads = [threading.Thread(target=work) for _ in range(8)]
[t.start() for t in threads]
[t.join() for t in threads]
assert len(made) == 8 and is_loaded()
""",
        f"{old}.pdmodel",
        f"{old}.pdiparams",
    )


@pytest.mark.skipif(shutil.which("nm") is None, reason="nm is not installed")
def test_it_exports_its_table_and_nothing_else():
    text = subprocess.run(["nm", "-DC", "--defined-only", LIBRARY], capture_output=True, text=True, check=True).stdout
    functions = re.findall(r"^\w+ T (.+)$", text, re.M)
    assert functions == ["paddle_legacy_library"]
