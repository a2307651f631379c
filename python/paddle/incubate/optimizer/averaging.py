# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`LookAhead` and `ModelAverage`: slow copies of parameters beside those that an optimizer moves."""

import contextlib

from ... import _core
from ...framework.memory import write

ops = _core.ops


class LookAhead:
    """Every k steps the parameters go back to slow copies that have moved towards them (Zhang et al., 2019).

    Args:
        inner_optimizer: The optimizer that makes the steps.
        alpha: How far the slow copies move, in [0, 1].
        k: Steps between two moves.
    """

    def __init__(self, inner_optimizer, alpha=0.5, k=5, name=None):
        if inner_optimizer is None:
            raise AssertionError("LookAhead: inner_optimizer is None; pass an optimizer.")
        if not 0.0 <= alpha <= 1.0:
            raise AssertionError(f"LookAhead: alpha has value {alpha}; it must be in [0, 1].")
        if not isinstance(k, int) or k <= 0:
            raise AssertionError(f"LookAhead: k has value {k}; it must be a positive int.")
        self.inner_optimizer, self.alpha, self.k = inner_optimizer, alpha, k
        self._steps, self._slow = 0, {}

    def __getattr__(self, name):
        return getattr(self.inner_optimizer, name)

    def step(self):
        """One step of the inner optimizer; every k-th moves the slow copies and returns to them."""
        parameters = [p for p in self.inner_optimizer._parameter_list if not p.stop_gradient]
        for p in parameters:
            if p.name not in self._slow:
                self._slow[p.name] = ops.assign(p.detach())
        self.inner_optimizer.step()
        self._steps += 1
        if self._steps % self.k:
            return
        for p in parameters:
            slow = self._slow[p.name]
            moved = slow + (p.detach() - slow) * self.alpha
            write(slow, moved)
            write(p, moved)

    def minimize(self, loss, startup_program=None, parameters=None, no_grad_set=None):
        """`step` after `loss.backward()`; None and the (parameter, gradient) pairs."""
        pairs = [(p, p.grad) for p in self.inner_optimizer._parameter_list if p.grad is not None]
        self.step()
        return [], pairs

    def state_dict(self):
        """State of the inner optimizer, with the slow copies under `<parameter>_slow`."""
        slow = {f"{name}_slow": tensor for name, tensor in self._slow.items()}
        return {**self.inner_optimizer.state_dict(), **slow, "@LOOKAHEAD_STEP": self._steps}

    def set_state_dict(self, state_dict):
        """Take over a state."""
        state = dict(state_dict)
        self._steps = int(state.pop("@LOOKAHEAD_STEP", 0))
        for name in [key for key in state if key.endswith("_slow")]:
            value = state.pop(name)
            self._slow[name[: -len("_slow")]] = ops.assign(
                value if isinstance(value, _core.Tensor) else _core.to_tensor(value)
            )
        self.inner_optimizer.set_state_dict(state)

    set_dict = set_state_dict


class ModelAverage:
    """Averages of parameters over a window of steps, to be used in their place for evaluation.

    The window has at least `min_average_window` steps and at most min(`max_average_window`, steps made *
    `average_window_rate`); when it is full it is the old part of the next one.

    Args:
        average_window_rate: Share of the steps made that the window may hold.
        parameters: The parameters.
        min_average_window, max_average_window: Bounds of the window.
    """

    def __init__(
        self, average_window_rate, parameters=None, min_average_window=10000, max_average_window=10000, name=None
    ):
        if not parameters:
            raise AttributeError("ModelAverage: parameters is None; pass the parameters of the model.")
        self.average_window, self.min_average_window = average_window_rate, min_average_window
        self.max_average_window = max_average_window
        self._parameters = [p for p in parameters if not p.stop_gradient]
        self._sum = [ops.full_like(p.detach(), 0.0) for p in self._parameters]
        self._old = [ops.full_like(p.detach(), 0.0) for p in self._parameters]
        self._count = self._old_count = self._updates = 0
        self._kept = None

    def step(self):
        """Add the parameters as they are now to the sums."""
        for total, p in zip(self._sum, self._parameters, strict=True):
            write(total, total + p.detach())
        self._count += 1
        self._updates += 1
        window = min(self.max_average_window, self._updates * self.average_window)
        if self._count >= self.min_average_window and self._count >= window:
            for old, total in zip(self._old, self._sum, strict=True):
                write(old, total)
                write(total, ops.full_like(total, 0.0))
            self._old_count, self._count = self._count, 0

    def minimize(self, loss, startup_program=None, parameters=None, no_grad_set=None):
        """As `step`; the loss is not read."""
        self.step()

    @contextlib.contextmanager
    def _applied(self, need_restore):
        yield
        if need_restore:
            self.restore()

    def apply(self, executor=None, need_restore=True):
        """Put the averages into the parameters; a context manager that undoes it at its end.

        Args:
            executor: Not read.
            need_restore: False leaves the averages there until restore().
        """
        count = self._count + self._old_count
        if count:
            self._kept = [ops.assign(p.detach()) for p in self._parameters]
            for p, total, old in zip(self._parameters, self._sum, self._old, strict=True):
                write(p, (total + old) / float(count))
        return self._applied(need_restore)

    def restore(self, executor=None):
        """Give the parameters the values from before apply()."""
        for p, kept in zip(self._parameters, self._kept or (), strict=False):
            write(p, kept)
        self._kept = None
