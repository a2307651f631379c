# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Resident memory over many steps of varying sizes: it must stay flat after the first ones.

    python tests/bench/soak.py [train] [captured] [predict] [--steps 10000] [--within 0.05]

train: training steps of a small convolutional network, batch sizes drawn from 1 to 48. captured: the
same through to_static with a symbolic batch size. predict: runs of paddle.inference over 128 shapes,
nearly all of which the first 500 runs meet: compiled convolutions are kept for up to 1024 shapes.
Prints one JSON line per mode; the exit status is 1 when memory grew.
"""

import argparse
import json
import os
import sys
import tempfile

import numpy as np

WARM = {"train": 200, "captured": 200, "predict": 500}


def resident_mib():
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def network(paddle, classes=10):
    nn = paddle.nn
    return nn.Sequential(
        nn.Conv2D(3, 16, 3, padding=1),
        nn.BatchNorm2D(16),
        nn.ReLU(),
        nn.MaxPool2D(2),
        nn.Conv2D(16, 32, 3, padding=1),
        nn.GELU(),
        nn.AdaptiveAvgPool2D(4),
        nn.Flatten(),
        nn.Dropout(0.1),
        nn.Linear(512, 64),
        nn.LayerNorm(64),
        nn.Linear(64, classes),
    )


def training_step(captured):
    import paddle

    paddle.seed(7)
    model = network(paddle)
    schedule = paddle.optimizer.lr.CosineAnnealingDecay(1e-3, T_max=100)
    adam = paddle.optimizer.AdamW(
        schedule, parameters=model.parameters(), grad_clip=paddle.nn.ClipGradByGlobalNorm(1.0)
    )

    def loss_of(x, y):
        return paddle.nn.functional.cross_entropy(model(x), y)

    if captured:
        spec = paddle.static.InputSpec
        loss_of = paddle.jit.to_static(
            loss_of, input_spec=[spec([None, 3, 16, 16], "float32"), spec([None], "int64")], full_graph=True
        )

    def step(random):
        batch = int(random.integers(1, 49))
        x = paddle.to_tensor(random.standard_normal((batch, 3, 16, 16), dtype=np.float32))
        y = paddle.to_tensor(random.integers(0, 10, batch))
        loss = loss_of(x, y)
        loss.backward()
        adam.step()
        adam.clear_grad()
        schedule.step()
        return float(loss)

    return step


def prediction():
    import paddle
    from paddle import inference

    folder = tempfile.TemporaryDirectory()
    model = network(paddle)
    model.eval()
    path = os.path.join(folder.name, "net")
    paddle.jit.save(model, path, input_spec=[paddle.static.InputSpec([None, 3, None, None], "float32", name="x")])
    predictor = inference.create_predictor(inference.Config(path + ".json", path + ".pdiparams"))
    given = predictor.get_input_handle("x")
    result = predictor.get_output_handle(predictor.get_output_names()[0])

    def run(random):
        batch, height, width = int(random.integers(1, 9)), *(8 * int(random.integers(1, 5)) for _ in range(2))
        given.copy_from_cpu(random.standard_normal((batch, 3, height, width), dtype=np.float32))
        predictor.run()
        return float(result.copy_to_cpu().sum())

    run.folder = folder
    return run


def soak(mode, steps):
    """The greatest resident memory of the second half of the first steps, and of all later ones."""
    step = prediction() if mode == "predict" else training_step(mode == "captured")
    random = np.random.default_rng(3)
    warm = min(WARM[mode], steps // 2)
    early = late = 0.0
    for i in range(steps):
        value = step(random)
        if not np.isfinite(value):
            raise RuntimeError(f"soak: step {i} of {mode} gave {value}")
        if warm // 2 <= i < warm:
            early = max(early, resident_mib())
        elif i >= warm:
            late = max(late, resident_mib())
    return {"mode": mode, "steps": steps, "early_mib": round(early, 1), "late_mib": round(late, 1)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modes", nargs="*", default=list(WARM), help="train, captured, predict")
    parser.add_argument("--steps", type=int, default=10000)
    parser.add_argument("--within", type=float, default=0.05, help="growth that is allowed, relative")
    options = parser.parse_args()
    grew = False
    for mode in options.modes:
        record = soak(mode, options.steps)
        record["growth"] = round(record["late_mib"] / record["early_mib"] - 1, 4)
        grew |= record["growth"] > options.within
        print(json.dumps(record), flush=True)
    return 1 if grew else 0


if __name__ == "__main__":
    sys.exit(main())
