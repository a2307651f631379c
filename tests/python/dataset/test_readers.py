# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Readers of small datasets, from files in the originals' formats; the values are noted from PaddlePaddle 3.3.1."""

import gzip
import io
import itertools
import pickle
import re
import struct
import tarfile
import zipfile

import numpy as np
import paddle
import pytest
from paddle.dataset import (
    cifar,
    common,
    conll05,
    flowers,
    imdb,
    imikolov,
    mnist,
    movielens,
    uci_housing,
    voc2012,
    wmt14,
    wmt16,
)

MODULES = (cifar, conll05, flowers, imdb, imikolov, mnist, movielens, uci_housing, voc2012, wmt14, wmt16)


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setattr(common, "DATA_HOME", str(tmp_path))
    for module in MODULES:
        for name in vars(module):
            if "MD5" in name:
                monkeypatch.setattr(module, name, None)
    return tmp_path


def archive(path, members):
    path.parent.mkdir(exist_ok=True)
    with tarfile.open(path, "w:gz") as tar:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))


def test_cifar(home):
    images = np.arange(2 * 3072).reshape(2, 3072).astype("uint8")
    batch = pickle.dumps({b"data": images, b"labels": [7, 3]}, protocol=2)
    fine = pickle.dumps({b"data": images[:1], b"fine_labels": [88], b"coarse_labels": [1]}, protocol=2)
    members = {"a/data_batch_2": batch, "a/data_batch_1": batch, "a/test_batch": batch}
    archive(home / "cifar" / "cifar-10-python.tar.gz", members)
    archive(home / "cifar" / "cifar-100-python.tar.gz", {"b/train": fine, "b/test": fine})
    samples = list(cifar.train10()())
    assert [label for _, label in samples] == [7, 3, 7, 3] and len(list(cifar.test10()())) == 2
    assert samples[1][0].dtype == np.float32
    np.testing.assert_array_equal(samples[1][0], (images[1] / 255.0).astype("float32"))
    assert [label for _, label in cifar.train100()()] == [88] == [label for _, label in cifar.test100()()]
    assert [label for _, label in itertools.islice(cifar.test10(cycle=True)(), 5)] == [7, 3, 7, 3, 7]


def test_mnist(home):
    pixels = np.arange(3 * 784).astype("uint8")
    (home / "mnist").mkdir()
    for part in ("train", "t10k"):
        images = struct.pack(">IIII", 2051, 3, 28, 28) + pixels.tobytes()
        (home / "mnist" / f"{part}-images-idx3-ubyte.gz").write_bytes(gzip.compress(images))
        labels = struct.pack(">II", 2049, 3) + bytes([4, 0, 9])
        (home / "mnist" / f"{part}-labels-idx1-ubyte.gz").write_bytes(gzip.compress(labels))
    for reader in (mnist.train(), mnist.test()):
        samples = list(reader())
        assert [label for _, label in samples] == [4, 0, 9] and samples[0][0].dtype == np.float32
        np.testing.assert_allclose(samples[2][0], pixels[2 * 784 :] / 127.5 - 1, atol=1e-6)


def test_imdb(home):
    texts = ["A great, great movie!", "great fun movie", "A bad movie. bad", "fun great", 'movie movie terrible "bad"']
    parts = ["train/pos", "train/pos", "train/neg", "test/pos", "test/neg"]
    members = {
        f"aclImdb/{part}/{i}_7.txt": text.encode() for i, (part, text) in enumerate(zip(parts, texts, strict=True))
    }
    archive(home / "imdb" / "imdb%2FaclImdb_v1.tar.gz", members)
    every = re.compile(r"aclImdb/((train)|(test))/((pos)|(neg))/.*\.txt$")
    known = {b"movie": 0, b"great": 1, b"bad": 2, b"a": 3, b"fun": 4}
    assert imdb.build_dict(every, 1) == {**known, "<unk>": 5}
    words = imdb.build_dict(every, 0)
    assert words == {**known, b"terrible": 5, "<unk>": 6}
    assert list(imdb.train(words)()) == [([3, 1, 1, 0], 0), ([1, 4, 0], 0), ([3, 2, 0, 2], 1)]
    assert list(imdb.test(words)()) == [([4, 1], 0), ([0, 0, 5, 2], 1)]
    assert imdb.word_dict() == {"<unk>": 0}


def test_imikolov(home):
    train = b" the cat sat on the mat \n the dog sat \n a <unk> cat \n\n\n\n\n\n\n\n"
    base = "./simple-examples/data/ptb."
    members = {f"{base}train.txt": train, f"{base}valid.txt": b" the cat ran \n a mat sat on the cat \n"}
    archive(home / "imikolov" / "imikolov%2Fsimple-examples.tgz", members)
    frequent = {"<e>": 0, "<s>": 1, b"the": 2, b"cat": 3, b"sat": 4, b"a": 5, b"mat": 6, b"on": 7}
    assert imikolov.build_dict(1) == {**frequent, "<unk>": 8}
    words = imikolov.build_dict(0)
    assert words == {**frequent, b"<unk>": 8, b"dog": 9, b"ran": 10, "<unk>": 11}
    windows = [(1, 2, 3), (2, 3, 10), (3, 10, 0), (1, 5, 6), (5, 6, 4), (6, 4, 7), (4, 7, 2), (7, 2, 3), (2, 3, 0)]
    assert list(imikolov.test(words, 3)()) == windows
    pairs = imikolov.test(words, 6, imikolov.DataType.SEQ)
    assert list(pairs()) == [([1, 2, 3, 10], [2, 3, 10, 0])]
    assert list(imikolov.train(words, 2)())[-1] == (1, 0)
    with pytest.raises(AssertionError, match="data_type"):
        list(imikolov.train(words, 2, 5)())


