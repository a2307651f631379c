# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The cases about run time: those of libpaddle_conformance, which calls the plugin without the framework."""

import os

from .processes import output_of

LIBRARY = os.path.join(os.path.dirname(__file__), "..", "..", "libs", "libpaddle_conformance.so")
_LIST = "import ctypes, sys; ctypes.CDLL(sys.argv[1]).conformance_list()"
_RUN = "import ctypes, sys; ctypes.CDLL(sys.argv[1]).conformance_run(sys.argv[2].encode(), sys.argv[3].encode())"
TIMEOUT = 60  # seconds a case


def cases():
    """(name, grade that needs it, what it says) of each case."""
    lines, why = output_of(["-c", _LIST, os.path.realpath(LIBRARY)], TIMEOUT)
    if why:
        raise RuntimeError(f"conformance: {LIBRARY} cannot be used: {why}.")
    return [tuple(line.split("\t")) for line in lines]


def run_case(path, name, timeout=TIMEOUT):
    """Run one case on the plugin at a path.

    Returns:
        (outcome, why, figures): 'passed', 'failed' or 'absent' (the plugin lacks the group), a text, a dict of numbers.
    """
    lines, why = output_of(["-c", _RUN, os.path.realpath(LIBRARY), path, name], timeout)
    figures = {parts[1]: float(parts[2]) for parts in (line.split("\t") for line in lines) if parts[0] == "figure"}
    outcomes = [line.partition("\t") for line in lines if line.partition("\t")[0] in ("passed", "failed", "absent")]
    if why or not outcomes:
        return "failed", why or "it said nothing", figures
    outcome, _, text = outcomes[-1]
    return outcome, text, figures
