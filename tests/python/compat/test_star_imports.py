# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`from paddle import *` and what submodules export so."""

import csv
import importlib
from pathlib import Path

import paddle
import pytest

TABLE = Path(__file__).parents[2] / "api" / "names.tsv"
MODULES = """paddle paddle.amp paddle.audio paddle.device paddle.device.cuda paddle.distributed
paddle.distributed.communication.stream paddle.distributed.fleet paddle.distributed.fleet.utils paddle.distributed.fsdp
paddle.distributed.sharding paddle.distribution paddle.fft paddle.geometric paddle.incubate.autotune paddle.io
paddle.jit paddle.linalg paddle.metric paddle.nn paddle.nn.functional paddle.nn.initializer paddle.nn.utils
paddle.optimizer paddle.optimizer.lr paddle.profiler paddle.regularizer paddle.signal paddle.sparse paddle.static
paddle.text paddle.utils paddle.utils.unique_name paddle.version paddle.vision paddle.vision.ops
paddle.vision.transforms""".split()


@pytest.mark.parametrize("name", MODULES)
def test_every_exported_name_is_there(name):
    space = {}
    exec(f"from {name} import *", space)
    module = importlib.import_module(name)
    assert module.__all__ and len(set(module.__all__)) == len(module.__all__)
    assert all(space[member] is getattr(module, member) for member in module.__all__)


def test_paddle_exports_what_the_table_lists():
    with open(TABLE, newline="", encoding="utf8") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        listed = {
            row["name"].removeprefix("paddle.")
            for row in rows
            if row["name"].count(".") == 1 and "not_in___all__" not in row["notes"] and row["kind"] != "module"
        }
    assert set(paddle.__all__) == listed - {"__version__", "tensor"}


@pytest.mark.parametrize(
    ("name", "members"),
    [
        ("paddle.device", ["Stream", "current_stream", "cuda"]),
        ("paddle.distributed", ["Strategy", "launch", "fleet"]),
        ("paddle.static", ["IpuStrategy", "nn"]),
        ("paddle.framework", ["ParamAttr", "io"]),
        ("paddle.linalg", ["svd"]),
    ],
)
def test_what_is_made_on_first_use_is_listed(name, members):
    assert set(members) <= set(dir(importlib.import_module(name)))
