# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Programs of PaddlePaddle 2 (`.pdmodel`) against outputs of PaddlePaddle, and damaged ones."""

import pathlib
import struct
import subprocess
import sys

import numpy as np
import paddle
import pytest
from paddle import _core, inference

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "compat" / "programs_v2"
NAMES = sorted(p.stem for p in FOLDER.glob("*.pdmodel"))


def files_of(name):
    params = FOLDER / f"{name}.pdiparams"
    return str(FOLDER / f"{name}.pdmodel"), str(params) if params.exists() else ""


def arrays(name, kind):
    data = np.load(FOLDER / f"{name}.npz")
    return [data[f"{kind}_{i}"] for i in range(sum(k.startswith(kind) for k in data.files))]


def check(results, name):
    expected = arrays(name, "out")
    assert len(results) == len(expected)
    for got, want in zip(results, expected, strict=True):
        assert got.dtype == want.dtype
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", NAMES)
def test_outputs_are_those_of_paddle(name):
    predictor = inference.create_predictor(inference.Config(*files_of(name)))
    check([t.numpy() for t in predictor.run(arrays(name, "in"))], name)


def test_any_batch_size_runs():
    loaded = _core.pir.SavedProgram.load(*files_of("layers"))
    x = arrays("layers", "in")[0]
    both = loaded.run([paddle.to_tensor(x)])
    first = loaded.run([paddle.to_tensor(x[:1])])
    for a, b in zip(first, both, strict=True):
        np.testing.assert_allclose(a.numpy(), b.numpy()[:1], rtol=1e-5, atol=1e-6)


def test_the_loop_and_the_branch_follow_their_inputs():
    loop = _core.pir.SavedProgram.load(*files_of("while"))
    turns, x = loop.run([paddle.full([2, 3], 1.0)])
    assert turns.tolist() == [3] and x.tolist() == [[15.0] * 3] * 2
    branch = _core.pir.SavedProgram.load(*files_of("cond"))
    assert branch.run([paddle.full([1, 2], 3.0)])[0].tolist() == [[6.0, 6.0]]
    assert branch.run([paddle.full([1, 2], -3.0)])[0].tolist() == [[3.5, 3.5]]


def test_jit_load_takes_the_prefix():
    layer = paddle.jit.load(str(FOLDER / "matrices"))
    check([t.numpy() for t in layer(*map(paddle.to_tensor, arrays("matrices", "in")))], "matrices")
    assert len(layer.state_dict()) == 2


def test_static_load_inference_model_runs_it():
    paddle.enable_static()
    try:
        executor = paddle.static.Executor(paddle.CPUPlace())
        loaded, feeds, fetches = paddle.static.load_inference_model(str(FOLDER / "lstm"), executor)
        feed = dict(zip(feeds, arrays("lstm", "in"), strict=True))
        check(executor.run(loaded, feed=feed, fetch_list=fetches), "lstm")
    finally:
        paddle.disable_static()


def test_names_are_those_of_the_variables():
    predictor = inference.create_predictor(inference.Config(*files_of("cond")))
    assert predictor.get_input_names() == ["x"]
    assert [n.startswith("select_input_0") for n in predictor.get_output_names()] == [True]


# -- programs written by hand ----------------------------------------------------------------------
def varint(v):
    v &= (1 << 64) - 1
    out = b""
    while v > 127:
        out += bytes([v & 127 | 128])
        v >>= 7
    return out + bytes([v])


def number(field, v):
    return varint(field << 3) + varint(v)


def text(field, v):
    v = v.encode() if isinstance(v, str) else v
    return varint(field << 3 | 2) + varint(len(v)) + v


def attribute(name, v):
    head = text(1, name)
    if isinstance(v, bool):
        return head + number(2, 6) + number(10, v)
    if isinstance(v, int):
        return head + number(2, 0) + number(3, v)
    if isinstance(v, float):
        return head + number(2, 1) + varint(4 << 3 | 5) + struct.pack("<f", v)
    if isinstance(v, str):
        return head + number(2, 2) + text(5, v)
    return head + number(2, 3) + b"".join(number(6, e) for e in v)


