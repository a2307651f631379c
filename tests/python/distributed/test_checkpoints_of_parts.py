# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Checkpoints of distributed tensors: saved by some ranks, loaded by others with other meshes and placements."""

import os

import numpy as np
import paddle
import paddle.distributed as dist
import pytest
from paddle.distributed import Partial, ProcessMesh, Replicate, Shard
from paddle.distributed.flex_checkpoint.dcp import files, state_dict

SHAPES = {"w": [7, 6], "b": [6], "half": [4, 8], "scalar": []}
LAYOUTS = {
    1: [([[0]], [Replicate(), Replicate()])],
    2: [([[0, 1]], [Replicate(), Shard(0)]), ([[0], [1]], [Shard(0), Replicate()])],
    3: [([[0, 1, 2]], [Replicate(), Shard(0)])],
    4: [([[0, 1], [2, 3]], [Shard(0), Shard(1)]), ([[0, 1], [2, 3]], [Shard(1), Replicate()])],
}


def wholes(seed):
    rng = np.random.default_rng(seed)
    made = {name: paddle.to_tensor(rng.standard_normal(shape).astype("float32")) for name, shape in SHAPES.items()}
    made["half"] = made["half"].astype("bfloat16")
    return made


def placed(tensors, layout):
    ranks, placements = layout
    mesh = ProcessMesh(ranks, dim_names=["x", "y"])
    made = {}
    for name, tensor in tensors.items():
        fits = [p if not isinstance(p, Shard) or p.get_dim() < tensor.ndim else Replicate() for p in placements]
        made[name] = dist.shard_tensor(tensor, mesh, fits)
    return {"model": made, "step": 3, "plain": paddle.full([2], 4.0)}


def save(path, layout, draw=0, **settings):
    dist.save_state_dict(placed(wholes(draw), layout), path, **settings)


def check(path, layout, draw=0):
    state = placed({n: paddle.zeros_like(t) for n, t in wholes(draw).items()}, layout)
    state["step"], state["plain"] = 0, paddle.zeros([2])
    dist.load_state_dict(state, path)
    for name, expected in wholes(draw).items():
        found = state["model"][name]
        assert found.is_dist() and found.dtype == expected.dtype
        np.testing.assert_array_equal(found.astype("float32").numpy(), expected.astype("float32").numpy())
    assert state["step"] == 3 and state["plain"].tolist() == [4.0, 4.0]


@pytest.mark.parametrize(("savers", "which"), [(1, 0), (2, 0), (2, 1), (4, 0), (4, 1)])
def test_any_ranks_load_what_any_ranks_saved(tmp_path, savers, which):
    path = str(tmp_path / "saved")
    dist.simulate(savers, save, path, LAYOUTS[savers][which])
    for loaders, layouts in LAYOUTS.items():
        for layout in layouts:
            dist.simulate(loaders, check, path, layout)
    merged = dist.load_merged_state_dict(path, prefix="model")
    np.testing.assert_array_equal(merged["w"].numpy(), wholes(0)["w"].numpy())


