# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Loading plugins: where they are looked for, which groups they may lack, and what is said of those that lie."""

import json
import os
import subprocess
import sys

import paddle
import pytest

from tests.device.plugins.build import ROOT, defective
from tests.device.skeleton import LIBRARY, library

# Planted defect -> what is done with its device, and what the error says. "" is loading it.
LIES = {
    "null_function": ("", "the function memory.fill is null; it is compulsory in its group"),
    "short_struct": ("", "events has struct_size 8; it has at least 56 bytes"),
    "bad_name": ("", 'PdPlugin.device_type is "Skeleton-1"; a name of lower-case'),
    "of_version_two": ("", "has version 2.1 of the interface, and this host 1.1"),
    "without_devices": ("", "the group device is null; it is compulsory"),
    "too_many_dtypes": ("", "kernels.find gave for operator"),
    "library_without_functions": ("", "the function library.matmul is null; it is compulsory"),
    "negative_count": ("paddle.ones([1], device=name)", "device.count gave count = -1"),
    "null_device": ("paddle.ones([1], device=name)", "device.open gave a null device and no error"),
    "unterminated_name": ("paddle.ones([1], device=name)", "device.properties gave a name without a zero byte"),
    "pinned_without_functions": ("paddle.ones([1], device=name)", "device.has says that there is pinned memory"),
    "null_memory": ("paddle.ones([1], device=name)", "memory.allocate gave a null handle and no error"),
    "null_pinned": ("paddle.ones([1], device=name).pin_memory()", "memory.allocate_host gave a null address"),
    "null_stream": ("paddle.ones([1], device=name)", "streams.create gave a null stream and no error"),
    "null_event": ("paddle.device.Event(device=name).record()", "events.create gave a null event and no error"),
    "odd_answer": ("paddle.device.current_stream(name).query()", "streams.query gave done = 7; 1 or 0 is meant"),
    "kernel_error_without_message": (
        "paddle.tanh(paddle.ones([1], device=name))",
        "kernels.run of operator tanh: an error without message",
    ),
    "missing_result": ("paddle.nonzero(paddle.ones([1], device=name))", "of operator nonzero made no output 0"),
    "full_device": ("paddle.ones([1], device=name)", "are in use: plugin full_device"),
    "without_memory": ("paddle.ones([1], device=name)", "it has no group memory, so there are no tensors"),
}
WORK = "((paddle.ones([2, 3], device=name) + 1).sum().item(), paddle.nonzero(paddle.eye(2, device=name)).tolist())"

RUN = """
import json, sys, paddle
answers = {}
for defect, path, code in json.load(sys.stdin):
    try:
        place = paddle.device.load_plugin(path)
        name = defect + ":0"
        answers[defect] = [None, str(eval(code)) if code else "loaded"]
    except Exception as error:
        answers[defect] = [type(error).__name__, str(error)]
print(json.dumps(answers))
"""


def python(code, **environment):
    kept = {k: v for k, v in os.environ.items() if k not in ("PADDLE_DEVICE_PLUGINS", "CUSTOM_DEVICE_ROOT")}
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**kept, **environment},
        timeout=200,
    )


@pytest.fixture(scope="module")
def answers():
    """What became of every plugin, in one process."""
    asked = [[name, str(defective(name)), code] for name, (code, _) in LIES.items()]
    asked += [[name, str(defective(name)), WORK] for name in ("without_streams", "without_events", "without_kernels")]
    kept = {k: v for k, v in os.environ.items() if k not in ("PADDLE_DEVICE_PLUGINS", "CUSTOM_DEVICE_ROOT")}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", RUN],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=kept,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("lie", LIES)
def test_a_plugin_that_lies_is_an_error_that_names_it(lie, answers):
    kind, text = answers[lie]
    assert kind in ("RuntimeError", "ValueError", "MemoryError", "NotImplementedError"), text
    assert LIES[lie][1] in text
    assert f"plugin {lie}" in text or f"lib{lie}.so" in text, text


@pytest.mark.parametrize("missing", ["without_streams", "without_events", "without_kernels"])
def test_groups_may_be_missing(missing, answers):
    assert answers[missing] == [None, "(12.0, [[0, 0], [1, 1]])"]


