# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Python functions in programs: py_func with and without gradient, prints, assertions, functions with own gradients."""

import numpy as np
import paddle
import pytest
from paddle import static


def variable(main, shape=(2, 4)):
    return main.global_block().create_var(name="out", dtype="float32", shape=list(shape))


def run(main, rows, fetches):
    return static.Executor().run(main, feed={"x": rows}, fetch_list=fetches)


def test_a_function_runs_with_the_program(fresh, rows):
    main, _ = fresh
    x = static.data("x", [None, 4])
    out = static.py_func(lambda a: np.tanh(np.array(a)), x, variable(main, (-1, 4)))
    (got,) = run(main, rows, [out * 2])
    np.testing.assert_allclose(got, np.tanh(rows) * 2, rtol=1e-6)
    assert out.stop_gradient


def test_a_function_has_the_gradient_that_is_given(fresh, rows):
    main, _ = fresh
    x = static.data("x", [2, 4])
    x.stop_gradient = False
    seen = []

    def backward(*given):
        seen.append(len(given))
        y, dy = given
        return np.array(dy) * (1 - np.square(np.array(y)))

    out = static.py_func(lambda a: np.tanh(np.array(a)), x, variable(main), backward, skip_vars_in_backward_input=x)
    (slope,) = static.gradients((out * 3).sum(), x)
    y, dx = run(main, rows, [out, slope])
    np.testing.assert_allclose(dx, 3 * (1 - y * y), rtol=1e-6)
    assert seen == [2]


def test_wrong_arguments_of_py_func_raise(fresh):
    main, _ = fresh
    x = static.data("x", [2, 4])
    with pytest.raises(TypeError):
        static.py_func(3, x, variable(main))
    with pytest.raises(TypeError):
        static.py_func(abs, 3, variable(main))
    with pytest.raises(ValueError, match="skip"):
        static.py_func(abs, x, variable(main), abs, skip_vars_in_backward_input=x + 1)


def test_errors_of_functions_come_through(fresh, rows):
    main, _ = fresh
    out = static.py_func(lambda a: {}["missing"], static.data("x", [2, 4]), variable(main))
    with pytest.raises(KeyError, match="missing"):
        run(main, rows, [out])


def test_values_are_printed_when_the_program_runs(fresh, rows, capfd):
    main, _ = fresh
    x = static.data("x", [2, 4])
    x.stop_gradient = False
    shown = static.Print(x, message="here", summarize=2, first_n=1)
    static.Print(x * 2, message="never fetched")
    (slope,) = static.gradients((shown * 5).sum(), x)
    a, b = run(main, rows, [shown, slope])
    np.testing.assert_array_equal(a, rows)
    assert (b == 5).all()
    text = capfd.readouterr().out
    assert "Variable: x\n  - message: here" in text and "data: [0.0 0.125]" in text
    assert "x@GRAD" in text and "never fetched" in text
    run(main, rows, [shown])
    assert "message: here" not in capfd.readouterr().out


def test_assertions_hold_or_raise(fresh):
    main, _ = fresh
    x = static.data("x", [1])
    static.nn.control_flow.Assert(x.sum() > 0, [x])
    assert run(main, np.array([1.0], "float32"), [x])[0].tolist() == [1.0]
    with pytest.raises(ValueError, match=r"-1\.0"):
        run(main, np.array([-1.0], "float32"), [x])


def test_functions_with_a_gradient_of_their_own(fresh, rows):
    main, _ = fresh
    x = static.data("x", [2, 4])
    x.stop_gradient = False
    y = static.nn.static_pylayer(lambda a: paddle.tanh(a) * 2, [x], lambda g: g * 10)
    (slope,) = static.gradients(y.sum(), x)
    a, b = run(main, rows, [y, slope])
    np.testing.assert_allclose(a, np.tanh(rows) * 2, rtol=1e-6)
    assert (b == 10).all()
