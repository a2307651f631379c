# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What the build has and what the processor can, asked under names of `paddle.base.core`."""

import enum
import functools

from .. import _legacy


@functools.cache
def _processor_flags():
    """Names of the instruction sets of the processor; empty where the system does not list them."""
    try:
        with open("/proc/cpuinfo") as f:
            for line in f:
                if line.startswith(("flags", "Features")):
                    return frozenset(line.partition(":")[2].split())
    except OSError:
        pass
    return frozenset()


def supports_vnni():
    """Whether the processor has products of int8 vectors."""
    return bool(_processor_flags() & {"avx512_vnni", "avx_vnni"})


def supports_avx512f():
    """Whether the processor has vectors of 512 bits."""
    return "avx512f" in _processor_flags()


def supports_bfloat16_fast_performance():
    """Whether the processor has products of bfloat16 matrices."""
    return "amx_bf16" in _processor_flags()


def avx_supported():
    """Whether the processor has vectors of 256 bits."""
    return "avx" in _processor_flags()


def _absent():
    return False


is_compiled_with_nccl = is_compiled_with_mpi = is_compiled_with_mpi_aware = _absent
is_compiled_with_brpc = is_compiled_with_cudnn_frontend = is_compiled_with_flagcx = _absent
is_compiled_with_deepep = _is_compiled_with_heterps = _absent


def is_compiled_with_avx():
    """True: kernels choose the widest vectors of the processor when they run."""
    return True


class AmpLevel(enum.IntEnum):
    """Levels of mixed precision, see `paddle.amp.auto_cast`."""

    O0 = 0
    OD = 1
    O1 = 2
    O2 = 3
    O3 = 4


class XPUVersion(enum.IntEnum):
    """Generations of a device that paddle does not drive."""

    XPU1 = 0
    XPU2 = 1
    XPU3 = 2


get_xpu_device_version = _legacy.absent_names("paddle.base.core", __name__)["get_xpu_device_version"]


def kEmptyVarName():
    """The name that stands for no variable."""
    return "@EMPTY@"


def kGradVarSuffix():
    """What the name of a gradient ends with."""
    return "@GRAD"


def kTempVarName():
    """The name that stands for a variable that is dropped."""
    return "@TEMP@"


def kZeroVarSuffix():
    """What the name of a gradient of zeros ends with."""
    return "@ZERO"


def kControlDepVarName():
    """What the name of a variable that only orders operators begins with."""
    return "@CTRL_DEP@"


empty_var_name, grad_var_suffix = kEmptyVarName, kGradVarSuffix


def size_of_dtype(dtype):
    """Bytes of an element."""
    from ..framework.dtypes import convert

    return convert(dtype).itemsize


def broadcast_shape(x_shape, y_shape):
    """The shape of the sum of tensors of two shapes."""
    from .. import broadcast_shape as common

    return common(x_shape, y_shape)


def get_all_op_names(lib="all"):
    """Names of the operators.

    Args:
        lib: Kept for programs that ask for the kernels of one library.
    """
    from .. import _core

    return [name for name in dir(_core.ops) if not name.startswith("__")]


def disable_signal_handler():
    """Nothing to do: no handler of signals is installed."""
