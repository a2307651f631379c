# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Symbolic extents live as long as the programs that they are extents of."""

import gc

import paddle
from paddle.static import InputSpec

num_expressions = paddle._core.pir.num_expressions


def captured():
    @paddle.jit.to_static(full_graph=True, input_spec=[InputSpec([None, None, 3], "float32")])
    def function(x):
        rows = paddle.concat([x, x[:, 1:]], axis=1)
        return paddle.nn.functional.avg_pool1d(rows.transpose([0, 2, 1]), 2).flatten(1).sum(axis=0)

    return function


def test_a_thousand_captures_leave_no_more_symbols_than_a_few():
    x = paddle.ones([2, 4, 3])

    def expressions(captures):
        for _ in range(captures):
            captured()(x)
        gc.collect()
        return num_expressions()

    few = expressions(10)
    assert expressions(1000) == few


def test_a_thousand_static_programs_leave_no_more_symbols_than_a_few():
    def expressions(programs):
        for _ in range(programs):
            main = paddle.static.Program()
            with paddle.static.program_guard(main, paddle.static.Program()):
                x = paddle.static.data("x", [None, None])
                (x[1:] * 2).reshape([-1]).clone()
            main.clone(for_test=True)
        del main, x
        gc.collect()
        return num_expressions()

    paddle.enable_static()
    try:
        few = expressions(10)
        assert expressions(1000) == few
    finally:
        paddle.disable_static()


def test_a_program_keeps_the_symbols_of_the_capture_that_has_ended():
    function = captured()
    program = function.concrete_program.main_program
    others = [captured() for _ in range(3)]
    for other in others:
        other(paddle.ones([1, 2, 3]))
    del other, others
    gc.collect()
    assert "s0" in str(program) and "s?" not in str(program)
    assert function(paddle.ones([2, 4, 3])).shape == [9]
    assert function(paddle.ones([2, 6, 3])).shape == [15]
