# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Names of operators and of their arguments in PaddlePaddle 2, where today's are others: the only table of them."""

from .descriptions import description_of

# Today's operator; its names in PaddlePaddle 2, the newest first; behind `|`, where a call with today's inputs can use the
# first of them: the attributes that are named otherwise (`old=today`) or have no effect (`old=`), or `pairwise`.
_ROWS = """
add: elementwise_add | pairwise
subtract: elementwise_sub | pairwise
multiply: elementwise_mul | pairwise
divide: elementwise_div | pairwise
maximum: elementwise_max | pairwise
minimum: elementwise_min | pairwise
remainder: elementwise_mod
floor_divide: elementwise_floordiv
full: fill_constant
full_like: fill_any_like
uniform: uniform_random
gaussian: gaussian_random
matmul: matmul_v2 mul linear_v2 | trans_x=transpose_x trans_y=transpose_y
sum: reduce_sum
mean: reduce_mean
max: reduce_max
min: reduce_min
prod: reduce_prod
all: reduce_all
any: reduce_any
add_n: sum
embedding: lookup_table_v2 lookup_table
cross_entropy_with_softmax: softmax_with_cross_entropy |
generate_proposals: generate_proposals_v2 | pre_nms_topN=pre_nms_top_n post_nms_topN=post_nms_top_n
topk: top_k_v2
one_hot: one_hot_v2
diag: diag_v2
arange: range
tril: tril_triu
triu: tril_triu
hardswish: hard_swish | threshold= scale= offset=
hardsigmoid: hard_sigmoid
if: conditional_block
reshape: reshape2
transpose: transpose2
squeeze: squeeze2
unsqueeze: unsqueeze2
flatten: flatten_contiguous_range
expand: expand_v2
"""
# Slots and attributes by the argument of today, where they are not spelled like it.
OLD_ARGUMENTS = {
    "axis": ("axis", "dim", "axes"),
    "keepdim": ("keep_dim",),
    "transpose_x": ("trans_x", "transpose_X"),
    "transpose_y": ("trans_y", "transpose_Y"),
    "p": ("dropout_prob",),
    "perm": ("axis",),
    "kernel_size": ("ksize",),
    "data_format": ("data_layout", "data_format"),
    "num_classes": ("depth",),
    "value": ("value", "step"),
    "dtype": ("dtype", "out_dtype"),
    "out": ("Out", "Y", "Loss", "Output"),
}
# The attribute `axis` of an operator on pairs says which axes of x those of y go with.
PAIRWISE = {"axis": None}

_old, _callable = {}, {}
for _row in _ROWS.strip().splitlines():
    _today, _, _rest = _row.partition(": ")
    _names, _bar, _call = _rest.partition("|")
    _old[_today] = tuple(_names.split())
    if _bar:
        _pairs = (pair.split("=") for pair in _call.split() if "=" in pair)
        _attributes = PAIRWISE if _call.split() == ["pairwise"] else {old: today or None for old, today in _pairs}
        _callable[_old[_today][0]] = (_today, _attributes)


def old_type(name):
    """The name of an operator in PaddlePaddle 2."""
    name = name.rpartition(".")[2]
    plain = name.removesuffix("_")
    if plain in _old:
        return _old[plain][0]
    return next((n for n in (plain, f"{plain}2", f"{plain}_v2") if description_of(n) is not None), plain)


def old_types(name):
    """All names of an operator of today in PaddlePaddle 2."""
    return _old.get(name) or (old_type(name),)


def form_of_today(name):
    """How an operator of PaddlePaddle 2 is called with today's inputs: (operator, {old attribute: argument, or None for
    one without effect}); itself, where the table does not say."""
    return _callable.get(name, (name, {}))


def new_type(name):
    """The name that an operator of PaddlePaddle 2 has today: 'add' for 'elementwise_add'."""
    from ... import _core

    if name in _callable:
        return _callable[name][0]
    plain = name.removeprefix("reduce_")
    return plain if hasattr(_core.ops, plain) else name
