# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`paddle quantize` and `paddle convert`: what they write is read, and they refuse with a reason."""

import json
import re

import numpy as np
import paddle
import pytest
from paddle.command_line import main
from paddle.llm import LLM, SamplingParams
from paddle.llm.conversion.measuring import cache_bytes_per_token, cache_perplexity, perplexity, sample_text
from paddle.llm.formats import GGUFFile
from paddle.llm.models import Decoder, DecoderConfig, Rotary, load_model, measure_key_balance, save_folder, save_gguf
from paddle.llm.tokenizers import load_tokenizer

from tests.python.llm import peers

TEXT = "The quick brown fox jumps over the lazy dog; 12 boxes of five dozen jugs.\n" * 20


def config(vocab_size, **more):
    sizes = dict(hidden_size=256, intermediate_size=512, num_layers=8, num_heads=4, num_kv_heads=2, head_dim=64)
    return DecoderConfig(
        **{
            "architecture": "llama",
            "vocab_size": vocab_size,
            "rotary": Rotary(64),
            "max_positions": 256,
            **sizes,
            **more,
        }
    )


def pieces():
    """The entries of a vocabulary of pieces."""
    found = ["<unk>", "<s>", "</s>", *(f"<0x{value:02X}>" for value in range(256)), "\u2581"]
    found += [chr(value) for value in range(33, 127)] + ["th", "the", "ro", "ow"]
    found += [f"<extra {i}>" for i in range(-len(found) % 8)]
    return {
        "tokenizer.ggml.model": "llama",
        "tokenizer.ggml.tokens": found,
        "tokenizer.ggml.token_type": np.array([2, 3, 3, *[6] * 256, *[1] * (len(found) - 259)], "int32"),
        "tokenizer.ggml.scores": -np.arange(len(found), dtype="float32"),
        "tokenizer.ggml.bos_token_id": 1,
        "tokenizer.ggml.eos_token_id": 2,
        "tokenizer.chat_template": "{{ messages[0].content }}",
    }


@pytest.fixture(scope="module")
def gguf(tmp_path_factory):
    """A GGUF file with a tokenizer, in float32."""
    path = tmp_path_factory.mktemp("model") / "tiny.gguf"
    metadata = pieces()
    paddle.seed(11)
    save_gguf(Decoder(config(len(metadata["tokenizer.ggml.tokens"]))), path, "F32", metadata)
    return path


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text(TEXT)
    return path


def logits(path, **options):
    return load_model(str(path), **options)(paddle.to_tensor([[1, 270, 280, 290, 300]])).numpy()


@pytest.mark.parametrize("scheme", ["wint4", "wint8", "fp8", "q8_0", "q4_k"])
def test_quantize_prints_a_table_and_writes_what_is_read(tmp_path, gguf, text, capsys, scheme):
    out = tmp_path / ("out.gguf" if scheme.startswith("q") else "out")
    assert (
        main(["quantize", str(gguf), "--scheme", scheme, "--out", str(out), "--text", str(text), "--tokens", "300"])
        == 0
    )
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"written: {out}" and lines[1].split()[:5] == ["model", "MB", "perplexity", "decode", "prefill"]
    rows = {line.split()[0]: [float(n) for n in line.split()[1:]] for line in lines[2:]}
    before, after = rows[str(gguf)], rows[str(out)]
    assert after[0] < before[0] / 2.5 and abs(after[1] / before[1] - 1) < 0.1 and min(after[2:]) > 0
    expected = logits(gguf)
    assert np.abs(logits(out) - expected).max() < 0.35 * np.abs(expected).max()
    with LLM(str(out), max_batch=1, max_model_len=64) as llm:
        assert len(llm.generate("The fox", SamplingParams(max_tokens=5, ignore_eos=True)).tokens) == 5
    assert load_tokenizer(str(out)).encode(TEXT) == load_tokenizer(str(gguf)).encode(TEXT)
    # No file is left beside it.
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted([out.name, "text.txt"])


