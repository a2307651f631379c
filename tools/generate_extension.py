# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Writes paddle/extension/functions.h: a typed C++ function for every operator, for extensions.

The functions follow from the schema lines in phi_kernels/ops/, as those of generate_ops.py do, but
stand on the extension ABI alone.

    python tools/generate_extension.py --source . --output build/generated/include
"""

import argparse
import sys
from pathlib import Path

from generate_ops import DTYPES, HEAD, Op, SchemaError, cpp_default, cpp_name, schemas_in, wrap, write_if_changed

# Made by hand in paddle/extension/tensor.h, or named as a type is.
SKIPPED = {"complex", "empty", "empty_like", "full", "full_like", "ones", "ones_like", "zeros", "zeros_like"}

# Schema type -> C++ parameter type.
TYPES = {
    "Tensor": "const Tensor&",
    "Tensor?": "const optional<Tensor>&",
    "Tensor[]": "const std::vector<Tensor>&",
    "bool": "bool",
    "int": "int",
    "int32": "int",
    "int64": "int64_t",
    "float": "float",
    "double": "double",
    "str": "const std::string&",
    "DType": "DataType",
    "Place": "const Place&",
    "Scalar": "const Scalar&",
    "IntArray": "const IntArray&",
    "int[]": "const std::vector<int>&",
    "int64[]": "const std::vector<int64_t>&",
    "float[]": "const std::vector<float>&",
}


def default_of(argument) -> str | None:
    """The C++ default of an argument, or None."""
    if argument.default is None:
        return "{}" if argument.type == "Tensor?" else None
    if argument.default.lower() in ("none", "null"):
        return "DataType::UNDEFINED" if argument.type == "DType" else "{}"
    if argument.type == "DType":
        names = {value: key for key, value in DTYPES.items()}
        return "DataType::" + names[cpp_default(argument).removeprefix("DType::")].upper()
    if argument.type == "Place":
        return "Place()"
    text = cpp_default(argument)
    if argument.type != "float":
        return text
    return f"static_cast<float>({text})" if "limits" in text else f"{text}f"


def parameters(op: Op) -> str:
    out, open_end = [], True
    for argument in reversed(op.arguments):
        default = default_of(argument)
        open_end = open_end and default is not None
        text = f"{TYPES[argument.type]} {cpp_name(argument.name)}"
        out.append(f"{text} = {default}" if open_end else text)
    return ", ".join(reversed(out))


def function(op: Op) -> str:
    count = len(op.results)
    is_list = op.results[0].type == "Tensor[]"
    several = "std::tuple<" + ", ".join(["Tensor"] * count) + ">"
    result = several if count > 1 else "std::vector<Tensor>" if is_list else "Tensor"
    call = f'detail::Call("{op.name}")' + "".join(f'.arg("{a.name}", {cpp_name(a.name)})' for a in op.arguments)
    lines = [wrap(f"inline {result} {cpp_name(op.name)}({parameters(op)}) {{", 4)]
    if is_list:
        lines.append(f"  return detail::all_of({call}.run());")
    elif count == 1:
        lines.append(f"  return detail::one_of({call}.run());")
    else:
        lines.append(f"  std::vector<detail::Handle> outs = {call}.run();")
        lines.append("  return {" + ", ".join(f"Tensor(std::move(outs[{i}]))" for i in range(count)) + "};")
    return "\n".join([*lines, "}"])


def header(source: Path) -> str:
    root = source / "phi_kernels" / "ops"
    ops = [op for path in sorted(root.rglob("*.cc")) for op in schemas_in(path.read_text(), str(path))]
    shown = [op for op in ops if op.name not in SKIPPED and not op.name.endswith("_")]
    return "\n".join(
        [
            HEAD.format(origin="phi_kernels/ops").replace("generate_ops", "generate_extension"),
            "#pragma once\n",
            '#include <limits>\n#include <tuple>\n\n#include "paddle/extension/tensor.h"\n',
            "PADDLE_EXTENSION_BEGIN",
            "namespace detail {",
            "inline Tensor one_of(std::vector<Handle> outs) { return Tensor(std::move(outs[0])); }",
            "inline std::vector<Tensor> all_of(std::vector<Handle> outs) {",
            "  std::vector<Tensor> tensors;",
            "  for (Handle& h : outs) tensors.emplace_back(std::move(h));",
            "  return tensors;\n}",
            "}  // namespace detail\n",
            "\n".join(function(op) for op in shown),
            "\nPADDLE_EXTENSION_END\n",
        ]
    )


def main() -> int:
    parser = argparse.ArgumentParser(description="Generates the operator functions of extensions.")
    parser.add_argument("--source", type=Path, required=True, help="root of the repository")
    parser.add_argument("--output", type=Path, required=True, help="folder of generated headers")
    options = parser.parse_args()
    try:
        text = header(options.source)
    except SchemaError as error:
        print(f"generate_extension: {error}", file=sys.stderr)
        return 1
    write_if_changed(options.output / "paddle" / "extension" / "functions.h", text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
