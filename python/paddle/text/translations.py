# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Datasets of pairs of sentences, and of sentences with the roles of their parts. Each reads archives."""

import collections
import gzip
import tarfile

import numpy as np

from ..io import Dataset
from ..utils.dataset_files import _check_exists_and_download
from .corpora import _checked

_WMT14_URL = "https://dataset.bj.bcebos.com/wmt_shrinked_data/wmt14.tgz"
_WMT16_URL = "https://paddlemodels.bj.bcebos.com/wmt/wmt16.tar.gz"
_CONLL_URL = "https://paddlemodels.bj.bcebos.com/conll05st/"
_START, _END, _UNKNOWN = "<s>", "<e>", "<unk>"
_LONGEST = 80  # words of a sentence of WMT14


def _positive(name, size):
    if size <= 0:
        raise AssertionError(f"{name}: dict_size has value {size}; it must be a positive number.")
    return size


def _reversed(table, reverse):
    return {number: word for word, number in table.items()} if reverse else table


class _Pairs(Dataset):
    """Samples (source, target, target one word later)."""

    def __getitem__(self, idx):
        return np.array(self.src_ids[idx]), np.array(self.trg_ids[idx]), np.array(self.trg_ids_next[idx])

    def __len__(self):
        return len(self.src_ids)


class WMT14(_Pairs):
    """French sentences and their English translations.

    Args:
        data_file: The archive wmt14.tgz; fetched when None.
        mode: 'train', 'test' or 'gen'.
        dict_size: Number of words of either language that are known.
        download: Whether the archive may be fetched.

    Returns:
        Samples (numbers of the source with both ends, of the target with its start, of the target with its end).
    """

    def __init__(self, data_file=None, mode="train", dict_size=-1, download=True):
        self.mode = _checked("WMT14", "mode", mode.lower(), ("train", "test", "gen"))
        self.data_file = _check_exists_and_download(data_file, _WMT14_URL, None, "wmt14", download)
        self.dict_size = _positive("WMT14", dict_size)
        self.src_ids, self.trg_ids, self.trg_ids_next = [], [], []
        with tarfile.open(self.data_file) as archive:
            self.src_dict = self._dictionary(archive, "src.dict")
            self.trg_dict = self._dictionary(archive, "trg.dict")
            for name in archive.getnames():
                if name.endswith(f"{self.mode}/{self.mode}"):
                    self._read(archive.extractfile(name))

    def _dictionary(self, archive, name):
        (path,) = (n for n in archive.getnames() if n.endswith(name))
        lines = archive.extractfile(path).read().decode().splitlines()
        return {line.strip(): i for i, line in enumerate(lines[: self.dict_size])}

    def _read(self, file):
        unknown = 2
        for line in file:
            parts = line.decode().strip().split("\t")
            if len(parts) != 2:
                continue
            source = [self.src_dict.get(word, unknown) for word in (_START, *parts[0].split(), _END)]
            target = [self.trg_dict.get(word, unknown) for word in parts[1].split()]
            if len(source) > _LONGEST or len(target) > _LONGEST:
                continue
            self.src_ids.append(source)
            self.trg_ids.append([self.trg_dict[_START], *target])
            self.trg_ids_next.append([*target, self.trg_dict[_END]])

    def get_dict(self, reverse=False):
        """The numbers of the source's and of the target's words, or the words of the numbers."""
        return _reversed(self.src_dict, reverse), _reversed(self.trg_dict, reverse)


class WMT16(_Pairs):
    """English and German sentences that are translations of each other.

    Args:
        data_file: The archive wmt16.tar.gz; fetched when None.
        mode: 'train', 'test' or 'val'.
        src_dict_size: Number of words of the source that are known.
        trg_dict_size: Number of words of the target that are known.
        lang: The source: 'en' or 'de'.
        download: Whether the archive may be fetched.

    Returns:
        Samples (numbers of the source with both ends, of the target with its start, of the target with its end).
    """

    def __init__(self, data_file=None, mode="train", src_dict_size=-1, trg_dict_size=-1, lang="en", download=True):
        self.mode = _checked("WMT16", "mode", mode.lower(), ("train", "test", "val"))
        self.data_file = _check_exists_and_download(data_file, _WMT16_URL, None, "wmt16", download)
        self.lang = lang
        sizes = [_positive("WMT16", src_dict_size), _positive("WMT16", trg_dict_size)]
        column = 0 if lang == "en" else 1
        with tarfile.open(self.data_file) as archive:
            train = self._pairs(archive, "train")
            self.src_dict = self._dictionary(train, column, sizes[0])
            self.trg_dict = self._dictionary(train, 1 - column, sizes[1])
            pairs = train if self.mode == "train" else self._pairs(archive, self.mode)
        self.src_dict_size, self.trg_dict_size = len(self.src_dict), len(self.trg_dict)
        self.src_ids, self.trg_ids, self.trg_ids_next = [], [], []
        start, end, unknown = (self.src_dict[word] for word in (_START, _END, _UNKNOWN))
        for pair in pairs:
            source = [self.src_dict.get(word, unknown) for word in pair[column].split()]
            target = [self.trg_dict.get(word, unknown) for word in pair[1 - column].split()]
            self.src_ids.append([start, *source, end])
            self.trg_ids.append([start, *target])
            self.trg_ids_next.append([*target, end])

    def _pairs(self, archive, part):
        lines = archive.extractfile(f"wmt16/{part}").read().decode().splitlines()
        return [parts for parts in (line.strip().split("\t") for line in lines) if len(parts) == 2]

    def _dictionary(self, pairs, column, size):
        counts = collections.Counter(word for pair in pairs for word in pair[column].split())
        words = sorted(counts, key=lambda word: -counts[word])  # equal ones in the order of the text
        return {word: i for i, word in enumerate([_START, _END, _UNKNOWN, *words][:size])}

    def get_dict(self, lang, reverse=False):
        """The numbers of the words of a language, or the words of the numbers."""
        return _reversed(self.src_dict if lang == self.lang else self.trg_dict, reverse)


