# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`Strategy`: settings of parallel training, in groups."""

import copy


class Settings:
    """A group of settings: attributes, read and written as a dict as well.

    Args:
        config_dict: Values of some of them.
    """

    _defaults = {}

    def __init__(self, config_dict=None):
        for name, value in self._defaults.items():
            setattr(self, name, copy.deepcopy(value))
        if config_dict is not None:
            self.from_dict(config_dict)

    def from_dict(self, config_dict):
        """Take values from a dict; names that the group does not have are left out."""
        for name in self._defaults:
            if name in config_dict:
                setattr(self, name, config_dict[name])

    def to_dict(self):
        """The settings as a dict."""
        return {name: copy.deepcopy(getattr(self, name)) for name in self._defaults}

    def get(self, k, d=None):
        """One setting, or `d` where the group has none of that name."""
        return self.to_dict().get(k, d)

    def __repr__(self):
        return f"{type(self).__name__}({self.to_dict()})"


def _group(name, **defaults):
    members = {"_defaults": defaults, "__doc__": f"The settings of {name}.", "__qualname__": f"_{name.upper()}"}
    return type(name, (Settings,), members)


_AMP = _group(
    "amp",
    enable=False,
    dtype="float16",
    level="o1",
    init_loss_scaling=32768.0,
    incr_every_n_steps=1000,
    decr_every_n_nan_or_inf=2,
    incr_ratio=2.0,
    decr_ratio=0.8,
    use_dynamic_loss_scaling=True,
    custom_white_list=[],
    custom_black_list=[],
    custom_black_varnames=[],
    use_fp16_guard=False,
    use_bf16_guard=False,
    use_master_grad=False,
    use_promote=True,
)
_SHARDING = _group(
    "sharding",
    enable=False,
    stage=1,
    degree=8,
    enable_overlap=False,
    param_comm_stream_num=1,
    grad_comm_stream_num=1,
    param_bucket_size_numel=1,
    grad_bucket_size_numel=1,
    enable_hierarchical_comm=False,
    partition_algor="greedy_even",
    enable_tuning=False,
    tuning_range=[],
    release_gradients=False,
    comm_buffer_size_MB=256,
    enable_tensor_fusion=False,
    save_unbalanced_param=True,
)
_GRADIENT_MERGE = _group("gradient_merge", enable=False, k_steps=1, avg=True)
_PIPELINE = _group(
    "pipeline",
    enable=False,
    schedule_mode="1F1B",
    pp_degree=1,
    vpp_degree=1,
    vpp_seg_method="",
    micro_batch_size=1,
    accumulate_steps=1,
    generation_batch_size=1,
    enable_send_recv_overlap=False,
    split_backward=False,
)
_FUSED_PASSES = _group("fused_passes", enable=False, gemm_epilogue=False, dropout_add=False)
_RECOMPUTE = _group("recompute", enable=False, checkpoints=[], no_recompute_segments=[], sr=0, refined_ops_patterns=[])
_QAT = _group(
    "qat",
    enable=False,
    channel_wise_abs_max=True,
    weight_bits=8,
    activation_bits=8,
    not_quant_pattern=["skip_quant"],
    algo=None,
    onnx_format=True,
)
_GROUPS = {
    "amp": _AMP,
    "sharding": _SHARDING,
    "gradient_merge": _GRADIENT_MERGE,
    "pipeline": _PIPELINE,
    "fused_passes": _FUSED_PASSES,
    "recompute": _RECOMPUTE,
    "qat": _QAT,
}


class Strategy(Settings):
    """Settings of parallel training in groups: `amp`, `sharding`, `gradient_merge`, `pipeline`, `fused_passes`,
    `recompute` and `qat`, each with `enable` and what it needs.

    Args:
        config: Dict of dicts by group.

    Raises:
        ValueError: `config` is no dict.

    Example:
        >>> import paddle
        >>> strategy = paddle.distributed.Strategy({"sharding": {"enable": True, "stage": 2}})
        >>> strategy.sharding.stage, strategy.pipeline.enable
        (2, False)
    """

    _defaults = {
        "auto_mode": "semi",
        "gradient_scale": True,
        "use_cache": True,
        "return_numpy": True,
        "all_ranks": False,
        "split_data": True,
        "seed": None,
        "reinit": False,
        "full_graph": True,
    }

    def __init__(self, config=None):
        if config is not None and not isinstance(config, dict):
            raise ValueError(f"Strategy: config has type {type(config).__name__}; it must be a dict.")
        self._groups = {name: kind() for name, kind in _GROUPS.items()}
        super().__init__(copy.deepcopy(config))

    def from_dict(self, config_dict):
        """Take values from a dict, those of groups from dicts in it."""
        super().from_dict(config_dict)
        for name, group in self._groups.items():
            if config_dict.get(name) is not None:
                if not isinstance(config_dict[name], dict):
                    kind = type(config_dict[name]).__name__
                    raise ValueError(
                        f"Strategy: {name} has type {kind}; it must be a dict of the settings of that group."
                    )
                group.from_dict(config_dict[name])

    def to_dict(self):
        """The settings as a dict, groups as dicts in it."""
        return {**super().to_dict(), **{name: group.to_dict() for name, group in self._groups.items()}}

    full_graph = True  # whether a model is captured whole
    amp = property(lambda self: self._groups["amp"], doc="Mixed precision.")
    sharding = property(lambda self: self._groups["sharding"], doc="Sharding of optimizer state.")
    gradient_merge = property(lambda self: self._groups["gradient_merge"], doc="Gradients of several steps joined.")
    pipeline = property(lambda self: self._groups["pipeline"], doc="Stages of a model on several devices.")
    fused_passes = property(lambda self: self._groups["fused_passes"], doc="Joined operators.")
    recompute = property(lambda self: self._groups["recompute"], doc="Values computed again for gradients.")
    qat = property(lambda self: self._groups["qat"], doc="Training with quantised weights, which Engine refuses.")
