# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Sequences in the rows of variables: what functions give of them, and that they go through files and predictors."""

import numpy as np
import paddle
import pytest
from paddle import fluid
from paddle.fluid import layers

ROWS = np.random.RandomState(0).rand(6, 4).astype("float32")
LENGTHS = [2, 1, 3]
PARTS = [ROWS[:2], ROWS[2:3], ROWS[3:]]


@pytest.fixture(autouse=True)
def static():
    paddle.enable_static()
    with fluid.unique_name.guard(), fluid.scope_guard(fluid.Scope()):
        yield
    paddle.disable_static()


def rows():
    return fluid.create_lod_tensor(ROWS, [LENGTHS], fluid.CPUPlace())


def value(function, feed=None):
    """What a function gives of ROWS: the array, and the lengths of its sequences."""
    main, start = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, start):
        out = function(layers.data("x", [4], dtype="float32", lod_level=1))
    exe = fluid.Executor()
    exe.run(start)
    (made,) = exe.run(main, feed={"x": rows(), **(feed or {})}, fetch_list=[out], return_numpy=False)
    return np.array(made), made.recursive_sequence_lengths()


@pytest.mark.parametrize(
    ("kind", "pooled"),
    [
        ("sum", lambda part: part.sum(0)),
        ("average", lambda part: part.mean(0)),
        ("sqrt", lambda part: part.sum(0) / np.sqrt(len(part))),
        ("max", lambda part: part.max(0)),
        ("first", lambda part: part[0]),
        ("last", lambda part: part[-1]),
    ],
)
def test_sequence_pool_gives_one_row_of_each_sequence(kind, pooled):
    found, lengths = value(lambda x: layers.sequence_pool(x, kind))
    np.testing.assert_allclose(found, [pooled(part) for part in PARTS], rtol=1e-5)
    assert lengths == []


def test_sequence_conv_sees_rows_of_its_sequence_only():
    ones = fluid.ParamAttr(initializer=fluid.initializer.Constant(1.0))
    found, lengths = value(lambda x: layers.sequence_conv(x, 1, 3, param_attr=ones, bias_attr=False))
    wanted = []
    for part in PARTS:
        sums = np.concatenate([[0.0], part.sum(1), [0.0]])
        wanted.extend(sums[i : i + 3].sum() for i in range(len(part)))
    np.testing.assert_allclose(found[:, 0], wanted, rtol=1e-5)
    assert lengths == [LENGTHS]


def test_sequence_expand_repeats_the_row_of_a_sequence():
    found, lengths = value(lambda x: layers.sequence_expand(layers.sequence_pool(x, "max"), x))
    np.testing.assert_allclose(found, np.concatenate([np.repeat(p.max(0)[None], len(p), 0) for p in PARTS]))


def test_sequence_reverse_softmax_and_slice():
    np.testing.assert_array_equal(value(layers.sequence_reverse)[0], np.concatenate([p[::-1] for p in PARTS]))
    found, lengths = value(lambda x: layers.sequence_softmax(layers.reduce_sum(x, dim=1, keep_dim=True)))
    exps = [np.exp(p.sum(1)) / np.exp(p.sum(1)).sum() for p in PARTS]
    np.testing.assert_allclose(found[:, 0], np.concatenate(exps), rtol=1e-5)
    assert lengths == [LENGTHS]

    def first_rows(x):
        zeros = layers.fill_constant([3, 1], "int64", 0)
        return layers.sequence_slice(x, zeros, layers.fill_constant([3, 1], "int64", 1))

    found, lengths = value(first_rows)
    np.testing.assert_array_equal(found, [p[0] for p in PARTS])
    assert lengths == [[1, 1, 1]]


def test_sequence_pad_and_unpad_are_inverse():
    found, _ = value(lambda x: layers.sequence_pad(x, layers.fill_constant([1], "float32", -1.0))[0])
    wanted = np.full([3, 3, 4], -1.0, "float32")
    for i, part in enumerate(PARTS):
        wanted[i, : len(part)] = part
    np.testing.assert_array_equal(found, wanted)

    def there_and_back(x):
        return layers.sequence_unpad(*layers.sequence_pad(x, layers.fill_constant([1], "float32", -1.0)))

    found, lengths = value(there_and_back)
    np.testing.assert_array_equal(found, ROWS)
    assert lengths == [LENGTHS]


def test_sequences_go_through_functions_of_rows():
    found, lengths = value(lambda x: layers.relu(layers.fc(layers.elementwise_add(x, x) * 2.0 - 1.0, 3)))
    assert found.shape == (6, 3) and lengths == [LENGTHS]


