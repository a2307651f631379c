# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Readers of film reviews: (numbers of the words, 0 for a good or 1 for a bad review)."""

import collections
import re
import string
import tarfile

from . import common

URL = "https://dataset.bj.bcebos.com/imdb%2FaclImdb_v1.tar.gz"
MD5 = "7c2ac02c03563afcf9b574c7e56c153a"
_MARKS = string.punctuation.encode()

__all__ = []


def tokenize(pattern):
    """Lists of the words, bytes in lower case, of the reviews in the archive whose names match `pattern`."""
    with tarfile.open(common.download(URL, "imdb", MD5)) as archive:
        for member in archive:
            if pattern.match(member.name):
                text = archive.extractfile(member).read().rstrip(b"\n\r")
                yield text.translate(None, _MARKS).lower().split()


def build_dict(pattern, cutoff):
    """word -> its number, the most frequent first, for words that occur more than `cutoff` times; '<unk>' is last."""
    counts = collections.Counter(word for words in tokenize(pattern) for word in words)
    kept = sorted((word for word, n in counts.items() if n > cutoff), key=lambda word: (-counts[word], word))
    return {word: i for i, word in enumerate([*kept, "<unk>"])}


def reader_creator(pos_pattern, neg_pattern, word_idx):
    """Reader of the reviews that match `pos_pattern`, with label 0, then of those of `neg_pattern`, with label 1."""
    unknown = word_idx["<unk>"]
    samples = [
        ([word_idx.get(word, unknown) for word in words], label)
        for label, pattern in enumerate((pos_pattern, neg_pattern))
        for words in tokenize(pattern)
    ]
    return lambda: iter(samples)


def _part(mode, word_idx):
    patterns = (re.compile(rf"aclImdb/{mode}/{kind}/.*\.txt$") for kind in ("pos", "neg"))
    return reader_creator(*patterns, word_idx)


def train(word_idx):
    """Reader of the 25000 training reviews; `word_idx` is what `word_dict` gives."""
    return _part("train", word_idx)


def test(word_idx):
    """Reader of the 25000 test reviews; `word_idx` is what `word_dict` gives."""
    return _part("test", word_idx)


def word_dict():
    """Numbers of the words that occur more than 150 times."""
    return build_dict(re.compile(r"aclImdb/(train|test)/(pos|neg)/.*\.txt$"), 150)


def fetch():
    """Download the archive."""
    common.download(URL, "imdb", MD5)
