# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The saved programs of tests/compat, taken apart into primitive and opaque operators, give the same values."""

import pathlib
import re

import numpy as np
import paddle
import pytest
from paddle import inference

from tests.test_op_decompositions import composed_of, decomposed, operators_of

COMPAT = pathlib.Path(__file__).parents[1] / "compat"
PROGRAMS = {
    **{
        f"{d.parent.name}/{d.name}": (d / "model.json", d / "io.npz")
        for k in ("exports", "programs")
        for d in sorted((COMPAT / k).iterdir())
    },
    **{
        f"{k}/{p.stem}": (p, p.with_suffix(".npz"))
        for k in ("programs_v2", "programs_lod")
        for p in sorted((COMPAT / k).glob("*.pdmodel"))
    },
}
SEQUENCES = [name for name in PROGRAMS if name.startswith("programs_lod/")]
# What an operator of these is made of depends on extents that are open in the file.
DEPENDS_ON_EXTENTS = {
    "programs/recurrent",
    *(f"programs_v2/{name}" for name in ("gru", "lstm", "mixed", "renamed", "rnn", "rows", "shapes")),
}
# Not captured with known extents: sizes that the file gives as tensors are no numbers then.
NOT_CAPTURED = {"programs_v2/interpolation"}


def arrays_of(io, kind):
    """Arrays of the first case of a file, with the offsets of their sequences."""
    data = np.load(io)
    start = kind if f"{kind}_0" in data else f"{kind}_0"
    found = []
    while (key := f"{start}_{len(found)}") in data:
        levels = sorted(k for k in data.files if re.fullmatch(rf"{key}_offsets_\d", k))
        found.append((data[key], [data[k].tolist() for k in levels]))
    return found


def assert_equal(results, wanted):
    assert len(results) == len(wanted)
    for one, two in zip(results, wanted, strict=True):
        one, two = np.asarray(one), np.asarray(two)
        assert one.dtype == two.dtype and one.shape == two.shape
        if one.dtype.kind == "f":
            np.testing.assert_allclose(one, two, rtol=1e-5, atol=1e-6)
        else:
            np.testing.assert_array_equal(one, two)


def values(layer, inputs):
    paddle.seed(3)
    results = layer(*inputs)
    return [r.numpy() for r in (results if isinstance(results, list | tuple) else [results])]


@pytest.mark.parametrize("name", [n for n in PROGRAMS if n not in SEQUENCES and n not in NOT_CAPTURED])
def test_a_program_with_known_extents(name):
    model, io = PROGRAMS[name]
    layer = paddle.jit.load(str(model.with_suffix("")))
    layer.eval()
    inputs = [paddle.to_tensor(a) for a, _ in arrays_of(io, "in")]
    wanted = values(layer, inputs)
    with decomposed():
        apart = paddle.jit.to_static(lambda *given: layer(*given), full_graph=True)
        assert_equal(values(apart, inputs), wanted)
    assert not composed_of(operators_of(apart))


def predictor_of(model, *passes):
    params = model.with_suffix(".pdiparams")
    config = inference.Config(str(model), str(params) if params.exists() else "")
    if passes:
        config.pass_builder().set_passes(list(passes))
    else:
        config.switch_ir_optim(False)
    return inference.create_predictor(config)


def run(predictor, inputs):
    for name, (array, offsets) in zip(predictor.get_input_names(), inputs, strict=True):
        handle = predictor.get_input_handle(name)
        handle.copy_from_cpu(array)
        if offsets:
            handle.set_lod(offsets)
    paddle.seed(3)
    predictor.run()
    return [predictor.get_output_handle(n).copy_to_cpu() for n in predictor.get_output_names()]


@pytest.mark.parametrize("name", [n for n in PROGRAMS if n not in SEQUENCES])
def test_a_program_with_open_extents(name):
    model, io = PROGRAMS[name]
    inputs = arrays_of(io, "in")
    if name in DEPENDS_ON_EXTENTS:
        with pytest.raises(NotImplementedError, match="known only at run time|known extents"):
            predictor_of(model, "decompose")
        return
    apart = predictor_of(model, "dce", "decompose", "dce")
    assert_equal(run(apart, inputs), run(predictor_of(model), inputs))
    assert not composed_of(re.findall(r'"pd_op\.(\w+)"', str(apart._native)))


@pytest.mark.parametrize("name", SEQUENCES)
def test_operators_on_sequences_are_taken_apart_when_they_run(name):
    """Types in these files are those of one batch; what an operator is made of follows its operands."""
    model, io = PROGRAMS[name]
    inputs = arrays_of(io, "in")
    wanted = run(predictor_of(model), inputs)
    with decomposed():
        assert_equal(run(predictor_of(model), inputs), wanted)


def test_all_programs_are_here():
    assert len(PROGRAMS) > 80 and DEPENDS_ON_EXTENTS | NOT_CAPTURED <= set(PROGRAMS)
    assert all(io.exists() for _, io in PROGRAMS.values())
