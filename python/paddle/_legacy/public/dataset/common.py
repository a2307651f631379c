# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Where datasets are kept, how their files get there, and readers over parts of them.

What is written to this module, such as `DATA_HOME`, holds for all datasets: it goes to `paddle.utils.dataset_files`.
"""

import glob
import importlib
import os
import pickle
import sys
import types

from ..utils import dataset_files
from ..utils.dataset_files import (  # noqa: F401 - names of this module
    DATA_HOME,
    HOME,
    _check_exists_and_download,
    download,
    get_path_from_url,
    md5file,
)

__all__ = []


class _Common(types.ModuleType):
    def __setattr__(self, name, value):
        if hasattr(dataset_files, name) and not name.startswith("__"):
            setattr(dataset_files, name, value)
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Common


def must_mkdirs(path):
    """Make a folder and those above it, unless it is there."""
    os.makedirs(path, exist_ok=True)


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
