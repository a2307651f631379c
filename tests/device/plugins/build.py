# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Builds the skeleton of a plugin with a planted defect."""

import os
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
