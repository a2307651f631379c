# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What operators of PaddlePaddle 2 take and give: the lines of `operators.txt`."""

import functools
import os


class Slot:
    """An input or an output: `X` one tensor, `X*` a list, `X?` may be absent, `X~` is no result that is looked at."""

    def __init__(self, text):
        self.name = text.rstrip("*?~")
        self.duplicable, self.dispensable, self.intermediate = (mark in text for mark in "*?~")


class Description:
    """An operator: its inputs, attributes and outputs, and in which order its function takes them.

    A line reads `name: inputs; attributes; outputs`, and `| inputs; attributes; outputs` where the order is another. An
    attribute is `name:type`; in the order, `StartsTensor/starts` is an attribute that an input may stand for.
    """

    def __init__(self, line):
        self.name, _, rest = line.partition(": ")
        slots, _, order = rest.partition("|")
        inputs, attributes, outputs = (part.split() for part in slots.split(";"))
        self.inputs, self.outputs = [Slot(s) for s in inputs], [Slot(s) for s in outputs]
        self.attributes = dict(a.split(":") for a in attributes)
        if order:
            self.order = [part.split() for part in order.split(";")]
        else:
            self.order = [[s.name for s in self.inputs], list(self.attributes), [s.name for s in self.outputs]]


@functools.cache
def _lines():
    path = os.path.join(os.path.dirname(__file__), "operators.txt")
    with open(path, encoding="utf-8") as file:
        return {line.partition(":")[0]: line.rstrip("\n") for line in file if line[0] != "#"}


@functools.cache
def description_of(type):
    """The Description of an operator of PaddlePaddle 2 that paddle runs; None when there is none of that name."""
    line = _lines().get(type)
    return None if line is None else Description(line)


def described_operators():
    """The names of the operators of PaddlePaddle 2 that paddle runs."""
    return list(_lines())


def kernel_signature(type, inputs, outputs, attrs):
    """The arguments of an operator's function in its order: names of inputs, of attributes, of outputs.

    Args:
        type: The old name.
        inputs: Tensors by slot: an attribute for which an input stands goes by the name of the input.
        outputs: Tensors by slot.
        attrs: Attributes by name.

    Raises:
        RuntimeError: There is no such operator.
    """
    known = description_of(type)
    if known is None:
        raise RuntimeError(f"operator {type} has no kernel signature in paddle.")
    first, second, third = known.order
    if type == "split" and attrs.get("num"):
        second = ["num", *second[1:]]
    chosen = []
    for name in second:
        *stand_ins, attribute = name.split("/")
        chosen.append(next((s for s in stand_ins if inputs.get(s)), attribute))
    return list(first), chosen, list(third)
