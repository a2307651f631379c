# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The rules of the house that can be read off the tree: includes go downwards, no folders include each
other, files stay short, heads carry a licence, and nothing names the machine it was written on."""

import re
import subprocess
import tomllib
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LAYERS = tomllib.loads((Path(__file__).parent / "layers.toml").read_text())
COMPONENTS = sorted({name.split("/")[0] for name in [*LAYERS["needs"], *LAYERS["order"]]})
LINE_LIMIT = 1000
VAGUE_NAMES = {"common", "utils", "helpers", "misc"}
SOURCE_SUFFIXES = {".h", ".cc", ".cu", ".py", ".cmake", ".sh", ".toml"}


@cache
def files() -> tuple[Path, ...]:
    command = ["git", "ls-files", "-co", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    return tuple(Path(name) for name in listed if (ROOT / name).is_file())


@cache
def own_files() -> tuple[Path, ...]:
    """Without the unchanged sources of others."""
    return tuple(p for p in files() if p.parts[0] != "third_party")


@cache
def text_of(path: Path) -> str:
    return (ROOT / path).read_text(errors="replace")


@cache
def includes() -> tuple[tuple[Path, Path], ...]:
    """(including file, included path) for every quoted include between components."""
    found = []
    for path in files():
        if path.suffix in {".h", ".cc", ".cu"} and path.parts[0] in COMPONENTS:
            for name in re.findall(r'^\s*#\s*include\s*"([^"]+)"', text_of(path), re.M):
                found.append((path, Path(name)))
    return tuple(found)


# The headers of users' operators name each other as users see them; one of them is generated.
EXTENSION = Path("paddle_core/extension/include")
GENERATED = {Path("paddle/extension/functions.h")}


def unit(path: Path) -> str:
    """The folder of the layer table that a file belongs to: component/folder, or component."""
    folder = "/".join(path.parts[:2]) if len(path.parts) > 2 else path.parts[0]
    return "phi_kernels/ops" if path.parts[:2] == ("phi_kernels", "ops") else folder


@cache
def position(component: str, folder: str) -> int | None:
    for index, entry in enumerate(LAYERS["order"].get(component, [])):
        if folder in entry.split():
            return index
    return None


def allowed(source: str, target: str) -> bool:
    if source == target:
        return True
    component, _, folder = source.partition("/")
    target_component, _, target_folder = target.partition("/")
    if component == target_component and component in LAYERS["order"]:
        own, other = position(component, folder), position(component, target_folder)
        if not folder:
            return True
        return own is not None and other is not None and other < own
    needs = LAYERS["needs"].get(source, LAYERS["needs"].get(component, []))
    return target in needs or target_component in needs


def is_known(name: str) -> bool:
    component, _, folder = name.partition("/")
    if component in LAYERS["order"]:
        return not folder or position(component, folder) is not None
    return name in LAYERS["needs"] or name == "python"


def test_every_source_folder_stands_in_the_layer_table():
    sources = [p for p in files() if p.suffix in {".h", ".cc", ".cu"} and p.parts[0] in COMPONENTS]
    assert {u for u in map(unit, sources) if not is_known(u)} == set()


def test_every_folder_of_the_layer_table_exists():
    named = set(LAYERS["order"]) | set(LAYERS["needs"])
    named |= {f"{c}/{f}" for c, entries in LAYERS["order"].items() for entry in entries for f in entry.split()}
    named |= {target for needs in LAYERS["needs"].values() for target in needs}
    folders = {parent.as_posix() for path in files() for parent in path.parents}
    assert named - folders == set()


def rooms():
    """(folders, files to start with) of each row of the table of docs/architecture.md."""
    table = re.findall(r"^\|(.+?)\|.+\|(.+?)\|$", (ROOT / "docs" / "architecture.md").read_text(), re.M)
    named = [(re.findall(r"`([^`]+)`", row[0]), re.findall(r"`([^`]+)`", row[1])) for row in table]
    return [row for row in named if "/" in "".join(row[0])]


def test_the_page_of_the_house_names_every_room_and_no_other():
    named = {folder for folders, _ in rooms() for folder in folders}
    sources = [p for p in files() if p.suffix in {".h", ".cc"} and p.parts[0] in COMPONENTS]
    assert named == {unit(p) for p in sources if len(unit(p).split("/")) > 1} | {"python/paddle"}


def test_the_page_of_the_house_names_files_to_start_with():
    for folders, starts in rooms():
        for start in starts:
            assert any((ROOT / place / start).is_file() for f in folders for place in (f, Path(f).parent)), start


def test_includes_go_downwards_only():
    wrong = [f"{a} includes {b}" for a, b in includes() if b.parts[0] in COMPONENTS and not allowed(unit(a), unit(b))]
    assert wrong == []


def test_includes_go_downwards_inside_a_folder_of_folders():
    for house, entries in LAYERS["order"].items():
        ranks = {folder: i for i, entry in enumerate(entries) for folder in entry.split()}

        def place(path, house=house):
            inner = path.parts[len(Path(house).parts) :]
            return inner[0] if len(inner) > 1 else ""

        pairs = [(a, b) for a, b in includes() if a.is_relative_to(house) and b.is_relative_to(house)]
        wrong = [
            f"{a} includes {b}"
            for a, b in pairs
            if place(a) != place(b) and ranks.get(place(b), len(entries)) >= ranks.get(place(a), len(entries))
        ]
        assert wrong == []


def test_no_other_folder_includes_a_library_that_is_opened_late():
    assert LAYERS["closed"]
    for closed in LAYERS["closed"]:
        wrong = [f"{a} includes {b}" for a, b in includes() if unit(b) == closed and unit(a) != closed]
        assert wrong == []


def test_includes_between_files_of_ours_name_existing_files():
    families = {p.parts[2] for p in files() if p.parts[:2] == ("phi_kernels", "ops") and len(p.parts) > 3}
    generated = {Path(f"phi_kernels/ops/{family}.h") for family in families}
    known = generated | GENERATED
    wrong = [
        f"{a} includes {b}"
        for a, b in includes()
        if b not in known
        and not (ROOT / b).is_file()
        and not (ROOT / EXTENSION / b).is_file()
        and not (unit(a) in LAYERS["libraries"] and b.parts[0] in LAYERS["libraries"][unit(a)])
    ]
    assert wrong == []


def test_no_two_folders_include_each_other():
    edges = defaultdict(set)
    for a, b in includes():
        if (ROOT / b).is_file() and a.parent != b.parent:
            edges[a.parent].add(b.parent)
    assert [(str(a), str(b)) for a in edges for b in edges[a] if a in edges.get(b, ()) and str(a) < str(b)] == []


def test_no_file_is_longer_than_the_limit():
    long = {}
    for path in own_files():
        lines = text_of(path).count("\n") if path.suffix in SOURCE_SUFFIXES else 0
        if lines > LINE_LIMIT:
            long[str(path)] = lines
    assert long == {}


def test_no_folder_has_a_name_that_says_nothing():
    # These mirror PaddlePaddle's public module names and the paths of its headers.
    mirrors = (("python", "paddle"), ("paddle_core", "extension", "include"))
    ours = [p for p in files() if all(p.parts[: len(m)] != m for m in mirrors)]
    assert {str(p) for p in ours if VAGUE_NAMES & set(p.parts[:-1])} == set()


def test_every_source_file_begins_with_the_licence_lines():
    wrong = []
    for path in own_files():
        if path.suffix in SOURCE_SUFFIXES or path.name in {"Makefile", "CMakeLists.txt"}:
            head = "\n".join(text_of(path).splitlines()[:4])
            if head and not ("SPDX-FileCopyrightText: " in head and "SPDX-License-Identifier: Apache-2.0" in head):
                wrong.append(str(path))
    assert wrong == []


@pytest.mark.parametrize("place", ["/wo" + "rk/", "/ro" + "ot/", "/ho" + "me/", "../sha" + "red"])
def test_no_file_names_a_place_of_one_machine(place):
    pattern = re.compile(r"(?<![\w.])" + re.escape(place))
    text_files = (p for p in files() if p.suffix not in {".png", ".pdparams", ".pdiparams", ".pdopt", ".npy", ".npz"})
    assert [str(p) for p in text_files if pattern.search(text_of(p))] == []
