# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""How many bytes a second the processors read from memory, measured within a second."""

import concurrent.futures
import os
import time

import numpy

BYTES = 128 << 20  # more than caches hold


def measure(threads=None, rounds=2):
    """Bytes a second of reading, the best of some rounds, with a thread a processor (or as many as given)."""
    threads = threads or len(os.sched_getaffinity(0))
    parts = [numpy.zeros(BYTES // threads // 8) for _ in range(threads)]
    best = 0.0
    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        list(pool.map(lambda part: part.fill(1.0), parts))  # fresh pages have no memory of their own
        for _ in range(rounds):
            begin = time.perf_counter()
            list(pool.map(numpy.max, parts))
            best = max(best, sum(part.nbytes for part in parts) / (time.perf_counter() - begin))
    return best
