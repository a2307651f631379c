# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Quantizers of `ImperativePTQ`: they sample tensors and choose thresholds, the largest values codes stand for."""

import numpy as np


def _array(tensor):
    return np.asarray(tensor.detach().astype("float32").numpy())


class BaseQuantizer:
    """Base: samples magnitudes.

    Args:
        quant_bits: Bits of a code.
    """

    def __init__(self, quant_bits=8):
        assert quant_bits > 1 and isinstance(quant_bits, int), "quant_bits must be an integer above 1."
        self.quant_bits = quant_bits
        self.abs_max_vals = []
        self.thresholds = []

    def _follow(self, values):
        if not self.abs_max_vals:
            self.abs_max_vals = list(values)
            return
        assert len(self.abs_max_vals) == len(values), "sample_data: the number of tensors must not change."
        self.abs_max_vals = [np.maximum(a, b) for a, b in zip(self.abs_max_vals, values, strict=True)]

    def sample_data(self, layer, tensors):
        """Look at the tensors that a layer takes or returns.

        Args:
            layer: The layer.
            tensors: A tuple of tensors.
        """
        raise NotImplementedError(f"{type(self).__name__}.sample_data")

    def cal_thresholds(self):
        """Choose the thresholds from what was sampled."""
        raise NotImplementedError(f"{type(self).__name__}.cal_thresholds")


class AbsmaxQuantizer(BaseQuantizer):
    """The threshold is the largest magnitude."""

    def sample_data(self, layer, tensors):
        assert isinstance(tensors, tuple), "sample_data: tensors must be a tuple."
        self._follow([float(np.abs(_array(t)).max()) for t in tensors])

    def cal_thresholds(self):
        self.thresholds = self.abs_max_vals


class PerChannelAbsmaxQuantizer(BaseQuantizer):
    """The thresholds are the largest magnitudes of the output channels."""

    def sample_data(self, layer, tensors):
        from ...nn import Conv2DTranspose, Linear

        assert isinstance(tensors, tuple), "sample_data: tensors must be a tuple."
        channel = 1 if isinstance(layer, (Linear, Conv2DTranspose)) else 0
        arrays = [np.abs(np.moveaxis(_array(t), channel, 0)) for t in tensors]
        self._follow([a.reshape(len(a), -1).max(1) for a in arrays])

    def cal_thresholds(self):
        self.thresholds = self.abs_max_vals


class BaseHistQuantizer(BaseQuantizer):
    """Base: samples histograms of magnitudes.

    Args:
        quant_bits: Bits of a code.
        bins: Number of bins.
        upsample_bins: Parts of a bin when a larger magnitude makes the bins wider.
    """

    def __init__(self, quant_bits=8, bins=1024, upsample_bins=64):
        super().__init__(quant_bits)
        self.bins, self.upsample_bins = bins, upsample_bins
        self.hists = []

    def sample_data(self, layer, tensors):
        assert isinstance(tensors, tuple), "sample_data: tensors must be a tuple."
        arrays = [np.abs(_array(t)) for t in tensors]
        before, self.hists = self.hists, []
        tops = list(self.abs_max_vals)
        self._follow([float(a.max()) for a in arrays])
        for i, (array, top) in enumerate(zip(arrays, self.abs_max_vals, strict=True)):
            hist = np.histogram(array, bins=self.bins, range=(0.0, top or 1.0))[0].astype("float32")
            self.hists.append(hist if not before else hist + self._rebinned(before[i], tops[i], top))

    def _rebinned(self, hist, old_top, new_top):
        """The counts of bins up to `old_top` in bins up to `new_top`: those of a bin are spread evenly over it."""
        if old_top == new_top or old_top == 0:
            return hist
        parts = self.upsample_bins
        fine = np.repeat(hist / parts, parts)
        at = (np.arange(fine.size) + 0.5) * (old_top / fine.size)
        return np.histogram(at, bins=self.bins, range=(0.0, new_top), weights=fine)[0].astype("float32")


class HistQuantizer(BaseHistQuantizer):
    """The threshold is below all but a part of the magnitudes.

    Args:
        quant_bits: Bits of a code.
        bins: Number of bins.
        upsample_bins: Parts of a bin when a larger magnitude makes the bins wider.
        hist_percent: The part that lies below the threshold.
    """

    def __init__(self, quant_bits=8, bins=1024, upsample_bins=64, hist_percent=0.99999):
        super().__init__(quant_bits, bins, upsample_bins)
        self.hist_percent = hist_percent

    def cal_thresholds(self):
        self.thresholds = []
        for hist, top in zip(self.hists, self.abs_max_vals, strict=True):
            if top == 0:
                self.thresholds.append(0.0)
                continue
            below = np.cumsum(hist / hist.sum())
            bin = int(np.searchsorted(below, self.hist_percent))
            self.thresholds.append(float((min(bin, len(hist) - 1) + 0.5) * top / len(hist)))


class KLQuantizer(BaseHistQuantizer):
    """The threshold whose codes lose least information: the divergence of Kullback and Leibler is least."""

    def cal_thresholds(self):
        self.thresholds = [
            _least_divergence(hist, top / self.bins, self.quant_bits) if top > 0 else 0.0
            for hist, top in zip(self.hists, self.abs_max_vals, strict=True)
        ]


def _least_divergence(hist, width, bits):
    """The end of the bins that, cut there and merged into the codes of one sign, keep most of the histogram."""
    codes = 2 ** (bits - 1) - 1
    best, at = np.inf, len(hist)
    for end in range(max((len(hist) - 1) // 2, codes), len(hist)):
        cut = hist[:end].astype("float64")
        if end < len(hist):
            cut[-1] += hist[end:].sum()
        if cut[-1] == 0:
            continue
        spread = _through_codes(hist[:end].astype("float64"), codes)
        p, q = cut / cut.sum(), spread / max(spread.sum(), 1e-300)
        shared = (p > 0) & (q > 0)
        divergence = float((p[shared] * np.log(p[shared] / q[shared])).sum()) + float(p[(p > 0) & (q <= 0)].sum()) * 50
        if divergence < best:
            best, at = divergence, end
    return float((at + 0.5) * width)


def _through_codes(hist, codes):
    """Counts after merging the bins into codes and spreading each evenly over its bins that are not empty."""
    group = np.minimum(np.arange(len(hist)) // (len(hist) // codes), codes - 1)  # the last code takes the rest
    filled = hist > 0
    total = np.bincount(group, hist, codes)
    count = np.bincount(group, filled, codes)
    mean = np.divide(total, count, out=np.zeros(codes), where=count > 0)
    return np.where(filled, mean[group], 0.0)


SUPPORT_ACT_QUANTIZERS = [AbsmaxQuantizer, HistQuantizer, KLQuantizer]
SUPPORT_WT_QUANTIZERS = [AbsmaxQuantizer, PerChannelAbsmaxQuantizer]
