# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Fine-tune a quantised language model on Python's help topics with LoRA, and use what it has learned.

    python examples/finetune_lora.py gemma-3-270m.gguf [--steps 60] [--out tuned]

The matrices of the file stay as they are, in their few bits; beside each of them two narrow float32 matrices are trained (Hu et
al. 2021; over quantised weights Dettmers et al. 2023). Printed: perplexity of topics that the training does not see, before and
after. Written into --out: the adapter in PEFT's layout, and the merged model as GGUF in Q8_0, which `paddle serve` reads.
"""

import argparse
import math
import os
import random
import time
from pydoc_data.topics import topics

import paddle
from paddle.llm import LLM, SamplingParams, load_model, load_tokenizer, lora
from paddle.llm.formats import GGUFFile
from paddle.llm.models import save_gguf

HELD_OUT = 10  # every tenth topic


def texts():
    """(training text, held-out text)."""
    names = sorted(topics)
    held_out = names[::HELD_OUT]
    return "\n".join(topics[n] for n in names if n not in held_out), "\n".join(topics[n] for n in held_out)


def windows(ids, length):
    """Consecutive windows of tokens, [number, length]."""
    count = len(ids) // length
    return [ids[i * length : (i + 1) * length] for i in range(count)]


@paddle.no_grad()
def perplexity(model, held_out):
    """exp of the mean loss over windows of tokens."""
    model.eval()
    losses = [float(model(ids, labels=ids)[0]) for window in held_out for ids in [paddle.to_tensor([window])]]
    model.train()
    return math.exp(sum(losses) / len(losses))


def train(model, batches, steps, rate):
    """Adam with a rate that falls to 0."""
    schedule = paddle.optimizer.lr.CosineAnnealingDecay(rate, steps)
    optimizer = paddle.optimizer.AdamW(schedule, parameters=lora.parameters(model), weight_decay=0.0)
    begin, tokens = time.perf_counter(), 0
    for step in range(steps):
        ids = paddle.to_tensor(batches[step % len(batches)])
        loss, _ = model(ids, labels=ids)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        schedule.step()
        tokens += ids.size
        if (step + 1) % 10 == 0 or step + 1 == steps:
            rate_now = tokens / (time.perf_counter() - begin)
            print(f"step {step + 1:4}  loss {float(loss):.3f}  {rate_now:,.0f} tokens/s", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="a GGUF file")
    parser.add_argument("--out", default="tuned", help="folder")
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--batch", type=int, default=2)
    parser.add_argument("--length", type=int, default=256, help="tokens of a window")
    parser.add_argument("--rank", type=int, default=8)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--held-out", type=int, default=12, help="windows of the held-out text")
    options = parser.parse_args()
    paddle.seed(0)
    source = GGUFFile(options.model)
    model, tokenizer = load_model(source), load_tokenizer(source)
    training, held_out = (tokenizer.encode(text) for text in texts())
    held_out = windows(held_out, options.length)[: options.held_out]
    rows = windows(training, options.length)
    random.Random(0).shuffle(rows)
    batches = windows(rows, options.batch)

    print(f"perplexity before  {perplexity(model, held_out):.2f}")
    lora.apply(model, rank=options.rank, alpha=2 * options.rank, targets="all")
    trained = sum(parameter.size for parameter in lora.parameters(model))
    print(f"{len(lora.adapted(model))} matrices adapted, {trained:,} numbers trained")
    train(model, batches, options.steps, options.rate)
    print(f"perplexity after   {perplexity(model, held_out):.2f}")

    prompt = "The with statement"
    params = SamplingParams(max_tokens=24, temperature=0)
    print("the trained model  ", repr(model.generate(prompt, params, tokenizer=tokenizer).text))
    model.release_engine()

    os.makedirs(options.out, exist_ok=True)
    folder, file = os.path.join(options.out, "adapter"), os.path.join(options.out, "merged.gguf")
    lora.adapter(model).save(folder, model)
    merged = load_model(source, dequantize=True)
    lora.merge(lora.apply(merged, adapter=lora.Adapter.load(folder, merged)))
    metadata = {key: value for key, value in source.metadata.items() if key.startswith("tokenizer.")}
    save_gguf(merged, file, "Q8_0", metadata)
    with LLM(file, max_batch=1, max_model_len=256, progress=False) as llm:
        print("the merged file    ", repr(llm.generate(prompt, params).text))
    print(f"perplexity of {file}  {perplexity(load_model(file), held_out):.2f}")
    print(f"serve it by: paddle serve {file}")


if __name__ == "__main__":
    main()
