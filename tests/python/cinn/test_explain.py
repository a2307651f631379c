# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What `explain` says of groups, checked against what is known of the program."""

import paddle
import pytest
from paddle.jit import to_static


def softmax(x):
    e = paddle.exp(x - x.max(-1, keepdim=True))
    return e / e.sum(-1, keepdim=True)


def explained(function, *arguments, full_graph=True, bandwidth=False, **options):
    compiled = to_static(function, backend="CINN", full_graph=full_graph, **options)
    with paddle.no_grad():
        return paddle.jit.explain(compiled, bandwidth=bandwidth)(*arguments)


def test_a_group_tells_its_operators_and_why_they_are_fused(at_once):
    (group,) = explained(softmax, paddle.rand([64, 512])).groups
    assert group.operators == ["max", "subtract", "exp", "sum", "divide"]
    assert len(group.edges) == 5
    assert all(edge.fused for edge in group.edges)
    (edge,) = [e for e in group.edges if (e.source, e.target) == ("pd_op.exp", "pd_op.sum")]
    assert edge.why == "both run over 32768 elements"
    (edge,) = [e for e in group.edges if (e.source, e.target) == ("pd_op.max", "pd_op.subtract")]
    assert "64 of 32768 elements" not in edge.why  # it is the subtraction that decides


def test_edges_to_what_is_outside_say_why(at_once):
    def f(x, m):
        y = paddle.exp(paddle.matmul(x, m)) * 2
        return paddle.matmul(y, m), y.sum(0) + 1

    report = explained(f, paddle.rand([32, 32]), paddle.rand([32, 32]))
    apart = [(e.source, e.target, e.reads, e.other_group) for g in report.groups for e in g.edges if not e.fused]
    assert ("pd_op.matmul", "pd_op.exp", True, None) in apart
    assert ("pd_op.multiply", "pd_op.matmul", False, None) in apart
    assert all("matmul" in e.why for g in report.groups for e in g.edges if not e.fused)


def test_neighbouring_groups_name_each_other(at_once):
    def f(x):
        y = paddle.exp(x) * 2
        z = paddle.concat([y, y, y])
        return paddle.sort(y), paddle.tanh(z) + paddle.sin(z)

    first, second = explained(f, paddle.rand([16, 8])).groups
    across = [(g, e) for g in (first, second) for e in g.edges if e.other_group is not None]
    assert {(g.number, e.other_group, e.reads) for g, e in across} == {(0, 1, False), (1, 0, True)}
    assert all(e.why == "it runs over 384 elements and the group over 128" for _, e in across)


def test_values_that_cost_much_are_kept_and_others_computed_again(at_once):
    (group,) = explained(softmax, paddle.rand([64, 512])).groups
    (kernel,) = group.kernels
    by_value = {v.value: v for v in kernel.values}
    assert by_value["max"].how == "register"
    assert by_value["exp"].how == "row memory"
    assert by_value["exp"].cost > by_value["exp"].load_cost > 0

    def variance(x):
        d = x * 3 - x.mean(-1, keepdim=True)
        return d * paddle.rsqrt((d * d).mean(-1, keepdim=True) + 1e-5)

    (group,) = explained(variance, paddle.rand([64, 512])).groups
    again = [v for v in group.kernels[0].values if v.how == "computed again"]
    assert again
    assert all(0 < v.cost < v.load_cost for v in again)


@pytest.mark.parametrize(
    ("shape", "variant", "why"),
    [
        ([64, 512], "rows", "64 rows of 512"),
        ([2, 200000], "few rows", "2 rows of 200000"),
        ([256, 4], "short rows", "4"),
    ],
)
def test_the_variant_and_the_sizes_that_chose_it(at_once, shape, variant, why):
    (group,) = explained(softmax, paddle.rand(shape)).groups
    (kernel,) = group.kernels
    assert kernel.variant == variant
    assert why in kernel.why_variant
    assert f"n0 = {max(shape)}" in kernel.sizes or f"n1 = {max(shape)}" in kernel.sizes
    assert kernel.state == "ready"
    assert kernel.made in ("compiled", "disk")
    assert group.ran_compiled


