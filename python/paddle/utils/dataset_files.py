# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Where datasets are kept, and how their files get there."""

import os

from .download import get_path_from_url, md5file

HOME = os.path.expanduser("~")
DATA_HOME = os.path.join(HOME, ".cache", "paddle", "dataset")


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


def _check_exists_and_download(path, url, md5, module_name, download_=True):
    """`path` when it is a file, else what is fetched from the URL."""
    if path and os.path.exists(path):
        return path
    if path:
        raise FileNotFoundError(f"dataset: the file {path} is not there.")
    if not download_:
        raise AssertionError(f"dataset: no file is given and download is False; the data are at {url}.")
    return download(url, module_name, md5)
