# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Tensors with values that the captured program writes, such as counters of layers: where Python reads them, the program
reads what they are when it runs. Values of other tensors are constants of the capture."""

from .... import _core
from ..context import active


class ReadBeforeWrite(Exception):
    """The capture took the values of `tensors` for constants, and wrote them later."""

    def __init__(self, tensors):
        super().__init__()
        self.tensors = tensors


def begin_state_reads(written):
    """A capture begins that writes these tensors."""
    active.written, active.read = written, []


def check_state_reads(capture):
    """Raises ReadBeforeWrite when what Python read as a constant was written later."""
    wrong = [t for t in active.read if capture.writes(t)]
    active.written, active.read = (), []
    if wrong:
        raise ReadBeforeWrite(wrong)


def current_value(value):
    """What stands in the place of a value whose truth or number Python asks for: for a tensor that the program writes a
    tensor of the capture, for everything else the value. It is remembered that Python asked."""
    capture = getattr(active, "capture", None)
    if capture is None or not isinstance(value, _core.Tensor) or _core.pir.is_symbolic(value):
        return value
    if capture.writes(value) or any(t is value for t in getattr(active, "written", ())):
        return _core.ops.assign(value.detach())
    if getattr(active, "read", None) is not None:
        active.read.append(value)
    return value