def test_movielens(home):
    films = (
        "1::Toy Story (1995)::Animation|Children's\n2::Jumanji (1995)::Adventure\n5::Caf\xe9 Heat (1996)::Adventure\n"
    )
    users = "1::F::1::10::48067\n2::M::56::16::70072\n"
    ratings = [(1, 1, 5), (1, 2, 3), (2, 5, 4), (2, 1, 1)] * 4
    (home / "movielens").mkdir()
    with zipfile.ZipFile(home / "movielens" / "movielens%2Fml-1m.zip", "w") as file:
        file.writestr("ml-1m/movies.dat", films.encode("latin"))
        file.writestr("ml-1m/users.dat", users)
        file.writestr("ml-1m/ratings.dat", "".join(f"{u}::{m}::{s}::978301\n" for u, m, s in ratings))
    cached = movielens.movie_info, movielens.user_info, movielens.get_movie_title_dict, movielens.movie_categories
    for function in cached:
        function.cache_clear()
    try:
        assert (movielens.max_movie_id(), movielens.max_user_id(), movielens.max_job_id()) == (5, 2, 16)
        assert movielens.get_movie_title_dict() == {"café": 0, "heat": 1, "jumanji": 2, "story": 3, "toy": 4}
        assert movielens.movie_categories() == {"Adventure": 0, "Animation": 1, "Children's": 2}
        title = "<MovieInfo id(1), title(Toy Story ), categories(['Animation', \"Children's\"])>"
        assert repr(movielens.movie_info()[1]) == title
        # The generator of seed 0 draws numbers below 0.1 at the places 14 and 15.
        assert list(movielens.test()()) == [
            [2, 0, 6, 16, 5, [0], [0, 1], [3.0]],
            [2, 0, 6, 16, 1, [1, 2], [4, 3], [-3.0]],
        ]
        assert len(list(movielens.train()())) == 14
    finally:
        for function in cached:
            function.cache_clear()


def test_uci_housing(home):
    rows = np.arange(140, dtype="float64").reshape(10, 14)
    (home / "uci_housing").mkdir()
    np.savetxt(home / "uci_housing" / "housing.data", rows)
    train, test = list(uci_housing.train()()), list(uci_housing.test()())
    assert (len(train), len(test)) == (8, 2)
    np.testing.assert_allclose(train[0][0], -0.5 * np.ones(13), atol=1e-12)
    np.testing.assert_allclose(test[1][1], [139.0])


def test_conll05(home):
    words = "The\ncat\nsat\n.\n\nDogs\nbark\nand\nrun\n\n"
    props = "- (A0*\n- *)\nsit (V*)\n- *\n\n- (A0*) (A0*)\nbark (V*) *\n- * *\nrun * (V*)\n\n"
    base = "conll05st-release/test.wsj"
    members = {
        f"{base}/words/test.wsj.words.gz": gzip.compress(words.encode()),
        f"{base}/props/test.wsj.props.gz": gzip.compress(props.encode()),
    }
    archive(home / "conll05st" / "conll05st-tests.tar.gz", members)
    for name, text in {
        "wordDict": "<unk>\nbos\neos\nThe\ncat\nsat\nDogs\nbark\nand\nrun\n",
        "verbDict": "sit\nbark\nrun\n",
        "targetDict": "B-A0\nI-A0\nB-V\nI-V\nO\n",
    }.items():
        (home / "conll05st" / f"conll05st%2F{name}.txt").write_text(text)
    samples = list(conll05.test()())
    columns = [[3, 4, 5, 0], [3] * 4, [4] * 4, [5] * 4, [0] * 4, [2] * 4, [0] * 4, [1] * 4, [0, 1, 2, 4]]
    assert samples[0] == tuple(columns)
    assert samples[2][0] == [6, 7, 8, 9] and samples[2][6] == [2] * 4 and samples[2][8] == [0, 4, 4, 2]
    assert conll05.get_dict()[2] == {"B-A0": 0, "I-A0": 1, "B-V": 2, "I-V": 3, "O": 4}


