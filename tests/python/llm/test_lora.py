# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Low-rank adaptation: its formula, gradients, files in the layout of peft, merging; answers of a model in training."""

import copy
import json

import numpy as np
import paddle
import pytest
from paddle.llm import SamplingParams, load_model, lora
from paddle.llm.models import Decoder, DecoderConfig, Latent, Rotary, save_gguf
from paddle.llm.models.weights import QuantizedLinear

from tests.python.llm.test_engine import TOKENIZER, greedy, log_probs, make_decoder, prompts

ALL = dict(rank=4, alpha=12, targets="all")


def trained(model, steps=3, **more):
    """The model, adapted and trained a little, in eval mode."""
    paddle.seed(9)
    lora.apply(model, **{**ALL, **more})
    optimizer = paddle.optimizer.AdamW(3e-2, parameters=lora.parameters(model))
    ids = paddle.to_tensor([row[:12] for row in prompts(4, seed=51)])
    model.train()
    for _ in range(steps):
        model(ids, labels=ids)[0].backward()
        optimizer.step()
        optimizer.clear_grad()
    model.eval()
    return model


@pytest.fixture
def ids():
    return paddle.to_tensor([prompts(1, seed=52)[0]])


def test_a_layer_adds_the_product_of_its_matrices():
    rng = np.random.default_rng(0)
    base = paddle.nn.Linear(6, 5)
    layer = lora.LoRALinear(base, 2, 1.5)
    layer.b.set_value(rng.standard_normal([5, 2]).astype("float32"))
    x = rng.standard_normal([3, 6]).astype("float32")
    expected = x @ base.weight.numpy() + base.bias.numpy() + 1.5 * (x @ layer.a.numpy().T) @ layer.b.numpy().T
    np.testing.assert_allclose(layer(paddle.to_tensor(x)).numpy(), expected, rtol=0, atol=1e-5)
    given = rng.standard_normal([3, 5]).astype("float32")
    (layer(paddle.to_tensor(x)) * paddle.to_tensor(given)).sum().backward()
    np.testing.assert_allclose(layer.b.grad.numpy(), 1.5 * given.T @ (x @ layer.a.numpy().T), rtol=0, atol=1e-4)
    np.testing.assert_allclose(layer.a.grad.numpy(), 1.5 * (given @ layer.b.numpy()).T @ x, rtol=0, atol=1e-4)


def test_an_adapted_model_begins_as_it_was_and_only_the_matrices_learn(ids):
    model = make_decoder()
    before, weights = model(ids).numpy(), {n: p.numpy() for n, p in model.named_parameters()}
    lora.apply(model, rank=4, targets=("q", "down"))
    assert list(lora.adapted(model)) == [f"layers.{i}.{n}" for i in range(2) for n in ("attention.q", "mlp.down")]
    np.testing.assert_array_equal(model(ids).numpy(), before)
    lora.unload(model)
    trained(model, targets=("q", "down"))
    assert np.abs(model(ids).numpy() - before).max() > 0.1
    learning = {p.name for p in model.parameters() if not p.stop_gradient}
    assert learning == {p.name for p in lora.parameters(model)} and len(learning) == 8
    lora.unload(model)
    for name, parameter in model.named_parameters():
        np.testing.assert_array_equal(parameter.numpy(), weights[name])
    np.testing.assert_array_equal(model(ids).numpy(), before)


def test_merging_keeps_the_logits(ids):
    model = trained(make_decoder())
    expected = model(ids).numpy()
    assert lora.adapted(lora.merge(model)) == {}
    np.testing.assert_allclose(model(ids).numpy(), expected, rtol=0, atol=2e-4)


