# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""paddle.audio.functional: windows against SciPy, the rest against formulas and fixed values."""

import numpy as np
import paddle
import pytest
from scipy import fft as scipy_fft
from scipy.signal import windows as reference

functional = paddle.audio.functional

WINDOWS = [
    ("hann", reference.hann, ()),
    ("hamming", reference.hamming, ()),
    ("blackman", reference.blackman, ()),
    ("nuttall", reference.nuttall, ()),
    ("cosine", reference.cosine, ()),
    ("bohman", reference.bohman, ()),
    ("triang", reference.triang, ()),
    ("bartlett", reference.bartlett, ()),
    ("taylor", reference.taylor, ()),
    ("taylor", reference.taylor, (5, 40, False)),
    ("tukey", reference.tukey, ()),
    ("tukey", reference.tukey, (0.3,)),
    ("kaiser", reference.kaiser, (14.0,)),
    ("gaussian", reference.gaussian, (2.0,)),
    ("exponential", reference.exponential, (None, 2.0)),
    ("general_gaussian", reference.general_gaussian, (1.5, 2.0)),
    ("general_cosine", reference.general_cosine, ([1.0, 2.0, 3.0],)),
    ("general_hamming", reference.general_hamming, (0.7,)),
]


@pytest.mark.parametrize("length", [1, 4, 5, 16])
@pytest.mark.parametrize(("name", "function", "parameters"), WINDOWS)
def test_windows_equal_scipy(name, function, parameters, length):
    window = (name, *parameters) if parameters else name
    for periodic in (True, False):
        made = functional.get_window(window, length, fftbins=periodic)
        assert made.dtype == paddle.float64
        np.testing.assert_allclose(made.numpy(), function(length, *parameters, sym=not periodic), atol=1e-12)


def test_unknown_windows_are_refused():
    for window in ("flattop", "kaiser", 3, ("nothing", 1)):
        with pytest.raises(ValueError):
            functional.get_window(window, 4)


@pytest.mark.parametrize(
    ("hz", "slaney", "htk"), [(440.0, 6.6, 549.6386753811499), (3000.0, 30.979401986583238, 1876.4539)]
)
def test_mel_scales_go_both_ways(hz, slaney, htk):
    for mel, is_htk in ((slaney, False), (htk, True)):
        np.testing.assert_allclose(functional.hz_to_mel(hz, is_htk), mel, rtol=1e-6)
        np.testing.assert_allclose(functional.mel_to_hz(mel, is_htk), hz, rtol=1e-6)
        np.testing.assert_allclose(functional.hz_to_mel(paddle.to_tensor([hz]), is_htk).numpy(), [mel], rtol=1e-5)
        np.testing.assert_allclose(functional.mel_to_hz(paddle.to_tensor([mel]), is_htk).numpy(), [hz], rtol=1e-5)


def test_frequencies():
    np.testing.assert_allclose(
        functional.mel_frequencies(4, dtype="float64").numpy(), [0, 1119.11407321, 3512.5820499, 11025.0000001]
    )
    assert functional.fft_frequencies(16000, 8).tolist() == [0, 2000, 4000, 6000, 8000]


@pytest.mark.parametrize(
    ("options", "row"),
    [
        ({}, [0, 0.00018007, 0.00057736, 0.00023282, 0, 0, 0, 0, 0]),
        ({"norm": None, "htk": True}, [0, 0.33436045, 0.89278221, 0.43105018, 0, 0, 0, 0, 0]),
        ({"norm": 2.0}, [0, 0.27786288, 0.89090943, 0.35926685, 0, 0, 0, 0, 0]),
    ],
)
def test_filter_banks(options, row):
    bank = functional.compute_fbank_matrix(16000, 16, 3, **options)
    assert bank.shape == [3, 9]
    np.testing.assert_allclose(bank.numpy()[1], row, rtol=2e-4, atol=1e-7)


def test_power_to_db_limits_the_range():
    power = paddle.to_tensor([1.0, 1e-3, 1e-12, 5.0])
    np.testing.assert_allclose(functional.power_to_db(power).numpy(), [0, -30, -73.0103, 6.9897], rtol=1e-5)
    np.testing.assert_allclose(functional.power_to_db(power, top_db=None).numpy(), [0, -30, -100, 6.9897], rtol=1e-5)
    for options in ({"amin": 0}, {"ref_value": 0.0}, {"top_db": -1}):
        with pytest.raises(ValueError, match="power_to_db"):
            functional.power_to_db(power, **options)


@pytest.mark.parametrize("norm", ["ortho", None])
def test_dct_matrix_transforms(norm):
    matrix = functional.create_dct(3, 8, norm, "float64").numpy()
    x = np.arange(8.0) ** 2
    want = scipy_fft.dct(x, norm="ortho") if norm else scipy_fft.dct(x)
    np.testing.assert_allclose(x @ matrix, want[:3], atol=1e-9)
    with pytest.raises(AssertionError):
        functional.create_dct(3, 8, "max")
