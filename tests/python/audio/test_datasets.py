# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Audio datasets from local files."""

import wave

import numpy as np
import paddle
import pytest
from paddle.dataset import common

NAMES = ["OAF_back_angry", "OAF_bar_sad", "OAF_zoo_fear", "YAF_cat_happy", "YAF_dog_ps"]


def write(path, samples):
    path.parent.mkdir(parents=True, exist_ok=True)
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, 8000, 0, "NONE", ""))
        file.writeframes(samples.astype("<i2").tobytes())


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setattr(common, "DATA_HOME", str(tmp_path))
    sound = (np.sin(np.arange(2000) * 0.1) * 2**14).astype("<i2")
    for name in NAMES:
        write(tmp_path / "TESS_Toronto_emotional_speech_set" / name[:3] / f"{name}.wav", sound)
    meta = tmp_path / "ESC-50-master" / "meta" / "esc50.csv"
    meta.parent.mkdir(parents=True)
    lines = ["filename,fold,target,category,esc10,src_file,take"]
    for k in range(6):
        write(tmp_path / "ESC-50-master" / "audio" / f"{k}.wav", sound // (k + 1))
        lines.append(f"{k}.wav,{k % 5 + 1},{k},dog,True,1,A")
    meta.write_text("\n".join(lines) + "\n")
    return sound


def test_esc50_leaves_out_one_fold(home):
    train = paddle.audio.datasets.ESC50(mode="train", split=1)
    assert [label for _, label in train] == [1, 2, 3, 4]
    other = paddle.audio.datasets.ESC50(mode="dev", split=1)
    assert [label for _, label in other] == [0, 5]
    np.testing.assert_array_equal(other[0][0].numpy(), home.astype("float32") / 2**15)
    assert len(paddle.audio.datasets.ESC50.label_list) == 50


def test_tess_takes_labels_from_names(home):
    train = paddle.audio.datasets.TESS(mode="train", n_folds=5, split=2)
    label_list = paddle.audio.datasets.TESS.label_list
    assert [label_list[label] for _, label in train] == ["angry", "fear", "happy", "ps"]
    assert [label_list[label] for _, label in paddle.audio.datasets.TESS(mode="dev", split=2)] == ["sad"]


def test_features_are_made_on_the_way(home):
    feature, _ = paddle.audio.datasets.ESC50(feat_type="mfcc", n_mfcc=13)[0]
    assert feature.shape == [13, 16]
    feature, _ = paddle.audio.datasets.TESS(feat_type="spectrogram", n_fft=64)[0]
    assert feature.shape == [33, 4]
    with pytest.raises(RuntimeError, match="feat_type"):
        paddle.audio.datasets.ESC50(feat_type="x")
    with pytest.raises(AssertionError, match="split"):
        paddle.audio.datasets.TESS(split=9)
