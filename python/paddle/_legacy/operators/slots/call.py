# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Operators of PaddlePaddle 2 by their old names, slots and attributes.

They become operators of today as those of a `.pdmodel` file do: a call is a program of one operator, made once for
every kind of input.
"""

from .... import _core
from ....framework.layer_helper import put_result
from ..descriptions import description_of
from . import composites, fused, quantizers, updates  # noqa: F401 - they fill TABLE
from .attributes import canonical_attributes
from .table import TABLE, Call

_programs = {}
_MOST = 4096


def _tensors(value):
    """The tensors of one slot as a list."""
    if value is None:
        return []
    return [t for t in value if t is not None] if isinstance(value, (list, tuple)) else [value]


def is_call(type, inputs):
    """Whether these are the slots of an operator of PaddlePaddle 2."""
    known = description_of(type)
    if known is None:
        return False
    slots = {slot.name for slot in known.inputs}
    return all(name in slots for name in inputs)


def call(type, inputs, outputs, attrs, offsets_of=None):
    """What one operator gives, as {slot: list of tensors}; None stands for one that it does not give.

    Args:
        type: Its name.
        inputs: A tensor or a list of tensors by slot.
        outputs: The number of tensors that are wanted, by slot.
        attrs: Attributes by name.
        offsets_of: Function that gives the offsets of the sequences in the rows of a tensor: int64 vectors, the coarsest
            level first. Then the result has '@LOD' as well: {(slot, position): vectors} of the results that have some.

    Raises:
        NotImplementedError: There is no operator of that name.
        ValueError: A slot or an attribute does not fit the operator.
    """
    description = description_of(type)
    if description is None:
        raise NotImplementedError(f"operator {type}: paddle has none of that name.")
    given = [(slot.name, _tensors(inputs.get(slot.name))) for slot in description.inputs]
    given = [(slot, tensors) for slot, tensors in given if tensors]
    unknown = set(inputs) - {slot.name for slot in description.inputs}
    if unknown:
        raise ValueError(f"operator {type}: there is no input {sorted(unknown)}; it has {_names(description.inputs)}.")
    attributes = canonical_attributes(description, attrs)
    if type in TABLE:
        found = TABLE[type](Call(dict(given), attributes))
        listed = {slot: _tensors(found.get(slot)) for slot in outputs}
        return {slot: (listed[slot] + [None] * count)[:count] for slot, count in outputs.items()}
    levels = {} if offsets_of is None else _offsets(given, offsets_of)
    every = [*(t for _, tensors in given for t in tensors), *levels.values()]
    key = (
        type,
        tuple((slot, len(tensors)) for slot, tensors in given),
        tuple(levels),
        tuple((t.dtype, tuple(t.shape)) for t in every),
        tuple(outputs.items()),
        tuple((name, _fixed(value)) for name, value in sorted(attributes.items())),
    )
    program = _programs.get(key)
    if program is None:
        if len(_programs) >= _MOST:
            _programs.clear()
        program = _programs[key] = _core.pir.operator_as_program(
            type,
            [
                *((slot, [f"{slot}:{i}" for i in range(len(tensors))]) for slot, tensors in given),
                ("@LOD", list(levels)),
            ],
            every,
            [(slot, [f">{slot}:{i}" for i in range(count)]) for slot, count in outputs.items()],
            attributes,
        )
    values = dict(zip(program.output_names, program.run(every), strict=True))
    found = {slot: [values.get(f">{slot}:{i}") for i in range(count)] for slot, count in outputs.items()}
    if offsets_of is not None:
        places = [(slot, i) for slot, count in outputs.items() for i in range(count)]
        found["@LOD"] = {(slot, i): _levels(values, f">{slot}:{i}") for slot, i in places}
    return found


def _offsets(given, offsets_of):
    """The offsets of the tensors of all slots, by the names that the operator knows them by."""
    return {
        f"{slot}:{i}@LOD{level}": vector
        for slot, tensors in given
        for i, tensor in enumerate(tensors)
        for level, vector in enumerate(offsets_of(tensor))
    }


def _levels(values, name):
    """The offsets among the values of an operator that go with one of its results."""
    listed = []
    while (vector := values.get(f"{name}@LOD{len(listed)}")) is not None:
        listed.append(vector)
    return listed


def fill(type, inputs, outputs, attrs, stop_gradient=False):
    """Put what one operator gives into tensors.

    Args:
        type: Its name.
        inputs: A tensor or a list of tensors by slot.
        outputs: A tensor or a list of tensors by slot: they get the values.
        attrs: Attributes by name.
        stop_gradient: Whether to leave the call out of the gradient graph.
    """
    targets = {slot: _tensors(value) for slot, value in outputs.items()}
    results = call(type, inputs, {slot: len(tensors) for slot, tensors in targets.items()}, attrs)
    for slot, tensors in targets.items():
        for target, value in zip(tensors, results[slot], strict=True):
            if value is not None:
                put_result(target, value, type)
                if stop_gradient:
                    target.stop_gradient = True


def _names(slots):
    return [slot.name for slot in slots]


def _fixed(value):
    return tuple(value) if isinstance(value, list) else (value, value.__class__)
