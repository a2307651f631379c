# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Settings of earlier versions for building and running programs: they are kept and change no value, as the passes of
paddle decide for themselves."""

import enum


class ReduceStrategy(enum.Enum):
    """How gradients of several devices are joined."""

    AllReduce = 0
    Reduce = 1
    _NoReduce = 2


class GradientScaleStrategy(enum.Enum):
    """What the gradient of the loss begins with: 1 / devices, 1, or what is fed."""

    CoeffNumDevice = 0
    One = 1
    Customized = 2


def _setting(name, kind):
    """A property that keeps a value of one type."""

    def get(self):
        return self._settings[name]

    def put(self, value):
        allowed = (bool, type(None)) if kind is bool else kind
        if not isinstance(value, allowed) or (kind is int and isinstance(value, bool)):
            raise TypeError(f"BuildStrategy: {name} has type {type(value).__name__}; it must be {kind.__name__}.")
        self._settings[name] = value

    return property(get, put, doc=f"Kept: {name}.")


_ON = ("enable_inplace", "memory_optimize", "fuse_all_reduce_ops", "enable_backward_optimizer_op_deps")
_OFF = (
    "allow_cuda_graph_capture",
    "async_mode",
    "build_cinn_pass",
    "cache_runtime_context",
    "enable_addto",
    "enable_auto_fusion",
    "enable_sequential_execution",
    "fuse_adamw",
    "fuse_all_optimizer_ops",
    "fuse_bn_act_ops",
    "fuse_bn_add_act_ops",
    "fuse_broadcast_ops",
    "fuse_dot_product_attention",
    "fuse_elewise_add_act_ops",
    "fuse_gemm_epilogue",
    "fuse_relu_depthwise_conv",
    "fuse_resunit",
    "fused_attention",
    "fused_feedforward",
    "remove_unnecessary_lock",
    "sequential_run",
    "sync_batch_norm",
    "use_hierarchical_allreduce",
)
_NUMBERS = {
    "bkcl_comm_num": 1,
    "hierarchical_allreduce_inter_nranks": 0,
    "nccl_comm_num": 1,
    "num_trainers": 1,
    "trainer_id": 0,
}


class BuildStrategy:
    """Settings for building a program.

    Example:
        >>> import paddle
        >>> strategy = paddle.static.BuildStrategy()
        >>> strategy.fuse_bn_act_ops = True
    """

    ReduceStrategy, GradientScaleStrategy = ReduceStrategy, GradientScaleStrategy

    def __init__(self):
        settings = {**dict.fromkeys(_OFF, False), **dict.fromkeys(_ON, True), **_NUMBERS}
        settings.update(debug_graphviz_path="", reduce_strategy=ReduceStrategy.AllReduce, trainers_endpoints=[])
        settings.update(gradient_scale_strategy=GradientScaleStrategy.CoeffNumDevice)
        settings.update(mkldnn_enabled_op_types=set(), onednn_enabled_op_types=set())
        object.__setattr__(self, "_settings", settings)

    def __setattr__(self, name, value):
        if not isinstance(getattr(type(self), name, None), property):
            raise AttributeError(f"BuildStrategy: there is no setting {name!r}.")
        object.__setattr__(self, name, value)


for _names, _kind in (((*_OFF, *_ON), bool), (_NUMBERS, int), (("debug_graphviz_path",), str)):
    for _name in _names:
        setattr(BuildStrategy, _name, _setting(_name, _kind))
for _name in ("mkldnn_enabled_op_types", "onednn_enabled_op_types"):
    setattr(BuildStrategy, _name, _setting(_name, set))
BuildStrategy.reduce_strategy = _setting("reduce_strategy", ReduceStrategy)
BuildStrategy.gradient_scale_strategy = _setting("gradient_scale_strategy", GradientScaleStrategy)
BuildStrategy.trainers_endpoints = _setting("trainers_endpoints", list)


class ExecutionStrategy:
    """Settings for running a program: number of threads and of runs between two clean-ups."""

    def __init__(self):
        self.num_threads, self.num_iteration_per_drop_scope, self.num_iteration_per_run = 0, 100, 1
        self.use_thread_barrier, self.allow_op_delay = False, False


class CompiledProgram:
    """A program with settings for building it.

    Args:
        program_or_graph: The Program.
        build_strategy: A BuildStrategy.

    Raises:
        TypeError: `program_or_graph` is no Program.
    """

    def __init__(self, program_or_graph, build_strategy=None):
        from .program import Program

        if not isinstance(program_or_graph, Program) and not hasattr(program_or_graph, "_run"):
            raise TypeError(
                f"CompiledProgram: program_or_graph has type {type(program_or_graph).__name__}; it must be a Program."
            )
        self._program = program_or_graph
        self._build_strategy = build_strategy or BuildStrategy()