def test_q4_k_is_the_mix_of_that_name(tmp_path, gguf):
    assert main(["quantize", str(gguf), "--scheme", "q4_k", "--out", str(tmp_path / "x.gguf"), "--no-measure"]) == 0
    kinds = {name: tensor.type.name for name, tensor in GGUFFile(tmp_path / "x.gguf").tensors.items()}
    assert kinds["output.weight"] == "Q6_K" and kinds["token_embd.weight"] == "Q4_K"
    assert [i for i in range(8) if kinds[f"blk.{i}.attn_v.weight"] == "Q6_K"] == [0, 3, 6, 7]
    assert [i for i in range(8) if kinds[f"blk.{i}.ffn_down.weight"] == "Q6_K"] == [0, 3, 6, 7]
    assert {kinds[f"blk.{i}.attn_q.weight"] for i in range(8)} == {"Q4_K"}
    assert kinds["blk.0.attn_norm.weight"] == "F32"


@pytest.mark.parametrize("scheme, dtype, bound", [("kv8", "int8", 0.01), ("kv4", "int4", 0.05)])
def test_caches_are_measured(gguf, text, capsys, scheme, dtype, bound):
    assert main(["quantize", str(gguf), "--scheme", scheme, "--text", str(text), "--tokens", "400"]) == 0
    lines = capsys.readouterr().out.splitlines()[1:]
    rows = {line[:18].strip(): line[18:].split() for line in lines}
    assert list(rows) == ["float32", dtype, f"{dtype}, balanced"]
    assert float(rows["float32"][0]) == 8 * 2 * 2 * 64 * 4
    whole = 4 * 64
    per_row = {"int8": 64 + 2, "int4": 2 * 18 + 2}[dtype]
    assert float(rows[dtype][0]) == pytest.approx(8 * 2 * 2 * 64 * 4 * per_row / whole, abs=1)
    assert all(abs(float(row[2].rstrip("%"))) < 100 * bound for row in rows.values())


def test_perplexity_is_that_of_the_loss(gguf):
    model, tokenizer = load_model(str(gguf)), load_tokenizer(str(gguf))
    ids = tokenizer.encode(TEXT)[:200]
    loss, _ = model(paddle.to_tensor([ids]), labels=paddle.to_tensor([ids]))
    assert perplexity(model, ids) == pytest.approx(np.exp(float(loss)), rel=1e-4)
    assert cache_perplexity(model, ids, "float32") == pytest.approx(np.exp(float(loss)), rel=1e-4)
    balance = measure_key_balance(model, paddle.to_tensor(ids))
    assert cache_perplexity(model, ids, "int4", balance) == pytest.approx(np.exp(float(loss)), rel=0.05)
    assert cache_bytes_per_token(model.config, "int8") == 8 * 2 * 2 * (64 + 2)
    with pytest.raises(ValueError, match="must be one of float32"):
        cache_perplexity(model, ids, "int3")


def test_gguf_to_a_folder_and_back(tmp_path, gguf):
    assert main(["convert", str(gguf), "--to", "safetensors", "--out", str(tmp_path / "folder")]) == 0
    np.testing.assert_allclose(logits(tmp_path / "folder"), logits(gguf), rtol=0, atol=1e-6)
    assert (tmp_path / "folder" / "chat_template.jinja").read_text() == "{{ messages[0].content }}"
    assert (
        main(
            [
                "convert",
                str(tmp_path / "folder"),
                "--to",
                "gguf",
                "--dtype",
                "float32",
                "--out",
                str(tmp_path / "back.gguf"),
            ]
        )
        == 0
    )
    np.testing.assert_allclose(logits(tmp_path / "back.gguf"), logits(gguf), rtol=0, atol=1e-6)
    first, second = GGUFFile(gguf).metadata, GGUFFile(tmp_path / "back.gguf").metadata
    for key in pieces():
        np.testing.assert_array_equal(first[key], second[key])
    assert (
        main(["convert", str(gguf), "--to", "safetensors", "--dtype", "float16", "--out", str(tmp_path / "half")]) == 0
    )
    np.testing.assert_allclose(logits(tmp_path / "half"), logits(gguf), rtol=0, atol=2e-3)


