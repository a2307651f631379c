# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`DistributedStrategy`: how a job is to be parallelised and optimised, as plain settings."""

import copy

_SWITCHES = {
    "a_sync": True,
    "adam_d2sum": False,
    "adaptive_localsgd": False,
    "amp": False,
    "asp": False,
    "auto": False,
    "auto_search": False,
    "cudnn_batchnorm_spatial_persistent": False,
    "cudnn_exhaustive_search": False,
    "dgc": False,
    "elastic": False,
    "find_unused_parameters": False,
    "fp16_allreduce": False,
    "fuse_all_reduce_ops": True,
    "fuse_grad_merge": False,
    "gradient_merge": False,
    "heter_ccl_mode": False,
    "is_fl_ps_mode": False,
    "is_with_coordinator": False,
    "lamb": False,
    "lars": False,
    "localsgd": False,
    "pipeline": False,
    "qat": False,
    "recompute": False,
    "semi_auto": False,
    "sharding": False,
    "split_data": True,
    "sync_batch_norm": False,
    "sync_nccl_allreduce": True,
    "tensor_parallel": False,
    "use_hierarchical_allreduce": False,
    "without_graph_optimization": True,
}
_NUMBERS = {
    "conv_workspace_size_limit": 512,
    "fuse_grad_size_in_MB": 32,
    "fuse_grad_size_in_num": 8,
    "hierarchical_allreduce_inter_nranks": 1,
    "last_comm_group_size_MB": 1.0,
    "nccl_comm_num": 1,
}
_DEGREES = ("dp", "mp", "pp", "sharding", "sep", "ep", "moe_sharding", "cp")
_GROUPS = {
    "a_sync_configs": {
        "k_steps": -1,
        "max_merge_var_num": 1,
        "send_queue_size": 16,
        "independent_recv_thread": False,
        "min_send_grad_num_before_recv": 1,
        "thread_pool_size": 1,
        "send_wait_times": 1,
        "runtime_split_send_recv": False,
        "launch_barrier": True,
        "heter_worker_device_guard": "cpu",
        "lr_decay_steps": 10,
        "use_ps_gpu": 0,
        "use_gpu_graph": 0,
    },
    "adaptive_localsgd_configs": {"init_k_steps": 1, "begin_step": 1},
    "amp_configs": {
        "init_loss_scaling": 32768.0,
        "incr_every_n_steps": 1000,
        "decr_every_n_nan_or_inf": 2,
        "incr_ratio": 2.0,
        "decr_ratio": 0.8,
        "use_dynamic_loss_scaling": True,
        "custom_white_list": [],
        "custom_black_list": [],
        "custom_black_varnames": [],
        "use_pure_fp16": False,
        "use_fp16_guard": True,
        "use_optimizer_fp16": False,
        "use_pure_bf16": False,
        "use_bf16_guard": False,
    },
    "dgc_configs": {"rampup_begin_step": 0, "rampup_step": 1, "sparsity": []},
    "gradient_merge_configs": {"k_steps": 1, "avg": True},
    "gradient_scale_configs": {"scale_strategy": "avg", "scale_gradient": False},
    "lamb_configs": {"lamb_weight_decay": 0.01, "exclude_from_weight_decay": []},
    "lars_configs": {"lars_coeff": 0.001, "lars_weight_decay": 0.0005, "epsilon": 0.0, "exclude_from_weight_decay": []},
    "localsgd_configs": {"k_steps": 1, "begin_step": 1},
    "pipeline_configs": {
        "micro_batch_size": 1,
        "accumulate_steps": 1,
        "schedule_mode": "1F1B",
        "p2p_cache_shape": True,
        "enable_partial_send_recv": True,
    },
    "qat_configs": {
        "channel_wise_abs_max": True,
        "weight_bits": 8,
        "activation_bits": 8,
        "not_quant_pattern": [],
        "algo": "",
    },
    "recompute_configs": {
        "checkpoints": [],
        "enable_offload": False,
        "checkpoint_shape": [],
        "enable_tuning": False,
        "refined_ops_patterns": [],
    },
    "sharding_configs": {
        "sharding_segment_strategy": "segment_broadcast_MB",
        "segment_broadcast_MB": 32.0,
        "segment_anchors": [],
        "sharding_degree": 8,
        "mp_degree": 1,
        "dp_degree": 1,
        "hybrid_dp": False,
        "gradient_merge_acc_step": 1,
        "optimize_offload": False,
        "pp_allreduce_in_optimize": False,
        "pp_degree": 1,
        "optimize_cast": False,
        "_dp_as_optimizer_sharding": False,
        "stage": 1,
        "enable_tuning": False,
        "use_calc_stream": False,
    },
    "tensor_parallel_configs": {"tensor_parallel_degree": 1, "tensor_init_seed": -1},
    "trainer_desc_configs": {
        "dump_fields_path": "",
        "dump_fields": [],
        "dump_param": [],
        "stat_var_names": [],
        "trainer": "",
        "device_worker": "",
        "local_sparse": [],
        "remote_sparse": [],
    },
}


