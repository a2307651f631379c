# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Decoders of every architecture against `transformers`: logits, loss, a gradient, and logits over a cache."""

import os
import pathlib
import subprocess
import sys

import numpy as np
import paddle
import pytest
from paddle.llm.models import ContiguousCache, Decoder, DecoderConfig, Experts, Latent, Rotary, load_model

from tests.python.llm import peers
from tests.python.llm.transformers_reference import MODELS

SCRIPT = pathlib.Path(__file__).parent / "transformers_reference.py"
TOLERANCE = dict(rtol=0, atol=1e-4)


@pytest.fixture(scope="session")
def references(tmp_path_factory):
    folder = peers.folder_of("transformers")
    peers.folder_of("torch")
    place = tmp_path_factory.mktemp("decoders")
    environment = {**os.environ, "PYTHONPATH": folder, "CUDA_VISIBLE_DEVICES": "", "HF_HUB_OFFLINE": "1"}
    subprocess.run([sys.executable, SCRIPT, place, *MODELS], check=True, env=environment, capture_output=True)
    return place


@pytest.mark.parametrize("name", MODELS)
def test_logits_loss_and_gradient_equal_transformers(references, name):
    model, found = load_model(references / name), np.load(references / name / "reference.npz")
    loss, logits = model(paddle.to_tensor(found["ids"]), labels=paddle.to_tensor(found["labels"]))
    np.testing.assert_allclose(logits.numpy(), found["logits"], **TOLERANCE)
    np.testing.assert_allclose(float(loss), float(found["loss"]), **TOLERANCE)
    loss.backward()
    np.testing.assert_allclose(model.embedding.weight.grad.numpy(), found["embedding_gradient"], **TOLERANCE)


@pytest.mark.parametrize("name", MODELS)
def test_a_cache_gives_the_same_logits(references, name):
    model, found = load_model(references / name), np.load(references / name / "reference.npz")
    ids, cache = paddle.to_tensor(found["ids"]), ContiguousCache(model.config, 2, 40)
    logits = []
    with paddle.no_grad():
        for begin, end in ((0, 5), (5, 6), (6, 20), (20, 40)):
            cache.extend(end - begin)
            logits.append(model(ids[:, begin:end], cache).numpy())
    np.testing.assert_allclose(np.concatenate(logits, 1), found["logits"], **TOLERANCE)
    with pytest.raises(ValueError, match="the capacity is 40"):
        cache.extend(1)


