# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Programs whose rows are sequences delimited by offsets (LoD), against outputs of PaddlePaddle."""

import pathlib
import re

import numpy as np
import paddle
import pytest
from paddle import inference

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "compat" / "programs_lod"
NAMES = sorted(p.stem for p in FOLDER.glob("*.pdmodel"))


def read(name):
    """Inputs and outputs, each an array and its offsets."""
    data = np.load(FOLDER / f"{name}.npz")

    def all_of(kind):
        found = []
        while (key := f"{kind}_{len(found)}") in data:
            levels = sum(re.fullmatch(rf"{key}_offsets_\d", k) is not None for k in data.files)
            found.append((data[key], [data[f"{key}_offsets_{i}"].tolist() for i in range(levels)]))
        return found

    return all_of("in"), all_of("out")


def predictor_of(name, optimize):
    config = inference.Config(str(FOLDER / f"{name}.pdmodel"), str(FOLDER / f"{name}.pdiparams"))
    config.switch_ir_optim(optimize)
    return inference.create_predictor(config)


def give(predictor, inputs):
    for name, (array, offsets) in zip(predictor.get_input_names(), inputs, strict=True):
        handle = predictor.get_input_handle(name)
        handle.copy_from_cpu(array)
        handle.set_lod(offsets)


@pytest.mark.parametrize("optimize", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_values_and_offsets_are_those_of_paddle(name, optimize):
    inputs, outputs = read(name)
    predictor = predictor_of(name, optimize)
    give(predictor, inputs)
    predictor.run()
    names = predictor.get_output_names()
    assert len(names) == len(outputs)
    for i, (output, (want, offsets)) in enumerate(zip(names, outputs, strict=True)):
        handle = predictor.get_output_handle(output)
        got = handle.copy_to_cpu()
        assert got.dtype == want.dtype, i
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5, err_msg=str(i))
        assert handle.lod() == offsets, i


def test_a_batch_is_what_its_sentences_are_alone():
    inputs, _ = read("tagger")
    words, ((*offsets,),) = inputs[0]
    predictor = predictor_of("tagger", True)

    def tags(rows, at):
        give(predictor, [(rows, [at])])
        predictor.run()
        return [predictor.get_output_handle(n).copy_to_cpu() for n in predictor.get_output_names()]

    whole = tags(words, offsets)
    for begin, end in zip(offsets, offsets[1:], strict=False):
        for one, all_rows in zip(tags(words[begin:end], [0, end - begin]), whole, strict=True):
            np.testing.assert_allclose(one, all_rows[begin:end], rtol=1e-5, atol=1e-6)


def test_the_executor_takes_and_gives_offsets():
    inputs, outputs = read("tagger")
    paddle.enable_static()
    try:
        executor = paddle.static.Executor(paddle.CPUPlace())
        program, feeds, fetches = paddle.static.load_inference_model(str(FOLDER / "tagger"), executor)
        words = paddle.base.create_lod_tensor(inputs[0][0], [[3, 1, 5]], paddle.CPUPlace())
        tags = executor.run(program, feed={feeds[0]: words}, fetch_list=fetches, return_numpy=False)[0]
    finally:
        paddle.disable_static()
    np.testing.assert_array_equal(np.array(tags), outputs[0][0])
    assert tags.lod() == outputs[0][1] == [[0, 3, 4, 9]]


@pytest.mark.parametrize(
    "offsets, message",
    [
        ([], "input words holds sequences; set_lod"),
        ([[0, 3], [0, 4, 9]], "1 such lists are needed"),
        ([[0, 3, 4]], "level 0 of the sequences of input words must go from 0 up to 9"),
        ([[1, 9]], "must go from 0 up to 9"),
        ([[0, 5, 3, 9]], "must go from 0 up to 9"),
        ([[0, 3, 10]], "must go from 0 up to 9"),
    ],
)
def test_offsets_that_do_not_fit(offsets, message):
    inputs, _ = read("tagger")
    predictor = predictor_of("tagger", False)
    give(predictor, [(inputs[0][0], offsets)])
    with pytest.raises(ValueError, match=re.escape(message)):
        predictor.run()


def test_slices_outside_of_a_sequence_are_refused():
    inputs, _ = read("rows")
    names = predictor_of("rows", False).get_input_names()
    for name, bad in (("length", 100), ("length", -1), ("offset", 100)):
        changed = [(np.full_like(a, bad), o) if n == name else (a, o) for n, (a, o) in zip(names, inputs, strict=True)]
        predictor = predictor_of("rows", False)
        give(predictor, changed)
        with pytest.raises((ValueError, IndexError)):
            predictor.run()


def test_a_loaded_layer_takes_and_gives_offsets():
    inputs, outputs = read("tagger")
    layer = paddle.jit.load(str(FOLDER / "tagger"))
    words = paddle.to_tensor(inputs[0][0])
    words.get_tensor().set_lod(inputs[0][1])
    tags = layer(words)[0]
    np.testing.assert_array_equal(tags.numpy(), outputs[0][0])
    assert tags.get_tensor().lod() == outputs[0][1]
    with pytest.raises(ValueError, match="input words holds sequences"):
        layer(paddle.to_tensor(inputs[0][0]))
