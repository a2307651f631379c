# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Versions of the interface: plugins of 1.0 and of the present one on hosts of both; what 1.1 added."""

import os
import re
import subprocess
import time

import numpy as np
import paddle
import pytest
from paddle.device.conformance import runtime

from tests.device.plugins.build import FROZEN, ROOT, conformance_of, defective, skeleton_of
from tests.device.skeleton import place, there

VERSIONS = ("1.0", "1.1")
HEADER = ROOT / "backends" / "include" / "paddle_device.h"
SAMPLE = ["device/tables", "device/longer_structs", "memory/copies", "events/random_graphs", "events/elapsed"]


@pytest.mark.parametrize("host", VERSIONS)
@pytest.mark.parametrize("plugin", VERSIONS)
def test_plugins_and_hosts_of_all_versions_work_together(plugin, host, monkeypatch):
    monkeypatch.setattr(runtime, "LIBRARY", str(conformance_of(host)))
    path = str(skeleton_of(plugin))
    names = {name for name, *_ in runtime.cases()}
    assert ("events/elapsed" in names) == (host == "1.1")
    for name in [name for name in SAMPLE if name in names]:
        outcome, why, _ = runtime.run_case(path, name)
        wanted = "absent" if name == "events/elapsed" and plugin == "1.0" else "passed"
        assert (outcome, why if wanted == "passed" else "") == (wanted, ""), name


DECLARATION = re.compile(r"^ +[\w \*]+?(?:\(\*(\w+)\)\(.*?\)|(\w+)(?:\[\d+\])?);(.*)$", re.M)


def fields(path):
    """(struct, position, field, version) of every field of a header."""
    text = re.sub(r"\n +\* ", " ", path.read_text())
    found = []
    for body, struct in re.findall(r"^typedef struct \w+ \{(.*?)^\} (\w+);", text, re.M | re.S):
        for at, (function, value, comment) in enumerate(DECLARATION.findall(body)):
            since = re.search(r"since (\d+\.\d+)", comment)
            found.append((struct, at, function or value, since and since.group(1)))
    return found


LANGUAGES = [("c", "c99"), ("c", "c11"), ("cc", "c++11"), ("cc", "c++20")]


@pytest.mark.parametrize("suffix, standard", LANGUAGES, ids=str)
def test_the_header_is_plain_c_and_cpp_and_includes_nothing_of_ours(suffix, standard, tmp_path):
    source = tmp_path / f"plugin.{suffix}"
    source.write_text('#include "paddle_device.h"\nint size(void);\nint size(void) { return (int)sizeof(PdPlugin); }\n')
    compiler = os.environ.get("CC", "cc") if suffix == "c" else os.environ.get("CXX", "c++")
    flags = ["-pedantic", "-Wall", "-Wextra", "-Werror", f"-I{HEADER.parent}", f"-std={standard}"]
    command = [compiler, *flags, "-c", str(source), "-o", str(tmp_path / "plugin.o")]
    subprocess.run(command, check=True)
    assert re.findall(r"^#include (.*)$", HEADER.read_text(), re.M) == ["<stddef.h>", "<stdint.h>"]


def test_every_struct_begins_with_its_size_and_every_field_says_since_when():
    found = fields(HEADER)
    assert len({struct for struct, *_ in found}) > 20
    assert {name for _, at, name, _ in found if at == 0} == {"struct_size"}
    assert [row for row in found if row[3] not in VERSIONS] == []


def test_fields_of_version_1_0_are_where_they_were():
    frozen = fields(FROZEN)
    now = {(struct, at): (name, since) for struct, at, name, since in fields(HEADER)}
    assert len(frozen) > 100
    for struct, at, name, since in frozen:
        assert now[struct, at] == (name, since)
    old = {(struct, at) for struct, at, *_ in frozen}
    assert {since for key, (_, since) in now.items() if key not in old} == {"1.1"}


def test_the_framework_takes_plugins_of_1_0():
    library = skeleton_of("1.0")
    code = f"""
import paddle
paddle.device.load_plugin({str(library)!r})
assert paddle.device.loaded_plugins()["skeleton"]["interface"] == (1, 0)
x = paddle.ones([2, 3], device="skeleton:0")
assert (x + x).sum().item() == 12.0
for ask in (
    lambda: paddle.device.Event(enable_timing=True, device="skeleton:0").record(),
    lambda: paddle.device.custom_device.mem_get_info("skeleton:0"),
):
    try:
        ask()
    except NotImplementedError as error:
        print(error)
"""
    from tests.device.test_plugins import python

    done = python(code)
    assert done.returncode == 0, done.stderr
    assert "events.elapsed is null, so its events tell no time" in done.stdout
    assert "Place(skeleton:0) does not tell how much memory is free" in done.stdout


def test_events_tell_times():
    begin, end = (paddle.device.Event(enable_timing=True, device=place()) for _ in range(2))
    stream = paddle.device.current_stream(place())
    x = there(np.ones([300, 300], "float32"))
    stream.synchronize()
    before = time.perf_counter()
    begin.record()
    for _ in range(10):
        x = x * x
    end.record(stream)
    end.synchronize()
    passed = 1e3 * (time.perf_counter() - before)
    assert 0 < begin.elapsed_time(end) <= passed
    assert end.elapsed_time(begin) == -begin.elapsed_time(end)
    with pytest.raises(ValueError, match="record both events first"):
        begin.elapsed_time(stream.record_event())


def test_free_memory_is_told():
    x = there(np.ones([5 << 20], "float32"))
    free, total = paddle.device.custom_device.mem_get_info(place())
    assert total == 8 << 30 and 0 < free <= total - x.nbytes


def test_a_device_draws_what_the_cpu_draws():
    paddle.device.load_plugin(defective("with_random"))
    paddle.seed(19)
    expected = [paddle.uniform([37], min=-3.0, max=5.0).numpy() for _ in range(3)]
    paddle.seed(19)
    before = paddle._core.host_copies()
    paddle.set_device("with_random:1")
    try:
        got = [paddle.uniform([37], min=-3.0, max=5.0).numpy() for _ in range(3)]
    finally:
        paddle.set_device("cpu")
    assert paddle._core.host_copies() == before
    for a, b in zip(got, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-6)
