# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The barrier between processes of the host alone, beside the groups of a job."""

import contextlib

from ..transport.store import TCPStore


class _Joined:
    """The processes that were joined, and how often they met."""

    store, size, meetings = None, 0, 0


def gloo_init_parallel_env(rank_id, rank_num, server_endpoint):
    """Join the processes of a job.

    Args:
        rank_id: Number of this process; 0 serves the others.
        rank_num: Number of processes; at least 2.
        server_endpoint: Address of the job, host:port.

    Raises:
        AssertionError: rank_num is less than 2.
        RuntimeError: Process 0 does not answer.
    """
    assert rank_num >= 2, f"gloo_init_parallel_env: rank_num has value {rank_num}; it must be at least 2."
    host, _, port = server_endpoint.rpartition(":")
    _Joined.store = TCPStore(host, int(port), rank_id == 0, rank_num)
    _Joined.size, _Joined.meetings = rank_num, 0
    gloo_barrier()


def gloo_barrier():
    """Wait for the processes that `gloo_init_parallel_env` joined.

    Raises:
        AssertionError: There are none.
    """
    assert _Joined.store is not None, "gloo_barrier: no processes are joined; call gloo_init_parallel_env first."
    _Joined.meetings += 1
    if _Joined.store.add(f"came to {_Joined.meetings}", 1) == _Joined.size:
        _Joined.store.set(f"all came to {_Joined.meetings}", "")
    _Joined.store.wait(f"all came to {_Joined.meetings}")


def gloo_release():
    """Leave the processes that `gloo_init_parallel_env` joined, if any; process 0 leaves last."""
    store, _Joined.store = _Joined.store, None
    if store is None:
        return
    if store.serves:
        store.wait("all left")
    else:
        with contextlib.suppress(RuntimeError):  # Process 0 may be gone before it has answered the last word.
            if store.add("left", 1) == _Joined.size - 1:
                store.set("all left", "")
    store.close()
