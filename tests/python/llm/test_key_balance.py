# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Balanced keys and queries: attention is the same, and keys of four bits lose less."""

import numpy as np
import paddle
import paddle.incubate.nn.functional as F
import pytest
from paddle.llm.models import Decoder, DecoderConfig, KeyBalance, Rotary, measure_key_balance
from paddle.llm.models.attention import attend

DEPTH = 32


def decoder(**more):
    paddle.seed(5)
    return Decoder(DecoderConfig("llama", 64, 64, 24, 2, 4, 2, DEPTH, Rotary(DEPTH), **more))


class Balanced:
    """Attends to a whole sequence through the balance of each layer."""

    def __init__(self, model, balance, length):
        self.config, self.balance = model.config, balance
        self.positions = paddle.arange(length, dtype="int64").unsqueeze(0)

    def write_and_attend(self, layer, q, k, v):
        q, k = self.balance[layer].apply(q, k)
        return attend(q, k, v, self.config.attention(layer))


@pytest.mark.parametrize("more", [{}, {"attention_cap": 5.0}], ids=["plain", "capped"])
def test_attention_is_the_same(more):
    model, ids = decoder(**more), paddle.to_tensor(np.random.default_rng(0).integers(0, 64, 20))
    balance = measure_key_balance(model, ids[:12])
    assert len(balance) == 2 and all((b.shift is None) == bool(more) for b in balance)
    with paddle.no_grad():
        wanted = model(ids.unsqueeze(0)).numpy()
        found = model(ids.unsqueeze(0), Balanced(model, balance, 20)).numpy()
    np.testing.assert_allclose(found, wanted, rtol=1e-3, atol=1e-5)


def test_what_is_measured():
    seen = {}

    class Keep:
        positions = paddle.arange(30, dtype="int64").unsqueeze(0)

        def write_and_attend(self, layer, q, k, v):
            seen[layer] = q.numpy()[0].astype("float64"), k.numpy()[0].astype("float64")
            return attend(q, k, v, model.config.attention(layer))

    model, ids = decoder(), paddle.to_tensor(np.random.default_rng(1).integers(0, 64, 30))
    balance = measure_key_balance(model, ids)
    with paddle.no_grad():
        model.states(ids.unsqueeze(0), Keep())
    for layer, (q, k) in seen.items():
        q, k = (x.numpy().astype("float64") for x in balance[layer].apply(*map(paddle.to_tensor, (q, k))))
        np.testing.assert_allclose(k.mean(0), 0, atol=1e-5)
        sizes = np.sqrt((q.reshape(30, 2, 2, DEPTH) ** 2).mean((0, 2))) / np.sqrt((k**2).mean(0))
        assert sizes.max() / sizes.min() < 1.02


def test_four_bits_lose_less_of_balanced_keys():
    rng = np.random.default_rng(2)
    loud = np.where(np.arange(DEPTH) % 8 == 3, 30.0, 1.0)
    k = rng.standard_normal((200, 1, DEPTH)) * loud + 5 * loud
    q = rng.standard_normal((200, 1, DEPTH)) / loud
    balance = KeyBalance(paddle.to_tensor(k.mean(0), "float32"), paddle.to_tensor(loud[None], "float32"))
    q, k = (paddle.to_tensor(x, "float32") for x in (q, k))
    v = paddle.to_tensor(rng.standard_normal((200, 1, DEPTH)), "float32")
    tables, starts, lengths = (paddle.to_tensor(x, "int32") for x in ([[0]], [0, 200], [200]))

    def attended(q, k, dtype, width):
        cache = paddle.zeros([1, 2, 1, 200, width], dtype)
        F.paged_cache_write_(cache, k, v, paddle.arange(200, dtype="int32"))
        return F.paged_attention(q, cache, tables, starts, lengths, None, 0.5).numpy()

    wanted = attended(q, k, "float32", DEPTH)
    plain, balanced = attended(q, k, "uint8", 20), attended(*balance.apply(q, k), "uint8", 20)
    assert np.linalg.norm(balanced - wanted) < 0.5 * np.linalg.norm(plain - wanted)


def test_refuses():
    with pytest.raises(ValueError, match=r"ids has shape \[1, 4\]"):
        measure_key_balance(decoder(), paddle.zeros([1, 4], "int64"))
