# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Running a part of the suite in a process of its own, which may crash or hang."""

import signal
import subprocess
import sys


def ended(code):
    """How a process that did not finish its work ended."""
    if code >= 0:
        return f"the process ended with code {code}"
    try:
        return f"the process ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"the process ended by signal {-code}"


def output_of(arguments, timeout, environment=None):
    """Run Python with arguments.

    Returns:
        Lines of standard output, and None or why it did not finish; what the crash handler said is part of that.
    """
    command = [sys.executable, *arguments]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=timeout, env=environment
        )
    except subprocess.TimeoutExpired as expired:
        text = expired.stdout or b""
        text = text.decode(errors="replace") if isinstance(text, bytes) else text
        return text.splitlines(), f"it did not end within {timeout} s"
    why = None
    if done.returncode != 0:
        told = [line for line in done.stderr.splitlines() if line.startswith("paddle: the process ends")]
        last = done.stderr.strip().splitlines()[-1:] if done.returncode > 0 else []
        why = "; ".join([ended(done.returncode), *(told or last)])
    return done.stdout.splitlines(), why
