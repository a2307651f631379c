# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Cases of the parameter updates."""

import numpy as np

from tests.op_cases import Case


def _adam_arguments(rng, **more):
    arrays = {name: rng.standard_normal(5) for name in ("param", "grad")}
    return dict(
        **arrays,
        learning_rate=np.array([0.1]),
        moment1=rng.standard_normal(5),
        moment2=rng.random(5),
        beta1_pow=np.array([0.81]),
        beta2_pow=np.array([0.998]),
        **more,
    )


def _adam(
    param, grad, learning_rate, moment1, moment2, beta1_pow, beta2_pow, coeff=0.0, lr_ratio=1.0, moment2_max=None, **_
):
    rate = learning_rate * lr_ratio
    param = param * (1 - rate * coeff)
    moment1, moment2 = 0.9 * moment1 + 0.1 * grad, 0.999 * moment2 + 0.001 * grad**2
    greatest = moment2 if moment2_max is None else np.maximum(moment2, moment2_max)
    denominator = np.sqrt(greatest / (1 - beta2_pow)) + 1e-8
    out = param - rate * moment1 / (1 - beta1_pow) / denominator
    return (out, moment1, moment2, None if moment2_max is None else greatest, 0.9 * beta1_pow, 0.999 * beta2_pow)


def _lazy_arguments(rng, **more):
    table = {name: rng.random((4, 3)) + 0.1 for name in ("param", "grad", "moment1", "moment2")}
    table["grad"][[1, 3]] = 0
    table["grad"][2, 1] = 0
    return {**_adam_arguments(rng), **table, "lazy_mode": True, **more}


def _lazy_adam(param, grad, learning_rate, moment1, moment2, **more):
    """The step, in rows that have a gradient."""
    out, next1, next2, *rest = _adam(param, grad, learning_rate, moment1, moment2, **more)
    used = grad.any(axis=1, keepdims=True)
    return tuple(np.where(used, a, b) for a, b in ((out, param), (next1, moment1), (next2, moment2))) + tuple(rest)


def _arguments(order, **more):
    def make(rng):
        values = {
            "vector": lambda: rng.standard_normal(5),
            "positive": lambda: rng.random(5) + 0.1,
            "rate": lambda: np.array([0.1]),
        }
        return {**{name: values[kind]() for name, kind in order}, **more}

    return make


def _adagrad(param, grad, moment, learning_rate, epsilon):
    moment = moment + grad**2
    return param - learning_rate * grad / (np.sqrt(moment) + epsilon), moment


def _adadelta(param, grad, avg_squared_grad, avg_squared_update, learning_rate, rho, epsilon):
    grads = rho * avg_squared_grad + (1 - rho) * grad**2
    update = np.sqrt((avg_squared_update + epsilon) / (grads + epsilon)) * grad
    return param - learning_rate * update, grads, rho * avg_squared_update + (1 - rho) * update**2


def _rmsprop(param, mean_square, grad, moment, learning_rate, epsilon, decay, momentum, centered, mean_grad=None):
    square = decay * mean_square + (1 - decay) * grad**2
    spread = square
    if centered:
        mean_grad = decay * mean_grad + (1 - decay) * grad
        spread = square - mean_grad**2
    moment = momentum * moment + learning_rate * grad / np.sqrt(spread + epsilon)
    return param - moment, moment, square, mean_grad


def _adamax(param, grad, learning_rate, moment, inf_norm, beta1_pow, beta1, beta2, epsilon):
    moment = beta1 * moment + (1 - beta1) * grad
    norm = np.maximum(np.abs(grad), beta2 * inf_norm + epsilon)
    return param - learning_rate / (1 - beta1_pow) * moment / norm, moment, norm


