# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""A dataset of sound files with labels, read as waveforms or as spectral features."""

import os

from ...io import Dataset
from ...utils import dataset_files
from .. import features
from ..backends.wave_backend import load

_FEATURES = {
    "raw": None,
    "spectrogram": features.Spectrogram,
    "melspectrogram": features.MelSpectrogram,
    "logmelspectrogram": features.LogMelSpectrogram,
    "mfcc": features.MFCC,
}


class AudioClassificationDataset(Dataset):
    """Sound files and their labels.

    Args:
        files: Paths of wave files with one channel.
        labels: Label of each file.
        feat_type: "raw", "spectrogram", "melspectrogram", "logmelspectrogram" or "mfcc".
        sample_rate: Frames per second that features are made for; that of each file if None.
        **kwargs: Arguments of the feature layer.

    Raises:
        RuntimeError: feat_type is unknown.
    """

    def __init__(self, files, labels, feat_type="raw", sample_rate=None, **kwargs):
        super().__init__()
        if feat_type not in _FEATURES:
            raise RuntimeError(
                f"{type(self).__name__}: feat_type has value {feat_type!r}; it must be one of {list(_FEATURES)}."
            )
        self.files, self.labels = files, labels
        self.feat_type, self.sample_rate, self.feat_config = feat_type, sample_rate, kwargs

    def __getitem__(self, idx):
        waveform, sample_rate = load(self.files[idx])
        waveform = waveform.squeeze(0)
        kind = _FEATURES[self.feat_type]
        if kind is None:
            return waveform, self.labels[idx]
        options = dict(self.feat_config)
        if kind is not features.Spectrogram:
            options["sr"] = self.sample_rate or sample_rate
        return kind(**options)(waveform.unsqueeze(0)).squeeze(0), self.labels[idx]

    def __len__(self):
        return len(self.files)


def local_folder(archive, folder, name):
    """DATA_HOME, once it holds a folder of the archive (fetched and unpacked if it does not)."""
    if not os.path.isdir(os.path.join(dataset_files.DATA_HOME, folder)):
        dataset_files.get_path_from_url(archive["url"], dataset_files.DATA_HOME, archive.get("md5"), decompress=True)
    if not os.path.isdir(os.path.join(dataset_files.DATA_HOME, folder)):
        raise RuntimeError(f"{name}: the archive {archive['url']} holds no folder {folder}.")
    return dataset_files.DATA_HOME


def check_split(name, split, folds):
    """AssertionError unless split is the number of a fold."""
    if not isinstance(folds, int) or folds < 1:
        raise AssertionError(f"{name}: n_folds has value {folds!r}; it must be an int of at least 1.")
    if not isinstance(split, int) or not 1 <= split <= folds:
        raise AssertionError(f"{name}: split has value {split!r}; it must be an int from 1 to {folds}.")
