# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Operators in their old calling form: inputs, then names and values of attributes in turn.

`paddle._legacy_C_ops.argsort(x, 'axis', 0, 'descending', True)` is `paddle._C_ops.argsort(x, axis=0,
descending=True)`. Every operator of `paddle._C_ops` can be called so; results are those of the operator.
"""

from . import _core

# Old operators of another name: (operator, {old attribute: argument, or None for one that has no effect}).
_PAIRWISE = {"axis": None}
_RENAMED = {
    "generate_proposals_v2": (
        "generate_proposals",
        {"pre_nms_topN": "pre_nms_top_n", "post_nms_topN": "post_nms_top_n"},
    ),
    "matmul_v2": ("matmul", {"trans_x": "transpose_x", "trans_y": "transpose_y"}),
    "elementwise_add": ("add", _PAIRWISE),
    "elementwise_sub": ("subtract", _PAIRWISE),
    "elementwise_mul": ("multiply", _PAIRWISE),
    "elementwise_div": ("divide", _PAIRWISE),
    "elementwise_max": ("maximum", _PAIRWISE),
    "elementwise_min": ("minimum", _PAIRWISE),
    "softmax_with_cross_entropy": ("cross_entropy_with_softmax", {}),
    "hard_swish": ("hardswish", {"threshold": None, "scale": None, "offset": None}),
}


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
        if renamed is _PAIRWISE and attributes.get("axis", -1) != -1:
            x, y = inputs
            inputs = x, y.reshape([*y.shape, *[1] * (x.ndim - attributes["axis"] - y.ndim)])
        renames = ((renamed.get(key, key), value) for key, value in attributes.items())
        return call(*inputs, **{key: value for key, value in renames if key is not None})

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


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    target, renamed = _RENAMED.get(name, (name, {}))
    if name.startswith("reduce_") and hasattr(_core.ops, name.removeprefix("reduce_")):
        value = _reduction(name, getattr(_core.ops, name.removeprefix("reduce_")))
    else:
        value = _old_form(name, getattr(_core.ops, target), renamed)
    globals()[name] = value
    return value
