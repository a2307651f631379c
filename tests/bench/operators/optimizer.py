# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Rows of optimizer updates: one parameter of a million values, against one step of torch.optim."""

from . import normal, row


def update(op, ours, torch_class, states="", powers="", fused=False, **options):
    """ours(o, param, grad, rate, states, powers): the state tensors by name, zeros to begin with."""

    def ours_setup(o, p, g):
        state = {name: o.full([1024, 1024], 0.01, "float32") for name in states.split()}
        state |= {name: o.full([1], 0.5, "float32") for name in powers.split()}
        return p, g, o.full([1], 1e-3, "float32"), state

    def torch_setup(t, p, g):
        p.requires_grad_()
        p.grad = g
        more = dict(fused=True) if fused else {}
        return (getattr(t.optim, torch_class)([p], lr=1e-3, **options, **more),)

    return row(
        op,
        [normal(), normal()],
        ours,
        (lambda t, optimizer: optimizer.step()) if torch_class else None,
        ours_setup=ours_setup,
        torch_setup=torch_setup,
        checked=False,
        note="" if torch_class else "PyTorch has no LAMB",
    )


def step(op, **attributes):
    return lambda o, p, g, rate, state: getattr(o, op)(param=p, grad=g, learning_rate=rate, **state, **attributes)


MOMENTS = "moment1 moment2"
POWERS = "beta1_pow beta2_pow"


def asgd(o, p, g, rate, state):
    return o.asgd_(p, g, rate, state["d"], state["y"], state["n"], None)


def rprop_setup(o, p, g):
    big = [o.full([1024, 1024], v, "float32") for v in (0.01, 0.01)]
    small = [o.concat([o.full([1], v, "float32") for v in pair], 0) for pair in ((1e-6, 50.0), (0.5, 1.2))]
    return p, g, *big, *small


def torch_rprop(t, p, g):
    p.requires_grad_()
    p.grad = g
    return (t.optim.Rprop([p], lr=0.01),)


ROWS = [
    update("sgd_", step("sgd_"), "SGD", fused=True),
    update("momentum_", step("momentum_", mu=0.9), "SGD", "velocity", fused=True, momentum=0.9),
    update("adam_", step("adam_"), "Adam", MOMENTS, POWERS, fused=True),
    update("adamw_", step("adamw_", coeff=0.01, with_decay=True), "AdamW", MOMENTS, POWERS, fused=True),
    update("adagrad_", step("adagrad_"), "Adagrad", "moment", fused=True),
    update("adadelta_", step("adadelta_"), "Adadelta", "avg_squared_grad avg_squared_update"),
    update("rmsprop_", step("rmsprop_"), "RMSprop", "mean_square moment"),
    update("adamax_", step("adamax_"), "Adamax", "moment inf_norm", "beta1_pow"),
    update("lamb_", step("lamb_", weight_decay=0.01), "", MOMENTS, POWERS),
    update("nadam_", step("nadam_"), "NAdam", MOMENTS, "momentum_decay_pow beta2_pow mu_product"),
    update("radam_", step("radam_"), "RAdam", MOMENTS, POWERS + " rho"),
    update("asgd_", asgd, "ASGD", "d y", "n"),
    row(
        "rprop_",
        [normal(), normal()],
        lambda o, p, g, prev, rate, limits, etas: o.rprop_(p, g, prev, rate, None, limits, etas),
        lambda t, optimizer: optimizer.step(),
        ours_setup=rprop_setup,
        torch_setup=torch_rprop,
        checked=False,
    ),
]
