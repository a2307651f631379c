# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Transforms of arrays, Tensors and PIL images (where Pillow is installed)."""

import random

import numpy as np
import paddle
import pytest
from paddle.vision import transforms as T
from paddle.vision.transforms import functional as F

IMAGE = np.random.RandomState(0).randint(0, 256, (6, 5, 3)).astype("uint8")


def tensor(image=IMAGE):
    return paddle.to_tensor(image.transpose(2, 0, 1).astype("float32") / 255)


def pil(image=IMAGE):
    return pytest.importorskip("PIL.Image").fromarray(image)


def as_array(image):
    if isinstance(image, paddle.Tensor):
        return image.numpy().transpose(1, 2, 0) * 255
    return np.asarray(image).astype("float64")


def agree(function, atol):
    """Array and Tensor forms (and the PIL form) give the same pixels."""
    expected = as_array(function(IMAGE))
    np.testing.assert_allclose(as_array(function(tensor())), expected, atol=atol)
    return expected


@pytest.mark.parametrize(
    "function",
    [
        F.hflip,
        F.vflip,
        lambda x: F.crop(x, 1, 2, 3, 2),
        lambda x: F.center_crop(x, 3),
        lambda x: F.pad(x, (1, 2, 3, 4)),
        lambda x: F.pad(x, 1, padding_mode="reflect"),
        lambda x: F.pad(x, [1, 2], padding_mode="edge"),
        lambda x: F.affine(x, 20, (1, 1), 1.2, (10, 5)),
    ],
)
def test_moves_are_the_same_for_every_kind_of_image(function):
    expected = agree(function, 1e-3)
    np.testing.assert_array_equal(np.asarray(function(pil())), expected)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: F.rotate(x, 30),
        lambda x: F.rotate(x, 90, expand=True),
        lambda x: F.rotate(x, 30, expand=True),
        lambda x: F.rotate(x, 30, center=(0, 0)),
        lambda x: F.perspective(x, [(0, 0), (4, 0), (4, 5), (0, 5)], [(1.2, 1.1), (4.3, 0.2), (4.1, 5.2), (0.3, 4.4)]),
    ],
)
def test_turns_are_the_same_for_tensors_and_pil_images(function):
    np.testing.assert_allclose(as_array(function(tensor())), np.asarray(function(pil())), atol=1e-3)


def test_arrays_are_turned_and_coloured_as_by_opencv():
    """The numbers are PaddlePaddle 3.3.1's, which uses OpenCV for arrays."""
    image = (np.arange(36).reshape(3, 4, 3) * 53 % 256).astype("uint8")
    plane, corners = image[..., 0], [(0, 0), (3, 0), (3, 2), (0, 2)]
    moved = F.perspective(plane, corners, [(1, 0), (3, 1), (3, 2), (0, 1)])
    assert F.rotate(plane, 30).tolist() == [[0, 62, 221, 0], [159, 27, 186, 213], [124, 27, 54, 213]]
    assert F.rotate(plane, -20, "bilinear").tolist() == [[58, 80, 111, 97], [202, 84, 156, 134], [76, 88, 84, 148]]
    assert moved.tolist() == [[0, 0, 0, 0], [248, 151, 186, 221], [0, 0, 54, 213]]
    assert F.adjust_contrast(image, 0.5)[0].tolist() == [[37, 63, 90], [116, 143, 41], [68, 94, 121], [147, 46, 72]]
    assert F.adjust_hue(image, 0.2)[0].tolist() == [[0, 106, 32], [212, 19, 9], [62, 168, 94], [123, 18, 221]]
    assert F.adjust_hue(image, -0.4)[1].tolist() == [[230, 124, 136], [133, 27, 40], [36, 107, 239], [195, 89, 101]]


def test_floats_beyond_one_are_bytes():
    image = IMAGE.astype("float32")
    bright = F.adjust_brightness(image, 1.5)
    np.testing.assert_allclose(bright, np.clip(image * 1.5, 0, 255), rtol=1e-6)
    np.testing.assert_allclose(F.adjust_saturation(image, 0.5), F.adjust_saturation(IMAGE, 0.5), atol=1)


@pytest.mark.parametrize(
    ("function", "atol"),
    [
        (lambda x: F.adjust_brightness(x, 1.4), 1),
        (lambda x: F.adjust_saturation(x, 1.4), 1),
        (lambda x: F.to_grayscale(x, 3), 1),
    ],
)
def test_colours_are_the_same_for_every_kind_of_image(function, atol):
    expected = agree(function, min(atol, 2))
    np.testing.assert_allclose(np.asarray(function(pil())).astype("float64"), expected, atol=atol)


@pytest.mark.parametrize(
    ("function", "atol"),
    [(lambda x: F.adjust_contrast(x, 1.4), 2), (lambda x: F.adjust_hue(x, 0.2), 8)],  # Pillow keeps hues in 8 bits
)
def test_contrast_and_hue_are_the_same_for_tensors_and_pil_images(function, atol):
    np.testing.assert_allclose(as_array(function(tensor())), np.asarray(function(pil())), atol=atol)


