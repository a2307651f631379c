# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Folders whose weights are quantised: GPTQ, AWQ and 8-bit floats, written here from the description of the formats."""

import json

import numpy as np
import paddle
import pytest
from paddle.llm.models import Calibration, Decoder, DecoderConfig, Experts, Rotary, load_model, save_folder
from paddle.llm.models.calibration import calibrated_codes

from tests.python.llm import peers

GROUP = 64
CONFIG = dict(
    model_type="llama",
    vocab_size=96,
    hidden_size=128,
    intermediate_size=256,
    num_hidden_layers=2,
    num_attention_heads=4,
    num_key_value_heads=2,
    head_dim=32,
    max_position_embeddings=64,
    rms_norm_eps=1e-5,
    rope_theta=10000.0,
)
MATRICES = {
    "self_attn.q_proj": (128, 128),
    "self_attn.k_proj": (64, 128),
    "self_attn.v_proj": (64, 128),
    "self_attn.o_proj": (128, 128),
    "mlp.gate_proj": (256, 128),
    "mlp.up_proj": (256, 128),
    "mlp.down_proj": (128, 256),
}


def words_of(codes, bits):
    """int32 words of codes [rows, columns]: so many codes of neighbouring columns in a word, the first one lowest."""
    count = 32 // bits
    words = np.zeros((codes.shape[0], codes.shape[1] // count), np.uint64)
    for i in range(count):
        words |= codes[:, i::count].astype(np.uint64) << np.uint64(bits * i)
    return words.astype(np.uint32).view(np.int32)


def gptq(rng, shape, bits=4, symmetric=True, shuffled=False, form="gptq"):
    """(tensors by the end of their names, the matrix)."""
    outputs, inputs = shape
    groups, middle = inputs // GROUP, 1 << (bits - 1)
    codes = rng.integers(0, 1 << bits, shape)
    scales = (rng.uniform(0.032, 0.16, (groups, outputs)) / 2**bits).astype("f2")
    zeros = np.full((groups, outputs), middle) if symmetric else rng.integers(1, 1 << bits, (groups, outputs))
    own = np.arange(inputs) // GROUP
    if shuffled:
        own = rng.permutation(own)
    matrix = (codes.T - zeros[own]) * scales[own].astype("f4")
    tensors = {
        "qweight": words_of(codes, bits).T,
        "qzeros": words_of(zeros - (form == "gptq"), bits),
        "scales": scales,
        "g_idx": own.astype("i4"),
    }
    return tensors, matrix.T.astype("f4")


def awq(rng, shape):
    outputs, inputs = shape
    groups = inputs // GROUP
    codes, zeros = rng.integers(0, 16, (inputs, outputs)), rng.integers(0, 16, (groups, outputs))
    scales = rng.uniform(0.002, 0.01, (groups, outputs)).astype("f2")
    own = np.arange(inputs) // GROUP
    matrix = (codes - zeros[own]) * scales[own].astype("f4")
    # Output 8 j + AWQ[i] stands in the i-th four bits of word j.
    order = (np.arange(0, outputs, 8)[:, None] + [0, 2, 4, 6, 1, 3, 5, 7]).reshape(-1)
    return {
        "qweight": words_of(codes[:, order], 4),
        "qzeros": words_of(zeros[:, order], 4),
        "scales": scales,
    }, matrix.T.astype("f4")


def float8(rng, shape):
    """Numbers with their scale for each block of 128 x 128."""
    numbers = rng.integers(0, 256, shape, "u1")
    numbers[numbers & 127 == 127] = 0
    exponent, mantissa = (numbers >> 3 & 15).astype(int), numbers & 7
    values = np.where(exponent, (8 + mantissa) * 2.0 ** (exponent - 10), mantissa * 2.0**-9)
    values = np.where(numbers & 128, -values, values)
    scales = rng.uniform(1e-5, 2e-4, [-(-n // 128) for n in shape]).astype("f4")
    whole = np.repeat(np.repeat(scales, 128, 0), 128, 1)[: shape[0], : shape[1]]
    tensors = {
        "weight": paddle.to_tensor(numbers).view("float8_e4m3fn"),
        "weight_scale_inv": scales,
    }
    return tensors, (values * whole).astype("f4")


def write(folder, tensors, **more):
    folder.mkdir(exist_ok=True)
    tensors = {
        k: v if isinstance(v, paddle.Tensor) else paddle.to_tensor(np.ascontiguousarray(v)) for k, v in tensors.items()
    }
    paddle.save(tensors, str(folder / "model.safetensors"), safetensors=True)
    (folder / "config.json").write_text(json.dumps({**CONFIG, **more}))
    return folder


def two_folders(tmp_path, make, rules, matrices=MATRICES, others=None, **more):
    """A folder of quantised weights, and one of the numbers that they stand for."""
    rng = np.random.default_rng(0)
    plain = {
        name: rng.standard_normal((96, 128)).astype("f4") for name in ("model.embed_tokens.weight", "lm_head.weight")
    }
    plain["model.norm.weight"] = np.ones(128, "f4")
    for layer in range(2):
        for name in ("input_layernorm", "post_attention_layernorm"):
            plain[f"model.layers.{layer}.{name}.weight"] = np.ones(128, "f4")
        for name, shape in (others or {}).items():
            plain[f"model.layers.{layer}.{name}.weight"] = 0.1 * rng.standard_normal(shape).astype("f4")
    quantized, dense = dict(plain), dict(plain)
    for layer in range(2):
        for name, shape in matrices.items():
            parts, matrix = make(rng, shape)
            quantized.update({f"model.layers.{layer}.{name}.{end}": part for end, part in parts.items()})
            dense[f"model.layers.{layer}.{name}.weight"] = matrix
    return write(tmp_path / "q", quantized, quantization_config=rules, **more), write(tmp_path / "d", dense, **more)


def rules_of(bits=4, **more):
    return {"quant_method": "gptq", "bits": bits, "group_size": GROUP, "desc_act": False, **more}


KINDS = {
    "gptq": (gptq, rules_of(), "Q4_0"),
    "gptq, zeros": (lambda *a: gptq(*a, symmetric=False), rules_of(), "Q4_1"),
    "gptq, second form": (
        lambda *a: gptq(*a, symmetric=False, form="gptq_v2"),
        rules_of(checkpoint_format="gptq_v2"),
        "Q4_1",
    ),
    "gptq, 8 bits": (lambda *a: gptq(*a, bits=8), rules_of(8), "Q8_0"),
    "gptq, groups in any order": (lambda *a: gptq(*a, shuffled=True), rules_of(desc_act=True), "Q4_0"),
    "awq": (
        awq,
        {"quant_method": "awq", "bits": 4, "group_size": GROUP, "zero_point": True, "version": "gemm"},
        "Q4_1",
    ),
    "fp8": (float8, {"quant_method": "fp8", "weight_block_size": [128, 128]}, "F8_E4M3"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_model_is_that_of_the_numbers_that_codes_stand_for(tmp_path, kind):
    make, rules, format = KINDS[kind]
    quantized, dense = two_folders(tmp_path, make, rules)
    ids = paddle.to_tensor(np.random.default_rng(1).integers(0, 96, (2, 20)))
    expected = load_model(dense)(ids).numpy()
    np.testing.assert_allclose(load_model(quantized, dequantize=True)(ids).numpy(), expected, rtol=0, atol=1e-4)
    model = load_model(quantized)
    weight = model.layers[1].mlp.down.quantized
    assert weight.format == format
    own = load_model(dense).layers[1].mlp.down.weight.numpy().T
    # Q4_1 holds scale * zero in float16: a hundredth of a step.
    np.testing.assert_allclose(weight.dequantize().numpy(), own, rtol=0, atol=1e-4 if format == "Q4_1" else 1e-7)
    # Products round the other operand to 8 bits.
    assert np.abs(model(ids).numpy() - expected).max() < 0.04 * np.abs(expected).max()


def test_training_sees_dequantised_weights(tmp_path):
    quantized, _ = two_folders(tmp_path, gptq, rules_of())
    model = load_model(quantized, dequantize=True)
    ids = paddle.to_tensor([[1, 2, 3, 4]])
    model(ids, labels=ids)[0].backward()
    assert model.layers[0].mlp.up.weight.grad is not None


def test_fused_matrices_are_split_and_experts_stacked(tmp_path):
    matrices = {"self_attn.qkv_proj": (256, 128), "self_attn.o_proj": (128, 128)}
    matrices |= {f"block_sparse_moe.experts.{i}.w{k}": (128, 128) for i in range(3) for k in (1, 2, 3)}
    more = dict(
        model_type="mixtral", intermediate_size=128, num_local_experts=3, num_experts_per_tok=2, sliding_window=None
    )
    others = {"block_sparse_moe.gate": (3, 128)}
    quantized, dense = two_folders(tmp_path, gptq, rules_of(), matrices, others, **more)
    ids = paddle.to_tensor(np.random.default_rng(1).integers(0, 96, (2, 20)))
    expected = load_model(dense)(ids).numpy()
    np.testing.assert_allclose(load_model(quantized, dequantize=True)(ids).numpy(), expected, rtol=0, atol=1e-4)
    model = load_model(quantized)
    assert model.layers[0].mlp.experts.down.quantized.rows == 3 * 128
    error = np.abs(model(ids).numpy() - expected)
    assert np.median(error) < 0.02 * np.abs(expected).max()


def test_experts_whose_inputs_have_orders_of_their_own_are_refused(tmp_path):
    matrices = {"self_attn.qkv_proj": (256, 128), "self_attn.o_proj": (128, 128)}
    matrices |= {f"block_sparse_moe.experts.{i}.w{k}": (128, 128) for i in range(3) for k in (1, 2, 3)}
    more = dict(model_type="mixtral", intermediate_size=128, num_local_experts=3, num_experts_per_tok=2)
    quantized, _ = two_folders(
        tmp_path, lambda *a: gptq(*a, shuffled=True), rules_of(), matrices, {"block_sparse_moe.gate": (3, 128)}, **more
    )
    with pytest.raises(ValueError, match="orders of their own"):
        load_model(quantized)
    load_model(quantized, dequantize=True)


@pytest.mark.parametrize(
    "rules, text",
    [
        ({"quant_method": "bitsandbytes"}, "'bitsandbytes'; gptq, awq and fp8 can be read"),
        (rules_of(3), "3 bits"),
        (rules_of(None), "must be a whole number"),
        (rules_of(checkpoint_format="marlin"), "'marlin'"),
        ({"quant_method": "awq", "bits": 4, "group_size": GROUP, "version": "gemv"}, "'gemv'"),
        ({"quant_method": "fp8"}, "weight_block_size"),
        ([1], "must be an object"),
    ],
)
def test_rules_that_cannot_be_read_are_refused(tmp_path, rules, text):
    quantized, _ = two_folders(tmp_path, gptq, rules)
    with pytest.raises(ValueError, match=text):
        load_model(quantized)


def test_damaged_parts_are_refused(tmp_path):
    rng = np.random.default_rng(3)
    for change, text in (
        (lambda parts: parts.pop("scales"), "is missing"),
        (lambda parts: parts.update(qweight=parts["qweight"].astype("f4")), "must be int32"),
        (lambda parts: parts.update(g_idx=parts["g_idx"] + 9), "inputs in the groups"),
        (lambda parts: parts.update(g_idx=parts["g_idx"][:5]), "g_idx' has shape"),
        (lambda parts: parts.update(qzeros=parts["qzeros"][:0]), "qzeros' has shape"),
        (lambda parts: parts.update(scales=parts["scales"][0]), "2 dimensions"),
        (lambda parts: parts.update(scales=parts["scales"] * np.float32(1e9)), "float16 does not hold"),
    ):

        def make(_, shape, change=change):
            parts, matrix = gptq(rng, shape)
            parts = dict(parts, scales=parts["scales"].astype("f4"))
            change(parts)
            return parts, matrix

        quantized, _ = two_folders(tmp_path, make, rules_of())
        with pytest.raises(ValueError, match=text):
            load_model(quantized)


LLAMA = dict(
    architecture="llama",
    vocab_size=256,
    hidden_size=256,
    intermediate_size=384,
    num_layers=2,
    num_heads=4,
    num_kv_heads=2,
    head_dim=64,
    rotary=Rotary(64),
)


@pytest.mark.parametrize(
    "scheme, options, format, bound",
    [
        ("wint4", {}, "Q4_0", 0.2),
        ("wint4", {"group_size": 64, "zero_points": True}, "Q4_1", 0.15),
        ("wint8", {"group_size": 64}, "Q8_0", 0.01),
        ("fp8", {}, "F8_E4M3", 0.05),
    ],
)
def test_what_save_folder_quantises_is_read(tmp_path, scheme, options, format, bound):
    paddle.seed(3)
    model = Decoder(DecoderConfig(**LLAMA))
    assert save_folder(model, tmp_path / "q", scheme, **options) == []
    quantized, dense = load_model(tmp_path / "q"), load_model(tmp_path / "q", dequantize=True)
    assert quantized.layers[0].mlp.gate.quantized.format == format
    assert quantized.head.format == quantized.embedding.format == ("F8_E4M3" if scheme == "fp8" else "Q8_0")
    for own, other in zip(model.layers, dense.layers, strict=True):
        for which in ("gate", "up", "down"):
            own_weight, found = (getattr(layer.mlp, which).weight.numpy() for layer in (own, other))
            error = np.sqrt(((found - own_weight) ** 2).mean() / (own_weight**2).mean())
            assert error < bound
    kept = tmp_path / "kept"
    save_folder(model, kept, scheme, keep_head=True, **options)
    # bfloat16
    np.testing.assert_allclose(load_model(kept).head.weight.numpy(), model.head.weight.numpy(), rtol=4e-3)
    with pytest.raises(FileExistsError):
        save_folder(model, kept, scheme)


def test_matrices_that_do_not_fit_stay_plain_and_are_named(tmp_path):
    model = Decoder(DecoderConfig(**{**LLAMA, "intermediate_size": 200, "vocab_size": 258}))
    plain = save_folder(model, tmp_path / "q", "wint4")
    assert sorted({name.split(".")[-2] for name in plain}) == ["down_proj", "embed_tokens", "lm_head"]
    assert load_model(tmp_path / "q").layers[0].mlp.gate.quantized.format == "Q4_0"
    small = Decoder(
        DecoderConfig(**{**LLAMA, "hidden_size": 48, "intermediate_size": 96, "head_dim": 8, "rotary": Rotary(8)})
    )
    with pytest.raises(ValueError, match="no matrix fits wint8"):
        save_folder(small, tmp_path / "small", "wint8")
    assert not (tmp_path / "small").exists()


@pytest.mark.parametrize(
    "options, text",
    [
        (dict(scheme="int3"), "scheme has the value"),
        (dict(scheme="wint4", group_size=32), "group_size"),
        (dict(scheme="wint8", zero_points=True), "zero_points"),
        (dict(dtype="int8"), "dtype"),
    ],
)
def test_save_folder_refuses(tmp_path, options, text):
    with pytest.raises(ValueError, match=text):
        save_folder(Decoder(DecoderConfig(**LLAMA)), tmp_path / "q", **options)


def test_shards_and_their_index(tmp_path, monkeypatch):
    from paddle.llm.formats import folder_writer

    paddle.seed(5)
    model = Decoder(DecoderConfig(**LLAMA))
    monkeypatch.setattr(folder_writer.write_folder, "__defaults__", (None, 300_000))
    save_folder(model, tmp_path / "q", dtype="float32")
    assert len(list((tmp_path / "q").glob("model-*.safetensors"))) > 3
    ids = paddle.to_tensor([[1, 2, 3]])
    np.testing.assert_allclose(load_model(tmp_path / "q")(ids).numpy(), model.eval()(ids).numpy(), rtol=0, atol=1e-5)


MOE = Experts(4, 2, 128, (0, 1), normalized=True)
TRANSFORMERS = {
    "llama": {},
    "qwen3": dict(head_norms=True),
    "phi3": dict(windows=(9,) * 2),
    "mixtral": dict(experts=MOE, intermediate_size=128),
    "gemma3_text": dict(
        windows=(4, 0),
        local_rotary=Rotary(64),
        rotary=Rotary(64, 1e6),
        head_norms=True,
        post_norms=True,
        activation="gelu_tanh",
        embedding_scale=16.0,
        attention_scale=64**-0.5,
        tied=True,
    ),
}


@pytest.mark.parametrize("name", TRANSFORMERS)
def test_transformers_reads_what_save_folder_writes(tmp_path, name):
    torch, transformers = peers.load("torch"), peers.load("transformers")
    paddle.seed(6)
    model = Decoder(DecoderConfig(**{**LLAMA, "architecture": name, **TRANSFORMERS[name]})).eval()
    save_folder(model, tmp_path / "q", dtype="float32")
    theirs = transformers.AutoModelForCausalLM.from_pretrained(
        str(tmp_path / "q"), torch_dtype=torch.float32, attn_implementation="eager"
    ).eval()
    ids = np.random.default_rng(1).integers(0, 256, (2, 12))
    with torch.no_grad():
        expected = theirs(torch.from_numpy(ids)).logits.numpy()
    np.testing.assert_allclose(model(paddle.to_tensor(ids)).numpy(), expected, rtol=0, atol=1e-4)


def test_codes_that_are_fitted_to_inputs_make_less_error(tmp_path):
    """Of products with inputs that depend on one another, as those of layers do; the inputs are measured as they are."""
    paddle.seed(7)
    model = Decoder(DecoderConfig(**{**LLAMA, "initializer_range": 0.08})).eval()
    ids = np.random.default_rng(2).integers(0, 256, 2048)
    kept = {}

    def keep(_, inputs):
        kept["x"] = inputs[0].numpy().reshape(-1, 384)

    hook = model.layers[1].mlp.down.register_forward_pre_hook(keep)
    model(paddle.to_tensor(ids[:64].reshape(1, 64)))
    hook.remove()
    calibration = Calibration(model, ids[:64].tolist(), window=64)
    expected = kept["x"].T @ kept["x"] / 64
    np.testing.assert_allclose(calibration.moments("layers.1.mlp.down"), expected, rtol=1e-3, atol=1e-5)
    assert calibration.moments("layers.1.mlp.nothing") is None
    with pytest.raises(ValueError, match="layer 0 is asked for after layer 1"):
        calibration.moments("layers.0.mlp.down")
    save_folder(model, tmp_path / "plain", "wint4")
    save_folder(model, tmp_path / "fitted", "wint4", calibration=Calibration(model, ids.tolist(), 256))
    test = paddle.to_tensor(np.random.default_rng(3).integers(0, 256, (4, 64)))
    expected = model(test).numpy()
    plain, fitted = (load_model(tmp_path / name, dequantize=True)(test).numpy() for name in ("plain", "fitted"))
    assert np.square(fitted - expected).mean() < 0.8 * np.square(plain - expected).mean()


def test_columns_without_inputs_are_rounded_to_the_nearest_code():
    rng = np.random.default_rng(4)
    array = rng.standard_normal((6, 256)).astype("f4")
    moments = np.zeros((256, 256), "f4")
    scales, zeros, groups = np.full((6, 2), 0.5, "f4"), np.full((6, 2), 8, "f4"), np.arange(256) // 128
    codes = calibrated_codes(array, moments, scales, zeros, groups, 15)
    np.testing.assert_array_equal(codes, np.clip(np.rint(array / 0.5) + 8, 0, 15))