def _lamb(param, grad, learning_rate, moment1, moment2, beta1_pow, beta2_pow, weight_decay, always_adapt):
    moment1, moment2 = 0.9 * moment1 + 0.1 * grad, 0.999 * moment2 + 0.001 * grad**2
    step = moment1 / (1 - beta1_pow) / (np.sqrt(moment2 / (1 - beta2_pow)) + 1e-6) + weight_decay * param
    scale = np.linalg.norm(param) / np.linalg.norm(step) if weight_decay or always_adapt else 1.0
    return param - learning_rate * scale * step, moment1, moment2, 0.9 * beta1_pow, 0.999 * beta2_pow


def _nadam(param, grad, learning_rate, momentum_decay_pow, beta2_pow, mu_product, moment1, moment2):
    decay_pow, beta2_pow = 0.96 * momentum_decay_pow, 0.999 * beta2_pow
    mu = 0.9 * (1 - 0.5 * decay_pow**0.004)
    following = 0.9 * (1 - 0.5 * (0.96 * decay_pow) ** 0.004)
    product = mu_product * mu
    moment1, moment2 = 0.9 * moment1 + 0.1 * grad, 0.999 * moment2 + 0.001 * grad**2
    mean = following * moment1 / (1 - product * following) + (1 - mu) * grad / (1 - product)
    out = param - learning_rate * mean / (np.sqrt(moment2 / (1 - beta2_pow)) + 1e-8)
    return out, decay_pow, beta2_pow, product, moment1, moment2


def _radam(param, grad, learning_rate, beta1_pow, beta2_pow, rho, moment1, moment2):
    steps = round(np.log(float(beta2_pow[0])) / np.log(0.999)) + 1
    beta1_pow, beta2_pow = 0.9 * beta1_pow, 0.999 * beta2_pow
    limit = 2 / (1 - 0.999) - 1
    rho = steps * beta2_pow / (1 - beta2_pow)
    length = limit - 2 * rho
    moment1, moment2 = 0.9 * moment1 + 0.1 * grad, 0.999 * moment2 + 0.001 * grad**2
    scale = 1.0
    if length > 5:
        scale = np.sqrt((length - 4) * (length - 2) * limit / ((limit - 4) * (limit - 2) * length))
        scale = scale * np.sqrt(1 - beta2_pow) / (np.sqrt(moment2) + 1e-8)
    out = param - learning_rate * moment1 / (1 - beta1_pow) * scale
    return out, beta1_pow, beta2_pow, rho, moment1, moment2


def _asgd(param, grad, learning_rate, d, y, n):
    d = d - y + grad
    return param - learning_rate / n * d, d, grad


def _rprop(param, grad, prev, learning_rate, learning_rate_range, etas):
    sign = np.sign(grad * prev)
    faster = np.minimum(learning_rate * etas[1], learning_rate_range[1])
    slower = np.maximum(learning_rate * etas[0], learning_rate_range[0])
    rates = np.where(sign > 0, faster, np.where(sign < 0, slower, learning_rate))
    used = np.where(sign < 0, 0.0, grad)
    return param - np.sign(used) * rates, used, rates