def operator(kind, inputs, outputs, **attributes):
    def slots(field, table):
        return b"".join(text(field, text(1, k) + b"".join(text(2, n) for n in v)) for k, v in table.items())

    body = text(3, kind) + slots(1, inputs) + slots(2, outputs)
    return text(4, body + b"".join(text(4, attribute(k, v)) for k, v in attributes.items()))


def variable(name, dims, dtype=5, persistable=False):
    tensor = number(1, dtype) + b"".join(number(2, d) for d in dims)
    kind = number(1, 7) + text(3, text(1, tensor))
    return text(3, text(1, name) + text(2, kind) + number(3, persistable))


def program(variables, operators):
    names = [operator("feed", {"X": ["feed"]}, {"Out": ["x"]}, col=0), *operators]
    names.append(operator("fetch", {"X": ["y"]}, {"Out": ["fetch"]}, col=0))
    return text(1, number(1, 0) + number(2, -1) + b"".join(variables) + b"".join(names))


def load(tmp_path, content):
    path = tmp_path / "model.pdmodel"
    path.write_bytes(content)
    return _core.pir.SavedProgram.load(str(path), "")


X = variable("x", [-1, 2])
Y = variable("y", [-1, 2])


def test_a_program_written_by_hand_runs(tmp_path):
    content = program([X, Y], [operator("scale", {"X": ["x"]}, {"Out": ["y"]}, scale=2.0, bias=1.0)])
    (y,) = load(tmp_path, content).run([paddle.ones([3, 2])])
    assert y.tolist() == [[3.0, 3.0]] * 3


def test_pad2d_counts_from_the_top(tmp_path):
    pad = operator("pad2d", {"X": ["x"]}, {"Out": ["y"]}, paddings=[1, 2, 3, 0], mode="reflect")
    content = program([variable("x", [1, 1, 4, 5]), variable("y", [1, 1, 7, 8])], [pad])
    x = np.arange(20, dtype="float32").reshape(1, 1, 4, 5)
    (y,) = load(tmp_path, content).run([paddle.to_tensor(x)])
    np.testing.assert_array_equal(y.numpy(), np.pad(x, [(0, 0), (0, 0), (1, 2), (3, 0)], mode="reflect"))


def test_parts_between_places_that_are_tensors_are_written(tmp_path):
    def constant(name, value):
        return operator("fill_constant", {}, {"Out": [name]}, shape=[1], str_value=str(value), dtype=3)

    bounds = {"StartsTensorList": ["a"], "EndsTensorList": ["b"], "StepsTensorList": ["c"]}
    put = operator("set_value", {"Input": ["x"], "ValueTensor": ["v"], **bounds}, {"Out": ["y"]}, axes=[0], dtype=5)
    numbers = [constant("a", 1), constant("b", 4), constant("c", 2)]
    value = operator("fill_constant", {}, {"Out": ["v"]}, shape=[1], str_value="7", dtype=5)
    content = program([X, Y, *(variable(n, [1], 3) for n in "abc"), variable("v", [1])], [*numbers, value, put])
    (y,) = load(tmp_path, content).run([paddle.zeros([5, 2])])
    assert y.tolist() == [[0.0] * 2, [7.0] * 2, [0.0] * 2, [7.0] * 2, [0.0] * 2]


@pytest.mark.parametrize("name", sorted(set(NAMES) - {"proposals", "rcnn"}))
def test_sixteen_bits_hold_the_parameters_of_any_program(name, tmp_path):
    files = [str(tmp_path / "mixed.json"), str(tmp_path / "mixed.pdiparams")]
    precision = inference.PrecisionType.Half
    inference.convert_to_mixed_precision(*files_of(name), *files, precision, inference.PlaceType.CPU)
    results = inference.create_predictor(inference.Config(*files)).run(arrays(name, "in"))
    for got, want in zip(results, arrays(name, "out"), strict=True):
        assert list(got.shape) == list(want.shape)
        if got.is_floating_point():
            np.testing.assert_allclose(got.numpy(), want, rtol=0.05, atol=0.02)