def test_a_crash_says_where():
    done = python(f"""
import paddle
paddle.device.load_plugin({str(defective("crashing_kernel"))!r})
paddle.tanh(paddle.ones([1], device="crashing_kernel:0"))
""")
    assert done.returncode < 0
    assert "the process ends inside of plugin crashing_kernel" in done.stderr
    assert "function kernels.run, operator tanh." in done.stderr


FOUND = """
import paddle
assert not paddle._core.loaded_plugins()
print(paddle.device.get_all_custom_device_type(), paddle.device.is_compiled_with_custom_device("skeleton"))
print(paddle.set_device("skeleton:1"), paddle.ones([1]).place == paddle.CustomPlace("skeleton", 1))
"""
EXPECTED = "['skeleton'] True\nPlace(skeleton:1) True\n"


def test_plugins_of_the_environment_are_found_at_first_use():
    done = python(FOUND, PADDLE_DEVICE_PLUGINS=str(LIBRARY))
    assert done.stdout == EXPECTED, done.stderr


def test_plugins_of_a_folder_are_found(tmp_path):
    (tmp_path / "libpaddle_skeleton.so").symlink_to(LIBRARY)
    (tmp_path / "libother.so").write_bytes(b"no library")
    done = python(FOUND, CUSTOM_DEVICE_ROOT=str(tmp_path))
    assert done.stdout == EXPECTED, done.stderr
    assert "libother.so of CUSTOM_DEVICE_ROOT is not used" in done.stderr


def test_plugins_of_packages_are_found(tmp_path):
    package = tmp_path / "vendor_device-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: vendor-device\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text("[paddle.device_plugins]\nvendor = vendor_device:library\n")
    (tmp_path / "vendor_device.py").write_text(f"def library():\n    return {str(LIBRARY)!r}\n")
    paths = [str(tmp_path), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    done = python(FOUND, PYTHONPATH=os.pathsep.join(filter(None, paths)))
    assert done.stdout == EXPECTED, done.stderr


def test_a_missing_plugin_of_the_environment_is_an_error():
    done = python("import paddle; paddle.set_device('npu')", PADDLE_DEVICE_PLUGINS="/nowhere/libnpu.so")
    assert "load_plugin: /nowhere/libnpu.so cannot be loaded" in done.stderr and "OSError" in done.stderr


def test_a_program_on_the_cpu_loads_no_plugin():
    code = "import paddle; paddle.ones([2]).numpy(); paddle.set_device('cpu'); print(paddle._core.loaded_plugins())"
    assert python(code, PADDLE_DEVICE_PLUGINS=str(LIBRARY)).stdout == "[]\n"


def test_what_is_loaded_is_told():
    library()
    assert paddle.device.load_plugin(LIBRARY) == paddle._core.Place("skeleton:0")  # once
    found = paddle.device.loaded_plugins()["skeleton"]
    assert found == {"path": str(LIBRARY), "version": "1", "interface": (1, 1)}
    with pytest.raises(OSError, match="has no function paddle_device_plugin; it is no plugin of a device"):
        paddle.device.load_plugin(next(paddle_libraries()))


def paddle_libraries():
    return (os.path.join(folder, "libs", "libpaddle_legacy.so") for folder in paddle.__path__)


def test_custom_places_name_devices_that_there_are():
    library()
    assert isinstance(paddle.CustomPlace("skeleton", 0), paddle.CustomPlace)
    assert not isinstance(paddle.CPUPlace(), paddle.CustomPlace)
    with pytest.raises(ValueError, match="paddle has no device plugin 'npu'; those that are loaded: .*'skeleton'"):
        paddle.CustomPlace("npu", 0)
    with pytest.raises(ValueError, match="dev_id has value 2; there are 2 devices skeleton"):
        paddle.CustomPlace("skeleton", 2)


def test_support_tells_native_decomposed_and_copied():
    library()
    table = paddle.device.support("skeleton:0")
    assert table["add"]["float32"] == "native" and table["topk"]["float32"] == "copied"
    assert table["silu"]["float32"] == "decomposed" and paddle.device.support("cpu")["topk"]["float32"] == "native"
    page = paddle.device.support_page("skeleton:0")
    assert "| tanh | float32 |" in page and page.startswith(f"{len(table)} operators")
