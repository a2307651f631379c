# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Folders in Hugging Face's layout: settings of several versions, weights in several files, damaged folders."""

import json

import numpy as np
import paddle
import pytest
from paddle.llm.formats import Folder
from paddle.llm.models import hugging_face_models, load_model

LLAMA = dict(
    model_type="llama",
    vocab_size=16,
    hidden_size=8,
    intermediate_size=12,
    num_hidden_layers=1,
    num_attention_heads=2,
    bos_token_id=1,
    eos_token_id=2,
)


def folder(path, settings, tensors=None, **files):
    (path / "config.json").write_text(json.dumps(settings))
    for name, value in files.items():
        (path / f"{name}.json").write_text(value if isinstance(value, str) else json.dumps(value))
    for name, part in (tensors or {}).items():
        paddle.save(part, str(path / name), safetensors=True)
    return path


def weights(rng):
    def matrix(*shape):
        return paddle.to_tensor(rng.standard_normal(shape).astype("float32"))

    square = {f"model.layers.0.self_attn.{which}_proj.weight": matrix(8, 8) for which in "qkvo"}
    wide = {f"model.layers.0.mlp.{which}_proj.weight": matrix(12, 8) for which in ("gate", "up")}
    norms = ("model.norm", "model.layers.0.input_layernorm", "model.layers.0.post_attention_layernorm")
    rest = {"model.embed_tokens.weight": matrix(16, 8), "lm_head.weight": matrix(16, 8)}
    down = {"model.layers.0.mlp.down_proj.weight": matrix(8, 12)}
    return square | wide | down | rest | {f"{name}.weight": matrix(8) for name in norms}


def config_of(**change):
    return hugging_face_models.config_of({**LLAMA, **change})


def test_all_end_tokens_count(tmp_path):
    folder(
        tmp_path,
        LLAMA,
        {"model.safetensors": weights(np.random.default_rng(0))},
        generation_config={"eos_token_id": [2, 9]},
    )
    config = load_model(tmp_path).config
    assert (config.bos_id, config.eos_ids) == (1, (2, 9))


def test_weights_in_several_files_and_dtypes(tmp_path):
    tensors = weights(np.random.default_rng(0))
    names = sorted(tensors)
    parts = {"a.safetensors": names[:5], "b.safetensors": names[5:]}
    index = {"weight_map": {name: file for file, held in parts.items() for name in held}}
    low = {file: {name: tensors[name].astype("bfloat16") for name in held} for file, held in parts.items()}
    folder(tmp_path, LLAMA, low, **{"model.safetensors.index": index})
    ids = paddle.to_tensor([[1, 2, 3]])
    logits = load_model(tmp_path)(ids).numpy()
    single = tmp_path / "single"
    single.mkdir()
    folder(single, LLAMA, {"model.safetensors": tensors})
    np.testing.assert_allclose(logits, load_model(single)(ids).numpy(), rtol=0.1, atol=0.1)
    assert load_model(single, dtype="bfloat16")(ids).dtype == paddle.bfloat16


def test_settings_of_older_versions_mean_the_same():
    scaling = dict(factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=64)
    new = config_of(rope_parameters=dict(rope_type="llama3", rope_theta=5e5, **scaling))
    assert new == config_of(rope_theta=5e5, rope_scaling=dict(rope_type="llama3", **scaling))
    gemma = dict(model_type="gemma3_text", num_hidden_layers=7, sliding_window=5, head_dim=4)
    parameters = dict(
        full_attention=dict(rope_type="default", rope_theta=1e6),
        sliding_attention=dict(rope_type="default", rope_theta=1e4),
    )
    kinds = ["sliding_attention"] * 5 + ["full_attention", "sliding_attention"]
    old = config_of(**gemma, rope_theta=1e6, rope_local_base_freq=1e4, sliding_window_pattern=6)
    assert old == config_of(**gemma, rope_parameters=parameters, layer_types=kinds)
    assert old.windows == (5, 5, 5, 5, 5, 0, 5)
    inner = {**LLAMA, **gemma}
    assert hugging_face_models.config_of(dict(model_type="gemma3", text_config=inner)).windows == old.windows


@pytest.mark.parametrize(
    "change, message",
    [
        (dict(model_type="bert"), "model_type is 'bert'; these can be read: llama, "),
        (dict(hidden_size=None), "'hidden_size' is missing; a llama needs it"),
        (dict(hidden_act="relu"), "the activation is 'relu'; it must be one of silu"),
        (dict(rope_scaling=dict(type="dynamic", factor=2.0)), "the rotation is scaled by 'dynamic'"),
    ],
)
def test_rules_that_are_not_there_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        config_of(**change)


@pytest.mark.parametrize(
    "files, message",
    [
        (dict(config="{"), "config.json: the file is no JSON"),
        (dict(config="[1]"), "config.json: the file holds list; it must be an object"),
        ({"model.safetensors.index": {}}, "it has no object 'weight_map'"),
        ({"model.safetensors.index": {"weight_map": {"w": "../x.safetensors"}}}, "'w' lies in '../x.safetensors'"),
        (
            {"model.safetensors.index": {"weight_map": {"w": "config.json"}}},
            "config.json: load: the file is no safetensors",
        ),
        ({"model.safetensors.index": {"weight_map": {"w": "a.safetensors"}}}, "'w' is not in 'a.safetensors'"),
    ],
)
def test_damaged_folders_are_refused(tmp_path, files, message):
    folder(tmp_path, LLAMA, {"a.safetensors": {"v": paddle.ones([2])}}, **files)
    with pytest.raises(ValueError, match=message):
        load_model(tmp_path)


def test_folders_without_weights_are_refused(tmp_path):
    with pytest.raises(FileNotFoundError):
        Folder(tmp_path)
    with pytest.raises(FileNotFoundError, match="there is no model.safetensors"):
        load_model(folder(tmp_path, LLAMA))
    few = {"model.embed_tokens.weight": paddle.ones([16, 8])}
    with pytest.raises(ValueError, match="needs a weight 'layers.0.attention_norm.weight'"):
        load_model(folder(tmp_path, LLAMA, {"model.safetensors": few}))
