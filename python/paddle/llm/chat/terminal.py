# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`paddle chat MODEL`: a conversation at the terminal."""

import contextlib
import dataclasses
import os
import queue
import signal
import sys
import threading

from ..opening import add_model_arguments, import_beside, open_model
from ..progress import Progress

HELP = """/reset           begin anew
/system TEXT     begin anew with this instruction; without TEXT: with none
/help            this list
/exit            leave (also Ctrl-D)
Ctrl-C stops an answer. A line that ends with \\ goes on in the next one."""


def add_arguments(parser):
    """Declares the arguments."""
    add_model_arguments(parser)
    parser.add_argument("--system", metavar="TEXT", help="instruction that stands before the conversation")
    parser.add_argument(
        "--max-tokens", type=int, metavar="N", help="tokens of an answer (default: until the model ends it)"
    )
    parser.add_argument(
        "--temperature", type=float, default=0.7, metavar="T", help="0: always the likeliest (default: 0.7)"
    )
    parser.add_argument(
        "--top-p", type=float, default=0.95, metavar="P", help="share of the likely tokens (default: 0.95)"
    )
    parser.add_argument("--seed", type=int, metavar="N", help="for the same answers again")


def run(options):
    """Loads the model and talks until the input ends; the exit code."""
    from .. import SamplingParams

    params = SamplingParams(
        max_tokens=options.max_tokens, temperature=options.temperature, top_p=options.top_p, seed=options.seed
    )
    import_beside("jinja2.sandbox", "jinja2.ext")
    name = os.path.basename(os.path.normpath(options.model))
    with Progress(f"reading {name}", sys.stderr.isatty()) as bar:
        engine, templates = open_model(options, needs_template=True, progress=bar.update, max_batch=1)
    try:
        template = templates().plain
        with History():
            Terminal(engine, template, params, options.system).run()
    finally:
        engine.close()
    return 0


class History:
    """Line editing, with the lines of earlier sessions, where Python has readline and the input is a terminal."""

    def __init__(self):
        state = os.environ.get("XDG_STATE_HOME") or os.path.join(os.path.expanduser("~"), ".local", "state")
        self.path = os.path.join(state, "paddle", "chat_history")
        self._readline = None

    def __enter__(self):
        if not sys.stdin.isatty():
            return self
        try:
            import readline
        except ImportError:
            return self
        self._readline = readline
        try:
            readline.read_history_file(self.path)
        except OSError:
            pass  # there is none yet
        readline.set_history_length(1000)
        return self

    def __exit__(self, *exception):
        if self._readline is None:
            return
        try:
            os.makedirs(os.path.dirname(self.path), mode=0o700, exist_ok=True)
            descriptor = os.open(self.path, os.O_CREAT | os.O_WRONLY, 0o600)
            os.close(descriptor)
            self._readline.write_history_file(self.path)
        except OSError as error:
            print(f"the history was not saved: {error}", file=sys.stderr)


class Terminal:
    """A conversation.

    Args:
        engine: The engine.
        template: A ChatTemplate.
        params: SamplingParams.
        system: The instruction before the conversation, or None.
        read: Gives a line for a prompt; EOFError at the end.
        write: Takes text.
    """

    def __init__(self, engine, template, params, system=None, read=input, write=None):
        self.engine, self.template, self.params, self.read = engine, template, params, read
        self._write = write or self._print
        self._with_stops()
        self.system = system
        self.messages = []

    def _with_stops(self):
        stops = tuple(dict.fromkeys((*self.params.stop_token_ids, *self.template.stop_ids)))
        self.params = dataclasses.replace(self.params, stop_token_ids=stops)

    @staticmethod
    def _print(text):
        sys.stdout.write(text)
        sys.stdout.flush()

    def run(self):
        """Reads lines and answers them until the input ends."""
        if self.read is not input or sys.stdin.isatty():
            self._write("/help lists the commands.\n")
        while True:
            try:
                line = self._line()
            except EOFError:
                self._write("\n")
                return
            except KeyboardInterrupt:
                self._write("\n")
                continue
            if line.startswith("/"):
                if not self._command(line):
                    return
            elif line.strip():
                self._say(line)

    def _line(self):
        lines = [self.read("> ")]
        while lines[-1].endswith("\\"):
            lines[-1] = lines[-1][:-1]
            lines.append(self.read(". "))
        return "\n".join(lines)

    def _command(self, line):
        """Does what a line with a slash says; whether to go on."""
        name, _, rest = line.partition(" ")
        if name in ("/exit", "/quit"):
            return False
        if name == "/reset":
            self.messages = []
        elif name == "/system":
            self.messages, self.system = [], rest.strip() or None
        elif name == "/help":
            self._write(HELP + "\n")
        else:
            self._write(f"there is no {name}; /help lists the commands.\n")
        return True

    def _say(self, text):
        system = [{"role": "system", "content": self.system}] if self.system else []
        said = [*self.messages, {"role": "user", "content": text}]
        try:
            ids = self.template.encode(system + said)
            answer = self._answer(ids)
        except (ValueError, RuntimeError) as error:
            self._write(f"{error}\n")
            if self.messages:
                self._write("/reset begins anew.\n")
            return
        self.messages = [*said, {"role": "assistant", "content": answer}]

    def _answer(self, ids):
        """Writes the answer as it comes, and gives it; Ctrl-C ends it."""
        pieces = queue.SimpleQueue()
        request = self.engine.submit(ids, self.params, pieces.put)
        texts, finish = [], None
        with _on_interrupt(request.cancel):
            while finish is None:
                piece = pieces.get()
                texts.append(piece.text)
                self._write(piece.text)
                finish = piece.finish
        self._write({"cancelled": " [stopped]\n", "length": " [the limit of tokens is reached]\n"}.get(finish, "\n"))
        if finish == "error":
            raise RuntimeError(f"the model failed: {piece.error}")
        return "".join(texts)


@contextlib.contextmanager
def _on_interrupt(action):
    """Has Ctrl-C do this, instead of raising where the program happens to be."""
    if threading.current_thread() is not threading.main_thread():
        yield  # signals are another thread's
        return
    before = signal.signal(signal.SIGINT, lambda *_: action())
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
