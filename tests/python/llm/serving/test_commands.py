# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`paddle serve` and `paddle chat` as programs, and the conversation of a terminal."""

import http.client
import io
import json
import os
import pathlib
import pty
import re
import select
import signal
import socket
import subprocess
import sys
import time

import pytest
from paddle.command_line import main
from paddle.llm import SamplingParams
from paddle.llm.chat import find_template
from paddle.llm.chat.terminal import Terminal
from paddle.llm.opening import bytes_of
from paddle.llm.progress import Progress
from paddle.llm.server.command import name_of

from tests.python.llm.serving import double

PROGRAM = pathlib.Path(__file__).parent / "double_command.py"
CHAT = "/v1/chat/completions"


def environment(**more):
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **more}


def launch(*arguments, **more):
    """A server as a program: (process, port)."""
    command = [sys.executable, str(PROGRAM), "serve", "model.gguf", "--port", "0", *arguments]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment(**more))
    line = process.stderr.readline()
    found = re.search(r"serving (\S+) on http://127.0.0.1:(\d+)/v1", line)
    assert found, line + process.stderr.read()
    return process, int(found[2])


def ask(port, headers=None, **body):
    peer = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    body = {"messages": [{"role": "user", "content": "hi"}], **body}
    peer.request("POST", CHAT, json.dumps(body), headers or {})
    return peer.getresponse()


def test_a_server_drains_on_sigterm_and_exits_with_0():
    process, port = launch(DOUBLE_STEP_SECONDS="0.05")
    stream = ask(port, stream=True)
    first = stream.readline()
    idle = socket.create_connection(("127.0.0.1", port))
    process.send_signal(signal.SIGTERM)
    end = time.monotonic() + 60
    while ask(port).status != 503:
        assert time.monotonic() < end
    rest = (first + stream.read()).decode()
    events = [json.loads(line[6:]) for line in rest.split("\n\n") if line.startswith("data: {")]
    assert "".join(e["choices"][0]["delta"].get("content", "") for e in events) == "1 turns; é €" + "!" * 10
    assert rest.endswith("data: [DONE]\n\n")
    assert process.wait(60) == 0 and process.stderr.read() == ""
    idle.close()


@pytest.mark.parametrize("how", ["a second signal", "the time is over"])
def test_a_drain_can_be_cut_short(how):
    options = ["--drain-seconds", "0.2"] if how == "the time is over" else []
    process, port = launch(*options, DOUBLE_STEP_SECONDS="2")
    stream = ask(port, stream=True)
    stream.readline()
    process.send_signal(signal.SIGTERM)
    if not options:
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
    assert process.wait(60) == 0
    with pytest.raises((http.client.IncompleteRead, ConnectionError)):
        stream.read()


def test_options_of_the_server_count():
    process, port = launch(
        *("--api-key", "one", "--served-model-name", "a", "--served-model-name", "b", "--max-model-len", "100"),
        *("--max-body-bytes", "1k", "--max-prompt-tokens", "50", "--memory-bandwidth", "20G"),
        PADDLE_API_KEY="two",
    )
    try:
        assert ask(port).status == 401
        for key in ("one", "two"):
            assert ask(port, {"Authorization": f"Bearer {key}"}, model="b").status == 200
        peer = http.client.HTTPConnection("127.0.0.1", port)
        peer.request("GET", "/metrics")
        assert "paddle_llm_memory_bandwidth_bytes 20000000000" in peer.getresponse().read().decode()
        long = [{"role": "user", "content": "x" * 60}]
        assert ask(port, {"Authorization": "Bearer one"}, messages=long).status == 400
        assert ask(port, {"Authorization": "Bearer one"}, messages=long * 30).status == 413
    finally:
        process.terminate()
        assert process.wait(60) == 0


def test_wrong_options_and_ports_in_use_are_said(tmp_path, capsys):
    taken = socket.create_server(("127.0.0.1", 0))
    port = str(taken.getsockname()[1])
    model = str(tmp_path / "none.gguf")
    for arguments, message in (
        (["serve", model], "there is no file or folder"),
        (["serve", model, "--port", port], "Address already in use"),
        (["serve", model, "--port", "70000"], "--port has value 70000"),
        (["serve", model, "--max-batch", "0"], "--max-batch has value 0"),
        (["serve", model, "--api-key", ""], "--api-key is empty"),
        (["serve", model, "--max-body-bytes", "much"], "'much' is no number of bytes"),
        (["serve", model, "--port", "0", "--max-model-len", "0"], "there is no file or folder"),
        (["serve", model, "--host", "256.0.0.1"], "256.0.0.1"),
        (["chat", model], "there is no file or folder"),
        (["chat", model, "--top-p", "2"], "top_p"),
    ):
        assert main(arguments) == 2
        assert message in capsys.readouterr().err
    taken.close()


