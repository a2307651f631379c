# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""A network solves the heat equation and finds the diffusivity from a few noisy measurements.

    python examples/heat_equation.py [STEPS]

On a rod of length 1 whose ends are kept at 0, the temperature obeys u_t = a u_xx. With u(x, 0) = sin(pi x) it is
exp(-a pi^2 t) sin(pi x). The network sees neither this solution nor a = 0.1, only 40 measurements with an error of
1 %. Its loss is the residual of the equation, whose derivatives `paddle.grad` takes through the network, and the
misfit of the measurements; a is a parameter like the weights (M. Raissi, P. Perdikaris, G. E. Karniadakis,
Physics-informed neural networks, J. Comput. Phys. 378, 2019).
"""

import math
import sys
import time

import numpy as np
import paddle
from paddle import nn

DIFFUSIVITY = 0.1


def exact(x, t):
    """The temperature at positions x and times t; both are arrays of one shape."""
    return np.exp(-DIFFUSIVITY * math.pi**2 * t) * np.sin(math.pi * x)


class Rod(nn.Layer):
    """The temperature u(x, t), 0 at both ends by its form, and the diffusivity."""

    def __init__(self, width=32):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(2, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 1)
        )
        self.log_a = self.create_parameter([], default_initializer=nn.initializer.Constant(0.0))

    def forward(self, x, t):
        return x * (1 - x) * self.net(paddle.concat([x, t], axis=1))

    def residual(self, x, t):
        """u_t - a u_xx at points of shape [n, 1]."""
        u = self(x, t)
        u_t, u_x = paddle.grad(u, [t, x], create_graph=True)
        (u_xx,) = paddle.grad(u_x, x, create_graph=True)
        return u_t - paddle.exp(self.log_a) * u_xx


def column(values):
    """An array of n numbers as a tensor of shape [n, 1] whose gradient can be asked for."""
    return paddle.to_tensor(np.asarray(values, "float32").reshape(-1, 1), stop_gradient=False)


def main(steps=3000):
    paddle.seed(0)
    rng = np.random.default_rng(0)
    x, t = column(rng.random(400)), column(rng.random(400))
    at_x, at_t = rng.random(40), rng.random(40)
    measured = exact(at_x, at_t) * (1 + 0.01 * rng.standard_normal(40))
    sensor_x, sensor_t, temperature = column(at_x), column(at_t), column(measured)

    rod = Rod()
    schedule = paddle.optimizer.lr.CosineAnnealingDecay(5e-3, T_max=steps)
    optimizer = paddle.optimizer.Adam(schedule, parameters=rod.parameters())

    @paddle.jit.to_static(full_graph=True)
    def loss_of(x, t):
        equation = (rod.residual(x, t) ** 2).mean()
        return equation + 10 * ((rod(sensor_x, sensor_t) - temperature) ** 2).mean()

    begin = time.perf_counter()
    for step in range(steps):
        loss = loss_of(x, t)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        schedule.step()
        if step % (steps // 5 or 1) == 0:
            print(f"step {step:5d}  loss {float(loss):.2e}  diffusivity {rod.log_a.exp().item():.4f}")

    grid_x, grid_t = np.meshgrid(np.linspace(0, 1, 50), np.linspace(0, 1, 50))
    with paddle.no_grad():
        found = rod(column(grid_x), column(grid_t)).numpy().reshape(grid_x.shape)
    wanted = exact(grid_x, grid_t)
    error = np.linalg.norm(found - wanted) / np.linalg.norm(wanted)
    a = rod.log_a.exp().item()
    print(f"{steps} steps in {time.perf_counter() - begin:.1f} s")
    print(f"relative error of the temperature {error:.2%}, diffusivity {a:.4f} (true: {DIFFUSIVITY})")
    return error, a


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
