# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`LookAhead` and `ModelAverage`: slow copies of parameters beside those that an optimizer moves."""

import contextlib

from ... import _core
from ...framework.memory import write
from ...framework.modes import eager_region, no_grad, recording_program

ops = _core.ops


def _values_of(parameter):
    """The first values of a copy of a parameter."""
    return lambda: ops.assign(parameter.detach())


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
        if not hasattr(inner_optimizer, "_parameter_list"):
            raise AttributeError(
                f"LookAhead: inner_optimizer has type {type(inner_optimizer).__name__}; pass an optimizer."
            )
        if not 0.0 <= alpha <= 1.0:
            raise AssertionError(f"LookAhead: alpha has value {alpha}; it must be in [0, 1].")
        if not isinstance(k, int) or k <= 0:
            raise AssertionError(f"LookAhead: k has value {k}; it must be a positive int.")
        self.inner_optimizer, self.alpha, self.k = inner_optimizer, alpha, k
        self._steps, self._slow = 0, {}

    def __getattr__(self, name):
        if name == "inner_optimizer" or name.startswith("__"):  # it is being copied or loaded
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")
        return getattr(self.inner_optimizer, name)

    def step(self):
        """One step of the inner optimizer; every k-th moves the slow copies and returns to them."""
        parameters = [p for p in self.inner_optimizer._parameter_list if not p.stop_gradient]
        self.inner_optimizer.step()
        self._steps += 1
        for p in parameters:
            if p.name not in self._slow:  # as in PaddlePaddle slow copies begin after the first step
                self._slow[p.name] = ops.assign(p.detach())
        if self._steps % self.k:
            return
        for p in parameters:
            slow = self._slow[p.name]
            moved = slow + (p.detach() - slow) * self.alpha
            write(slow, moved)
            write(p, moved)

    def minimize(self, loss, startup_program=None, parameters=None, no_grad_set=None):
        """`step` after `loss.backward()`; None and the (parameter, gradient) pairs."""
        if recording_program() is not None:
            done, pairs = self.inner_optimizer.minimize(loss, startup_program, parameters, no_grad_set)
            self._append([p for p, _ in pairs])
            return done, pairs
        pairs = [(p, p.grad) for p in self.inner_optimizer._parameter_list if p.grad is not None]
        self.step()
        return [], pairs

    def _append(self, parameters):
        """Append the moves of slow copies to the static program that is recorded."""
        from ...static.state import create_state

        with no_grad():
            steps = create_state("lookahead_step", lambda: ops.full([1], 0, _core.int32))
            _core.assign_inplace(steps, steps + 1, "assign")
            first = ops.equal(steps, ops.full_like(steps, 1))
            due = ops.equal(ops.remainder(steps, ops.full_like(steps, self.k)), ops.full_like(steps, 0))
            for p in parameters:
                slow = create_state(f"{p.name}_slow", _values_of(p))
                before = ops.where(first, p, slow)
                moved = ops.where(due, before + (p - before) * self.alpha, before)
                _core.assign_inplace(p, ops.where(due, moved, p), "assign")
                _core.assign_inplace(slow, moved, "assign")

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
        if not parameters and recording_program() is None:
            raise AttributeError("ModelAverage: parameters is None; pass the parameters of the model.")
        self.average_window, self.min_average_window = average_window_rate, min_average_window
        self.max_average_window = max_average_window
        if recording_program() is not None:
            return self._append(parameters or recording_program()._read_parameters())
        self._parameters = [p for p in parameters if not p.stop_gradient]
        self._sum = [ops.full_like(p.detach(), 0.0) for p in self._parameters]
        self._old = [ops.full_like(p.detach(), 0.0) for p in self._parameters]
        self._count = self._old_count = self._updates = 0
        self._kept = None

    def _append(self, parameters):
        """Append the sums to the static program that is recorded."""
        from ...static.state import create_state

        def state(name, shape, dtype):
            return create_state(name, lambda: ops.full([int(n) for n in shape], 0, dtype))

        self._parameters = [p for p in parameters if not p.stop_gradient]
        self._kept = None
        with no_grad():
            self._sum = [state(f"{p.name}_sum", p.shape, p.dtype) for p in self._parameters]
            self._old = [state(f"{p.name}_old_sum", p.shape, p.dtype) for p in self._parameters]
            names = ("num_accumulates", "old_num_accumulates", "num_updates")
            self._counts = [state(name, [1], _core.int64) for name in names]
            count, old_count, updates = self._counts
            one_more, made = count + 1, updates + 1
            window = ops.cast(ops.cast(made, _core.float64) * self.average_window, _core.int64).clip(
                0, self.max_average_window
            )
            full = ops.logical_and(one_more >= self.min_average_window, one_more >= window)
            for total, old, p in zip(self._sum, self._old, self._parameters, strict=True):
                grown = total + p
                _core.assign_inplace(old, ops.where(full, grown, old), "assign")
                _core.assign_inplace(total, ops.where(full, ops.full_like(grown, 0.0), grown), "assign")
            _core.assign_inplace(old_count, ops.where(full, one_more, old_count), "assign")
            _core.assign_inplace(count, ops.where(full, ops.full_like(one_more, 0), one_more), "assign")
            _core.assign_inplace(updates, made, "assign")

    def _held(self, tensors):
        """The tensors that hold the values: of static programs those of the current scope."""
        if not hasattr(self, "_counts"):
            return tensors
        from ...static.scope import global_scope

        return [global_scope()._holder(t) for t in tensors]

    def step(self):
        """Add the parameters as they are now to the sums."""
        for total, p in zip(self._sum, self._parameters, strict=True):
            write(total, total + p.detach())
        self._count += 1
        self._updates += 1
        window = min(self.max_average_window, int(self._updates * self.average_window))
        if self._count >= self.min_average_window and self._count >= window:
            for old, total in zip(self._old, self._sum, strict=True):
                write(old, total)
                write(total, ops.full_like(total, 0.0))
            self._old_count, self._count = self._count, 0

    def minimize(self, loss, startup_program=None, parameters=None, no_grad_set=None):
        """As `step`; the loss is not read."""
        self.step()

    def clear_grad(self, set_to_zero=True):
        """Forget the gradients of the parameters.

        Args:
            set_to_zero: Whether they become zeros instead of None.
        """
        for p in self._parameters:
            p.clear_gradient(set_to_zero)

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
        with eager_region(), no_grad():
            if hasattr(self, "_counts"):
                self._count, self._old_count = (int(t) for t in self._held(self._counts[:2]))
            count = self._count + self._old_count
            parameters = self._held(self._parameters)
            if count:
                self._kept = [ops.assign(p.detach()) for p in parameters]
                for p, total, old in zip(parameters, self._held(self._sum), self._held(self._old), strict=True):
                    write(p, (total + old) / float(count))
        return self._applied(need_restore)

    def restore(self, executor=None):
        """Give the parameters the values from before apply()."""
        with eager_region(), no_grad():
            for p, kept in zip(self._held(self._parameters), self._kept or (), strict=False):
                write(p, kept)
        self._kept = None
