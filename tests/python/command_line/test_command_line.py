# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`python -m paddle COMMAND MODEL`."""

import pathlib
import re
import subprocess
import sys
import tomllib
import xml.etree.ElementTree as ElementTree

import numpy as np
import paddle
import pytest
from paddle.command_line import main

COMPAT = pathlib.Path(__file__).resolve().parents[2] / "compat"
MLP = COMPAT / "programs" / "mlp" / "model"
OLD = COMPAT / "programs_v2" / "layers"


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    prefix = str(tmp_path_factory.mktemp("model") / "net")
    paddle.seed(1)
    net = paddle.nn.Sequential(paddle.nn.Linear(4, 8), paddle.nn.ReLU(), paddle.nn.Linear(8, 3))
    paddle.jit.save(net, prefix, input_spec=[paddle.static.InputSpec([None, 4], "float32", name="x")])
    x = np.random.default_rng(0).standard_normal((5, 4)).astype("float32")
    return prefix, x, net(paddle.to_tensor(x)).numpy()


def test_the_module_runs_as_a_program(model):
    command = [sys.executable, "-m", "paddle", "info", model[0]]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "x  float32 [?, 4]" in result.stdout and "4 tensors, 67 elements, 268 B" in result.stdout
    assert re.search(r"1  relu", result.stdout)


def test_the_package_declares_the_console_script():
    project = tomllib.loads((pathlib.Path(__file__).resolve().parents[3] / "pyproject.toml").read_text())
    assert project["project"]["scripts"]["paddle"] == "paddle.command_line:main"


@pytest.mark.parametrize("name", [str(MLP), f"{MLP}.json", str(OLD), f"{OLD}.pdmodel", str(MLP.parent)])
def test_info_and_check_take_prefix_file_and_folder(name, capsys):
    assert main(["info", name]) == 0
    assert "inputs" in capsys.readouterr().out
    assert main(["check", name]) == 0
    assert "every operator is there" in capsys.readouterr().out


COMPAT = pathlib.Path(__file__).resolve().parents[2] / "compat"
FILES = [*sorted(COMPAT.glob("programs/*/model.json")), *sorted(COMPAT.glob("programs_v2/*.pdmodel"))]


@pytest.mark.parametrize("path", FILES, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_check_finds_nothing_in_programs_that_run(path, capsys):
    assert main(["check", str(path)]) == 0
    assert "every operator is there" in capsys.readouterr().out


@pytest.mark.parametrize("path", FILES, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_info_lists_the_inputs_in_the_order_in_which_they_are_fed(path, capsys):
    assert main(["info", str(path)]) == 0
    listed = capsys.readouterr().out.partition("inputs\n")[2].partition("outputs\n")[0].splitlines()
    params = path.with_suffix(".pdiparams")
    config = paddle.inference.Config(str(path), str(params) if params.exists() else "")
    assert [line.split()[0] for line in listed] == paddle.inference.create_predictor(config).get_input_names()


def test_check_names_what_is_missing(model, tmp_path, capsys):
    text = pathlib.Path(f"{model[0]}.json").read_text().replace('"1.relu"', '"1.frobnicate"')
    (tmp_path / "odd.json").write_text(text)
    assert main(["check", str(tmp_path / "odd")]) == 1
    assert "pd_op.frobnicate" in capsys.readouterr().out
    assert main(["info", str(tmp_path / "odd.json")]) == 0
    assert "frobnicate   (missing)" in capsys.readouterr().out


def test_run_writes_the_outputs(model, tmp_path, capsys):
    prefix, x, expected = model
    np.save(tmp_path / "x.npy", x)
    out = tmp_path / "out.npz"
    assert main(["run", prefix, "--input", f"x={tmp_path / 'x.npy'}", "--output", str(out), "--threads", "1"]) == 0
    assert "fetch_name_0  float32 [5, 3]" in capsys.readouterr().out
    np.testing.assert_allclose(np.load(out)["fetch_name_0"], expected, rtol=1e-5, atol=1e-7)


def test_bench_prints_latencies_and_operators(model, capsys):
    assert main(["bench", model[0], "--shape", "2,4", "--runs", "3", "--threads", "1"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("3 runs, 1 threads") and "p50" in out
    assert re.search(r"matmul_epilogue +2 +\d", out)


@pytest.mark.parametrize("end", ["svg", "html"])
def test_visualize_draws(model, tmp_path, end, capsys):
    path = tmp_path / f"net.{end}"
    assert main(["visualize", model[0], "-o", str(path), "--as-saved", "--shape", "2,4"]) == 0
    text = path.read_text()
    assert "relu" in text and " ms, " in text and "float32[" in text
    if end == "svg":
        boxes = ElementTree.fromstring(text).iter("{http://www.w3.org/2000/svg}rect")
        assert len(list(boxes)) == 7  # data, two products and sums, relu, fetch


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["info", "no/such"], "there is no model 'no/such'"),
        (["info", "MODEL", "--params", "no.pdiparams"], "'no.pdiparams' does not exist"),
        (["info", __file__], "^paddle info: program file: .*damaged"),
        (["run", "MODEL"], "input 'x' is not given"),
        (["run", "MODEL", "--input", "y=y.npy"], "there is no input 'y'"),
        (["run", "MODEL", "--input", "x"], "NAME=VALUE"),
        (["run", "MODEL", "--input", "x=none.npy"], "none.npy"),
        (["bench", "MODEL"], r"shape \[\?, 4\]"),
        (["bench", "MODEL", "--shape", "a,b"], "integers"),
        (["bench", "MODEL", "--shape", "y=1,4"], "names 'y'|pass --shape x"),
        (["bench", "MODEL", "--shape", "1,4", "--runs", "0"], "at least 1"),
        (["visualize", "MODEL", "-o", "net.pdf"], "must end in .svg or .html"),
    ],
)
def test_errors_say_what_is_wrong(model, arguments, message, capsys):
    assert main([model[0] if a == "MODEL" else a for a in arguments]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"paddle {arguments[0]}: ") and re.search(message, error), error


def header(text):
    text = text.encode() + b"\n"
    return b"\x93NUMPY\x02\x00" + len(text).to_bytes(4, "little") + text


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"PK\x03\x04 no archive",
        b"\x93NUMPY\x02\x00\xff\xff\xff\xff",
        b"cos\nsystem\n(S'echo no'\ntR.",
        header("{'descr': '<f4', 'fortran_order': False, 'shape': (3000000000, 4)}"),
        header("{'descr': '<f4', 'fortran_order': False, 'shape': (-1, 4)}"),
        header("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}"),
        header("__import__('os').getcwd()"),
        header("(" * 3000 + ")" * 3000),
    ],
    ids=["empty", "archive", "cut", "pickle", "larger", "negative", "objects", "code", "deep"],
)
def test_files_that_hold_no_array(model, content, tmp_path, capsys):
    path = tmp_path / "x.npy"
    path.write_bytes(content)
    assert main(["run", model[0], "--input", f"x={path}"]) == 2
    assert f"{path} holds no array that can be read" in capsys.readouterr().err


