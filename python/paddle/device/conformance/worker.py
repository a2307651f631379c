# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The process that runs operators on the device: `python -m paddle.device.conformance.worker LIBRARY WHAT FIRST [OP ...]`.

It prints a line of JSON before and after each row of the operator table from the one with number FIRST on, so that the
one who reads knows where it ended.
"""

import importlib
import json
import os
import sys
import time
import warnings

from . import special

# In the wheel the operator table lies beside this file, in the tree where the tests are.
_TABLES = (os.path.join(os.path.dirname(__file__), "table"), os.path.join(os.path.dirname(__file__), *[".."] * 4))
PASSED = {"outcome": "passed", "how": "native", "why": ""}
_NOT_COMPARED = {"copy_to"}  # on the host by its meaning


def operator_table():
    """(rows, the functions that run them) of tests/op_cases."""
    for folder in _TABLES:
        if os.path.isdir(os.path.join(folder, "tests", "op_cases")):
            sys.path.insert(0, os.path.realpath(folder))
            return (
                importlib.import_module("tests.op_cases").all_cases(),
                importlib.import_module("tests.op_cases._running"),
            )
    raise ImportError("conformance: the operator table is in none of " + ", ".join(map(os.path.realpath, _TABLES)))


def say(**line):
    """Print a line."""
    print(json.dumps(line), flush=True)


class Counted:
    """Context manager: whether the device ran all by itself inside."""

    def __enter__(self):
        from ... import _core

        self._core, self._before = _core, _core.host_copies()
        return self

    def __exit__(self, exc_type, exc_value, traceback):
        self.copies = self._core.host_copies() - self._before
        return False


def run_row(case, running, dtype, place):
    """How a row went: a dict with the outcome, how it ran, and why it failed."""
    import paddle

    case = running.on_device(case, dtype)
    copies = 0
    try:
        for strided in (False, True) if "strided" in case.modes else (False,):
            paddle.set_device("cpu")
            tensors, values = running.bind(case.args(running.seeded()), dtype)
            tensors = {name: there(value, place) for name, value in tensors.items()}
            paddle.set_device(place)
            if strided:
                tensors = {name: of_other_strides(value, running) for name, value in tensors.items()}
            with Counted() as counted:
                outs = running.run(case, tensors)
            copies += counted.copies
            running.compare(case, outs, values, dtype)
    except Exception as error:
        text = " ".join(str(error).split())[:300]
        return {"outcome": "failed", "how": "failed", "why": f"{type(error).__name__}: {text}"}
    finally:
        paddle.set_device("cpu")
    if copies:
        return {"outcome": "copied", "how": "copied", "why": ""}
    return {**PASSED, "how": how(case.op, dtype, place)}


def there(value, place):
    """An argument with its tensors on the device."""
    if isinstance(value, list | tuple):
        return type(value)(there(v, place) for v in value)
    return value.to(place) if hasattr(value, "to") else value


def of_other_strides(value, running):
    """Tensors, in lists as well, in memory of other strides."""
    return [running.strided(v) for v in value] if isinstance(value, list) else running.strided(value)


_SUPPORT = {}


def how(op, dtype, place):
    """Whether a call that copied nothing ran by a kernel of its own."""
    from ..support import support

    if not _SUPPORT:
        _SUPPORT.update(support(place))
    row = _SUPPORT.get(op, {})
    return row.get(dtype, "decomposed" if "native" not in row.values() else "native")


def run_rows(place, first, only):
    """Run the rows of the table from one on."""
    cases, running = operator_table()
    for number, case in enumerate(cases):
        if number < first or (only and case.op not in only) or case.op in _NOT_COMPARED:
            continue
        for dtype in case.dtypes:
            say(begin=number, op=case.op, case=case.name, dtype=dtype)
            say(end=number, **run_row(case, running, dtype, place))
    for number, (op, dtype) in enumerate(special.operators(place), start=len(cases)):
        if number >= first and (op in only or not only):
            say(begin=number, op=op, case=f"{op}-special values", dtype=dtype)
            say(end=number, **run_special(op, place))
    say(finished=True)


def run_special(op, place):
    """How an operator went on special values: as `run_row`."""
    try:
        with Counted() as counted:
            got = special.results(op, place)
        special.compare(got, special.results(op, "cpu"))
    except Exception as error:
        text = " ".join(str(error).split())[:300]
        return {"outcome": "failed", "how": "failed", "why": f"{type(error).__name__}: {text}"}
    return {"outcome": "copied", "how": "copied", "why": ""} if counted.copies else PASSED


# -- trainings ---------------------------------------------------------------------------------------


def mlp():
    """A network of two layers, its inputs and its labels."""
    import numpy as np

    import paddle

    rng = np.random.default_rng(0)
    model = paddle.nn.Sequential(paddle.nn.Linear(8, 16), paddle.nn.Tanh(), paddle.nn.Linear(16, 1))
    return model, rng.standard_normal((12, 8)).astype("float32"), rng.standard_normal((12, 1)).astype("float32")


def resnet():
    """A ResNet-18 of four classes."""
    import numpy as np

    import paddle

    rng = np.random.default_rng(0)
    model = paddle.vision.models.resnet18(num_classes=4)
    return model, rng.standard_normal((4, 3, 64, 64)).astype("float32"), np.eye(4, dtype="float32")


TRAININGS = {"mlp": (mlp, 4), "resnet18": (resnet, 2)}


def losses(build, steps, place):
    """The losses of a short training on a device, and how often the host helped."""
    import paddle

    paddle.set_device("cpu")
    paddle.seed(7)
    model, inputs, labels = build()
    model.to(place)
    inputs, labels = (paddle.to_tensor(a, place=place) for a in (inputs, labels))
    paddle.set_device(place)
    found, copies = [], 0
    try:
        optimizer = paddle.optimizer.SGD(0.01, parameters=model.parameters())
        for _ in range(steps):
            with Counted() as counted:
                loss = ((model(inputs) - labels) ** 2).mean()
                loss.backward()
                optimizer.step()
                optimizer.clear_grad()
            copies += counted.copies
            found.append(loss.item())
    finally:
        paddle.set_device("cpu")
    return found, copies


def train(name, place):
    """Train on the host and on the device, and compare."""
    build, steps = TRAININGS[name]
    expected, _ = losses(build, steps, "cpu")
    got, copies = losses(build, steps, place)
    close = all(abs(a - b) <= 1e-3 * max(1, abs(b)) for a, b in zip(got, expected, strict=True))
    say(training=name, losses=got, expected=expected, copies=copies, passed=close)


def launch_latency(place):
    """Microseconds of an addition of 64 numbers, issued through the framework, and on the CPU."""
    import paddle

    found = {}
    for key, where in (("add_us", place), ("add_on_cpu_us", "cpu")):
        x = paddle.ones([64], device=where)
        for _ in range(200):
            x + x
        best = float("inf")
        for _ in range(5):
            paddle.device.synchronize(where)
            begin = time.perf_counter()
            for _ in range(1000):
                x + x
            best = min(best, (time.perf_counter() - begin) / 1000)
        found[key] = best * 1e6
    say(figures=found)


def main(arguments):
    """Run what the arguments name."""
    library, what, first, *only = arguments
    warnings.simplefilter("ignore")
    import paddle

    place = paddle.device.load_plugin(library)
    name = f"{place.get_device_type()}:0"
    if what == "operators":
        run_rows(name, int(first), set(only))
    elif what == "latency":
        launch_latency(name)
    else:
        train(what, name)


if __name__ == "__main__":
    main(sys.argv[1:])
