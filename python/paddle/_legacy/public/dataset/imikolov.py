# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Readers of sentences of the Penn Treebank: windows, or a sentence and the same one word later."""

import collections
import tarfile

from . import common

URL = "https://dataset.bj.bcebos.com/imikolov%2Fsimple-examples.tgz"
MD5 = "30177ea32e27c525793142b6bf2c8e2d"
_TRAIN, _VALID = (f"./simple-examples/data/ptb.{part}.txt" for part in ("train", "valid"))

__all__ = []


class DataType:
    """What a reader gives: windows or whole sentences."""

    NGRAM = 1
    SEQ = 2


def word_count(f, word_freq=None):
    """Occurrences of the words, bytes, of the lines `f`; each line also counts one '<s>' and one '<e>'.

    Args:
        f: Lines of bytes.
        word_freq: Counts to go on with.
    """
    counts = collections.defaultdict(int) if word_freq is None else word_freq
    for line in f:
        for word in (*line.strip().split(), "<s>", "<e>"):
            counts[word] += 1
    return counts


def _archive():
    return tarfile.open(common.download(URL, "imikolov", MD5))


def build_dict(min_word_freq=50):
    """word -> its number, the most frequent first, for words that occur more than `min_word_freq` times."""
    with _archive() as archive:
        counts = word_count(archive.extractfile(_VALID), word_count(archive.extractfile(_TRAIN)))
    kept = [word for word, n in counts.items() if n > min_word_freq]
    kept.sort(key=lambda word: (-counts[word], word if isinstance(word, bytes) else word.encode()))
    return {word: i for i, word in enumerate([*kept, "<unk>"])}


def reader_creator(filename, word_idx, n, data_type):
    """Reader of one file of the archive.

    Args:
        filename: Its name there.
        word_idx: What `build_dict` gives.
        n: Length of windows; longest sentence of pairs, not positive for any.
        data_type: DataType.NGRAM for windows, DataType.SEQ for pairs.
    """

    def read():
        if data_type not in (DataType.NGRAM, DataType.SEQ):
            raise AssertionError(f"imikolov: data_type has value {data_type!r}; it must be NGRAM (1) or SEQ (2).")
        if data_type == DataType.NGRAM and n <= -1:
            raise AssertionError(f"imikolov: n has value {n}; the length of windows must be positive.")
        unknown = word_idx["<unk>"]
        with _archive() as archive:
            for line in archive.extractfile(filename):
                ids = [word_idx.get(word, unknown) for word in line.strip().split()]
                source, target = [word_idx["<s>"], *ids], [*ids, word_idx["<e>"]]
                if data_type == DataType.SEQ:
                    if n <= 0 or len(source) <= n:
                        yield source, target
                    continue
                whole = [*source, word_idx["<e>"]]
                for end in range(n, len(whole) + 1):
                    yield tuple(whole[end - n : end])

    return read


def train(word_idx, n, data_type=DataType.NGRAM):
    """Reader of the training sentences; see `reader_creator`."""
    return reader_creator(_TRAIN, word_idx, n, data_type)


def test(word_idx, n, data_type=DataType.NGRAM):
    """Reader of the sentences for tests; see `reader_creator`."""
    return reader_creator(_VALID, word_idx, n, data_type)


def fetch():
    """Download the archive."""
    common.download(URL, "imikolov", MD5)
