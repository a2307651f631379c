# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The barrier between processes of the host alone. It needs two processes, which this build does not have."""


def gloo_init_parallel_env(rank_id, rank_num, server_endpoint):
    """Join the processes of a job.

    Args:
        rank_id: Number of this process.
        rank_num: Number of processes; at least 2.
        server_endpoint: Address of the job, host:port.

    Raises:
        AssertionError: rank_num is less than 2.
        NotImplementedError: It is not: this build has no communication between processes.
    """
    assert rank_num >= 2, f"gloo_init_parallel_env: rank_num is {rank_num}; it must be at least 2."
    raise NotImplementedError("gloo_init_parallel_env: this build has no communication between processes.")


def gloo_barrier():
    """Wait for the processes that `gloo_init_parallel_env` joined.

    Raises:
        AssertionError: There are none.
    """
    raise AssertionError("gloo_barrier: no processes are joined; call gloo_init_parallel_env first.")


def gloo_release():
    """Leave the processes that `gloo_init_parallel_env` joined; there are none to leave."""
