# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Damaged and hostile files: an exception that says what is wrong, never a crash, memory within reason.

The C++ readers are tried by tests/fuzz.
"""

import io
import os
import pathlib
import pickle
import struct
import subprocess
import sys

import paddle
import pytest
from paddle import _core

COMPAT = pathlib.Path(__file__).resolve().parents[2] / "compat"
SAVED = sorted((COMPAT / "pdparams").glob("*.pd*"))

MUTATE = """
import random, resource, sys
import paddle
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
failed = total = 0
scratch = sys.argv[1]
for path in sys.argv[2:]:
    good = open(path, "rb").read()
    rng = random.Random(7)
    variants = [good[: rng.randrange(len(good))] for _ in range(40)]
    for _ in range(120):
        bad = bytearray(good)
        for _ in range(rng.choice([1, 1, 4])):
            bad[rng.randrange(len(bad))] = rng.choice([0, 255, rng.randrange(256), rng.randrange(256)])
        variants.append(bytes(bad))
    for variant in variants:
        total += 1
        with open(scratch, "wb") as file:
            file.write(variant)
        try:
            paddle.load(scratch)
        except (ValueError, EOFError):
            failed += 1
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(failed, total, int(peak.split()[1]) >> 10)
"""


@pytest.mark.unsanitized
def test_damaged_files_raise_value_error(tmp_path):
    command = [sys.executable, "-c", MUTATE, str(tmp_path / "damaged"), *map(str, SAVED)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr[-2000:]
    failed, total, megabytes = map(int, result.stdout.split())
    assert total == 160 * len(SAVED) and failed > total // 3 and megabytes < 600


class Reduced:
    """Pickles as a call."""

    def __init__(self, function, *args):
        self.call = function, args

    def __reduce__(self):
        return self.call


def a_list_that_holds_itself():
    loop = []
    loop.append(loop)
    return pickle.dumps(loop)


def deep_lists(depth):
    return b"\x80\x04" + b"]" * depth + b"a" * (depth - 1) + b"."


GLOBAL = b"\x80\x02c%s\n%s\n"
HOSTILE = {
    "a call of os.system": (pickle.dumps(Reduced(os.system, "echo no")), "asks for posix.system"),
    "eval": (pickle.dumps(Reduced(eval, "1")), "asks for builtins.eval"),
    "an attribute of a module": (GLOBAL % (b"numpy", b"core.os.system") + b".", "asks for numpy.core"),
    "a huge index into the memo": (b"\x80\x04]r\xff\xff\xff\x7f.", "cut short"),
    "a huge index as text": (b"]p99999999999\n.", "cut short"),
    "bytes of a huge number": (GLOBAL % (b"builtins", b"bytes") + b"J\xff\xff\xff\x7f\x85R.", "bytes of a number"),
    "an array without values": (GLOBAL % (b"numpy", b"ndarray") + b"J\xff\xff\xff\x7f\x85\x85R.", "without values"),
    "a huge string": (b"\x80\x04\x8d" + struct.pack("<Q", 2**60) + b"abc.", "cut short"),
    "a huge frame": (b"\x80\x04\x95" + struct.pack("<Q", 2**60) + b"N.", "damaged"),
    "an attribute of a function": (
        GLOBAL % (b"_codecs", b"encode") + b"N}U\x0c__defaults__)s\x86b.",
        "sets attributes|damaged",
    ),
    "a list that holds itself": (a_list_that_holds_itself(), "holds itself"),
    "lists in lists": (deep_lists(100_000), "nested too deeply"),
    "a persistent id": (b"\x80\x04\x8c\x01aQ.", "persistent id"),
    "text": (b'{"a": 1}', "damaged"),
    "a string that is no UTF-8": (b"\x80\x04\x8c\x01\xff.", "load: .*damaged"),
    "nothing": (b"\x80\x04", "damaged|cut short"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_pickles_are_refused(name):
    data, message = HOSTILE[name]
    with pytest.raises(ValueError, match=message):
        paddle.load(io.BytesIO(data))
    assert not hasattr(paddle.framework.unpickle._encode_latin, "no") and paddle.framework.unpickle._ENCODE("a") == b"a"


MODEL = COMPAT / "programs" / "mlp"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: data[:-3], "before byte .* ends too early"),
        (lambda data: data + b"\0", "bytes follow tensor"),
        (lambda data: b"", "holds 0 tensors"),
        (lambda data: b"\1" + data[1:], "before byte 4: its version is not 0"),
        (lambda data: data[:20] + b"\x08\x07" + data[22:], "data type"),
        (lambda data: data[:16] + struct.pack("<i", -5) + data[20:], "negative size"),
    ],
)
def test_damaged_parameters_say_what_and_where(tmp_path, change, message):
    path = tmp_path / "model.pdiparams"
    path.write_bytes(change((MODEL / "model.pdiparams").read_bytes()))
    with pytest.raises(ValueError, match=message):
        _core.pir.SavedProgram.load(str(MODEL / "model.json"), str(path))


def test_what_is_no_file_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe", tmp_path / "none"):
        with pytest.raises(ValueError, match="is not a file|does not exist"):
            _core.pir.SavedProgram.load(str(path), "")
        with pytest.raises(ValueError, match="is not a file|does not exist"):
            _core.pir.SavedProgram.load(str(MODEL / "model.json"), str(path))


def test_names_in_a_program_are_no_paths(tmp_path):
    text = (MODEL / "model.json").read_text()
    name = text.split('"A":[0,1,1,"')[1].split('"')[0]
    (tmp_path / "model.json").write_text(text.replace(name, "../../../etc/passwd"))
    (tmp_path / "model.pdiparams").write_bytes((MODEL / "model.pdiparams").read_bytes())
    try:
        loaded = _core.pir.SavedProgram.load(str(tmp_path / "model.json"), str(tmp_path / "model.pdiparams"))
        assert "../../../etc/passwd" in loaded.parameter_names
    except ValueError as error:  # the order of the names, and so of the tensors, is another
        assert "in the parameter file" in str(error)