def test_resizing_interpolates_between_pixel_centres():
    row = np.array([[0.0, 10.0, 20.0, 30.0]], "float32")
    assert F.resize(row, (1, 2)).tolist() == [[5.0, 25.0]]
    assert F.resize(row, (1, 8)).tolist() == [[0.0, 2.5, 7.5, 12.5, 17.5, 22.5, 27.5, 30.0]]
    assert F.resize(row, (1, 8), "nearest").tolist() == [[0, 0, 10, 10, 20, 20, 30, 30]]
    assert F.resize(row, (1, 2), "area").tolist() == [[5.0, 25.0]]
    for interpolation in ("bilinear", "bicubic", "lanczos", "area"):
        constant = F.resize(np.full([5, 7], 3.0, "float32"), (8, 4), interpolation)
        np.testing.assert_allclose(constant, 3.0, rtol=1e-6)


def test_bytes_are_resized_in_the_integers_of_opencv():
    image = (np.arange(30).reshape(5, 6) * 37 % 256).astype("uint8")
    down = [[62, 53, 109, 164], [197, 61, 52, 108], [140, 196, 123, 51]]
    up = [[0, 18, 43, 68, 92, 117, 142, 166, 185], [127, 72, 24, 48, 73, 98, 122, 147, 166]]
    assert F.resize(image, (3, 4)).tolist() == down
    assert F.resize(image, (7, 9))[:2].tolist() == up
    assert F.resize(image[:, :, None].repeat(3, 2), (3, 4))[:, :, 1].tolist() == down


def test_the_shorter_side_gets_a_single_size():
    assert F.resize(IMAGE, 3).shape == (3, 3, 3)
    assert F.resize(np.zeros([40, 20], "uint8"), 10).shape == (20, 10)
    assert F.resize(tensor(), 10).shape == [3, 12, 10] and F.resize(pil(), 10).size == (10, 12)


def test_resizing_a_tensor_has_a_gradient():
    x = tensor()
    x.stop_gradient = False
    F.resize(x, (12, 10)).sum().backward()
    np.testing.assert_allclose(x.grad.numpy().sum(), 12 * 10 * 3, rtol=1e-5)


def test_affine_without_change_is_the_image():
    for interpolation in ("nearest", "bilinear"):
        np.testing.assert_array_equal(F.affine(IMAGE, 0, (0, 0), 1.0, 0.0, interpolation), IMAGE)
    moved = F.affine(IMAGE, 0, (2, 1), 1.0, 0.0, fill=7)
    np.testing.assert_array_equal(moved[1:, 2:], IMAGE[:-1, :-2])
    assert (moved[0] == 7).all()


def test_fill_stands_outside_of_a_tensor_image():
    half = np.ones([1, 4, 6], "float32")
    half[..., 0] = 0.5  # half of the first column comes from outside
    image, move = paddle.ones([1, 4, 6]), (0, (0.5, 0), 1.0, 0.0, "bilinear")
    np.testing.assert_allclose(F.affine(image, *move, fill=None).numpy(), half, atol=1e-5)
    half[..., 0] = 0.5 * 0.5 + 0.5 * 3
    np.testing.assert_allclose(F.affine(image, *move, fill=3).numpy(), half, atol=1e-5)


def test_to_tensor_scales_eight_bits():
    out = F.to_tensor(IMAGE)
    assert out.shape == [3, 6, 5] and out.dtype == paddle.float32
    np.testing.assert_allclose(out.numpy(), IMAGE.transpose(2, 0, 1) / 255, rtol=1e-6)
    assert F.to_tensor(IMAGE, "HWC").shape == [6, 5, 3] and F.to_tensor(IMAGE[..., 0]).shape == [1, 6, 5]
    assert F.to_tensor(IMAGE.astype("float64")).dtype == paddle.float64
    assert F.to_tensor(pil()).shape == [3, 6, 5]


def test_normalize():
    x = IMAGE.astype("float32")
    np.testing.assert_allclose(F.normalize(IMAGE, [1, 2, 3], [2, 2, 4], "HWC"), (x - [1, 2, 3]) / [2, 2, 4], rtol=1e-6)
    np.testing.assert_allclose(F.normalize(IMAGE, [0] * 3, [1] * 3, "HWC", to_rgb=True), x[..., ::-1])
    out = T.Normalize(0.5, 0.25)(tensor())
    np.testing.assert_allclose(out.numpy(), (tensor().numpy() - 0.5) / 0.25, rtol=1e-5)


def test_erase_writes_a_rectangle():
    out = F.erase(IMAGE, 1, 1, 2, 2, 9)
    assert (out[1:3, 1:3] == 9).all() and (out[0] == IMAGE[0]).all() and not (IMAGE[1:3, 1:3] == 9).all()
    x = tensor()
    assert F.erase(x, 1, 1, 2, 2, 0.5, inplace=True) is x and float(x[0, 1, 1]) == 0.5


