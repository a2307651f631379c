# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Minima of functions of one tensor by quasi-Newton steps (Nocedal and Wright, Numerical Optimization, chapters 3, 6
and 7): BFGS keeps the inverse of the Hessian, L-BFGS the last differences."""

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


def _strong_wolfe(objective, x, direction, start, step, most):
    """A step that satisfies the strong Wolfe conditions with 1e-4 and 0.9, or the best of `most` tries.

    Returns:
        step, and (value, value as a tensor, gradient) there.
    """
    value0, slope0 = start[0], _dot(start[2], direction)

    def at(a):
        found = objective(x + direction * a)
        return found, found[0], _dot(found[2], direction)

    low, low_value, low_slope, low_found = 0.0, value0, slope0, start
    high = None
    for _ in range(max(most, 1)):
        found, value, slope = at(step)
        too_high = value > value0 + 1e-4 * step * slope0 or (value >= low_value and low > 0)
        if not too_high and abs(slope) <= -0.9 * slope0:
            return step, found
        if too_high or value != value:
            high, high_value = step, value
        else:
            if high is not None and slope * (high - low) >= 0:
                high, high_value = low, low_value
            elif high is None and slope >= 0:
                high, high_value = low, low_value
            low, low_value, low_slope, low_found = step, value, slope, found
        step = 2 * step if high is None else _between(low, low_value, low_slope, high, high_value)
    return low, low_found


def _between(low, low_value, low_slope, high, high_value):
    """The minimum of the parabola through both ends, kept away from them."""
    width = high - low
    bend = high_value - low_value - low_slope * width
    guess = low - low_slope * width * width / (2 * bend) if bend > 0 else low + width / 2
    inner = sorted((low + 0.1 * width, high - 0.1 * width))
    return min(max(guess, inner[0]), inner[1]) if guess == guess else low + width / 2


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
        step, ahead = _strong_wolfe(objective, x, direction, found, initial_step, max_search)
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
        elif history:
            step, change = history[-1]
            q = q * (_dot(step, change) / _dot(change, change))
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
