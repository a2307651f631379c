# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Helpers around saving: several objects in one buffer, values of variables in scopes, the first form of save."""

import io

import numpy as np
import paddle
import pytest
from paddle.framework import io_utils


@pytest.fixture
def program():
    """(program, parameter) of a program whose startup program has run in a scope of its own."""
    paddle.enable_static()
    main, startup = paddle.static.Program(), paddle.static.Program()
    with paddle.static.scope_guard(paddle.static.Scope()), paddle.static.program_guard(main, startup):
        x = paddle.static.data("x", [None, 3])
        loss = paddle.static.nn.fc(x, 2).mean()
        paddle.optimizer.Adam(learning_rate=0.1).minimize(loss)
        paddle.static.Executor().run(startup)
        yield main, next(p for p in main.all_parameters() if list(p.shape) == [3, 2])
    paddle.disable_static()


def test_a_buffer_holds_several_objects():
    buffer = io.BytesIO()
    paddle.save({"w": paddle.ones([2])}, buffer)
    paddle.save(paddle.full([3], 2.0), buffer)
    buffer.seek(0)
    assert paddle.load(buffer)["w"].tolist() == [1, 1]
    assert paddle.load(buffer, return_numpy=True).tolist() == [2, 2, 2]


def test_async_save_takes_tensors_and_dicts(tmp_path):
    with pytest.raises(TypeError, match="tuple"):
        paddle.async_save((1, 2), str(tmp_path / "x"))
    paddle.enable_static()
    try:
        with pytest.raises(ValueError, match="static"):
            paddle.async_save({}, str(tmp_path / "x"))
    finally:
        paddle.disable_static()


def test_the_first_form_of_save_and_load(tmp_path):
    path = str(tmp_path / "w.pdparams")
    paddle.framework.io._legacy_save({"w": paddle.ones([2])}, path)
    assert isinstance(paddle.framework.io._legacy_load(path)["w"], np.ndarray)


def test_values_of_variables_in_a_scope(program):
    _, weight = program
    io_utils.set_value(weight, np.full([3, 2], 4, "float32"))
    assert np.array(io_utils.get_value(weight)).tolist() == [[4, 4]] * 3
    with pytest.raises(ValueError, match="shape"):
        io_utils.set_value(weight, np.zeros([2], "float32"))
    with pytest.raises(TypeError, match="scope"):
        io_utils.get_value(weight, "scope")
    with pytest.raises(TypeError, match="value"):
        io_utils.set_value(weight, "4")


def test_kinds_of_variables(program):
    main, weight = program
    kept = [v for v in main.list_vars() if io_utils.is_persistable(v)]
    assert io_utils.is_parameter(weight) and not io_utils.is_belong_to_optimizer(weight)
    assert any(io_utils.is_belong_to_optimizer(v) for v in kept)


def test_a_program_takes_the_names_of_a_layer(program):
    main, weight = program
    table = {"weight": weight.name}
    state = {"weight": paddle.base.core.DenseTensor(), "StructuredToParameterName@@": table}
    state["weight"].set(np.full([3, 2], 5, "float32"))
    paddle.pir.core.set_state_dict(main, state)
    assert np.array(io_utils.get_value(weight)).sum() == 30


def test_seeds_of_both_programs():
    main, startup = paddle.static.Program(), paddle.static.Program()
    with paddle.static.program_guard(main, startup):
        paddle.framework.random._manual_program_seed(7)
    assert (main.random_seed, startup.random_seed) == (7, 7)


def test_files_and_buffers_are_opened_alike(tmp_path):
    buffer = io.BytesIO(b"abc")
    with io_utils._open_file_buffer(buffer, "rb") as f:
        assert f.read() == b"abc"
    assert not buffer.closed and not io_utils.is_pir_fetch_var(buffer)
    with pytest.raises(ValueError, match="mode"):
        io_utils._open_file_buffer("temp", "b")


def test_arrays_within_objects_are_converted_in_place():
    import collections

    from paddle.framework.io import _parse_every_object, _to_LodTensor, _transformed_from_lodtensor

    array = np.ones(2, "float32")
    state = {"w": array, "parts": [array, (array, 2)], "name": "run"}
    made = _parse_every_object(state, _transformed_from_lodtensor, lambda a: a.shape)
    assert made is state and made == {"w": (2,), "parts": [(2,), ((2,), 2)], "name": "run"}
    assert _to_LodTensor(array).shape() == [2]
    with pytest.raises(NotImplementedError, match="tuple, list or dict"):
        _parse_every_object(collections.Counter(), _transformed_from_lodtensor, str)
