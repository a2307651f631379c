# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The cases about operators: rows of the operator table, and short trainings, through the framework."""

import json
import os

from .processes import output_of

TRAININGS = (("mlp", "bronze"), ("resnet18", "silver"))
_WORKER = ("-m", "paddle.device.conformance.worker")


def _lines(path, arguments, timeout):
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__)))))
    known = os.environ.get("PYTHONPATH")
    paths = package if known is None else package + os.pathsep + known
    environment = {**os.environ, "PYTHONPATH": paths, "PADDLE_DEVICE_PLUGINS": ""}
    lines, why = output_of([*_WORKER, path, *arguments], timeout, environment)
    return [json.loads(line) for line in lines if line.startswith("{")], why


def rows(path, only=(), timeout=1800):
    """Run the rows of the operator table; where the process ends, the row fails and the next one begins anew.

    Args:
        path: Of the plugin.
        only: Names of operators; none for all.
        timeout: Seconds between two ends of the process.

    Returns:
        A list of dicts: op, case, dtype, outcome ('passed', 'copied', 'failed'), how ('native', 'decomposed',
        'copied', 'failed'), why.
    """
    found, first = [], 0
    while True:
        lines, why = _lines(path, ["operators", str(first), *only], timeout)
        begun = None
        for line in lines:
            if "begin" in line:
                begun = line
            elif "end" in line:
                found.append(
                    {
                        **{k: begun[k] for k in ("op", "case", "dtype")},
                        **{k: line[k] for k in ("outcome", "how", "why")},
                    }
                )
                begun = None
        if any("finished" in line for line in lines):
            return found
        if begun is None:
            raise RuntimeError(f"conformance: the operator table did not run: {why}.")
        found.append(
            {**{k: begun[k] for k in ("op", "case", "dtype")}, "outcome": "failed", "how": "failed", "why": why}
        )
        first = begun["begin"] + 1


def training(path, name, timeout=600):
    """Train on the device and on the CPU: (outcome, why) with 'passed', 'copied' or 'failed'."""
    lines, why = _lines(path, [name, "0"], timeout)
    line = next((line for line in lines if "training" in line), None)
    if line is None:
        return "failed", why or "it said nothing"
    if not line["passed"]:
        return "failed", f"losses {line['losses']}, of the CPU {line['expected']}"
    if line["copies"]:
        return "copied", f"the host helped {line['copies']} times"
    return "passed", ""


def latency(path, timeout=120):
    """Figures of a small operator through the framework; an empty dict when it cannot be run."""
    lines, _ = _lines(path, ["latency", "0"], timeout)
    return next((line["figures"] for line in lines if "figures" in line), {})
