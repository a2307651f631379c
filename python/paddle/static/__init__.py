# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Static programs: recorded while Python runs, executed by an `Executor`."""

from .. import _lazy
from ..framework.parameter import create_parameter
from ..jit.spec import InputSpec
from .averages import ExponentialMovingAverage
from .block import Block, Operator, Variable
from .executor import Executor
from .gradient import append_backward, gradients
from .io import (
    deserialize_persistables,
    deserialize_program,
    is_persistable,
    load,
    load_from_file,
    load_inference_model,
    load_program_state,
    load_vars,
    normalize_program,
    save,
    save_inference_model,
    save_to_file,
    save_vars,
    serialize_persistables,
    serialize_program,
    set_program_state,
)
from .metric import accuracy, auc, ctr_metric_bundle
from .parameter import Parameter
from .program import (
    Program,
    data,
    default_main_program,
    default_startup_program,
    device_guard,
    name_scope,
    program_guard,
)
from .py_func import Print, py_func
from .scope import Scope, global_scope, scope_guard
from .state import create_global_var
from .strategy import BuildStrategy, CompiledProgram, ExecutionStrategy
from .weight_norm import WeightNormParamAttr


def cpu_places(device_count=None):
    """Places of the CPU, one for each program that runs beside others.

    Args:
        device_count: How many; None for the environment variable CPU_NUM, or 1.

    Returns:
        A list of CPUPlace.

    Example:
        >>> paddle.static.cpu_places(2)
        [Place(cpu), Place(cpu)]
    """
    import os

    from .._core import CPUPlace

    count = int(os.environ.get("CPU_NUM", "1")) if device_count is None else device_count
    return [CPUPlace() for _ in range(count)]


def cuda_places(device_ids=None):
    """CUDA places.

    Raises:
        RuntimeError: Paddle has no GPU support.
    """
    raise RuntimeError("cuda_places: paddle has no GPU support; use cpu_places().")


def setitem(x, index, value):
    """A copy of `x` with other values at an index.

    Args:
        x: A variable.
        index: An index, as between brackets.
        value: What stands there: a number or a variable that broadcasts.

    Example:
        >>> import paddle
        >>> x = paddle.zeros([2])
        >>> paddle.static.setitem(x, 0, 5.0).tolist()
        [5.0, 0.0]
    """
    from ..tensor import assign

    made = assign(x)
    made[index] = value
    return made


__all__ = [
    "BuildStrategy",
    "CompiledProgram",
    "Executor",
    "ExponentialMovingAverage",
    "InputSpec",
    "IpuCompiledProgram",
    "IpuStrategy",
    "Print",
    "Program",
    "Variable",
    "WeightNormParamAttr",
    "accuracy",
    "append_backward",
    "auc",
    "cpu_places",
    "create_global_var",
    "create_parameter",
    "ctr_metric_bundle",
    "cuda_places",
    "data",
    "default_main_program",
    "default_startup_program",
    "deserialize_persistables",
    "deserialize_program",
    "device_guard",
    "global_scope",
    "gradients",
    "ipu_shard_guard",
    "load",
    "load_from_file",
    "load_inference_model",
    "load_program_state",
    "name_scope",
    "normalize_program",
    "program_guard",
    "py_func",
    "save",
    "save_inference_model",
    "save_to_file",
    "scope_guard",
    "serialize_persistables",
    "serialize_program",
    "set_ipu_shard",
    "set_program_state",
    "xpu_places",
]

_FROM = {
    **{
        name: ("paddle.static.ipu", name)
        for name in ("IpuCompiledProgram", "IpuStrategy", "ipu_shard_guard", "set_ipu_shard", "xpu_places")
    },
    **{name: ("paddle.static.python_operator", name) for name in ("MetaTensor", "register_op")},
}
__getattr__ = _lazy.attribute_hook(__name__, ("nn", "amp", "input", "pir_io", "quantization"), _FROM)
