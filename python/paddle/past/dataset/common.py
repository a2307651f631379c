# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Where datasets are kept, how their files get there, and readers over parts of them."""

import glob
import importlib
import os
import pickle

from ..utils.download import get_path_from_url, md5file

HOME = os.path.expanduser("~")
DATA_HOME = os.path.join(HOME, ".cache", "paddle", "dataset")

__all__ = []


def must_mkdirs(path):
    """Make a folder and those above it, unless it is there."""
    os.makedirs(path, exist_ok=True)


def download(url, module_name, md5sum, save_name=None):
    """Fetch a file into DATA_HOME/module_name, unless it is there, and return its name.

    Args:
        url: Where it is.
        module_name: The folder in DATA_HOME.
        md5sum: Its checksum; None: it is not checked.
        save_name: Its name there; by default the last part of the URL.

    Raises:
        RuntimeError: The file is not there and the URL cannot be fetched.
    """
    folder = os.path.join(DATA_HOME, module_name)
    path = os.path.join(folder, save_name or url.split("/")[-1])
    if os.path.exists(path) and (md5sum is None or md5file(path) == md5sum):
        return path
    fetched = get_path_from_url(url, folder, md5sum, decompress=False)
    os.replace(fetched, path)
    return path


def fetch_all():
    """Download the files of all readers of `paddle.dataset`."""
    package = __package__
    for name in sorted(os.listdir(os.path.dirname(__file__))):
        if name.endswith(".py") and not name.startswith("_") and name != "common.py":
            fetch = getattr(importlib.import_module(f"{package}.{name[:-3]}"), "fetch", None)
            if fetch is not None:
                fetch()


def split(reader, line_count, suffix="%05d.pickle", dumper=pickle.dump):
    """Write the samples of a reader to files of `line_count` samples each.

    Args:
        reader: Function that returns an iterator.
        line_count: Samples of a file.
        suffix: Name of the files with a place for their number.
        dumper: Function of a list of samples and an open file.
    """
    if not callable(dumper):
        raise TypeError("split: dumper must be a function of the samples and a file.")
    part, number = [], 0
    for sample in reader():
        part.append(sample)
        if len(part) == line_count:
            _dump(part, suffix % number, dumper)
            part, number = [], number + 1
    if part:
        _dump(part, suffix % number, dumper)


def _dump(samples, path, dumper):
    with open(path, "wb") as file:
        dumper(samples, file)


def cluster_files_reader(files_pattern, trainer_count, trainer_id, loader=pickle.load):
    """Reader of one trainer's share of the files that `split` wrote.

    Args:
        files_pattern: Pattern of their names, as in a shell.
        trainer_count: Number of trainers.
        trainer_id: Number of this one.
        loader: Function that reads the samples of an open file; the default runs what a pickle says, so that only
            files from a trusted source are safe.
    """

    def read():
        if not callable(loader):
            raise TypeError("cluster_files_reader: loader must be a function of a file.")
        for i, path in enumerate(sorted(glob.glob(files_pattern))):
            if i % trainer_count == trainer_id:
                with open(path, "rb") as file:
                    yield from loader(file)

    return read


def _check_exists_and_download(path, url, md5, module_name, download_=True):
    """`path` when it is a file, else what is fetched from the URL."""
    if path and os.path.exists(path):
        return path
    if path:
        raise FileNotFoundError(f"dataset: the file {path} is not there.")
    if not download_:
        raise AssertionError(f"dataset: no file is given and download is False; the data are at {url}.")
    return download(url, module_name, md5)
