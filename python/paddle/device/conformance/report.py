# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Examining a plugin, and what is said of it: two grades apart, and every case."""

from . import coverage, runtime

GRADES = ("bronze", "silver", "gold")
OUTCOMES = ("passed", "copied", "failed", "absent")


def grade(cases):
    """The best grade of which every case, and those of lower grades, passed; 'none' when there is none.

    Args:
        cases: (grade that needs it, outcome) of each.
    """
    best = "none"
    for name in GRADES:
        outcomes = [outcome for needs, outcome in cases if needs == name]
        if not outcomes or any(outcome != "passed" for outcome in outcomes):
            break
        best = name
    return best


def examine(path, operators=(), parts=("runtime", "coverage"), tell=None):
    """Run the suite on a plugin.

    Args:
        path: Of its library.
        operators: Names of the operators whose rows are run; none for all. With some, coverage is never gold.
        parts: Of 'runtime' and 'coverage', those that are run.
        tell: Called with a text while it goes on.

    Returns:
        The report, a dict: `runtime` and `coverage`, the grades (None for a part that was not run), `cases`,
        `operators`, `figures`.
    """
    report = {"runtime": None, "coverage": None, "library": path, "figures": {}, "cases": [], "operators": []}

    def add(name, needs, what, outcome, why):
        report["cases"].append({"case": name, "grade": needs, "says": what, "outcome": outcome, "why": why})
        if tell:
            tell(f"{outcome:<7} {name}" + (f": {why}" if why else ""))

    if "runtime" in parts:
        for name, needs, what in runtime.cases():
            outcome, why, figures = runtime.run_case(path, name)
            report["figures"].update(figures)
            add(name, needs, what, outcome, why)
        report["runtime"] = grade([(c["grade"], c["outcome"]) for c in report["cases"]])
    if "coverage" in parts:
        _cover(path, operators, report, add, tell)
    return report


def _cover(path, operators, report, add, tell):
    before = len(report["cases"])
    for name, needs in coverage.TRAININGS:
        outcome, why = coverage.training(path, name)
        add(f"training/{name}", needs, f"trains {name} as the CPU does", outcome, why)
    if tell:
        tell("the operator table ...")
    report["operators"] = coverage.rows(path, operators)
    failed = [row for row in report["operators"] if row["outcome"] == "failed"]
    copied = [row for row in report["operators"] if row["outcome"] == "copied"]
    outcome = "failed" if failed else "copied" if copied or operators else "passed"
    text = f"{len(report['operators'])} rows, {len(copied)} copied, {len(failed)} failed"
    add("operators/table", "gold", "runs every row of the operator table", outcome, text)
    for row in failed:
        add(f"operators/{row['case']}-{row['dtype']}", "bronze", "gives the values of the table", "failed", row["why"])
    report["figures"].update(coverage.latency(path))
    report["coverage"] = grade([(c["grade"], c["outcome"]) for c in report["cases"][before:]])


def table(report):
    """The report as text."""
    lines = [f"runtime   {report['runtime'] or 'not run'}", f"coverage  {report['coverage'] or 'not run'}", ""]
    width = max((len(c["case"]) for c in report["cases"]), default=0)
    for case in report["cases"]:
        why = f"  {case['why']}" if case["why"] else ""
        lines.append(f"{case['outcome']:<7} {case['grade']:<7} {case['case']:<{width}}{why}")
    if report["operators"]:
        counts = {}
        for row in report["operators"]:
            counts[row["how"]] = counts.get(row["how"], 0) + 1
        lines += ["", "operators  " + ", ".join(f"{count} rows {how}" for how, count in sorted(counts.items()))]
    for name, value in sorted(report["figures"].items()):
        lines.append(f"figure     {name} = {value:.4g}")
    return "\n".join(lines)
