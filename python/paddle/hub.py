# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Models that a repository offers by its file hubconf.py."""

import os
import sys

from . import _lazy

__all__ = ["help", "list", "load", "load_state_dict_from_url"]
__dir__ = _lazy.listing(__name__)

_FILE = "hubconf.py"


def _folder(owner, repo_dir, source):
    """The folder of the repository."""
    if source not in ("github", "gitee", "local"):
        raise ValueError(f"{owner}: source has value {source!r}; it must be 'github', 'gitee' or 'local'.")
    if source == "local":
        return repo_dir
    raise NotImplementedError(
        f"{owner}: source has value {source!r}; only local repositories are read. Clone {repo_dir} and pass its folder "
        f"with source='local'."
    )


def _entries(owner, repo_dir, source):
    """The module hubconf of a repository."""
    import importlib.util

    folder = os.path.abspath(_folder(owner, repo_dir, source))
    path = os.path.join(folder, _FILE)
    if not os.path.isfile(path):
        raise FileNotFoundError(f"{owner}: {path} is not there.")
    spec = importlib.util.spec_from_file_location("hubconf", path)
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, folder)
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(folder)
    missing = [name for name in getattr(module, "dependencies", []) if importlib.util.find_spec(name) is None]
    if missing:
        raise RuntimeError(f"{owner}: {path} needs packages that are not installed: {', '.join(missing)}.")
    return module


def _entry(owner, repo_dir, model, source):
    if not isinstance(model, str):
        raise ValueError(f"{owner}: model has value {model!r}; it must be the name of an entry.")
    found = getattr(_entries(owner, repo_dir, source), model, None)
    if not callable(found):
        raise RuntimeError(f"{owner}: {_FILE} in {repo_dir} has no function {model!r}.")
    return found


def list(repo_dir, source="github", force_reload=False):
    """Names of the entries of a repository.

    Args:
        repo_dir: Folder of the repository.
        source: 'local'; 'github' and 'gitee' raise NotImplementedError.
        force_reload: Accepted; local repositories are read anew each time.
    """
    module = _entries("list", repo_dir, source)
    return [name for name, value in vars(module).items() if callable(value) and not name.startswith("_")]


def help(repo_dir, model, source="github", force_reload=False):
    """Documentation of an entry; arguments as for `load`."""
    return _entry("help", repo_dir, model, source).__doc__


def load(repo_dir, model, source="github", force_reload=False, **kwargs):
    """Call an entry of a repository.

    Args:
        repo_dir: Folder of the repository.
        model: Name of the entry.
        source: 'local'; 'github' and 'gitee' raise NotImplementedError.
        force_reload: Accepted; local repositories are read anew each time.
        kwargs: Arguments of the entry.
    """
    return _entry("load", repo_dir, model, source)(**kwargs)


def load_state_dict_from_url(url, model_dir=None, check_hash=False, file_name=None, map_location=None):
    """Fetch a file of parameters, unless it is there, and load it.

    Args:
        url: Address of the file.
        model_dir: Folder that keeps it, ~/.cache/paddle/hub/checkpoints by default.
        check_hash: Compare the MD5 sum with the part of the name between '-' and '.'.
        file_name: Name of the kept file.
        map_location: Accepted; Tensors are made on the current device.
    """
    import re

    from .framework.io import load as load_file
    from .utils.download import get_path_from_url, md5file

    model_dir = model_dir or os.path.expanduser("~/.cache/paddle/hub/checkpoints")
    path = os.path.join(model_dir, file_name or os.path.basename(url))
    if not os.path.exists(path):
        fetched = get_path_from_url(url, model_dir)
        if os.path.isfile(fetched):
            os.replace(fetched, path)
        else:
            path = fetched
    expected = re.search(r"-([a-f0-9]{8,})\.", os.path.basename(path)) if check_hash else None
    if expected and not md5file(path).startswith(expected.group(1)):
        raise RuntimeError(f"load_state_dict_from_url: {path} has not the MD5 sum {expected.group(1)} of its name.")
    return load_file(path)
