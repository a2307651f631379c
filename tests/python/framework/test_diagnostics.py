# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What a user is shown: where NaN comes from, which parameters get no gradient, which dtype surprises."""

import inspect
import os
import subprocess
import sys
import warnings

import numpy as np
import paddle
import pytest


@pytest.fixture
def checked():
    paddle.set_flags({"FLAGS_check_nan_inf": True})
    yield
    paddle.set_flags({"FLAGS_check_nan_inf": False, "FLAGS_check_nan_inf_level": 0})


def here(offset=0):
    """ "file:line" of the caller's line, as messages have it."""
    frame = inspect.currentframe().f_back
    return f"{__file__}:{frame.f_lineno + offset}"


def test_nan_in_forward_names_operator_and_line(checked):
    x = paddle.to_tensor([1.0, -1.0])
    with pytest.raises(RuntimeError) as error:
        where = here(1)
        paddle.log(x)
    assert "log: result 0 of shape [2]" in str(error.value) and "position 1" in str(error.value)
    assert f"called at {where}." in str(error.value)


def test_nan_in_complex_results(checked):
    with pytest.raises(RuntimeError, match="multiply"):
        paddle.to_tensor([1 + 1j]) * float("nan")


def test_nan_in_backward_names_the_forward_line(checked):
    x = paddle.to_tensor([1.0, 0.0], stop_gradient=False)
    where = here(1)
    y = paddle.sqrt(x)
    with pytest.raises(RuntimeError, match=f"part of the gradient of sqrt, called at {where}"):
        y.sum().backward()


def test_any_error_of_a_backward_names_the_forward_line(checked):
    x = paddle.ones([2], dtype="float32")
    x.stop_gradient = False
    h = x * 1.0
    where = here(1)
    y = h * h
    h.add_(paddle.ones([2]))
    with pytest.raises(RuntimeError, match=f"changed in place.*part of the gradient of multiply, called at {where}"):
        y.sum().backward()


def test_nan_in_a_captured_function_names_the_line_that_was_recorded(checked):
    @paddle.jit.to_static(full_graph=True)
    def f(x):
        y = x + 1.0
        return paddle.log(y)

    with pytest.raises(RuntimeError, match=r"log: result 0.*recorded at .*test_diagnostics.py:\d+"):
        f(paddle.to_tensor([-3.0]))


def test_a_level_above_zero_warns_and_goes_on(checked, capfd):
    paddle.set_flags({"FLAGS_check_nan_inf_level": 1})
    assert np.isnan(paddle.log(paddle.to_tensor([-1.0])).item())
    assert "log: result 0" in capfd.readouterr().err


def run_python(code, **environment):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment}
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)


def test_the_flag_may_come_from_the_environment():
    done = run_python("import paddle; paddle.log(paddle.to_tensor([-1.0]))", FLAGS_check_nan_inf="1")
    assert done.returncode != 0 and "log: result 0" in done.stderr


def test_an_output_without_gradient_is_told_once_and_adds_nothing():
    code = (
        "import paddle\n"
        "frozen, x = paddle.ones([2]), paddle.ones([2])\n"
        "x.stop_gradient = False\n"
        "frozen.sum().backward(); frozen.sum().backward()\n"
        "paddle.autograd.backward([frozen.sum(), (x * 2).sum()])\n"
        "print(x.grad.tolist(), paddle.grad([frozen.sum()], [x], allow_unused=True))\n"
    )
    done = run_python(code)
    assert done.stdout.strip() == "[2.0, 2.0] [None]", done.stderr
    assert done.stderr.count("backward: output 0 has stop_gradient=True") == 1


def test_an_input_that_the_output_does_not_depend_on_is_a_value_error():
    x, y = paddle.ones([2]), paddle.ones([2])
    x.stop_gradient = y.stop_gradient = False
    with pytest.raises(ValueError, match="input 0 is not reachable.*allow_unused=True"):
        paddle.grad((x * 2).sum(), [y])


def two_layers():
    return paddle.nn.Linear(2, 2), paddle.nn.Linear(2, 2)


def test_parameters_without_gradient_are_told_at_the_first_step():
    used, unused = two_layers()
    optimizer = paddle.optimizer.SGD(0.1, parameters=[*used.parameters(), *unused.parameters()])
    used(paddle.ones([1, 2])).sum().backward()
    before = unused.weight.numpy()
    with pytest.warns(UserWarning, match=f"SGD: 2 of 4 parameters have no gradient.*{unused.weight.name}") as told:
        where = inspect.currentframe().f_lineno + 1
        optimizer.step()
    assert (told[0].filename, told[0].lineno) == (__file__, where)
    np.testing.assert_array_equal(unused.weight.numpy(), before)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        optimizer.step()


def test_a_step_that_changes_nothing_is_told():
    layer, frozen = two_layers()
    with pytest.warns(UserWarning, match="no parameter has a gradient.*call backward"):
        paddle.optimizer.Adam(parameters=layer.parameters()).step()
    for parameter in frozen.parameters():
        parameter.stop_gradient = True
    with pytest.warns(UserWarning, match="every parameter has stop_gradient=True"):
        paddle.optimizer.Adam(parameters=frozen.parameters()).step()


def test_frozen_parameters_beside_trained_ones_are_no_surprise():
    trained, frozen = two_layers()
    for parameter in frozen.parameters():
        parameter.stop_gradient = True
    optimizer = paddle.optimizer.Adam(parameters=[*trained.parameters(), *frozen.parameters()])
    trained(frozen(paddle.ones([1, 2]))).sum().backward()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        optimizer.step()


def test_a_wider_input_that_drags_a_parameter_along_is_told():
    code = "import paddle\nprint(paddle.nn.Linear(2, 2)(paddle.ones([1, 2], dtype='float64')).dtype)\n"
    done = run_python(code)
    assert done.stdout.strip() == "paddle.float64"
    assert "a parameter of dtype float32 meets a tensor of dtype float64" in done.stderr
    assert "astype('float32')" in done.stderr


def test_deprecated_functions_say_so_in_their_docstrings():
    @paddle.utils.deprecated(since="2.0", update_to="paddle.other", level=2)
    def old():
        """What it did."""

    assert old.__doc__.startswith("Warning:") and "use paddle.other instead" in old.__doc__
    assert old.__doc__.endswith("What it did.")
    with pytest.raises(RuntimeError):
        old()
    with pytest.raises(AssertionError, match="level"):
        paddle.utils.deprecated(level=7)


def test_the_distributed_part_is_compiled_in():
    assert paddle.is_compiled_with_distribute() is paddle.distributed.is_available() is True