class Settings(dict):
    """A dictionary whose entries are attributes too; what was never set reads as False."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self.get(name, False)

    def __setattr__(self, name, value):
        self[name] = value


def _hybrid_defaults():
    settings = Settings({f"{part}_degree": 1 for part in _DEGREES})
    settings["dp_degree"] = -1
    for part in (*_DEGREES, "dp_sep", "pp_tp", "default_comm_group"):
        settings[f"{part}_configs"] = Settings()
    return settings


class DistributedStrategy:
    """How a job is parallelised.

    `hybrid_configs` holds the degrees (`dp_degree` -1: what the others leave), `pipeline_configs`
    the micro-batches; every other setting has a switch and, where it has parameters, a dictionary
    `<name>_configs`.  Assigning a dictionary changes the keys it has; an unknown key is an error.

    Example:
        >>> strategy = paddle.distributed.fleet.DistributedStrategy()
        >>> strategy.hybrid_configs = {"dp_degree": 2, "mp_degree": 4}
        >>> strategy.hybrid_configs["mp_degree"]
        4
    """

    def __init__(self):
        state = self.__dict__
        state.update(_SWITCHES)
        state.update(_NUMBERS)
        state.update({name: copy.deepcopy(value) for name, value in _GROUPS.items()})
        state["hybrid_configs"] = _hybrid_defaults()
        state["hybrid_parallel_order"] = ["dp", "pp", "sharding", "sep", "mp"]
        state["build_strategy"] = None
        state["fs_client_param"] = Settings(uri="", user="", passwd="", hadoop_bin="")
        state["sparse_table_configs"] = {}

    def __setattr__(self, name, value):
        state = self.__dict__
        if name not in state:
            raise TypeError(f"DistributedStrategy: there is no setting {name!r}; settings: {sorted(state)}.")
        if name in _SWITCHES and not isinstance(value, bool):
            raise TypeError(f"DistributedStrategy: {name} has value {value!r}; it must be True or False.")
        kind = type(_NUMBERS.get(name, 0))
        if name in _NUMBERS and not isinstance(value, (int, kind)):
            raise TypeError(f"DistributedStrategy: {name} has value {value!r}; it must be of type {kind.__name__}.")
        if name == "fs_client_param":
            value = Settings({**state[name], **value})
        if name == "hybrid_configs":
            self._set_hybrid(value)
        elif name in _GROUPS:
            unknown = sorted(set(value) - set(state[name]))
            if unknown:
                raise ValueError(f"DistributedStrategy: {name} has no keys {unknown}; keys: {sorted(state[name])}.")
            state[name].update(value)
        else:
            state[name] = value

    def _set_hybrid(self, value):
        settings = self.hybrid_configs
        for key, entry in value.items():
            if key == "order":
                self.__dict__["hybrid_parallel_order"] = list(entry)
            elif isinstance(settings.get(key), Settings):
                settings[key].update(entry)
            elif key in settings or key in ("enable_optimizer_timer", "split_norm_comm"):
                settings[key] = entry
            else:
                raise ValueError(f"DistributedStrategy: hybrid_configs has no key {key!r}; keys: {sorted(settings)}.")

    def save_to_prototxt(self, output):
        """Write the settings as JSON text, which `load_from_prototxt` reads."""
        import json

        with open(output, "w") as file:
            json.dump({k: v for k, v in self.__dict__.items() if v is not None}, file, indent=1)

    def load_from_prototxt(self, pb_file):
        """Read what `save_to_prototxt` wrote."""
        import json

        with open(pb_file) as file:
            for name, value in json.load(file).items():
                setattr(self, name, value)

    def __repr__(self):
        lines = [f"  {name}: {value}" for name, value in sorted(self.__dict__.items()) if value not in (None, {})]
        return "DistributedStrategy:\n" + "\n".join(lines)


def _setting(name):
    return property(lambda self: self.__dict__[name], doc=f"The setting `{name}`.")


for _name in (
    *_SWITCHES,
    *_NUMBERS,
    *_GROUPS,
    "hybrid_configs",
    "hybrid_parallel_order",
    "build_strategy",
    "fs_client_param",
    "sparse_table_configs",
):
    setattr(DistributedStrategy, _name, _setting(_name))
