# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What a captured function is for those who look into it: its program, inputs, outputs, parameters."""

import weakref

from ..tensor.typed import Size
from . import tree
from .entry import may_die
from .spec import InputSpec


class ProgramInput(InputSpec):
    """An input of a captured function; its shape reads as that of a variable."""

    def __init__(self, spec):
        super().__init__(spec.shape, spec.dtype, spec.name, spec.stop_gradient)
        self.shape = Size(self.shape)


class OutputSpec(InputSpec):
    """Shape and dtype of a result; `jit.save` takes a list of them as `output_spec`.

    Args:
        index: Its place among the tensors of the results.
        shape: Extents; -1 is dynamic.
        dtype: Data type.
    """

    def __init__(self, index, shape, dtype):
        super().__init__(shape, dtype, f"output_{index}", True)
        self.index = index


class ConcreteProgram:
    """One capture of a function.

    Attributes:
        specs: ProgramInput of each tensor that is given.
        arguments: The structure of the arguments.
        outputs: OutputSpec of each tensor of the results.
        structure: Structure of the results, tensors numbered.
        parameters: Parameters and buffers that the program reads.
        startup_program: None: parameters have their values when they are made.
    """

    def __init__(self, function, entry, specs, arguments, owner=None):
        # That of a method is not bound: its owner may go before the program.
        self._function = function if owner is None else getattr(function, "__func__", function)
        self.specs = [ProgramInput(s) for s in specs]
        self.arguments = arguments
        self._owner = None if owner is None else weakref.ref(owner) if may_die(owner) else lambda: owner
        self.outputs = [OutputSpec(i, *t) for i, t in enumerate(entry.executable.output_types)]
        self.structure = entry.structure
        self.parameters = [t for t in entry.executable.captured if t is not None]
        self._entry = entry
        self.startup_program = None

    @property
    def function(self):
        """The function that was captured, that of a method bound to its owner."""
        return self._function if self._owner is None else self._function.__get__(self._owner())

    @property
    def inputs(self):
        """The arguments, the owner of a method first, with a ProgramInput for each tensor."""
        args, kwargs = tree.unflatten(self.arguments, self.specs)
        return [*([] if self._owner is None else [self._owner()]), *args, *kwargs.values()]

    @property
    def main_program(self):
        """The program, to be read."""
        return self._entry.program


class ProgramCache:
    """The programs that one function was captured as, oldest first."""

    def __init__(self):
        self.by_key = {}
        self._programs = []
        self.recent = None  # what served the last call

    def add(self, key, entry, concrete):
        """Notices a capture under the key of its call."""
        self.by_key.setdefault(key, []).append(entry)
        self._programs.append((concrete, entry))
        self.recent = entry

    def find(self, entry):
        """The ConcreteProgram of an entry."""
        return next(c for c, e in self._programs if e is entry)

    def concrete_programs(self):
        """Every ConcreteProgram."""
        return [concrete for concrete, _ in self._programs]

    def last(self):
        """(key, (ConcreteProgram, what runs it)) of the last call or capture."""
        if not self._programs:
            raise ValueError("ProgramCache.last: the function was not captured yet; call it first.")
        concrete, entry = next(p for p in self._programs if p[1] is self.recent)
        key = next(k for k, entries in self.by_key.items() if entry in entries)
        return key, (concrete, entry)

    def why_anew(self, key, specs):
        """What keeps the known programs from serving a call with this key and these InputSpecs."""
        if not self.by_key:
            return "first call"
        known = self.by_key.get(key)
        if known:
            sizes = [
                f"input {i} has shape {list(s.shape)}, it had {list(b)}"
                for i, (s, b) in enumerate(zip(specs, known[-1].shapes, strict=True))
                if s.shape != tuple(b)
            ]
            return "; ".join(sizes) or "a guard does not hold"
        last = next(reversed(self.by_key))
        for position, part in enumerate(
            (
                "Python arguments",
                "dtype, rank or stop_gradient of an input",
                "attributes, globals, training or AMP state",
            )
        ):
            if key[position] != last[position]:
                return f"{part} changed"
        return "another signature"

    def values(self):
        """What runs the programs, in a list for each signature."""
        return self.by_key.values()

    def __len__(self):
        return len(self._programs)

    def __iter__(self):
        return iter(self.by_key)