_WORDS = "conll05st-release/test.wsj/words/test.wsj.words.gz"
_PROPS = "conll05st-release/test.wsj/props/test.wsj.props.gz"


def labelled_sentences(path, words_name=_WORDS, props_name=_PROPS):
    """(words, predicate, roles) for each predicate of the sentences in an archive of CoNLL 2005."""
    with tarfile.open(path) as archive:
        words, props = (
            gzip.decompress(archive.extractfile(name).read()).decode().split("\n") for name in (words_name, props_name)
        )
    sentence, columns = [], []
    for word, prop in zip(words, props, strict=False):
        if word.strip():
            sentence.append(word.strip())
            columns.append(prop.strip().split())
            continue
        verbs = [row[0] for row in columns if row[0] != "-"]
        for i, verb in enumerate(verbs):
            yield sentence, verb, _tags([row[i + 1] for row in columns])
        sentence, columns = [], []


def _tags(marks):
    """Roles word by word from brackets: '(A0*', '*', '*)'."""
    tags, current = [], None
    for mark in marks:
        begins = mark.startswith("(")
        if begins:
            current = mark[1 : mark.index("*")]
        tags.append("O" if current is None else f"{'B' if begins else 'I'}-{current}")
        if mark.endswith(")"):
            current = None
    return tags


def role_columns(sentence, predicate, labels, word_dict, predicate_dict, label_dict):
    """The nine columns of a sample of CoNLL 2005, lists as long as the sentence."""
    verb, size, unknown = labels.index("B-V"), len(sentence), 0
    places = [verb + step for step in (-2, -1, 0, 1, 2)]
    ends = ["bos", "bos", "", "eos", "eos"]
    around = [sentence[p] if 0 <= p < size else end for p, end in zip(places, ends, strict=True)]
    columns = [[word_dict.get(word, unknown) for word in sentence]]
    columns += [[word_dict.get(word, unknown)] * size for word in around]
    columns.append([predicate_dict[predicate]] * size)
    columns.append([int(i in places) for i in range(size)])
    columns.append([label_dict[label] for label in labels])
    return columns


def lines_of(path):
    """The lines of a text file without their ends."""
    with open(path, encoding="utf8") as file:
        return [line.strip() for line in file]


def numbered(lines):
    """line -> its number."""
    return {line: i for i, line in enumerate(lines)}


def numbered_roles(lines):
    """B-X and I-X for each role X that the lines name, and O, with their numbers."""
    kinds = sorted({line[2:] for line in lines if line.startswith(("B-", "I-"))})
    return numbered([*(f"{end}-{kind}" for kind in kinds for end in "BI"), "O"])


class Conll05st(Dataset):
    """Sentences and the roles of their parts, of the test part of CoNLL 2005's shared task.

    Args:
        data_file: The archive conll05st-tests.tar.gz; fetched when None.
        word_dict_file: File of the known words, one a line; fetched when None.
        verb_dict_file: File of the known predicates; fetched when None.
        target_dict_file: File of the roles; fetched when None.
        emb_file: File of vectors of the words; fetched when None.
        download: Whether the files may be fetched.

    Returns:
        Samples of nine arrays as long as the sentence: words, the words two and one before, at, one and two after the
        predicate, the predicate, marks of these five places, roles.
    """

    def __init__(
        self,
        data_file=None,
        word_dict_file=None,
        verb_dict_file=None,
        target_dict_file=None,
        emb_file=None,
        download=True,
    ):
        def found(path, name):
            return _check_exists_and_download(path, _CONLL_URL + name, None, "conll05st", download)

        self.data_file = found(data_file, "conll05st-tests.tar.gz")
        self.word_dict = numbered(lines_of(found(word_dict_file, "wordDict.txt")))
        self.predicate_dict = numbered(lines_of(found(verb_dict_file, "verbDict.txt")))
        self.label_dict = numbered_roles(lines_of(found(target_dict_file, "targetDict.txt")))
        self.emb_file = found(emb_file, "emb")
        found = list(labelled_sentences(self.data_file))
        self.sentences, self.predicates, self.labels = ([sample[i] for sample in found] for i in range(3))

    def __getitem__(self, idx):
        parts = self.sentences[idx], self.predicates[idx], self.labels[idx]
        return tuple(np.array(column) for column in role_columns(*parts, *self.get_dict()))

    def __len__(self):
        return len(self.sentences)

    def get_dict(self):
        """The numbers of words, of predicates and of roles."""
        return self.word_dict, self.predicate_dict, self.label_dict

    def get_embedding(self):
        """The path of the file of vectors."""
        return self.emb_file
