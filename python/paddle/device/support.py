# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What a device does of each operator itself."""

from .. import _core


def support(name):
    """How a device runs each operator in each dtype.

    A call is `native` when the device has a kernel for it (or it is a view, which computes nothing), `decomposed` when
    it is composed of other operators, which may be any of the three, and `copied` when the host computes it between
    two copies.

    Args:
        name: Name or place of a device, as 'cpu' or 'name:0'.

    Returns:
        A dict of operators, to a dict of dtypes, to 'native', 'decomposed' or 'copied'. The dtypes are those for which
        the device or the host has a kernel; a decomposed operator that has none anywhere stands under 'any'.

    Raises:
        ValueError: There is no such device.

    Example:
        >>> paddle.device.support("cpu")["matmul"]["float32"]
        'native'
    """
    from ..framework.devices import convert_to_place

    table = {}
    for op, native, of_host, decomposable, view, _ in _core.operator_support(convert_to_place(name)):
        otherwise = "native" if view else "decomposed" if decomposable else "copied"
        row = {dtype: "native" if dtype in native else otherwise for dtype in dict.fromkeys([*native, *of_host])}
        table[op] = row or {"any": otherwise}
    return table


def support_page(name):
    """The table of `support` as a page in Markdown: one row an operator.

    Args:
        name: Name or place of a device.
    """
    table = support(name)
    counts = dict.fromkeys(("native", "decomposed", "copied"), 0)
    lines = []
    for op in sorted(table):
        of = {kind: [d for d, k in table[op].items() if k == kind] for kind in counts}
        best = next(kind for kind in counts if of[kind])
        counts[best] += 1
        lines.append(f"| {op} | {' | '.join(', '.join(of[kind]) for kind in counts)} |")
    total = ", ".join(f"{count} {kind}" for kind, count in counts.items())
    head = f"{len(table)} operators, each counted where its best dtype is: {total}.\n\n"
    return head + "| operator | native | decomposed | copied |\n|---|---|---|---|\n" + "\n".join(lines) + "\n"
