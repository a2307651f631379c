# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Reads of state: of tensors whose elements the captured program writes, such as counters of layers.

Where Python reads such a tensor, the program reads what it holds when it runs. The elements of other tensors are
constants of the capture."""

from .... import _core
from ..context import active


class ReadBeforeWrite(Exception):
    """The capture read `tensors` as constants, and wrote them later."""

    def __init__(self, tensors):
        super().__init__()
        self.tensors = tensors


def begin_state_reads(written):
    """Begins a capture of which an earlier attempt showed that it writes these tensors."""
    active.written_state, active.read_state = written, []


def check_state_reads(capture):
    """Raises ReadBeforeWrite when a tensor that was read as a constant was written later."""
    wrong = [t for t in active.read_state if capture.writes(t)]
    active.written_state, active.read_state = (), []
    if wrong:
        raise ReadBeforeWrite(wrong)


def current_value(value):
    """The value whose truth or number Python asks for, as the program has it: of a tensor that the program writes, a
    tensor of the capture; other values are given back, and it is remembered that they were read."""
    capture = getattr(active, "capture", None)
    if capture is None or not isinstance(value, _core.Tensor) or _core.pir.is_symbolic(value):
        return value
    if capture.writes(value) or any(t is value for t in getattr(active, "written_state", ())):
        return _core.ops.assign(value.detach())
    if getattr(active, "read_state", None) is not None:
        active.read_state.append(value)
    return value