def test_bytes_are_counted(at_once):
    x = paddle.rand([64, 512])
    (group,) = explained(lambda x: paddle.exp(x) * 2 + 1, x).groups
    assert group.bytes_moved == group.bytes_least == 2 * 4 * 64 * 512
    # Rows that stay in the cache are read once for all passes; huge ones once for each.
    (group,) = explained(softmax, x).groups
    assert group.bytes_moved == group.bytes_least == 2 * 4 * 64 * 512
    n = 100000
    (group,) = explained(softmax, paddle.rand([16, n])).groups
    assert group.kernels[0].variant == "long rows"
    assert group.bytes_least == 2 * 4 * 16 * n
    assert group.bytes_moved == 4 * 4 * 16 * n


def test_a_kernel_that_is_not_made_yet_says_so():
    before = paddle.get_flags(["FLAGS_cinn_swap_call"])
    paddle.set_flags({"FLAGS_cinn_swap_call": 1000})
    try:
        (group,) = explained(lambda x: paddle.exp(x) * 2.125 + 1, paddle.rand([8, 8])).groups
    finally:
        paddle.set_flags(before)
    assert not group.ran_compiled
    assert "later call" in group.why_uncompiled
    assert group.call_ms is None


def test_bandwidth_is_measured_on_request(at_once):
    x = paddle.rand([64, 512])
    (plain,) = explained(softmax, x).groups
    assert plain.best_ms is None
    (group,) = explained(softmax, x, bandwidth=True).groups
    assert group.best_ms > 0
    rate = group.bytes_moved / (group.best_ms * 1e-3)
    assert group.copy_percent == pytest.approx(100 * rate / paddle._core.pir.copy_rate())
    assert paddle._core.pir.copy_rate() == paddle._core.pir.copy_rate()


def test_measuring_leaves_state_as_one_call_makes_it(at_once):
    def step(model, optimizer, x):
        model(x).sum().backward()
        optimizer.step()
        optimizer.clear_grad()

    def trained(run):
        paddle.seed(3)
        model = paddle.nn.Linear(4, 4)
        optimizer = paddle.optimizer.Adam(0.1, parameters=model.parameters())
        compiled = to_static(lambda x: step(model, optimizer, x), backend="CINN", full_graph=True)
        x = paddle.ones([2, 4])
        for _ in range(3):
            run(compiled, x)
        return [p.numpy().tolist() for p in model.parameters()]

    plain = trained(lambda f, x: f(x))
    measured = trained(lambda f, x: paddle.jit.explain(f, bandwidth=True)(x))
    assert plain == measured


def test_code_on_demand(at_once):
    (group,) = explained(softmax, paddle.rand([64, 512])).groups
    assert "max=" in group.loops
    assert "vector." in group.mlir
    assert "llvm." in group.lowered
    assert "define" in group.llvm
    assert "ret" in group.assembly
    assert "reduce" in group.form
    assert set(group.code[0]) == {"form", "loops", "mlir", "lowered", "llvm", "assembly"}


def test_the_text_of_a_group_is_short(at_once):
    def f(x, w):
        for _ in range(6):
            x = paddle.nn.functional.layer_norm(softmax(x), [64], w)
        return x

    report = explained(f, paddle.rand([32, 64]), paddle.rand([64]), bandwidth=True)
    from paddle.jit.groups import lines_of

    assert all(len(list(lines_of(group))) <= 8 for group in report.groups)
    assert all(line in str(report) for group in report.groups for line in lines_of(group))


def test_records_are_plain(at_once):
    import json

    (group,) = explained(softmax, paddle.rand([8, 32])).groups
    assert json.loads(json.dumps(group.as_dict()))["kernels"][0]["variant"] == "rows"


def test_groups_of_segments(at_once):
    def f(x):
        y = softmax(x)
        if y.sum() > 0:
            y = paddle.tanh(y) * 3
        return y

    x = paddle.rand([16, 32])
    compiled = to_static(f, backend="CINN", full_graph=False)
    with paddle.no_grad():
        for _ in range(3):
            compiled(x)
        report = paddle.jit.explain(compiled)(x)
    assert len(report.segments) == 2
    assert any("exp" in g.operators for g in report.groups)
    assert any("tanh" in g.operators for g in report.groups)
