# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""ESC-50: 2000 environmental sounds in 50 classes (Piczak, 2015)."""

import collections
import csv
import os

from .dataset import AudioClassificationDataset, check_split, local_folder


class ESC50(AudioClassificationDataset):
    """Environmental sounds of five seconds in 50 classes, in five folds.

    Args:
        mode: "train" for all folds but one, else that one.
        split: The fold that is left out of training, from 1 to 5.
        feat_type: "raw", "spectrogram", "melspectrogram", "logmelspectrogram" or "mfcc".
        archive: {"url", "md5"} of another archive of the same contents.
        **kwargs: Arguments of the feature layer.

    Raises:
        AssertionError: split is no fold.
        RuntimeError: feat_type is unknown, or the archive cannot be fetched.
    """

    archive = {
        "url": "https://paddleaudio.bj.bcebos.com/datasets/ESC-50-master.zip",
        "md5": "7771e4b9d86d0945acce719c7a59305a",
    }
    label_list = [
        "Dog",
        "Rooster",
        "Pig",
        "Cow",
        "Frog",
        "Cat",
        "Hen",
        "Insects (flying)",
        "Sheep",
        "Crow",
        "Rain",
        "Sea waves",
        "Crackling fire",
        "Crickets",
        "Chirping birds",
        "Water drops",
        "Wind",
        "Pouring water",
        "Toilet flush",
        "Thunderstorm",
        "Crying baby",
        "Sneezing",
        "Clapping",
        "Breathing",
        "Coughing",
        "Footsteps",
        "Laughing",
        "Brushing teeth",
        "Snoring",
        "Drinking, sipping",
        "Door knock",
        "Mouse click",
        "Keyboard typing",
        "Door, wood creaks",
        "Can opening",
        "Washing machine",
        "Vacuum cleaner",
        "Clock alarm",
        "Clock tick",
        "Glass breaking",
        "Helicopter",
        "Chainsaw",
        "Siren",
        "Car horn",
        "Engine",
        "Train",
        "Church bells",
        "Airplane",
        "Fireworks",
        "Hand saw",
    ]
    meta = os.path.join("ESC-50-master", "meta", "esc50.csv")
    meta_info = collections.namedtuple(
        "META_INFO", ("filename", "fold", "target", "category", "esc10", "src_file", "take")
    )
    audio_path = os.path.join("ESC-50-master", "audio")

    def __init__(self, mode="train", split=1, feat_type="raw", archive=None, **kwargs):
        check_split("ESC50", split, 5)
        if archive is not None:
            self.archive = archive
        files, labels = self._get_data(mode, split)
        super().__init__(files=files, labels=labels, feat_type=feat_type, **kwargs)

    def _get_meta_info(self, home):
        with open(os.path.join(home, self.meta), newline="") as file:
            return [self.meta_info(*row) for row in list(csv.reader(file))[1:]]

    def _get_data(self, mode, split):
        home = local_folder(self.archive, self.audio_path, "ESC50")
        chosen = [one for one in self._get_meta_info(home) if (int(one.fold) != split) == (mode == "train")]
        files = [os.path.join(home, self.audio_path, one.filename) for one in chosen]
        return files, [int(one.target) for one in chosen]