def test_wmt14(home):
    archive(
        home / "wmt14" / "wmt14.tgz",
        {
            "wmt14/src.dict": b"<s>\n<e>\n<unk>\nle\nchat\nest\nici\n",
            "wmt14/trg.dict": b"<s>\n<e>\n<unk>\nthe\ncat\nis\nhere\n",
            "wmt14/train/train": b"le chat est\tthe cat is\nici\there now\nbroken\n" + b"le " * 81 + b"\tthe\n",
            "wmt14/test/test": b"chat ici\tcat here\n",
            "wmt14/gen/gen": b"le chien\tthe dog\n",
        },
    )
    assert list(wmt14.train(5)()) == [
        ([0, 3, 4, 2, 1], [0, 3, 4, 2], [3, 4, 2, 1]),
        ([0, 2, 1], [0, 2, 2], [2, 2, 1]),
    ]
    assert list(wmt14.test(7)()) == [([0, 4, 6, 1], [0, 4, 6], [4, 6, 1])]
    assert list(wmt14.gen(7)()) == [([0, 3, 2, 1], [0, 3, 2], [3, 2, 1])]
    assert wmt14.get_dict(4)[1] == {0: "<s>", 1: "<e>", 2: "<unk>", 3: "the"}
    assert wmt14.get_dict(4, False)[0] == {"<s>": 0, "<e>": 1, "<unk>": 2, "le": 3}


def test_wmt16(home):
    train = b"a cat sat\teine katze sass\na dog\tein hund\na cat\teine katze\nbad\n"
    members = {"wmt16/train": train, "wmt16/test": b"a dog sat\tein hund sass\n", "wmt16/val": b"the cat\tdie katze\n"}
    archive(home / "wmt16" / "wmt16.tar.gz", members)
    assert list(wmt16.train(6, 6)()) == [
        ([0, 3, 4, 5, 1], [0, 3, 4, 5], [3, 4, 5, 1]),
        ([0, 3, 2, 1], [0, 2, 2], [2, 2, 1]),
        ([0, 3, 4, 1], [0, 3, 4], [3, 4, 1]),
    ]
    assert list(wmt16.test(20, 20, "de")()) == [([0, 6, 7, 5, 1], [0, 3, 6, 5], [3, 6, 5, 1])]
    assert list(wmt16.validation(6, 7)()) == [([0, 2, 4, 1], [0, 2, 4], [2, 4, 1])]
    assert wmt16.get_dict("en", 6) == {"<s>": 0, "<e>": 1, "<unk>": 2, "a": 3, "cat": 4, "sat": 5}
    assert wmt16.get_dict("de", 6, True)[5] == "sass"
    with pytest.raises(AssertionError, match="no dictionary"):
        wmt16.get_dict("en", 11)
    with pytest.raises(ValueError, match="src_lang"):
        wmt16.train(5, 5, "fr")


def test_voc2012_and_flowers(home):
    images = pytest.importorskip("PIL.Image", reason="the archives hold images that Pillow writes")
    scio = pytest.importorskip("scipy.io", reason="labels of flowers are a MATLAB file")

    def encoded(pixels, form, mode=None):
        file = io.BytesIO()
        images.fromarray(pixels, mode).save(file, form)
        return file.getvalue()

    color = np.full((30, 40, 3), 90, "uint8")
    classes = (np.arange(1200).reshape(30, 40) % 21).astype("uint8")
    base = "VOCdevkit/VOC2012/"
    archive(
        home / "voc2012" / "VOCtrainval_11-May-2012.tar",
        {
            f"{base}ImageSets/Segmentation/val.txt": b"2007_3\n",
            f"{base}JPEGImages/2007_3.jpg": encoded(color, "JPEG"),
            f"{base}SegmentationClass/2007_3.png": encoded(classes, "PNG"),
        },
    )
    ((image, labels),) = voc2012.val()()
    assert image.shape == (30, 40, 3)
    np.testing.assert_array_equal(labels, classes)
    big = np.full((280, 300, 3), 120, "uint8")
    archive(home / "flowers" / "102flowers.tgz", {f"jpg/image_0000{i}.jpg": encoded(big, "JPEG") for i in range(1, 6)})
    scio.savemat(home / "flowers" / "imagelabels.mat", {"labels": np.array([[3, 1, 2, 5, 4]])})
    sets = {"trnid": np.array([[1, 2]]), "tstid": np.array([[3, 4]]), "valid": np.array([[5]])}
    scio.savemat(home / "flowers" / "setid.mat", sets)
    samples = list(flowers.train(use_xmap=False)())
    assert [label for _, label in samples] == [1, 4] and samples[0][0].shape == (3 * 224 * 224,)
    np.testing.assert_allclose(samples[0][0][:1], [120 - 103.94], atol=2)
    assert [label for _, label in flowers.test()()] == [2, 0]


def test_a_missing_file_is_named(home, monkeypatch):
    monkeypatch.setattr(imdb, "URL", "file:///nowhere/aclImdb_v1.tar.gz")
    with pytest.raises(RuntimeError, match="put the file at .*imdb/aclImdb_v1.tar.gz by hand"):
        imdb.word_dict()


def test_split_and_cluster_files_reader(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    common.split(lambda: range(5), 2, suffix="part-%d.pickle")
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"part-{i}.pickle" for i in range(3)]
    shares = [list(common.cluster_files_reader("part-*.pickle", 2, i)()) for i in range(2)]
    assert shares == [[0, 1, 4], [2, 3]]
    assert paddle.dataset.common.must_mkdirs(tmp_path / "a" / "b") is None and (tmp_path / "a" / "b").is_dir()