def test_quantised_weights_are_adapted_and_merged(tmp_path, ids):
    sizes = dict(hidden_size=64, intermediate_size=96, num_layers=2, num_heads=4, num_kv_heads=2, head_dim=16)
    config = DecoderConfig("llama", TOKENIZER.vocab_size, **sizes, rotary=Rotary(16), initializer_range=0.1)
    save_gguf(Decoder(config), tmp_path / "x.gguf", "Q8_0")
    model, plain = load_model(tmp_path / "x.gguf"), load_model(tmp_path / "x.gguf", dequantize=True)
    assert isinstance(model.layers[0].mlp.up, QuantizedLinear)
    first = model(ids).numpy()
    trained(model, steps=6)
    assert all(np.abs(parameter.numpy()).max() > 0.01 for parameter in lora.parameters(model))
    lora.apply(plain, adapter=lora.adapter(model)).eval()
    found, expected = model(ids).numpy(), plain(ids).numpy()
    assert np.abs(found - first).mean() > 0.2
    # Products with quantised weights round their rows to 8 bits.
    np.testing.assert_allclose(found, expected, rtol=0, atol=0.03 * np.abs(expected).max())
    lora.merge(model)
    assert not isinstance(model.layers[0].mlp.up, QuantizedLinear)
    np.testing.assert_allclose(model(ids).numpy(), expected, rtol=0, atol=0.03 * np.abs(expected).max())


def test_adapters_in_files(tmp_path, ids):
    model = trained(make_decoder())
    expected = model(ids).numpy()
    lora.adapter(model).save(tmp_path, model)
    config = json.loads((tmp_path / "adapter_config.json").read_text())
    assert config["peft_type"] == "LORA" and (config["r"], config["lora_alpha"]) == (4, 12)
    assert config["target_modules"] == sorted(f"{n}_proj" for n in ("q", "k", "v", "o", "gate", "up", "down"))
    found = lora.Adapter.load(tmp_path, model)
    assert found.scale == 3 and set(found.weights) == set(lora.adapted(model))
    other = lora.apply(make_decoder(), adapter=found)
    other.eval()
    np.testing.assert_array_equal(other(ids).numpy(), expected)
    with pytest.raises(ValueError, match="the adapter has matrices for 'layers.1"):
        lora.apply(make_decoder(num_layers=1), adapter=found)
    with pytest.raises(
        ValueError, match="q_proj of layer 0 has 32 outputs; the model has 64|which the model does not have"
    ):
        lora.Adapter.load(tmp_path, make_decoder(num_heads=8))


def test_names_and_forms_of_files_are_those_of_peft(tmp_path):
    """The keys, and B of rotated matrices whose rows such files hold in another order."""
    latent = dict(num_kv_heads=4, head_dim=24, latent=Latent(32, 24, 16))
    model = make_decoder(**latent)
    config = DecoderConfig(**{**vars(model.config), "architecture": "deepseek_v3"})
    model = trained(Decoder(config), targets=("q_down", "q_up", "kv_down", "o"))
    adapter = lora.adapter(model)
    adapter.save(tmp_path, model)
    tensors = paddle.load(str(tmp_path / "adapter_model.safetensors"), safetensors=True)
    stem = "base_model.model.model.layers.1.self_attn."
    names = {name.removeprefix(stem) for name in tensors if name.startswith(stem)}
    parts = ("q_a_proj", "q_b_proj", "kv_a_proj_with_mqa", "o_proj")
    assert names == {f"{part}.lora_{half}.weight" for part in parts for half in "AB"}
    ours, theirs = adapter.weights["layers.1.attention.q_up"][1], tensors[stem + "q_b_proj.lora_B.weight"]
    # Pairs (i, i + 4) of a head's last 8 rows are (2 i, 2 i + 1) in the file.
    head = np.concatenate([np.arange(16), 16 + np.arange(8).reshape(2, 4).T.reshape(-1)])
    np.testing.assert_array_equal(theirs.numpy()[:24], ours.numpy()[head])
    again = lora.Adapter.load(tmp_path, model)
    for path, (a, b) in adapter.weights.items():
        np.testing.assert_array_equal(again.weights[path][0].numpy(), a.numpy())
        np.testing.assert_array_equal(again.weights[path][1].numpy(), b.numpy())


@pytest.mark.parametrize(
    "change, message",
    [
        ({"peft_type": "IA3"}, "'peft_type' is not 'LORA'"),
        ({"use_dora": True}, "'use_dora' is set"),
        ({"bias": "all"}, "only 'none' can be read"),
        ({"r": 0}, "they must be a positive int and a number"),
        ({"r": 3}, r"with rank 3 they must be \[3, inputs\]"),
    ],
)
def test_files_that_cannot_be_read_are_refused(tmp_path, change, message):
    model = lora.apply(make_decoder(), **ALL)
    lora.adapter(model).save(tmp_path, model)
    path = tmp_path / "adapter_config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(ValueError, match=message):
        lora.Adapter.load(tmp_path, model)


