# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Fourier neural operator in 2D: 4 layers, width 32, 12 modes, grid 64x64, batch 8: step time."""

from harness import fill_paddle, fill_torch, normal, uniform

BATCH, GRID, WIDTH, MODES, LAYERS, RATE = 8, 64, 32, 12, 4, 1e-3


def spectral_weights(name):
    return uniform(name, (2, WIDTH, WIDTH, MODES, MODES, 2), WIDTH * WIDTH)


def measure(bench, step):
    for _ in range(3):
        loss = float(step())
    bench.check("loss_after_3_steps", loss)
    bench.time("step", step)


def run_paddle(bench):
    paddle = bench.paddle()
    nn, F = paddle.nn, paddle.nn.functional

    class Spectral(nn.Layer):
        def __init__(self, name):
            super().__init__()
            value = spectral_weights(name)
            self.weight = self.create_parameter(value.shape)
            self.weight.set_value(value)

        def forward(self, x):
            f = paddle.fft.rfft2(x)
            w = paddle.as_complex(self.weight)
            low = paddle.einsum("bixy,ioxy->boxy", f[:, :, :MODES, :MODES], w[0])
            high = paddle.einsum("bixy,ioxy->boxy", f[:, :, -MODES:, :MODES], w[1])
            middle = paddle.zeros([BATCH, WIDTH, GRID - 2 * MODES, MODES], "complex64")
            left = paddle.concat([low, middle, high], 2)
            right = paddle.zeros([BATCH, WIDTH, GRID, GRID // 2 + 1 - MODES], "complex64")
            return paddle.fft.irfft2(paddle.concat([left, right], 3), s=[GRID, GRID])

    class FNO(nn.Layer):
        def __init__(self):
            super().__init__()
            self.lift = nn.Conv2D(3, WIDTH, 1)
            self.spectral = nn.LayerList([Spectral(f"spectral.{i}") for i in range(LAYERS)])
            self.local = nn.LayerList([nn.Conv2D(WIDTH, WIDTH, 1) for _ in range(LAYERS)])
            self.project1, self.project2 = nn.Conv2D(WIDTH, 128, 1), nn.Conv2D(128, 1, 1)

        def forward(self, x):
            x = self.lift(x)
            for i, (spectral, local) in enumerate(zip(self.spectral, self.local, strict=False)):
                x = spectral(x) + local(x)
                if i + 1 < LAYERS:
                    x = F.gelu(x)
            return self.project2(F.gelu(self.project1(x)))

    model = fill_paddle(FNO())
    adam = paddle.optimizer.Adam(RATE, parameters=model.parameters())
    x = paddle.to_tensor(normal("x", [BATCH, 3, GRID, GRID]))
    y = paddle.to_tensor(normal("y", [BATCH, 1, GRID, GRID]))

    def loss_of(x, y):
        return F.mse_loss(model(x), y)

    loss_of = bench.maybe_compile(loss_of)

    def step():
        loss = loss_of(x, y)
        loss.backward()
        adam.step()
        adam.clear_grad()
        return loss

    measure(bench, step)


def run_torch(bench):
    torch = bench.torch()
    nn, F = torch.nn, torch.nn.functional

    class Spectral(nn.Module):
        def __init__(self, name):
            super().__init__()
            self.weight = nn.Parameter(torch.from_numpy(spectral_weights(name)))

        def forward(self, x):
            f = torch.fft.rfft2(x)
            w = torch.view_as_complex(self.weight)
            low = torch.einsum("bixy,ioxy->boxy", f[:, :, :MODES, :MODES], w[0])
            high = torch.einsum("bixy,ioxy->boxy", f[:, :, -MODES:, :MODES], w[1])
            middle = torch.zeros(BATCH, WIDTH, GRID - 2 * MODES, MODES, dtype=torch.complex64)
            left = torch.cat([low, middle, high], 2)
            right = torch.zeros(BATCH, WIDTH, GRID, GRID // 2 + 1 - MODES, dtype=torch.complex64)
            return torch.fft.irfft2(torch.cat([left, right], 3), s=(GRID, GRID))

    class FNO(nn.Module):
        def __init__(self):
            super().__init__()
            self.lift = nn.Conv2d(3, WIDTH, 1)
            self.spectral = nn.ModuleList([Spectral(f"spectral.{i}") for i in range(LAYERS)])
            self.local = nn.ModuleList([nn.Conv2d(WIDTH, WIDTH, 1) for _ in range(LAYERS)])
            self.project1, self.project2 = nn.Conv2d(WIDTH, 128, 1), nn.Conv2d(128, 1, 1)

        def forward(self, x):
            x = self.lift(x)
            for i, (spectral, local) in enumerate(zip(self.spectral, self.local, strict=False)):
                x = spectral(x) + local(x)
                if i + 1 < LAYERS:
                    x = F.gelu(x)
            return self.project2(F.gelu(self.project1(x)))

    model = fill_torch(FNO())
    adam = torch.optim.Adam(model.parameters(), lr=RATE)
    x = torch.from_numpy(normal("x", [BATCH, 3, GRID, GRID]))
    y = torch.from_numpy(normal("y", [BATCH, 1, GRID, GRID]))

    def loss_of(x, y):
        return F.mse_loss(model(x), y)

    loss_of = bench.maybe_compile(loss_of)

    def step():
        loss = loss_of(x, y)
        loss.backward()
        adam.step()
        adam.zero_grad()
        return loss

    measure(bench, step)
