# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The extension module under its PaddlePaddle name, with the dtypes that `VarDesc.VarType` names."""

import enum
import types

from .. import _core, _lazy
from ..decomposition.primitive_mode import (  # noqa: F401 - names of this module
    _clear_prim_vjp_skip_default_ops,
    _is_all_prim_enabled,
    _is_bwd_prim_enabled,
    _is_eager_prim_enabled,
    _is_fwd_prim_enabled,
    _prim_forward_blacklist,
    _set_prim_all_enabled,
    _set_prim_backward_blacklist,
    _set_prim_backward_enabled,
    _set_prim_forward_blacklist,
    _set_prim_forward_enabled,
    has_custom_vjp,
    has_decomp_rule,
    has_vjp,
    set_prim_eager_enabled,
)
from ..framework.variable_kinds import VarDesc as VarDesc


def _run_custom_op(name, *args):
    """Call an operator of a loaded extension: its results, as a flat list."""
    from .. import _C_ops

    return _C_ops._run_custom_op(name, *args)


def _scale(x, scale, bias, bias_after_scale, trace_backward):
    """x * scale + bias, or (x + bias) * scale; recorded only where `trace_backward` says so."""
    return _core.ops.scale(x if trace_backward else x.detach(), scale, bias, bias_after_scale)


eager = types.SimpleNamespace(
    Tensor=_core.Tensor,
    ops=_core.ops,
    scale=_scale,
    _run_custom_op=_run_custom_op,
    register_saved_tensors_hooks=_core.push_saved_tensor_hooks,
    reset_saved_tensors_hooks=_core.pop_saved_tensor_hooks,
    run_backward=_core.backward,
)
DataType = _core.DType
BOOL, UINT8, INT8, INT16, INT32, INT64 = _core.bool, _core.uint8, _core.int8, _core.int16, _core.int32, _core.int64
FLOAT16, BFLOAT16, FLOAT32, FLOAT64 = _core.float16, _core.bfloat16, _core.float32, _core.float64
COMPLEX64, COMPLEX128 = _core.complex64, _core.complex128
FLOAT8_E4M3FN, FLOAT8_E5M2 = _core.float8_e4m3fn, _core.float8_e5m2


def call_vjp(op, inputs, outputs, out_grads, stop_gradients):
    """Append the gradient of one operator to the program that is recorded.

    Args:
        op: The operator; kept for programs that pass it.
        inputs: Lists of its inputs, one list an argument.
        outputs: Lists of its results.
        out_grads: Lists of gradients of the results.
        stop_gradients: Lists of bools: True for inputs that need none.

    Returns:
        Lists of gradients of the inputs, None where `stop_gradients` is True.
    """
    from ..static import gradients

    known = [value for group in inputs for value in group]
    results, seeds = ([value for group in lists for value in group] for lists in (outputs, out_grads))

    def gradient(value, stop):
        others = [other for other in known if other is not value]
        return None if stop else gradients(results, [value], seeds, set(others) or None)[0]

    return [
        [gradient(value, stop) for value, stop in zip(group, stops, strict=True)]
        for group, stops in zip(inputs, stop_gradients, strict=True)
    ]


def is_bfloat16_supported(place=None):
    """True: the CPU kernels take bfloat16."""
    return True


def is_float16_supported(place=None):
    """True: the CPU kernels take float16."""
    return True


supports_bfloat16 = is_bfloat16_supported


def supports_int8():
    """False: there are no kernels that calculate with int8 alone."""
    return False


def op_support_gpu(op_type):
    """Whether an operator runs on GPUs: none does in paddle."""
    return False


def has_infer_inplace(op_type):
    """Whether the result of an operator may take the memory of its input: the compiler of programs decides."""
    return False


def has_grad_op_maker(op_type):
    """Whether an operator of PaddlePaddle 2 has a gradient operator: gradients are made of other operators."""
    return False


def globals():
    """The flags as a mapping."""
    from ..framework.flags import Flags

    return Flags()


def get_all_op_protos():
    """Descriptions of the operators of PaddlePaddle 2 that paddle runs, as bytes of `OpProto` messages."""
    from . import op_proto

    return op_proto.get_all_op_protos()


def get_op_extra_attrs(op_type):
    """Attributes that only some devices read: there are none."""
    return {}


def get_attrtibute_type(op_type, attribute_name):
    """The number of the type of an operator's attribute."""
    from .op_proto import OpProtoHolder

    for attribute in OpProtoHolder.instance().get_op_proto(op_type).attrs:
        if attribute.name == attribute_name:
            return attribute.type
    raise ValueError(f"operator {op_type}: there is no attribute {attribute_name!r}.")


def _get_all_register_op_kernels(lib="all"):
    """The dtypes of the kernels of each operator.

    Args:
        lib: Kept for programs that ask for the kernels of one library.
    """
    found = {}
    for name in dir(_core.ops):
        if not name.startswith("__"):
            found[name] = [f"data_type[{dtype}]" for dtype in _core.describe_op(name)["kernel_dtypes"]]
    return found


class _Role(enum.IntEnum):
    """What an operator is for."""

    Forward = 0
    Backward = 1
    Optimize = 2
    RPC = 4
    Dist = 8
    LRSched = 16
    Loss = 256


class op_proto_and_checker_maker:
    """Names of the attributes that every operator of a program file may have."""

    OpRole = _Role

    @staticmethod
    def kOpRoleAttrName():
        """The attribute that says what an operator is for."""
        return "op_role"

    @staticmethod
    def kOpRoleVarAttrName():
        """The attribute that names the parameters of an update."""
        return "op_role_var"

    @staticmethod
    def kOpNameScopeAttrName():
        """The attribute that holds the name scope."""
        return "op_namescope"

    @staticmethod
    def kOpDeviceAttrName():
        """The attribute that names a device."""
        return "op_device"