def test_all_unknown_operators_are_named_at_once(tmp_path):
    operators = [operator("frobnicate", {"X": ["x"]}, {"Out": ["y"]}), operator("warp", {}, {"Out": ["y"]})]
    with pytest.raises(NotImplementedError, match="frobnicate, warp"):
        load(tmp_path, program([X, Y], operators))


def test_a_message_holds_names_that_are_no_text(tmp_path):
    content = program([X, Y], [operator("wrong", {"X": ["x"]}, {"Out": ["y"]})]).replace(b"wrong", b"wr\xffng")
    with pytest.raises(NotImplementedError, match="wr\ufffdng"):
        load(tmp_path, content)


def test_inputs_that_no_rule_reads_are_refused(tmp_path):
    squeeze = operator("softmax", {"X": ["x"], "Weights": ["x"]}, {"Out": ["y"]})
    with pytest.raises(NotImplementedError, match="softmax: it reads input Weights"):
        load(tmp_path, program([X, Y], [squeeze]))


def test_attributes_name_what_follows_an_operator(tmp_path):
    inputs = {"X": ["x"], "Y": ["x"]}
    attributes = {"fuse_activation": "leaky_relu", "fuse_alpha": 0.25, "fused_output_scale": 3.0}
    content = program([X, Y], [operator("fused_elementwise_add", inputs, {"Out": ["y"]}, **attributes)])
    (y,) = load(tmp_path, content).run([paddle.to_tensor([[-2.0, 4.0]])])
    assert y.tolist() == [[-3.0, 24.0]]
    rows = operator("fused_matmul", inputs, {"Out": ["y"]}, trans_y=True, matmul_alpha=0.5, fused_reshape_Out=[1, -1])
    (y,) = load(tmp_path, program([X, Y], [rows])).run([paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])])
    assert y.tolist() == [[2.5, 5.5, 5.5, 12.5]]


def test_whole_numbers_of_eight_bits(tmp_path):
    def one(kind, inputs, x, output="Output", **attributes):
        content = program([X, Y], [operator(kind, inputs, {output: ["y"]}, **attributes)])
        return load(tmp_path, content).run([paddle.to_tensor(x)])[0].tolist()

    x, source = [[-1.0, 0.25], [2.6, 100.0]], {"Input": ["x"]}
    assert one("quantize", source, x, Scale=2.0, is_negative_input=True) == [[-2, 0], [5, 127]]
    assert one("quantize", source, x, Scale=2.0) == [[0, 0], [5, 200]]
    assert one("quantize", source, [[1.00390625, 3.0]], bfloat16=True) == [[1, 3]]
    assert one("dequantize", source, [[-6.0, 9.0]], Scale=2.0, Shift=1.0) == [[-3.5, 4]]
    assert one("requantize", source, [[-6.0, 90.0]], Scale_in=2.0, Scale_out=3.0) == [[-9, 127]]
    pair, whole = {"X": ["x"], "Y": ["x"]}, [[2.0, -4.0], [1.0, 8.0]]
    scales = {"mkldnn_data_type": "int8", "Scale_x": 2.0, "Scale_y": 4.0, "Scale_out": 3.0}
    # [[2, -4], [1, 8]]^2 = [[0, -40], [10, 60]]; 3 / (2 * 4) of that
    assert one("fused_matmul", pair, whole, "Out", **scales) == [[0, -15], [4, 22]]
    assert one("fused_matmul", pair, whole, "Out", **scales, fuse_activation="relu") == [[0, 0], [4, 22]]
    assert one("fused_matmul", pair, whole, "Out", **scales, force_fp32_output=True) == [[0, -5], [1.25, 7.5]]
    sums = {"scale_x": 2.0, "scale_y": 1.0, "scale_out": 10.0}
    assert one("fused_elementwise_add", pair, whole, "Out", **sums) == [[30, -60], [15, 120]]


