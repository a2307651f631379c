# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Captured functions equal eager ones bit for bit; saved programs run as they were."""

import pathlib
import random
import re

import numpy as np
import paddle
import pytest

PROGRAMS = pathlib.Path(__file__).parents[2] / "compat" / "programs"
EXPORTS = PROGRAMS.parent / "exports"


def function(x, w):
    return paddle.tanh(paddle.matmul(x, w)).sum()


def test_forward_and_gradients_equal_eager():
    rng = np.random.default_rng(0)
    data = [rng.standard_normal(s).astype("float32") for s in ((3, 4), (4, 5))]
    results = []
    for f in (function, paddle.jit.to_static(function)):
        x, w = (paddle.to_tensor(d, stop_gradient=False) for d in data)
        loss = f(x, w)
        loss.backward()
        results.append([t.numpy() for t in (loss, x.grad, w.grad)])
    for eager, captured in zip(*results, strict=True):
        np.testing.assert_array_equal(eager, captured)


def test_one_program_serves_all_batch_sizes():
    spec = [paddle.jit.InputSpec([None, 4], "float32", "x")]
    f = paddle.jit.to_static(lambda x: paddle.tanh(x) + 1.0, input_spec=spec)
    for n in (2, 5):
        x = paddle.ones([n, 4])
        np.testing.assert_array_equal(f(x).numpy(), (paddle.tanh(x) + 1.0).numpy())


def test_value_request_names_this_file():
    @paddle.jit.to_static(full_graph=True)
    def branch(x):
        return x * np.asarray(x.sum())

    with pytest.raises(RuntimeError, match="test_to_static.py"):
        branch(paddle.ones([2]))


def test_save_and_load(tmp_path):
    spec = [paddle.jit.InputSpec([None, 3], "float32", "x")]
    paddle.jit.save(lambda x: paddle.tanh(x) * 2.0, str(tmp_path / "f"), spec)
    loaded = paddle.jit.load(str(tmp_path / "f"))
    x = paddle.ones([2, 3])
    np.testing.assert_array_equal(loaded(x).numpy(), (paddle.tanh(x) * 2.0).numpy())


ARTEFACTS = sorted(p for folder in (PROGRAMS, EXPORTS) for p in folder.iterdir())


@pytest.mark.parametrize("folder", ARTEFACTS, ids=lambda p: f"{p.parent.name}-{p.name}")
def test_saved_programs_load_and_give_their_results(folder):
    """`programs` were saved by PaddlePaddle, `exports` by an earlier build of this package."""
    loaded = paddle.jit.load(str(folder / "model"))
    io = np.load(folder / "io.npz")
    for case in sorted({k.split("_")[1] for k in io.files}):
        count = sum(k.startswith(f"in_{case}_") for k in io.files)
        outputs = loaded(*(paddle.to_tensor(io[f"in_{case}_{i}"]) for i in range(count)))
        outputs = outputs if isinstance(outputs, list) else [outputs]
        for i, out in enumerate(outputs):
            np.testing.assert_allclose(out.numpy(), io[f"out_{case}_{i}"], rtol=1e-4, atol=1e-5)


def test_tensors_made_inside_start_anew_on_every_run():
    @paddle.jit.to_static
    def f(x):
        total = paddle.to_tensor([0.0, 0.0])
        total += x
        total[0] = total[0] * 2.0
        return total

    for _ in range(3):
        np.testing.assert_array_equal(f(paddle.ones([2])).numpy(), [2.0, 1.0])


def test_results_have_memory_of_their_own():
    f = paddle.jit.to_static(lambda x: (x * 1.0, x + 0.0, paddle.tanh(x), paddle.tanh(x), paddle.ones([2])))
    x = paddle.ones([2])
    for _ in range(2):
        results = f(x)
        assert len({t.data_ptr() for t in (x, *results)}) == 6
        for t in results:
            t.zero_() if hasattr(t, "zero_") else t.set_value(np.zeros(2, "float32"))
        np.testing.assert_array_equal(x.numpy(), [1.0, 1.0])
    np.testing.assert_array_equal(f(x)[4].numpy(), [1.0, 1.0])


@pytest.mark.parametrize(
    "name", ["arrays", "bounds", "control_if", "control_while", "inplace", "mlp", "quantised", "recurrent"]
)
@pytest.mark.parametrize("seed", range(3))
def test_damaged_programs_are_errors(name, seed, tmp_path):
    """Numbers, names and values of the file are changed at random: an exception or results, no crash."""
    source = PROGRAMS / name
    text = (source / "model.json").read_text()
    if (source / "model.pdiparams").exists():
        (tmp_path / "m.pdiparams").write_bytes((source / "model.pdiparams").read_bytes())
    inputs = [paddle.to_tensor(v) for k, v in sorted(np.load(source / "io.npz").items()) if k.startswith("in_0_")]
    rng = random.Random(seed)
    for _ in range(60):
        damaged = text
        for _ in range(rng.randint(1, 3)):
            kind = rng.choice([r"(?<=[:\[,])-?\d+(?=[,\]}])", r'"1\.[a-z_]+"|"2\.yield"', r'\{"%":-?\d+\},?'])
            found = rng.choice(list(re.finditer(kind, damaged)))
            new = {"(": str(rng.choice([0, 1, -1, 2, 7, -7, 2**40])), "\\": ""}.get(kind[0], '"1.add"')
            damaged = damaged[: found.start()] + new + damaged[found.end() :]
        (tmp_path / "m.json").write_text(damaged)
        try:
            loaded = paddle.jit.load(str(tmp_path / "m"))
            if name not in ("arrays", "control_while"):  # a damaged condition may hold for ever
                loaded(*inputs)
        except (ValueError, TypeError, RuntimeError, NotImplementedError, OverflowError, MemoryError, IndexError):
            pass


def test_sets_in_order_of_addition():
    from paddle.jit.utils import OrderedSet

    made = OrderedSet([3, 1])
    made.add(2)
    assert list(made) == [3, 1, 2] and repr(made) == "OrderedSet(3, 1, 2)"
    assert made == OrderedSet([3, 1, 2]) != OrderedSet([1, 2, 3]) and OrderedSet([1, 4]) | made == OrderedSet(
        [1, 4, 3, 2]
    )
    assert made - OrderedSet([1]) == OrderedSet([3, 2]) and made ^ OrderedSet([2, 5]) == OrderedSet([3, 1, 5])
    made.remove(3)
    assert 3 not in made and len(made) == 2 and not OrderedSet()
