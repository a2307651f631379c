# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Programs with lists for `PROGRAMS` of jit_programs.py: elements of any structure and shape, taken out and put in,
in loops and branches on tensors."""

import paddle
from jit_programs import program


def three():
    return paddle.full([], 3, "int64")


@program
def lists_shrink_in_branches_of_loops(x):
    kept, others, i = [], [x, x], 0
    others.pop()
    while i < three():
        kept.append(x + i)
        others.append(x - i)
        i += 1
        if i % 2 == 1:
            kept.pop()
    return kept[0], others[2]


@program
def lists_grow_under_conditions(x):
    even, odd = [], []
    for i in range(three() + 1):
        if i == 2:
            continue
        if i % 2 == 0:
            even.append(x * i)
        else:
            odd.append(x + i)
    return paddle.stack(even), odd


@program
def lists_of_structures(x):
    pairs, named = [], []
    for i in range(three()):
        pairs.append((x * i, i))
        named.append({"value": x + i, "rows": [x[0], x[1] * i]})
    return pairs[-1][0], pairs[1][1], named[2]["rows"][1] + named[0]["value"][0]


@program
def lists_of_different_shapes(x):
    parts, n = [], 0
    while n < three():
        parts.append(x[:, : n + 1] * (n + 1))
        n += 1
    rows = [part.flatten() for part in parts]
    first = parts.pop(0)
    parts.insert(1, first * 5)
    return paddle.concat(rows), first, parts[1], parts[-1].sum(), parts


@program
def list_elements_are_replaced_by_those_of_other_shapes(x):
    a, i = [], 0
    while i < three():
        a.append(x[0])
        i += 1
    i = 0
    while i < three():
        a[i] = paddle.full([7], 2.0, "float32") * i
        i += 1
    return a[0:3][1] + a[2] + x.sum()


@program
def lists_in_loops_in_loops(x):
    rows = []
    for i in range(three()):
        row = []
        for j in range(three() - 1):
            row.append(x * i + j)
        rows.append(paddle.stack(row))
    return paddle.stack(rows)


@program
def lists_as_work_to_do(x):
    work, total, steps = [x], x * 0, paddle.zeros([], "int64")
    while len(work) > 0:
        now = work.pop()
        total = total + now
        steps = steps + 1
        if steps < 4:
            work.append(now * 2)
            if steps < 2:
                work.append(now * 3)
    return total


@program
def lists_at_positions_that_are_tensors(x):
    rows, i = [x, x + 1, x + 2], paddle.zeros([], "int64")
    while i < 3:
        rows[i] = rows[i] * i
        rows[i] += rows[i - 1]
        i += 1
    return rows, rows[i - 1]


@program
def lists_deleted_and_reversed(x):
    grown = []
    for i in range(three()):
        grown = grown + [x * i]
    del grown[0]
    grown.insert(0, x * 9)
    back = grown[::-1]
    grown.reverse()
    grown.extend([x, x * 2])
    return back[0], grown[0], sum(grown), [x] + grown


@program
def comprehensions_over_what_the_program_counts(x):
    grown = []
    for i in range(three()):
        grown.append(x * i)
    doubled = [row * 2 for row in grown]
    pairs = [a + b * k for k, (a, b) in enumerate(zip(grown, doubled, strict=False))]
    some = [x + i for i in range(three() + 1) if i != 1 and i < 3]
    rows = [row for row in x if row.sum() > -100]
    return doubled, paddle.stack(pairs), some, rows


@program
def loops_over_lists_that_grew(x):
    a, b = [], []
    for i in range(three()):
        a.append(x * i)
        b.append(x + i)
    total = x * 0
    for p, q in zip(a, b, strict=False):
        total = total + p * q
    for k, (p, q) in enumerate(zip(a, [x, x * 2, x * 3], strict=False)):
        total = total + p * q * k
    for p in a:
        total = total - p
    return total


@program
def arrays_written_at_positions(x):
    array = paddle.tensor.create_array("float32")
    i = paddle.zeros([1], "int64")
    while i < 3:
        array = paddle.tensor.array_write(x * i.astype("float32"), i, array=array)
        i = paddle.increment(i)
    return paddle.tensor.array_read(array, i - 1), array


@program
def ranges_with_steps_that_are_tensors(x):
    n, out = three(), x * 0
    for i in range(0, n * 2, n - 1):
        out = out * 2 + i
    for i in range(n, 0, n - 4):
        out = out * 2 - i
    return out
