# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Minima of functions of one tensor by quasi-Newton steps (Nocedal and Wright, Numerical Optimization, chapters 3, 6
and 7): BFGS keeps the inverse of the Hessian, L-BFGS the last differences."""

import math

from ... import _core, _paths
from ...framework.dtypes import convert

ops = _core.ops

__all__ = ["minimize_bfgs", "minimize_lbfgs"]


class _Objective:
    """The function, its gradient, and how often both were computed."""

    def __init__(self, function):
        self.function, self.calls = function, 0

    def __call__(self, x):
        self.calls += 1
        x = x.detach()
        x.stop_gradient = False
        previous = _core.set_grad_enabled(True)
        try:
            value = self.function(x)
            (gradient,) = _core.grad([value], [x], [], False, False, True, [])
        finally:
            _core.set_grad_enabled(previous)
        return float(value), value.detach(), ops.full_like(x, 0.0) if gradient is None else gradient.detach()


def _dot(a, b):
    return float(ops.sum(a * b))


_MOST_STEP = 10.0  # no line search tries a longer one
_MARGIN = 0.1  # of an interval, between its ends and the next try
_SUFFICIENT, _FLAT = 1e-4, 0.9  # of the strong Wolfe conditions


class _Line:
    """The objective along a direction: at a step, the value, the slope and all that the objective gives."""

    def __init__(self, objective, x, direction):
        self.objective, self.x, self.direction = objective, x, direction
        self.zero = self.at(0.0)

    def at(self, step):
        found = self.objective(self.x + self.direction * step)
        return step, found[0], _dot(found[2], self.direction), found

    def too_high(self, point):
        return point[1] > self.zero[1] + _SUFFICIENT * point[0] * self.zero[2]

    def is_flat(self, point):
        return abs(point[2]) <= -_FLAT * self.zero[2]


def _strong_wolfe(objective, x, direction, first, most):
    """A step that satisfies the strong Wolfe conditions (algorithm 3.5); 0 when `most` tries find none.

    Returns:
        step, and (value, value as a tensor, gradient) there.
    """
    line = _Line(objective, x, direction)
    before, step = line.zero, first
    for i in range(most):
        point = line.at(step)
        if point[1] != point[1] or line.too_high(point) or (i > 1 and point[1] >= before[1]):
            return _zoom(line, before, point, most)
        if line.is_flat(point):
            return point[0], point[3]
        if point[2] >= 0:
            return _zoom(line, point, before, most)
        before = (*point[:2], line.zero[2], point[3])  # as in PaddlePaddle, with the slope where the search began
        step = min(2 * step, _MOST_STEP)
    return 0.0, line.zero[3]


def _zoom(line, low, high, most):
    """A step between two, of which `low` has the lower value and descends towards the other (algorithm 3.6)."""
    for _ in range(most):
        if abs(high[0] - low[0]) < 1e-8:
            break
        point = line.at(_between(low, high))
        if point[1] != point[1] or line.too_high(point) or point[1] >= low[1]:
            high = point
            continue
        if line.is_flat(point):
            line.objective.calls -= 1  # PaddlePaddle does not count the try that ends it
            return point[0], point[3]
        if point[2] * (high[0] - low[0]) >= 0:
            high = low
        low = point
    return low[0], low[3]


def _between(one, other):
    """The minimum of the cubic with the values and slopes of both ends (equation 3.59); the middle where there is none or
    one that is close to an end."""
    (a, value_a, slope_a, _), (b, value_b, slope_b, _) = sorted((one, other), key=lambda point: point[0])
    d1 = slope_a + slope_b - 3 * (value_a - value_b) / (a - b)
    square = d1 * d1 - slope_a * slope_b
    if not square >= 0:
        return (a + b) / 2
    d2 = math.sqrt(square)
    width = slope_b - slope_a + 2 * d2
    guess = b - (b - a) * (slope_b + d2 - d1) / width if width else a
    return guess if min(guess - a, b - guess) >= _MARGIN * (b - a) else (a + b) / 2


def _check(name, line_search_fn, dtype, initial_position):
    if line_search_fn != "strong_wolfe":
        raise NotImplementedError(f"{name}: line_search_fn has value {line_search_fn!r}; it must be 'strong_wolfe'.")
    if dtype not in ("float32", "float64"):
        raise ValueError(f"{name}: dtype has value {dtype!r}; it must be 'float32' or 'float64'.")
    if initial_position.ndim != 1:
        raise ValueError(f"{name}: initial_position has shape {initial_position.shape}; it must have one axis.")
    return ops.cast(initial_position.detach(), convert(dtype))


def _minimize(objective, x, direction_of, learn, settings):
    max_iters, tolerance_grad, tolerance_change, initial_step, max_search = settings
    found = objective(x)
    converged = float(ops.max(ops.abs(found[2]))) < tolerance_grad
    for _ in range(max_iters):
        if converged:
            break
        direction = direction_of(found[2])
        if _dot(direction, found[2]) >= 0:  # no descent: the estimate has lost its meaning
            direction = -found[2]
        step, ahead = _strong_wolfe(objective, x, direction, initial_step, max_search)
        moved = direction * step
        learn(moved, ahead[2] - found[2])
        x, change, found = x + moved, float(ops.max(ops.abs(moved))), ahead
        converged = float(ops.max(ops.abs(found[2]))) < tolerance_grad
        if change < tolerance_change:
            break
    return (
        _core.to_tensor([converged]),
        _core.to_tensor([objective.calls]),
        x,
        found[1],
        found[2],
    )


def minimize_bfgs(
    objective_func,
    initial_position,
    max_iters=50,
    tolerance_grad=1e-07,
    tolerance_change=1e-09,
    initial_inverse_hessian_estimate=None,
    line_search_fn="strong_wolfe",
    max_line_search_iters=50,
    initial_step_length=1.0,
    dtype="float32",
    name=None,
):
    """A minimum of a function by BFGS.

    Args:
        objective_func: From a tensor [n] to a tensor of one element.
        initial_position: Where to start, [n].
        max_iters: Most steps.
        tolerance_grad: It has converged when no element of the gradient is larger.
        tolerance_change: It ends when no element of a step is larger.
        initial_inverse_hessian_estimate: A symmetric positive definite [n, n]; the identity by default.
        line_search_fn: 'strong_wolfe'.
        max_line_search_iters: Most tries of one line search.
        initial_step_length: First try of each line search.
        dtype: 'float32' or 'float64'.

    Returns:
        Whether it converged [1], number of evaluations [1], the position, the value and the gradient there, and
        the estimate of the inverse Hessian.
    """
    x = _check("minimize_bfgs", line_search_fn, dtype, initial_position)
    identity = ops.eye(x.shape[0], x.shape[0], x.dtype)
    state = {"inverse": identity if initial_inverse_hessian_estimate is None else initial_inverse_hessian_estimate}

    def learn(step, change):
        curvature = _dot(step, change)
        if curvature <= 0:
            return
        outer = ops.unsqueeze(step, [1]) * ops.unsqueeze(change, [0])
        left = identity - outer / curvature
        steps = ops.unsqueeze(step, [1]) * ops.unsqueeze(step, [0])
        state["inverse"] = ops.matmul(ops.matmul(left, state["inverse"]), left, False, True) + steps / curvature

    settings = (max_iters, tolerance_grad, tolerance_change, initial_step_length, max_line_search_iters)
    results = _minimize(_Objective(objective_func), x, lambda g: -ops.mv(state["inverse"], g), learn, settings)
    return (*results, state["inverse"])


def minimize_lbfgs(
    objective_func,
    initial_position,
    history_size=100,
    max_iters=50,
    tolerance_grad=1e-08,
    tolerance_change=1e-08,
    initial_inverse_hessian_estimate=None,
    line_search_fn="strong_wolfe",
    max_line_search_iters=50,
    initial_step_length=1.0,
    dtype="float32",
    name=None,
):
    """A minimum of a function by L-BFGS, which keeps `history_size` differences instead of a matrix.

    Args and returns are those of `minimize_bfgs`, without the estimate in what is returned.
    """
    x = _check("minimize_lbfgs", line_search_fn, dtype, initial_position)
    history = []

    def direction_of(gradient):
        q, factors = gradient, []
        for step, change in reversed(history):
            factor = _dot(step, q) / _dot(step, change)
            factors.append(factor)
            q = q - change * factor
        if initial_inverse_hessian_estimate is not None:
            q = ops.mv(initial_inverse_hessian_estimate, q)
        for (step, change), factor in zip(history, reversed(factors), strict=True):
            q = q + step * (factor - _dot(change, q) / _dot(step, change))
        return -q

    def learn(step, change):
        if _dot(step, change) > 0:
            history.append((step, change))
            del history[:-history_size]

    settings = (max_iters, tolerance_grad, tolerance_change, initial_step_length, max_line_search_iters)
    return _minimize(_Objective(objective_func), x, direction_of, learn, settings)


_paths.attach(__name__)