def test_saved_parameters_are_read(tmp_path, gguf):
    """Those of a Decoder, and those with the names and the orientation that PaddleNLP has."""
    model = load_model(str(gguf))
    save_folder(model, tmp_path / "own", dtype="float32")
    (tmp_path / "own" / "model.safetensors").unlink()
    paddle.save(model.state_dict(), str(tmp_path / "own" / "model_state.pdparams"))
    np.testing.assert_allclose(logits(tmp_path / "own"), logits(gguf), rtol=0, atol=1e-5)
    names = {
        "embedding.weight": "llama.embed_tokens.weight",
        "norm.weight": "llama.norm.weight",
        "head.weight": "lm_head.weight",
    }
    inner = {
        "attention_norm": "input_layernorm",
        "mlp_norm": "post_attention_layernorm",
        **{f"attention.{c}": f"self_attn.{c}_proj" for c in "qkvo"},
        **{f"mlp.{name}": f"mlp.{name}_proj" for name in ("gate", "up", "down")},
    }

    def spelled(name):
        if name in names:
            return names[name]
        _, layer, which = name.removesuffix(".weight").split(".", 2)
        return f"llama.layers.{layer}.{inner[which]}.weight"

    state = {spelled(name): value for name, value in model.state_dict().items()}
    paddle.save(state, str(tmp_path / "own" / "model_state.pdparams"))
    np.testing.assert_allclose(logits(tmp_path / "own"), logits(gguf), rtol=0, atol=1e-5)
    assert (
        main(["quantize", str(tmp_path / "own"), "--scheme", "wint8", "--out", str(tmp_path / "q"), "--no-measure"])
        == 0
    )
    assert load_model(str(tmp_path / "q")).layers[0].mlp.up.format == "Q8_0"
    paddle.save({"x": paddle.ones([1])}, str(tmp_path / "own" / "model_state.pdparams"))
    with pytest.raises(ValueError, match="no embedding.weight"):
        load_model(str(tmp_path / "own"))


