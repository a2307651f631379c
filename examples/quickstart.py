# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Trains a byte-level Llama on English text, captures it, exports it, and generates with it.

    python examples/quickstart.py [--steps N] [--out FOLDER]

The text is Python's language reference (pydoc_data.topics), which every Python installation carries; its
last tenth is held out. The loss curve is drawn with matplotlib (`pip install -r tools/requirements-examples.txt`).
"""

import argparse
import bz2
import gzip
import lzma
import math
import os
import resource
import sys
import time

import numpy as np
import paddle
import paddle.nn.functional as F
from llama import Llama
from matplotlib.figure import Figure

BATCH, LENGTH = 16, 128


def draw(path, losses):
    """Writes the loss over the steps as a picture."""
    figure = Figure(figsize=(8, 4.8), layout="constrained")
    axes = figure.subplots()
    axes.plot(losses)
    axes.set(xlabel="step", ylabel="loss")
    axes.grid(alpha=0.3)
    figure.savefig(path)


def load_text():
    """(training bytes, held-out bytes) as uint8 arrays."""
    from pydoc_data.topics import topics

    text = np.frombuffer("\n".join(topics.values()).encode(), dtype=np.uint8)
    cut = len(text) * 9 // 10
    return text[:cut], text[cut:]


def sample_batch(text, rng):
    starts = rng.integers(0, len(text) - LENGTH - 1, BATCH)
    rows = np.stack([text[s : s + LENGTH + 1] for s in starts]).astype(np.int64)
    return paddle.to_tensor(rows[:, :-1]), paddle.to_tensor(rows[:, 1:])


def loss_of(model, tokens, targets):
    logits = model(tokens)
    return F.cross_entropy(logits.reshape([-1, 256]), targets.reshape([-1]))


def make_optimizer(model, steps):
    warmup = max(1, steps // 20)
    cosine = paddle.optimizer.lr.CosineAnnealingDecay(3e-3, T_max=max(1, steps - warmup), eta_min=3e-4)
    schedule = paddle.optimizer.lr.LinearWarmup(cosine, warmup_steps=warmup, start_lr=3e-4, end_lr=3e-3)
    clip = paddle.nn.ClipGradByGlobalNorm(1.0)
    optimizer = paddle.optimizer.AdamW(
        schedule, beta2=0.95, weight_decay=0.1, parameters=model.parameters(), grad_clip=clip
    )
    return optimizer, schedule


def train(text, steps, captured=False, total=None, show=True):
    """(model, losses, tokens per second). `total` is the length of the schedule."""
    paddle.seed(2024)
    rng = np.random.default_rng(2024)
    model = Llama(longest=LENGTH)
    run = paddle.jit.to_static(model, full_graph=True) if captured else model
    optimizer, schedule = make_optimizer(model, total or steps)
    losses, begin = [], time.perf_counter()
    for step in range(steps):
        loss = loss_of(run, *sample_batch(text, rng))
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        schedule.step()
        losses.append(float(loss))
        if show:
            report(step + 1, steps, losses[-1], time.perf_counter() - begin)
    rate = steps * BATCH * LENGTH / (time.perf_counter() - begin)
    if show and sys.stderr.isatty():
        print(file=sys.stderr)
    return model, losses, rate


def report(step, steps, loss, seconds):
    done = 30 * step // steps
    rate = step * BATCH * LENGTH / seconds
    line = (
        f"\r[{'#' * done}{'.' * (30 - done)}] {step}/{steps}  loss {loss:.3f}  "
        f"{rate:,.0f} tokens/s  {seconds * (steps - step) / step:3.0f} s left "
    )
    if sys.stderr.isatty():
        print(line, end="", file=sys.stderr, flush=True)
    elif step == steps or step % max(1, steps // 10) == 0:
        print(line.strip(), file=sys.stderr, flush=True)


def bits_per_byte(model, text):
    """Mean over the held-out text, each byte predicted from up to LENGTH before it."""
    model.eval()
    total, count = 0.0, 0
    with paddle.no_grad():
        for start in range(0, len(text) - 1, LENGTH * BATCH):
            piece = text[start : start + LENGTH * BATCH + 1].astype(np.int64)
            rows = (len(piece) - 1) // LENGTH
            if rows == 0:
                break
            tokens = paddle.to_tensor(piece[: rows * LENGTH].reshape(rows, LENGTH))
            targets = paddle.to_tensor(piece[1 : rows * LENGTH + 1].reshape(rows, LENGTH))
            total += float(loss_of(model, tokens, targets)) * rows * LENGTH
            count += rows * LENGTH
    return total / count / math.log(2)


def compressed_bits_per_byte(compress, text, held_out):
    """What the held-out text adds to the compressed training text."""
    return 8 * (len(compress(text.tobytes() + held_out.tobytes())) - len(compress(text.tobytes()))) / len(held_out)


def generate(model, prompt, count):
    """(text, tokens per second): samples at temperature 0.8 from the loaded program."""
    rng = np.random.default_rng(1)
    tokens = list(prompt.encode())
    begin = time.perf_counter()
    with paddle.no_grad():
        for _ in range(count):
            window = np.array([tokens[-LENGTH:]], dtype=np.int64)
            logits = model(paddle.to_tensor(window))[0, -1].numpy().astype(np.float64) / 0.8
            weights = np.exp(logits - logits.max())
            tokens.append(int(rng.choice(256, p=weights / weights.sum())))
    return bytes(tokens).decode("utf-8", "replace"), count / (time.perf_counter() - begin)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=400, help="of training (default: 400)")
    parser.add_argument("--out", default="quickstart-output", help="folder of the results (default: quickstart-output)")
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    text, held_out = load_text()

    print(f"1. Training on {len(text):,} bytes, {len(held_out):,} held out")
    model, losses, rate = train(text, options.steps)
    curve = os.path.join(options.out, "loss.png")
    draw(curve, losses)

    first = min(20, options.steps)
    print(f"2. The first {first} steps again through paddle.jit.to_static")
    _, captured, captured_rate = train(text, first, captured=True, total=options.steps, show=False)
    equal = captured == losses[:first]
    print(f"   losses equal: {equal} (last: {losses[first - 1]:.6f} eager, {captured[-1]:.6f} captured)")
    if not equal:
        sys.exit("the captured program does not give the losses of eager execution")

    print("3. Exporting, loading back, generating")
    prefix = os.path.join(options.out, "llama")
    model.eval()
    paddle.jit.save(model, prefix, input_spec=[paddle.static.InputSpec([None, None], "int64", "tokens")])
    sample, generation_rate = generate(paddle.jit.load(prefix), "The ", 200)
    print("   " + sample.replace("\n", "\n   "))

    print("4. Results")
    rows = [("held-out bits per byte, this model", f"{bits_per_byte(model, held_out):.3f}")]
    for name, compress in (
        ("gzip -9", lambda b: gzip.compress(b, 9)),
        ("bz2 -9", lambda b: bz2.compress(b, 9)),
        ("xz -9e", lambda b: lzma.compress(b, preset=9 | lzma.PRESET_EXTREME)),
    ):
        rows.append((f"held-out bits per byte, {name}", f"{compressed_bits_per_byte(compress, text, held_out):.3f}"))
    rows += [
        ("training, tokens/s", f"{rate:,.0f}"),
        ("training through to_static, tokens/s", f"{captured_rate:,.0f}"),
        ("generation, tokens/s", f"{generation_rate:,.0f}"),
        ("peak memory, MiB", f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f}"),
    ]
    for name, value in rows:
        print(f"   {name:<40}{value:>10}")
    print(f"   loss curve: {curve}")


if __name__ == "__main__":
    main()