def sigmoid(v):
    return 1 / (1 + np.exp(-v))


def test_dynamic_gru_is_its_formula():
    weight = np.random.RandomState(1).randn(1, 3).astype("float32")
    attr = fluid.ParamAttr(initializer=fluid.initializer.NumpyArrayInitializer(weight))
    found, lengths = value(lambda x: layers.dynamic_gru(layers.slice(x, [1], [0], [3]), 1, attr, False))
    wanted = []
    for part in PARTS:
        h = 0.0
        for u, r, c in part[:, :3]:
            u, r = sigmoid(u + h * weight[0, 0]), sigmoid(r + h * weight[0, 1])
            c = np.tanh(c + r * h * weight[0, 2])
            h = (1 - u) * h + u * c
            wanted.append(h)
    np.testing.assert_allclose(found[:, 0], wanted, rtol=1e-5)
    assert lengths == [LENGTHS]


def test_dynamic_lstm_is_its_formula():
    weight = np.random.RandomState(1).randn(1, 4).astype("float32")
    attr = fluid.ParamAttr(initializer=fluid.initializer.NumpyArrayInitializer(weight))
    found, _ = value(lambda x: layers.dynamic_lstm(x, 4, param_attr=attr, bias_attr=False, use_peepholes=False)[0])
    wanted = []
    for part in PARTS:
        h = cell = 0.0
        for row in part:
            c, i, f, o = row + h * weight[0]
            cell = sigmoid(f) * cell + sigmoid(i) * np.tanh(c)
            h = sigmoid(o) * np.tanh(cell)
            wanted.append(h)
    np.testing.assert_allclose(found[:, 0], wanted, rtol=1e-5)


def test_linear_chain_crf_is_the_logarithm_of_the_sum_over_all_paths():
    import itertools

    moves = np.random.RandomState(2).randn(6, 4).astype("float32")
    attr = fluid.ParamAttr(initializer=fluid.initializer.NumpyArrayInitializer(moves))
    tags = np.array([[1], [0], [3], [2], [2], [1]], "int64")

    def cost(x):
        return layers.linear_chain_crf(x, layers.data("y", [1], dtype="int64", lod_level=1), attr)

    found, _ = value(cost, {"y": fluid.create_lod_tensor(tags, [LENGTHS], fluid.CPUPlace())})

    def score(part, path):
        steps = sum(moves[2 + a, b] for a, b in itertools.pairwise(path))
        return moves[0, path[0]] + moves[1, path[-1]] + steps + sum(p[t] for p, t in zip(part, path, strict=True))

    wanted, begin = [], 0
    for part in PARTS:
        paths = itertools.product(range(4), repeat=len(part))
        whole = np.log(sum(np.exp(score(part, path)) for path in paths))
        wanted.append([whole - score(part, tags[begin : begin + len(part), 0])])
        begin += len(part)
    np.testing.assert_allclose(found, wanted, rtol=1e-4)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: layers.sequence_pool(x, "max"),
        lambda x: layers.sequence_softmax(layers.fc(x, 1)),
        lambda x: layers.dynamic_gru(layers.fc(x, 6), 2),
        lambda x: layers.crf_decoding(x, fluid.ParamAttr(name="crfw")),
    ],
)
def test_a_saved_program_knows_the_sequences_of_its_inputs_and_outputs(function, tmp_path):
    main, start = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, start):
        out = function(layers.data("x", [4], dtype="float32", lod_level=1))
    exe = fluid.Executor()
    exe.run(start)
    (wanted,) = exe.run(main, feed={"x": rows()}, fetch_list=[out], return_numpy=False)
    fluid.io.save_inference_model(str(tmp_path), ["x"], [out], exe, main)
    program, names, outputs = fluid.io.load_inference_model(str(tmp_path), exe)
    assert names == ["x"]
    (found,) = exe.run(program, feed={"x": rows()}, fetch_list=outputs, return_numpy=False)
    np.testing.assert_allclose(np.array(found), np.array(wanted), rtol=1e-5)
    assert found.lod() == wanted.lod()

    predictor = fluid.core.create_paddle_predictor(fluid.core.AnalysisConfig(str(tmp_path)))
    given = fluid.core.PaddleTensor(ROWS)
    given.lod = [[0, 2, 3, 6]]
    (made,) = predictor.run([given])
    np.testing.assert_allclose(made.as_ndarray(), np.array(wanted), rtol=1e-5)
    assert made.lod == wanted.lod()
