# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Run benchmark cases under one framework; print one JSON line per metric.

    python bench.py --case mlp_train,row_ops --framework paddle --threads 2 --out out.json

Run it with the interpreter whose site-packages hold the framework.  Every case runs in a child
process of its own (fresh thread pools, fresh peak RSS, a time limit), so one failing case does
not take the others with it: it gives a line with "error" instead of "value".

Frameworks: paddle (eager), paddle-static (paddle.jit.to_static), torch (eager),
torch-compile, numpy, onnxruntime, openvino (saved models).  "paddle" is whatever package imports under that name.
"""

import argparse
import datetime
import importlib
import json
import os
import subprocess
import sys
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
FRAMEWORKS = (
    "paddle",
    "paddle-static",
    "paddle-engine",
    "torch",
    "torch-compile",
    "numpy",
    "onnxruntime",
    "openvino",
    "llama-cpp",
)
CASES = (
    "op_overhead",
    "mlp_train",
    "llama_small_train",
    "llama_decode",
    "captured_train",
    "fused_ops",
    "compiled_ops",
    "eager_calls",
    "row_ops",
    "capture_depth",
    "replay_overhead",
    "cache_write",
    "mean_error",
    "resnet50_infer",
    "resnet18_train",
    "bert_base_infer",
    "resnet50_predict",
    "bert_predict",
    "ocr_predict",
    "predict_start",
    "conv_lstm_misc",
    "fno2d_train",
    "pinn_plate",
    "scaling",
    "dataloader",
    "shared_cores",
)


def run_here(case, framework, threads):
    """Child side: run one case in this process."""
    from harness import Bench  # needs numpy; the parent side needs only the standard library

    module = importlib.import_module(f"cases.{case}")
    # A compiled framework runs the same code; the engine and llama.cpp have their own in the cases of language models.
    compiled = framework in ("paddle-static", "torch-compile")
    name = framework.split("-")[0] if compiled else framework.replace("-", "_")
    function = getattr(module, "run_" + name, None)
    if function is None:
        return
    bench = Bench(case, framework, threads)
    try:
        function(bench)
    except Exception as error:
        traceback.print_exc()
        bench.emit(error=f"{type(error).__name__}: {error}"[:500])


def run_case(case, framework, threads, python=sys.executable, limit=120, label=None):
    """Parent side: run one case in a child process and return its records."""
    environment = dict(
        os.environ,
        OMP_NUM_THREADS=str(threads),
        MKL_NUM_THREADS=str(threads),
        OPENBLAS_NUM_THREADS=str(threads),
        FLAGS_paddle_num_threads=str(threads),
        CUDA_VISIBLE_DEVICES="",
        TORCHINDUCTOR_FORCE_DISABLE_CACHES="1",
        GLOG_v="0",
    )
    pin = os.environ.get("BENCH_CLOCK") != "cpu"  # on a busy machine the kernel places it better
    if pin and threads < os.cpu_count() and hasattr(os, "sched_setaffinity"):
        prefix = ["taskset", "-c", ",".join(map(str, range(threads)))]
    else:
        prefix = []
    command = prefix + [
        python,
        os.path.join(HERE, "bench.py"),
        "--child",
        "--case",
        case,
        "--framework",
        framework,
        "--threads",
        str(threads),
    ]
    records, failure = [], None
    try:
        done = subprocess.run(command, env=environment, cwd=HERE, timeout=limit, capture_output=True, text=True)
        output, errors = done.stdout, done.stderr
        if done.returncode:
            failure = f"exit status {done.returncode}: " + errors.strip()[-400:]
    except subprocess.TimeoutExpired as late:
        output, errors = ((part or b"").decode(errors="replace") for part in (late.stdout, late.stderr))
        failure = f"stopped at the limit of {limit} s"
    for line in output.splitlines():
        if line.startswith('{"case"'):
            records.append(json.loads(line))
    if failure:
        records.append({"case": case, "framework": framework, "threads": threads, "error": failure})
    if any("error" in record for record in records):
        sys.stderr.write(errors[-3000:] + "\n")
    for record in records:
        record["peer"] = label or framework
        record["date"] = datetime.date.today().isoformat()
    return records


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--case", required=True, help="names joined by commas, or 'all'")
    parser.add_argument("--framework", required=True, choices=FRAMEWORKS)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--limit", type=float, default=120, help="seconds per case")
    parser.add_argument("--out", help="JSON file; records are appended to the list in it")
    parser.add_argument(
        "--clock",
        choices=("wall", "cpu"),
        default="wall",
        help="cpu: processor time of the process; for a busy machine, with --threads 1",
    )
    parser.add_argument(
        "--check-only", action="store_true", help="only the checksums, no timing: is the work the same?"
    )
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    cases = CASES if options.case == "all" else options.case.split(",")
    if options.check_only:
        os.environ["BENCH_CHECK_ONLY"] = "1"
    if not options.child:
        os.environ["BENCH_CLOCK"] = options.clock
    if options.child:
        for case in cases:
            run_here(case, options.framework, options.threads)
        return
    records = []
    for case in cases:
        for record in run_case(case, options.framework, options.threads, limit=options.limit):
            records.append(record)
            print(json.dumps(record), flush=True)
    if options.out:
        append_records(options.out, records)


def append_records(path, records):
    earlier = []
    if os.path.exists(path):
        with open(path) as file:
            earlier = json.load(file)
    with open(path, "w") as file:
        json.dump(earlier + records, file, indent=1)


if __name__ == "__main__":
    main()
