# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Run by test_decoders.py and test_encoders.py with the packages torch and transformers: small models with random weights, saved as
`transformers` saves them, and beside each what it computes for some tokens.

    python transformers_reference.py FOLDER NAME...
"""

import pathlib
import sys

import numpy as np

SMALL = dict(
    vocab_size=96,
    hidden_size=32,
    intermediate_size=48,
    num_hidden_layers=3,
    num_attention_heads=4,
    num_key_value_heads=2,
    max_position_embeddings=256,
    pad_token_id=0,
    bos_token_id=1,
    eos_token_id=2,
    initializer_range=0.3,
)
LLAMA3 = dict(
    rope_type="llama3",
    factor=8.0,
    low_freq_factor=1.0,
    high_freq_factor=4.0,
    original_max_position_embeddings=16,
    rope_theta=5000.0,
)
YARN = dict(rope_type="yarn", factor=4.0, original_max_position_embeddings=16, rope_theta=10_000.0)
LINEAR = dict(rope_type="linear", factor=2.0, rope_theta=10_000.0)
DEEPSEEK = dict(
    n_routed_experts=8,
    num_experts_per_tok=3,
    moe_intermediate_size=20,
    kv_lora_rank=20,
    q_lora_rank=24,
    qk_nope_head_dim=12,
    qk_rope_head_dim=8,
    v_head_dim=10,
    first_k_dense_replace=1,
    num_key_value_heads=4,
)
DEEPSEEK_YARN = dict(**YARN, mscale=0.7, mscale_all_dim=0.9)
# name -> (class prefix, settings)
MODELS = {
    "llama2": ("Llama", {}),
    "llama3": ("Llama", dict(rope_parameters=LLAMA3, tie_word_embeddings=True)),
    "llama_yarn_bias": ("Llama", dict(rope_parameters=YARN, attention_bias=True, mlp_bias=True)),
    "llama_linear": ("Llama", dict(rope_parameters=LINEAR, head_dim=16)),
    "mistral": ("Mistral", dict(sliding_window=8)),
    "qwen2": ("Qwen2", {}),
    "qwen2_windows": ("Qwen2", dict(use_sliding_window=True, sliding_window=8, max_window_layers=1)),
    "qwen3": ("Qwen3", dict(head_dim=16)),
    "phi3": (
        "Phi3",
        dict(sliding_window=12, rope_parameters=dict(rope_theta=1e4, rope_type="default", partial_rotary_factor=0.5)),
    ),
    "gemma2": (
        "Gemma2",
        dict(
            head_dim=16,
            query_pre_attn_scalar=12,
            sliding_window=8,
            attn_logit_softcapping=3.0,
            final_logit_softcapping=5.0,
        ),
    ),
    "mixtral": ("Mixtral", dict(num_local_experts=5)),
    "qwen2_moe": (
        "Qwen2Moe",
        dict(
            num_experts=6,
            num_experts_per_tok=3,
            moe_intermediate_size=20,
            shared_expert_intermediate_size=24,
            mlp_only_layers=[1],
            use_sliding_window=True,
            sliding_window=8,
            max_window_layers=2,
        ),
    ),
    "qwen3_moe": (
        "Qwen3Moe",
        dict(
            num_experts=6,
            num_experts_per_tok=3,
            moe_intermediate_size=20,
            head_dim=16,
            norm_topk_prob=True,
            decoder_sparse_step=2,
        ),
    ),
    "ernie4_5": ("Ernie4_5", dict(head_dim=16, use_bias=True)),
    "ernie4_5_moe": ("Ernie4_5_Moe", dict(moe_num_experts=6, moe_k=3, moe_intermediate_size=20)),
    "deepseek_v2": (
        "DeepseekV2",
        dict(**DEEPSEEK, topk_method="group_limited_greedy", n_group=4, topk_group=2, rope_parameters=DEEPSEEK_YARN),
    ),
    "deepseek_v2_lite": ("DeepseekV2", dict(DEEPSEEK, q_lora_rank=None, routed_scaling_factor=1.5)),
    "deepseek_v3": ("DeepseekV3", dict(**DEEPSEEK, n_group=4, topk_group=2, rope_parameters=DEEPSEEK_YARN)),
    "deepseek_v3_halves": (
        "DeepseekV3",
        dict(**DEEPSEEK, n_group=2, topk_group=1, attention_bias=True, rope_interleave=False),
    ),
    "gemma3": ("Gemma3", dict(head_dim=16, query_pre_attn_scalar=12, sliding_window=8, num_hidden_layers=7)),
}
# Of encoders: name -> (class prefix, settings), or the folder of a whole model.
ENCODERS = {
    "bert": ("Bert", {}),
    "bert_gelu_new": ("Bert", dict(hidden_act="gelu_new", layer_norm_eps=1e-5, type_vocab_size=3)),
    "roberta": ("Roberta", dict(pad_token_id=1, bos_token_id=0, max_position_embeddings=66)),
    "xlm-roberta": ("XLMRoberta", dict(pad_token_id=1, bos_token_id=0, type_vocab_size=1)),
}


def encode(folder, name):
    """States of an encoder for two texts, the second one padded, and a gradient."""
    import torch
    import transformers

    torch.manual_seed(0)
    place = pathlib.Path(folder) / name
    if name in ENCODERS:
        prefix, settings = ENCODERS[name]
        settings = {**SMALL, **settings}
        del settings["num_key_value_heads"]
        config = getattr(transformers, f"{prefix}Config")(**settings, attn_implementation="eager")
        model = getattr(transformers, f"{prefix}Model")(config, add_pooling_layer=False).float().eval()
        with torch.no_grad():
            for parameter in model.parameters():
                if parameter.ndim == 1:
                    parameter.add_(torch.empty_like(parameter).uniform_(-0.5, 0.5))
        model.save_pretrained(place)
    else:
        model = transformers.AutoModel.from_pretrained(name, add_pooling_layer=False).float().eval()
        place = pathlib.Path(folder) / "whole"
        place.mkdir()
    ids = torch.randint(5, model.config.vocab_size, (2, 20))
    mask = torch.ones_like(ids)
    mask[1, 13:] = 0
    ids[1, 13:] = model.config.pad_token_id
    kinds = torch.randint(0, model.config.type_vocab_size, (2, 20))
    states = model(input_ids=ids, attention_mask=mask, token_type_ids=kinds).last_hidden_state
    (states * mask[..., None]).sin().sum().backward()
    np.savez(
        place / "reference.npz",
        ids=ids,
        mask=mask,
        kinds=kinds,
        states=states.detach(),
        position_gradient=model.embeddings.position_embeddings.weight.grad,
    )


def main(folder, names):
    import torch
    import transformers

    for name in names:
        if name not in MODELS:
            encode(folder, name)
            continue
        prefix, settings = MODELS[name]
        text = "Text" if prefix == "Gemma3" else ""
        config = getattr(transformers, f"{prefix}{text}Config")(**{**SMALL, **settings}, attn_implementation="eager")
        torch.manual_seed(0)
        model = getattr(transformers, f"{prefix}ForCausalLM")(config).float().eval()
        with torch.no_grad():
            selection = [t for key, t in model.state_dict().items() if key.endswith("e_score_correction_bias")]
            # Also norms and biases, which begin as constants.
            for parameter in [*(p for p in model.parameters() if p.ndim == 1), *selection]:
                parameter.uniform_(-0.5, 0.5).add_(0.0 if prefix.startswith("Gemma") else 1.0)
        ids = torch.randint(3, config.vocab_size, (2, 40))
        labels = ids.clone()
        labels[1, 30:] = -100
        found = model(ids, labels=labels, use_cache=False)
        found.loss.backward()
        place = pathlib.Path(folder) / name
        model.save_pretrained(place, max_shard_size="30KB" if name == "llama2" else "1GB")
        np.savez(
            place / "reference.npz",
            ids=ids,
            labels=labels,
            logits=found.logits.detach(),
            loss=found.loss.detach(),
            embedding_gradient=model.get_input_embeddings().weight.grad,
        )


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
