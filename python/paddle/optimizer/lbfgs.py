# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`LBFGS`: quasi-Newton steps from the latest changes of parameters and gradients.

Nocedal and Wright, Numerical Optimization, 2006: algorithms 7.4 (two loops), 7.5 (L-BFGS), 3.5 and
3.6 (line search for the strong Wolfe conditions) with the cubic interpolation of equation 3.59.
"""

import math

from .. import _core
from ..framework.memory import write
from .optimizer import Optimizer

ops = _core.ops


def _dot(a, b):
    return float(ops.sum(a * b).item())


def _cubic_minimum(x1, f1, g1, x2, f2, g2, low=None, high=None):
    """Minimiser of the cubic through two points with their slopes, kept within the bounds."""
    if low is None:
        low, high = min(x1, x2), max(x1, x2)
    d1 = g1 + g2 - 3 * (f1 - f2) / (x1 - x2)
    square = d1 * d1 - g1 * g2
    if square < 0:
        return (low + high) / 2
    d2 = math.sqrt(square) if x1 <= x2 else -math.sqrt(square)
    denominator = g2 - g1 + 2 * d2
    if denominator == 0:
        return (low + high) / 2
    return min(max(x2 - (x2 - x1) * (g2 + d2 - d1) / denominator, low), high)


class _Point:
    """The objective along a line: step, value, gradient, slope."""

    def __init__(self, step, value, gradient, slope):
        self.step, self.value, self.gradient, self.slope = step, value, gradient, slope


def _strong_wolfe(evaluate, start, step, size, c1=1e-4, c2=0.9, tolerance=1e-9, limit=25):
    """A point that satisfies the strong Wolfe conditions, and the number of evaluations.

    Args:
        evaluate: step -> _Point.
        start: The _Point at step 0.
        step: The first step.
        size: Largest entry of the direction.
    """

    def too_high(point, below):
        return point.value > start.value + c1 * point.step * start.slope or point.value >= below.value

    previous, count = start, 0
    low = high = None
    while count < limit:
        point = evaluate(step)
        count += 1
        if not math.isfinite(point.value):
            low, high = previous, point
            break
        if point.value > start.value + c1 * step * start.slope or (count > 1 and point.value >= previous.value):
            low, high = previous, point
            break
        if abs(point.slope) <= -c2 * start.slope:
            return point, count
        if point.slope >= 0:
            low, high = point, previous
            break
        shortest, longest = step + 0.01 * (step - previous.step), step * 10
        step = _cubic_minimum(
            previous.step, previous.value, previous.slope, step, point.value, point.slope, shortest, longest
        )
        previous = point
    if low is None:
        return previous, count
    if low.value > high.value and math.isfinite(high.value):
        low, high = high, low
    stuck = False
    while count < limit:
        width = abs(high.step - low.step)
        if width == 0 or width * size < tolerance:
            break
        if math.isfinite(high.value):
            step = _cubic_minimum(low.step, low.value, low.slope, high.step, high.value, high.slope)
        else:
            step = (low.step + high.step) / 2
        left, right = min(low.step, high.step), max(low.step, high.step)
        if min(right - step, step - left) < 0.1 * width:
            if stuck or step >= right or step <= left:
                step = right - 0.1 * width if abs(step - right) < abs(step - left) else left + 0.1 * width
                stuck = False
            else:
                stuck = True
        else:
            stuck = False
        point = evaluate(step)
        count += 1
        if too_high(point, low):
            high = point
            if high.value < low.value:
                low, high = high, low
            continue
        if abs(point.slope) <= -c2 * start.slope:
            return point, count
        if point.slope * (high.step - low.step) >= 0:
            high = low
        low = point
    return low, count


class LBFGS(Optimizer):
    """Quasi-Newton steps; `step` takes a function that computes the loss and its gradients.

    Args:
        learning_rate: Factor on each step.
        max_iter: Iterations per call of `step`.
        max_eval: Evaluations of the loss per call of `step`; None: 1.25 max_iter.
        tolerance_grad: Ends when no entry of the gradient is larger.
        tolerance_change: Ends when parameters or loss change less.
        history_size: Number of changes that are kept.
        line_search_fn: None for fixed steps, or 'strong_wolfe'.
    """

    def __init__(
        self,
        learning_rate=1.0,
        max_iter=20,
        max_eval=None,
        tolerance_grad=1e-07,
        tolerance_change=1e-09,
        history_size=100,
        line_search_fn=None,
        parameters=None,
        weight_decay=None,
        grad_clip=None,
        name=None,
    ):
        if line_search_fn not in (None, "strong_wolfe"):
            raise RuntimeError(f"LBFGS: line_search_fn has value {line_search_fn!r}; pass None or 'strong_wolfe'.")
        self.max_iter = max_iter
        self.max_eval = max_iter * 5 // 4 if max_eval is None else max_eval
        self.tolerance_grad, self.tolerance_change = tolerance_grad, tolerance_change
        self.history_size, self.line_search_fn = history_size, line_search_fn
        self.learning_rate = learning_rate
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)
        self.state = {"func_evals": 0, "n_iter": 0}

    def minimize(self, loss, startup_program=None, parameters=None, no_grad_set=None):
        """Not defined: a step evaluates the loss several times. Call `step(closure)`."""
        raise NotImplementedError("LBFGS.minimize: a step evaluates the loss several times; call step(closure).")

    def state_dict(self):
        """The history under 'state'."""
        return {"state": dict(self.state)}

    def set_state_dict(self, state_dict):
        """Take the history of a `state_dict`."""
        self.state = dict(state_dict["state"])

    # -- all parameters as one vector ------------------------------------------------------------
    def _trained(self):
        return [p for p in self._parameter_list if not p.stop_gradient]

    def _gradient(self):
        pairs = [(p, p.grad if p.grad is not None else ops.full_like(p, 0.0)) for p in self._trained()]
        if self._grad_clip is not None:
            pairs = self._grad_clip(pairs)
        group = self._groups[0]
        return ops.concat([ops.reshape(self._decayed(p, g, group), [-1]) for p, g in pairs], 0)

    def _values(self):
        return ops.concat([ops.reshape(p.detach(), [-1]) for p in self._trained()], 0)

    def _assign(self, values):
        at = 0
        for p in self._trained():
            write(p, ops.reshape(values[at : at + p.size], list(p.shape)))
            at += p.size

    # -- steps -----------------------------------------------------------------------------------
    def _direction(self, gradient):
        """-H gradient by the two loops over the kept changes."""
        steps, changes, scales = (self.state[name] for name in ("old_sk", "old_yk", "ro"))
        q = -gradient
        weights = []
        for s, y, scale in zip(reversed(steps), reversed(changes), reversed(scales), strict=True):
            weight = _dot(s, q) * float(scale)
            weights.append(weight)
            q = q - y * weight
        q = q * self.state["H_diag"]
        for s, y, scale, weight in zip(steps, changes, scales, reversed(weights), strict=True):
            q = q + s * (weight - _dot(y, q) * float(scale))
        return q

    def _remember(self, gradient):
        state = self.state
        change = gradient - state["prev_flat_grad"]
        step = state["d"] * state["alpha"]
        curvature = _dot(change, step)
        if curvature > 1e-10:
            for kept, new in (("old_sk", step), ("old_yk", change), ("ro", 1.0 / curvature)):
                state[kept] = [*state[kept], new][-self.history_size :]
            state["H_diag"] = curvature / _dot(change, change)

    def step(self, closure):
        """Minimise for up to `max_iter` iterations.

        Args:
            closure: Clears the gradients, computes the loss, calls `backward` and returns the loss.

        Returns:
            The loss before the first iteration.
        """

        def loss_and_gradient():
            previous = _core.set_grad_enabled(True)
            try:
                value = float(closure().item())
            finally:
                _core.set_grad_enabled(previous)
            self.state["func_evals"] += 1
            return value, self._gradient()

        previous = _core.set_grad_enabled(True)
        try:
            first = closure()
        finally:
            _core.set_grad_enabled(previous)
        self.state["func_evals"] += 1
        previous = _core.set_grad_enabled(False)
        try:
            self._minimise(float(first.item()), self._gradient(), loss_and_gradient)
        finally:
            _core.set_grad_enabled(previous)
        return first

    def _minimise(self, loss, gradient, loss_and_gradient):
        state, evaluations = self.state, 1
        if float(ops.max(ops.abs(gradient)).item()) <= self.tolerance_grad:
            return
        for iteration in range(1, self.max_iter + 1):
            state["n_iter"] += 1
            if state["n_iter"] == 1:
                state.update(old_sk=[], old_yk=[], ro=[], al=[None] * self.history_size, H_diag=1.0)
                state["d"] = -gradient
            else:
                self._remember(gradient)
                state["d"] = self._direction(gradient)
            state["prev_flat_grad"], state["prev_loss"] = gradient, loss
            rate = self.get_lr()
            if state["n_iter"] == 1:
                rate *= min(1.0, 1.0 / float(ops.sum(ops.abs(gradient)).item()))
            slope = _dot(gradient, state["d"])
            if slope > -self.tolerance_change:
                break
            before = loss
            if self.line_search_fn is None:
                self._assign(self._values() + state["d"] * rate)
                state["alpha"] = rate
                if iteration != self.max_iter:
                    loss, gradient = loss_and_gradient()
                    evaluations += 1
            else:
                loss, gradient, used = self._search(loss, gradient, slope, rate, loss_and_gradient)
                evaluations += used
            if evaluations >= self.max_eval or float(ops.max(ops.abs(gradient)).item()) <= self.tolerance_grad:
                break
            moved = float(ops.max(ops.abs(state["d"])).item()) * abs(state["alpha"])
            if moved <= self.tolerance_change or abs(loss - before) < self.tolerance_change:
                break

    def _search(self, loss, gradient, slope, rate, loss_and_gradient):
        origin, direction = self._values(), self.state["d"]

        def evaluate(step):
            self._assign(origin + direction * step)
            value, at = loss_and_gradient()
            return _Point(step, value, at, _dot(at, direction))

        size = float(ops.max(ops.abs(direction)).item())
        point, used = _strong_wolfe(
            evaluate, _Point(0.0, loss, gradient, slope), rate, size, tolerance=self.tolerance_change
        )
        self._assign(origin + direction * point.step)
        self.state["alpha"] = point.step
        return point.value, point.gradient, used
