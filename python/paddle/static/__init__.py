# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Static programs: recorded while Python runs, executed by an `Executor`."""

from .. import _lazy
from ..framework.parameter import create_parameter
from ..jit.spec import InputSpec
from .executor import (
    BuildStrategy,
    CompiledProgram,
    ExecutionStrategy,
    Executor,
    Scope,
    global_scope,
    scope_guard,
)
from .gradient import append_backward, gradients
from .io import (
    load,
    load_inference_model,
    load_program_state,
    load_vars,
    normalize_program,
    save,
    save_inference_model,
    set_program_state,
)
from .parameter import Parameter
from .program import (
    Program,
    Variable,
    create_global_var,
    data,
    default_main_program,
    default_startup_program,
    device_guard,
    name_scope,
    program_guard,
)


def cpu_places(device_count=None):
    """CPU places: `device_count` of them, by default as many as CPU_NUM says."""
    import os

    from .. import CPUPlace

    count = int(os.environ.get("CPU_NUM", "1")) if device_count is None else device_count
    return [CPUPlace() for _ in range(count)]


def cuda_places(device_ids=None):
    """CUDA places.

    Raises:
        RuntimeError: This build has no GPU support.
    """
    raise RuntimeError("cuda_places: this build has no GPU support; use cpu_places().")


def accuracy(input, label, k=1, correct=None, total=None):
    """Share of rows whose label is among the k largest entries.

    Args:
        input: Shape [N, C].
        label: Shape [N, 1].
    """
    from ..metric import accuracy as compute

    return compute(input, label, k)


__getattr__ = _lazy.attribute_hook(__name__, ("nn", "amp", "quantization"), {})
