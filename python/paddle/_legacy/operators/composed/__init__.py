# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Operators of `paddle._C_ops` that are compositions, in the order of arguments of the schema that programs carry.

`find` knows four kinds: functions of the modules here, public functions whose arguments have the schema's order,
in-place forms of operators, and operators of which callers see the first result only.
"""

import functools
import importlib

from .... import _core

_MODULES = ("creation", "writing", "tensors", "layers", "graph", "detection")

# Public functions with the arguments of the schema.
_PUBLIC = {
    "apply_per_channel_scale": "paddle.nn.quant.apply_per_channel_scale",
    "clip_by_norm": "paddle.nn.clip.clip_by_norm",
    "bilinear": "paddle.nn.functional.bilinear",
    "expand_modality_expert_id": "paddle.incubate.nn.functional.expand_modality_expert_id",
    "fused_bias_act": "paddle.incubate.nn.functional.fused_bias_act",
    "fused_partial_rope": "paddle.incubate.nn.functional.fused_partial_rope",
    "fused_rotary_position_embedding": "paddle.incubate.nn.functional.fused_rotary_position_embedding",
    "fused_rms_norm_ext": "paddle.incubate.nn.functional.fused_rms_norm_ext",
    "paged_cache_write_": "paddle.incubate.nn.functional.paged_cache_write_",
    "fused_softmax_mask": "paddle.incubate.softmax_mask_fuse",
    "fused_softmax_mask_upper_triangle": "paddle.incubate.softmax_mask_fuse_upper_triangle",
    "gather_tree": "paddle.nn.functional.gather_tree",
    "increment_": "paddle.increment",
    "int_bincount": "paddle.incubate.nn.functional.int_bincount",
    "label_smooth": "paddle.nn.functional.label_smooth",
    "llm_int8_linear": "paddle.nn.quant.llm_int8_linear",
    "moe_combine": "paddle.incubate.nn.functional.moe_combine",
    "moe_gate_dispatch": "paddle.incubate.nn.functional.moe_gate_dispatch",
    "multi_dot": "paddle.linalg.multi_dot",
    "renorm": "paddle.renorm",
    "reverse": "paddle.flip",
    "shuffle_channel": "paddle.nn.functional.channel_shuffle",
    "trans_layout": "paddle.transpose",
    "variable_length_memory_efficient_attention": (
        "paddle.incubate.nn.functional.variable_length_memory_efficient_attention"
    ),
    "weight_only_linear": "paddle.nn.quant.weight_only_linear",
    "weight_quantize": "paddle.nn.quant.weight_quantize",
}

# Operators with results that only their gradients read.
_ONE_RESULT = frozenset(
    (
        "dropout",
        "group_norm",
        "huber_loss",
        "instance_norm",
        "layer_norm",
        "roi_pool",
        "rrelu",
        "warpctc",
        "warprnnt",
    )
)

# Operators with a form that writes into its first argument.
_IN_PLACE = frozenset(
    """
    abs acos acosh add addmm asin asinh atan atanh baddbmm bce_loss bitwise_and bitwise_left_shift bitwise_not
    bitwise_or bitwise_right_shift bitwise_xor cast ceil clip copysign cos cosh cross_entropy_with_softmax cumprod
    cumsum digamma divide dropout elu equal erf erfinv exp expm1 fill_diagonal_tensor flatten floor floor_divide
    gammaincc gammaln greater_equal greater_than hardtanh i0 index_add index_put leaky_relu lerp less_equal less_than
    lgamma log log10 log1p log2 logical_and logical_not logical_or logical_xor logit masked_fill multiply not_equal
    polygamma pow put_along_axis reciprocal relu remainder renorm reshape round rsqrt scale scatter set_value
    set_value_with_tensor sigmoid sigmoid_cross_entropy_with_logits silu sin sinh softmax sqrt square squeeze subtract
    tan tanh thresholded_relu transpose tril triu trunc trunc_divide unsqueeze where
    """.split()
)


def _of_signature(function, like, name):
    import inspect

    function.__signature__ = inspect.signature(like)
    function.__name__ = function.__qualname__ = name
    return function


def _first_result(name):
    operator = getattr(_core.ops, name)

    def first(*args, **kwargs):
        return operator(*args, **kwargs)[0]

    first.__doc__ = f"The first result of the operator {name}."
    return _of_signature(first, operator, name)


def _in_place(name):
    operator = find(name.removesuffix("_"))
    # where(condition, x, y) writes into x.
    position = 1 if name == "where_" else 0

    def write(*args, **kwargs):
        x = args[position]
        old = x if x.stop_gradient else _core.ops.assign(x)
        made = operator(*args[:position], old, *args[position + 1 :], **kwargs)
        value, *others = made if isinstance(made, list | tuple) else (made,)
        same = value.shape == x.shape and value.dtype == x.dtype
        (_core.assign_inplace if same else _core.rebind_inplace)(x, value, name)
        return (x, *others) if others else x

    write.__doc__ = f"`{operator.__name__}`, written into its input, which is returned."
    return _of_signature(write, operator, name)


# Operators on sparse tensors that are methods, or have other arguments than the public function.
_SPARSE_METHODS = frozenset(("indices", "to_dense", "to_sparse_coo", "to_sparse_csr", "values"))
_SPARSE_FORMS = {
    "divide_scalar": lambda x, scalar: x / scalar,
    "scale": lambda x, scale, bias=0.0, bias_after_scale=True: _scaled_sparse(x, scale, bias, bias_after_scale),
    "sparse_coo_tensor": lambda values, indices, shape=(): _coo_tensor(indices, values, list(shape) or None),
}


def _scaled_sparse(x, scale, bias, bias_after_scale):
    if bias:
        raise ValueError(f"sparse_scale: bias is {bias}; the elements that are not stored stay 0, so it must be 0.")
    return x * scale


def _coo_tensor(indices, values, shape):
    from ....sparse import sparse_coo_tensor

    return sparse_coo_tensor(indices, values, shape)


def _sparse(name):
    """The function of `paddle.sparse` that an operator on sparse tensors is."""
    rest = name.removeprefix("sparse_").removesuffix("_")
    if rest in _SPARSE_METHODS:
        return lambda x, *arguments: getattr(x, rest)(*arguments)
    if rest in _SPARSE_FORMS:
        return _SPARSE_FORMS[rest]
    for path in ("paddle.sparse", "paddle.sparse.nn.functional"):
        found = getattr(importlib.import_module(path), rest, None)
        if callable(found):
            return found
    raise AttributeError(f"operator {name}: there is none of that name.")


@functools.cache
def find(name):
    """The function of an operator's name.

    Raises:
        AttributeError: There is no operator of that name.
    """
    if name in _ONE_RESULT:
        return _first_result(name)
    for module in _MODULES:
        functions = importlib.import_module(f"{__name__}.{module}")
        if name in functions.__all__:
            return getattr(functions, name)
    if name in _PUBLIC:
        path, _, attribute = _PUBLIC[name].rpartition(".")
        return getattr(importlib.import_module(path), attribute)
    if name.endswith("_") and name[:-1] in _IN_PLACE:
        return _in_place(name)
    if name.startswith("sparse_") and not hasattr(_core.ops, name):
        return _sparse(name)
    return getattr(_core.ops, name)


def names():
    """Names of the operators that are found here."""
    found = {*_PUBLIC, *(name + "_" for name in _IN_PLACE)}
    for module in _MODULES:
        found.update(importlib.import_module(f"{__name__}.{module}").__all__)
    return found
