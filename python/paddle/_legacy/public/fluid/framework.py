# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`paddle.fluid.framework`: `paddle.base.framework`, and names that only PaddlePaddle 1 and 2 have."""

from ..framework.modes import in_dynamic_mode
from ..framework.parameter import EagerParamBase
from . import absent

ParamBase = EagerParamBase
_non_static_mode = _in_eager_without_dygraph_check = in_dynamic_mode


def _in_legacy_dygraph():
    """False: there is one dynamic mode."""
    return False


def _varbase_creator(type=None, name=None, shape=None, dtype=None, persistable=None, **kwargs):
    """A tensor whose values a later call writes."""
    from ..base.framework import _create_tensor

    return _create_tensor(type, name, shape, dtype, persistable, **kwargs)


def _get_var(name, program=None):
    """The variable of a program that has the name; of the default main program for None."""
    from ..static.program import default_main_program

    return (program or default_main_program()).global_block().var(name)


def cuda_pinned_places(device_count=None):
    """Raises RuntimeError: paddle has no CUDA."""
    from .executor import cuda_pinned_places

    return cuda_pinned_places(device_count)


def generate_control_dev_var_name():
    """A new name for a variable that only orders operators."""
    from ..base.framework import CONTROL_DEP_VAR_PREFIX
    from ..utils import unique_name

    return unique_name.generate(CONTROL_DEP_VAR_PREFIX)


def __getattr__(name):
    from ..base import framework

    try:
        return getattr(framework, name)
    except AttributeError as reason:
        raise absent.error(__name__, name) from reason