def _adaptive():
    """Rows (operator, arguments, reference, label) of the updates with state per element."""
    base = (("param", "vector"), ("grad", "vector"))
    rate = (("learning_rate", "rate"),)

    yield "adagrad_", _arguments((*base, ("moment", "positive"), *rate), epsilon=1e-6), _adagrad, ""

    squares = (("avg_squared_grad", "positive"), ("avg_squared_update", "positive"))
    yield "adadelta_", _arguments((*base, *squares, *rate), rho=0.9, epsilon=1e-5), _adadelta, ""

    order = (("param", "vector"), ("mean_square", "positive"), ("grad", "vector"), ("moment", "vector"), *rate)
    options = dict(epsilon=1e-3, decay=0.9, momentum=0.8)
    yield "rmsprop_", _arguments(order, centered=False, **options), _rmsprop, "plain"
    centred = _arguments(order, centered=True, mean_grad=np.full(5, 0.05), **options)
    yield "rmsprop_", centred, _rmsprop, "centred"

    order = (*base, *rate, ("moment", "vector"), ("inf_norm", "positive"))
    yield "adamax_", _arguments(order, beta1_pow=np.array([0.81]), beta1=0.9, beta2=0.99, epsilon=1e-8), _adamax, ""

    order = (*base, *rate, ("moment1", "vector"), ("moment2", "positive"))
    powers = dict(beta1_pow=np.array([0.81]), beta2_pow=np.array([0.99]))
    yield "lamb_", _arguments(order, weight_decay=0.01, always_adapt=False, **powers), _lamb, "decay"
    yield "lamb_", _arguments(order, weight_decay=0.0, always_adapt=False, **powers), _lamb, "undecayed"
    yield "lamb_", _arguments(order, weight_decay=0.0, always_adapt=True, **powers), _lamb, "adapted"

    moments = (("moment1", "vector"), ("moment2", "positive"))
    powers = dict(momentum_decay_pow=np.array([0.92]), beta2_pow=np.array([0.99]), mu_product=np.array([0.2]))
    yield "nadam_", _arguments((*base, *rate, *moments), **powers), _nadam, ""

    for steps, label in ((2, "first steps"), (9, "rectified")):
        power = 0.999**steps
        state = dict(
            beta1_pow=np.array([0.9**steps]),
            beta2_pow=np.array([power]),
            rho=np.array([steps * power / (1 - power)]),
        )
        yield "radam_", _arguments((*base, *rate, *moments), **state), _radam, label

    yield "asgd_", _arguments((*base, *rate, ("d", "vector"), ("y", "vector")), n=np.array([3.0])), _asgd, ""

    order = (*base, ("prev", "vector"), ("learning_rate", "positive"))
    bounds = dict(learning_rate_range=np.array([0.2, 0.8]), etas=np.array([0.5, 1.2]))
    yield "rprop_", _arguments(order, **bounds), _rprop, ""


CASES = [
    Case(op="adam_", args=_adam_arguments, ref=_adam, dtypes=("float32", "float64")),
    Case(
        op="adam_",
        args=lambda rng: _adam_arguments(rng, moment2_max=rng.random(5), amsgrad=True),
        ref=_adam,
        dtypes=("float32", "float64"),
        id="greatest moment",
    ),
    Case(op="adam_", args=_lazy_arguments, ref=_lazy_adam, dtypes=("float32", "float64"), id="lazy"),
    Case(
        op="adamw_",
        args=lambda rng: _lazy_arguments(rng, coeff=0.05, with_decay=True),
        ref=_lazy_adam,
        dtypes=("float32", "float64"),
        id="lazy decay",
    ),
    Case(
        op="adamw_",
        args=lambda rng: _adam_arguments(rng, coeff=0.05, with_decay=True),
        ref=_adam,
        dtypes=("float32", "float64"),
        id="decay",
    ),
    Case(
        op="adamw_",
        args=lambda rng: _adam_arguments(rng, coeff=0.05, with_decay=True, lr_ratio=0.5),
        ref=_adam,
        dtypes=("float32", "float64"),
        id="slower",
    ),
    Case(
        op="sgd_",
        args=lambda rng: dict(param=rng.standard_normal(5), learning_rate=np.array([0.1]), grad=rng.standard_normal(5)),
        ref=lambda param, learning_rate, grad: param - learning_rate * grad,
        dtypes=("float32", "float64"),
    ),
    Case(
        op="momentum_",
        args=lambda rng: dict(
            param=rng.standard_normal(5),
            grad=rng.standard_normal(5),
            velocity=rng.standard_normal(5),
            learning_rate=np.array([0.1]),
            mu=0.9,
        ),
        ref=lambda param, grad, velocity, learning_rate, mu: (
            param - learning_rate * (mu * velocity + grad),
            mu * velocity + grad,
        ),
        dtypes=("float32", "float64"),
    ),
    *(
        Case(op=op, args=arguments, ref=reference, dtypes=("float32", "float64"), id=label)
        for op, arguments, reference, label in _adaptive()
    ),
]
