# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Rewrite rules written in Python, and what their registration refuses."""

import pathlib
import re

import numpy as np
import paddle
import pytest
from paddle import _core

pir = _core.pir

TEXT = """
(%0) = "pd_op.data" () {} : () -> (tensor<4xfloat32>)
(%1) = "pd_op.exp" (%0) {} : (tensor<4xfloat32>) -> (tensor<4xfloat32>)
(%2) = "pd_op.log" (%1) {} : (tensor<4xfloat32>) -> (tensor<4xfloat32>)
(%3) = "pd_op.tanh" (%2) {} : (tensor<4xfloat32>) -> (tensor<4xfloat32>)
() = "builtin.results" (%3) {} : (tensor<4xfloat32>) -> ()
"""


def test_a_rule_is_three_statements():
    seen = []

    def where(m):
        seen.append((m.shape("x"), m.rank("x"), m.dtype("x"), m.same_type("x", "out")))
        return True

    pir.add_rule_pass("test_log_of_exp", "t = exp(x); out = log(t)", "out = x", where, {})
    program = pir.Program.parse(TEXT)
    x = paddle.to_tensor(np.array([0.5, 1.0, -2.0, 0.0], "float32"))
    (before,) = program.run([x])
    assert program.apply(["test_log_of_exp"])[0][1] == 1
    assert "pd_op.exp" not in str(program)
    np.testing.assert_allclose(program.run([x])[0].numpy(), before.numpy(), rtol=1e-6)
    assert seen == [([4], 1, "float32", True)]


def test_constants_are_bound_and_computed():
    pir.add_rule_pass(
        "test_scale_of_scale",
        "t = scale(x, $a, bias=0); out = scale(t, $b, bias=0)",
        "out = scale(x, @product)",
        None,
        {"product": lambda m: float(m.constant("a") * m.constant("b"))},
    )
    f = paddle.jit.to_static(lambda x: (x * 2.0) * 3.0, full_graph=True)
    x = paddle.ones([3])
    np.testing.assert_array_equal(f(x).numpy(), np.full(3, 6, "float32"))


@pytest.mark.parametrize(
    "source,result,message",
    [
        ("out = nothing(x)", "out = x", "names operator nothing, which does not exist"),
        ("out = tanh(x, y)", "out = x", "gives tanh too many arguments"),
        ("out = tanh(x, x=y)", "out = x", "gives tanh the argument x twice"),
        ("out = tanh(z=y)", "out = y", "gives tanh the argument z, which it does not have"),
        ("out = tanh(1)", "out = x", "gives argument x of tanh a constant; it takes a value"),
        ("out = tril(x, diagonal=y)", "out = x", "gives argument diagonal of tril a value; it takes a constant"),
        ("out = tril(x, diagonal=true)", "out = x", "a constant of the wrong type; it takes int"),
        ("out = tanh(_)", "out = x", "gives argument x of tanh nothing; it is not optional"),
        ("out = tanh(x", "out = x", "needs ',' here"),
        ("out, b = tanh(x)", "out = x", "names 2 results of tanh, which has 1"),
        ("out = bernoulli(x)", "out = x", "draws random numbers"),
        ("t = tanh(t); out = exp(t)", "out = t", "uses t before its definition; .* without cycles"),
        ("a = tanh(b); b = tanh(a)", "b = a", "uses b before its definition"),
        ("t = tanh(x); out = exp(x)", "out = x", "defines t, which the last statement does not use"),
        ("out = tanh(x)", "out = exp(y)", "result uses y, which nothing defines before it"),
        ("out = tanh(x)", "out = exp(out)", "result uses out, which nothing defines before it"),
        ("out = tanh(x)", "t = exp(x)", "does not define out|does not use t"),
        ("out = tanh(x)", "t = exp(x); out = log(x)", "does not use t"),
        ("out = tanh(x)", "out = tril(x, $k)", r"uses \$k, which its source does not bind"),
        ("out = tanh(x)", "out = tril(x, @k)", "computes @k, which has no function"),
        ("out = tanh(x)", "out = cast(x)", "gives cast no dtype, which has no default"),
    ],
)
def test_a_wrong_rule_is_refused_by_name(source, result, message):
    with pytest.raises(ValueError, match=rf"rule wrong_rule: .*({message})"):
        pir.add_rule_pass("wrong_rule", source, result, None, {})


def test_unknown_pass_names_the_known_ones():
    with pytest.raises(
        ValueError,
        match="pass nonsense is unknown; known passes are bfloat16, bfloat16_conv, bfloat16_matmul, cse, dce",
    ):
        pir.Program.parse(TEXT).apply(["nonsense"])


def test_flags_print_time_and_switch_off(capfd):
    paddle.set_flags({"FLAGS_print_ir": True, "FLAGS_pir_pass_timing": True})
    try:
        paddle.jit.to_static(lambda x: paddle.tanh(x * 1.0), full_graph=True)(paddle.ones([2]))
    finally:
        paddle.set_flags({"FLAGS_print_ir": False, "FLAGS_pir_pass_timing": False})
    text = capfd.readouterr().err
    assert "program before the passes" in text and "program after simplify" in text
    assert "passes (ms, changes)" in text
    paddle.set_flags({"FLAGS_pir_apply_passes": False})
    try:
        f = paddle.jit.to_static(lambda x: paddle.tanh(x * 1.0), full_graph=True)
        f(paddle.ones([2]))
        (entries,) = f.program_cache.values()
        assert "pd_op.scale" in str(entries[0].executable) or "pd_op.multiply" in str(entries[0].executable)
    finally:
        paddle.set_flags({"FLAGS_pir_apply_passes": True})


def test_the_page_on_passes_runs():
    page = pathlib.Path(__file__).parents[2] / "docs" / "adding" / "pass.md"
    (example,) = re.findall(r"^```python\n(.*?)^```", page.read_text(), re.M | re.S)
    exec(example, {})