class PagedLatentCache:
    """Rows of one sequence in blocks, as an engine holds them; values are the first numbers of keys, in the same memory."""

    def __init__(self, config, blocks, block_size):
        width = config.latent.width + config.rotary.width
        self.scale = config.attention(0).scale
        self.rows = [paddle.zeros([blocks, 1, block_size, width]) for _ in range(config.num_layers)]
        self.table = paddle.arange(blocks - 1, -1, -1, dtype="int32")
        self.block_size, self.length = block_size, 0

    def extend(self, count):
        self.positions = paddle.arange(self.length, self.length + count)
        self.length += count

    def write_and_attend_latent(self, layer, q_latent, q_rope, latent, k_rope):
        paged, rows, at = paddle.incubate.nn.functional, self.rows[layer], self.positions
        slots = (self.table[at // self.block_size] * self.block_size + at.astype("int32") % self.block_size).astype(
            "int32"
        )
        paged.paged_cache_write_(rows, paddle.concat([latent, k_rope], -1).unsqueeze(1), None, slots)
        starts, lengths = (paddle.to_tensor(numbers, "int32") for numbers in ([0, len(at)], [self.length]))
        q = paddle.concat([q_latent, q_rope], -1)
        out = paged.paged_attention(
            q, rows, self.table.unsqueeze(0), starts, lengths, None, self.scale, value_cache=rows
        )
        return out[..., : q_latent.shape[-1]]


@pytest.mark.parametrize("name", ["deepseek_v2", "deepseek_v3"])
def test_latent_rows_in_blocks_give_the_same_logits(references, name):
    model, found = load_model(references / name), np.load(references / name / "reference.npz")
    ids, cache = paddle.to_tensor(found["ids"])[0], PagedLatentCache(model.config, 6, 8)
    logits = []
    with paddle.no_grad():
        for begin, end in ((0, 5), (5, 6), (6, 40)):
            cache.extend(end - begin)
            logits.append(model(ids[begin:end], cache).numpy())
    np.testing.assert_allclose(np.concatenate(logits), found["logits"][0], **TOLERANCE)


def small(**more):
    sizes = dict(
        architecture="llama",
        vocab_size=32,
        hidden_size=16,
        intermediate_size=24,
        num_layers=2,
        num_heads=4,
        num_kv_heads=2,
        head_dim=4,
        rotary=Rotary(4),
    )
    return DecoderConfig(**{**sizes, **more})


GROUPED = Experts(
    8, 3, 12, (1,), shared_width=8, score="sigmoid", selection_bias=True, groups=4, chosen_groups=2, best_of_group=2
)
LATENT = dict(head_dim=8, num_kv_heads=4, latent=Latent(8, 0, 6))
RULES = {
    "windows": dict(windows=(4, 0), attention_cap=20.0, head_norms=True, post_norms=True, tied=True),
    "experts": dict(experts=Experts(4, 2, 12, (0, 1))),
    "latent": dict(experts=GROUPED, **LATENT),
}


@pytest.mark.parametrize("rules", RULES)
def test_a_new_decoder_learns_a_sequence(rules):
    paddle.seed(0)
    model = Decoder(small(**RULES[rules]))
    ids = paddle.to_tensor([[1, 5, 9, 2, 7, 5, 9, 3]])
    optimizer = paddle.optimizer.AdamW(0.02, parameters=model.parameters())
    first = float(model(ids, labels=ids)[0])
    for _ in range(60):
        loss, _ = model(ids, labels=ids)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
    assert first > 3 and float(loss) < 0.1
    assert model(ids)[0, :-1].argmax(-1).tolist() == ids[0, 1:].tolist()


@pytest.mark.parametrize("rules", RULES)
def test_the_state_of_a_decoder_is_saved_and_loaded(tmp_path, rules):
    model, other = Decoder(small(**RULES[rules])), Decoder(small(**RULES[rules]))
    if rules == "latent":
        model.layers[1].mlp.router.selection_bias.set_value(paddle.arange(8, dtype="float32"))
    paddle.save(model.state_dict(), str(tmp_path / "model.pdparams"))
    other.set_state_dict(paddle.load(str(tmp_path / "model.pdparams")))
    ids = paddle.to_tensor([[1, 2, 3]])
    np.testing.assert_array_equal(model(ids).numpy(), other(ids).numpy())


@pytest.mark.parametrize(
    "change, message",
    [
        (dict(num_heads=3), "num_heads is 3 and num_kv_heads 2"),
        (dict(rotary=Rotary(6)), "6 elements of a head are rotated and head_dim is 4"),
        (dict(windows=(3,)), "windows has 1 values for 2 layers"),
        (dict(vocab_size=0), "vocab_size has the value 0"),
        (dict(experts=Experts(4, 2, 8, (2,))), r"layers \[2\] have experts; there are 2, from 0"),
        (dict(latent=Latent(8, 0, 4)), "num_kv_heads is 2 and num_heads 4; every head of latent"),
        (dict(LATENT, latent=Latent(8, 0, 9)), "values 9 and keys 8; values must not be wider"),
        (dict(LATENT, windows=(4, 0)), "latent attention has no windows, cap"),
    ],
)
def test_impossible_configs_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        small(**change)


@pytest.mark.parametrize(
    "change, message",
    [
        (dict(score="tanh"), "score has the value 'tanh'; it must be softmax or sigmoid"),
        (dict(groups=3), "count is 8, chosen 3, width 12 and groups 3"),
        (dict(groups=4, chosen_groups=1), "3 experts are chosen from 1 of 4 groups of 2; there are not as many"),
        (dict(best_of_group=9), "best_of_group is 9; a group has 8 experts"),
        (dict(shared_gate=True), "shared_width is 0"),
    ],
)
def test_impossible_experts_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        Experts(8, 3, 12, (0,), **change)


def test_experts_in_bfloat16_choose_by_scores_in_float32():
    model = Decoder(small(experts=GROUPED)).astype("bfloat16")
    assert model(paddle.to_tensor([[1, 2, 3]])).dtype == paddle.bfloat16


def test_wrong_calls_say_what_is_expected():
    model = Decoder(small())
    with pytest.raises(ValueError, match=r"ids has shape \[3\]; whole sequences are \[batch, length\]"):
        model(paddle.to_tensor([1, 2, 3]))
    with pytest.raises(ValueError, match=r"labels has shape \[1, 2\] and ids \[1, 3\]"):
        model(paddle.to_tensor([[1, 2, 3]]), labels=paddle.to_tensor([[1, 2]]))
    with pytest.raises(ValueError, match="activation has the value 'relu'"):
        Decoder(small(activation="relu"))
    with pytest.raises(ValueError, match="needs a weight 'embedding.weight' of shape"):
        Decoder(small(), lambda name: None)
    with pytest.raises(ValueError, match=r"'embedding.weight' has shape \[3\] in the file; the model needs \[32, 16\]"):
        Decoder(small(), lambda name: paddle.ones([3]))


@pytest.mark.parametrize("rules", RULES)
def test_a_program_for_any_length_gives_what_eager_calls_give(rules):
    model = Decoder(small(**RULES[rules]))
    any_length = [paddle.static.InputSpec([None, None], "int64")]
    program = paddle.jit.to_static(model.forward, full_graph=True, input_spec=any_length)
    for shape in ([2, 12], [1, 3]):
        ids = paddle.randint(0, 32, shape)
        np.testing.assert_array_equal(program(ids).numpy(), model(ids).numpy())
