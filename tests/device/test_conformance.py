# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The conformance suite: the skeleton passes its cases, and a skeleton with a planted defect fails in the right one.

A case in six runs each time, the others in `make test-full`.
"""

import json

import pytest
from paddle import command_line
from paddle.device.conformance import coverage, report, runtime

from tests.device.plugins.build import defective
from tests.device.skeleton import LIBRARY

# Planted defect -> the case in which it has to be found.
DEFECTS = {
    "null_function": "device/tables",
    "short_struct": "device/tables",
    "close_does_nothing": "device/open_and_close",
    "accepts_wrong_index": "device/wrong_indices",
    "error_without_message": "device/wrong_indices",
    "unterminated_name": "device/properties",
    "no_memory_size": "device/properties",
    "knows_everything": "device/unknown_capabilities",
    "clears_later_fields": "device/longer_structs",
    "lost_last_byte": "memory/sizes",
    "ignored_offset": "memory/copies",
    "seven_bits": "memory/fills",
    "shared_blocks": "memory/blocks_apart",
    "full_is_no_memory_error": "memory/full",
    "unaligned_pinned": "memory/pinned",
    "no_copies_between_devices": "memory/between_devices",
    "overtaking_copies": "streams/order",
    "early_synchronize": "streams/synchronize",
    "early_device_synchronize": "streams/synchronize",
    "stream_always_done": "streams/query",
    "few_streams": "streams/many",
    "event_always_done": "events/query",
    "early_event_synchronize": "events/query",
    "wait_for_latest_point": "events/recorded_again",
    "missed_wait": "events/random_graphs",
    "kernel_on_another_stream": "events/random_graphs",
    "memory_info_of_others": "device/memory_info",
    "time_of_recording": "events/elapsed",
    "missing_spans": "profiler/clocks",
    "leaked_block": "leaks/blocks",
    "leaked_event": "leaks/events",
    "leaked_stream": "leaks/streams",
    "leaked_error": "leaks/errors",
    "leaked_thread_of_a_device": "leaks/devices",
}
KERNEL_DEFECTS = {"ignored_strides": "add", "nan_is_lost": "maximum", "ignored_transposition": "matmul"}


def sampled(names):
    return [pytest.param(n, marks=() if i % 6 == 0 else pytest.mark.slow) for i, n in enumerate(names)]


def test_every_case_of_run_time_has_a_defect_that_it_finds():
    names = {name for name, *_ in runtime.cases()}
    assert names - set(DEFECTS.values()) == {"figures/rates"}
    assert set(DEFECTS.values()) <= names


@pytest.mark.parametrize("name", sampled(dict.fromkeys(DEFECTS.values())))
def test_the_skeleton_passes(name):
    library = defective("with_profiler") if name == "profiler/clocks" else LIBRARY
    assert runtime.run_case(str(library), name)[:2] == ("passed", "")


@pytest.mark.parametrize("defect", sampled(DEFECTS))
def test_a_planted_defect_is_found(defect):
    outcome, why, _ = runtime.run_case(str(defective(defect)), DEFECTS[defect], timeout=10)
    assert outcome == "failed" and why


def test_what_a_plugin_lacks_is_absent():
    assert runtime.run_case(str(defective("without_events")), "events/query")[0] == "absent"


@pytest.mark.parametrize("defect", KERNEL_DEFECTS)
def test_a_defect_of_a_kernel_is_found_in_the_rows_of_its_operator(defect):
    op = KERNEL_DEFECTS[defect]
    rows = coverage.rows(str(defective(defect)), [op], timeout=200)
    assert {row["op"] for row in rows} == {op}
    assert any(row["outcome"] == "failed" for row in rows), rows
    sound = coverage.rows(str(LIBRARY), [op], timeout=200)
    assert all(row["outcome"] != "failed" for row in sound)
    assert any(row["how"] == "native" and row["outcome"] == "passed" for row in sound)


def test_a_crash_fails_its_row_and_no_other():
    rows = coverage.rows(str(defective("crashing_kernel")), ["tanh", "exp"], timeout=200)
    crashed = [row for row in rows if "SIGSEGV" in row["why"]]
    assert {row["op"] for row in crashed} == {"tanh"}
    assert "plugin crashing_kernel" in crashed[0]["why"] and "operator tanh" in crashed[0]["why"]
    assert any(row["op"] == "exp" and row["outcome"] == "passed" for row in rows)


def test_a_copied_row_does_not_pass():
    rows = coverage.rows(str(LIBRARY), ["topk"], timeout=200)
    assert rows and {row["outcome"] for row in rows} == {"copied"}


def test_a_small_network_trains_without_a_copy():
    assert coverage.training(str(LIBRARY), "mlp") == ("passed", "")


@pytest.mark.parametrize(
    "outcomes, best",
    [
        ({}, "none"),
        ({"bronze": "failed"}, "none"),
        ({"bronze": "passed"}, "bronze"),
        ({"bronze": "passed", "silver": "copied", "gold": "passed"}, "bronze"),
        ({"bronze": "passed", "silver": "passed", "gold": "absent"}, "silver"),
        ({"bronze": "passed", "silver": "passed", "gold": "passed"}, "gold"),
    ],
    ids=str,
)
def test_grades_need_all_that_is_below(outcomes, best):
    assert report.grade(list(outcomes.items())) == best


@pytest.mark.slow
def test_the_command_writes_a_report(tmp_path, capsys):
    out = tmp_path / "report.json"
    code = command_line.main(["conformance", str(LIBRARY), "--part", "runtime", "--out", str(out)])
    written = json.loads(out.read_text())
    assert code == 0 and list(written)[:2] == ["runtime", "coverage"]
    assert written["runtime"] == "gold" and written["coverage"] is None
    assert "runtime   gold" in capsys.readouterr().out


def test_the_command_refuses_what_is_no_plugin(capsys):
    assert command_line.main(["conformance", "nowhere"]) == 2
    assert "'nowhere' is neither a file nor a device type of a plugin" in capsys.readouterr().err
