# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The calls of fleet that need parameter servers, a coordinator or other processes."""


class ServerCalls:
    """Methods of Fleet that need parameter servers: each raises NotImplementedError, as paddle has none."""

    @staticmethod
    def _no_servers(name):
        raise NotImplementedError(f"fleet.{name}: paddle has no parameter servers.")

    def init_worker(self, scopes=None):
        """Connect to parameter servers."""
        self._no_servers("init_worker")

    def init_coordinator(self, scopes=None):
        """Connect to the coordinator of a federated job."""
        self._no_servers("init_coordinator")

    def init_server(self, *args, **kwargs):
        """Start as a parameter server."""
        self._no_servers("init_server")

    def run_server(self):
        """Serve parameters."""
        self._no_servers("run_server")

    def stop_worker(self):
        """Leave the parameter servers."""
        self._no_servers("stop_worker")

    def make_fl_strategy(self):
        """Run the rounds of a federated job."""
        self._no_servers("make_fl_strategy")

    def get_fl_client(self):
        """The client of a federated job."""
        self._no_servers("get_fl_client")

    def save(self, dirname, feed=[], fetch=[], **configs):  # noqa: B006
        """Save the tables of the servers."""
        self._no_servers("save")

    def save_inference_model(
        self, executor, dirname, feeded_var_names, target_vars, main_program=None, export_for_deployment=True, mode=0
    ):
        """Save a program with the parameters of the servers."""
        self._no_servers("save_inference_model")

    def save_persistables(self, executor, dirname, main_program=None, mode=0):
        """Save the parameters of the servers."""
        self._no_servers("save_persistables")

    def save_dense_params(self, executor, dirname, scope, program, var_names=None):
        """Save the parameters that are no tables."""
        self._no_servers("save_dense_params")

    def save_one_table(self, table_id, path, mode):
        """Save one table."""
        self._no_servers("save_one_table")

    def save_cache_model(self, dirname, **configs):
        """Save the rows that are used most."""
        self._no_servers("save_cache_model")

    def save_cache_table(self, table_id, pass_id, mem_cache_key_threshold=4000000000):
        """Save the rows of one table that are used most."""
        self._no_servers("save_cache_table")

    def check_save_pre_patch_done(self):
        """Wait until the servers have saved."""
        self._no_servers("check_save_pre_patch_done")

    def load_model(self, path, mode):
        """Load the parameters of the servers."""
        self._no_servers("load_model")

    def load_inference_model(self, path, mode):
        """Load the tables of a program that was saved for inference."""
        self._no_servers("load_inference_model")

    def load_one_table(self, table_id, path, mode):
        """Load one table."""
        self._no_servers("load_one_table")

    def print_table_stat(self, table_id, pass_id, threshold):
        """Log the size of one table."""
        self._no_servers("print_table_stat")

    def set_date(self, table_id, day_id):
        """Tell one table the day."""
        self._no_servers("set_date")

    def shrink(self, threshold=None):
        """Drop the rows that are used least."""
        self._no_servers("shrink")


class CollectiveTimes:
    """Methods of Fleet that time collectives between processes: in a job of one there is nothing to time."""

    def collective_perf(self, comm_type, round=50, size_and_time={}):  # noqa: B006
        """Time a collective and warn where it takes longer than it may.

        Args:
            comm_type: "allreduce", "reduce", "broadcast", "allgather" or "reduce_scatter".
            round: How often it runs for each size.
            size_and_time: Seconds that a size in bytes may take.

        Raises:
            ValueError: comm_type is another one.
        """
        known = ("allreduce", "reduce", "broadcast", "allgather", "reduce_scatter")
        if comm_type not in known:
            raise ValueError(f"fleet.collective_perf: comm_type has value {comm_type!r}; it must be one of {known}.")

    def allreduce_perf(self, iteration, x, group, perf_size, perf_threshold_time, warmup=False):
        """Time a reduction for all."""

    def reduce_perf(self, iteration, x, group, perf_size, perf_threshold_time):
        """Time a reduction for one."""

    def broadcast_perf(self, iteration, x, group, perf_size, perf_threshold_time):
        """Time a copy to all."""

    def allgather_perf(self, iteration, x, group, perf_size, perf_threshold_time):
        """Time the joining of tensors."""

    def reduce_scatter_perf(self, iteration, x, group, perf_size, perf_threshold_time):
        """Time a reduction of which each keeps a part."""
