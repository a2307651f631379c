# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What turns the compiler on, and how it is seen."""

import numpy as np
import paddle
import pytest
from paddle import inference
from paddle.jit import to_static
from paddle.jit.backend import Backend


def normalized(x, w):
    return x * paddle.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6) * w


def inputs():
    paddle.seed(1)
    return paddle.rand([6, 40]), paddle.rand([40])


def launches_of(function, counts, calls=2):
    count = counts()
    for _ in range(calls):
        result = function(*inputs())
    np.testing.assert_allclose(result.numpy(), normalized(*inputs()).numpy(), rtol=2e-6)
    return count.launches


@pytest.mark.parametrize("full_graph", [False, True])
@pytest.mark.parametrize("backend", ["CINN", Backend.CINN])
def test_a_backend_compiles(at_once, counts, backend, full_graph):
    assert launches_of(to_static(normalized, backend=backend, full_graph=full_graph), counts) > 0


@pytest.mark.parametrize("backend", [None, "", Backend.PHI])
def test_other_backends_interpret(at_once, counts, backend):
    paddle.set_flags({"FLAGS_use_cinn": True})
    try:
        assert launches_of(to_static(normalized, backend=backend, full_graph=True), counts) == 0
    finally:
        paddle.set_flags({"FLAGS_use_cinn": False})


@pytest.mark.parametrize("on", [False, True])
def test_the_flag_counts_where_no_backend_is_named(at_once, counts, on):
    paddle.set_flags({"FLAGS_use_cinn": on})
    try:
        assert (launches_of(to_static(normalized, full_graph=True), counts) > 0) is on
    finally:
        paddle.set_flags({"FLAGS_use_cinn": False})


def test_a_build_strategy_compiles(at_once, counts):
    strategy = paddle.static.BuildStrategy()
    strategy.build_cinn_pass = True
    assert launches_of(to_static(normalized, build_strategy=strategy, full_graph=True), counts) > 0


def test_methods_and_copies_of_a_layer_keep_the_backend(at_once, counts):
    import copy

    class Norm(paddle.nn.Layer):
        @to_static(backend="CINN", full_graph=True)
        def forward(self, x, w):
            return normalized(x, w)

    assert launches_of(Norm(), counts) > 0
    assert launches_of(copy.deepcopy(to_static(Norm(), backend="CINN", full_graph=True)), counts) >= 0


def test_explain_shows_groups_and_kernels(at_once, capsys):
    compiled = to_static(normalized, backend="CINN", full_graph=True)
    text = str(paddle.jit.explain(compiled)(*inputs()))
    assert "group multiply+mean+add+rsqrt+multiply*2" in text
    assert "compiled in" in text or "loaded in" in text


def test_explain_says_why_an_operation_is_not_in_a_group(capsys):
    compiled = to_static(lambda x: (paddle.matmul(x, x) + 1) * 2, backend="CINN", full_graph=True)
    assert "matmul" in str(paddle.jit.explain(compiled)(paddle.rand([4, 4])))


@pytest.fixture
def saved(tmp_path):
    layer = paddle.nn.Sequential(paddle.nn.Linear(8, 8), paddle.nn.LayerNorm(8), paddle.nn.Silu())
    paddle.jit.save(layer, str(tmp_path / "m"), input_spec=[paddle.static.InputSpec([None, 8], "float32")])
    return layer, tmp_path / "m"


def test_a_predictor_compiles(at_once, counts, saved):
    layer, path = saved
    config = inference.Config(f"{path}.json", f"{path}.pdiparams")
    assert not config.cinn_enabled()
    config.enable_cinn()
    assert config.cinn_enabled()
    predictor = inference.create_predictor(config)
    count = counts()
    for rows in (3, 5):
        x = np.random.RandomState(rows).rand(rows, 8).astype("float32")
        (out,) = predictor.run([paddle.to_tensor(x)])
        np.testing.assert_allclose(out.numpy(), layer(paddle.to_tensor(x)).numpy(), rtol=1e-5, atol=1e-6)
    assert count.launches > 0


def test_what_is_saved_holds_no_groups(at_once, tmp_path):
    compiled = to_static(normalized, backend="CINN", full_graph=True)
    compiled(*inputs())
    paddle.jit.save(compiled, str(tmp_path / "m"))
    assert "cinn" not in (tmp_path / "m.json").read_text()
    loaded = paddle.jit.load(str(tmp_path / "m"))
    np.testing.assert_allclose(loaded(*inputs()).numpy(), normalized(*inputs()).numpy(), rtol=2e-6)


def test_the_package_says_that_it_has_a_compiler():
    assert paddle.is_compiled_with_cinn() is True
    assert paddle.version.cinn() == paddle.__version__


def test_a_budget_holds_in_its_scope():
    before = paddle.get_flags("FLAGS_cinn_wait_ms")
    with paddle.jit.compile_budget(20):
        assert paddle.get_flags("FLAGS_cinn_wait_ms") == {"FLAGS_cinn_wait_ms": 20}
    assert paddle.get_flags("FLAGS_cinn_wait_ms") == before
    with pytest.raises(ValueError, match="compile_budget: ms has value -1"):
        paddle.jit.compile_budget(-1)
    with pytest.raises(TypeError, match="compile_budget: ms has type float"):
        paddle.jit.compile_budget(1.5)


def test_the_compiler_is_opened_by_the_first_program_that_needs_it(run_python):
    program = """
import paddle
opened = lambda: "libpaddle_cinn" in open("/proc/self/maps").read()
f = paddle.jit.to_static(lambda x: paddle.exp(x) * 2, full_graph=True)
f(paddle.ones([3]))
print(opened())
g = paddle.jit.to_static(lambda x: paddle.exp(x) * 2, full_graph=True, backend="CINN")
g(paddle.ones([3]))
print(opened())
"""
    assert run_python(program).split() == ["False", "True"]