def test_an_archive_of_arrays_is_not_an_array(model, tmp_path, capsys):
    np.savez(tmp_path / "x.npz", a=np.ones([1, 4], "float32"))
    assert main(["run", model[0], "--input", f"x={tmp_path / 'x.npz'}"]) == 2
    assert "holds several arrays" in capsys.readouterr().err


TAGGER = COMPAT / "programs_lod" / "tagger"


def test_run_takes_where_sequences_begin(tmp_path, capsys):
    noted = np.load(f"{TAGGER}.npz")
    np.save(tmp_path / "words.npy", noted["in_0"])
    name = paddle.inference.create_predictor(
        paddle.inference.Config(f"{TAGGER}.pdmodel", f"{TAGGER}.pdiparams")
    ).get_input_names()[0]
    command = ["run", str(TAGGER), "--input", f"{name}={tmp_path / 'words.npy'}", "--output", str(tmp_path / "out.npz")]
    lod = ",".join(map(str, noted["in_0_offsets_0"]))
    assert main([*command, "--lod", f"{name}={lod}"]) == 0
    values = np.load(tmp_path / "out.npz")
    for i, key in enumerate(values.files):
        np.testing.assert_allclose(values[key], noted[f"out_{i}"], rtol=1e-5, atol=1e-6)
    assert main([*command, "--lod", f"{name}=0,x"]) == 2
    assert "--lod must list integers" in capsys.readouterr().err
    assert main([*command, "--lod", f"{name}=0,5"]) == 2
    assert f"of input {name} must go from 0 up to 9" in capsys.readouterr().err
    assert main([*command, "--lod", "nothing=0,9"]) == 2
    assert f"the inputs that hold sequences are ['{name}']" in capsys.readouterr().err


def test_bench_takes_all_rows_as_one_sequence(capsys):
    assert main(["bench", str(TAGGER), "--shape", "7,1", "--runs", "2"]) == 0
    assert "2 runs" in capsys.readouterr().out


def test_check_reads_parameters_in_files_of_their_own(tmp_path, capsys):
    loaded = paddle._core.pir.SavedProgram.load(f"{OLD}.pdmodel", f"{OLD}.pdiparams", optimize=False)
    for name, value in zip(loaded.parameter_names, loaded.parameters, strict=True):
        (tmp_path / name).write_bytes(paddle._core.pir.tensors_to_records([value]))
    (tmp_path / "__model__").write_bytes(pathlib.Path(f"{OLD}.pdmodel").read_bytes())
    assert main(["check", str(tmp_path)]) == 0
    assert "the program and its parameters load" in capsys.readouterr().out
    (tmp_path / loaded.parameter_names[0]).unlink()
    assert main(["check", str(tmp_path)]) == 2
