# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What the profiler and the NaN check tell."""

import json
import threading

import paddle
import pytest
from paddle.profiler import saved_spans


def test_operators_and_user_spans_are_in_the_trace(tmp_path):
    x = paddle.ones([4, 4])
    with paddle.profiler.Profiler() as profiler:
        with paddle.profiler.RecordEvent("my part"):
            paddle.matmul(x, x) + x
    profiler.export(str(tmp_path / "trace.json"))
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    assert {"my part", "matmul", "add"} <= {e["name"] for e in events}
    assert all(e["dur"] >= 0 for e in events)
    by_name = {e["name"]: e for e in events}
    product, sum_, part = by_name["matmul"], by_name["add"], by_name["my part"]
    assert part["ts"] <= product["ts"] < product["ts"] + product["dur"] <= sum_["ts"] + 0.002
    assert sum_["ts"] + sum_["dur"] <= part["ts"] + part["dur"] + 0.002
    assert "matmul" in profiler.summary()


def test_nothing_is_recorded_outside_a_profile():
    with paddle.profiler.Profiler() as profiler:
        pass
    paddle.ones([2]) + 1.0
    assert profiler.summary().count("\n") == 0


def test_check_nan_inf_names_the_operator():
    paddle.set_flags({"FLAGS_check_nan_inf": True})
    try:
        with pytest.raises(RuntimeError, match="log: result 0 of shape .* NaN or infinity"):
            paddle.log(paddle.to_tensor([1.0, 0.0]))
    finally:
        paddle.set_flags({"FLAGS_check_nan_inf": False})
    paddle.log(paddle.to_tensor([0.0]))


def names_of(profiler):
    return {line.split()[0] for line in profiler.summary().splitlines()[1:]}


def test_a_schedule_records_the_steps_it_names():
    operators = [paddle.exp, paddle.sin, paddle.cos, paddle.tanh, paddle.sqrt]
    recorded = []
    profiler = paddle.profiler.Profiler(scheduler=(1, 3), on_trace_ready=lambda p: recorded.append(names_of(p)))
    profiler.start()
    for operator in operators:
        operator(paddle.ones([2]))
        profiler.step()
    profiler.stop()
    assert len(recorded) == 1
    assert {"sin", "cos"} <= recorded[0] and not recorded[0] & {"exp", "tanh", "sqrt"}


def test_a_repeated_schedule_hands_over_each_cycle():
    states = paddle.profiler.make_scheduler(closed=1, ready=1, record=2, repeat=2, skip_first=1)
    short = {"CLOSED": "c", "READY": "r", "RECORD": "R", "RECORD_AND_RETURN": "!"}
    assert "".join(short[states(i).name] for i in range(11)) == "ccrR!crR!cc"
    steps = []
    profiler = paddle.profiler.Profiler(scheduler=states, on_trace_ready=lambda p: steps.append(p.step_num))
    with profiler:
        for _ in range(11):
            profiler.step(num_samples=8)
    assert steps == [5, 9] and "images/s" in profiler.step_info("images")


def test_wrong_schedules_are_refused():
    with pytest.raises(AssertionError, match="record=0"):
        paddle.profiler.make_scheduler(closed=0, ready=0, record=0)
    with pytest.raises(AssertionError, match=r"scheduler has value \(3, 1\)"):
        paddle.profiler.Profiler(scheduler=(3, 1))


def on_another_thread(fn):
    raised = []

    def run():
        try:
            fn()
        except Exception as error:
            raised.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return raised


@pytest.mark.threads
def test_a_profile_holds_the_operators_of_all_threads():
    started = threading.Event(), threading.Event()

    def work():
        started[0].set()
        started[1].wait(30)
        paddle.sin(paddle.ones([2]))

    thread = threading.Thread(target=work)
    thread.start()  # before the recording
    started[0].wait(30)
    with paddle.profiler.Profiler() as profiler:
        started[1].set()
        thread.join()
    assert "sin" in names_of(profiler)