def test_sizes_and_names():
    texts = ("1000", "5k", "1.5M", "2G", "2GB", "1GiB", "3 ki")
    assert [bytes_of(t) for t in texts] == [1000, 5000, 1_500_000, 2 * 10**9, 2 * 10**9, 1 << 30, 3072]
    for text in ("", "-1", "nan", "inf", "0", "G"):
        with pytest.raises(ValueError, match="is no number of bytes"):
            bytes_of(text)
    assert [name_of(p) for p in ("a/b.gguf", "a/b/", "c")] == ["b", "b", "c"]


# -- chat
def talk(lines, engine=None, system=None, **params):
    """What a terminal writes for these lines, and the messages at the end."""
    engine, written = engine or double.Engine(), []
    lines = iter(lines)

    def read(prompt):
        line = next(lines, None)
        if line is None:
            raise EOFError
        if isinstance(line, type):
            raise line
        written.append(prompt + line + "\n")
        return line

    template = find_template(None, engine.tokenizer).plain
    terminal = Terminal(engine, template, SamplingParams(**params), system, read, written.append)
    terminal.run()
    engine.close()
    return "".join(written), terminal.messages


def test_a_conversation_goes_on_and_begins_anew():
    engine = double.Engine()
    engine.script = lambda prompt, index: f"{prompt.count('user')} turns, system {'|>system' in prompt}"
    text, messages = talk(
        ["a", "b\\", "c", "/reset", "d", "/system be brief", "e", "/system", "f", "", "/x", "/help"], engine
    )
    answers = re.findall(r"\d turns, system \w+", text)
    numbers = ["1 turns, system False", "2 turns, system False", "1 turns, system False", "1 turns, system True"]
    assert answers == [*numbers, "1 turns, system False"]
    assert "there is no /x" in text and "Ctrl-C stops an answer" in text
    assert [m["content"] for m in messages] == ["f", "1 turns, system False"]


def test_what_cannot_be_answered_is_said_and_the_conversation_stays():
    engine = double.Engine(max_model_len=80)
    text, messages = talk(["a", "x" * 100, KeyboardInterrupt, "/exit", "never read"], engine, max_tokens=6)
    assert "max_model_len is 80" in text and "/reset begins anew" in text
    assert "[the limit of tokens is reached]" in text and "never" not in text
    assert [m["content"] for m in messages] == ["a", "answer"]
    text, messages = talk(["please fail", "a"])
    assert "the model failed: the double was asked to" in text and len(messages) == 2


def test_progress_is_a_line_that_is_written_anew():
    out = io.StringIO()
    with Progress("reading x", False, out) as bar:
        bar.update(1, 2)
    assert out.getvalue() == ""
    with Progress("reading x", True, out) as bar:
        bar.update(1, 2)
        bar.update(2, 2)
    lines = out.getvalue().split("\r")
    assert lines[0] == "" and "] 1/2" in lines[1] and lines[2].endswith("] 2/2\n") and "." not in lines[2]


class Program:
    """`paddle chat` at a pseudo-terminal."""

    def __init__(self, *arguments, **more):
        self.process, self.master = None, None
        pid, self.master = pty.fork()
        if pid == 0:
            command = [sys.executable, str(PROGRAM), "chat", "model.gguf", *arguments]
            os.execve(sys.executable, command, environment(TERM="dumb", **more))
        self.pid, self.text = pid, ""

    def expect(self, pattern, seconds=60):
        end = time.monotonic() + seconds
        while not (found := re.search(pattern, self.text)):
            assert time.monotonic() < end, self.text
            if select.select([self.master], [], [], 0.1)[0]:
                try:
                    self.text += os.read(self.master, 65536).decode("utf-8", "replace")
                except OSError:
                    break
        found = found or re.search(pattern, self.text)
        assert found, self.text
        self.text = self.text[found.end() :]

    def send(self, text):
        os.write(self.master, text.encode())

    def close(self):
        self.send("\x04")
        _, status = os.waitpid(self.pid, 0)
        os.close(self.master)
        return os.waitstatus_to_exitcode(status)


@pytest.mark.unsanitized
def test_the_terminal_streams_stops_at_ctrl_c_and_keeps_a_history(tmp_path):
    more = dict(DOUBLE_STEP_SECONDS="0.2", XDG_STATE_HOME=str(tmp_path))
    program = Program(**more)
    program.expect("> ")
    program.send("hello there\n")
    program.expect("1 tur")
    program.send("\x03")
    program.expect(r"\[stopped\]")
    program.expect("> ")
    program.send("again\n")
    program.expect("2 tur")
    program.send("\x03")
    program.expect("> ")
    assert program.close() == 0
    history = tmp_path / "paddle" / "chat_history"
    assert history.read_text().splitlines()[-2:] == ["hello there", "again"]
    assert history.stat().st_mode & 0o077 == 0


def test_lines_come_from_a_pipe():
    command = [sys.executable, str(PROGRAM), "chat", "model.gguf", "--temperature", "0"]
    done = subprocess.run(command, input="a\nb\n", capture_output=True, text=True, env=environment())
    assert done.returncode == 0, done.stderr
    assert "1 turns; é €!!!!!!!!!!\n" in done.stdout and "2 turns; é €!!!!!!!!!!\n" in done.stdout
