# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Tables as an Office Open XML workbook (ECMA-376), the form of `.xlsx` files."""

import zipfile
from xml.sax.saxutils import escape, quoteattr

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'


def _column(number):
    """A, B, ..., Z, AA, ..."""
    letters = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def _cell(place, value):
    if value == "":
        return ""
    if isinstance(value, int):
        return f'<c r="{place}"><v>{value}</v></c>'
    return f'<c r="{place}" t="inlineStr"><is><t xml:space="preserve">{escape(value)}</t></is></c>'


def _worksheet(rows):
    lines = []
    for i, row in enumerate(rows, 1):
        cells = "".join(_cell(f"{_column(k)}{i}", value) for k, value in enumerate(row))
        lines.append(f'<row r="{i}">{cells}</row>')
    return f'{_HEAD}<worksheet xmlns="{_MAIN}"><sheetData>{"".join(lines)}</sheetData></worksheet>'


def _relations(targets):
    lines = (
        f'<Relationship Id="rId{i}" Type="{_OFFICE}/{kind}" Target="{target}"/>'
        for i, (kind, target) in enumerate(targets, 1)
    )
    return f'{_HEAD}<Relationships xmlns="{_PACKAGE}/relationships">{"".join(lines)}</Relationships>'


def write(path, sheets):
    """Write a workbook.

    Args:
        path: The file.
        sheets: name -> rows, lists of str and int; '' is an empty cell. Names are cut to 31 letters.
    """
    files = [f"worksheets/sheet{i}.xml" for i in range(1, len(sheets) + 1)]
    kinds = "".join(
        f'<Override PartName="/xl/{name}" ContentType="{_TYPE}.{kind}+xml"/>'
        for name, kind in [("workbook.xml", "sheet.main"), *((name, "worksheet") for name in files)]
    )
    listed = "".join(
        f'<sheet name={quoteattr(name[:31])} sheetId="{i}" r:id="rId{i}"/>' for i, name in enumerate(sheets, 1)
    )
    parts = {
        "[Content_Types].xml": f'{_HEAD}<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" '
        f'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>{kinds}</Types>',
        "_rels/.rels": _relations([("officeDocument", "xl/workbook.xml")]),
        "xl/workbook.xml": f'{_HEAD}<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>{listed}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": _relations([("worksheet", name) for name in files]),
        **{f"xl/{name}": _worksheet(rows) for name, rows in zip(files, sheets.values(), strict=True)},
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
