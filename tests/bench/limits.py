# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Physical limits of this machine, as JSON records like those of bench.py (framework "limits").

    python limits.py --threads 2 --out out.json [--gemm numpy=PY --gemm torch=PY --gemm paddle=PY]

limits.c measures the multiply-add rate and memory bandwidth (best of many); --gemm adds the
2048^3 matrix product of a library, run with the named interpreter.
"""

import argparse
import json
import os
import subprocess
import tempfile

from bench import HERE, append_records

SIZE = 2048
GEMM = {
    "numpy": "import numpy as np; a = np.random.rand(N, N).astype('float32'); f = lambda: a @ a",
    "torch": "import torch; torch.set_num_threads(T); a = torch.rand(N, N); f = lambda: a @ a",
    "torch_bf16": "import torch; torch.set_num_threads(T); a = torch.rand(N, N).bfloat16(); f = lambda: a @ a",
    "paddle": "import paddle; a = paddle.rand([N, N]); f = lambda: paddle.matmul(a, a)",
    "paddle_bf16": "import paddle; a = paddle.rand([N, N]).astype('bfloat16'); f = lambda: paddle.matmul(a, a)",
}
TIMER = """
import statistics, time
now = time.process_time if T == 1 else time.perf_counter  # a busy machine does not disturb the first
for _ in range(2): f()
out, start = [], now()
while len(out) < 3 or (len(out) < 40 and now() - start < 2):
    begin = now(); f(); out.append(2 * N**3 / (now() - begin) / 1e9)
print('RESULT', statistics.median(out), min(out), max(out), len(out))
"""


def native(threads):
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "limits")
        subprocess.run(
            ["gcc", "-O3", "-march=native", "-fopenmp", os.path.join(HERE, "limits.c"), "-o", program], check=True
        )
        out = subprocess.run([program, str(threads), "0.5"], capture_output=True, text=True, check=True)
    for line in out.stdout.splitlines():
        name, value = line.split()
        yield {"metric": name, "unit": "GFLOP/s" if name.startswith("fma") else "GB/s", "value": float(value)}


def gemm(name, python, threads):
    environment = dict(
        os.environ,
        CUDA_VISIBLE_DEVICES="",
        **{
            k: str(threads)
            for k in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "FLAGS_paddle_num_threads")
        },
    )
    code = f"N, T = {SIZE}, {threads}\n{GEMM[name]}\n{TIMER}"
    command = [python, "-c", code]
    record = {"metric": f"gemm_{SIZE}.{name}", "unit": "GFLOP/s"}
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=90)
        figures = [l for l in done.stdout.splitlines() if l.startswith("RESULT")]
        if not figures:
            return dict(record, error=done.stderr.strip()[-300:])
        value, low, high, count = map(float, figures[0].split()[1:])
        return dict(record, value=value, min=low, max=high, repeats=int(count))
    except subprocess.TimeoutExpired:
        return dict(record, error="stopped at 90 s")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--gemm", action="append", default=[], metavar="LIBRARY=PYTHON")
    parser.add_argument("--out")
    options = parser.parse_args()
    records = []

    def keep(record):
        record.update(case="limits", framework="limits", peer="limits", threads=options.threads)
        records.append(record)
        print(json.dumps(record), flush=True)

    for record in native(options.threads):
        keep(record)
    for pair in options.gemm:
        name, python = pair.split("=", 1)
        for library in (name, name + "_bf16"):
            if library in GEMM:
                keep(gemm(library, python, options.threads))
    if options.out:
        append_records(options.out, records)


if __name__ == "__main__":
    main()