@pytest.mark.parametrize(
    ("written", "message"),
    [
        (operator("fusion_gru", {"X": ["x"]}, {"Hidden": ["y"]}, Scale_data=2.0, mkldnn_data_type="int8"), "8 bits"),
        (operator("relu", {"X": ["x"]}, {"Out": ["y"]}, fuse_activation="wave"), "its activation is wave"),
        (operator("c_concat", {"X": ["x"]}, {"Out": ["y"]}, nranks=2), "joins 2 processes"),
        (operator("c_allreduce_sum", {"X": ["x"]}, {"Out": ["y"]}), "reduces over several processes"),
        (operator("beam_search_decode", {"Ids": ["x"], "Scores": ["x"]}, {"SentenceIds": ["y"]}), None),
    ],
)
def test_what_cannot_run_is_refused(tmp_path, written, message):
    with pytest.raises(NotImplementedError if message else ValueError, match=message):
        load(tmp_path, program([X, Y], [written]))


@pytest.mark.parametrize(
    ("operators", "message"),
    [
        ([operator("relu", {"X": ["z"]}, {"Out": ["y"]})], "relu reads variable z"),
        ([operator("elementwise_add", {"X": ["x"]}, {"Out": ["y"]})], "input Y is missing"),
        ([operator("split", {"X": ["x"]}, {"Out": ["y", "z"]}, axis=0, num=3)], "split"),
        ([operator("scale", {"X": ["x"]}, {"Out": ["y"]}, scale="two")], "a number is expected"),
        ([operator("rnn", {"Input": ["x"]}, {"Out": ["y"]}, num_layers=1 << 20)], "layers"),
        ([], "fetch reads variable y"),
        (
            [
                operator("relu", {"X": ["x"]}, {"Out": ["a#0"]}),
                operator("relu", {"X": ["x"]}, {"Out": ["a#1"]}),
                operator("read_from_array", {"X": ["a"], "I": ["x"]}, {"Out": ["y"]}),
            ],
            "a, which is no array",
        ),
        (
            [
                *(operator("relu", {"X": ["x"]}, {"Out": [f"t@RANK{k}"]}) for k in range(4)),
                operator("shrink_rnn_memory", {"X": ["x"], "RankTable": ["t"], "I": ["x"]}, {"Out": ["y"]}),
            ],
            "RankTable is no table",
        ),
    ],
)
def test_wrong_programs_say_what_is_wrong(tmp_path, operators, message):
    with pytest.raises(ValueError, match=message):
        load(tmp_path, program([X, Y], operators))


@pytest.mark.parametrize("content", [b"", b"\x00", b"PK\x03\x04" * 9, b"\x0a\xff\xff\xff\xff\x0f", b"\x0a\x02\x08"])
def test_what_is_no_program_is_refused(tmp_path, content):
    with pytest.raises(ValueError):
        load(tmp_path, content)


MUTATE = """
import os, random, resource, sys
import numpy as np, paddle
from paddle import _core
if "libasan" not in os.environ.get("LD_PRELOAD", ""):  # whose shadow memory needs the whole address space
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
source, params, data, scratch, run = sys.argv[1:]
good = open(source, "rb").read()
arrays = np.load(data)
inputs = [paddle.to_tensor(arrays[k]) for k in sorted(arrays.files) if k.startswith("in_")]
rng = random.Random(7)
variants = [good[: rng.randrange(len(good))] for _ in range(60)]
for _ in range(240):
    bad = bytearray(good)
    for _ in range(rng.choice([1, 1, 1, 4])):
        bad[rng.randrange(len(bad))] ^= 1 << rng.randrange(8)
    variants.append(bytes(bad))
failed = 0
for variant in variants:
    with open(scratch, "wb") as file:
        file.write(variant)
    try:
        loaded = _core.pir.SavedProgram.load(scratch, params)
        if run == "run":
            loaded.run(inputs)
    except Exception:
        failed += 1
print(failed, len(variants))
"""


@pytest.mark.parametrize(
    "name", ["layers", "shapes", "activations", "while", "lstm", "recurrent", "quantised_in_training"]
)
def test_damaged_programs_raise_and_never_crash(tmp_path, name):
    data = str(FOLDER / f"{name}.npz")
    # A damaged loop may have no end.
    run = "load" if name == "while" else "run"
    command = [sys.executable, "-c", MUTATE, *files_of(name), data, str(tmp_path / "bad.pdmodel"), run]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert result.returncode == 0, (result.stdout, result.stderr[-2000:])
    failed, total = map(int, result.stdout.split())
    assert total == 300 and failed > 60
