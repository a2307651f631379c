# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`paddle.fluid.dygraph`: layers and learning rates of dynamic mode in the forms of PaddlePaddle 1 and 2."""

from ... import _paths
from ...base.dygraph import disable_dygraph, enable_dygraph, enabled, grad, guard, no_grad, no_grad_
from ...nn import Layer, LayerList, ParameterList, Sequential
from .. import absent
from . import learning_rate_scheduler, nn
from .checkpoint import load_dygraph, save_dygraph
from .jit import ProgramTranslator, TracedLayer, declarative, dygraph_to_static_func
from .parallel import DataParallel, ParallelEnv, prepare_context
from .variables import in_training, to_variable

globals().update({_name: getattr(nn, _name) for _name in nn.__all__})
globals().update({_name: getattr(learning_rate_scheduler, _name) for _name in learning_rate_scheduler.__all__})
_OWN = (
    "DataParallel Layer LayerList ParallelEnv ParameterList ProgramTranslator Sequential TracedLayer declarative "
    "disable_dygraph dygraph_to_static_func enable_dygraph enabled grad guard in_training load_dygraph no_grad no_grad_ "
    "prepare_context save_dygraph to_variable"
).split()
__all__ = sorted([*_OWN, *nn.__all__, *learning_rate_scheduler.__all__])

_paths.attach(__name__)


def __getattr__(name):
    if name in ("amp", "jit", "rnn", "parallel_helper"):
        import importlib

        return importlib.import_module(f"{__name__}.{name}")
    if name == "LSTMCell" or name == "GRUCell":
        from . import rnn

        return getattr(rnn, name)
    if name in ("AmpScaler", "amp_guard"):
        from . import amp

        return getattr(amp, name)
    raise absent.error(__name__, name)
