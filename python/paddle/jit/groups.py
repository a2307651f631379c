# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What the fusion compiler made of a group of operators, as records and as text."""

from .. import _core


class Record:
    """A record with plain attributes; `as_dict()` gives them, those of inner records included."""

    def __init__(self, **attributes):
        self.__dict__.update(attributes)

    def as_dict(self):
        return {name: _plain(value) for name, value in vars(self).items() if not name.startswith("_")}

    def __repr__(self):
        inner = ", ".join(f"{name}={value!r}" for name, value in self.as_dict().items())
        return f"{type(self).__name__}({inner})"


def _plain(value):
    if isinstance(value, Record):
        return value.as_dict()
    return [_plain(v) for v in value] if isinstance(value, list) else value


class GroupEdge(Record):
    """An operator that reads what another one made, at least one of them in the group.

    Attributes:
        source, target: Names of the operators.
        fused: Whether both are in the group.
        reads: Of an edge that is not fused: whether the operator in the group is `target`.
        other_group: Of an edge that is not fused: the number of the group of the other one, or None.
        why: Why it was fused, or was not.
    """


class GroupValue(Record):
    """A value of a group that is needed more than once.

    Attributes:
        value: The operator that makes it.
        how: "register", "row memory", "stored", or "computed again".
        cost: Of computing it again, an addition counting 1; 0: it is not to be had that way.
        load_cost: Of keeping it and reading it instead.
        why: The reason in words.
    """


class GroupKernel(Record):
    """A kernel of a group; what a group computes of nothing in common has kernels of its own.

    Attributes:
        count: How many equal ones the group has.
        sizes: Extents in the last call, as in "n0 = 64".
        variant, why_variant: The class of sizes that the call chose, and why.
        state: "ready", "waiting" to be compiled, "failed" (then `problem` says why), or "unknown" where
            the call did not reach the group.
        made: "compiled" or "disk", once it is ready; `compile_ms` is how long that took.
        stages: Of loops that run one after the other.
        values: A list of `GroupValue`.
        bytes_moved: What the stages read from memory and write to it.
        bytes_least: What the inputs that are read and the results hold, once each.
    """


class Trial(Record):
    """A way to run a group that FLAGS_cinn_autotune timed: `name`, `ms` (None: not yet), `chosen`."""


class Group(Record):
    """A group of operators in the explained call.

    Attributes:
        number, name, operators: Which it is.
        edges: A list of `GroupEdge`.
        kernels: A list of `GroupKernel`.
        updated_inputs: How many inputs it overwrites in place.
        calls: How often it was called in the explained call; `ran_compiled`: whether it ran compiled the last
            time, else `why_uncompiled` says why not.
        call_ms: How long that took, None where it did not run compiled.
        best_ms: The shortest of several runs on the same inputs, with `explain(f, bandwidth=True)`.
        copy_percent: What of the machine's copy rate the kernels moved in that time, where `bytes_moved` is
            counted for all of them. More than 100 means that the caches hold what is read.
        trials: A list of `Trial`; `trials_from_disk`: whether an earlier process made them.
        code: The text of one form, or compiled, on demand: a dict by kernel with "form", "loops", "mlir",
            "lowered", "llvm" and "assembly". `loops`, `mlir`, `llvm` and `assembly` give one of them.
    """

    @property
    def code(self):
        if self._code is None:
            self._code = self._source.code()
        return self._code

    def _text(self, name):
        return "\n".join(dict.fromkeys(code[name] for code in self.code))

    @property
    def form(self):
        return self._text("form")

    @property
    def loops(self):
        return self._text("loops")

    @property
    def mlir(self):
        return self._text("mlir")

    @property
    def lowered(self):
        return self._text("lowered")

    @property
    def llvm(self):
        return self._text("llvm")

    @property
    def assembly(self):
        return self._text("assembly")

    @property
    def bytes_moved(self):
        return sum(k.count * k.bytes_moved for k in self.kernels)

    @property
    def bytes_least(self):
        return sum(k.count * k.bytes_least for k in self.kernels)

    @property
    def dropped(self):
        """Whether FLAGS_cinn_autotune found it faster uncompiled."""
        return any(t.chosen and t.name == "uncompiled" for t in self.trials)


