# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`paddle.save` and `paddle.load`: files of PaddlePaddle 3.3.1, round trips, hostile files."""

import io
import os
import pickle

import numpy as np
import paddle
import pytest

FILES = os.path.join(os.path.dirname(__file__), "..", "..", "compat", "pdparams")


def stored(name):
    return os.path.join(FILES, name)


@pytest.mark.parametrize("protocol", [2, 3, 4])
def test_state_dict_of_every_dtype_is_read_exactly(protocol):
    state = paddle.load(stored(f"state_dict_proto{protocol}.pdparams"))
    expected = np.load(stored("state_dict_expected.npz"))
    for key in expected:
        tensor = state[key.removeprefix("k.")] if key not in state else state[key]
        value = tensor.astype("float32") if tensor.dtype == "bfloat16" else tensor
        assert list(tensor.shape) == list(expected[key].shape)
        np.testing.assert_array_equal(value.numpy(), expected[key])


def test_nested_objects_come_back_as_they_were():
    state = paddle.load(stored("nested.pdparams"))
    w = np.arange(6, dtype="float32").reshape(2, 3)
    assert (state["epoch"], state["best"], state["name"], state["none"]) == (3, 0.5, "run", None)
    assert state["flag"] is True and state[5] == "int key"
    np.testing.assert_array_equal(state["model"]["w"].numpy(), w)
    assert state["model"]["w"].name == "w_name"
    np.testing.assert_array_equal(state["model"]["list"][1][0].numpy(), w)


@pytest.mark.parametrize("name", ["tensor.pdtensor", "tensor_bf16.pdtensor", "tensor_binary.pdtensor"])
def test_a_single_tensor_is_read(name):
    tensor = paddle.load(stored(name))
    value = tensor.astype("float32").numpy()
    np.testing.assert_array_equal(value, np.arange(6, dtype="float32").reshape(2, 3))


def test_pieces_of_a_big_array_are_joined():
    w = paddle.load(stored("split_handmade_proto2.pdparams"))["w"]
    np.testing.assert_array_equal(w.numpy(), np.arange(6).reshape(2, 3))


def test_files_with_module_names_of_numpy_1_are_read():
    state = paddle.load(stored("linear_numpy1_names.pdparams"))
    assert state["weight"].name == "linear_0.w_0"


@pytest.mark.parametrize("protocol", [2, 3, 4])
def test_a_saved_state_dict_comes_back(tmp_path, protocol):
    layer = paddle.nn.Linear(3, 2)
    path = str(tmp_path / "folder" / "model.pdparams")
    paddle.save(layer.state_dict(), path, protocol=protocol)
    loaded = paddle.load(path)
    assert list(loaded) == ["weight", "bias"]
    assert loaded["weight"].name == layer.weight.name
    np.testing.assert_array_equal(loaded["weight"].numpy(), layer.weight.numpy())


def test_saved_bytes_hold_only_the_globals_of_arrays():
    buffer = io.BytesIO()
    paddle.save({"model": {"w": paddle.ones([2])}, "epoch": 1}, buffer)
    plain = pickle.loads(buffer.getvalue())
    assert plain["epoch"] == 1 and plain["model"]["w"][1].tolist() == [1.0, 1.0]


def test_a_name_table_is_kept_on_demand(tmp_path):
    path = str(tmp_path / "x")
    paddle.save({"w": paddle.ones([1])}, path)
    assert "StructuredToParameterName@@" in paddle.load(path, keep_name_table=True)
    assert isinstance(paddle.load(path, return_numpy=True)["w"], np.ndarray)


class Attack:
    def __reduce__(self):
        return os.system, ("true",)


@pytest.mark.parametrize(
    "data",
    [
        pickle.dumps(Attack()),
        b"",
        b"\x80\x04garbage",
        b"\0" * 24,
        b"\0" * 16 + b"\xff" * 8,
        pickle.dumps({"StructuredToParameterName@@": {}, "UnpackBigParamInfor@@": {"w": {}}}),
    ],
)
def test_hostile_files_raise_value_error(data):
    with pytest.raises(ValueError):
        result = paddle.load(io.BytesIO(data))
        assert not isinstance(result, dict), result


def test_a_layer_cannot_be_saved():
    with pytest.raises(ValueError):
        paddle.save(paddle.nn.Linear(1, 1), io.BytesIO())


def test_protocol_5_cannot_be_written():
    with pytest.raises(ValueError):
        paddle.save({}, io.BytesIO(), protocol=5)


def test_arrays_beside_tensors_stay_arrays(tmp_path):
    path = str(tmp_path / "mixed")
    array, tensor = np.ones(2), paddle.ones([2])
    for saved, kinds in (
        ({"w": tensor, "n": [array]}, {"w": paddle.Tensor, "n": np.ndarray}),
        ({"w": {"n": array}}, {"w": np.ndarray}),
        ({"w": [array]}, {"w": paddle.Tensor}),
    ):
        paddle.save(saved, path)
        for name, value in paddle.load(path).items():
            inner = value[0] if isinstance(value, list) else value["n"] if isinstance(value, dict) else value
            assert isinstance(inner, kinds[name]), saved


@pytest.mark.parametrize("wrong", [paddle.nn.Linear(2, 2), lambda: None])
def test_what_cannot_be_saved_leaves_the_old_file_as_it_is(tmp_path, wrong):
    path = str(tmp_path / "state.pdparams")
    paddle.save({"w": paddle.full([4], 7.0)}, path)
    with pytest.raises((ValueError, AttributeError, pickle.PicklingError)):
        paddle.save({"w": paddle.ones([4]), "more": [wrong]}, path)
    assert paddle.load(path)["w"].tolist() == [7.0] * 4


def test_a_tensor_under_two_names_comes_back_under_both(tmp_path):
    path = str(tmp_path / "tied.pdparams")
    tied = paddle.arange(5, dtype="float32")
    paddle.save({"embedding": tied, "head": tied}, path)
    state = paddle.load(path)
    state["head"].zero_()
    assert state["embedding"].tolist() == [0, 1, 2, 3, 4] and state["head"].tolist() == [0] * 5


def test_a_file_longer_than_what_is_read_at_once_and_cut_short(tmp_path):
    path = tmp_path / "big.pdparams"
    values = np.random.default_rng(0).standard_normal(100_003)
    paddle.save({"w": paddle.to_tensor(values), "note": {"text": "x" * 70_000}}, str(path))
    state = paddle.load(str(path))
    np.testing.assert_array_equal(state["w"].numpy(), values)
    assert state["note"]["text"] == "x" * 70_000
    whole = path.read_bytes()
    for size in (1, 40, 100_000, len(whole) - 1):
        path.write_bytes(whole[:size])
        with pytest.raises(ValueError, match="damaged|cut short|not one that"):
            paddle.load(str(path))