def byte_level(tokenizers):
    """A tokenizer.json of byte-level BPE that words of Qwen2 are cut by."""
    from paddle.llm.tokenizers.library import WORD_PATTERNS

    made = tokenizers.Tokenizer(tokenizers.models.BPE())
    made.pre_tokenizer = tokenizers.pre_tokenizers.Sequence(
        [
            tokenizers.pre_tokenizers.Split(tokenizers.Regex(WORD_PATTERNS["qwen2"][0][0]), "isolated"),
            tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    made.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=600,
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
        special_tokens=["<|endoftext|>", "<|im_start|>", "<|im_end|>"],
        show_progress=False,
    )
    made.train_from_iterator([sample_text()[:50_000]], trainer)
    return made


def byte_fallback(tokenizers):
    """One of pieces with bytes as the last resort, as Llama 2 has it."""
    made = byte_level(tokenizers)
    made = tokenizers.Tokenizer(tokenizers.models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    made.normalizer = tokenizers.normalizers.Sequence(
        [tokenizers.normalizers.Prepend("\u2581"), tokenizers.normalizers.Replace(" ", "\u2581")]
    )
    made.decoder = tokenizers.decoders.Sequence(
        [
            tokenizers.decoders.Replace("\u2581", " "),
            tokenizers.decoders.ByteFallback(),
            tokenizers.decoders.Fuse(),
            tokenizers.decoders.Strip(" ", 1, 0),
        ]
    )
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=700,
        special_tokens=["<unk>", "<s>", "</s>", *(f"<0x{i:02X}>" for i in range(256))],
        show_progress=False,
    )
    made.train_from_iterator([line for line in sample_text()[:50_000].split("\n") if line], trainer)
    settings = json.loads(made.to_str())
    # Bytes are pieces, no special tokens.
    settings["added_tokens"] = settings["added_tokens"][:3]
    return tokenizers.Tokenizer.from_str(json.dumps(settings))


@pytest.mark.parametrize("make", [byte_level, byte_fallback])
def test_a_tokenizer_of_a_folder_gives_the_same_tokens_in_a_gguf_file(tmp_path, make):
    made = make(peers.load("tokenizers"))
    model = Decoder(config(-(-made.get_vocab_size() // 8) * 8, num_layers=1, bos_id=None, eos_ids=(0,)))
    save_folder(model, tmp_path / "folder", dtype="float32")
    made.save(str(tmp_path / "folder" / "tokenizer.json"))
    assert (
        main(
            [
                "quantize",
                str(tmp_path / "folder"),
                "--scheme",
                "q8_0",
                "--out",
                str(tmp_path / "x.gguf"),
                "--no-measure",
            ]
        )
        == 0
    )
    first, second = load_tokenizer(str(tmp_path / "folder")), load_tokenizer(str(tmp_path / "x.gguf"))
    text = sample_text()[60_000:80_000] + " <|im_start|> </s> \u00e9\u4f60\U0001f917\n\n   "
    assert second.encode(text) == first.encode(text)
    assert second.specials == first.specials


def test_a_tokenizer_without_a_name_in_gguf_files_is_refused(tmp_path, capsys):
    tokenizers = peers.load("tokenizers")
    made = byte_level(tokenizers)
    made.pre_tokenizer = tokenizers.pre_tokenizers.Sequence(
        [
            tokenizers.pre_tokenizers.Split(tokenizers.Regex(r"\d|\w+"), "isolated"),
            tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    save_folder(Decoder(config(600, num_layers=1)), tmp_path / "folder", dtype="float32")
    made.save(str(tmp_path / "folder" / "tokenizer.json"))
    assert main(["convert", str(tmp_path / "folder"), "--to", "gguf", "--out", str(tmp_path / "x.gguf")]) == 2
    assert "GGUF files have names for other rules" in capsys.readouterr().err
    assert not (tmp_path / "x.gguf").exists()


@pytest.mark.parametrize(
    "arguments, text",
    [
        (["quantize", "MODEL", "--scheme", "q8_0", "--zero-points"], "--zero-points is given; it belongs to wint4"),
        (["quantize", "MODEL", "--scheme", "kv8", "--out", "x"], "--out is given"),
        (["quantize", "MODEL", "--scheme", "kv8", "--no-measure"], "writes nothing"),
        (["quantize", "MODEL", "--scheme", "fp8", "--group-size", "64"], "--group-size is given"),
        (["quantize", "MODEL", "--scheme", "fp8", "--tokens", "1"], "--tokens has value 1"),
        (["quantize", "MODEL", "--scheme", "q4_k", "--out", "HERE/folder"], "a GGUF file ends in .gguf"),
        (["quantize", "MODEL", "--scheme", "wint4", "--out", "HERE/x.gguf"], "a folder does not end in .gguf"),
        (["quantize", "MODEL", "--scheme", "wint4", "--out", "HERE/nowhere/x", "--no-measure"], "there is no folder"),
        (["quantize", "nothing.gguf", "--scheme", "wint4", "--out", "HERE/x"], "there is no file or folder"),
        (["quantize", "MODEL", "--scheme", "q8_0", "--out", "MODEL"], "is there already"),
        (["convert", "MODEL", "--to", "gguf", "--dtype", "bfloat16"], "--dtype is bfloat16; gguf can have"),
        (["convert", "MODEL", "--to", "safetensors", "--dtype", "q8_0"], "--dtype is q8_0; safetensors can have"),
    ],
)
def test_what_cannot_be_done_is_refused(tmp_path, gguf, capsys, monkeypatch, arguments, text):
    monkeypatch.chdir(tmp_path)
    words = [word.replace("MODEL", str(gguf)).replace("HERE", str(tmp_path)) for word in arguments]
    assert main(words) == 2
    assert text in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_an_interrupted_write_leaves_nothing(tmp_path, gguf, monkeypatch):
    from paddle.llm.models import hugging_face_export, weight_encoding

    def broken(*_):
        raise OSError("no space")

    monkeypatch.setattr(weight_encoding, "_encode", broken)
    with pytest.raises(OSError, match="no space"):
        hugging_face_export.save_folder(load_model(str(gguf)), tmp_path / "q", "wint8")
    assert not list(tmp_path.iterdir())


def test_options_are_described(capsys):
    with pytest.raises(SystemExit):
        main(["quantize", "--help"])
    assert re.search(r"wint4.*fp8.*kv4", capsys.readouterr().out, re.S)
