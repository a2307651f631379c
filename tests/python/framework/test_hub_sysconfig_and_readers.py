# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Modules beside the framework: hub, onnx, sysconfig, version, dlpack, nested structures, readers."""

import numpy as np
import paddle
import pytest
from paddle import utils

HUB = '''
dependencies = ["math"]
def scale(factor=2):
    """Returns a function that multiplies."""
    return lambda x: x * factor
def _hidden():
    pass
'''


def test_hub_reads_local_repositories(tmp_path):
    (tmp_path / "hubconf.py").write_text(HUB)
    folder = str(tmp_path)
    assert paddle.hub.list(folder, source="local") == ["scale"]
    assert "multiplies" in paddle.hub.help(folder, "scale", source="local")
    assert paddle.hub.load(folder, "scale", source="local", factor=3)(2) == 6
    with pytest.raises(RuntimeError, match="no function 'other'"):
        paddle.hub.load(folder, "other", source="local")
    with pytest.raises(NotImplementedError, match="source='local'"):
        paddle.hub.list("owner/name")
    with pytest.raises(FileNotFoundError, match="hubconf"):
        paddle.hub.list(str(tmp_path / "none"), source="local")
    (tmp_path / "hubconf.py").write_text("dependencies = ['no_such_package']\n")
    with pytest.raises(RuntimeError, match="no_such_package"):
        paddle.hub.list(folder, source="local")


def test_hub_loads_parameters(tmp_path):
    paddle.save({"w": paddle.ones([2])}, str(tmp_path / "a.pdparams"))
    state = paddle.hub.load_state_dict_from_url((tmp_path / "a.pdparams").as_uri(), str(tmp_path / "kept"))
    assert state["w"].tolist() == [1, 1]


def test_onnx_names_the_missing_converter(tmp_path):
    with pytest.raises(ImportError, match="paddle2onnx"):
        paddle.onnx.export(paddle.nn.Linear(2, 2), str(tmp_path / "net"), [paddle.ones([1, 2])])
    with pytest.raises(ValueError, match="path"):
        paddle.onnx.export(paddle.nn.Linear(2, 2), str(tmp_path) + "/")


def test_libraries_are_where_sysconfig_says():
    import os

    assert any(name.startswith("libpaddle_core") for name in os.listdir(paddle.sysconfig.get_lib()))
    assert paddle.sysconfig.get_include().endswith("include")


def test_versions_without_accelerators():
    assert paddle.version.cuda() == "False" and paddle.version.xpu() == "False"


def test_dlpack_shares_memory():
    x = paddle.ones([3])
    y = utils.dlpack.from_dlpack(utils.dlpack.to_dlpack(x))
    y[0] = 5.0
    assert x.tolist() == [5, 1, 1]
    assert utils.dlpack.from_dlpack(np.arange(3)).tolist() == [0, 1, 2]
    separate = utils.dlpack.from_dlpack(x, copy=True)
    separate[1] = 7.0
    assert x.tolist() == [5, 1, 1]
    with pytest.raises(TypeError, match="to_dlpack"):
        utils.dlpack.to_dlpack(3)
    with pytest.raises(TypeError, match="from_dlpack"):
        utils.dlpack.from_dlpack(3)


def test_structures():
    assert utils.strtobool("Yes") and not utils.strtobool("off")
    with pytest.raises(ValueError, match="maybe"):
        utils.strtobool("maybe")
    assert utils.is_sequence([1]) and not utils.is_sequence("ab") and utils.to_sequence(3) == [3]
    assert utils.convert_to_list(2, 3, "k") == [2, 2, 2] and utils.convert_to_list((1, 2), 2, "k") == [1, 2]
    with pytest.raises(ValueError, match="k has value"):
        utils.convert_to_list([1, 2, 3], 2, "k")
    assert utils.is_same_shape([2, -1], [2, 3]) and not utils.is_same_shape([2], [2, 3])
    utils.assert_same_structure([1, {"a": 2}], [3, {"a": 4}])
    with pytest.raises(ValueError, match="different structures"):
        utils.assert_same_structure([1, [2]], [1, 2])
    with pytest.raises(TypeError, match="tuple"):
        utils.assert_same_structure([1], (1,))


def test_readers_are_batched():
    reader = paddle.batch(lambda: iter(range(5)), 2)
    assert list(reader()) == [[0, 1], [2, 3], [4]]
    assert list(paddle.batch(lambda: iter(range(5)), 2, drop_last=True)()) == [[0, 1], [2, 3]]
