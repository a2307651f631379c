# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The decoded weights of a GGUF file run plainly in float32 by torch: the distribution to compare with.

    python reference.py MODEL.gguf OUT.npz [--tokens 4000] [--every 4] [--set NAME=VALUE ...] [--threads 2]

Architectures: llama, gemma3. The fixed text is one sequence of --tokens positions. Kept for all positions:
the most likely next token and the log-probability of the true one (float32). Kept for positions 0,
every, 2 every, ...: the whole log-probabilities as float16, 1,000 rows by default; a reader renormalises
them, so that rounding costs nothing to the first order. --set changes one rule of the architecture
(see `rules`), to show what a wrong reading of the file costs.
"""

import argparse
import math

import gguf
import numpy as np
import torch
import torch.nn.functional as F
from measuring import POSITIONS, Tokenizer, fixed_text, record, text_hash


def rules(reader):
    """What the forward needs, from the metadata where it is there."""
    arch = reader.fields["general.architecture"].contents()

    def value(key, default=None):
        field = reader.fields.get(f"{arch}.{key}")
        return default if field is None else field.contents()

    hidden, heads = value("embedding_length"), value("attention.head_count")
    head = value("attention.key_length", hidden // heads)
    found = {
        "arch": arch,
        "hidden": hidden,
        "layers": value("block_count"),
        "heads": heads,
        "head": head,
        "kv_heads": value("attention.head_count_kv", heads),
        "epsilon": value("attention.layer_norm_rms_epsilon"),
        "base": value("rope.freq_base", 10_000.0),
        "local_base": value("rope.freq_base", 10_000.0),
        "window": 0,
        "pattern": 1,
        "halves": 0,
        "gelu": 0,
        "norm_offset": 0.0,
        "embedding_scale": 1.0,
        "attention_scale": head**-0.5,
        "logit_cap": 0.0,
        "exact_gelu": 0,
    }
    if arch == "gemma3":
        found.update(
            window=value("attention.sliding_window"),
            pattern=6,
            local_base=10_000.0,
            halves=1,
            gelu=1,
            embedding_scale=math.sqrt(hidden),
        )
    elif arch != "llama":
        raise ValueError(f"architecture {arch!r} is not supported, only llama and gemma3")
    return found


class Model:
    def __init__(self, reader, changes=()):
        self.rule = rules(reader)
        for change in changes:
            name, value = change.split("=")
            self.rule[name] = type(self.rule[name])(float(value))
        self.weight = {}
        for tensor in reader.tensors:
            decoded = gguf.quants.dequantize(tensor.data, tensor.tensor_type)
            self.weight[tensor.name] = torch.from_numpy(np.array(decoded, dtype=np.float32))
        self.head = self.weight.get("output.weight", self.weight["token_embd.weight"])

    def norm(self, x, name):
        scale = torch.rsqrt(x.square().mean(-1, keepdim=True) + self.rule["epsilon"])
        return x * scale * (self.weight[name] + self.rule["norm_offset"])

    def rotate(self, x, base):
        """x: heads, positions, head width; pairs are (i, i + half) or (2i, 2i + 1)"""
        positions, width = x.shape[-2:]
        turns = base ** (-torch.arange(0, width, 2, dtype=torch.float64) / width)
        angle = torch.arange(positions, dtype=torch.float64)[:, None] * turns
        cos, sin = angle.cos().float(), angle.sin().float()
        if self.rule["halves"]:
            a, b = x.chunk(2, -1)
            return torch.cat((a * cos - b * sin, b * cos + a * sin), -1)
        a, b = x[..., 0::2], x[..., 1::2]
        return torch.stack((a * cos - b * sin, b * cos + a * sin), -1).flatten(-2)

    def attention(self, x, i):
        rule = self.rule
        name = f"blk.{i}.attn_"
        local = bool(rule["window"]) and (i + 1) % rule["pattern"] != 0

        def heads(which, count):
            return (x @ self.weight[f"{name}{which}.weight"].T).view(-1, count, rule["head"]).transpose(0, 1)

        q, k, v = heads("q", rule["heads"]), heads("k", rule["kv_heads"]), heads("v", rule["kv_heads"])
        if name + "q_norm.weight" in self.weight and not rule.get("no_head_norm"):
            q, k = self.norm(q, name + "q_norm.weight"), self.norm(k, name + "k_norm.weight")
        base = rule["local_base"] if local else rule["base"]
        q, k = self.rotate(q, base) * rule["attention_scale"], self.rotate(k, base)
        count = len(x)
        distance = torch.arange(count)[:, None] - torch.arange(count)
        hidden = distance < 0
        if local:
            hidden |= distance >= rule["window"]
        group = rule["heads"] // rule["kv_heads"]
        out = torch.empty(rule["heads"], count, rule["head"])
        for head in range(rule["heads"]):
            scores = (q[head] @ k[head // group].T).masked_fill_(hidden, -math.inf)
            out[head] = scores.softmax(-1) @ v[head // group]
        return out.transpose(0, 1).reshape(count, -1) @ self.weight[name + "output.weight"].T

    def feed_forward(self, x, i):
        gate, up, down = (self.weight[f"blk.{i}.ffn_{n}.weight"].T for n in ("gate", "up", "down"))
        if self.rule["gelu"]:
            gated = F.gelu(x @ gate, approximate="none" if self.rule["exact_gelu"] else "tanh")
        else:
            gated = F.silu(x @ gate)
        return (gated * (x @ up)) @ down

    @torch.inference_mode()
    def states(self, tokens):
        """The normalised state after the last layer, one row a position."""
        x = self.weight["token_embd.weight"][torch.tensor(tokens)] * self.rule["embedding_scale"]
        after = self.rule["arch"] == "gemma3"  # two more norms, on what each half of a layer adds
        for i in range(self.rule["layers"]):
            added = self.attention(self.norm(x, f"blk.{i}.attn_norm.weight"), i)
            x = x + (self.norm(added, f"blk.{i}.post_attention_norm.weight") if after else added)
            added = self.feed_forward(self.norm(x, f"blk.{i}.ffn_norm.weight"), i)
            x = x + (self.norm(added, f"blk.{i}.post_ffw_norm.weight") if after else added)
        return self.norm(x, "output_norm.weight")

    @torch.inference_mode()
    def log_probabilities(self, states):
        logits = states @ self.head.T
        if cap := self.rule["logit_cap"]:
            logits = cap * torch.tanh(logits / cap)
        return logits.log_softmax(-1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("out")
    parser.add_argument("--tokens", type=int, default=POSITIONS)
    parser.add_argument("--every", type=int, default=4)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    reader = gguf.GGUFReader(options.model)
    tokens = Tokenizer(reader).encode(fixed_text())[: options.tokens + 1]
    model = Model(reader, options.set)
    states = model.states(tokens[:-1])
    best, true, rows = [], [], []
    for start in range(0, options.tokens, 100):
        chunk = model.log_probabilities(states[start : start + 100])
        best.append(chunk.argmax(-1))
        true.append(chunk.gather(-1, torch.tensor(tokens[start + 1 : start + 101])[:, None])[:, 0])
        rows.append(chunk[(-start) % options.every :: options.every].to(torch.float16))
    true = torch.cat(true).numpy()
    np.savez(
        options.out,
        tokens=np.array(tokens),
        positions=np.arange(0, options.tokens, options.every),
        log_probabilities=torch.cat(rows).numpy(),
        best=torch.cat(best).numpy(),
        true=true,
        text_hash=text_hash(),
    )
    record(
        "perplexity",
        "1",
        float(np.exp(-true.mean(dtype=np.float64))),
        framework="torch float32",
        model=options.model.rsplit("/", 1)[-1],
        positions=options.tokens,
        text=text_hash(),
        changes=options.set,
    )


if __name__ == "__main__":
    main()
