# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What errors of a capture say about the user's source."""

import paddle
import pytest
from paddle.jit import to_static
from paddle.jit.dy2static import error


def _wrong(x):
    return paddle.reshape(x, [1, 2])


@to_static(full_graph=True)
def _calls_wrong(x):
    y = x + 1
    return _wrong(y)


@to_static(full_graph=True)
def _misses_a_key(x):
    return {"x": x}["y"]


class _OwnError(Exception):
    def __init__(self, text, code):
        super().__init__(text)
        self.code = code


@to_static(full_graph=True)
def _raises(x):
    raise _OwnError("mine", 3)


def _caught(function, kind):
    with pytest.raises(kind) as caught:
        function(paddle.ones([3, 2]))
    return caught.value


def test_message_has_the_calls_and_the_lines_around_the_last():
    caught = _caught(_calls_wrong, ValueError)
    text = str(caught)
    assert text.startswith("In transformed code:")
    assert text.index("in _calls_wrong") < text.index("return _wrong(y)") < text.index("in _wrong")
    lines = text.split("\n")
    marked = next(i for i, line in enumerate(lines) if line.endswith("<--- HERE"))
    assert lines[marked - 1].strip() == "return paddle.reshape(x, [1, 2])"
    assert lines[marked].strip().startswith("~" * len("return paddle.reshape(x, [1, 2])"))
    assert lines[marked - 2].strip() == "def _wrong(x):"
    assert lines[-1].strip().startswith("ValueError: reshape: x has shape [3, 2]")
    assert "capturing.py" not in text
    assert isinstance(getattr(caught, error.ERROR_DATA), error.ErrorData)


def test_calls_inside_of_libraries_are_listed_on_request(monkeypatch):
    monkeypatch.setenv(error.SIMPLIFY_ERROR_ENV_NAME, "0")

    @to_static(full_graph=True)
    def deep(x):
        return paddle.nn.functional.interpolate(x, size=[3, 3])

    assert "vision.py" in str(_caught(deep, ValueError))


def test_messages_can_be_left_as_they_are(monkeypatch):
    monkeypatch.setenv(error.DISABLE_ERROR_ENV_NAME, "1")
    caught = _caught(_calls_wrong, ValueError)
    assert str(caught).startswith("reshape: x has shape [3, 2]")
    assert isinstance(getattr(caught, error.ERROR_DATA), error.ErrorData)


def test_a_missing_key_is_still_a_key_error():
    caught = _caught(_misses_a_key, KeyError)
    assert isinstance(caught, error.Dy2StKeyError)
    assert str(caught).endswith("KeyError: 'y'")
    assert "<--- HERE" in str(caught)


def test_an_error_of_the_users_keeps_its_type_and_attributes():
    caught = _caught(_raises, _OwnError)
    assert caught.code == 3
    assert str(caught).endswith("_OwnError: mine")


def test_an_error_that_the_function_catches_is_left_alone():
    @to_static(full_graph=True)
    def careful(x):
        try:
            return _wrong(x)
        except ValueError as caught:
            assert "In transformed code" not in str(caught)
            return x * 2

    assert careful(paddle.ones([3, 2])).sum().item() == 12


def test_an_error_of_a_run_names_the_line_that_recorded_it():
    @to_static(full_graph=True)
    def looked_up(ids, table):
        return paddle.nn.functional.embedding(ids, table * 2)

    with pytest.raises(IndexError, match=r"x holds id 7 .* It was recorded at .*test_error_messages.py:\d+\."):
        looked_up(paddle.to_tensor([7]), paddle.rand([3, 2]))
