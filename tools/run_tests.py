# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs every check of the project and ends in one line of totals.

Stages: build with C++ tests, CTest, the layer check, pytest, the second device, the operator table on AVX2 kernels, the
format check, the wheel in a fresh environment, the quickstart at 20 steps. A stage that is not counted in tests counts as one. All
stages run, whatever failed before; the exit code is 1 when anything failed.
"""

import argparse
import os
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build"
REPORTS = BUILD / "reports"
FRESH = BUILD / "fresh-venv"


@dataclass
class Outcome:
    stage: str
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    seconds: float = 0.0


def run(command, env=None, cwd=ROOT) -> bool:
    print("+", " ".join(map(str, command)), flush=True)
    environment = {**os.environ, **(env or {})}
    try:
        return subprocess.run([str(c) for c in command], cwd=cwd, env=environment).returncode == 0
    except OSError as error:
        print(f"run_tests: {command[0]} cannot be started: {error}", flush=True)
        return False


def count_junit(stage: str, report: Path, succeeded: bool) -> Outcome:
    """Totals of a JUnit file; a run that broke without a failed test counts as one failure."""
    outcome = Outcome(stage)
    if report.exists():
        for case in ElementTree.parse(report).getroot().iter("testcase"):
            kinds = {child.tag for child in case}
            if kinds & {"failure", "error"}:
                outcome.failed += 1
            elif "skipped" in kinds or case.get("status") in ("disabled", "notrun"):
                outcome.skipped += 1
            else:
                outcome.passed += 1
    if not succeeded and outcome.failed == 0:
        outcome.failed = 1
    return outcome


def single(stage: str, succeeded: bool) -> Outcome:
    return Outcome(stage, passed=int(succeeded), failed=int(not succeeded))


def build() -> Outcome:
    configure = ["cmake", "-S", ".", "-B", BUILD, "-G", "Ninja", "--log-level=WARNING", "-DPADDLE_BUILD_TESTS=ON"]
    return single("build", run(configure) and run(["cmake", "--build", BUILD]))


def ctest() -> Outcome:
    report = REPORTS / "ctest.xml"
    jobs = str(os.cpu_count() or 1)
    command = ["ctest", "--test-dir", BUILD, "-j", jobs, "--output-on-failure", "-Q", "--output-junit", report]
    return count_junit("C++ tests", report, run(command))


def pytest(stage: str, *arguments: str, **environment: str) -> Outcome:
    report = REPORTS / f"{stage.replace(' ', '_')}.xml"
    command = [sys.executable, "-m", "pytest", "-q", f"--junitxml={report}", *arguments]
    return count_junit(stage, report, run(command, env={"PYTHONPATH": str(ROOT / "python"), **environment}))


# What runs again on AVX2 kernels: the operator table, also compiled, and random graphs.
ON_AVX2 = ["tests/test_op_cases.py", "tests/test_op_compiled.py", "tests/python/cinn/test_generated_graphs.py"]
ON_AVX2 += ["tests/python/cinn/test_values.py"]

CHECK_WHEEL = """
import importlib.metadata, os, paddle
assert importlib.metadata.version("paddle-core") == paddle.version.core, "version of package and library differ"
assert "fresh-venv" in paddle.__file__, paddle.__file__
x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
(x * x).sum().backward()
assert x.grad.numpy().tolist() == [2.0, 4.0]
print("wheel:", paddle.__file__)
"""


def wheel() -> Outcome:
    shutil.rmtree(FRESH, ignore_errors=True)
    python = FRESH / "bin" / "python"
    succeeded = run(["tools/build_wheel.sh"]) and run([sys.executable, "-m", "venv", FRESH])
    if succeeded:
        wheels = sorted((ROOT / "dist").glob("*.whl"))
        install = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *wheels]
        install += ["-r", "tools/requirements-examples.txt"]
        succeeded = run(install) and run([python, "-I", "-c", CHECK_WHEEL], cwd=BUILD)
    return single("wheel in a fresh environment", succeeded)


def quickstart() -> Outcome:
    command = [FRESH / "bin" / "python", "examples/quickstart.py", "--steps", "20"]
    return single("quickstart", run(command, env={"PYTHONPATH": ""}))


def summary(outcomes: list[Outcome]) -> str:
    lines = [f"\n{'stage':<32}{'passed':>8}{'failed':>8}{'skipped':>9}{'seconds':>9}"]
    for o in outcomes:
        lines.append(f"{o.stage:<32}{o.passed:>8}{o.failed:>8}{o.skipped:>9}{o.seconds:>9.1f}")
    totals = [sum(getattr(o, field) for o in outcomes) for field in ("passed", "failed", "skipped")]
    lines.append(f"\n{totals[0]} passed, {totals[1]} failed, {totals[2]} skipped")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description="Runs every check of the project.")
    parser.add_argument("--full", action="store_true", help="also the tests marked slow")
    options = parser.parse_args()
    REPORTS.mkdir(parents=True, exist_ok=True)
    for old in REPORTS.glob("*.xml"):
        old.unlink()
    marks = [] if options.full else ["-m", "not slow"]
    stages = [
        build,
        ctest,
        lambda: pytest("layer check", "tests/architecture"),
        lambda: pytest("Python tests", "tests", "--ignore=tests/architecture", "--ignore=tests/device", *marks),
        # A process of its own: device types that are registered stay.
        lambda: pytest("second device", "tests/device", *marks),
        lambda: pytest("operators with AVX2", *ON_AVX2, PADDLE_CPU_ISA="avx2"),
        lambda: single("format check", run([sys.executable, "tools/check_format.py"])),
        wheel,
        quickstart,
    ]
    outcomes = []
    for stage in stages:
        begin = time.monotonic()
        outcomes.append(stage())
        outcomes[-1].seconds = time.monotonic() - begin
    print(summary(outcomes), flush=True)
    return 1 if any(o.failed for o in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
