# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Loaded programs as layers, under another of their paths."""

from .saved import TranslatedLayer as PirTranslatedLayer

PIR_INFER_MODEL_SUFFIX = ".json"

__all__ = ["PIR_INFER_MODEL_SUFFIX", "PirTranslatedLayer"]