def test_equal_parts_are_written_once_and_needed_bytes_read(tmp_path, monkeypatch):
    path, rows = str(tmp_path), 4096

    def save_rows():
        mesh = ProcessMesh([[0, 1], [2, 3]], dim_names=["x", "y"])
        x = dist.shard_tensor(paddle.arange(rows * 1024, dtype="float32").reshape([rows, 1024]), mesh, [Shard(0)])
        dist.save_state_dict({"x": x}, path)

    dist.simulate(4, save_rows)
    sizes = [os.path.getsize(tmp_path / name) for name in os.listdir(path) if ".distcp." in name]
    assert rows * 4096 <= sum(sizes) < rows * 4096 + 4096
    checked = []
    known = files.zlib.crc32
    monkeypatch.setattr(files.zlib, "crc32", lambda data: checked.append(len(data)) or known(data))

    def load_rows():
        mesh = ProcessMesh(list(range(8)))
        x = dist.shard_tensor(paddle.zeros([rows, 1024]), mesh, [Shard(0)])
        dist.load_state_dict({"x": x}, path)
        return x._local_value().numpy()[0, 0]

    assert dist.simulate(8, load_rows) == [rank * rows // 8 * 1024.0 for rank in range(8)]
    # Two MB each of 16, in blocks of 4, and the blocks with the headers.
    assert sum(checked) <= 8 * 3 * files.BLOCK


@pytest.mark.parametrize("stopped_at", ["data", "share", "metadata"])
def test_a_save_that_is_stopped_leaves_the_one_before(tmp_path, monkeypatch, stopped_at):
    path, layout = str(tmp_path), LAYOUTS[2][0]
    dist.simulate(2, save, path, layout)
    write_data, write_json = files.write_data, files.write_json

    def stopping_data(*args):
        write_data(*args)
        raise KeyboardInterrupt

    def stopping_json(name, value):
        if name.endswith(stopped_at):
            raise KeyboardInterrupt
        write_json(name, value)

    with monkeypatch.context() as patch:
        if stopped_at == "data":
            patch.setattr(files, "write_data", stopping_data)
        else:
            patch.setattr(files, "write_json", stopping_json)
        patch.setattr(state_dict, "_until", lambda done, what, seconds=0: None if done() else pytest.fail(what))
        with pytest.raises(BaseException):  # noqa: B017  whichever rank stops first
            dist.simulate(2, save, path, layout, draw=1)
    dist.simulate(3, check, path, LAYOUTS[3][0])
    dist.simulate(2, save, path, layout, draw=2)
    dist.simulate(3, check, path, LAYOUTS[3][0], draw=2)
    assert files.numbers(path) == [1] and len(os.listdir(path)) == 3  # nothing is left behind


def test_numbers_keep_several_checkpoints(tmp_path):
    for number in (2, 5):
        dist.simulate(2, save, str(tmp_path), LAYOUTS[2][0], draw=number, unique_id=number)
    dist.simulate(2, check, str(tmp_path), LAYOUTS[2][1], draw=5)
    merged = dist.load_merged_state_dict(str(tmp_path), unique_id=2)
    np.testing.assert_array_equal(merged["model.w"].numpy(), wholes(2)["w"].numpy())


def test_a_save_in_the_background_has_the_values_of_the_call(tmp_path):
    tensor = paddle.ones([3])
    dist.save_state_dict({"x": tensor}, str(tmp_path), async_save=True)
    tensor.fill_(5.0)
    state = {"x": paddle.zeros([3])}
    dist.load_state_dict(state, str(tmp_path))
    assert state["x"].tolist() == [1.0] * 3


def test_a_failure_in_the_background_is_raised_by_the_next_call(tmp_path, monkeypatch):
    def fails(*args):
        raise OSError("no space left")

    monkeypatch.setattr(files, "write_data", fails)
    dist.save_state_dict({"x": paddle.ones([3])}, str(tmp_path), async_save=True)
    with pytest.raises(OSError, match="no space left"):
        dist.load_state_dict({"x": paddle.ones([3])}, str(tmp_path))


@pytest.mark.parametrize("where", [0, 5, -1])
def test_damage_is_found(tmp_path, where):
    dist.save_state_dict({"x": paddle.ones([100])}, str(tmp_path))
    [name] = [n for n in os.listdir(tmp_path) if ".distcp." in n]
    data = bytearray((tmp_path / name).read_bytes())
    data[where] ^= 1
    (tmp_path / name).write_bytes(data)
    with pytest.raises(ValueError, match="damaged"):
        dist.load_state_dict({"x": paddle.zeros([100])}, str(tmp_path))
    (tmp_path / name).write_bytes(data[:-4])
    with pytest.raises(ValueError, match="bytes"):
        dist.load_state_dict({"x": paddle.zeros([100])}, str(tmp_path))


def test_what_a_checkpoint_refuses(tmp_path):
    path = str(tmp_path)
    with pytest.raises(TypeError, match="'x' is a object"):
        dist.save_state_dict({"x": object()}, path)
    partial = dist.shard_tensor(paddle.ones([2]), ProcessMesh([0]), [Partial()])
    with pytest.raises(ValueError, match="Partial"):
        dist.save_state_dict({"x": partial}, path)
    with pytest.raises(FileNotFoundError, match="no checkpoint"):
        dist.load_state_dict({"x": paddle.ones([2])}, path)
    dist.save_state_dict({"x": paddle.ones([2])}, path)
    with pytest.raises(KeyError, match="no 'y'"):
        dist.load_state_dict({"y": paddle.ones([2])}, path)
    with pytest.raises(ValueError, match=r"shape \[3\], the checkpoint \[2\]"):
        dist.load_state_dict({"x": paddle.ones([3])}, path)
    for refused in ({"aoa_config": {}}, {"worker_groups": []}):
        with pytest.raises(NotImplementedError):
            dist.load_state_dict({"x": paddle.ones([2])}, path, **refused)
