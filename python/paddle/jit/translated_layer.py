# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Loaded programs as layers, under another of their paths."""

from .saved import TranslatedLayer

INFER_MODEL_SUFFIX = ".pdmodel"
INFER_PARAMS_SUFFIX = ".pdiparams"
INFER_PARAMS_INFO_SUFFIX = ".pdiparams.info"
INFER_PROPERTY_SUFFIX = ".meta"

__all__ = [
    "INFER_MODEL_SUFFIX",
    "INFER_PARAMS_INFO_SUFFIX",
    "INFER_PARAMS_SUFFIX",
    "INFER_PROPERTY_SUFFIX",
    "TranslatedLayer",
]