RANDOM = [
    T.RandomCrop(3),
    T.RandomCrop(8, padding=1, pad_if_needed=True),
    T.RandomResizedCrop(4),
    T.RandomHorizontalFlip(),
    T.RandomVerticalFlip(),
    T.ColorJitter(0.4, 0.4, 0.4, 0.2),
    T.RandomRotation(30),
    T.RandomAffine(30, (0.2, 0.2), (0.5, 1.5), 10),
    T.RandomPerspective(1.0),
    T.RandomErasing(1.0, value="random"),
    T.RandomErasing(1.0, value=[1, 2, 3]),
]


@pytest.mark.parametrize("transform", RANDOM, ids=lambda t: type(t).__name__)
def test_random_transforms_follow_the_seed(transform):
    for image in (IMAGE, tensor()):
        results = []
        for seed in (1, 1, 2, 3, 4, 5):
            random.seed(seed)
            np.random.seed(seed)
            paddle.seed(seed)
            results.append(as_array(transform(image)))
        np.testing.assert_array_equal(results[0], results[1])
        assert any(r.shape != results[0].shape or (r != results[0]).any() for r in results[2:])


def test_compose_and_keys():
    both = T.Compose([T.CenterCrop(4, keys=("image",)), T.ToTensor(keys=("image",))])((IMAGE, 3))
    assert both[0].shape == [3, 4, 4] and both[1] == 3
    assert "Compose" in repr(T.Compose([T.Resize(3)]))
    assert T.Transpose()(IMAGE).shape == (3, 6, 5) and T.Grayscale()(IMAGE).shape == (6, 5, 1)

    class Shift(T.BaseTransform):
        def _get_params(self, inputs):
            return len(inputs)

        def _apply_image(self, image):
            return image + self.params

        def _apply_boxes(self, boxes):
            return boxes * 10

    assert Shift(keys=("image", "boxes"))((1, 2)) == (3, 20)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: T.Resize(3, keys=("image", "label")), NotImplementedError),
        (lambda: T.BrightnessTransform(-1), ValueError),
        (lambda: T.RandomRotation(-1), ValueError),
        (lambda: T.RandomErasing(2.0), AssertionError),
        (lambda: T.RandomCrop(9)(IMAGE), ValueError),
        (lambda: F.to_tensor(3), TypeError),
        (lambda: F.to_tensor(IMAGE, "XX"), ValueError),
        (lambda: F.resize(IMAGE, 3, "magic"), ValueError),
        (lambda: F.pad(IMAGE, (1, 2, 3)), ValueError),
        (lambda: F.pad(IMAGE, 1, padding_mode="magic"), AssertionError),
        (lambda: F.adjust_hue(IMAGE, 2), ValueError),
        (lambda: F.affine(IMAGE, 0, (0, 0), -1, 0), ValueError),
        (lambda: F.perspective(IMAGE, [(0, 0)], [(0, 0)]), ValueError),
    ],
)
def test_wrong_arguments_are_refused(call, error):
    with pytest.raises(error):
        call()


def test_images_are_read_with_the_chosen_backend(tmp_path):
    from paddle import vision

    pil().save(tmp_path / "a.png")
    assert np.asarray(vision.image_load(tmp_path / "a.png")).shape == (6, 5, 3)
    assert vision.image_load(tmp_path / "a.png", backend="tensor").shape == [3, 6, 5]
    with pytest.raises(ValueError, match="backend"):
        vision.set_image_backend("magic")
    assert vision.get_image_backend() == "pil"


def test_settings_of_transforms_that_are_refused():
    refused = [
        (ValueError, lambda: F.resize(IMAGE, -1)),
        (ValueError, lambda: F.resize(tensor(), (0, 3))),
        (TypeError, lambda: F.pad(IMAGE, 1, padding_mode=-1)),
        (ValueError, lambda: T.RandomAffine(10, center=(1, 2, 3))),
        (TypeError, lambda: T.RandomAffine(10, center=1)),
        (NotImplementedError, lambda: T.Pad(1, keys="a")),
        (ValueError, lambda: T.Pad(1, keys=1)),
        (ValueError, lambda: T.Pad([1, 2, 3])),
        (AssertionError, lambda: T.Pad("a")),
        (AssertionError, lambda: T.Pad(1, padding_mode="round")),
        (ValueError, lambda: T.RandomErasing(value="0")),
    ]
    for error, call in refused:
        with pytest.raises(error):
            call()
    for setting in ({"scale": 0.5}, {"ratio": 0.8}, {"scale": (10, 0.4)}, {"ratio": (3.3, 0.3)}, {"prob": 1.5}):
        with pytest.raises(AssertionError, match="prob|scale|ratio"):
            T.RandomErasing(**setting)
