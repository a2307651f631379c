# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""paddle.vision.ops; the literals are results of PaddlePaddle 3.3.1."""

import numpy as np
import paddle
import paddle.vision.ops as V
import pytest


def images():
    return paddle.to_tensor(np.sin(np.arange(2 * 8 * 5 * 6)).reshape(2, 8, 5, 6).astype("float32"))


def tensor(values, dtype="float32"):
    return paddle.to_tensor(np.array(values, dtype))


BOXES = tensor([[0, 0, 4, 4], [1, 2, 4.5, 3.5]])
COUNTS = tensor([1, 1], "int32")
OVERLAPPING = tensor([[0, 0, 10, 10], [1, 1, 11, 11], [20, 20, 30, 30], [0, 0, 9, 10.5]])
SCORES = tensor([0.5, 0.9, 0.3, 0.7])


def starts_with(out, expected, shape):
    assert list(out.shape) == shape
    np.testing.assert_allclose(out.numpy().ravel()[: len(expected)], expected, rtol=1e-5, atol=1e-5)


def test_regions_of_images():
    x = images()
    starts_with(V.roi_align(x, BOXES, COUNTS, 2), [0.304761, 0.612974, -0.179379, 0.847624], [2, 8, 2, 2])
    aligned = V.RoIAlign(2, 0.5)(x, BOXES, COUNTS, aligned=False)
    starts_with(aligned, [0.304761, 0.849278, 0.065291, 0.76428], [2, 8, 2, 2])
    starts_with(V.RoIPool((2, 3))(x, BOXES, COUNTS), [0.841471, 0.990607, 0.650288, 0.420167], [2, 8, 2, 3])
    starts_with(V.PSRoIPool(2)(x, BOXES, COUNTS), [0.443544, 0.650677, -0.299829, -0.583675], [2, 2, 2, 2])
    assert repr(V.RoIPool(2)) == "RoIPool(output_size=2, spatial_scale=1.0)"


@pytest.mark.parametrize(
    "boxes,counts",
    [
        (BOXES, tensor([2, 2], "int32")),
        (BOXES, tensor([3, -1], "int32")),
        (BOXES, tensor([1, 0], "int32")),
        (BOXES, tensor([2], "int32")),
        (BOXES[:, :3], COUNTS),
        (tensor([[0, 0, np.inf, 1], [0, 0, 1, 1]]), COUNTS),
    ],
)
def test_regions_that_do_not_fit_are_errors(boxes, counts):
    for pool in (V.roi_align, V.roi_pool, V.psroi_pool):
        with pytest.raises(ValueError):
            pool(images(), boxes, counts, 2)


def test_no_regions_give_an_empty_tensor():
    none = paddle.zeros([0, 4])
    assert V.roi_align(images(), none, tensor([0, 0], "int32"), 2).shape == [0, 8, 2, 2]


def test_nms_takes_scores_and_categories():
    categories = tensor([0, 1, 0, 1], "int64")
    assert V.nms(OVERLAPPING, 0.3).tolist() == [0, 2]
    assert V.nms(OVERLAPPING, 0.3, SCORES).tolist() == [1, 2]
    assert V.nms(OVERLAPPING, 0.9, SCORES, top_k=10).tolist() == [1, 3, 0, 2]
    assert V.nms(OVERLAPPING, 0.3, SCORES, categories, [0, 1]).tolist() == [1, 0, 2]
    assert V.nms(OVERLAPPING, 0.3, SCORES, categories, [0, 1], top_k=2).tolist() == [1, 0]
    assert V.nms(OVERLAPPING, 0.3, SCORES, categories, [0]).tolist() == [0, 2]
    assert V.nms(OVERLAPPING[:0], 0.3).tolist() == []
    with pytest.raises(AssertionError):
        V.nms(OVERLAPPING, 0.3, SCORES, categories)


def test_matrix_nms_lowers_scores():
    scores = paddle.stack([SCORES, 1 - SCORES])
    out, count, index = V.matrix_nms(OVERLAPPING[None], scores[None], 0.1, 0.0, 4, 5, return_index=True)
    np.testing.assert_allclose(out.numpy()[:, :2], [[1, 0.7], [1, 0.5], [1, 0.04163], [1, 0.03193]], atol=1e-5)
    assert count.tolist() == [4] and index.tolist() == [[2], [0], [3], [1]]


def test_proposals_go_to_levels_by_their_size():
    rois = tensor([[0, 0, 10, 10], [0, 0, 300, 300], [0, 0, 120, 100], [0, 0, 1000, 1000]])
    levels, restore, counts = V.distribute_fpn_proposals(rois, 2, 5, 4, 224, rois_num=tensor([2, 2], "int32"))
    assert [r.shape[0] for r in levels] == [2, 0, 1, 1]
    assert restore.tolist() == [[0], [2], [1], [3]]
    assert [c.tolist() for c in counts] == [[1, 1], [0, 0], [1, 0], [0, 1]]
    np.testing.assert_array_equal(paddle.concat(levels).numpy()[restore.numpy().ravel()], rois.numpy())