def is_compiled_with_onednn():
    """True: convolutions and products come from oneDNN."""
    return True


is_compiled_with_mkldnn = is_compiled_with_onednn


class EnforceNotMet(Exception):
    """Base of errors of earlier versions; operators raise Python's own types."""


class EOFException(Exception):
    """The end of the data of a reader of earlier versions."""


def default_cpu_generator():
    """The generator of the CPU."""
    from ..framework.random import Generator

    return Generator("cpu")


def default_cuda_generator(device_id):
    """There is no GPU whose generator this could be."""
    raise RuntimeError("default_cuda_generator: paddle has no CUDA; use default_cpu_generator().")


def device_memory_stat_current_value(stat_type, device_id):
    """Bytes that a GPU has in use: 0, as there is none."""
    return 0


device_memory_stat_peak_value = device_memory_stat_current_value


def frombuffer(buffer, dtype, count=-1, offset=0):
    """A tensor of the elements in a buffer.

    Args:
        buffer: An object with the buffer protocol.
        dtype: Its dtype.
        count: Number of elements; -1: all.
        offset: Bytes in front of the first one.
    """
    import numpy

    from ..framework.memory import from_bits

    if dtype.name == "bfloat16" or dtype.name.startswith("float8"):
        return from_bits(numpy.frombuffer(buffer, f"u{dtype.itemsize}", count, offset), dtype)
    return _core.to_tensor(numpy.frombuffer(buffer, dtype.name, count, offset))


_device_names = (
    "CUDAPinnedPlace",
    "CUDAPlace",
    "CustomPlace",
    "XPUPlace",
    "is_compiled_with_cinn",
    "is_compiled_with_cuda",
    "is_compiled_with_custom_device",
    "is_compiled_with_distribute",
    "is_compiled_with_ipu",
    "is_compiled_with_rocm",
    "is_compiled_with_xpu",
)
_build_facts = (
    "AmpLevel",
    "XPUVersion",
    "_is_compiled_with_heterps",
    "avx_supported",
    "broadcast_shape",
    "disable_signal_handler",
    "empty_var_name",
    "get_all_op_names",
    "get_xpu_device_version",
    "grad_var_suffix",
    "is_compiled_with_avx",
    "is_compiled_with_brpc",
    "is_compiled_with_cudnn_frontend",
    "is_compiled_with_deepep",
    "is_compiled_with_flagcx",
    "is_compiled_with_mpi",
    "is_compiled_with_mpi_aware",
    "is_compiled_with_nccl",
    "kControlDepVarName",
    "kEmptyVarName",
    "kGradVarSuffix",
    "kTempVarName",
    "kZeroVarSuffix",
    "size_of_dtype",
    "supports_avx512f",
    "supports_bfloat16_fast_performance",
    "supports_vnni",
)
_FROM = {
    **{name: ("paddle.device", name) for name in _device_names},
    **{name: ("paddle.base.build_facts", name) for name in _build_facts},
    **{name: ("paddle.distributed", name) for name in ("Partial", "ReduceType", "Replicate", "Shard")},
    **{name: ("paddle.static.loaded", name) for name in ("deserialize_pir_program", "serialize_pir_program")},
    "CompiledProgram": ("paddle.static", "CompiledProgram"),
    "ProcessMesh": ("paddle.distributed", "ProcessMesh"),
    "ReduceOp": ("paddle.distributed", "ReduceOp"),
    "TCPStore": ("paddle.distributed.transport.store", "TCPStore"),
    "set_printoptions": ("paddle", "set_printoptions"),
    "DenseTensor": ("paddle.static.scope", "DenseTensor"),
    "Tensor": ("paddle.static.scope", "DenseTensor"),
    "LoDTensor": ("paddle.static.scope", "DenseTensor"),
    "DenseTensorArray": ("paddle.static.scope", "DenseTensorArray"),
    "LoDTensorArray": ("paddle.static.scope", "DenseTensorArray"),
    "SelectedRows": ("paddle.static.scope", "SelectedRows"),
    "Operator": ("paddle._legacy.operators.slots.scope_operator", "ScopeOperator"),
    "Generator": ("paddle.framework.random", "Generator"),
    "GeneratorState": ("paddle.framework.random", "GeneratorState"),
    "get_low_precision_op_list": ("paddle.amp.debugging", "_calls"),
    "Graph": ("paddle._legacy.programs.ir_graph", "Graph"),
    "Scope": ("paddle.static.scope", "Scope"),
    "_Scope": ("paddle.static.scope", "Scope"),
    **{
        name: ("paddle.device", name)
        for name in ("get_all_custom_device_type", "get_all_device_type", "get_available_device")
    },
    "finfo": ("paddle.framework.dtypes", "finfo"),
    "iinfo": ("paddle.framework.dtypes", "iinfo"),
    "get_cuda_device_count": ("paddle.device.cuda", "device_count"),
    "TracerEventType": ("paddle.profiler", "TracerEventType"),
    "is_compiled_with_dist": ("paddle.device", "is_compiled_with_distribute"),
}
_hook = _lazy.attribute_hook(__name__, (), _FROM)


def __getattr__(name):
    found = None if name in _FROM else getattr(_core, name, None)
    return _hook(name) if found is None else found


def set_vlog_level(level):
    """Set how much a build for debugging logs: a number, or a dict of numbers by module. Paddle logs nothing."""
    if not isinstance(level, (int, dict)):
        raise TypeError(f"set_vlog_level: level has type {type(level).__name__}; it must be an int or a dict.")
