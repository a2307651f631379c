# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""A Llama of about half a billion random weights, as GGUF: float16, then Q4_K_M by llama.cpp itself.

    python make_llama.py OUT.gguf --vocabulary GEMMA.gguf [--float16 OUT-f16.gguf] [--seed 0]

The vocabulary is the ASCII part of that of another file whose tokeniser is of the kind `llama`, cut to
32,768 pieces. The weights are normal, each tensor from a seed made of the run's seed and the tensor's name.
Deviations keep the residual stream near 1 and spread the logits by about LOGIT_SPREAD, so that the
next-token distribution is neither flat nor one-hot: its entropy is a few nats.
"""

import argparse
import os
import zlib

import gguf
import numpy as np
from measuring import BYTE, CONTROL, USER_DEFINED

HIDDEN, LAYERS, HEADS, KV_HEADS, FFN, VOCABULARY = 1024, 28, 16, 4, 4096, 32_768
HEAD = HIDDEN // HEADS
LOGIT_SPREAD = 3.5


def shapes_and_deviations():
    """name -> (shape as rows of inputs, deviation)"""
    residual = (2 * LAYERS) ** -0.5  # 2 LAYERS additions of this variance add 1 to the residual stream
    tensors = {
        "token_embd.weight": ((VOCABULARY, HIDDEN), 1.0),
        "output.weight": ((VOCABULARY, HIDDEN), LOGIT_SPREAD * HIDDEN**-0.5),
    }
    for i in range(LAYERS):
        tensors.update(
            {
                f"blk.{i}.attn_q.weight": ((HIDDEN, HIDDEN), 1.4 * HIDDEN**-0.5),  # scores spread by about 2
                f"blk.{i}.attn_k.weight": ((KV_HEADS * HEAD, HIDDEN), 1.4 * HIDDEN**-0.5),
                f"blk.{i}.attn_v.weight": ((KV_HEADS * HEAD, HIDDEN), 2 * HIDDEN**-0.5),
                f"blk.{i}.attn_output.weight": ((HIDDEN, HIDDEN), residual * HIDDEN**-0.5),
                f"blk.{i}.ffn_gate.weight": ((FFN, HIDDEN), HIDDEN**-0.5),
                f"blk.{i}.ffn_up.weight": ((FFN, HIDDEN), 1.7 * HIDDEN**-0.5),
                f"blk.{i}.ffn_down.weight": ((HIDDEN, FFN), residual * FFN**-0.5),
            }
        )
    return tensors


def ascii_vocabulary(path):
    """Pieces, scores and kinds: controls, bytes, whole strings and single characters, then the best pieces."""
    fields = gguf.GGUFReader(path).fields
    pieces, scores, kinds = (fields["tokenizer.ggml." + key].contents() for key in ("tokens", "scores", "token_type"))
    plain = [
        i
        for i, piece in enumerate(pieces)
        if kinds[i] not in (CONTROL, BYTE, USER_DEFINED) and all(32 <= ord(c) < 127 or c == "\u2581" for c in piece)
    ]
    chosen = [i for i in range(6)]  # padding, end, begin, unknown and two more
    chosen += [
        i for i in range(6, len(pieces)) if kinds[i] == BYTE or (kinds[i] == USER_DEFINED and pieces[i].isascii())
    ]
    chosen += [i for i in plain if len(pieces[i]) == 1]
    chosen += [i for i in plain if len(pieces[i]) > 1][: VOCABULARY - len(chosen)]
    assert len(chosen) == VOCABULARY, len(chosen)
    return [pieces[i] for i in chosen], [scores[i] for i in chosen], [kinds[i] for i in chosen]


def write_float16(path, vocabulary, seed):
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("random llama 0.5B")
    writer.add_context_length(32_768)
    writer.add_embedding_length(HIDDEN)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(FFN)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KV_HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(HEAD)
    writer.add_rope_freq_base(500_000.0)
    writer.add_vocab_size(VOCABULARY)
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_F16)
    pieces, scores, kinds = ascii_vocabulary(vocabulary)
    writer.add_tokenizer_model("llama")
    writer.add_tokenizer_pre("default")
    writer.add_token_list(pieces)
    writer.add_token_scores(scores)
    writer.add_token_types(kinds)
    for name, token in (("pad", 0), ("eos", 1), ("bos", 2), ("unk", 3)):
        getattr(writer, f"add_{name}_token_id")(token)
    writer.add_add_bos_token(True)
    writer.add_add_eos_token(False)
    writer.add_add_space_prefix(False)
    for name, (shape, deviation) in shapes_and_deviations().items():
        generator = np.random.default_rng([seed, zlib.crc32(name.encode())])
        weight = generator.standard_normal(shape, dtype=np.float32)
        weight *= deviation
        writer.add_tensor(name, weight.astype(np.float16))
    norms = ["output_norm.weight"] + [f"blk.{i}.{n}_norm.weight" for i in range(LAYERS) for n in ("attn", "ffn")]
    for name in norms:
        generator = np.random.default_rng([seed, zlib.crc32(name.encode())])
        writer.add_tensor(name, 1 + 0.1 * generator.standard_normal(HIDDEN, dtype=np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def quantize(source, target, file_type, threads=2):
    """llama.cpp's own conversion; from a quantised file it decodes first (file type 0 is float32)."""
    import llama_cpp

    params = llama_cpp.llama_model_quantize_default_params()
    params.ftype, params.nthread, params.allow_requantize = file_type, threads, True
    llama_cpp.llama_backend_init()
    if llama_cpp.llama_model_quantize(source.encode(), target.encode(), params):
        raise RuntimeError(f"llama.cpp could not quantise {source}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--vocabulary", required=True, metavar="MODEL.gguf")
    parser.add_argument("--float16", metavar="FILE", help="keep the float16 file under this name")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    half = options.float16 or options.out + ".f16"
    write_float16(half, options.vocabulary, options.seed)
    quantize(half, options.out, int(gguf.LlamaFileType.MOSTLY_Q4_K_M))
    if not options.float16:
        os.remove(half)
    parameters = sum(int(np.prod(shape)) for shape, _ in shapes_and_deviations().values())
    print(f"{options.out}: {parameters / 1e6:.1f} M weights, {os.path.getsize(options.out) / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
