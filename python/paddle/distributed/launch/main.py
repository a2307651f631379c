# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The launcher: a child process with the environment of rank 0, whose output goes on and into a log file."""

import argparse
import os
import socket
import subprocess
import sys

# Settings of several machines, of parameter servers and of restarts: a job of one process has no use for them.
_UNUSED = (
    "legacy log_level log_overwrite sort_ip enable_gpu_log auto_parallel_config auto_cluster_config auto_tuner_json "
    "gloo_port with_gloo max_restart elastic_level elastic_timeout"
).split()
_SERVERS = ("servers", "trainers", "trainer_num", "server_num")


def _parser():
    made = argparse.ArgumentParser(prog="python -m paddle.distributed.launch", description=__doc__)
    made.add_argument("--devices", "--gpus", "--npus", "--xpus", help="one device at most; the script runs on the CPU")
    made.add_argument("--nproc_per_node", type=int, default=1, help="number of processes; 1")
    made.add_argument("--nnodes", default="1", help="number of machines; 1")
    made.add_argument("--rank", type=int, default=-1, help="number of this machine; 0")
    made.add_argument("--master", help="address of the job, host:port")
    made.add_argument("--ips", help="addresses of the machines; one")
    made.add_argument("--host", default="127.0.0.1", help="address of this machine")
    made.add_argument("--start_port", type=int, help="port of the process")
    made.add_argument("--log_dir", default="log", help="folder of the log files")
    made.add_argument("--run_mode", default="collective", help="collective")
    made.add_argument("--job_id", default="default", help="name of the job")
    for name in (*_UNUSED, *_SERVERS):
        made.add_argument(f"--{name}", help=argparse.SUPPRESS)
    made.add_argument("training_script", help="the script; its arguments follow")
    made.add_argument("training_script_args", nargs=argparse.REMAINDER, help="arguments of the script")
    return made


def _refuse_several(options):
    devices = len((options.devices or "0").split(","))
    machines = len((options.ips or "").split(","))
    nodes = max(int(n) for n in options.nnodes.split(":"))
    if max(devices, machines, nodes, options.nproc_per_node) > 1:
        raise NotImplementedError(
            f"launch: {options.nproc_per_node} processes, {devices} devices and {max(nodes, machines)} machines are asked "
            "for; this build has no communication between processes, so ask for one of each."
        )
    if options.run_mode != "collective" or any(getattr(options, name) for name in _SERVERS):
        raise NotImplementedError("launch: this build has no parameter servers; leave run_mode 'collective'.")


def _free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def _environment(options):
    endpoint = f"{options.host}:{options.start_port or _free_port()}"
    return {
        **os.environ,
        "PADDLE_MASTER": options.master or endpoint,
        "PADDLE_GLOBAL_SIZE": "1",
        "PADDLE_LOCAL_SIZE": "1",
        "PADDLE_GLOBAL_RANK": "0",
        "PADDLE_LOCAL_RANK": "0",
        "PADDLE_NNODES": "1",
        "PADDLE_CURRENT_ENDPOINT": endpoint,
        "PADDLE_TRAINER_ID": "0",
        "PADDLE_TRAINERS_NUM": "1",
        "PADDLE_RANK_IN_NODE": "0",
        "PADDLE_TRAINER_ENDPOINTS": endpoint,
        "PADDLE_JOB_ID": options.job_id,
        "PADDLE_LOG_DIR": os.path.abspath(options.log_dir),
    }


def launch():
    """Run the script that the command line names, and end with its exit status.

    `python -m paddle.distributed.launch [options] script.py [arguments]`; the output goes into `log/workerlog.0` too.

    Raises:
        NotImplementedError: More than one process, device or machine is asked for, or parameter servers.
        SystemExit: The script has ended.
    """
    options = _parser().parse_args()
    _refuse_several(options)
    command = [options.training_script, *options.training_script_args]
    if options.training_script.endswith(".py"):
        command = [sys.executable, "-u", *command]
    os.makedirs(options.log_dir, exist_ok=True)
    path = os.path.join(options.log_dir, "workerlog.0")
    with (
        open(path, "wb") as log,
        subprocess.Popen(
            command, env=_environment(options), stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        ) as process,
    ):
        for line in process.stdout:
            log.write(line)
            sys.stdout.buffer.write(line)
            sys.stdout.buffer.flush()
    status = process.returncode
    if status:
        print(f"launch: {' '.join(command)} ended with {status}; its output is in {path}.", file=sys.stderr)
    sys.exit(status if status >= 0 else 128 - status)
