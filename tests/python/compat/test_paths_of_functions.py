# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Modules that have the name of a function, and small modules that programs import from."""

import importlib
import inspect
import io
import logging
import sys

import paddle
import pytest


def test_a_module_in_the_place_of_a_function_is_called_like_it():
    from paddle.incubate.nn.functional.swiglu import swiglu
    from paddle.incubate.operators.softmax_mask_fuse import softmax_mask_fuse
    from paddle.nn.utils.clip_grad_norm_ import clip_grad_norm_

    assert softmax_mask_fuse is paddle.incubate.softmax_mask_fuse and callable(clip_grad_norm_)
    again = paddle.incubate.nn.functional.swiglu
    assert again(paddle.ones([1, 2])).tolist() == swiglu(paddle.ones([1, 2])).tolist()
    assert list(inspect.signature(again).parameters) == ["x", "y", "name"]
    importlib.import_module("paddle.batch")
    assert list(paddle.batch(lambda: iter(range(3)), 2)()) == [[0, 1], [2]]
    importlib.import_module("paddle.nn.parameter")
    with pytest.raises(TypeError, match="is no function"):
        paddle.nn.parameter()
    assert paddle.nn.parameter.Parameter is paddle.nn.Parameter


def test_a_logger_writes_once_and_to_a_file(tmp_path, capsys):
    from paddle.hapi.logger import setup_logger

    logger = setup_logger(str(tmp_path / "run.log"), "of_a_test", logging.INFO)
    assert setup_logger(str(tmp_path / "run.log"), "of_a_test") is logger and len(logger.handlers) == 2
    logger.handlers[0].setStream(io.StringIO())
    logger.info("epoch 1")
    logger.debug("left out")
    text = (tmp_path / "run.log").read_text()
    assert text.endswith("- of_a_test - INFO - epoch 1\n") and text.count("\n") == 1
    assert logger.propagate is False and sys.stdout is not None


def test_operations_of_operators():
    from paddle.utils.flops import flops

    assert flops("matmul_v2", {"X": [[5, 2, 3]], "Y": [[3, 4]]}, {}) == 2 * 5 * 2 * 3 * 4
    assert flops("matmul", {"X": [[3, 2]], "Y": [[3, 4]]}, {"transpose_X": True}) == 2 * 2 * 3 * 4
    shapes = {"Input": [[1, 3, 8, 8]], "Filter": [[4, 3, 3, 3]], "Bias": []}
    settings = {"strides": [2, 1], "paddings": [1, 0], "dilations": [1, 2], "groups": 1}
    assert flops("conv2d", shapes, settings) == (4 * 4 * 4) * 2 * 27
    assert flops("conv2d", shapes | {"Bias": [[4]]}, settings) == (4 * 4 * 4) * (2 * 27 + 1)
    assert flops("elementwise_add", {"X": [[2, 1]], "Y": [[3]]}, {}) == 6
    assert flops("layer_norm", {"X": [[2, 3]]}, {}) == 48 and flops("no_such", {}, {}) == 0


def test_spans_of_time():
    from paddle.profiler.statistic_helper import (
        intersection_ranges,
        merge_ranges,
        merge_self_ranges,
        subtract_ranges,
        sum_ranges,
    )

    assert merge_self_ranges([(7, 8), (2, 5), (1, 3)]) == [(1, 5), (7, 8)]
    assert merge_ranges([(1, 3)], [(2, 4), (6, 7)]) == [(1, 4), (6, 7)]
    assert intersection_ranges([(1, 5)], [(2, 3), (4, 8)]) == [(2, 3), (4, 5)]
    assert subtract_ranges([(1, 5)], [(2, 3)]) == [(1, 2), (3, 5)] and sum_ranges([(1, 3), (4, 8)]) == 6


def test_a_set_in_order():
    from paddle.jit.utils import OrderedSet

    items = OrderedSet([3, 1, 3])
    items.add(2)
    items.remove(1)
    assert list(items | OrderedSet([9, 3])) == [3, 2, 9] and 1 not in items and repr(items) == "OrderedSet(3, 2)"


def test_results_of_layers_inside_a_network():
    from paddle.vision.models._utils import IntermediateLayerGetter, _make_divisible

    net = paddle.nn.Sequential(("a", paddle.nn.ReLU()), ("b", paddle.nn.Tanh()), ("c", paddle.nn.Sigmoid()))
    body = IntermediateLayerGetter(net, {"a": "x", "b": "y"})
    found = body(paddle.to_tensor([-1.0, 0.0]))
    assert list(body) == ["a", "b"] and found["x"].tolist() == [0.0, 0.0] and list(found) == ["x", "y"]
    with pytest.raises(ValueError, match="no layers"):
        IntermediateLayerGetter(net, {"z": "x"})
    assert [_make_divisible(v, 8) for v in (3, 12, 17)] == [8, 16, 16]


def test_a_function_at_the_end_of_the_process_is_registered_once(monkeypatch):
    import atexit

    from paddle.io.multiprocess_utils import CleanupFuncRegistrar

    registered = []
    monkeypatch.setattr(atexit, "register", registered.append)
    monkeypatch.setattr(CleanupFuncRegistrar, "_registered", set())
    CleanupFuncRegistrar.register(print)
    CleanupFuncRegistrar.register(print)
    assert registered == [print]
    with pytest.raises(TypeError, match="must be callable"):
        CleanupFuncRegistrar.register(3)


def test_the_gradient_of_one_operator_of_a_program():
    from paddle.base import core

    paddle.enable_static()
    try:
        main = paddle.static.Program()
        with paddle.static.program_guard(main):
            x = paddle.full([2], 0.5)
            x.stop_gradient = False
            y = paddle.tanh(x)
            g = paddle.full([2], 2.0)
            op = y.get_defining_op()
            assert core.has_vjp(op)
            (found,) = core.call_vjp(op, [[x]], [[y]], [[g]], [[False]])[0]
            assert core.call_vjp(op, [[x]], [[y]], [[g]], [[True]]) == [[None]]
            (value,) = paddle.static.Executor().run(main, fetch_list=[found])
        assert value == pytest.approx(2 * (1 - 0.46211716**2), rel=1e-5)
    finally:
        paddle.disable_static()


@pytest.mark.parametrize(
    "path",
    [
        "nn.parameter",
        "utils.lazy_import",
        "hapi.logger",
        "io.multiprocess_utils",
        "incubate.nn.attn_bias",
        "incubate.operators",
        "geometric.message_passing.send_recv",
        "profiler.timer",
        "profiler.utils",
        "optimizer.adamw",
        "nn.initializer.constant",
        "distributed.passes",
        "cuda.amp",
    ],
)
def test_paths_are_attributes(path):
    found = paddle
    for name in path.split("."):
        found = getattr(found, name)
    assert found is not None
