# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Builds the skeleton of a plugin with a planted defect."""

import os
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SKELETON = ROOT / "backends" / "skeleton"
DEFECTS = Path(__file__).with_name("defects.c")
COMPILER = (os.environ.get("CC", "cc"), "-O1", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra", "-Werror")
INCLUDES = (f"-I{ROOT / 'backends' / 'include'}", f"-I{SKELETON}")


@cache
def _folder():
    return tempfile.TemporaryDirectory(prefix="plugins_")


@cache
def _objects():
    made = []
    for source in sorted(SKELETON.glob("*.c")):
        made.append(Path(_folder().name) / f"{source.stem}.o")
        name = "-Dpaddle_device_plugin=skeleton_plugin"
        subprocess.run([*COMPILER, *INCLUDES, name, "-c", str(source), "-o", str(made[-1])], check=True)
    return [str(path) for path in made]


@cache
def defective(name):
    """Path of the skeleton with the defect of a name, whose device type has that name, too."""
    out = Path(_folder().name) / f"lib{name}.so"
    command = [*COMPILER, *INCLUDES, f"-DDEFECT={name}", "-shared", str(DEFECTS), *_objects()]
    subprocess.run([*command, "-lm", "-lpthread", "-o", str(out)], check=True)
    return out


FROZEN = Path(__file__).with_name("paddle_device_1_0.h")


@cache
def _header(version):
    """The folder of paddle_device.h of a version: 1.0, which is kept here, or the present one."""
    if version != "1.0":
        return ROOT / "backends" / "include"
    folder = Path(_folder().name) / "include_1_0"
    folder.mkdir()
    shutil.copy(FROZEN, folder / "paddle_device.h")
    return folder


@cache
def skeleton_of(version):
    """Path of the skeleton, compiled with the header of a version."""
    out = Path(_folder().name) / f"libskeleton_{version.replace('.', '_')}.so"
    sources = [str(path) for path in sorted(SKELETON.glob("*.c"))]
    command = [*COMPILER, f"-I{_header(version)}", "-shared", *sources, "-lm", "-lpthread", "-o", str(out)]
    subprocess.run(command, check=True)
    return out


@cache
def conformance_of(version):
    """Path of the library of the conformance suite, a host, compiled with the header of a version."""
    out = Path(_folder().name) / f"libconformance_{version.replace('.', '_')}.so"
    sources = [str(path) for path in sorted((ROOT / "backends" / "conformance").glob("*.cc"))]
    compiler = [os.environ.get("CXX", "c++"), "-std=c++20", "-O1", "-fPIC", "-shared", "-fvisibility=hidden"]
    subprocess.run([*compiler, f"-I{_header(version)}", *sources, "-ldl", "-o", str(out)], check=True)
    return out