def test_deformable_convolution():
    offset = tensor((np.sin(np.arange(18 * 3 * 4)) * 0.8).reshape(1, 18, 3, 4))
    weight = tensor(np.cos(np.arange(2 * 8 * 9)).reshape(2, 8, 3, 3))
    out = V.deform_conv2d(images()[:1], offset, weight, tensor([1.0, 2.0]))
    starts_with(out, [1.546456, 2.140446, -0.676172, -0.195015, 1.805158, 2.570706], [1, 2, 3, 4])
    layer = V.DeformConv2D(8, 4, 3, padding=1, groups=2)
    assert layer.weight.shape == [4, 4, 3, 3]
    x, zero = images(), paddle.zeros([2, 18, 5, 6])
    plain = paddle.nn.functional.conv2d(x, layer.weight, layer.bias, padding=1, groups=2)
    np.testing.assert_allclose(layer(x, zero).numpy(), plain.numpy(), rtol=1e-4, atol=1e-5)


def test_conv_norm_activation_leaves_out_what_is_none():
    assert [type(p).__name__ for p in V.ConvNormActivation(2, 3, 3)] == ["Conv2D", "BatchNorm2D", "ReLU"]
    bare = V.ConvNormActivation(2, 3, 5, norm_layer=None, activation_layer=None, dilation=2)
    assert len(bare) == 1 and bare[0].bias is not None
    assert bare(paddle.ones([1, 2, 8, 8])).shape == [1, 3, 8, 8]


def test_files_are_read_and_decoded(tmp_path):
    path = tmp_path / "bytes"
    path.write_bytes(bytes([1, 2, 255]))
    read = V.read_file(str(path))
    assert read.dtype == paddle.uint8 and read.tolist() == [1, 2, 255]
    image = pytest.importorskip("PIL.Image")
    image.new("RGB", (5, 4), (255, 0, 0)).save(tmp_path / "a.jpg")
    data = V.read_file(str(tmp_path / "a.jpg"))
    assert V.decode_jpeg(data).shape == [3, 4, 5]
    assert V.decode_jpeg(data, "gray").shape == [1, 4, 5]
    with pytest.raises(ValueError):
        V.decode_jpeg(read)


@pytest.mark.parametrize(
    "score,expected,slope",
    [(None, [37.951664, 34.734966], 48.739082), ([0.5, 0.8, 1.0], [35.457813, 32.880627], 45.596035)],
)
def test_yolo_loss(score, expected, slope):
    x = tensor(np.sin(np.arange(2 * 18 * 16)).reshape(2, 18, 4, 4))
    x.stop_gradient = False
    boxes = tensor([[[0.2, 0.3, 0.3, 0.4], [0.7, 0.6, 0.1, 0.1], [0.5, 0.5, 0, 0]]] * 2)
    labels = tensor([[1, 3, 0]] * 2, "int32")
    score = None if score is None else tensor([score] * 2)
    anchors = [10, 13, 16, 30, 33, 23, 30, 61]
    loss = V.yolo_loss(x, boxes, labels, anchors, [0, 2], 4, 0.5, 32, score, scale_x_y=1.1)
    np.testing.assert_allclose(loss.numpy(), expected, rtol=1e-5)
    loss.sum().backward()
    np.testing.assert_allclose(float(x.grad.abs().sum()), slope, rtol=1e-4)
    with pytest.raises(ValueError):
        V.yolo_loss(x, boxes, labels, anchors, [0], 4, 0.5, 32)


def quads(*corners):
    return tensor([corners])


def test_suppression_per_class_takes_polygons():
    """Overlaps of PaddlePaddle 3.3.1: a quadrilateral with an inner corner shares 4 of 16 with its square."""
    square, dented = [0, 0, 4, 0, 4, 4, 0, 4], [0, 0, 4, 0, 1, 1, 0, 4]
    scores = tensor([[[0.9, 0.8]]])
    for threshold, count in ((0.24, 1), (0.26, 2)):
        out, index, number = paddle._C_ops.multiclass_nms3(
            quads(square, dented), scores, None, 0.1, -1, -1, threshold, True, 1.0, -1
        )
        assert number.tolist() == [count] and out.shape == [count, 10] and index.shape == [count, 1]
    with pytest.raises(ValueError, match="last axis"):
        paddle._C_ops.multiclass_nms3(paddle.ones([1, 2, 5]), scores, None, 0.1, -1, -1)
    with pytest.raises(ValueError, match="rois_num"):
        paddle._C_ops.multiclass_nms3(paddle.ones([2, 1, 4]), paddle.ones([2, 1]), tensor([3], "int32"), 0.1, -1, -1)


