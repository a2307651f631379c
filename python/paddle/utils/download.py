# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Files from URLs: fetched once, checked and unpacked."""

import hashlib
import logging
import os
import shutil
import tarfile
import zipfile

__all__ = ["get_weights_path_from_url"]


logger = logging.getLogger(__name__)
WEIGHTS_HOME = os.path.expanduser("~/.cache/paddle/hapi/weights")


def is_url(path):
    """Whether `path` begins with http://, https:// or file://."""
    return path.startswith(("http://", "https://", "file://"))


def _map_path(url, root_dir):
    """Where the file of a URL is kept."""
    return os.path.join(root_dir, os.path.split(url)[-1])


def _get_unique_endpoints(trainer_endpoints):
    """One endpoint of each host."""
    found = {}
    for endpoint in trainer_endpoints:
        found.setdefault(endpoint.split(":")[0], endpoint)
    return set(found.values())


def md5file(fname):
    """MD5 sum of a file, in hexadecimal."""
    total = hashlib.md5()
    with open(fname, "rb") as f:
        for chunk in iter(lambda: f.read(1 << 20), b""):
            total.update(chunk)
    return total.hexdigest()


def _md5check(fullname, md5sum=None):
    """Whether a file has the given sum (None matches any)."""
    return md5sum is None or md5file(fullname) == md5sum


def _download(url, path, md5sum=None, method="get"):
    """Fetch a URL into the folder `path` and return the file's name."""
    import urllib.error
    import urllib.request

    if method not in ("get", "wget"):
        raise AssertionError(f"get_path_from_url: method has value {method!r}; it must be 'get' or 'wget'.")
    os.makedirs(path, exist_ok=True)
    target = _map_path(url, path)
    part = f"{target}.{os.getpid()}.part"
    try:
        with urllib.request.urlopen(url, timeout=60) as source, open(part, "wb") as out:
            shutil.copyfileobj(source, out, 1 << 20)
        if not _md5check(part, md5sum):
            raise RuntimeError(f"get_path_from_url: {url} has not the MD5 sum {md5sum}; try again or fetch it by hand.")
        os.replace(part, target)
    except (urllib.error.URLError, OSError) as error:
        raise RuntimeError(
            f"get_path_from_url: {url} cannot be fetched ({error}); put the file at {target} by hand."
        ) from error
    finally:
        if os.path.exists(part):
            os.remove(part)
    return target


def _inside(folder, name):
    """Whether a name in an archive stays inside of the folder."""
    folder = os.path.realpath(folder)
    return os.path.commonpath([folder, os.path.realpath(os.path.join(folder, name))]) == folder


def _decompress(fname):
    """Unpack a .tar, .tar.gz, .tgz or .zip file beside it.

    Returns:
        The folder or file that the archive holds, or the folder with the archive's name when it
        holds several.

    Raises:
        RuntimeError: A name in the archive leads out of the folder.
        TypeError: The file is no archive.
    """
    folder = os.path.dirname(os.path.abspath(fname))
    if tarfile.is_tarfile(fname):
        archive = tarfile.open(fname)
        members = [m for m in archive.getmembers() if m.isfile() or m.isdir()]
        names = [m.name for m in members]
    elif zipfile.is_zipfile(fname):
        archive = zipfile.ZipFile(fname)
        members = names = archive.namelist()
    else:
        raise TypeError(f"get_path_from_url: {fname} is no tar or zip file.")
    with archive:
        for name in names:
            if os.path.isabs(name) or not _inside(folder, name):
                raise RuntimeError(f"get_path_from_url: {fname} holds {name!r}, which leads out of the folder.")
        tops = {os.path.normpath(name).split(os.sep)[0] for name in names}
        target = folder
        if len(tops) != 1:
            target = os.path.join(folder, os.path.basename(fname).split(".")[0])
            os.makedirs(target, exist_ok=True)
        archive.extractall(target, members)
    return os.path.join(folder, tops.pop()) if len(tops) == 1 else target


def get_path_from_url(url, root_dir, md5sum=None, check_exist=True, decompress=True, method="get"):
    """Fetch a URL into a folder, unless it is there, and unpack archives.

    Args:
        url: http://, https:// or file:// address.
        root_dir: The folder.
        md5sum: Expected MD5 sum.
        check_exist: Use a file that is there and has the sum.
        decompress: Unpack .tar, .tar.gz, .tgz and .zip files.
        method: 'get' or 'wget'; both use Python's own client.

    Returns:
        Name of the file, or of what was unpacked.

    Raises:
        RuntimeError: The file cannot be fetched or has another sum.
    """
    if not is_url(url):
        raise AssertionError(
            f"get_path_from_url: url has value {url!r}; it must begin with http://, https:// or file://."
        )
    path = _map_path(url, root_dir)
    if not (check_exist and os.path.exists(path) and _md5check(path, md5sum)):
        path = _download(url, root_dir, md5sum, method)
    if decompress and (tarfile.is_tarfile(path) or zipfile.is_zipfile(path)):
        return _decompress(path)
    return path


def get_weights_path_from_url(url, md5sum=None):
    """Fetch pretrained weights into ~/.cache/paddle/hapi/weights, unless they are there.

    Args:
        url: Where they are.
        md5sum: Sum that the file must have; None for any.

    Returns:
        The path of the file.
    """
    return get_path_from_url(url, WEIGHTS_HOME, md5sum)
