# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Roles of processes in a job."""

from ...parallel import ParallelEnv


class Role:
    """What a process does."""

    WORKER = 1
    SERVER = 2
    HETER_WORKER = 3
    ALL = 4
    COORDINATOR = 5


class PaddleCloudRoleMaker:
    """The role that the launcher's environment gives this process.

    Args:
        is_collective: True: every process is a worker.
    """

    def __init__(self, is_collective=False, **kwargs):
        self._is_collective = is_collective
        self._environment = ParallelEnv()

    def _is_worker(self):
        return True

    def _is_server(self):
        return False

    def to_string(self):
        """The role as text."""
        return (
            f"role: {Role.WORKER if self._is_worker() else Role.SERVER}, current_id: {self._worker_index()}, "
            f"worker_endpoints: {self._get_trainer_endpoints()}, server_endpoints: []"
        )

    def _worker_index(self):
        return self._environment.rank

    def _worker_num(self):
        return self._environment.world_size

    def _get_trainer_endpoints(self):
        return self._environment.trainer_endpoints


class UserDefinedRoleMaker(PaddleCloudRoleMaker):
    """A role that the program gives.

    Args:
        is_collective: True: every process is a worker.
        kwargs: `current_id`, `worker_endpoints`, `worker_num`, `role`.
    """

    def __init__(self, is_collective=False, init_gloo=False, **kwargs):
        super().__init__(is_collective)
        self._rank = int(kwargs.get("current_id", 0))
        self._endpoints = list(kwargs.get("worker_endpoints", []))
        self._size = int(kwargs.get("worker_num", len(self._endpoints) or 1))
        self._role = kwargs.get("role", Role.WORKER)

    def _is_worker(self):
        return self._role == Role.WORKER

    def _is_server(self):
        return self._role == Role.SERVER

    def _worker_index(self):
        return self._rank

    def _worker_num(self):
        return self._size

    def _get_trainer_endpoints(self):
        return self._endpoints
