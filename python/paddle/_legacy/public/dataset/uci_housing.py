# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Readers of prices of houses in Boston: (13 scaled features, price)."""

import functools

import numpy as np

from . import common

URL = "http://paddlemodels.bj.bcebos.com/uci_housing/housing.data"
MD5 = "d4accdce7a25600298819f8e28e8d593"
feature_names = ["CRIM", "ZN", "INDUS", "CHAS", "NOX", "RM", "AGE", "DIS", "RAD", "TAX", "PTRATIO", "B", "LSTAT"]

__all__ = []


@functools.lru_cache(maxsize=4)
def load_data(filename, feature_num=14, ratio=0.8):
    """The rows of a file for training and for tests; all columns but the last are centred and divided by their range.

    Args:
        filename: A text file of numbers.
        feature_num: Numbers of a row.
        ratio: Share of the rows for training.

    Returns:
        Two arrays [rows, feature_num].
    """
    values = np.fromfile(filename, sep=" ")
    if values.size % feature_num:
        raise ValueError(f"load_data: {filename} holds {values.size} numbers, no multiple of {feature_num}.")
    values = values.reshape(-1, feature_num)
    features = values[:, :-1]
    features -= features.mean(axis=0)
    features /= np.ptp(features, axis=0)
    cut = int(len(values) * ratio)
    return values[:cut], values[cut:]


def _reader(part):
    rows = load_data(fetch())[part]
    return lambda: ((row[:-1], row[-1:]) for row in rows)


def train():
    """Reader of the first four fifths of the houses."""
    return _reader(0)


def test():
    """Reader of the last fifth of the houses."""
    return _reader(1)


def fetch():
    """Download the file and return its path."""
    return common.download(URL, "uci_housing", MD5)
