# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""BERT-base encoder (12 x 768, 12 heads, FFN 3072, GELU), 128 tokens, batch 1 and 8: latency."""

from harness import fill_paddle, fill_torch, integers

DIM, LAYERS, HEADS, FFN, VOCAB, LENGTH = 768, 12, 12, 3072, 30522, 128
BATCHES = (1, 8)


def paddle_bert():
    import paddle
    from paddle import nn
    from paddle.nn import functional as F

    class Layer(nn.Layer):
        def __init__(self):
            super().__init__()
            self.q, self.k, self.v, self.o = (nn.Linear(DIM, DIM) for _ in range(4))
            self.up, self.down = nn.Linear(DIM, FFN), nn.Linear(FFN, DIM)
            self.norm1, self.norm2 = nn.LayerNorm(DIM), nn.LayerNorm(DIM)

        def forward(self, x):
            batch = x.shape[0]
            q, k, v = (f(x).reshape([batch, LENGTH, HEADS, DIM // HEADS]) for f in (self.q, self.k, self.v))
            y = F.scaled_dot_product_attention(q, k, v).reshape([batch, LENGTH, DIM])
            x = self.norm1(x + self.o(y))
            return self.norm2(x + self.down(F.gelu(self.up(x))))

    class Bert(nn.Layer):
        def __init__(self):
            super().__init__()
            self.word, self.place = nn.Embedding(VOCAB, DIM), nn.Embedding(512, DIM)
            self.norm = nn.LayerNorm(DIM)
            self.layers = nn.LayerList([Layer() for _ in range(LAYERS)])
            self.pool = nn.Linear(DIM, DIM)

        def forward(self, tokens):
            x = self.norm(self.word(tokens) + self.place(paddle.arange(LENGTH)))
            for layer in self.layers:
                x = layer(x)
            return paddle.tanh(self.pool(x[:, 0]))

    return Bert()


def torch_bert():
    import torch
    from torch import nn
    from torch.nn import functional as F

    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.q, self.k, self.v, self.o = (nn.Linear(DIM, DIM) for _ in range(4))
            self.up, self.down = nn.Linear(DIM, FFN), nn.Linear(FFN, DIM)
            self.norm1, self.norm2 = nn.LayerNorm(DIM), nn.LayerNorm(DIM)

        def forward(self, x):
            batch = x.shape[0]
            q, k, v = (f(x).view(batch, LENGTH, HEADS, DIM // HEADS).transpose(1, 2) for f in (self.q, self.k, self.v))
            y = F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(batch, LENGTH, DIM)
            x = self.norm1(x + self.o(y))
            return self.norm2(x + self.down(F.gelu(self.up(x))))

    class Bert(nn.Module):
        def __init__(self):
            super().__init__()
            self.word, self.place = nn.Embedding(VOCAB, DIM), nn.Embedding(512, DIM)
            self.norm = nn.LayerNorm(DIM)
            self.layers = nn.ModuleList([Layer() for _ in range(LAYERS)])
            self.pool = nn.Linear(DIM, DIM)

        def forward(self, tokens):
            x = self.norm(self.word(tokens) + self.place(torch.arange(LENGTH)))
            for layer in self.layers:
                x = layer(x)
            return torch.tanh(self.pool(x[:, 0]))

    return Bert()


def run_paddle(bench):
    paddle = bench.paddle()
    model = fill_paddle(paddle_bert())
    model.eval()

    def forward(tokens):
        return model(tokens)

    forward = bench.maybe_compile(forward)
    with paddle.no_grad():
        for batch in BATCHES:
            tokens = paddle.to_tensor(integers("tokens", [batch, LENGTH], VOCAB))
            bench.check(f"abs_sum_batch{batch}", float(forward(tokens).abs().sum()))
            bench.time(f"latency_batch{batch}", lambda: forward(tokens), budget=4)


def run_torch(bench):
    torch = bench.torch()
    model = fill_torch(torch_bert()).eval()
    with torch.no_grad():
        for batch in BATCHES:
            forward = bench.maybe_compile(model, dynamic=False) if bench.compiled else model
            tokens = torch.from_numpy(integers("tokens", [batch, LENGTH], VOCAB))
            bench.check(f"abs_sum_batch{batch}", float(forward(tokens).abs().sum()))
            bench.time(f"latency_batch{batch}", lambda: forward(tokens), budget=4)
