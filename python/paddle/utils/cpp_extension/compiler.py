# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiles the C++ sources of an extension into a shared library, again only when something changed."""

import contextlib
import fcntl
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from ... import sysconfig

_BASE_FLAGS = ["-std=c++17", "-O2", "-fPIC", "-fvisibility=hidden", "-DPADDLE_WITH_CUSTOM_KERNEL"]
# The header needs C++17; an older standard that a set-up file asks for would refuse it.
_OLDER_STANDARD = re.compile(r"-std=(c|gnu)\+\+(98|03|0x|11|1y|14)")


@dataclass
class Job:
    """What a library is made of: sources and flags."""

    sources: list
    cxx_flags: list = field(default_factory=list)
    link_flags: list = field(default_factory=list)
    include_dirs: list = field(default_factory=list)
    library_dirs: list = field(default_factory=list)
    libraries: list = field(default_factory=list)
    name: str = ""

    def compile_command(self, source, target):
        """The command of one source; it writes the headers it read to `target`.d."""
        flags = [f for f in self.cxx_flags if not _OLDER_STANDARD.fullmatch(f)]
        if self.name:
            flags.append(f"-DPADDLE_EXTENSION_NAME={self.name}")
        folders = [*self.include_dirs, headers()]
        if any(map(_names_pybind11, self.sources)):
            flags.append("-DPADDLE_EXTENSION_PYTHON")
            folders += _python_headers()
        includes = [f"-I{path}" for path in folders]
        return [*_compiler(), *_BASE_FLAGS, *flags, *includes, "-MMD", "-MF", f"{target}.d", "-c", source, "-o", target]

    def link_command(self, objects, target):
        paths = [flag for path in self.library_dirs for flag in (f"-L{path}", f"-Wl,-rpath,{path}")]
        libraries = [f"-l{name}" for name in self.libraries]
        return [*_compiler(), "-shared", *objects, *paths, *libraries, *self.link_flags, "-o", target]


def headers():
    """The folder of `paddle/extension.h`.  RuntimeError when the package was installed without it."""
    folder = sysconfig.get_include()
    if not os.path.exists(os.path.join(folder, "paddle", "extension", "functions.h")):
        raise RuntimeError(f"cpp_extension: {folder} has no paddle/extension.h; install the whole package.")
    return folder


def _names_pybind11(source):
    try:
        with open(source, errors="replace") as file:
            return "PYBIND11_MODULE" in (text := file.read()) or "pybind11" in text
    except OSError:  # reported by check_sources
        return False


def _python_headers():
    """Folders of the headers of Python and pybind11."""
    import sysconfig as interpreter

    try:
        import pybind11
    except ModuleNotFoundError:
        raise RuntimeError(
            "cpp_extension: a source declares functions for Python with pybind11, which is not installed; "
            "install it (pip install pybind11)."
        ) from None
    return [interpreter.get_path("include"), pybind11.get_include()]


def _compiler():
    command = shlex.split(os.environ.get("CXX", "")) or ["c++"]
    if shutil.which(command[0]) is None:
        raise RuntimeError(
            f"cpp_extension: the compiler {command[0]} was not found; install g++ or clang++, or name one in CXX."
        )
    return command


def check_sources(sources):
    """Absolute paths of C++ sources.  RuntimeError for one that is missing or is none."""
    paths = [os.path.abspath(os.fspath(source)) for source in sources]
    if not paths:
        raise RuntimeError("cpp_extension: there are no sources; give at least one C++ file.")
    for path in paths:
        if path.endswith((".cu", ".cuh", ".hip")):
            raise RuntimeError(
                f"cpp_extension: {path} is a source for GPUs, but paddle has no CUDA; "
                f"give the operator a CPU kernel and leave this file out."
            )
        if not os.path.exists(path):
            raise RuntimeError(f"cpp_extension: the source {path} does not exist.")
    return paths


def _run(command, verbose):
    if verbose:
        print(shlex.join(command))
    done = subprocess.run(command, capture_output=True, text=True)
    if verbose and done.stderr:
        print(done.stderr)
    if done.returncode != 0:
        raise RuntimeError(f"cpp_extension: the compiler failed.\n{shlex.join(command)}\n{done.stderr}")


def _digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def _files_read(dependency_file):
    """Paths in a rule that the compiler wrote, without those of the system."""
    with open(dependency_file) as file:
        words = file.read().replace("\\\n", " ").split(":", 1)[1].split()
    return [os.path.abspath(w) for w in words if not w.startswith(("/usr/", "/lib/"))]


def _is_current(stamp_file, commands, library):
    try:
        with open(stamp_file) as file:
            stamp = json.load(file)
        fits = os.path.exists(library) and stamp["commands"] == commands
        return fits and all(_digest(path) == digest for path, digest in stamp["files"].items())
    except (OSError, ValueError, KeyError):
        return False


@contextlib.contextmanager
def _lock(folder):
    with open(os.path.join(folder, "lock"), "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def build(job, library, folder, verbose=False):
    """Make `library` of `job`.

    Args:
        job: The sources and flags.
        library: Path of the shared library.
        folder: Where objects and the record of what was read are kept; processes take turns in it.
        verbose: Print the commands and what the compiler says.

    Returns:
        True when something was compiled, False when the library was current.

    Raises:
        RuntimeError: A source is missing, or the compiler fails; the message has its output.
    """
    sources = check_sources(job.sources)
    os.makedirs(folder, exist_ok=True)
    os.makedirs(os.path.dirname(os.path.abspath(library)), exist_ok=True)
    objects = [os.path.join(folder, f"{i}_{os.path.basename(s)}.o") for i, s in enumerate(sources)]
    compiles = [job.compile_command(s, o) for s, o in zip(sources, objects, strict=True)]
    commands = [*compiles, job.link_command(objects, library)]
    stamp_file = os.path.join(folder, "stamp.json")
    with _lock(folder):
        if _is_current(stamp_file, commands, library):
            return False
        with ThreadPoolExecutor(max(1, min(len(compiles), os.cpu_count() or 1))) as pool:
            list(pool.map(lambda command: _run(command, verbose), compiles))
        draft = library + ".draft"
        _run(job.link_command(objects, draft), verbose)
        os.replace(draft, library)
        files = {path: _digest(path) for o in objects for path in _files_read(o + ".d")}
        with open(stamp_file, "w") as file:
            json.dump({"commands": commands, "files": files}, file)
    return True
