# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""GGUF files: written and read, decoded as the package gguf does, damaged in every place; decoders in such files."""

import math
import os
import random
import re
import struct
import subprocess
import sys

import numpy as np
import paddle
import pytest
from paddle.llm.formats import GGUFFile, quantize_q8_0, write_gguf
from paddle.llm.models import BlockWeight, Decoder, DecoderConfig, Experts, Latent, Rotary, load_model, save_gguf

from tests.python.llm import peers

METADATA = {
    "general.architecture": "none",
    "a.int": 7,
    "a.negative": -7,
    "a.long": 1 << 40,
    "a.float": 0.5,
    "a.bool": True,
    "a.bytes": np.arange(3, dtype="uint8"),
    "a.floats": np.array([1.5, -2.0], "float32"),
    "a.texts": ["é", "", "b c"],
    "a.short": np.int16(-3),
}


def example(path, rng=None):
    rng = rng or np.random.default_rng(0)
    tensors = {
        "norm": (rng.standard_normal(5).astype("float32"), "F32"),
        "half": (rng.standard_normal((2, 3, 8)).astype("float32"), "F16"),
        "matrix": (rng.standard_normal((4, 64)).astype("float32"), "Q8_0"),
        "blocks": (rng.integers(0, 255, (3, 144), "u1"), "Q4_K"),
    }
    write_gguf(path, METADATA, tensors)
    return tensors


def test_what_is_written_is_read(tmp_path):
    tensors = example(tmp_path / "x.gguf")
    file = GGUFFile(tmp_path / "x.gguf")
    for key, value in METADATA.items():
        np.testing.assert_array_equal(file.metadata[key], value)
        assert type(file.metadata[key]) is type(value) or isinstance(value, np.generic)
    assert {name: (t.type.name, t.shape) for name, t in file.tensors.items()} == {
        "norm": ("F32", (5,)),
        "half": ("F16", (2, 3, 8)),
        "matrix": ("Q8_0", (4, 64)),
        "blocks": ("Q4_K", (3, 256)),
    }
    np.testing.assert_array_equal(file.tensors["norm"].data.view("<f4")[0], tensors["norm"][0])
    np.testing.assert_array_equal(
        file.tensors["half"].data.view("<f2").reshape(2, 3, 8), tensors["half"][0].astype("f2")
    )
    np.testing.assert_array_equal(file.tensors["blocks"].data, tensors["blocks"][0])


def test_q8_0_rounds_to_a_127th_of_the_largest_of_a_block():
    x = np.random.default_rng(1).standard_normal((3, 64)).astype("float32")
    x[1, :32] = 0
    weight = BlockWeight(paddle.to_tensor(quantize_q8_0(x)), "Q8_0", 3, 64)
    steps = np.repeat(np.abs(x.reshape(3, 2, 32)).max(-1) / 127, 32, 1)
    assert (np.abs(weight.dequantize().numpy() - x) <= steps * 0.5 + np.abs(x) * 1e-3).all()


def test_the_package_gguf_writes_and_reads_the_same(tmp_path):
    gguf = peers.load("gguf")
    tensors = example(tmp_path / "x.gguf")
    reader = gguf.GGUFReader(tmp_path / "x.gguf")
    for key, value in METADATA.items():
        np.testing.assert_array_equal(reader.fields[key].contents(), value)
    for tensor in reader.tensors:
        array, kind = tensors[tensor.name]
        assert tensor.tensor_type.name == kind
        if kind == "Q8_0":
            expected = gguf.quants.quantize(array, gguf.GGMLQuantizationType.Q8_0)
            np.testing.assert_array_equal(tensor.data, expected)


FORMATS = "Q8_0 Q4_0 Q4_1 Q5_0 Q5_1 Q2_K Q3_K Q4_K Q5_K Q6_K IQ4_NL".split()


