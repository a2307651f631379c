# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Group relative policy optimisation (Shao et al., "DeepSeekMath", 2024) of a small decoder, from nothing but a reward.

    python examples/grpo.py [--steps 1000] [--compare]

A prompt is a row of digits and "="; the reward is the share of the answer's digits that are those of the prompt from last to
first. In every step each prompt gets a group of answers, drawn by the engine from the weights as they are; an answer's advantage
is its reward against those of its group. The engine's log-probabilities are those of the policy that drew, so the first update of
a step has the ratio 1. Printed: mean reward of the steps, and what part of the time generation takes; with --compare, how much
faster the engine draws than a loop of forward passes over the whole sequences.
"""

import argparse
import random
import time

import numpy as np
import paddle
from paddle.llm import SamplingParams
from paddle.llm.models import Decoder, DecoderConfig, Rotary
from paddle.nn import functional as F

DIGITS, EQUALS = 10, 10


def make_policy(length):
    """A decoder over digits and "="."""
    sizes = dict(
        vocab_size=16, hidden_size=64, intermediate_size=128, num_layers=2, num_heads=4, num_kv_heads=4, head_dim=16
    )
    return Decoder(DecoderConfig("llama", **sizes, rotary=Rotary(16), max_positions=2 * length + 2))


def make_prompts(rng, count, length):
    """Rows of digits, each with "=" behind it."""
    return [[rng.randrange(DIGITS) for _ in range(length)] + [EQUALS] for _ in range(count)]


def reward(prompt, answer):
    """The share of digits that are those of the prompt from last to first."""
    wanted = prompt[-2::-1]
    return sum(a == b for a, b in zip(answer, wanted, strict=True)) / len(wanted)


def draw(policy, prompts, length, group, seed):
    """A group of answers to each prompt: (tokens, log-probability of each token) of all, in order."""
    params = SamplingParams(max_tokens=length, n=group, seed=seed, logprobs=0, ignore_eos=True)
    groups = policy.generate(prompts, params, engine_options=dict(max_batch=len(prompts) * group))
    answers = [answer for answers in groups for answer in answers]
    return [a.tokens for a in answers], np.array([[t.log_prob for t in a.log_probs] for a in answers], "float32")


def log_probs_of(policy, prompts, answers):
    """Log-probabilities of the tokens of answers, a Tensor [answers, length]."""
    rows = paddle.to_tensor([prompt + answer for prompt, answer in zip(prompts, answers, strict=True)])
    first = len(prompts[0]) - 1
    logits = policy(rows)[:, first:-1]
    chosen = F.log_softmax(logits, -1).take_along_axis(rows[:, first + 1 :].unsqueeze(-1), -1)
    return chosen.squeeze(-1)


def advantages_of(rewards, group):
    """Rewards against the mean of their group, in its standard deviations."""
    rewards = np.array(rewards, "float32").reshape(-1, group)
    centred = rewards - rewards.mean(1, keepdims=True)
    return (centred / (rewards.std(1, keepdims=True) + 1e-4)).reshape(-1, 1)


def objective(new, old, advantages, clip):
    """What is minimised: minus the clipped objective of proximal policy optimisation (Schulman et al. 2017)."""
    ratio = (new - old).exp()
    return -paddle.minimum(ratio * advantages, ratio.clip(1 - clip, 1 + clip) * advantages).mean(), ratio


@paddle.no_grad()
def plain_loop(policy, prompts, length):
    """Draws answers by forward passes over the whole sequences."""
    rows = paddle.to_tensor(prompts)
    for _ in range(length):
        logits = policy(rows)[:, -1]
        rows = paddle.concat([rows, paddle.multinomial(F.softmax(logits, -1), 1).astype(rows.dtype)], 1)
    return rows


def compare(policy, prompts, length, group):
    """Prints tokens a second of the engine and of the plain loop, for the same number of answers."""
    all_prompts = [prompt for prompt in prompts for _ in range(group)]
    rates = []
    for run in (lambda: draw(policy, prompts, length, group, 1), lambda: plain_loop(policy, all_prompts, length)):
        run()
        times = []
        for _ in range(3):
            begin = time.perf_counter()
            run()
            times.append(time.perf_counter() - begin)
        rates.append(len(all_prompts) * length / sorted(times)[1])
    print(f"drawing {length} tokens after {len(prompts[0])}: engine {rates[0]:,.0f} tokens/s, ", end="")
    print(f"plain loop {rates[1]:,.0f} tokens/s: {rates[0] / rates[1]:.1f} times as fast")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--digits", type=int, default=4)
    parser.add_argument("--prompts", type=int, default=16, help="prompts of a step")
    parser.add_argument("--group", type=int, default=16, help="answers to a prompt")
    parser.add_argument("--updates", type=int, default=1, help="updates of a step")
    parser.add_argument("--clip", type=float, default=0.2)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--compare", action="store_true", help="the engine against a plain loop, on long sequences")
    options = parser.parse_args()
    rng = random.Random(0)
    paddle.seed(0)
    policy = make_policy(options.digits)
    optimizer = paddle.optimizer.Adam(
        options.rate, parameters=policy.parameters(), grad_clip=paddle.nn.ClipGradByGlobalNorm(1.0)
    )
    begin, drawing, mean = time.perf_counter(), 0.0, []
    for step in range(options.steps):
        prompts = make_prompts(rng, options.prompts, options.digits)
        before = time.perf_counter()
        answers, old = draw(policy, prompts, options.digits, options.group, 1 + step * options.group)
        drawing += time.perf_counter() - before
        asked = [prompt for prompt in prompts for _ in range(options.group)]
        rewards = [reward(prompt, answer) for prompt, answer in zip(asked, answers, strict=True)]
        advantages = paddle.to_tensor(advantages_of(rewards, options.group))
        old = paddle.to_tensor(old)
        for update in range(options.updates):
            loss, ratio = objective(log_probs_of(policy, asked, answers), old, advantages, options.clip)
            if update == 0:
                drift = float((ratio - 1).abs().max())
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
        mean.append(sum(rewards) / len(rewards))
        if (step + 1) % 100 == 0 or step == 0:
            seconds = time.perf_counter() - begin
            print(
                f"step {step + 1:4}  reward {sum(mean[-100:]) / len(mean[-100:]):.3f}  {seconds:5.1f} s, {drawing / seconds:.0%} of it "
                f"drawing; first ratio off by {drift:.1e}",
                flush=True,
            )
    policy.release_engine()
    if options.compare:
        longer = make_policy(128)
        compare(longer, make_prompts(rng, 4, 128), 120, 8)


if __name__ == "__main__":
    main()
