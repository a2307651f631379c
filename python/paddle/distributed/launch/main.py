# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The launcher: starts the processes of a job on this machine, each with the environment of its rank. Output of the
first goes on; that of each goes into a log file of its own."""

import argparse
import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time

from ..spawn import environment_of, free_ports
from ..transport.store import TCPStore

# Settings of parameter servers and of restarts, which a job here has no use for.
_UNUSED = (
    "legacy log_level log_overwrite sort_ip enable_gpu_log auto_parallel_config auto_cluster_config auto_tuner_json "
    "gloo_port with_gloo max_restart elastic_level elastic_timeout"
).split()
_SERVERS = ("servers", "trainers", "trainer_num", "server_num")


def _parser():
    made = argparse.ArgumentParser(prog="python -m paddle.distributed.launch", description=__doc__)
    made.add_argument("--devices", "--gpus", "--npus", "--xpus", help="a process each; they run on the CPU")
    made.add_argument("--nproc_per_node", type=int, help="number of processes on this machine")
    made.add_argument("--nnodes", default="1", help="number of machines")
    made.add_argument("--rank", type=int, default=-1, help="number of this machine")
    made.add_argument("--master", help="host:port at which machine 0 listens; needed by several machines")
    made.add_argument("--ips", help="addresses of the machines, instead of --nnodes, --rank and --master")
    made.add_argument("--host", default="127.0.0.1", help="address of this machine")
    made.add_argument("--start_port", type=int, help="port of the first process; the next ones follow")
    made.add_argument("--log_dir", default="log", help="folder of the log files")
    made.add_argument("--run_mode", default="collective", help="collective")
    made.add_argument("--job_id", default="default", help="name of the job")
    for name in (*_UNUSED, *_SERVERS):
        made.add_argument(f"--{name}", help=argparse.SUPPRESS)
    made.add_argument("training_script", help="the script; its arguments follow")
    made.add_argument("training_script_args", nargs=argparse.REMAINDER, help="arguments of the script")
    return made


def _refuse(options):
    if options.run_mode != "collective" or any(getattr(options, name) for name in _SERVERS):
        raise NotImplementedError("launch: paddle has no parameter servers; leave run_mode 'collective'.")
    if options.ips and "," in options.ips:
        raise NotImplementedError(
            f"launch: --ips names the machines {options.ips}; give --nnodes, --rank and --master host:port instead."
        )


def _place(options):
    """(number of machines, number of this one)."""
    machines = max(int(n) for n in options.nnodes.split(":"))
    if machines == 1:
        return 1, 0
    if not options.master or not 0 <= options.rank < machines:
        raise ValueError(
            f"launch: {machines} machines are asked for; give each --master host:port of machine 0 and its --rank, "
            f"0 to {machines - 1}."
        )
    return machines, options.rank


def _endpoints(options, machines, machine):
    """(addresses of the processes of each machine, the store by which the machines found one another)."""
    devices = len(options.devices.split(",")) if options.devices else 1
    count = options.nproc_per_node or devices
    if count < 1:
        raise ValueError(f"launch: --nproc_per_node has value {count}; it must be at least 1.")
    store, host = None, options.host
    if machines > 1:
        master, _, port = options.master.rpartition(":")
        store = TCPStore(master, int(port), machine == 0, machines)
        host = store.own_host
    first = options.start_port
    ports = range(first, first + count) if first else free_ports(count, host)
    own = [f"{host}:{port}" for port in ports]
    if store is None:
        return [own], None
    store.set(f"{options.job_id}/{machine}", json.dumps(own))
    return [json.loads(store.get(f"{options.job_id}/{m}")) for m in range(machines)], store


def _environment(options, endpoints, machine, place):
    everyone = [one for machine_endpoints in endpoints for one in machine_endpoints]
    rank, count = sum(map(len, endpoints[:machine])) + place, len(endpoints[machine])
    return {
        **os.environ,
        **environment_of(rank, everyone, place, count),
        "PADDLE_GLOBAL_SIZE": str(len(everyone)),
        "PADDLE_LOCAL_SIZE": str(count),
        "PADDLE_GLOBAL_RANK": str(rank),
        "PADDLE_LOCAL_RANK": str(place),
        "PADDLE_NNODES": str(len(endpoints)),
        "PADDLE_JOB_ID": options.job_id,
        "PADDLE_LOG_DIR": os.path.abspath(options.log_dir),
    }


def _copy_output(process, path, shown):
    with open(path, "wb") as log:
        for line in process.stdout:
            log.write(line)
            log.flush()
            if shown:
                sys.stdout.buffer.write(line)
                sys.stdout.buffer.flush()


def _failures(processes):
    """Wait for all; the first that fails ends the others. Number and status of each that failed of itself."""
    try:
        while True:
            states = [p.poll() for p in processes]
            failed = {i: state for i, state in enumerate(states) if state}
            if failed or all(state == 0 for state in states):
                return failed
            time.sleep(0.05)
    finally:
        for process in processes:
            if process.poll() is None:
                process.terminate()
        for process in processes:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(10)
            process.kill()


def _report(rank, status, path, shown):
    """Say how a process ended, with the last lines of what it wrote where they were not shown."""
    reason = f"by signal {-status}" if status < 0 else f"with status {status}"
    print(f"launch: rank {rank} ended {reason}; its output is in {path}.", file=sys.stderr)
    if not shown:
        with open(path, errors="replace") as log:
            print("".join(f"  {line}" for line in log.readlines()[-12:]), end="", file=sys.stderr)


def launch():
    """Run the script that the command line names in the processes of a job, and end with their exit status.

    `python -m paddle.distributed.launch [options] script.py [arguments]`; `--nproc_per_node` or the number of
    `--devices` says how many. The output of the first goes on, that of process r into `log/workerlog.r`.

    Raises:
        NotImplementedError: Parameter servers are asked for.
        ValueError: Several machines are asked for without an address of the job.
        SystemExit: The script has ended.
    """
    options = _parser().parse_args()
    _refuse(options)
    machines, machine = _place(options)
    endpoints, store = _endpoints(options, machines, machine)
    command = [options.training_script, *options.training_script_args]
    if options.training_script.endswith(".py"):
        command = [sys.executable, "-u", *command]
    os.makedirs(options.log_dir, exist_ok=True)
    processes, readers = [], []
    for place in range(len(endpoints[machine])):
        values = _environment(options, endpoints, machine, place)
        process = subprocess.Popen(command, env=values, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        path = os.path.join(options.log_dir, f"workerlog.{values['PADDLE_GLOBAL_RANK']}")
        reader = threading.Thread(target=_copy_output, args=(process, path, place == 0))
        reader.start()
        processes.append(process)
        readers.append(reader)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    failures = _failures(processes)
    for reader in readers:
        reader.join()
    if store is not None:
        store.close()
    for place, status in failures.items():
        rank = sum(map(len, endpoints[:machine])) + place
        _report(rank, status, os.path.join(options.log_dir, f"workerlog.{rank}"), shown=place == 0)
    status = next(iter(failures.values()), 0)
    sys.exit(status if status >= 0 else 128 - status)
