# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Images as arrays; the values are noted from PaddlePaddle 3.3.1 with OpenCV."""

import io
import pickle
import tarfile

import numpy as np
import pytest
from paddle.dataset import image

PIXELS = (np.arange(30 * 50 * 3) % 251).reshape(30, 50, 3).astype("uint8")


def test_resize_short():
    assert image.resize_short(PIXELS, 12).shape == (12, 20, 3)
    assert image.resize_short(PIXELS, 60).shape == (60, 100, 3)
    gray = np.tile(np.arange(0, 250, 5, dtype="uint8"), (30, 1))
    assert image.resize_short(gray, 12).shape == (12, 20)
    np.testing.assert_allclose(image.resize_short(gray, 12)[4, 5:8].astype(int), [66, 79, 91], atol=1)


def test_crops_and_flip():
    np.testing.assert_array_equal(image.center_crop(PIXELS, 20), PIXELS[5:25, 15:35])
    np.testing.assert_array_equal(image.left_right_flip(PIXELS), PIXELS[:, ::-1])
    assert image.to_chw(PIXELS).shape == (3, 30, 50)
    np.random.seed(3)
    np.testing.assert_array_equal(image.random_crop(PIXELS, 20)[0, 0], [66, 67, 68])


def test_simple_transform():
    plain = image.simple_transform(PIXELS, 24, 20, False)
    assert plain.shape == (3, 20, 20) and plain.dtype == np.float32
    centred = image.simple_transform(PIXELS, 24, 20, False, mean=[1.0, 2.0, 3.0])
    np.testing.assert_array_equal(plain - centred, np.ones((3, 20, 20)) * np.arange(1, 4)[:, None, None])
    assert image.simple_transform(PIXELS[:, :, 0], 24, 20, False, is_color=False).shape == (20, 20)
    with pytest.raises(AssertionError):
        image.simple_transform(PIXELS[:, :, 0], 24, 20, False, is_color=False, mean=1.0)
    # A crop draws two numbers and a flip one.
    np.random.seed(3)
    image.simple_transform(PIXELS, 24, 20, True)
    after = np.random.rand()
    np.random.seed(3)
    [np.random.randint(n) for n in (5, 21, 2)]
    assert after == np.random.rand()


def test_batches_of_an_archive(tmp_path):
    path = tmp_path / "images.tar"
    with tarfile.open(path, "w") as file:
        for i in range(4):
            info = tarfile.TarInfo(f"{i}.jpg")
            info.size = 2
            file.addfile(info, io.BytesIO(b"x%d" % i))
    listing = image.batch_images_from_tar(str(path), "train", {"0.jpg": 5, "2.jpg": 6, "3.jpg": 7}, num_per_batch=2)
    batches = [pickle.loads(open(line.strip(), "rb").read()) for line in open(listing)]
    assert batches == [{"label": [5, 6], "data": [b"x0", b"x2"]}, {"label": [7], "data": [b"x3"]}]


def test_reading(tmp_path):
    images = pytest.importorskip("PIL.Image", reason="the test writes an image with Pillow")
    path = tmp_path / "a.png"
    images.fromarray(PIXELS).save(path)
    np.testing.assert_array_equal(image.load_image(str(path)), PIXELS[:, :, ::-1])
    assert image.load_image(str(path), is_color=False).shape == (30, 50)
