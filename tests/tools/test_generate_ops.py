# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The generator of typed operator functions: what a schema becomes, what is refused, what is rewritten."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
import generate_ops as g


def declared(schema):
    return " ".join(g.declaration(g.parse_schema(schema)).splitlines()[1:]).replace("     ", " ")


@pytest.mark.parametrize(
    "schema, expected",
    [
        (
            "rms_norm(Tensor x, Tensor? scale, float epsilon=1e-6) -> (Tensor out)",
            "PADDLE_API Tensor rms_norm(const Tensor& x, const Tensor& scale = {}, double epsilon = 1e-6);",
        ),
        ("f(Tensor x, Tensor? y) -> (Tensor out)", "PADDLE_API Tensor f(const Tensor& x, const Tensor& y);"),
        (
            "f(Tensor? y, int n) -> (Tensor out)",
            "PADDLE_API Tensor f(const Tensor& y, int64_t n);",
        ),
        ("split(Tensor x, int[] n) -> (Tensor[] out)", "PADDLE_API TensorList split(const Tensor& x, const Shape& n);"),
        (
            "two(Tensor[] xs, Scalar@operand axis=0) -> (Tensor a, Tensor? b)",
            "PADDLE_API std::array<Tensor, 2> two(const TensorList& xs, const Scalar& axis = int64_t{0});",
        ),
        (
            "full(IntArray@operand shape={1, 2}, DType dtype=float32, Place place={}) -> (Tensor out)",
            "PADDLE_API Tensor full(const Shape& shape = {1, 2}, DType dtype = DType::kFloat32, Place place = default_place());",
        ),
        ('default(str mode="a,b") -> (Tensor out)', 'PADDLE_API Tensor default_(std::string_view mode = "a,b");'),
        ("f(float v=1) -> (Tensor out)", "PADDLE_API Tensor f(double v = 1.0);"),
    ],
)
def test_a_schema_becomes_a_typed_declaration(schema, expected):
    assert declared(schema) == expected


@pytest.mark.parametrize(
    "schema, message",
    [
        ("f(Tensor x)", "the form is"),
        ("f(Tensr x) -> (Tensor out)", "known types are"),
        ("f(Tensor) -> (Tensor out)", "cannot read argument"),
        ("f(Tensor x) -> ()", "has no result"),
        ("f(Tensor x) -> (int out)", "results are tensors"),
        ("f(Tensor x) -> (Tensor a, Tensor[] b)", "must be the only result"),
        ("f(DType d=float31) -> (Tensor out)", "known are"),
    ],
)
def test_a_malformed_schema_is_refused_with_the_rule(schema, message):
    with pytest.raises(g.SchemaError, match=message):
        g.declaration(g.parse_schema(schema))


def test_a_definition_packs_the_arguments_in_schema_order():
    text = g.definition(g.parse_schema("f(Tensor x, bool flag, float[] w) -> (Tensor a, Tensor b)"))
    assert "{Slot::of(x), Slot::of_bool(flag), Slot::of_floats(w.data(), w.size())}" in text
    assert "return {std::move(op_outs[0]), std::move(op_outs[1])};" in text


def make_tree(root):
    family = root / "phi_kernels" / "ops" / "norm"
    cpu = root / "phi_kernels" / "cpu"
    family.mkdir(parents=True)
    cpu.mkdir(parents=True)
    (family / "b.cc").write_text(
        "namespace paddle {\nnamespace {\nvoid register_hidden(Registry& r) {\n}\n}  // namespace\n"
        'void register_b(Registry& r) {\n  // r.op("x").schema("x() -> (Tensor out)")\n'
        '  r.op("n").schema("n(Tensor x, "\n    "int k=2) -> (Tensor out)");\n}\n}  // namespace paddle\n'
    )
    (family / "a.cc").write_text(
        "namespace paddle::ops {\nvoid register_a(Registry& registry) {\n}\n}  // namespace paddle::ops\n"
    )
    (cpu / "b.cc").write_text("namespace paddle {\nvoid register_b_cpu(Registry&) {\n}\n}  // namespace paddle\n")
    return root


def test_register_functions_are_called_in_sorted_order_definitions_first(tmp_path):
    text = g.generate(make_tree(tmp_path))["register_all.cc"]
    calls = [line.strip() for line in text.splitlines() if line.strip().startswith("::")]
    assert calls == [
        "::paddle::ops::register_a(registry);",
        "::paddle::register_b(registry);",
        "::paddle::register_b_cpu(registry);",
    ]
    assert "hidden" not in text


def test_adjacent_literals_are_one_schema_and_comments_are_skipped(tmp_path):
    header = g.generate(make_tree(tmp_path))["phi_kernels/ops/norm.h"]
    assert "PADDLE_API Tensor n(const Tensor& x, int64_t k = 2);" in header
    assert "x()" not in header


def test_one_operator_defined_twice_is_refused(tmp_path):
    make_tree(tmp_path)
    (tmp_path / "phi_kernels/ops/norm/c.cc").write_text('.schema("n(Tensor x) -> (Tensor out)")')
    with pytest.raises(g.SchemaError, match="defined in .*b.cc and again in .*c.cc"):
        g.generate(tmp_path)


def test_an_unchanged_file_is_not_rewritten(tmp_path):
    path = tmp_path / "sub" / "a.h"
    assert g.write_if_changed(path, "text")
    before = path.stat().st_mtime_ns
    assert not g.write_if_changed(path, "text")
    assert path.stat().st_mtime_ns == before
    assert g.write_if_changed(path, "other")
