# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Datasets of text from archives of a few lines; the numbers are those of PaddlePaddle 3.3.1 on the same archives."""

import gzip
import io
import tarfile
import zipfile

import numpy as np
import pytest
from paddle import text


def archive(path, **files):
    with tarfile.open(path, "w:gz") as tar:
        for name, content in files.items():
            content = content if isinstance(content, bytes) else content.encode()
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    return str(path)


def rows(dataset):
    return [[part.tolist() for part in dataset[i]] for i in range(len(dataset))]


def test_reviews(tmp_path):
    path = archive(
        tmp_path / "imdb.tgz",
        **{
            "aclImdb/train/pos/0_9.txt": "Great movie, great fun!\n",
            "aclImdb/train/neg/0_1.txt": "Bad bad movie; no fun.",
            "aclImdb/test/pos/1_8.txt": "I loved the movie's plot",
            "aclImdb/test/neg/1_2.txt": "boring THE movie",
            "aclImdb/train/unsup/1.txt": "unsup movie",
        },
    )
    train = text.Imdb(path, "train", cutoff=1)
    assert train.word_idx == {b"movie": 0, b"bad": 1, b"fun": 2, b"great": 3, b"the": 4, "<unk>": 5}
    assert rows(train) == [[[3, 0, 3, 2], [0]], [[1, 1, 0, 5, 2], [1]]]
    assert rows(text.Imdb(path, "test", cutoff=0)) == [[[6, 7, 4, 8, 10], [0]], [[5, 4, 0], [1]]]
    with pytest.raises(AssertionError, match="mode"):
        text.Imdb(path, "valid")


@pytest.fixture
def sentences(tmp_path):
    return archive(
        tmp_path / "ptb.tgz",
        **{
            "./simple-examples/data/ptb.train.txt": "the cat sat\nthe dog <unk> sat on the mat\n",
            "./simple-examples/data/ptb.valid.txt": "a cat sat on the dog\nthe cat\n",
            "./simple-examples/data/ptb.test.txt": "a b\n",
        },
    )


def test_windows_and_pairs_of_sentences(sentences):
    windows = text.Imikolov(sentences, "NGRAM", 4, "train", 0)
    assert len(windows) == 8 and rows(windows)[:2] == [[2, 0, 3, 4], [0, 3, 4, 1]]
    assert rows(text.Imikolov(sentences, "NGRAM", 2, "test", 0)) == [[2, 8], [8, 10], [10, 1]]
    assert rows(text.Imikolov(sentences, "SEQ", 4, "train", 0)) == [[[2, 0, 3, 4], [0, 3, 4, 1]]]
    assert len(text.Imikolov(sentences, "SEQ", -1, "train", 0)) == 2
    assert dict(windows.word_count([b"a b a"])) == {b"a": 2, b"b": 1, "<s>": 1, "<e>": 1}
    for arguments in (("X", 2), ("NGRAM", 2, "valid"), ("NGRAM", -1)):
        with pytest.raises(AssertionError):
            text.Imikolov(sentences, *arguments, min_word_freq=0)


def test_ratings(tmp_path):
    path = str(tmp_path / "ml.zip")
    ratings = "1::1::5::9\n1::2::3::9\n2::1::4::9\n2::2::1::9\n" * 5
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("ml-1m/movies.dat", "1::Toy Story (1995)::Animation|Comedy\n2::Heat (1995)::Action\n")
        file.writestr("ml-1m/users.dat", "1::F::1::10::48067\n2::M::56::16::70072\n")
        file.writestr("ml-1m/ratings.dat", ratings)
    train, test = (text.Movielens(path, mode, test_ratio=0.3, rand_seed=1) for mode in ("train", "test"))
    assert (len(train), len(test)) == (12, 8)
    assert rows(train)[0] == [[1], [1], [0], [10], [1], [1, 2], [2, 1], [5.0]]
    assert rows(test)[0] == [[2], [0], [6], [16], [1], [1, 2], [2, 1], [3.0]]
    assert str(train.movie_info[2]) == "<MovieInfo id(2), title(Heat ), categories(['Action'])>"
    assert str(train.user_info[2]) == "<UserInfo id(2), gender(M), age(56), job(16)>"