@pytest.mark.parametrize("format", FORMATS)
def test_blocks_are_decoded_as_the_package_gguf_does(tmp_path, format):
    gguf = peers.load("gguf")
    kind = gguf.GGMLQuantizationType[format]
    rng = np.random.default_rng(2)
    weights, size = gguf.GGML_QUANT_SIZES[kind]
    data = rng.integers(0, 256, (20, 512 // weights * size), "u1")
    blocks = data.reshape(-1, size)
    # Scales that are finite: wherever the format has them, float16 with a small exponent.
    offsets = {"Q2_K": (80, 82), "Q3_K": (108,), "Q6_K": (208,)}.get(format, (0, 2))
    for at in offsets[: 1 if format in ("Q8_0", "Q4_0", "Q5_0", "IQ4_NL") else 2]:
        blocks[:, at : at + 2] = rng.uniform(0.001, 0.1, len(blocks)).astype("<f2").view("u1").reshape(-1, 2)
    write_gguf(tmp_path / "x.gguf", {}, {"w": (data, format)})
    tensor = GGUFFile(tmp_path / "x.gguf").tensors["w"]
    weight = BlockWeight(paddle.to_tensor(tensor.data.copy()), tensor.type.name, 20, 512)
    expected = gguf.quants.dequantize(data, kind)
    np.testing.assert_array_equal(weight.dequantize().numpy(), expected)
    # Packed, scales are rounded to float16.
    steps = 1e-3 * np.abs(expected).max()
    np.testing.assert_allclose(weight.pack().dequantize().numpy(), expected, rtol=1e-3, atol=steps)
    ids = paddle.to_tensor([[3, 19]])
    np.testing.assert_array_equal(weight.embedding(ids).numpy(), expected[[[3, 19]]])


def header(tensors=0, entries=b"", count=None, version=3):
    kinds = entries if isinstance(entries, list) else [entries] if entries else []
    return b"GGUF" + struct.pack("<IQQ", version, tensors, len(kinds) if count is None else count) + b"".join(kinds)


def text(value):
    return struct.pack("<Q", len(value)) + value


def tensor(name, extents, kind=0, offset=0):
    return text(name) + struct.pack(f"<I{len(extents)}QIQ", len(extents), *extents, kind, offset)


PAD = b"\0" * 64
NESTED = text(b"k") + struct.pack("<I", 9) + struct.pack("<IQ", 9, 1) * 40
DAMAGED = {
    "empty": (b"", "the file has 0 bytes"),
    "other": (b"GGML" + PAD, r"magic at byte 0 is b'GGML'; a GGUF file begins with b'GGUF'"),
    "version": (header(version=1) + PAD, "version at byte 4 is 1"),
    "big-endian": (b"GGUF" + struct.pack(">IQQ", 3, 0, 0) + PAD, "a big-endian file"),
    "many tensors": (header(tensors=1 << 60) + PAD, "tensor_count at byte 8 is 1152921504606846976"),
    "many entries": (header(count=1 << 60) + PAD, "with 1152921504606846976 entries of metadata"),
    "long key": (header(0, struct.pack("<Q", 1 << 62) + PAD), "key 0 of the metadata at byte 32 needs"),
    "no text": (header(0, text(b"\xff\xfe") + PAD), "key 0 of the metadata at byte 32 is no text in UTF-8"),
    "unknown kind": (header(0, text(b"k") + struct.pack("<I", 99) + PAD), "k at byte 33 has the type 99"),
    "twice": (header(0, [text(b"k") + struct.pack("<IB", 0, 1)] * 2) + PAD, "key 'k' at byte 38 is there twice"),
    "long array": (header(0, text(b"k") + struct.pack("<IIQ", 9, 4, 1 << 61) + PAD), "k at byte 49 needs"),
    "many texts": (header(0, text(b"k") + struct.pack("<IIQ", 9, 8, 1 << 61) + PAD), "k at byte 49 needs"),
    "long text": (header(0, text(b"k") + struct.pack("<IIQQ", 9, 8, 1, 1 << 63) + PAD), r"k\[0\] at byte 49 needs"),
    "bad text": (
        header(0, text(b"k") + struct.pack("<IIQ", 9, 8, 1) + text(b"\xff") + PAD),
        r"k\[0\] at byte 49 is no text",
    ),
    "nested": (header(0, NESTED) + PAD, "k at byte .* holds arrays in more than 4 levels"),
    "array of nothing": (header(0, text(b"k") + struct.pack("<IIQ", 9, 77, 0) + PAD), "k at byte 37 holds the type 77"),
    "alignment": (
        header(0, text(b"general.alignment") + struct.pack("<II", 4, 24)) + PAD,
        "general.alignment .* has the value 24; it must be a power of two",
    ),
    "no dimensions": (header(1) + tensor(b"w", []) + PAD, "tensor 'w' at byte 24 has 0 dimensions"),
    "dimensions": (header(1) + tensor(b"w", [1] * 5) + PAD, "tensor 'w' at byte 24 has 5 dimensions"),
    "zero": (header(1) + tensor(b"w", [4, 0]) + PAD, r"tensor 'w' at byte 24 has shape \[0, 4\]"),
    "huge": (header(1) + tensor(b"w", [1 << 40] * 4) + PAD, "tensor 'w' at byte 24 has shape .* the file has"),
    "kind": (header(1) + tensor(b"w", [4], 16) + PAD, "tensor 'w' at byte 24 has the type 16, which cannot be read"),
    "rows": (header(1) + tensor(b"w", [33], 8) + PAD, "has rows of 33; Q8_0 has blocks of 32 weights"),
    "offset": (header(1) + tensor(b"w", [4], 0, 8) + PAD, "offset 8, .* offsets are multiples of 32"),
    "behind": (header(1) + tensor(b"w", [4], 0, 1 << 63) + PAD, "the file has"),
    "two tensors": (header(2) + tensor(b"w", [4]) * 2 + PAD, "tensor 'w' at byte .* is there twice"),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_damaged_files_are_refused_with_file_field_and_place(tmp_path, name):
    data, message = DAMAGED[name]
    (tmp_path / "x.gguf").write_bytes(data)
    with pytest.raises(ValueError, match=f"x.gguf: .*{message}"):
        GGUFFile(tmp_path / "x.gguf")


def test_files_with_changed_bytes_are_read_or_refused(tmp_path):
    example(tmp_path / "x.gguf")
    whole, rng, refused = (tmp_path / "x.gguf").read_bytes(), random.Random(3), 0
    for _ in range(1500):
        data = bytearray(whole[: rng.choice([len(whole), rng.randrange(len(whole))])])
        for _ in range(rng.randint(0, 3)):
            at = rng.randrange(max(1, min(len(data), 700)))
            data[at : at + 1] = bytes([rng.choice([0, 1, 127, 255, rng.randrange(256)])])
        (tmp_path / "y.gguf").write_bytes(data)
        try:
            for found in GGUFFile(tmp_path / "y.gguf").tensors.values():
                found.data.sum()
        except ValueError:
            refused += 1
    assert refused > 300


def config(architecture, **more):
    sizes = dict(
        vocab_size=64,
        hidden_size=32,
        intermediate_size=64,
        num_layers=6,
        num_heads=4,
        num_kv_heads=2,
        head_dim=8,
        rotary=Rotary(8),
        initializer_range=0.2,
    )
    return DecoderConfig(architecture=architecture, **{**sizes, **more})


GEMMA = dict(activation="gelu_tanh", post_norms=True, tied=True, embedding_scale=math.sqrt(32))
LATENT = dict(num_layers=2, num_kv_heads=4, head_dim=24, rotary=Rotary(8))
CONFIGS = {
    "mixtral": config("mixtral", experts=Experts(5, 2, 64, tuple(range(6)))),
    "qwen2_moe": config(
        "qwen2_moe", qkv_bias=True, experts=Experts(6, 3, 32, tuple(range(6)), 64, True, normalized=False)
    ),
    "qwen3_moe": config("qwen3_moe", head_norms=True, experts=Experts(6, 3, 40, tuple(range(6)))),
    "ernie4_5": config("ernie4_5", tied=True),
    "ernie4_5_moe": config(
        "ernie4_5_moe", tied=True, experts=Experts(6, 3, 32, (1, 2, 3, 4, 5), 64, selection_bias=True, floor=1e-12)
    ),
    "deepseek_v2": config(
        "deepseek_v2",
        **{**LATENT, "rotary": Rotary(8, 1e4, "yarn", 4.0, 512, 1.0, 32.0, 1.0)},
        latent=Latent(32, 0, 16),
        attention_scale=24**-0.5 * (0.1 * 0.7 * math.log(4) + 1) ** 2,
        experts=Experts(6, 3, 32, (1,), 64, normalized=False, scale=1.5),
    ),
    "deepseek_v3": config(
        "deepseek_v3",
        **LATENT,
        latent=Latent(32, 64, 16),
        experts=Experts(
            8, 3, 32, (1,), 32, score="sigmoid", selection_bias=True, groups=4, chosen_groups=2, best_of_group=2
        ),
    ),
    "llama": config("llama"),
    "llama scaled": config("llama", rotary=Rotary(8, 5e5, "llama3", 8.0, 16), tied=True, qkv_bias=True),
    "llama in part": config("llama", rotary=Rotary(4, 1e4, "linear", 2.0, 2048)),
    "mistral": config("mistral", windows=(7,) * 6, rotary=Rotary(8, 1e4, "yarn", 4.0, 512, 1.0, 32.0)),
    "qwen2": config("qwen2", qkv_bias=True),
    "qwen3": config("qwen3", head_norms=True, head_dim=16, rotary=Rotary(16)),
    "phi3": config("phi3", windows=(9,) * 6),
    "gemma2": config("gemma2", windows=(4, 0) * 3, attention_cap=50.0, logit_cap=30.0, **GEMMA),
    "gemma3": config(
        "gemma3_text", windows=(4,) * 5 + (0,), local_rotary=Rotary(8), rotary=Rotary(8, 1e6), head_norms=True, **GEMMA
    ),
}


@pytest.mark.parametrize("name", CONFIGS)
def test_a_decoder_in_a_file_gives_the_same_logits(tmp_path, name):
    paddle.seed(4)
    model = Decoder(CONFIGS[name])
    ids = paddle.randint(0, 64, [2, 24])
    expected = model(ids).numpy()
    save_gguf(model, tmp_path / "x.gguf", "F32")
    np.testing.assert_allclose(load_model(tmp_path / "x.gguf")(ids).numpy(), expected, rtol=0, atol=2e-5)
    save_gguf(model, tmp_path / "x.gguf", "Q8_0")
    quantized = load_model(tmp_path / "x.gguf")(ids).numpy()
    trainable = load_model(tmp_path / "x.gguf", dequantize=True)
    error, bound = np.abs(quantized - trainable(ids).numpy()), 0.05 * np.abs(expected).max()
    # Where two experts have nearly one score, rounding chooses the other for a token.
    assert (error.max() if model.config.experts is None else np.median(error) * 5) < bound
    trainable(ids, labels=ids)[0].backward()
    assert trainable.layers[0].attention.o.weight.grad is not None
    # Of a model that is quantised, the numbers that its weights stand for are written.
    save_gguf(load_model(tmp_path / "x.gguf"), tmp_path / "y.gguf", "F32")
    np.testing.assert_allclose(load_model(tmp_path / "y.gguf")(ids).numpy(), trainable(ids).numpy(), rtol=0, atol=1e-3)


@pytest.mark.parametrize("name", CONFIGS)
def test_names_of_weights_are_those_of_the_format(tmp_path, name):
    constants = peers.load("gguf").constants
    save_gguf(Decoder(CONFIGS[name]), tmp_path / "x.gguf", "F32")
    file = GGUFFile(tmp_path / "x.gguf")
    numbers = {text: number for number, text in constants.MODEL_ARCH_NAMES.items()}
    known = {
        constants.TENSOR_NAMES[kind].replace("{bid}", "0")
        for kind in constants.MODEL_TENSORS[numbers[file.metadata["general.architecture"]]]
    }
    found = {re.sub(r"blk\.\d+", "blk.0", tensor).rpartition(".")[0] for tensor in file.tensors}
    assert found <= known


def test_files_with_keys_and_values_in_one_matrix(tmp_path):
    model = Decoder(CONFIGS["deepseek_v3"])
    save_gguf(model, tmp_path / "x.gguf", "F32")
    file = GGUFFile(tmp_path / "x.gguf")
    tensors = {t.name: (t.data.view("<f4").reshape(t.shape), t.type.name) for t in file.tensors.values()}
    for i in range(2):
        keys, values = (tensors.pop(f"blk.{i}.attn_{which}_b.weight")[0] for which in "kv")
        both = np.concatenate([keys.swapaxes(1, 2), values], 1)
        tensors[f"blk.{i}.attn_kv_b.weight"] = both.reshape(-1, both.shape[-1]), "Q8_0" if i else "F32"
    lengths = {"key": 24, "value": 16}
    metadata = {**file.metadata, **{f"deepseek2.attention.{which}_length": n for which, n in lengths.items()}}
    for which in lengths:
        del metadata[f"deepseek2.attention.{which}_length_mla"]
    write_gguf(tmp_path / "y.gguf", metadata, tensors)
    found = load_model(tmp_path / "y.gguf")
    assert found.config == load_model(tmp_path / "x.gguf").config
    np.testing.assert_array_equal(found.layers[0].attention.k_up.numpy(), model.layers[0].attention.k_up.numpy())
    np.testing.assert_allclose(
        found.layers[1].attention.v_up.numpy(), model.layers[1].attention.v_up.numpy(), rtol=0, atol=0.01
    )


def test_a_decoder_that_the_format_does_not_express_is_refused(tmp_path):
    some = Decoder(config("qwen2_moe", qkv_bias=True, experts=Experts(6, 3, 32, (1, 3, 5))))
    with pytest.raises(ValueError, match=r"do not express experts in the layers \[1, 3, 5\] of 6"):
        save_gguf(some, tmp_path / "x.gguf")
    model = Decoder(config("llama", windows=(4, 0) * 3))
    with pytest.raises(ValueError, match=r"do not express this model: windows is \(4, 0, 4, 0, 4, 0\)"):
        save_gguf(model, tmp_path / "x.gguf")
    assert not (tmp_path / "x.gguf").exists()


def test_gradients_pass_through_quantised_weights(tmp_path):
    save_gguf(Decoder(config("llama")), tmp_path / "x.gguf")
    model, ids = load_model(tmp_path / "x.gguf"), paddle.to_tensor([[1, 2, 3, 4]])
    model(ids, labels=ids)[0].backward()
    assert float(model.layers[0].attention_norm.weight.grad.abs().sum()) > 0
    assert [name for name, _ in model.named_parameters()] == [
        name for name, _ in model.named_parameters() if "norm" in name
    ]


@pytest.mark.parametrize(
    "change, message",
    [
        ({"general.architecture": "mamba"}, "the architecture is 'mamba'; these can be read: llama, "),
        ({"llama.expert_count": 8}, "it has 8 experts, and no layer has a router"),
        ({"split.count": 2}, "'split.count' is 2; split files cannot be read"),
        ({"llama.block_count": 7}, "the model needs a weight 'layers.6.attention_norm.weight'"),
        ({"llama.embedding_length": 48}, "has shape"),
        ({"llama.attention.head_count": 0}, "0 heads"),
        ({"llama.attention.head_count": "x"}, "'llama.attention.head_count' has a value of type str; it must be int"),
        ({"llama.rope.scaling.type": "longrope"}, "the rotation is scaled by 'longrope'"),
        ({"llama.attention.value_length": 4}, "values have another width than keys"),
    ],
)
def test_metadata_that_do_not_fit_are_refused(tmp_path, change, message):
    save_gguf(Decoder(config("llama")), tmp_path / "x.gguf")
    file = GGUFFile(tmp_path / "x.gguf")
    tensors = {
        t.name: (t.data if t.type.is_quantized else t.data.view("<f4").reshape(t.shape), t.type.name)
        for t in file.tensors.values()
    }
    write_gguf(tmp_path / "y.gguf", {**file.metadata, **change}, tensors)
    with pytest.raises(ValueError, match=message):
        load_model(tmp_path / "y.gguf")


READS_A_FILE = """
import sys
import paddle
from paddle.llm.formats import GGUFFile
from paddle.llm.models import load_model

def mapped():
    lines = dict(line.split(":", 1) for line in open("/proc/self/status"))
    return int(lines["RssFile"].split()[0])

paddle.matmul(paddle.ones([64, 64]), paddle.ones([64, 64]))
file, before = GGUFFile(sys.argv[1]), mapped()
file.tensors["blk.0.ffn_up.weight"].data.copy()
print(mapped() - before)
model = load_model(file)
print(mapped() - before)
again = load_model(file)
assert (again.layers[1].mlp.up.quantized.data.numpy() == model.layers[1].mlp.up.quantized.data.numpy()).all()
"""


@pytest.mark.unsanitized  # the sanitizer has pages of its own
def test_packed_weights_leave_no_pages_of_their_file_in_memory(tmp_path):
    sizes = dict(vocab_size=2048, hidden_size=512, intermediate_size=2048, num_layers=8, head_dim=128)
    model = Decoder(config("llama", **sizes, rotary=Rotary(128)))
    save_gguf(model, tmp_path / "x.gguf", "Q8_0")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", READS_A_FILE, tmp_path / "x.gguf"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    one_read, all_read = map(int, done.stdout.split())
    size = os.path.getsize(tmp_path / "x.gguf") / 1024
    assert one_read >= 1000 and size > 30_000  # KiB; the measure sees what is read
    assert all_read < size / 10
