# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Operators of PaddlePaddle 2 that are functions of this package rather than operators of it."""

from .... import _core
from .table import operator

ops = _core.ops


@operator
def multi_dot(c):
    from ....linalg import multi_dot

    return {"Out": multi_dot(c.all("X"))}


@operator
def einsum(c):
    from ....tensor.linalg import einsum

    return {"Out": einsum(c.attribute("equation"), *c.all("Operands"))}


@operator
def label_smooth(c):
    from ....nn.functional import label_smooth

    return {"Out": label_smooth(c.one("X"), c.one("PriorDist"), c.attribute("epsilon", 0.0))}


@operator
def temporal_shift(c):
    from ....nn.functional import temporal_shift

    return {
        "Out": temporal_shift(
            c.one("X"),
            c.attribute("seg_num"),
            c.attribute("shift_ratio", 0.25),
            data_format=c.attribute("data_format", "NCHW"),
        )
    }


@operator
def logspace(c):
    from ....tensor import logspace

    given = [c.one(slot) for slot in ("Start", "Stop", "Num", "Base")]
    return {"Out": logspace(*given, dtype=c.dtype("dtype", _core.float32))}


@operator
def renorm(c):
    from ....tensor import renorm

    return {"Out": renorm(c.one("X"), c.attribute("p"), c.attribute("axis"), c.attribute("max_norm"))}


@operator
def matrix_rank(c):
    from ....linalg import matrix_rank

    tolerance = c.one("TolTensor")
    if tolerance is None and not c.attribute("use_default_tol", True):
        tolerance = c.attribute("tol", 0.0)
    return {"Out": matrix_rank(c.one("X"), tolerance, c.attribute("hermitian", False))}


@operator
def clip_by_norm(c):
    x, most = c.one("X"), c.attribute("max_norm")
    norm = ops.sqrt(ops.sum(ops.square(x)))
    return {"Out": x * (most / ops.maximum(norm, ops.full_like(norm, most)))}


@operator
def segment_pool(c):
    from ....geometric import segment_max, segment_mean, segment_min, segment_sum

    pools = {"SUM": segment_sum, "MEAN": segment_mean, "MAX": segment_max, "MIN": segment_min}
    return {"Out": pools[c.attribute("pooltype", "SUM")](c.one("X"), c.one("SegmentIds"))}


def _out_size(c):
    size = c.one("Out_size")
    given = c.attribute("out_size", [0])
    return size if size is not None else given[0] if given and given[0] > 0 else None


@operator
def graph_send_recv(c):
    from ....geometric import send_u_recv

    given = [c.one(slot) for slot in ("X", "Src_index", "Dst_index")]
    return {"Out": send_u_recv(*given, c.attribute("reduce_op", "SUM").lower(), _out_size(c))}


@operator
def graph_send_ue_recv(c):
    from ....geometric import send_ue_recv

    given = [c.one(slot) for slot in ("X", "Y", "Src_index", "Dst_index")]
    kinds = [c.attribute(name, default).lower() for name, default in (("message_op", "ADD"), ("reduce_op", "SUM"))]
    return {"Out": send_ue_recv(*given, *kinds, _out_size(c))}


@operator
def graph_send_uv(c):
    from ....geometric import send_uv

    given = [c.one(slot) for slot in ("x", "y", "src_index", "dst_index")]
    return {"out": send_uv(*given, c.attribute("message_op", "ADD").lower())}


@operator
def viterbi_decode(c):
    from ....text import viterbi_decode

    given = [c.one(slot) for slot in ("Input", "Transition", "Length")]
    scores, path = viterbi_decode(*given, c.attribute("include_bos_eos_tag", True))
    return {"Scores": scores, "Path": path}


@operator
def gather_tree(c):
    from ....nn.functional import gather_tree

    return {"Out": gather_tree(c.one("Ids"), c.one("Parents"))}


@operator
def bilinear_tensor_product(c):
    from ....nn.functional import bilinear

    return {"Out": bilinear(c.one("X"), c.one("Y"), c.one("Weight"), c.one("Bias"))}


@operator
def hierarchical_sigmoid(c):
    from ....nn.functional import hsigmoid_loss

    path = [c.one("PathTable"), c.one("PathCode")]
    loss = hsigmoid_loss(c.one("X"), c.one("Label"), c.attribute("num_classes", 2), c.one("W"), c.one("Bias"), *path)
    return {"Out": loss}


@operator
def yolov3_loss(c):
    from ....vision.ops import yolo_loss

    names = ("anchors", "anchor_mask", "class_num", "ignore_thresh", "downsample_ratio")
    loss = yolo_loss(
        c.one("X"),
        c.one("GTBox"),
        c.one("GTLabel"),
        *[c.attribute(name) for name in names],
        gt_score=c.one("GTScore"),
        use_label_smooth=c.attribute("use_label_smooth", True),
        scale_x_y=c.attribute("scale_x_y", 1.0),
    )
    return {"Loss": loss}


@operator
def sequence_mask(c):
    from ....nn.functional import sequence_mask

    longest = c.one("MaxLenTensor")
    if longest is None:
        given = c.attribute("maxlen", -1)
        longest = given if given > 0 else None
    return {"Y": sequence_mask(c.one("X"), longest, c.dtype("out_dtype", _core.int64))}


@operator
def randperm(c):
    from ....tensor import randperm

    return {"Out": randperm(c.attribute("n"), c.dtype("dtype", _core.int64))}


@operator
def tril_indices(c):
    from ....tensor import tril_indices

    sizes = c.attribute("rows", 0), c.attribute("cols", 0), c.attribute("offset", 0)
    return {"out": tril_indices(*sizes, c.dtype("dtype", _core.int64))}


@operator
def triu_indices(c):
    from ....tensor import triu_indices

    sizes = c.attribute("row", 0), c.attribute("col", 0), c.attribute("offset", 0)
    return {"out": triu_indices(*sizes, c.dtype("dtype", _core.int64))}


@operator
def accuracy(c):
    """The share of rows whose label is among the indices of the highest scores."""
    indices, label = c.one("Indices"), c.one("Label")
    hit = ops.any(ops.equal(indices, ops.cast(label.reshape([-1, 1]), indices.dtype)), [1])
    correct = ops.sum(ops.cast(hit, _core.int32))
    total = ops.full([], indices.shape[0], _core.int32)
    share = ops.cast(correct, _core.float32) / indices.shape[0]
    return {"Accuracy": share, "Correct": correct, "Total": total}


@operator
def roi_pool(c):
    x = c.one("X")
    sizes = (c.attribute("pooled_height", 1), c.attribute("pooled_width", 1), c.attribute("spatial_scale", 1.0))
    out, position = ops.roi_pool(x, c.one("ROIs"), c.one("RoisNum"), *sizes)
    # Its positions are those in the image of one channel.
    plane = ops.full([1], x.shape[2] * x.shape[3], position.dtype)
    return {"Out": out, "Argmax": ops.where(position < 0, position, position % plane)}