def test_boxes_without_area_suppress_one_another():
    boxes = tensor([[[1, 1, 1, 1], [1, 1, 1, 1], [3, 3, 0, 0], [0, 0, 3, 3]]])
    out, _, index = V.matrix_nms(
        boxes, tensor([[[0.9, 0.8, 0.7, 0.6]]]), 0.1, 0.0, 9, 9, background_label=-1, return_index=True
    )
    assert index.ravel().tolist() == [0, 1, 2]


def test_operators_are_called_in_their_old_form():
    from paddle import _legacy_C_ops

    x = tensor([[3, 1, 2]])
    values, order = _legacy_C_ops.argsort(x, "axis", 1, "descending", True)
    assert values.tolist() == [[3, 2, 1]] and order.tolist() == [[0, 2, 1]]
    assert _legacy_C_ops.matmul_v2(x, x, "trans_x", False, "trans_y", True).tolist() == [[14]]
    assert _legacy_C_ops.elementwise_add(x, x, "axis", -1).tolist() == [[6, 2, 4]]
    out, index, count = _legacy_C_ops.multiclass_nms3(
        OVERLAPPING[None],
        SCORES[None, None],
        None,
        *("background_label", -1, "score_threshold", 0.1, "nms_top_k", -1, "nms_threshold", 0.3, "keep_top_k", 9),
    )
    assert index.ravel().tolist() == [1, 2] and count.tolist() == [2]
    levels, restore, counts = _legacy_C_ops.distribute_fpn_proposals(
        OVERLAPPING, tensor([4], "int32"), 2, 2, "min_level", 2, "max_level", 3, "refer_level", 3, "refer_scale", 8
    )
    assert len(levels) == len(counts) == 2 and restore.shape == [4, 1]
    with pytest.raises(TypeError, match="name, value"):
        _legacy_C_ops.argsort(x, "axis")
    with pytest.raises(AttributeError):
        _legacy_C_ops.no_such_operator(1)


def test_windows_over_the_padding_train_no_offsets():
    """Zero offsets put elements of windows exactly one row before the image; moving them inside would read it."""
    x, weight = paddle.ones([1, 1, 3, 3]), paddle.ones([1, 1, 3, 3])
    offset = paddle.zeros([1, 18, 3, 3])
    offset.stop_gradient = False
    V.deform_conv2d(x, offset, weight, padding=1).sum().backward()
    grad = offset.grad.numpy().reshape(9, 2, 3, 3)
    assert not grad[:3, :, 0].any() and not grad[::3, :, :, 0].any()
    np.testing.assert_array_equal(grad[7, 0], [[0, 0, 0], [-1, -1, -1], [0, 0, 0]])


def test_random_parts_are_drawn_as_in_paddlepaddle():
    """Seeded programs see the same images; the literals are draws of PaddlePaddle 3.3.1."""
    import random

    from paddle.vision import transforms as T

    image = np.random.RandomState(0).randint(0, 256, (37, 50, 3)).astype("uint8")

    def seeded(call):
        random.seed(3)
        np.random.seed(3)
        return call()

    assert seeded(lambda: T.RandomResizedCrop(16)._get_param(image)) == (1, 4, 31, 35)
    erased = seeded(lambda: T.RandomErasing(1.0)(image))
    rows, columns = np.nonzero((erased != image).any(-1))
    assert (rows.min(), columns.min(), rows.max() + 1, columns.max() + 1) == (8, 8, 8 + 24, 8 + 15)
    random.seed(3)
    random.random()
    start, end = T.RandomPerspective(1.0, 0.4).get_params(50, 37, 0.4)
    random.seed(3)
    assert T.RandomAffine(30, (0.1, 0.2))._get_param((50, 37), (-30, 30), (0.1, 0.2))[1] == (0, -1)
    assert start == [[0, 0], [49, 0], [49, 36], [0, 36]] and end == [[5, 2], [45, 5], [39, 29], [9, 31]]


def test_layer_helpers_call_older_operators():
    """As discriminators do that normalise their weights themselves."""
    from paddle.common_ops_import import LayerHelper

    layer = paddle.nn.SpectralNorm([3, 4], power_iters=2)
    weight = tensor(np.sin(np.arange(12)).reshape(3, 4))
    helper = LayerHelper("spectral_norm")
    out = helper.create_variable_for_type_inference("float32")
    helper.append_op(
        type="spectral_norm",
        inputs={"Weight": weight, "U": layer.weight_u, "V": layer.weight_v},
        outputs={"Out": out},
        attrs={"dim": 0, "power_iters": 2, "eps": 1e-12},
    )
    np.testing.assert_allclose(out.numpy(), layer(weight).numpy(), rtol=1e-6)
    mean = helper.create_variable_for_type_inference("float32")
    helper.append_op("reduce_mean", {"X": weight}, {"Out": mean}, {"dim": [1], "keep_dim": True})
    np.testing.assert_allclose(mean.numpy(), weight.numpy().mean(1, keepdims=True), rtol=1e-5)
    with pytest.raises(NotImplementedError):
        helper.append_op("no_such_operator", {}, {})