def records_of(reported, bandwidth):
    """`Group` records of the groups of a program after a call that was watched; none if it ran another program."""
    records = []
    for source in reported:
        r = source.report(bandwidth)
        edges = [GroupEdge(source=e.pop("from"), target=e.pop("to"), **e) for e in r.pop("edges")]
        kernels = [GroupKernel(**{**p, "values": [GroupValue(**v) for v in p["values"]]}) for p in r.pop("parts")]
        trials = [Trial(**t) for t in r.pop("trials")]
        group = Group(_source=source, _code=None, edges=edges, kernels=kernels, trials=trials, copy_percent=None, **r)
        if group.best_ms:
            rate = group.bytes_moved / (group.best_ms * 1e-3)
            group.copy_percent = 100 * rate / _core.pir.copy_rate()
        records.append(group)
    return records if any(group.calls for group in records) else []


# -- as text ---------------------------------------------------------------------------------------
def _short(name):
    return name.removeprefix("pd_op.")


def _counted(items):
    """Items in order, repeated ones once with their number."""
    counts = {}
    for item in items:
        counts[item] = counts.get(item, 0) + 1
    return [item if n == 1 else f"{item} (x{n})" for item, n in counts.items()]


def _some(items, most):
    rest = len(items) - most
    return "; ".join(items[:most]) + (f"; and {rest} more" if rest > 0 else "")


def _bytes(n):
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if n >= size:
            return f"{n / size:.3g} {unit}"
    return f"{n} B"


def _kernel_lines(kernels):
    """A line for each kernel; parts that share one, for whatever sizes, have one line."""
    alike = {}
    for kernel in kernels:
        alike.setdefault((kernel.variant, kernel.state, kernel.problem, kernel.compile_ms), []).append(kernel)
    return [_kernel_line(same[0], sum(k.count for k in same)) for same in alike.values()]


def _kernel_line(kernel, count):
    many = f" ({count} parts)" if count > 1 else ""
    stages = f", {kernel.stages} stage" + ("" if kernel.stages == 1 else "s")
    made = {
        "waiting": "not compiled yet",
        "failed": f"runs operator by operator: {kernel.problem}",
        "ready": f"{'loaded' if kernel.made == 'disk' else 'compiled'} in {kernel.compile_ms or 0:.1f} ms{stages}",
    }[kernel.state]
    return f"  {kernel.variant}: {made}{many}; {kernel.why_variant}"


def lines_of(group):
    """A group as at most about eight lines."""
    parts = sum(k.count for k in group.kernels)
    beside = f", {parts} parts side by side" if parts > 1 else ""
    in_place = f", writes {group.updated_inputs} of its inputs in place" if group.updated_inputs else ""
    yield f"group {group.name}{beside}{in_place}"
    fused = _counted([f"{_short(e.source)} -> {_short(e.target)}" for e in group.edges if e.fused])
    if fused:
        yield f"  fused: {_some(fused, 3)}"
    apart = _counted([f"{_short(e.source)} -> {_short(e.target)}: {e.why}" for e in group.edges if not e.fused])
    if apart:
        yield f"  not fused: {_some(apart, 2)}"
    known = [k for k in group.kernels if k.state != "unknown"]
    lines = _kernel_lines(known)
    yield from lines[:2]
    if len(lines) > 2:
        yield f"  and {len(lines) - 2} other kernels"
    values = _counted([f"{_short(v.value)} {_how(v)}" for k in known for v in k.values])
    if values:
        yield f"  values: {_some(values, 4)}"
    if known:
        yield f"  {_moved(group)}"
    if group.trials:
        yield f"  {_trials(group)}"


def _how(value):
    how = {"register": "in a register", "row memory": "in row memory", "stored": "stored"}.get(value.how, value.how)
    return f"{how} ({value.cost} against {value.load_cost})" if value.cost and value.load_cost else how


def _moved(group):
    text = f"moves {_bytes(group.bytes_moved)}, at least {_bytes(group.bytes_least)}"
    if group.best_ms:
        text += f"; {group.best_ms:.3g} ms, {group.copy_percent:.0f} % of the copy rate"
        return text + (" (out of the caches)" if group.copy_percent > 100 else "")
    if group.ran_compiled and group.call_ms:
        return f"{text}; {group.call_ms:.3g} ms in this call"
    return f"{text}; this call ran operator by operator: {group.why_uncompiled}" if group.why_uncompiled else text


def _trials(group):
    times = ", ".join(f"{t.name} {t.ms:.3g} ms" if t.ms else f"{t.name} not timed yet" for t in group.trials)
    chosen = [t.name for t in group.trials if t.chosen]
    source = " by an earlier process" if group.trials_from_disk else ""
    decision = f"stays {chosen[0]}" if chosen else "not decided yet"
    if group.dropped:
        decision = "dropped, as it is faster uncompiled"
    return f"timed{source}: {times}: {decision}"
