# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Layers of tree-based deep models, which find items along the paths of a tree (Zhu and others, 2018)."""

from ... import _core
from ...framework.dtypes import convert
from ...framework.parameter import create_parameter
from ...nn.initializer import Constant
from ...tensor import expand_as
from ...tensor._args import check_tensor
from ...tensor.random import uniform_random_batch_size_like

ops = _core.ops

_INTEGERS = ("int32", "int64")


def _integer(owner, name, dtype):
    dtype = convert(dtype)
    if dtype.name not in _INTEGERS:
        raise TypeError(f"{owner}: {name} is {dtype.name}; it must be int32 or int64.")
    return dtype


def _table(shape, attr, dtype):
    made = create_parameter(shape, dtype.name, attr=attr, default_initializer=Constant(0))
    made.stop_gradient = True
    return made


def tdm_child(x, node_nums, child_nums, param_attr=None, dtype="int32"):
    """The children of nodes of a tree.

    Args:
        x: Nodes, an integer Tensor.
        node_nums: Number of nodes; node 0 stands for none.
        child_nums: Greatest number of children of a node.
        param_attr: ParamAttr of the tree, [node_nums, 3 + child_nums]: the item of a node, which leaves alone have
            and 0 is none, its layer, its parent and its children, filled with 0.
        dtype: int32 or int64, of the results.

    Returns:
        The children, [*x.shape, child_nums], 0 where a node has fewer or is 0; and in the same shape 1 for leaves, else 0.

    Raises:
        TypeError: A dtype is not int32 or int64.
    """
    check_tensor("tdm_child", x=x)
    _integer("tdm_child", "the dtype of x", x.dtype)
    dtype = _integer("tdm_child", "dtype", dtype)
    tree = _table([node_nums, 3 + child_nums], param_attr, dtype)
    found = ops.gather_nd(tree, ops.unsqueeze(x, [-1]))
    children = ops.slice(found, [x.ndim], [3], [3 + child_nums])
    children = children * ops.cast(ops.unsqueeze(x, [-1]) != 0, dtype)
    items = ops.gather_nd(ops.slice(tree, [1], [0], [1]), ops.unsqueeze(children, [-1]))
    leaves = ops.logical_and(children != 0, ops.squeeze(items, [-1]) != 0)
    return children, ops.cast(leaves, dtype)


def tdm_sampler(
    x,
    neg_samples_num_list,
    layer_node_num_list,
    leaf_node_num,
    tree_travel_attr=None,
    tree_layer_attr=None,
    output_positive=True,
    output_list=True,
    seed=0,
    tree_dtype="int32",
    dtype="int32",
):
    """The nodes on the way from the root to leaves, each with other nodes of its layer, drawn without repetition.

    Args:
        x: Leaves by number, an integer Tensor [N, 1].
        neg_samples_num_list: How many others are drawn, for each layer.
        layer_node_num_list: Number of nodes of each layer below the root.
        leaf_node_num: Number of leaves.
        tree_travel_attr: ParamAttr of the ways, [leaf_node_num, layers], 0 behind the end of a shorter one.
        tree_layer_attr: ParamAttr of the nodes layer by layer, [sum of layer_node_num_list, 1].
        output_positive: Whether the node on the way stands in front of the others.
        output_list: Whether a list by layer is returned instead of one Tensor.
        seed: 0 draws from the generator that `paddle.seed` sets.
        tree_dtype: int32 or int64, of the tree.
        dtype: int32 or int64, of the results.

    Returns:
        Nodes, labels (1 for the node on the way) and masks (0 behind the end of a way): lists of Tensors [N, n, 1],
        or Tensors [N, sum of n], with n nodes of a layer.

    Raises:
        TypeError: A dtype is not int32 or int64.
        ValueError: The lists differ in length, or a layer has too few nodes.
    """
    check_tensor("tdm_sampler", x=x)
    _integer("tdm_sampler", "the dtype of x", x.dtype)
    dtype, tree_dtype = (_integer("tdm_sampler", *pair) for pair in (("dtype", dtype), ("tree_dtype", tree_dtype)))
    if len(neg_samples_num_list) != len(layer_node_num_list):
        raise ValueError(
            f"tdm_sampler: neg_samples_num_list has {len(neg_samples_num_list)} entries and layer_node_num_list "
            f"{len(layer_node_num_list)}; both have one for each layer."
        )
    for drawn, nodes in zip(neg_samples_num_list, layer_node_num_list, strict=True):
        if not 0 <= drawn < nodes:
            raise ValueError(f"tdm_sampler: {drawn} others are drawn of a layer of {nodes} nodes; there must be more.")
    travel = _table([leaf_node_num, len(layer_node_num_list)], tree_travel_attr, tree_dtype)
    layers = _table([sum(layer_node_num_list), 1], tree_layer_attr, tree_dtype)
    ways = ops.gather_nd(travel, ops.reshape(x, [-1, 1]))
    begin, made = 0, []
    for k, (drawn, nodes) in enumerate(zip(neg_samples_num_list, layer_node_num_list, strict=True)):
        own = ops.slice(ways, [1], [k], [k + 1])
        layer = ops.reshape(ops.slice(layers, [0], [begin], [begin + nodes]), [1, nodes])
        made.append(_sampled(own, layer, drawn, output_positive, seed, dtype))
        begin += nodes
    kinds = list(zip(*made, strict=True))
    if output_list:
        return tuple([ops.unsqueeze(t, [-1]) for t in kind] for kind in kinds)
    return tuple(ops.concat(list(kind), 1) for kind in kinds)


def _sampled(own, layer, drawn, output_positive, seed, dtype):
    """Nodes, labels and masks of one layer."""
    there = own != 0
    # The others in random order: the node on the way has the greatest of the random keys, so it comes last.
    is_own = layer == own
    greatest = ops.cast(is_own, "float32") * 2.0
    shape = [-1, layer.shape[1]]
    keys = greatest + uniform_random_batch_size_like(greatest, shape, min=0.0, max=1.0, seed=seed)
    order = ops.slice(ops.argsort(keys, 1)[1], [1], [0], [drawn])
    others = ops.take_along_axis(expand_as(layer, is_own), order, 1)
    nodes = others * ops.cast(there, others.dtype)
    nodes = ops.concat([own, nodes], 1) if output_positive else nodes
    labels = ops.full_like(others, 0)
    if output_positive:
        labels = ops.concat([ops.cast(there, labels.dtype), labels], 1)
    masks = ops.cast(there, nodes.dtype) + ops.full_like(nodes, 0)
    return tuple(ops.cast(t, dtype) for t in (nodes, labels, masks))
