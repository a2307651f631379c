# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`ExponentialMovingAverage` of the parameters of a program."""

import contextlib

from .. import _core
from ..framework import modes
from ..utils import unique_name
from .program import default_main_program
from .scope import global_scope
from .state import create_global_var


class ExponentialMovingAverage:
    """Averages of parameters, later steps weighing more: average = decay * average + (1 - decay) * parameter, divided
    by one minus the product of the decays where it is used.

    Args:
        decay: How much of the average stays in a step.
        thres_steps: Variable t; then the decay is min(decay, (1 + t) / (10 + t)).
        name: Prefix of the names of the averages.
    """

    def __init__(self, decay=0.999, thres_steps=None, name=None):
        if modes.in_dynamic_mode():
            raise Exception("ExponentialMovingAverage: it works on static programs; call paddle.enable_static() first.")
        decay = float(decay)
        self._decay, self._steps, self._name = decay, thres_steps, name or ""
        parameters = [p for p in default_main_program()._read_parameters() if getattr(p, "do_model_average", True)]
        self._pairs = [(p, self._average_of(p)) for p in parameters if not p.stop_gradient]
        self._rest = create_global_var([1], 1.0, "float32", True, name=unique_name.generate("ema_rest"))
        self._kept = {}

    def _average_of(self, parameter):
        name = unique_name.generate(f"{self._name}{parameter.name}_ema")
        return create_global_var(parameter.shape, 0.0, parameter.dtype, True, name=name)

    def update(self):
        """Append the step of the averages to the program; call it after the optimizer's minimize."""
        with modes.no_grad():
            decay = _core.ops.full([1], self._decay, _core.float32)
            if self._steps is not None:
                steps = self._steps.astype("float32").reshape([1])
                decay = _core.ops.minimum(decay, (steps + 1.0) / (steps + 10.0))
            for parameter, average in self._pairs:
                share = decay.astype(average.dtype)
                moved = average * share + parameter * (1.0 - share)
                _core.assign_inplace(average, moved.reshape(average.shape), "assign")
            _core.assign_inplace(self._rest, self._rest * decay, "assign")

    @contextlib.contextmanager
    def _applied(self, executor, need_restore):
        try:
            yield
        finally:
            if need_restore:
                self.restore(executor)

    def apply(self, executor, need_restore=True):
        """Put the averages into the parameters; a context manager that undoes it at its end.

        Args:
            executor: Accepted for its place in the call.
            need_restore: False leaves the averages there until `restore`.
        """
        scope = global_scope()
        with modes.eager_region(), modes.no_grad():
            share = 1.0 - scope._holder(self._rest)
            for parameter, average in self._pairs:
                holder = scope._holder(parameter)
                self._kept[parameter.name] = _core.ops.assign(holder.detach())
                if float(share) > 0:
                    value = scope._holder(average) / share.astype(average.dtype)
                    holder.set_value(value.reshape(holder.shape))
        return self._applied(executor, need_restore)

    def restore(self, executor):
        """Give the parameters the values from before `apply`.

        Args:
            executor: Accepted for its place in the call.
        """
        scope = global_scope()
        with modes.eager_region(), modes.no_grad():
            for parameter, _ in self._pairs:
                if parameter.name in self._kept:
                    scope._holder(parameter).set_value(self._kept.pop(parameter.name))
