# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What caches of few bits cost a model: perplexity of Gemma 3 270M on Python's language reference.

    PYTHONPATH=python PADDLE_PEERS=SITE_PACKAGES python tests/bench/kv_cache_quality.py [float32 int8 uint8 uint8+balance]

The first 8,000 tokens in windows of 2,048, each read at once through a cache in blocks; +balance: keys are balanced by
2,048 tokens from elsewhere in the text.
"""

import pathlib
import sys
import time

import numpy as np
import paddle
import paddle.incubate.nn.functional as F
from paddle.llm import load_model, load_tokenizer
from paddle.llm.formats import GGUFFile
from paddle.llm.models import measure_key_balance

sys.path.insert(0, str(pathlib.Path(__file__).parents[2]))
from tests.python.llm import peers

BLOCK, WINDOW, TOKENS, ROWS = 16, 2048, 8000, 256
WIDTHS = {
    "float32": lambda d: d,
    "bfloat16": lambda d: d,
    "int8": lambda d: d + 2,
    "uint8": lambda d: -(-d // 32) * 18 + 2,
}
SIZES = {"float32": 4, "bfloat16": 2, "int8": 1, "uint8": 1}


def ints(values):
    return paddle.to_tensor(np.asarray(values, "int32"))


class OneSequence:
    """A cache in blocks of one sequence that is read at once."""

    def __init__(self, config, length, dtype, balance):
        blocks = -(-length // BLOCK)
        shape = [blocks, 2, config.num_kv_heads, BLOCK, WIDTHS[dtype](config.head_dim)]
        self.caches = [paddle.zeros(shape, dtype) for _ in range(config.num_layers)]
        self.forms = [config.attention(i) for i in range(config.num_layers)]
        self.positions = paddle.arange(length, dtype="int64").unsqueeze(0)
        self.slots, self.where = ints(range(length)), (ints([range(blocks)]), ints([0, length]), ints([length]))
        self.balance = balance

    def write_and_attend(self, layer, q, k, v):
        form, cache = self.forms[layer], self.caches[layer]
        if self.balance:
            q, k = self.balance[layer].apply(q, k)
        F.paged_cache_write_(cache, k[0], v[0], self.slots)
        out = F.paged_attention(q[0], cache, *self.where, None, form.scale, form.window, form.cap)
        return out.unsqueeze(0)


def perplexity(model, ids, dtype, balance):
    total = 0.0
    with paddle.no_grad():
        for begin in range(0, len(ids), WINDOW):
            window = ids[begin : begin + WINDOW]
            states = model.states(
                paddle.to_tensor(window[None]), OneSequence(model.config, len(window), dtype, balance)
            )
            for at in range(0, len(window) - 1, ROWS):
                end = min(at + ROWS, len(window) - 1)
                true = paddle.to_tensor(window[at + 1 : end + 1])
                total += float(
                    paddle.nn.functional.cross_entropy(model.logits(states[0, at:end]), true, reduction="sum")
                )
    return float(np.exp(total / (len(ids) - -(-len(ids) // WINDOW))))


def main():
    from pydoc_data.topics import topics

    text = "\n".join(topics.values())
    file = GGUFFile(peers.gemma())
    tokenizer, model = load_tokenizer(file), load_model(file, dequantize=True)
    ids = np.array(tokenizer.encode(text[: 10 * TOKENS])[:TOKENS])
    other = np.array([ids[0], *tokenizer.encode(text[200_000:230_000])[1:WINDOW]])
    depth, base = model.config.head_dim, None
    for name in sys.argv[1:] or ["float32", "int8", "uint8", "uint8+balance"]:
        dtype, _, balanced = name.partition("+")
        start = time.time()
        balance = measure_key_balance(model, paddle.to_tensor(other)) if balanced else None
        found = perplexity(model, ids, dtype, balance)
        base = base or found
        memory = WIDTHS[dtype](depth) * SIZES[dtype] / (4 * depth)
        print(
            f"{name:15} memory {memory:.4f}  perplexity {found:.4f}  {100 * (found / base - 1):+.3f} %  "
            f"{time.time() - start:.0f} s",
            flush=True,
        )


if __name__ == "__main__":
    main()
