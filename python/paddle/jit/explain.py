# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`explain`: what capture makes of one call of a function."""

import os

from .groups import lines_of


class Explanation:
    """The segments of one call, its result, and the same as text.

    Attributes:
        pays: Whether later calls are recorded; else they run at once.
        result: What the function returned.
        segments: One report per segment: `calls`, `inputs`, `results`, `writes`, `why` and `where` it
            ended, `how` it ran, `anew` (why no earlier program served), `guards`, `decisions` (of the
            compiler, on operations that are in no larger group).
        groups: What the compiler made kernels of: a list of `paddle.jit.groups.Group`, whose attributes say
            why operators were fused, what is computed again, which kernel ran and how fast, and give the
            code of the kernels.
    """

    def __init__(self, name, result, segments, programs=(), pays=True, groups=()):
        self.name, self.result, self.segments, self.programs = name, result, segments, programs
        self.pays = pays
        self._groups_of = list(groups)  # by segment
        self.groups = [group for of_segment in self._groups_of for group in of_segment]

    def __str__(self):
        if self.programs:
            return "\n".join([f"explain: {self.name} runs as a captured program", *self.programs])
        cuts = max(len(self.segments) - 1, 0)
        lines = [f"explain: {self.name} ran in {_count(len(self.segments), 'segment')}, {_count(cuts, 'cut')}"]
        for number, segment in enumerate(self.segments, 1):
            lines.extend(_segment_lines(number, segment, self._groups_of[number - 1]))
        if not self.pays:
            lines.append("later calls run at once: the programs are not enough shorter than their calls to record them")
        return "\n".join(lines)

    __repr__ = __str__


def _count(n, noun):
    return f"{n} {noun}" + ("" if n == 1 else "s")


def _place(where):
    file, _, line = where.rpartition(":")
    return f"{os.path.relpath(file) if os.path.exists(file) else file}:{line}" if file else where


def _names(calls):
    """Names of operators in order, repeated ones counted."""
    parts = []
    for name in calls:
        if parts and parts[-1][0] == name:
            parts[-1][1] += 1
        else:
            parts.append([name, 1])
    return ", ".join(name if n == 1 else f"{name} x{n}" for name, n in parts)


def _segment_lines(number, s, groups):
    sizes = f"{_count(s.inputs, 'input')}, {_count(s.results, 'result')}, {_count(s.writes, 'write')}"
    yield f"segment {number}: {_count(len(s.calls), 'call')}, {sizes}"
    yield f"  calls: {_names(s.calls)}"
    program = f", a program of {_count(s.program_operations, 'operation')}" if s.program_operations else ""
    yield f"  ran: {s.how}{program}"
    if s.anew:
        yield f"  captured anew: {s.anew}"
    for guard in s.guards:
        yield f"  guard: {guard}"
    for group in groups:
        for line in lines_of(group):
            yield f"  {line}"
    for line in s.decisions.splitlines():
        yield f"  {line}"
    where = f" at {_place(s.where)}" if s.where and s.why != "the function returns" else ""
    yield f"  ended{where}: {s.why}"


def explain(function, bandwidth=False):
    """What capture, and the fusion compiler where it is on, make of one call of a function.

    Args:
        function: A function, method, layer, or what `to_static` made of one. One that is not captured
            yet is run in segments (`full_graph=False`).
        bandwidth: Whether the kernels are compiled at once and run some more times, to say how fast they are
            and what that is of the rate at which this machine copies memory. That rate is the best of five
            copies of 128 MiB on all threads, read and written bytes counted, measured once in a process.

    Returns:
        A callable; called with the arguments of the function it runs it, prints the segments - each
        with what ended it, the line of that, its guards, and why it was captured anew - and returns
        them as an `Explanation`.

    Example:
        >>> import paddle
        >>> def step(x):
        ...     y = paddle.tanh(x)
        ...     if y.sum() > 0:
        ...         y = y * 2
        ...     return y
        >>> report = paddle.jit.explain(step)(paddle.ones([2]))  # doctest: +ELLIPSIS
        explain: step ran in 2 segments, 1 cut
        ...
    """
    from .api import to_static
    from .static_function import StaticFunction

    static = function
    if not isinstance(function, StaticFunction):
        forward = getattr(function, "forward", None)
        if isinstance(forward, StaticFunction):
            static = forward
        elif hasattr(function, "sublayers") and not isinstance(function, type):
            static = StaticFunction(type(function).forward, None, function, False)
            static.caller = function  # hooks of the layer run too
        else:
            static = to_static(function, full_graph=False)

    def explained(*args, **kwargs):
        explanation = static.explain_call(args, kwargs, bool(bandwidth))
        print(explanation)
        return explanation

    return explained
