# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Datasets of the text package."""

import numpy as np

from .. import _paths
from ..framework.dtypes import get_default_dtype
from ..io import Dataset
from ..utils.dataset_files import _check_exists_and_download

_HOUSING_URL = "http://paddlemodels.bj.bcebos.com/uci_housing/housing.data"


class UCIHousing(Dataset):
    """Prices of houses in Boston: 13 scaled features and the price.

    Args:
        data_file: The file housing.data; fetched when None.
        mode: 'train' (the first four fifths) or 'test'.
        download: Whether the file may be fetched.

    Returns:
        Samples (array of shape [13], array of shape [1]).
    """

    def __init__(self, data_file=None, mode="train", download=True):
        if mode.lower() not in ("train", "test"):
            raise AssertionError(f"UCIHousing: mode has value {mode!r}; it must be 'train' or 'test'.")
        self.mode = mode.lower()
        self.data_file = _check_exists_and_download(data_file, _HOUSING_URL, None, "uci_housing", download)
        self.dtype = get_default_dtype()
        try:
            values = np.loadtxt(self.data_file, ndmin=2)
        except ValueError as e:
            raise ValueError(f"UCIHousing: {self.data_file} holds something else than rows of numbers: {e}") from e
        if values.size % 14:
            raise ValueError(f"UCIHousing: {self.data_file} holds {values.size} numbers, no multiple of 14.")
        values = values.reshape(-1, 14)
        features = values[:, :-1]
        features -= features.mean(0)
        features /= np.ptp(features, 0)
        cut = int(len(values) * 0.8)
        self.data = values[:cut] if self.mode == "train" else values[cut:]

    def __getitem__(self, idx):
        row = self.data[idx].astype(self.dtype)
        return row[:-1], row[-1:]

    def __len__(self):
        return len(self.data)


__getattr__ = _paths.names_of("paddle.text")

_paths.attach(__name__)
