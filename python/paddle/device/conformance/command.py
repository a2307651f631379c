# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The command `paddle conformance`."""

import json
import os


def add_arguments(parser):
    """Declare the arguments of the command."""
    parser.add_argument("plugin", metavar="LIBRARY|NAME", help="path of a plugin, or the name of its device type")
    parser.add_argument("--out", metavar="FILE.json", help="where the report goes")
    parser.add_argument("--part", choices=("runtime", "coverage"), action="append", help="run this part alone")
    parser.add_argument("--op", action="append", metavar="NAME", help="rows of this operator alone")


def library_of(plugin):
    """The path that a path or the name of a device type stands for.

    Raises:
        ValueError: It is neither.
    """
    if os.path.isfile(plugin):
        return os.path.realpath(plugin)
    from .. import loaded_plugins

    known = loaded_plugins()
    if plugin not in known:
        names = ", ".join(known) or "none"
        raise ValueError(f"{plugin!r} is neither a file nor a device type of a plugin; those that are found: {names}.")
    return os.path.realpath(known[plugin]["path"])


def run(options):
    """Examine the plugin; 0 when it has both grades, else 1."""
    from .report import examine, table

    parts = tuple(options.part or ("runtime", "coverage"))
    report = examine(
        library_of(options.plugin), tuple(options.op or ()), parts, tell=lambda text: print(text, flush=True)
    )
    print("\n" + table(report))
    if options.out:
        with open(options.out, "w") as file:
            json.dump(report, file, indent=1)
            file.write("\n")
        print(f"written: {options.out}")
    return 0 if all(report[part] != "none" for part in parts) else 1