def test_arguments_are_checked():
    model = make_decoder()
    for arguments, message in (
        (dict(rank=0), "rank has the value 0"),
        (dict(targets="query"), "'query' is none of the matrices; these are: q, k, v"),
        (dict(targets=("q_down",)), "the model has no matrices q_down"),
        (dict(dropout=1.0), "dropout has the value 1.0"),
    ):
        with pytest.raises(ValueError, match=message):
            lora.apply(model, **arguments)
    with pytest.raises(ValueError, match="the model is not adapted"):
        lora.adapter(model)
    lora.apply(model)
    with pytest.raises(ValueError, match="adapted already"):
        lora.apply(model)


class TestGenerate:
    def test_answers_follow_the_weights(self):
        model, rows = make_decoder(), prompts(3, seed=53)
        assert [a.tokens for a in model.generate(rows, max_new_tokens=6)] == [greedy(model, row, 6) for row in rows]
        engine = model._generator()._llm.engine
        for parameter, other in zip(model.parameters(), make_decoder(seed=8).parameters(), strict=True):
            parameter.set_value(other)
        found = model.generate(rows, max_new_tokens=6)
        assert [a.tokens for a in found] == [greedy(model, row, 6) for row in rows]
        assert all(answer.cached_tokens == 0 for answer in found) and model._generator()._llm.engine is engine

    def test_in_the_middle_of_training(self):
        model, row = make_decoder(), prompts(1, seed=54)[0]
        lora.apply(model, rank=4, targets="all", dropout=0.5)
        optimizer = paddle.optimizer.AdamW(3e-2, parameters=lora.parameters(model))
        ids = paddle.to_tensor([row])
        model.train()
        seen = set()
        for _ in range(3):
            model(ids, labels=ids)[0].backward()
            optimizer.step()
            optimizer.clear_grad()
            answer = model.generate(row, max_new_tokens=6, logprobs=0)
            assert model.training
            model.eval()
            assert answer.tokens == greedy(model, row, 6)
            whole = row + answer.tokens
            for i, token in enumerate(answer.log_probs):
                assert abs(token.log_prob - log_probs(model, whole)[len(row) - 1 + i, token.token]) < 1e-5
            model.train()
            seen.add(tuple(answer.tokens))
        assert len(seen) > 1
        model.release_engine()
        assert model._generator()._llm is None

    def test_keywords_tensors_and_texts(self):
        model, row = make_decoder(), prompts(1, seed=55)[0]
        found = model.generate(
            paddle.to_tensor([row, row]), max_new_tokens=5, do_sample=True, seed=3, num_return_sequences=2
        )
        assert list(found.shape) == [4, len(row) + 5] and found[0].tolist()[: len(row)] == row
        params = SamplingParams(max_tokens=5, seed=3, n=2, stop_token_ids=())
        assert [a.tokens for a in model.generate(row, params)] == [r[len(row) :] for r in found[:2].tolist()]
        end = greedy(model, row, 3)[-1]
        assert model.generate(row, max_new_tokens=9, eos_token_id=end).finish == "stop"
        assert model.generate("ab", max_new_tokens=3, tokenizer=TOKENIZER).text
        for arguments, error, message in (
            (dict(num_beams=4), TypeError, "there is no argument 'num_beams'"),
            (dict(params=params, seed=1), ValueError, "seed is a field of params"),
        ):
            with pytest.raises(error, match=message):
                model.generate(row, **arguments)
        with pytest.raises(TypeError, match="give `tokenizer` for texts"):
            model.generate("ab")

    def test_copies_have_engines_of_their_own(self):
        model, row = make_decoder(), prompts(1, seed=56)[0]
        expected = model.generate(row, max_new_tokens=4).tokens
        other = copy.deepcopy(model)
        for parameter in model.parameters():
            parameter.set_value(paddle.zeros_like(parameter))
        assert other.generate(row, max_new_tokens=4).tokens == expected != model.generate(row, max_new_tokens=4).tokens
