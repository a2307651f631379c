# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Readers of French sentences and their English translations: source with both ends, target with its start, target
with its end."""

from ..text import translations
from . import common

URL_TRAIN = "http://paddlemodels.bj.bcebos.com/wmt/wmt14.tgz"
MD5_TRAIN = "0791583d57d5beb693b9414c5b36798c"
START = "<s>"
END = "<e>"
UNK = "<unk>"
UNK_IDX = 2

__all__ = []


def reader_creator(tar_file, file_name, dict_size):
    """Reader of a member of an archive.

    Args:
        tar_file: The archive.
        file_name: 'train/train', 'test/test' or 'gen/gen'.
        dict_size: Number of words of either language that are known.
    """

    def read():
        pairs = translations.WMT14(tar_file, file_name.split("/")[0], dict_size)
        yield from zip(pairs.src_ids, pairs.trg_ids, pairs.trg_ids_next, strict=True)

    return read


def train(dict_size):
    """Reader of the training pairs."""
    return reader_creator(fetch(), "train/train", dict_size)


def test(dict_size):
    """Reader of the pairs for tests."""
    return reader_creator(fetch(), "test/test", dict_size)


def gen(dict_size):
    """Reader of the pairs for generation."""
    return reader_creator(fetch(), "gen/gen", dict_size)


def get_dict(dict_size, reverse=True):
    """The words of the numbers of source and target, or with reverse=False the numbers of the words."""
    return translations.WMT14(fetch(), "gen", dict_size).get_dict(reverse)


def fetch():
    """Download the archive and return its path."""
    return common.download(URL_TRAIN, "wmt14", MD5_TRAIN)
