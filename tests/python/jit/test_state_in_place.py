# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Captured functions that replace a part of a tensor which lives on: what moves is the part, and the values are
those of the same function without capture."""

import numpy as np
import paddle
import pytest
from paddle import _core

ROWS, WIDTH = 4096, 256  # 4 MiB


def capture(function):
    return paddle.jit.to_static(function, full_graph=True)


def peak_of(step):
    """Bytes beyond those alive before that a call needs at a time."""
    for _ in range(4):
        step()
    host = paddle.CPUPlace()
    before = _core.memory_stats(host)[0]
    _core.reset_peak_memory(host)
    step()
    return _core.memory_stats(host)[1] - before


def rows_at(cache, row, position):
    cache[position] = row
    return row + 1.0


def columns_at(cache, row, position):
    cache[:, position] = row.reshape([WIDTH])[:1].expand([ROWS, 1])
    return row + 1.0


def constant_row(cache, row, position):
    cache[5] = row[0]
    return row + 1.0


def span(cache, row, position):
    cache[7:9] = row.expand([2, WIDTH])
    return row + 1.0


def several(cache, row, position):
    cache[position] = row
    cache[position + 1] = row * 2.0
    cache[0] = cache[1] + row[0]
    return row + 1.0


def scattered(cache, row, position):
    paddle.scatter_(cache, position, row)
    return row + 1.0


def returned(cache, row, position):
    cache[position] = row
    return cache


def read_before(cache, row, position):
    before = cache[3].sum()
    cache[position] = row
    return before


def read_after(cache, row, position):
    cache[position] = row
    return cache[:8].sum()


IN_PLACE = [rows_at, constant_row, span, several, scattered, returned, read_before, read_after]


def run(function, held, steps=5):
    """What the function gives over several calls, and what it leaves behind."""
    rng = np.random.default_rng(1)
    cache = paddle.to_tensor(rng.standard_normal((ROWS, WIDTH)).astype("float32"))
    if held:
        # A tensor of its own, not an argument.
        called = capture(lambda row, position: function(cache, row, position)) if held == "captured" else None
    else:
        called = None
    seen = []
    with paddle.no_grad():
        for i in range(steps):
            row = paddle.to_tensor(rng.standard_normal((1, WIDTH)).astype("float32"))
            position = paddle.to_tensor([3 * i + 1])
            result = called(row, position) if called else function(cache, row, position)
            seen.append(result.numpy().copy())
    return seen, cache


@pytest.mark.parametrize("function", [*IN_PLACE, columns_at], ids=lambda f: f.__name__)
def test_values_are_those_of_eager_calls(function):
    wanted, left = run(function, False)
    got, cache = run(function, "captured")
    for a, b in zip(got, wanted, strict=True):
        np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(cache.numpy(), left.numpy())


@pytest.mark.parametrize("given", [False, True], ids=["held", "argument"])
@pytest.mark.parametrize("function", IN_PLACE, ids=lambda f: f.__name__)
def test_the_part_moves_and_not_the_whole(function, given):
    cache = paddle.zeros([ROWS, WIDTH])
    row, position = paddle.ones([1, WIDTH]), paddle.to_tensor([9])
    step = capture(function) if given else capture(lambda row, position: function(cache, row, position))
    arguments = (cache, row, position) if given else (row, position)
    address = cache.data_ptr()
    with paddle.no_grad():
        assert peak_of(lambda: step(*arguments)) < ROWS * WIDTH * 4 / 4
    assert cache.data_ptr() == address
    assert float(cache.sum()) != 0


def test_a_layer_of_a_stacked_cache_is_written_through_its_view():
    cache = paddle.zeros([4, ROWS // 4, WIDTH])

    @capture
    def step(row, position):
        cache[2][position] = row
        return row + 1.0

    row, position = paddle.full([1, WIDTH], 3.0), paddle.to_tensor([9])
    with paddle.no_grad():
        assert peak_of(lambda: step(row, position)) < ROWS * WIDTH * 4 / 16
    wanted = np.zeros(cache.shape, "float32")
    wanted[2, 9] = 3
    np.testing.assert_array_equal(cache.numpy(), wanted)


def test_a_cache_of_growing_programs():
    """Every prompt length is a new shape."""
    cache = paddle.zeros([1, 256, 64])

    @paddle.jit.to_static(full_graph=True, input_spec=[paddle.static.InputSpec([1, None, 64]), None])
    def step(rows, positions):
        cache[:, positions] = rows
        return cache.sum()

    wanted = np.zeros([1, 256, 64], "float32")
    with paddle.no_grad():
        for n in range(1, 40):
            rows = np.full([1, n, 64], n, "float32")
            positions = np.arange(n)
            total = step(paddle.to_tensor(rows), paddle.to_tensor(positions))
            wanted[:, positions] = rows
            assert float(total) == wanted.sum()


# -- what may not be in place -----------------------------------------------------------------------


def old_value_returned(cache, row):
    before = cache * 1.0
    old = cache[2:4]
    kept = old.clone()
    cache[2] = row[0]
    return before, kept


def old_view_read_later(cache, row):
    fresh = cache.clone()
    fresh[1] = row[0]
    total = (cache - fresh).sum()
    cache[1] = row[0]
    return total


def part_of_itself(cache, row):
    cache[4:8] = cache[0:4]
    cache[0] = row[0]
    return cache[4] * 1.0


def overlapping_part_of_itself(cache, row):
    cache[1:5] = cache[0:4]
    cache[0:4] = cache[1:5] * 2.0
    return row


def elsewhere(cache, row):
    part = cache[0:4].clone()
    part[0] = row[0]
    cache[4:8] = part
    return cache[0] * 1.0


def turned(cache, row):
    view = paddle.transpose(cache, [1, 0])
    view[3] = view[3] * 2.0
    return view.sum()


def written_twice(cache, row):
    cache[2:6][1] = row[0]
    cache[2:6][1:3][0] = row[0] * 2.0
    return cache[3] + cache[2]


def in_a_branch(cache, row):
    if row.sum() > 0:
        cache[0] = row[0]
    else:
        cache[1] = row[0]
    return cache[0] - cache[1]


def whole(cache, row):
    cache[:] = cache + row
    return cache.mean()


HAZARDS = [
    old_value_returned,
    old_view_read_later,
    part_of_itself,
    overlapping_part_of_itself,
    elsewhere,
    turned,
    written_twice,
    in_a_branch,
    whole,
]


@pytest.mark.parametrize("full_graph", [True, False], ids=["program", "segments"])
@pytest.mark.parametrize("function", HAZARDS, ids=lambda f: f.__name__)
def test_old_values_are_read_where_the_function_reads_them(function, full_graph):
    def results(call, cache):
        seen = []
        rng = np.random.default_rng(3)
        with paddle.no_grad():
            for _ in range(5):
                row = paddle.to_tensor(rng.standard_normal((1, 6)).astype("float32"))
                out = call(cache, row)
                seen += [o.numpy().copy() for o in (out if isinstance(out, tuple) else (out,))]
        return [*seen, cache.numpy()]

    start = np.random.default_rng(2).standard_normal((10, 6)).astype("float32")
    wanted = results(function, paddle.to_tensor(start))
    for given in (True, False):
        cache = paddle.to_tensor(start)
        if given:
            step = paddle.jit.to_static(function, full_graph=full_graph)
        else:
            held = paddle.jit.to_static(lambda row, cache=cache: function(cache, row), full_graph=full_graph)
            step = lambda _, row, held=held: held(row)
        for a, b in zip(results(step, cache), wanted, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-6)


def test_two_arguments_of_the_same_memory():
    @capture
    def step(a, b, row):
        a[1] = row
        return b * 2.0

    base = paddle.arange(12, dtype="float32").reshape([4, 3])
    for alias in (base, base[0:4], base.reshape([4, 3])):
        with paddle.no_grad():
            for i in range(4):
                before = base.numpy().copy()
                row = paddle.full([3], 100.0 + i)
                # A captured function reads what it is given when it is called.
                np.testing.assert_array_equal(step(base, alias, row).numpy(), before * 2)
                assert base[1].tolist() == [100.0 + i] * 3


def test_a_kept_old_result_is_not_overwritten():
    cache = paddle.zeros([64, 8])

    @capture
    def step(row, position):
        cache[position] = row
        return cache * 1.0, cache[:2]

    kept = []
    with paddle.no_grad():
        for i in range(5):
            kept.append(step(paddle.full([1, 8], float(i + 1)), paddle.to_tensor([0])))
    for i, (all_rows, first) in enumerate(kept):
        assert float(all_rows[0, 0]) == i + 1
        assert float(first[0, 0]) == i + 1


def random_function(rng):
    """Writes to parts of a [6, 5] tensor, reads of it before, between and after them."""
    lines = []
    names = ["c"]
    for k in range(rng.integers(2, 7)):
        kind = rng.integers(0, 6)
        base = names[rng.integers(0, len(names))]
        a = int(rng.integers(0, 3))
        b = a + int(rng.integers(1, 4))
        if kind == 0:
            lines.append(f"v{k} = {base}[{a}:{b}]")
            names.append(f"v{k}")
        elif kind == 1:
            lines.append(f"{base}[0] = row * {k + 2}.0")
        elif kind == 2:
            lines.append(f"c[{a}:{b}] = c[{a + 1}:{b + 1}] * 1.0 + row")
        elif kind == 3:
            lines.append(f"total = total + {base}.sum() * {k + 1}.0")
        elif kind == 4:
            lines.append(f"c[:, {a}] = row[{a}] + {base}.mean()")
        else:
            lines.append(f"c[i] = row + {base}[0]")
    source = "def f(c, row, i):\n    total = row.sum()\n    " + "\n    ".join(lines) + "\n    return total\n"
    return source


@pytest.mark.parametrize("seed", range(60))
def test_random_writes_and_reads(seed, tmp_path):
    rng = np.random.default_rng(seed)
    source = random_function(rng)
    path = tmp_path / "program.py"
    path.write_text(source)
    scope = {}
    exec(compile(source, str(path), "exec"), scope)
    start = rng.standard_normal((6, 5)).astype("float32")
    rows = rng.standard_normal((4, 5)).astype("float32")
    places = rng.integers(0, 6, (4, 1))

    def results(call, cache):
        with paddle.no_grad():
            totals = [
                float(call(cache, paddle.to_tensor(row), paddle.to_tensor(i)))
                for row, i in zip(rows, places, strict=True)
            ]
        return totals, cache.numpy()

    wanted, left = results(scope["f"], paddle.to_tensor(start))
    got, cache = results(capture(scope["f"]), paddle.to_tensor(start))
    np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-4, err_msg=source)
    np.testing.assert_allclose(cache, left, rtol=1e-4, atol=1e-5, err_msg=source)


def test_a_write_through_a_view_is_compiled_once():
    cache = paddle.zeros([4, 16, 8])
    runs = []

    @capture
    def step(row, position):
        runs.append(1)
        cache[2][position] = row
        return row + 1.0

    with paddle.no_grad():
        for i in range(4):
            step(paddle.full([1, 8], float(i)), paddle.to_tensor([i]))
    assert len(runs) == 1
    np.testing.assert_array_equal(cache.numpy()[2, :4, 0], [0, 1, 2, 3])
