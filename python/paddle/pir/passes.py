# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`PassManager`: changes of programs by the names of passes."""

from .. import _core
from ..static.program import Program


def _remove_unused(program):
    return program._recording.remove_unused()


def _when_compiled(program):
    """Nothing now: the Executor does it to what it compiles of every program."""
    return 0


# PaddlePaddle's name of a pass -> ours.
_NAMES = {
    "common_subexpression_elimination_pass": "cse",
    "constant_folding_pass": "fold",
    "dead_code_elimination_pass": "dce",
    "delete_assign_op_pass": "simplify",
    "fused_gemm_epilogue_pass": "fuse_linear",
    "identity_op_clean_pass": "simplify",
    "inplace_pass": None,  # the interpreter plans memory
}


def _function_of(name):
    own = _NAMES.get(name, name)
    if own == "dce":
        return _remove_unused
    if own is None or own in _core.pir.pipeline("captured"):
        return _when_compiled
    return None


class PassManager:
    """Passes to run over a program, in order.

    `dead_code_elimination_pass` changes the program. What the other passes do (`cse`, `fold`, `simplify`,
    `fuse_linear`, also by PaddlePaddle's names) is done to every program when it is compiled for a run.

    Args:
        opt_level: Kept for programs that give one.

    Example:
        >>> import paddle
        >>> paddle.enable_static()
        >>> program = paddle.static.Program()
        >>> with paddle.static.program_guard(program):
        ...     x = paddle.static.data("x", [2])
        ...     unused = paddle.tanh(x)
        >>> manager = paddle.pir.PassManager()
        >>> manager.add_pass("dead_code_elimination_pass", {})
        >>> manager.run(program)
        >>> [op.name() for op in program.global_block().ops]
        ['pd_op.data']
        >>> paddle.disable_static()
    """

    def __init__(self, opt_level=2):
        self._opt_level, self._names = opt_level, []
        self._prints_statistics = False

    def add_pass(self, name, attrs=None):
        """Add a pass behind the others.

        Args:
            name: Its name.
            attrs: Settings of it; those that run here have none.

        Raises:
            ValueError: Paddle has no such pass.
        """
        if _function_of(name) is None:
            known = sorted({*_NAMES, *_core.pir.pipeline("captured")})
            raise ValueError(f"PassManager: pass {name!r} is unknown; known are {', '.join(known)}.")
        self._names.append(name)

    def passes(self):
        """Names of the passes."""
        return list(self._names)

    def empty(self):
        """Whether there is none."""
        return not self._names

    def clear(self):
        """Take all passes out."""
        self._names = []

    def enable_print_statistics(self):
        """Print how much each pass changes."""
        self._prints_statistics = True

    def run(self, program):
        """Run the passes over a program.

        Args:
            program: The Program.

        Raises:
            TypeError: `program` is none.
        """
        if not isinstance(program, Program):
            raise TypeError(f"PassManager.run: program has type {type(program).__name__}; it must be a Program.")
        for name in self._names:
            changes = _function_of(name)(program)
            if self._prints_statistics:
                print(f"{name}: {changes} changes")
        program._forget_compiled()


def append_shadow_output(program, value, name, start_point):
    """Name a value of a program, so that passes keep it.

    Args:
        program: The Program.
        value: A variable of it.
        name: The name.
        start_point: Position among the operators at which `builtin.shadow_output` stands.

    Returns:
        1: how many operators were added.
    """
    ops = program.global_block().ops
    before = ops[start_point].id() if start_point < len(ops) else 0
    program._recording.name_output(value, name, before)
    program._forget_compiled()
    return 1


def append_shadow_outputs(program, values, start_point, name_prefix):
    """`append_shadow_output` of several values, named by a prefix and their number.

    Returns:
        How many operators were added.
    """
    for i, value in enumerate(values):
        append_shadow_output(program, value, f"{name_prefix}{i}", start_point + i)
    return len(values)
