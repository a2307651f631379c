# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Random fusion graphs, compiled and compared with their programs (tests/python/cinn/graph_check.py).

    python -m tests.fuzz.fusion_graphs --seconds 60        as many as there is time for, from a new seed
    python -m tests.fuzz.fusion_graphs --first 0 --count N  these
    python -m tests.fuzz.fusion_graphs --seed S            one, made smaller where it fails

Ends with 1 when a graph failed; every failing seed is printed with how to run it again.
"""

import argparse
import sys
import time

import paddle

from tests.python.cinn.graph_check import fails, minimised
from tests.python.cinn.graph_generator import generate


def main() -> int:
    parser = argparse.ArgumentParser(description="Runs random fusion graphs through the compiler.")
    parser.add_argument("--seconds", type=float, help="stop after so long")
    parser.add_argument("--first", type=int, help="the first seed; the time of day where it is not given")
    parser.add_argument("--count", type=int, help="stop after so many")
    parser.add_argument("--seed", type=int, help="run this one and make it smaller where it fails")
    options = parser.parse_args()
    if options.seconds is None and options.count is None and options.seed is None:
        parser.error("one of --seconds, --count and --seed is needed")
    paddle.set_flags({"FLAGS_cinn_async": False, "FLAGS_cinn_cache_dir": ""})
    if options.seed is not None:
        program = generate(options.seed)
        print(program, flush=True)
        problem = fails(program)
        print(problem or "passes")
        if problem:
            smaller = minimised(program)
            print(f"\nsmaller:\n{smaller}\n{fails(smaller)}")
        return int(bool(problem))
    seed = options.first if options.first is not None else int(time.time()) * 1000
    end = time.monotonic() + (options.seconds or float("inf"))
    done = failed = 0
    while time.monotonic() < end and done != options.count:
        program = generate(seed)
        # Before it runs: a graph that ends the process is the last line.
        print(f"\rseed {seed}", end="", file=sys.stderr, flush=True)
        if problem := fails(program):
            failed += 1
            print(f"\nseed {seed}: {problem}\n  python -m tests.fuzz.fusion_graphs --seed {seed}", flush=True)
        seed, done = seed + 1, done + 1
    launches = paddle._core.pir.compiler_statistics()["launches"]
    print(f"\n{done} graphs, {failed} failed, {launches} launches of kernels")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
