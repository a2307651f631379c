# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Every room of the tree has a README of at most 15 lines, and the files that it names are there. Deeper in the package,
a folder of more than a handful of modules has one, too, unless it merely mirrors a path of PaddlePaddle."""

import collections
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parents[2]
# Every folder of these trees is a room, however few its files.
WHOLE_TREES = (".ci", "cmake", "inference", "paddle_core", "phi_kernels", "pir", "tests", "tools")
# But not what lies below these, with the reason.
NO_ROOMS = {
    "paddle_core/extension": "its headers mirror the paths of PaddlePaddle's",
    "tests/compat": "data",
    "tests/cpp": "mirrors the C++ tree",
    "tests/fuzz": "data",
    "tests/models": "data",
    "tests/python": "mirrors the modules of the package",
}
# Of other trees, folders of at least so many files, at most so deep.
FEW = 5
DEPTHS = {"docs": 1, "examples": 1, "python": 2}
PACKAGE = pathlib.PurePosixPath("python/paddle")
HANDFUL = 7  # modules
# Folders that are as they are because PaddlePaddle has these paths; the README above them says what they are for.
MIRRORS = ("python/paddle/_legacy/public", "python/paddle/distributed/fleet/utils")


def is_large_package(folder, modules):
    """Whether a folder of the package needs a README however deep it is."""
    mirrors = any(folder.is_relative_to(mirror) for mirror in MIRRORS)
    return folder.is_relative_to(PACKAGE) and modules > HANDFUL and not mirrors


def tracked():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    return [pathlib.PurePosixPath(line) for line in listed.stdout.splitlines()]


def rooms():
    files = tracked()
    counts, modules = collections.Counter(), collections.Counter()
    for path in files:
        counts.update(dict.fromkeys(path.parents, 0))
        counts[path.parent] += 1
        modules[path.parent] += path.suffix == ".py"
    for folder, count in sorted(counts.items()):
        parts = folder.parts
        if parts and parts[0] in WHOLE_TREES:
            is_room = not any(folder != tree and folder.is_relative_to(tree) for tree in NO_ROOMS)
        else:
            is_room = parts and count >= FEW and len(parts) - 1 <= DEPTHS.get(parts[0], 0)
        if is_room or is_large_package(folder, modules[folder]):
            yield folder.as_posix()


def readmes():
    return [p.as_posix() for p in tracked() if p.name == "README.md" and len(p.parts) > 1]


pytestmark = pytest.mark.skipif(not tracked(), reason="this is no checkout")


@pytest.mark.parametrize("folder", list(rooms()))
def test_a_room_has_a_readme(folder):
    assert (ROOT / folder / "README.md").exists()


@pytest.mark.parametrize("path", readmes())
def test_a_readme_is_short_and_names_what_is_there(path):
    readme = ROOT / path
    lines = readme.read_text().splitlines()
    assert len([line for line in lines if line.strip()]) <= 15
    for name in re.findall(r"`([a-zA-Z][\w./-]*\.(?:h|cc|py|md|txt|json))`", "\n".join(lines)):
        found = (readme.parent / name).exists() or (ROOT / name).exists()
        assert found or any(p.as_posix().endswith("/" + name) for p in tracked()), name


@pytest.mark.parametrize("tree", NO_ROOMS)
def test_a_tree_without_rooms_exists(tree):
    assert (ROOT / tree).is_dir()


def test_folders_that_mirror_paths_of_paddlepaddle_exist():
    assert [mirror for mirror in MIRRORS if not (ROOT / mirror).is_dir()] == []


@pytest.mark.parametrize(
    ("folder", "modules", "large"),
    [("nn/layer", 8, True), ("nn/layer", 7, False), ("_legacy/public/base", 20, False), ("a/b/c/d", 8, True)],
)
def test_depth_exempts_no_large_folder_of_the_package(folder, modules, large):
    assert is_large_package(PACKAGE / folder, modules) is large
