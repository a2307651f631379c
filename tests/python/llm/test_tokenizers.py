# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Tokenizers: pieces with scores against their definition and the package sentencepiece, byte-level BPE and
tokenizer.json against the package tokenizers, special tokens, text from streams of ids."""

import json
import random
import struct
import sys

import numpy as np
import pytest
from paddle.llm.formats import GGUFFile, write_gguf
from paddle.llm.tokenizers import PieceTokenizer, load_tokenizer

from tests.python.llm import peers

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, BYTE = 1, 2, 3, 4, 6
BYTES = [f"<0x{value:02X}>" for value in range(256)]
CHARACTERS = list("\u2581abcdehlorw=-\n<>")
JOINED = "el lo wo rl ab bc hel hello \u2581hello worl world \u2581world == ====".split()


def vocabulary(*more):
    """(pieces, scores, kinds): special tokens, bytes, characters, then joined pieces, the first of which join first."""
    pieces = ["<unk>", "<s>", "</s>", "<t>", *BYTES, *CHARACTERS, *JOINED, *more, "  ", "<b>"]
    kinds = [UNKNOWN, CONTROL, CONTROL, CONTROL, *[BYTE] * 256]
    kinds += [NORMAL] * (len(pieces) - len(kinds) - 2) + [USER_DEFINED] * 2
    scores = [0.0] * 260 + [-1000.0] * len(CHARACTERS)
    return pieces, scores + [-float(i) for i in range(len(pieces) - len(scores))], kinds


def tokenizer(*more, **options):
    options = dict(unknown_id=0, bos_id=1, eos_ids=(2,), adds_bos=True) | options
    return PieceTokenizer(*vocabulary(*more), **options)


def pieces_of(made, text, **options):
    return [made.pieces[token] for token in made.encode(text, **options)]


def test_neighbours_with_the_best_score_are_joined():
    made = tokenizer()
    assert pieces_of(made, " hello world") == ["<s>", "\u2581hello", "\u2581world"]
    assert pieces_of(made, "abc", bos=False) == ["ab", "c"]
    assert pieces_of(made, "=====", bos=False) == ["====", "="]  # the leftmost of equal unions first


def test_pieces_across_spaces_count():
    made = tokenizer("lo\u2581", "lo\u2581w")
    assert pieces_of(made, "lo wa", bos=False) == ["lo\u2581w", "a"]
    assert pieces_of(made, "a lo", bos=False) == ["a", "\u2581", "lo"]


def test_user_defined_pieces_are_cut_out_first_and_bytes_are_the_last_resort():
    made = tokenizer()
    assert pieces_of(made, "a  b<b>", bos=False) == ["a", "  ", "b", "<b>"]
    assert pieces_of(made, "é", bos=False) == ["<0xC3>", "<0xA9>"]
    plain = PieceTokenizer(["a", "?"], [0.0, 0.0], [NORMAL, UNKNOWN], unknown_id=1)
    assert plain.encode("aé") == [0, 1]
    with pytest.raises(ValueError, match="'é' is no piece, and the vocabulary has no bytes and no unknown token"):
        PieceTokenizer(["a"], [0.0], [NORMAL]).encode("é")


def test_text_of_special_tokens_is_text_unless_asked_for():
    made = tokenizer()
    assert pieces_of(made, "<t>a", bos=False) == ["<", "<0x74>", ">", "a"]
    assert pieces_of(made, "a<t><t>a", special=True) == ["<s>", "a", "<t>", "<t>", "a"]
    assert made.decode(made.encode("a<t>", special=True)) == "a"
    assert made.decode(made.encode("a<t>", special=True), special=True) == "<s>a<t>"


def test_a_space_in_front_is_taken_away_again():
    made = tokenizer(space_prefix=True)
    assert pieces_of(made, "hello") == ["<s>", "\u2581hello"]
    for text in ("hello", " hello", "", "world é\n"):
        assert made.decode(made.encode(text)) == text


def test_a_stream_gives_whole_characters():
    made = tokenizer()
    stream = made.stream()
    assert [stream.add(token) for token in made.encode("a\u00e9\U0001f600b")] == [
        "",
        "a",
        "",
        "é",
        "",
        "",
        "",
        "\U0001f600",
        "b",
    ]
    assert stream.finish() == ""
    broken = made.stream()
    assert broken.add(made.encode("é")[1]) == "" and broken.finish() == "\ufffd"
    assert made.decode(made.encode("é")[2:]) == "\ufffd"


def test_wrong_arguments_are_refused():
    with pytest.raises(ValueError, match="2 pieces, 1 scores and 2 kinds"):
        PieceTokenizer(["a", "b"], [0.0], [1, 1])
    with pytest.raises(ValueError, match="piece 0 is 'a'; a byte is written like"):
        PieceTokenizer(["a"], [0.0], [BYTE])
    with pytest.raises(TypeError, match="text has type bytes; it must be a str"):
        tokenizer().encode(b"a")


def gguf_fields(**more):
    pieces, scores, kinds = vocabulary()
    fields = dict(model="llama", tokens=pieces, scores=np.array(scores, "float32"), token_type=np.array(kinds, "int32"))
    fields |= dict(bos_token_id=1, eos_token_id=2, eot_token_id=3, unknown_token_id=0, add_space_prefix=False)
    return {f"tokenizer.ggml.{key}": value for key, value in (fields | more).items() if value is not None}


def test_a_gguf_file_holds_the_tokenizer(tmp_path):
    write_gguf(tmp_path / "t.gguf", gguf_fields(), {})
    made = load_tokenizer(tmp_path / "t.gguf")
    assert made.encode(" hello  é") == tokenizer().encode(" hello  é")
    assert (made.bos_id, made.eos_ids, made.vocab_size) == (1, (2, 3), len(vocabulary()[0]))


@pytest.mark.parametrize(
    "change, message",
    [
        (dict(model="other"), "the tokenizer is 'other'; llama and gpt2 can be read"),
        (dict(scores=None), "'tokenizer.ggml.scores' is no array of"),
        (dict(scores=np.zeros(2, "float32")), "'tokenizer.ggml.scores' is no array of"),
        (dict(bos_token_id=100000), "'tokenizer.ggml.bos_token_id' has the value 100000; it must be a token"),
        (dict(add_space_prefix=3), "'tokenizer.ggml.add_space_prefix' has the value 3"),
        (dict(tokens=None), "the metadata has no 'tokenizer.ggml.tokens'"),
        (dict(model="gpt2"), "the metadata has no 'tokenizer.ggml.pre'"),
        (dict(model="gpt2", pre="odd"), "words are cut as 'odd' says"),
    ],
)
def test_fields_of_another_kind_are_refused(tmp_path, change, message):
    write_gguf(tmp_path / "t.gguf", gguf_fields(**change), {})
    with pytest.raises(ValueError, match=message):
        load_tokenizer(tmp_path / "t.gguf")


def test_tokens_of_turns_are_special_whatever_the_file_says(tmp_path):
    pieces, scores, kinds = vocabulary("<end_of_turn>")
    kinds[pieces.index("<end_of_turn>")] = USER_DEFINED
    write_gguf(
        tmp_path / "t.gguf",
        gguf_fields(tokens=pieces, scores=np.array(scores, "float32"), token_type=np.array(kinds, "int32")),
        {},
    )
    made, token = load_tokenizer(tmp_path / "t.gguf"), pieces.index("<end_of_turn>")
    assert token in made.encode("a<end_of_turn>", special=True) and token not in made.encode("a<end_of_turn>")
    assert made.decode([token]) == ""


def test_tokens_of_turns_are_special_in_tokenizer_json_too(tmp_path):
    library = peers.load("tokenizers")
    inner = trained(library)
    inner.add_tokens([library.AddedToken("<|im_end|>", special=False), library.AddedToken("<think>", special=False)])
    inner.save(str(tmp_path / "tokenizer.json"))
    (tmp_path / "config.json").write_text("{}")
    made, end, think = load_tokenizer(tmp_path), inner.token_to_id("<|im_end|>"), inner.token_to_id("<think>")
    assert end in made.encode("a<|im_end|>", special=True) and end not in made.encode("a<|im_end|><think>")
    assert think in made.encode("a<|im_end|><think>") and made.decode([think, end]) == "<think>"


TEXTS = ["Hello world", " a  b\n\n\tc", "é😀日本語", "it's 12345 != 6", "", "x<|end|>y", "\u2581 \x00"]


def trained(library):
    """A small byte-level BPE tokenizer."""
    made = library.Tokenizer(library.models.BPE())
    made.pre_tokenizer = library.pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = library.decoders.ByteLevel()
    alphabet = library.pre_tokenizers.ByteLevel.alphabet()
    trainer = library.trainers.BpeTrainer(vocab_size=400, special_tokens=["<s>", "<|end|>"], initial_alphabet=alphabet)
    made.train_from_iterator(
        ["Hello world, it's a small text that says hello to the world again and again"] * 3, trainer
    )
    return made


def test_tokenizer_json_is_run_by_its_package(tmp_path):
    library = peers.load("tokenizers")
    inner = trained(library)
    inner.save(str(tmp_path / "tokenizer.json"))
    (tmp_path / "config.json").write_text(json.dumps(dict(bos_token_id=0, eos_token_id=1)))
    (tmp_path / "generation_config.json").write_text(json.dumps(dict(eos_token_id=[1, 7])))
    made = load_tokenizer(tmp_path)
    assert (made.bos_id, made.eos_ids, made.adds_bos) == (0, (1, 7), False)
    for text in TEXTS:
        assert made.encode(text, special=True) == inner.encode(text).ids
        assert made.decode(made.encode(text)) == text
    end = inner.token_to_id("<|end|>")
    assert end in made.encode("x<|end|>y", special=True) and end not in made.encode("x<|end|>y")
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(ValueError, match="tokenizer.json: the file is no tokenizer"):
        load_tokenizer(tmp_path)


def test_byte_level_bpe_of_a_gguf_file_equals_the_package(tmp_path):
    library = peers.load("tokenizers")
    inner = trained(library)
    settings = json.loads(inner.to_str())["model"]
    pieces = sorted(settings["vocab"], key=settings["vocab"].get)
    kinds = np.array([CONTROL if piece in ("<s>", "<|end|>") else NORMAL for piece in pieces], "int32")
    merges = [" ".join(pair) for pair in settings["merges"]]
    fields = dict(model="gpt2", pre="gpt-2", tokens=pieces, token_type=kinds, merges=merges, scores=None)
    write_gguf(tmp_path / "t.gguf", gguf_fields(**fields), {})
    made = load_tokenizer(tmp_path / "t.gguf")
    for text in TEXTS:
        assert made.encode(text, special=True) == inner.encode(text).ids
        assert made.decode(made.encode(text)) == text
    write_gguf(tmp_path / "t.gguf", gguf_fields(**fields | dict(merges=["Hello"])), {})
    with pytest.raises(ValueError, match="a merge has no space between its two parts"):
        load_tokenizer(tmp_path / "t.gguf")
    write_gguf(tmp_path / "t.gguf", gguf_fields(**fields | dict(merges=["Hello nothing"])), {})
    with pytest.raises(ValueError, match="are or make no tokens"):
        load_tokenizer(tmp_path / "t.gguf")


def test_a_missing_package_is_named(tmp_path, monkeypatch):
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "tokenizer.json").write_text("{}")
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(
        ImportError, match=r"needs the package tokenizers; install it by: pip install paddle-core\[llm\]"
    ):
        load_tokenizer(tmp_path)


def message(number, data):
    """A field of a protocol-buffers message: bytes, or an int."""
    if isinstance(data, int):
        return varint(number << 3) + varint(data)
    return varint(number << 3 | 2) + varint(len(data)) + data


def varint(value):
    out = b""
    while value > 127:
        out, value = out + bytes([value & 127 | 128]), value >> 7
    return out + bytes([value])


def sentencepiece_model(made, scores, kinds):
    """The same vocabulary as a model of the package sentencepiece."""
    parts = []
    for piece, score, kind in zip(made.pieces, scores, kinds, strict=True):
        spelled = piece.replace(" ", "\u2581").encode() if kind == USER_DEFINED else piece.encode()
        parts.append(message(1, message(1, spelled) + b"\x15" + struct.pack("<f", score) + message(3, int(kind))))
    trainer = b"".join(
        message(number, value) for number, value in ((3, 2), (35, 1), (40, 0), (41, 1), (42, 2), (43, 3))
    )
    normalizer = message(1, b"identity") + message(3, 0) + message(4, 0) + message(5, 1)
    return b"".join(parts) + message(2, trainer) + message(3, normalizer)


def test_random_texts_give_the_ids_of_sentencepiece():
    sentencepiece = peers.load("sentencepiece")
    made = tokenizer("lo\u2581", "lo\u2581w", "-=", "--", "---")
    _, scores, kinds = vocabulary("lo\u2581", "lo\u2581w", "-=", "--", "---")
    reference = sentencepiece.SentencePieceProcessor(model_proto=sentencepiece_model(made, scores, kinds))
    rng = random.Random(0)
    parts = [*"  abcdehlorw=-\n<>é😀", "hello", " world", "<b>", "<t>", "lo w", "====", "--"]
    for _ in range(3000):
        text = "".join(rng.choices(parts, k=rng.randint(0, 30)))
        assert made.encode(text, bos=False) == reference.encode(text), text


def test_gemma_gives_the_ids_of_llama_cpp():
    """The count and the ends of the ids that llama.cpp gives for the help topics of Python."""
    from pydoc_data.topics import topics

    made = load_tokenizer(GGUFFile(peers.gemma()))
    assert made.encode("The capital of France is") == [2, 818, 5279, 529, 7001, 563]
    text = "\n".join(topics[name] for name in sorted(topics))[:40_000]
    ids = made.encode(text)
    assert ids[0] == made.bos_id == 2 and made.eos_ids == (1,) and made.decode(ids) == text
    assert made.encode("<start_of_turn>", special=True) == [2, 105] and 105 not in made.encode("<start_of_turn>")
