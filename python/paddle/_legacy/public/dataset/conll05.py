# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Reader of sentences and the roles of their parts, of the test part of CoNLL 2005's shared task."""

from ..text import translations
from . import common

_PREFIX = "http://paddlemodels.bj.bcebos.com/"
DATA_URL = _PREFIX + "conll05st/conll05st-tests.tar.gz"
DATA_MD5 = "387719152ae52d60422c016e92a742fc"
WORDDICT_URL = _PREFIX + "conll05st%2FwordDict.txt"
WORDDICT_MD5 = "ea7fb7d4c75cc6254716f0177a506baa"
VERBDICT_URL = _PREFIX + "conll05st%2FverbDict.txt"
VERBDICT_MD5 = "0d2977293bbb6cbefab5b0f97db1e77c"
TRGDICT_URL = _PREFIX + "conll05st%2FtargetDict.txt"
TRGDICT_MD5 = "d8c7f03ceb5fc2e5a0fa7503a4353751"
EMB_URL = _PREFIX + "conll05st%2Femb"
EMB_MD5 = "bf436eb0faa1f6f9103017f8be57cdb7"
UNK_IDX = 0

__all__ = []


def load_label_dict(filename):
    """B-X and I-X for each role X that a file names, and O, with their numbers."""
    return translations.numbered_roles(translations.lines_of(filename))


def load_dict(filename):
    """line -> its number in a file."""
    return translations.numbered(translations.lines_of(filename))


def corpus_reader(data_path, words_name, props_name):
    """Reader of (words, predicate, roles) for each predicate.

    Args:
        data_path: The archive.
        words_name, props_name: Its gzipped members with words and with predicates and brackets.
    """
    return lambda: translations.labelled_sentences(data_path, words_name, props_name)


def reader_creator(corpus_reader, word_dict=None, predicate_dict=None, label_dict=None):
    """Reader of the nine columns of each sample, lists as long as the sentence: words, the words two and one before,
    at, one and two after the predicate, the predicate, marks of these five places, roles."""

    def read():
        for sentence, predicate, labels in corpus_reader():
            columns = translations.role_columns(sentence, predicate, labels, word_dict, predicate_dict, label_dict)
            yield tuple(columns)

    return read


def _fetched(url, md5):
    return common.download(url, "conll05st", md5)


def get_dict():
    """The numbers of words, of predicates and of roles."""
    words = load_dict(_fetched(WORDDICT_URL, WORDDICT_MD5))
    return words, load_dict(_fetched(VERBDICT_URL, VERBDICT_MD5)), load_label_dict(_fetched(TRGDICT_URL, TRGDICT_MD5))


def get_embedding():
    """The path of the file of vectors of words."""
    return _fetched(EMB_URL, EMB_MD5)


def test():
    """Reader of the test set."""
    names = (f"conll05st-release/test.wsj/{part}/test.wsj.{part}.gz" for part in ("words", "props"))
    return reader_creator(corpus_reader(_fetched(DATA_URL, DATA_MD5), *names), *get_dict())


def fetch():
    """Download the files."""
    get_dict()
    get_embedding()
    _fetched(DATA_URL, DATA_MD5)