def test_translations_with_given_dictionaries(tmp_path):
    path = archive(
        tmp_path / "wmt14.tgz",
        **{
            "wmt14/src.dict": "<s>\n<e>\n<unk>\nle\nchat\nnoir\n",
            "wmt14/trg.dict": "<s>\n<e>\n<unk>\nthe\ncat\nblack\n",
            "wmt14/train/train": "le chat\tthe cat\nle chien noir\tthe black dog\nbad line\n",
            "wmt14/test/test": "chat\tcat\n",
        },
    )
    assert rows(text.WMT14(path, "train", 4))[0] == [[0, 3, 2, 1], [0, 3, 2], [3, 2, 1]]
    train = text.WMT14(path, "train", 6)
    assert rows(train)[1] == [[0, 3, 2, 5, 1], [0, 3, 5, 2], [3, 5, 2, 1]]
    assert train.get_dict()[0]["chat"] == 4 and train.get_dict(True)[1][5] == "black"
    assert rows(text.WMT14(path, "test", 6)) == [[[0, 4, 1], [0, 4], [4, 1]]]
    for arguments in (("x", 5), ("train",)):
        with pytest.raises(AssertionError):
            text.WMT14(path, *arguments)


def test_translations_with_counted_dictionaries(tmp_path):
    path = archive(
        tmp_path / "wmt16.tgz",
        **{
            "wmt16/train": "a cat sat\teine katze sass\na dog\tein hund\na cat\teine katze\n",
            "wmt16/val": "a bird\tein vogel\n",
            "wmt16/test": "a cat\teine katze\n",
        },
    )
    train = text.WMT16(path, "train", 5, 10, "en")
    assert train.get_dict("en") == {"<s>": 0, "<e>": 1, "<unk>": 2, "a": 3, "cat": 4}
    assert train.get_dict("de", True)[3] == "eine"
    assert rows(train)[0] == [[0, 3, 4, 2, 1], [0, 3, 4, 5], [3, 4, 5, 1]]
    assert rows(text.WMT16(path, "val", 5, 5, "en"))[0][0] == [0, 3, 2, 1]
    german = text.WMT16(path, "test", 5, 5, "de")
    assert german.get_dict("de")["katze"] == 4 and rows(german) == [[[0, 3, 4, 1], [0, 3, 4], [3, 4, 1]]]
    with pytest.raises(AssertionError):
        text.WMT16(path, "train")


def test_roles(tmp_path):
    words = "The\ncat\nchased\nmice\n\nDogs\nbark\n\n"
    props = "- (A0*\n- *)\nchase (V*)\n- (A1*)\n\n- (A0*)\nbark (V*)\n\n"
    base = "conll05st-release/test.wsj"
    path = archive(
        tmp_path / "conll.tgz",
        **{
            f"{base}/words/test.wsj.words.gz": gzip.compress(words.encode()),
            f"{base}/props/test.wsj.props.gz": gzip.compress(props.encode()),
        },
    )
    files = {
        "word": "UNK\nthe\ncat\nchased\nmice\ndogs\n",
        "verb": "chase\nbark\n",
        "target": "B-A0\nI-A0\nB-A1\nB-V\nO\n",
        "emb": "x",
    }
    for name, content in files.items():
        (tmp_path / name).write_text(content)
    data = text.Conll05st(path, *(str(tmp_path / name) for name in files))
    first, second = rows(data)
    assert first[:6] == [[0, 2, 3, 4], [0] * 4, [2] * 4, [3] * 4, [4] * 4, [0] * 4]
    labels = data.get_dict()[2]
    assert first[6:] == [[0] * 4, [1] * 4, [labels[k] for k in ("B-A0", "I-A0", "B-V", "B-A1")]]
    assert second[6:] == [[1, 1], [1, 1], [labels["B-A0"], labels["B-V"]]]
    assert data.get_dict()[1] == {"chase": 0, "bark": 1} and data.get_embedding().endswith("emb")
    assert np.array(first).shape == (9, 4)
