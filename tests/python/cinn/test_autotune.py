# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""FLAGS_cinn_autotune: kernels against operators by measured time, remembered on disk."""

import json

PROGRAM = """
import json, paddle
def f(x):
    return paddle.tanh(x * 2) + paddle.exp(x)
compiled = paddle.jit.to_static(f, backend="CINN", full_graph=True)
x = paddle.rand([64, 64])
statistics = paddle._core.pir.compiler_statistics
launches = []
with paddle.no_grad():
    for _ in range(14):
        before = statistics()["launches"]
        assert paddle.allclose(compiled(x), f(x), rtol=1e-5)
        launches.append(statistics()["launches"] - before)
    (group,) = paddle.jit.explain(compiled)(x).groups
print(json.dumps({"launches": launches, "group": group.as_dict(), "dropped": group.dropped}))
"""


def outcome(run_python, folder, **flags):
    return json.loads(run_python(PROGRAM, FLAGS_cinn_cache_dir=folder, **flags).splitlines()[-1])


def test_without_the_flag_nothing_is_timed_or_dropped(run_python, tmp_path):
    seen = outcome(run_python, tmp_path)
    assert seen["launches"] == [0, 0] + [1] * 12
    assert seen["group"]["trials"] == []
    assert len(list(tmp_path.iterdir())) == 1


def test_the_ways_take_turns_and_the_shortest_stays(run_python, tmp_path):
    seen = outcome(run_python, tmp_path, FLAGS_cinn_autotune=1)
    # The kernel takes over at call 3; four calls of each way follow.
    assert seen["launches"][:10] == [0, 0, 1, 0, 1, 0, 1, 0, 1, 0]
    ways = {t["name"]: t for t in seen["group"]["trials"]}
    assert set(ways) == {"compiled", "uncompiled"}
    fastest = min(ways.values(), key=lambda t: t["ms"])
    assert [t["name"] for t in ways.values() if t["chosen"]] == [fastest["name"]]
    compiled_stays = fastest["name"] == "compiled"
    assert seen["launches"][10:] == [int(compiled_stays)] * 4
    assert seen["dropped"] is not compiled_stays
    assert seen["group"]["trials_from_disk"] is False


def sum_of(content):
    """The check of a file of the cache."""
    seed, mask = len(content), (1 << 64) - 1
    h = 0xCBF29CE484222325 ^ seed
    for c in content:
        h = ((h ^ c) * 0x100000001B3) & mask
        h ^= h >> 31
    return h


def decide_for(folder, way):
    """Writes another decision into the file that holds one."""
    for file in folder.glob("*.kernel"):
        header, sizes, rest = file.read_bytes().split(b"\n", 2)
        key_size, size, _ = (int(n) for n in sizes.split())
        key, decision = rest[:key_size], rest[key_size:]
        if not key.startswith(b"choice"):
            continue
        assert len(decision) == size
        decision = b"%d%b" % (way, decision[1:])
        file.write_bytes(header + b"\n%d %d %d\n" % (key_size, size, sum_of(decision)) + key + decision)
        return
    raise AssertionError("no decision was kept")


def test_later_processes_take_the_decision_without_a_trial(run_python, tmp_path):
    first = outcome(run_python, tmp_path, FLAGS_cinn_autotune=1)
    for way, stays in ((1, "uncompiled"), (0, "compiled")):
        decide_for(tmp_path, way)
        seen = outcome(run_python, tmp_path, FLAGS_cinn_autotune=1)
        assert seen["launches"] == [0, 0] + [1 - way] * 12
        assert seen["group"]["trials_from_disk"] is True
        assert seen["dropped"] is (stays == "uncompiled")
        assert [t["ms"] for t in seen["group"]["trials"]] == [t["ms"] for t in first["group"]["trials"]]
    # It is for those with the flag only.
    decide_for(tmp_path, 1)
    assert outcome(run_python, tmp_path)["launches"] == [0, 0] + [1] * 12


def test_stores_past_the_caches_are_timed_against_others(run_python, tmp_path):
    program = PROGRAM.replace("[64, 64]", "[2048, 2048]")
    seen = json.loads(run_python(program, FLAGS_cinn_cache_dir=tmp_path, FLAGS_cinn_autotune=1).splitlines()[-1])
    assert [t["name"] for t in seen["group"]["trials"]] == [
        "compiled",
        "compiled, stores through the caches",
        "uncompiled",
    ]
    assert seen["launches"][:11] == [0, 0, 1, 1, 0, 1, 1, 0, 1, 1, 0]
    assert seen["group"]["kernels"][0]["variant"] == "rows, streamed"


def test_state_is_updated_once_in_each_call_of_a_trial(run_python, tmp_path):
    program = """
import json, paddle
def trained(on):
    paddle.seed(4)
    paddle.set_flags({"FLAGS_cinn_autotune": on})
    model = paddle.nn.Linear(8, 8)
    optimizer = paddle.optimizer.AdamW(0.05, parameters=model.parameters())
    @paddle.jit.to_static(backend="CINN", full_graph=True)
    def step(x):
        loss = (model(x) ** 2).mean()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        return loss
    return [float(step(paddle.ones([4, 8]))) for _ in range(16)]
print(json.dumps([trained(False), trained(True)]))
"""
    plain, tuned = json.loads(run_python(program, FLAGS_cinn_cache_dir=tmp_path).splitlines()[-1])
    assert all(abs(a - b) < 1e-5 * abs(a) + 1e-7 for a, b in zip(plain, tuned, strict=True))
