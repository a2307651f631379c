# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Readers of English and German sentences that are translations of each other: source with both ends, target with its
start, target with its end."""

import os

from ..text import translations
from . import common

DATA_URL = "http://paddlemodels.bj.bcebos.com/wmt/wmt16.tar.gz"
DATA_MD5 = "0c38be43600334966403524a40dcd81e"
TOTAL_EN_WORDS = 11250
TOTAL_DE_WORDS = 19220
START_MARK = "<s>"
END_MARK = "<e>"
UNK_MARK = "<unk>"
_WORDS = {"en": TOTAL_EN_WORDS, "de": TOTAL_DE_WORDS}

__all__ = []


def _size(lang, size):
    return min(size, _WORDS[lang])


def _path(lang, size):
    return os.path.join(common.DATA_HOME, "wmt16", f"{lang}_{_size(lang, size)}.dict")


def _keep(lang, size, words):
    """Write the words of a language where `get_dict` looks for them."""
    path = _path(lang, size)
    if not os.path.exists(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf8") as file:
            file.writelines(f"{word}\n" for word in words)


def reader_creator(tar_file, file_name, src_dict_size, trg_dict_size, src_lang):
    """Reader of a member of an archive; the dictionaries come from its training part.

    Args:
        tar_file: The archive.
        file_name: 'wmt16/train', 'wmt16/test' or 'wmt16/val'.
        src_dict_size, trg_dict_size: Number of words of source and target that are known.
        src_lang: The source: 'en' or 'de'.
    """

    def read():
        pairs = translations.WMT16(tar_file, file_name.split("/")[-1], src_dict_size, trg_dict_size, src_lang)
        _keep(src_lang, src_dict_size, pairs.src_dict)
        _keep("de" if src_lang == "en" else "en", trg_dict_size, pairs.trg_dict)
        yield from zip(pairs.src_ids, pairs.trg_ids, pairs.trg_ids_next, strict=True)

    return read


def _part(name, src_dict_size, trg_dict_size, src_lang):
    if src_lang not in _WORDS:
        raise ValueError(f"wmt16: src_lang has value {src_lang!r}; it must be 'en' (English) or 'de' (German).")
    sizes = _size(src_lang, src_dict_size), _size("de" if src_lang == "en" else "en", trg_dict_size)
    return reader_creator(fetch(), f"wmt16/{name}", *sizes, src_lang)


def train(src_dict_size, trg_dict_size, src_lang="en"):
    """Reader of the training pairs."""
    return _part("train", src_dict_size, trg_dict_size, src_lang)


def test(src_dict_size, trg_dict_size, src_lang="en"):
    """Reader of the pairs for tests."""
    return _part("test", src_dict_size, trg_dict_size, src_lang)


def validation(src_dict_size, trg_dict_size, src_lang="en"):
    """Reader of the pairs for validation."""
    return _part("val", src_dict_size, trg_dict_size, src_lang)


def get_dict(lang, dict_size, reverse=False):
    """The numbers of the words of a language, or the words of the numbers; a reader with this size must have run.

    Args:
        lang: 'en' or 'de'.
        dict_size: Number of words.
        reverse: Whether to give number -> word.
    """
    if lang not in _WORDS or not os.path.exists(_path(lang, dict_size)):
        raise AssertionError(
            f"wmt16.get_dict: there is no dictionary of {dict_size} words of {lang!r}; run a reader with this size first."
        )
    table = translations.numbered(translations.lines_of(_path(lang, dict_size)))
    return {number: word for word, number in table.items()} if reverse else table


def fetch():
    """Download the archive and return its path."""
    return common.download(DATA_URL, "wmt16", DATA_MD5)
