# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What `make bench` runs: the limits of this machine, then every case of ours, as one table.

    python tests/bench/run.py [--case NAMES] [--rounds 5] [--peer torch=/path/to/python] [--clock cpu]

Needs no other framework. With --peer NAME=PYTHON[:FRAMEWORK] each case runs under the peers too,
interleaved round by round, and ratios are shown (above 1: ours is better).
"""

import argparse
import os
import statistics
import subprocess
import sys

from bench import CASES, HERE, append_records, run_case
from limits import native
from side_by_side import table


def text(value):
    return f"{value:.4g}" if abs(value) < 1e4 else f"{value:.0f}"


def copy_limits(threads):
    """The two copy rates that row_ops is held against, by size label."""
    rates = {record["metric"]: record["value"] for record in native(threads)}
    return {"32MiB": rates["copy_32MiB"], "1GiB": rates["copy_1GiB_streaming"]}


def collect(case, threads, rounds, limit):
    """Records by metric, and what failed. Those of row_ops get their part of the copy rate of the same round."""
    found, wrong = {}, []
    for _ in range(rounds):
        rates = copy_limits(threads) if case == "row_ops" else {}
        for record in run_case(case, "paddle", threads, limit=limit):
            if "error" in record:
                wrong.append(f"{case}, {threads} threads: {record['error']}")
            elif "metric" in record:
                rate = rates.get(record["metric"].rpartition("_")[2])
                if rate:
                    record["of_limit"] = record["value"] / rate
                found.setdefault(record["metric"], []).append(record)
    return found, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--case", default=",".join(CASES), help="names joined by commas")
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=PYTHON[:FRAMEWORK]")
    parser.add_argument("--threads", default="1,2", help="thread counts joined by commas")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--limit", type=float, default=300, help="seconds per case and round")
    parser.add_argument("--clock", choices=("wall", "cpu"), default="wall")
    parser.add_argument("--out", help="JSON file; records are appended to the list in it")
    options = parser.parse_args()
    os.environ["BENCH_CLOCK"] = options.clock
    if options.peer:
        command = [
            sys.executable,
            os.path.join(HERE, "side_by_side.py"),
            "--case",
            options.case,
            "--ours",
            sys.executable,
            "--rounds",
            str(options.rounds),
        ]
        for peer in options.peer:
            command += ["--peer", peer]
        status = 0
        for threads in options.threads.split(","):
            print(f"\n{threads} thread(s)", flush=True)
            status |= subprocess.run(command + ["--threads", threads], check=False).returncode
        return status
    rows, failures, everything = [("case", "threads", "metric", "median", "unit", "of the limit")], [], []
    cases = options.case.split(",")
    for threads in map(int, options.threads.split(",")):
        for case in cases:
            if case == "op_overhead" and threads != 1:
                continue
            found, wrong = collect(case, threads, options.rounds, options.limit)
            failures += wrong
            for metric, records in found.items():
                value = statistics.median(record["value"] for record in records)
                parts = [record["of_limit"] for record in records if "of_limit" in record]
                part = f"{statistics.median(parts):.0%}" if parts else ""
                rows.append((case, threads, metric, text(value), records[0]["unit"], part))
                everything += records
    table(rows)
    if options.out:
        append_records(options.out, everything)
    for line in failures:
        print("FAILED " + line)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
