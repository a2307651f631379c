# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Compare builds or frameworks in one sitting: interleaved rounds A B C A B C ..., then a table.

    python side_by_side.py --case mlp_train,op_overhead --threads 2 --rounds 3 \\
        --peer paddle=$PEERS/paddle/bin/python --peer torch=$PEERS/torch/bin/python \\
        --ours /path/to/our/python

A peer is NAME=PYTHON or NAME=PYTHON:FRAMEWORK; without FRAMEWORK the name must be one
(paddle, paddle-static, torch, torch-compile, numpy).  --ours runs as "paddle" (eager);
--ours-static adds it as "paddle-static".  The machine's speed drifts, so a ratio is taken inside
each round and the median of the rounds is shown.  A ratio above 1 means: ours is better.
Checksums are compared too; a difference above --tolerance is reported and makes the exit status 1.
Any Python 3 can run this file; it needs only the standard library.
"""

import argparse
import statistics
import sys

from bench import CASES, FRAMEWORKS, append_records, run_case

HIGHER_IS_BETTER = ("steps/s", "tokens/s", "images/s", "GB/s", "GFLOP/s")


def parse_peer(text):
    name, _, rest = text.partition("=")
    python, _, framework = rest.partition(":")
    framework = framework or name
    if framework not in FRAMEWORKS:
        raise SystemExit(f"--peer {text}: say which framework, NAME=PYTHON:FRAMEWORK")
    return name, python, framework


def better(record, other):
    """How many times better the first value is than the second."""
    ratio = record["value"] / other["value"]
    return ratio if record["unit"] in HIGHER_IS_BETTER else 1 / ratio


def table(rows):
    widths = [max(len(str(row[i])) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        print("  ".join(str(cell).ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--case", required=True, help="names joined by commas, or 'all'")
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=PYTHON[:FRAMEWORK]")
    parser.add_argument("--ours", metavar="PYTHON")
    parser.add_argument("--ours-static", metavar="PYTHON")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--limit", type=float, default=120, help="seconds per case and round")
    parser.add_argument("--tolerance", type=float, default=1e-3, help="relative, for checksums")
    parser.add_argument("--out", help="JSON file to append all records to")
    options = parser.parse_args()
    runners = [parse_peer(text) for text in options.peer]
    if options.ours:
        runners.insert(0, ("ours", options.ours, "paddle"))
    if options.ours_static:
        runners.insert(1 if options.ours else 0, ("ours-static", options.ours_static, "paddle-static"))
    if len(runners) < 2:
        parser.error("two or more runners are needed")
    names = [name for name, _, _ in runners]
    base = names[0]
    rows = [["case", "metric", "unit"] + names + [f"{base} vs {name}" for name in names[1:]]]
    wrong, everything = [], []
    for case in CASES if options.case == "all" else options.case.split(","):
        seen = {}  # (kind, name of metric or check) -> round -> runner -> record
        for turn in range(options.rounds):
            for name, python, framework in runners:
                records = run_case(case, framework, options.threads, python, options.limit, label=name)
                for record in records:
                    record["round"] = turn
                    if "error" in record:
                        wrong.append(f"{case}: {name}: {record['error'][:200]}")
                        continue
                    kind = "metric" if "metric" in record else "check"
                    rounds = seen.setdefault((kind, record[kind]), {})
                    rounds.setdefault(turn, {})[name] = record
                everything += records
        for (kind, key), rounds in seen.items():
            if kind == "check":
                for turn in rounds.values():
                    values = {name: record["value"] for name, record in turn.items()}
                    middle = statistics.median(values.values())
                    for name, value in values.items():
                        if abs(value - middle) > options.tolerance * max(abs(middle), 1e-12):
                            wrong.append(f"{case}: {key}: {name} has {value}, the median is {middle}")
                continue
            unit = next(iter(next(iter(rounds.values())).values()))["unit"]
            row = [case, key, unit]
            for name in names:
                values = [turn[name]["value"] for turn in rounds.values() if name in turn]
                row.append(f"{statistics.median(values):.4g}" if values else "-")
            for name in names[1:]:
                ratios = [better(turn[base], turn[name]) for turn in rounds.values() if base in turn and name in turn]
                row.append(f"{statistics.median(ratios):.2f} ({min(ratios):.2f}-{max(ratios):.2f})" if ratios else "-")
            rows.append(row)
    table(rows)
    if options.out:
        append_records(options.out, everything)
    for line in dict.fromkeys(wrong):
        print("WRONG " + line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