@pytest.mark.threads
def test_check_nan_inf_holds_on_all_threads():
    paddle.set_flags({"FLAGS_check_nan_inf": True})
    try:
        raised = on_another_thread(lambda: paddle.log(paddle.to_tensor([0.0])))
    finally:
        paddle.set_flags({"FLAGS_check_nan_inf": False})
    assert len(raised) == 1 and "NaN or infinity" in str(raised[0])
    assert not on_another_thread(lambda: paddle.log(paddle.to_tensor([0.0])))


def test_profilers_come_from_files_and_say_that_they_run(tmp_path):
    import json

    from paddle.profiler import profiler, utils

    path = tmp_path / "profiler.json"
    ready = {"export_chrome_tracing": {"module": "paddle.profiler", "args": [str(tmp_path / "out")]}}
    path.write_text(json.dumps({"targets": ["CPU"], "scheduler": [1, 2], "on_trace_ready": ready}))
    assert not utils.in_profiler_mode()
    with profiler.get_profiler(str(path)) as made:
        assert utils.in_profiler_mode() and utils._is_profiler_used
        for _ in range(3):
            paddle.ones([2]) + 1
            made.step(num_samples=4)
        assert made.step_info().endswith("samples/s")
    assert not utils.in_profiler_mode() and list((tmp_path / "out").iterdir())
    with pytest.warns(UserWarning, match="defaults are taken"):
        profiler.get_profiler("none.json")


def test_spans_are_written_and_read(tmp_path):
    with paddle.profiler.Profiler() as profiler, paddle.profiler.RecordEvent("mine"):
        paddle.ones([2]) + 1.0
    profiler.export(str(tmp_path / "spans.pb"), format="pb")
    result = paddle.profiler.load_profiler_result(str(tmp_path / "spans.pb"))
    assert {"mine", "add"} <= {name for name, *_ in result.spans}
    assert result.spans == [tuple(span) for span in profiler._spans]
    assert all(begin <= end for _, _, begin, end, _ in result.spans)
    assert sum(len(spans) for spans in result.get_data().values()) == len(result.spans)


def test_numbers_of_threads_have_64_bits(tmp_path):
    span = ("add", "operator", 1, 2, 2**64 - 1)
    saved_spans.write_spans(str(tmp_path / "spans.pb"), [span])
    assert paddle.profiler.load_profiler_result(str(tmp_path / "spans.pb")).spans == [span]


@pytest.mark.parametrize("data", [b"", b"\x08\x02", b"\x08\x01\x12\x7fabc", b"\xff" * 12, b"{}", b"\x08\x01\x12\x00"])
def test_files_without_spans_are_refused(tmp_path, data):
    path = tmp_path / "other.pb"
    path.write_bytes(data)
    with pytest.raises(ValueError, match="other.pb holds no spans"):
        paddle.profiler.utils.load_profiler_result(str(path))


def test_handlers_name_their_files_after_worker_and_moment(tmp_path):
    for handler in (paddle.profiler.export_chrome_tracing, paddle.profiler.export_protobuf):
        with paddle.profiler.Profiler(on_trace_ready=handler(str(tmp_path), "worker")):
            paddle.ones([2]) + 1.0
    names = sorted(path.name for path in tmp_path.iterdir())
    assert all(name.startswith("worker_time_") for name in names)
    assert [name.split(".", 1)[1] for name in sorted(names, key=lambda n: n[-1])] == [
        "paddle_trace.pb",
        "paddle_trace.json",
    ]


def test_spans_have_kinds_and_schedules_are_functions():
    kind = paddle.profiler.TracerEventType
    assert paddle.profiler.RecordEvent("part").event_type is kind.PythonUserDefined and int(kind.Forward) == 9
    assert paddle.profiler.RecordEvent("part", event_type=kind.Forward).event_type is kind.Forward
    schedule = paddle.profiler.Profiler(scheduler=(1, 3)).scheduler
    states = [schedule(step).name for step in range(4)]
    assert states[2:] == ["RECORD_AND_RETURN", "CLOSED"] and states[1] == "RECORD"
