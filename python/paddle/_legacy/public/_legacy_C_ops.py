# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Operators in their old calling form: inputs, then names and values of attributes in turn.

`paddle._legacy_C_ops.argsort(x, 'axis', 0, 'descending', True)` is `paddle._C_ops.argsort(x, axis=0,
descending=True)`. Every operator of `paddle._C_ops` can be called so; results are those of the operator.
"""

from . import _core
from ._legacy.operators.descriptions import description_of
from ._legacy.operators.names import PAIRWISE, form_of_today


def _split(operator, arguments):
    """The inputs and the attributes, by name, of one call."""
    first = next((i for i, value in enumerate(arguments) if isinstance(value, str)), len(arguments))
    names, values = arguments[first::2], arguments[first + 1 :: 2]
    if len(names) != len(values) or not all(isinstance(name, str) for name in names):
        raise TypeError(
            f"{operator}: the arguments after the inputs are {arguments[first:]}; they must be name, value, name, value "
            "..., as 'axis', 0."
        )
    return arguments[:first], dict(zip(names, values, strict=True))


def _old_form(name, call, renamed):
    def operator(*arguments):
        inputs, attributes = _split(name, arguments)
        if renamed is PAIRWISE and attributes.get("axis", -1) != -1:
            x, y = inputs
            inputs = x, y.reshape([*y.shape, *[1] * (x.ndim - attributes["axis"] - y.ndim)])
        renames = ((renamed.get(key, key), value) for key, value in attributes.items())
        return call(*inputs, **{key: value for key, value in renames if key is not None})

    operator.__name__ = operator.__qualname__ = name
    return operator


def _fits_today(record, renamed, arguments):
    """Whether a call is one of the operator of today: by its inputs and the names of attributes."""
    names = [row[0] for row in record["arguments"]]
    kinds = [row[1] for row in record["arguments"] if row[1].startswith("Tensor")]
    first = next((i for i, value in enumerate(arguments) if isinstance(value, str)), len(arguments))
    if first > len(kinds) or any(
        isinstance(key, str) and renamed.get(key, key) not in names for key in arguments[first::2]
    ):
        return False
    return not any(
        isinstance(value, list | tuple) != (kind == "Tensor[]")
        for value, kind in zip(arguments[:first], kinds, strict=False)
    )


def _of_either_form(name, today, record, renamed, described):
    """An operator whose name is known in both versions: the call tells which is meant."""

    def operator(*arguments):
        return (today if _fits_today(record, renamed, arguments) else described)(*arguments)

    operator.__name__ = operator.__qualname__ = name
    return operator


def spectral_norm(weight, u, v, *arguments):
    """A weight divided by its largest singular value; attributes: dim, power_iters, eps."""
    from .nn.layer.norm import divided_by_sigma

    _, attributes = _split("spectral_norm", arguments)
    return divided_by_sigma(weight, u, v, **{"dim": 0, "power_iters": 1, "eps": 1e-12} | attributes)


def _reduction(name, operator):
    def reduce(x, *arguments):
        _, attributes = _split(name, arguments)
        axis = None if attributes.get("reduce_all") else attributes.get("dim", [0])
        return operator(x, axis=axis, keepdim=attributes.get("keep_dim", False))

    reduce.__name__ = reduce.__qualname__ = name
    return reduce


def distribute_fpn_proposals(fpn_rois, rois_num, *arguments):
    """Regions by the level that fits their size: (regions of each level, order to restore, numbers of each level).

    Args:
        fpn_rois: [n, 4].
        rois_num: Regions of each image, int32, or None.
        arguments: The number of levels, twice, then attributes: min_level, max_level, refer_level, refer_scale,
            pixel_offset.
    """
    from .vision import ops as vision_ops

    counts = [value for value in arguments[:2] if not isinstance(value, str)]
    _, attributes = _split("distribute_fpn_proposals", arguments[len(counts) :])
    return vision_ops.distribute_fpn_proposals(fpn_rois, rois_num=rois_num, **attributes)


def _output_counts(description, given):
    """How many tensors each result has: lists by the numbers that are given."""
    lengths = iter(given)
    return {slot.name: next(lengths, 1) if slot.duplicable else 1 for slot in description.outputs}


def _described(name, description):
    """An operator of PaddlePaddle 2: inputs in the order of its description, then the lengths of results that are
    lists, then tensors that take results, then attributes. Results are a tensor, or a tuple where there are several."""
    from ._legacy.operators.slots.call import call
    from .framework.layer_helper import put_result

    def operator(*arguments):
        given, attributes = _split(name, arguments)
        inputs = [value for value in given if not isinstance(value, int)]
        counts = _output_counts(description, [value for value in given if isinstance(value, int)])
        slots = [slot.name for slot in description.inputs]
        targets = inputs[len(slots) :]
        by_slot = {slot: value for slot, value in zip(slots, inputs, strict=False) if value is not None}
        found = call(description.name, by_slot, counts, attributes)
        if targets:
            names = [slot.name for slot in description.outputs if len(targets) == 1 or slot.name.endswith("Out")]
            for slot, target in zip(names, targets, strict=False):
                put_result(target, found[slot][0], name)
        results = [_result(slot, found[slot.name], inputs) for slot in description.outputs]
        if len(results) == 1:
            return results[0]
        return tuple(results)

    operator.__name__ = operator.__qualname__ = name
    operator.__doc__ = f"The operator {name} of PaddlePaddle 2."
    return operator


def _result(slot, found, inputs):
    if slot.duplicable:
        return found
    if found[0] is None and slot.name == "XShape":
        return _core.ops.full([0, *inputs[0].shape], 0, inputs[0].dtype)
    return found[0]


def _in_place(name):
    """The operator of the name without its last letter, written into its first input."""
    operator = globals().get(name[:-1]) or __getattr__(name[:-1])

    def write(x, *arguments):
        old = x if x.stop_gradient else _core.ops.assign(x)
        made = operator(old, *arguments)
        value, *others = made if isinstance(made, tuple) else (made,)
        same = value.shape == x.shape and value.dtype == x.dtype
        (_core.assign_inplace if same else _core.rebind_inplace)(x, value, name)
        return (x, *others) if others else x

    write.__name__ = write.__qualname__ = name
    return write


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    description = description_of(name)
    if description is not None and not hasattr(_core.ops, form_of_today(name)[0]):
        globals()[name] = _described(name, description)
        return globals()[name]
    if name.endswith("_") and not name.startswith("_") and not hasattr(_core.ops, name):
        globals()[name] = _in_place(name)
        return globals()[name]
    target, renamed = form_of_today(name)
    if name.startswith("reduce_") and hasattr(_core.ops, name.removeprefix("reduce_")):
        value = _reduction(name, getattr(_core.ops, name.removeprefix("reduce_")))
    else:
        value = _old_form(name, getattr(_core.ops, target), renamed)
        if description is not None and renamed is not PAIRWISE:
            described = _described(name, description)
            value = _of_either_form(name, value, _core.describe_op(target), renamed, described)
    globals()[name] = value
    return value
