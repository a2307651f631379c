# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Image datasets from small files written here."""

import gzip
import io
import pickle
import struct
import tarfile

import numpy as np
import paddle
import pytest
from paddle.vision import datasets


def add(archive, name, data):
    info = tarfile.TarInfo(name)
    info.size = len(data)
    archive.addfile(info, io.BytesIO(data))


@pytest.fixture
def idx(tmp_path):
    images = np.arange(3 * 784, dtype="int64").astype("uint8")
    for name, head, data in (
        ("images.gz", struct.pack(">IIII", 2051, 3, 28, 28), images.tobytes()),
        ("labels.gz", struct.pack(">II", 2049, 3), bytes([7, 1, 2])),
    ):
        with gzip.open(tmp_path / name, "wb") as f:
            f.write(head + data)
    return str(tmp_path / "images.gz"), str(tmp_path / "labels.gz")


def test_mnist_as_arrays(idx):
    data = datasets.MNIST(*idx, backend="cv2")
    image, label = data[1]
    assert len(data) == 3 and image.shape == (28, 28) and image.dtype == np.float32
    assert image[0, 1] == 785 % 256 and label.tolist() == [1] and label.dtype == np.int64
    x, y = next(iter(paddle.io.DataLoader(data, batch_size=2, num_workers=1)))
    assert x.shape == [2, 28, 28] and y.tolist() == [[7], [1]]


def test_mnist_as_pil_images(idx):
    pytest.importorskip("PIL")
    image, _ = datasets.MNIST(*idx, transform=paddle.vision.transforms.ToTensor())[0]
    assert image.shape == [1, 28, 28] and float(image[0, 0, 3]) == pytest.approx(3 / 255)


def test_broken_and_missing_files_are_refused(idx, tmp_path):
    with pytest.raises(ValueError, match="no IDX file"):
        datasets.MNIST(idx[1], idx[0])
    (tmp_path / "short").write_bytes(struct.pack(">IIII", 2051, 3, 28, 28) + bytes(10))
    with pytest.raises(ValueError, match="cut off"):
        datasets.MNIST(str(tmp_path / "short"), idx[1])
    with pytest.raises(FileNotFoundError, match="not there"):
        datasets.MNIST(str(tmp_path / "none"), idx[1])
    with pytest.raises(AssertionError, match="download"):
        datasets.FashionMNIST(download=False)
    with pytest.raises(AssertionError, match="mode"):
        datasets.MNIST(*idx, mode="magic")


def test_cifar(tmp_path):
    with tarfile.open(tmp_path / "c.tgz", "w:gz") as archive:
        for name, count in [(f"data_batch_{i}", 2) for i in range(1, 6)] + [("test_batch", 3)]:
            values = np.arange(count * 3072).reshape(count, 3072).astype("uint8")
            add(archive, "cifar-10-batches-py/" + name, pickle.dumps({b"data": values, b"labels": list(range(count))}))
    data = datasets.Cifar10(str(tmp_path / "c.tgz"), mode="train", backend="cv2")
    image, label = data[1]
    assert len(data) == 10 and image.shape == (32, 32, 3) and image.dtype == np.float32 and int(label) == 1
    assert image[0, 1].tolist() == [(3072 + 1024 * c + 1) % 256 for c in range(3)]
    assert len(datasets.Cifar10(str(tmp_path / "c.tgz"), mode="test", backend="cv2")) == 3


def test_cifar_refuses_pickles_of_code(tmp_path):
    class Evil:
        def __reduce__(self):
            return print, ("run",)

    with tarfile.open(tmp_path / "c.tgz", "w:gz") as archive:
        add(archive, "test_batch", pickle.dumps(Evil()))
    with pytest.raises(pickle.UnpicklingError, match="refused"):
        datasets.Cifar10(str(tmp_path / "c.tgz"), mode="test", backend="cv2")


@pytest.mark.parametrize(
    "content, message",
    [
        (pickle.dumps({b"data": "x" * 9})[:-4] + b"\xff\xfe\xff.", "damaged"),
        (b"\x80\x04\x8c\x02\xff\xfe.", "damaged"),
        (pickle.dumps([1]), "holds no batch but a list"),
        (pickle.dumps({b"data": np.zeros((2, 5)), b"labels": [1, 2]}), "lacks"),
        (pickle.dumps({b"data": np.zeros((2, 3072), "uint8"), b"labels": [1]}), "2 images and 1 labels"),
    ],
)
def test_cifar_names_a_damaged_member(tmp_path, content, message):
    with tarfile.open(tmp_path / "c.tgz", "w:gz") as archive:
        add(archive, "test_batch", content)
    with pytest.raises(ValueError, match=message) as raised:
        datasets.Cifar10(str(tmp_path / "c.tgz"), mode="test", backend="cv2")
    assert "c.tgz" in str(raised.value) and type(raised.value) is ValueError


def test_folders_are_classes(tmp_path):
    for name in ("a/1.txt", "a/2.txt", "b/3.txt", "b/other.bin"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)

    def read(path):
        return open(path).read()

    data = datasets.DatasetFolder(str(tmp_path), loader=read, extensions=(".txt",), transform=str.upper)
    assert data.classes == ["a", "b"] and data.class_to_idx == {"a": 0, "b": 1} and data.targets == [0, 0, 1]
    assert len(data) == 3 and data[2] == ("B/3.TXT", 1)
    flat = datasets.ImageFolder(str(tmp_path), loader=read, is_valid_file=lambda p: p.endswith(".bin"))
    assert len(flat) == 1 and flat[0] == ["b/other.bin"]
    with pytest.raises(RuntimeError, match="no file"):
        datasets.DatasetFolder(str(tmp_path))


def test_photographs_of_archives(tmp_path):
    image = pytest.importorskip("PIL.Image")
    base = "VOCdevkit/VOC2012/"
    with tarfile.open(tmp_path / "voc.tar", "w") as archive:
        add(archive, base + "ImageSets/Segmentation/val.txt", b"a\nb\n")
        for i, name in enumerate("ab"):
            for folder, shape, form in (("JPEGImages", (4, 5, 3), "jpg"), ("SegmentationClass", (4, 5), "png")):
                data = io.BytesIO()
                image.fromarray(np.full(shape, i + 3, "uint8")).save(data, {"jpg": "JPEG", "png": "PNG"}[form])
                add(archive, f"{base}{folder}/{name}.{form}", data.getvalue())
    data = datasets.VOC2012(str(tmp_path / "voc.tar"), mode="valid", backend="cv2")
    batches = list(paddle.io.DataLoader(data, batch_size=1, num_workers=2))
    assert [int(label.max()) for _, label in batches] == [3, 4] and batches[0][0].shape == [1, 4, 5, 3]
