# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Paths of PaddlePaddle's modules: programs import a name from the module that defines it there, such as
`paddle.tensor.logic` or `paddle.nn.layer.distance`. Here that module shows the names of its package."""

import importlib
import importlib.abc
import importlib.machinery
import sys
import types

# package -> (where the names of its modules are, its modules)
_PATHS = {
    "paddle": ("paddle", "batch"),
    "paddle.amp": ("paddle.amp", "amp_lists"),
    "paddle.autograd": ("paddle.autograd", "autograd backward_mode saved_tensors_hooks"),
    "paddle.base": ("paddle.nn.initializer", "initializer"),
    "paddle.base.proto": ("paddle.framework.protobuf_wire", "wire"),
    "paddle.distributed.auto_parallel.intermediate": ("paddle.distributed", "pipeline_parallel tensor_parallel"),
    "paddle.distributed.auto_parallel": ("paddle.distributed", "placement_type random"),
    "paddle.distributed.communication": (
        "paddle.distributed",
        "all_gather all_reduce all_to_all broadcast gather recv reduce_scatter scatter send",
    ),
    "paddle.distributed.fleet": ("paddle.distributed.fleet", "optimizer scaler"),
    "paddle.distributed.fleet.meta_parallel.parallel_layers": ("paddle.distributed.fleet.meta_parallel", "mp_layers"),
    "paddle.distributed.rpc": ("paddle.distributed.rpc", "rpc"),
    "paddle.distributed.sharding": ("paddle.distributed.sharding", "group_sharded"),
    "paddle.fluid": (
        "paddle.base",
        "backward core_avx core_noavx dataset evaluator input install_check layer_helper layer_helper_base "
        "lod_tensor log_helper param_attr reader unique_name variable_index wrapped_decorator",
    ),
    "paddle.fluid.dataloader": (
        "paddle.io paddle.fluid.dataloader",
        "batch_sampler collate dataloader_iter dataset fetcher flat sampler worker",
    ),
    "paddle.fluid.dygraph": (
        "paddle.fluid.dygraph paddle.base.dygraph.base",
        "base container dygraph_to_static layer_object_helper layers tracer",
    ),
    "paddle.fluid.contrib.slim": ("paddle.static.quantization", "quantization"),
    "paddle.fluid.incubate": ("paddle.distributed.fleet", "data_generator"),
    "paddle.fluid.incubate.fleet": ("paddle.distributed.fleet", "collective"),
    "paddle.fluid.incubate.fleet.parameter_server": ("paddle.distributed.fleet", "distribute_transpiler pslib"),
    "paddle.fluid.incubate.fleet.base": ("paddle.distributed.fleet", "role_maker"),
    "paddle.fluid.layers": (
        "paddle.fluid.layers",
        "control_flow detection io learning_rate_scheduler loss metric_op nn ops rnn sequence_lod tensor",
    ),
    "paddle.framework": ("paddle", "dtype framework"),
    "paddle.geometric": ("paddle.geometric", "math"),
    "paddle.geometric.message_passing": ("paddle.geometric", "send_recv"),
    "paddle.geometric.sampling": ("paddle.geometric", "neighbors"),
    "paddle.hapi": ("paddle.hub", "hub"),
    "paddle.incubate.autograd": ("paddle.incubate.autograd", "functional primapi utils"),
    "paddle.incubate.asp": ("paddle.incubate.asp", "asp"),
    "paddle.incubate.framework": ("paddle.incubate", "random"),
    "paddle.incubate.jit": ("paddle.incubate.jit", "inference_decorator"),
    "paddle.incubate.nn": ("paddle.incubate.nn paddle.incubate", "loss"),
    "paddle.incubate.nn.functional": (
        "paddle.incubate.nn.functional",
        "blha_get_max_len block_multihead_attention fused_bias_act fused_dropout_add fused_ec_moe fused_gate_attention "
        "fused_layer_norm fused_matmul_bias fused_rms_norm fused_rotary_position_embedding fused_transformer "
        "masked_multihead_attention swiglu variable_length_memory_efficient_attention",
    ),
    "paddle.incubate.nn.layer": ("paddle.incubate.nn", "fused_dropout_nd fused_ec_moe io"),
    "paddle.incubate.operators": (
        "paddle.incubate",
        "graph_khop_sampler graph_reindex graph_sample_neighbors graph_send_recv resnet_unit softmax_mask_fuse "
        "softmax_mask_fuse_upper_triangle",
    ),
    "paddle.incubate.optimizer": (
        "paddle.incubate.optimizer",
        "gradient_merge lars_momentum lbfgs lookahead modelaverage pipeline recompute",
    ),
    "paddle.incubate.optimizer.functional": ("paddle.incubate.optimizer.functional", "bfgs lbfgs"),
    "paddle.incubate.tensor": ("paddle.incubate.tensor", "math"),
    "paddle.nn": ("paddle.nn", "modules parameter"),
    "paddle.nn.functional": ("paddle.nn.functional", "distance extension input sdpa sparse_attention"),
    "paddle.nn.initializer": (
        "paddle.nn.initializer",
        "assign bilinear dirac initializer kaiming normal orthogonal uniform xavier",
    ),
    "paddle.nn.layer": ("paddle.nn", "distance"),
    "paddle.nn.utils": (
        "paddle.nn.utils",
        "clip_grad_norm_ clip_grad_value_ spectral_norm_hook transform_parameters weight_norm_hook",
    ),
    "paddle.onnx": ("paddle.onnx", "export"),
    "paddle.optimizer": ("paddle.optimizer", "asgd nadam radam rprop"),
    "paddle.reader": ("paddle.reader", "decorator"),
    "paddle.sparse": ("paddle.sparse", "multiary"),
    "paddle.sparse.nn.functional": ("paddle.sparse.nn.functional", "transformer"),
    "paddle.profiler": ("paddle.profiler", "timer"),
    "paddle.inference": ("paddle.inference", "wrapper"),
    "paddle.static": ("paddle.base.log_helper", "log_helper"),
    "paddle.static.amp": ("paddle.static.amp", "decorator fp16_lists fp16_utils"),
    "paddle.static.amp.bf16": ("paddle.static.amp.bf16", "amp_lists amp_utils decorator"),
    "paddle.static.nn": (
        "paddle.static.nn paddle.static paddle.nn.functional",
        "common loss metric sequence_lod static_pylayer",
    ),
    "paddle.tensor": ("paddle.tensor", "attribute logic ops tensor"),
    "paddle.text.datasets": (
        "paddle.text.datasets",
        "conll05 imdb imikolov movielens uci_housing wmt14 wmt16",
    ),
    "paddle.utils": ("paddle.utils", "deprecated install_check lazy_import"),
    "paddle.vision.transforms": ("paddle.vision.transforms.functional_array", "functional_cv2"),
}
_SHOWS = {
    f"{package}.{name}": sources.split() for package, (sources, names) in _PATHS.items() for name in names.split()
}
# Modules of paddle.fluid of which each is another one.
_OLD = {
    "core_avx": "paddle.fluid.core",
    "core_noavx": "paddle.fluid.core",
    "install_check": "paddle.utils",
    "input": "paddle.fluid",
    "compiler": "paddle.fluid.executor",
    "parallel_executor": "paddle.fluid.executor",
    "proto.framework_pb2": "paddle.base.proto.framework_pb2",
    "dygraph.dygraph_to_static": "paddle.jit.dy2static",
    "dygraph.container": "paddle.nn",
    "dygraph.layers": "paddle.nn.layer.layers paddle.nn.layer.backward_hooks",
    "layers.utils": "paddle.utils paddle.base.data_feeder",
    **{f"dataloader.{name}": f"paddle.io.dataloader.{name} paddle.io" for name in ("collate", "dataloader_iter")},
    "dygraph.layer_object_helper": "paddle.framework.layer_helper",
    "layers.collective": "paddle.distributed",
    **{
        name: f"paddle.base.{name}"
        for name in (
            "backward dataset layer_helper layer_helper_base lod_tensor log_helper param_attr reader unique_name "
            "variable_index wrapped_decorator"
        ).split()
    },
}
_SHOWS.update({f"paddle.fluid.{name}": sources.split() for name, sources in _OLD.items()})


def names_of(*packages):
    """A module `__getattr__` that shows the names of packages.

    Args:
        packages: Names of the packages; the first that has a name gives it.
    """

    def hook(name):
        if name.startswith("__"):
            raise AttributeError(name)
        for package in packages[:-1]:
            value = getattr(importlib.import_module(package), name, hook)
            if value is not hook:
                return value
        return getattr(importlib.import_module(packages[-1]), name)

    return hook


class _PathModule(types.ModuleType):
    """A module of the table. Where a function of its package has its name, calling the module calls the function: the
    import system puts the module in the function's place."""

    def __call__(self, *args, **kwargs):
        if "__wrapped__" not in vars(self):
            raise TypeError(f"module '{self.__name__}' is no function.")
        return self.__wrapped__(*args, **kwargs)


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Makes the modules of the table; asked last, so a file of that name goes first."""

    def find_spec(self, fullname, path, target=None):
        return importlib.machinery.ModuleSpec(fullname, self) if fullname in _SHOWS else None

    def create_module(self, spec):
        return _PathModule(spec.name)

    def exec_module(self, module):
        package, _, name = module.__name__.rpartition(".")
        function = getattr(sys.modules[package], name, None)
        if callable(function) and not isinstance(function, types.ModuleType):
            vars(module).update({name: function, "__wrapped__": function})
        module.__doc__ = f"Shows the names of {' and '.join(_SHOWS[module.__name__])}."
        module.__getattr__ = names_of(*_SHOWS[module.__name__])


def install():
    """Let `import` find the modules of the table."""
    sys.meta_path.append(_Finder())


def is_path(name):
    """Whether a module of the table has that name."""
    return name in _SHOWS


def register_without_replacing(package):
    """Make the modules of the table that share a name with something of `package`, which keeps the name: `import` finds
    them made and does not put them in its place."""
    for path in _SHOWS:
        parent, _, name = path.rpartition(".")
        if parent == package and name in vars(sys.modules[package]):
            finder, module = _Finder(), _PathModule(path)
            module.__spec__ = finder.find_spec(path, None)
            finder.exec_module(module)
            sys.modules[path] = module


def attach(package):
    """Make the modules of the table that lie in `package` its attributes; it may be a plain module."""
    namespace = sys.modules[package].__dict__
    namespace.setdefault("__path__", [])
    for path in _SHOWS:
        parent, _, name = path.rpartition(".")
        if parent == package and name not in namespace:
            namespace[name] = importlib.import_module(path)
