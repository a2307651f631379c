# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""TESS: 2800 spoken words in seven emotions (Pichora-Fuller and Dupuis, 2020)."""

import collections
import os

from .dataset import AudioClassificationDataset, check_split, local_folder


class TESS(AudioClassificationDataset):
    """Words spoken in seven emotions.

    Args:
        mode: "train" for all folds but one, else that one.
        n_folds: Number of folds.
        split: The fold that is left out of training, from 1 to n_folds.
        feat_type: "raw", "spectrogram", "melspectrogram", "logmelspectrogram" or "mfcc".
        archive: {"url", "md5"} of another archive of the same contents.
        **kwargs: Arguments of the feature layer.

    Raises:
        AssertionError: split is no fold.
        RuntimeError: feat_type is unknown, or the archive cannot be fetched.
    """

    archive = {
        "url": "https://bj.bcebos.com/paddleaudio/datasets/TESS_Toronto_emotional_speech_set.zip",
        "md5": "1465311b24d1de704c4c63e4ccc470c7",
    }
    label_list = ["angry", "disgust", "fear", "happy", "neutral", "ps", "sad"]
    meta_info = collections.namedtuple("META_INFO", ("speaker", "word", "emotion"))
    audio_path = "TESS_Toronto_emotional_speech_set"

    def __init__(self, mode="train", n_folds=5, split=1, feat_type="raw", archive=None, **kwargs):
        check_split("TESS", split, n_folds)
        if archive is not None:
            self.archive = archive
        files, labels = self._get_data(mode, n_folds, split)
        super().__init__(files=files, labels=labels, feat_type=feat_type, **kwargs)

    def _get_meta_info(self, files):
        return [self.meta_info(*os.path.basename(one)[: -len(".wav")].split("_")) for one in files]

    def _get_data(self, mode, n_folds, split):
        home = local_folder(self.archive, self.audio_path, "TESS")
        found = os.walk(os.path.join(home, self.audio_path))
        files = sorted(os.path.join(root, one) for root, _, names in found for one in names if one.endswith(".wav"))
        # Folds go round in the order of the names, so that they do not depend on the file system.
        chosen = [i for i in range(len(files)) if (i % n_folds + 1 != split) == (mode == "train")]
        described = self._get_meta_info(files)
        return [files[i] for i in chosen], [self.label_list.index(described[i].emotion) for i in chosen]
