# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Fleet: training as a job of several processes.

The functions here are methods of one Fleet object.
"""

from ... import _lazy
from .base.distributed_strategy import DistributedStrategy
from .base.role_maker import PaddleCloudRoleMaker, Role, UserDefinedRoleMaker
from .base.topology import CommunicateTopology, HybridCommunicateGroup
from .fleet import Fleet, UtilBase
from .fleet import fleet as _job

__all__ = [
    "CommunicateTopology",
    "DistributedStrategy",
    "Fleet",
    "HybridCommunicateGroup",
    "MultiSlotDataGenerator",
    "MultiSlotStringDataGenerator",
    "PaddleCloudRoleMaker",
    "Role",
    "UserDefinedRoleMaker",
    "UtilBase",
]


fleet = _job
init = _job.init
is_first_worker = _job.is_first_worker
worker_index = _job.worker_index
worker_num = _job.worker_num
node_num = _job.node_num
rank = _job.rank
nranks = _job.nranks
world_size = _job.world_size
local_rank = _job.local_rank
rank_in_node = _job.rank_in_node
local_device_ids = _job.local_device_ids
world_device_ids = _job.world_device_ids
is_worker = _job.is_worker
is_server = _job.is_server
is_coordinator = _job.is_coordinator
worker_endpoints = _job.worker_endpoints
server_num = _job.server_num
server_index = _job.server_index
server_endpoints = _job.server_endpoints
barrier_worker = _job.barrier_worker
init_worker = _job.init_worker
init_coordinator = _job.init_coordinator
init_server = _job.init_server
run_server = _job.run_server
stop_worker = _job.stop_worker
make_fl_strategy = _job.make_fl_strategy
get_fl_client = _job.get_fl_client
save_inference_model = _job.save_inference_model
save_persistables = _job.save_persistables
save_dense_params = _job.save_dense_params
save_one_table = _job.save_one_table
save_cache_model = _job.save_cache_model
save_cache_table = _job.save_cache_table
check_save_pre_patch_done = _job.check_save_pre_patch_done
load_model = _job.load_model
load_inference_model = _job.load_inference_model
load_one_table = _job.load_one_table
print_table_stat = _job.print_table_stat
set_date = _job.set_date
shrink = _job.shrink
collective_perf = _job.collective_perf
all_reduce = _job.all_reduce
distributed_model = _job.distributed_model
minimize = _job.minimize
distributed_scaler = _job.distributed_scaler
get_hybrid_communicate_group = _job.get_hybrid_communicate_group
util = _job.util


def distributed_optimizer(*args, **kwargs):
    """The optimizer as this job runs it."""
    return _job.distributed_optimizer(*args, **kwargs)


def check_memory_usage(msg=""):
    """Log the memory of GPUs.

    Raises:
        ValueError: Paddle has no GPU.
    """
    raise ValueError(f"check_memory_usage: {msg}: paddle has no GPU.")


from .utils.log_util import get_log_level_code, get_log_level_name, set_log_level

__getattr__ = _lazy.attribute_hook(
    __name__,
    ("utils", "dataset", "meta_parallel", "recompute", "layers", "base", "meta_optimizers", "model"),
    {
        "auto": ("paddle.distributed.auto_parallel", None),
        **{
            name: ("paddle.distributed.fleet.dataset", name)
            for name in ("DatasetBase", "FileInstantDataset", "InMemoryDataset", "QueueDataset")
        },
        **{
            name: ("paddle.distributed.fleet.data_generator", name)
            for name in ("MultiSlotDataGenerator", "MultiSlotStringDataGenerator")
        },
    },
)
