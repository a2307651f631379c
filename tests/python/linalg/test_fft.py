# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""paddle.fft and paddle.signal against NumPy and SciPy."""

import numpy as np
import paddle
import pytest
import scipy.fft
import scipy.signal

RNG = np.random.default_rng(5)
REAL = RNG.standard_normal((3, 4, 6))
COMPLEX = REAL + 1j * RNG.standard_normal((3, 4, 6))
NORMS = ("backward", "ortho", "forward")


def close(got, expected):
    assert list(got.shape) == list(np.shape(expected))
    np.testing.assert_allclose(got.numpy(), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"])
@pytest.mark.parametrize("n,axis", [(None, -1), (4, 1), (9, 0), (5, -1), (1, 1)])
def test_transforms_of_one_axis(name, norm, n, axis):
    x = REAL if name in ("rfft", "ihfft") else COMPLEX
    expected = getattr(np.fft, name)(x, n, axis, norm)
    close(getattr(paddle.fft, name)(paddle.to_tensor(x), n, axis, norm), expected)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", ["fftn", "ifftn", "rfftn", "irfftn", "hfftn", "ihfftn"])
@pytest.mark.parametrize("s,axes", [(None, None), ((4, 7), None), ((5, 3), (0, 2)), (None, (1, 0)), ((2,), (1,))])
def test_transforms_of_several_axes(name, norm, s, axes):
    x = REAL if name in ("rfftn", "ihfftn") else COMPLEX
    expected = getattr(scipy.fft, name)(x, s, axes, norm)
    close(getattr(paddle.fft, name)(paddle.to_tensor(x), s, axes, norm), expected)


@pytest.mark.parametrize("name", ["fft2", "ifft2", "rfft2", "irfft2", "hfft2", "ihfft2"])
def test_transforms_of_two_axes(name):
    x = REAL if name in ("rfft2", "ihfft2") else COMPLEX
    close(getattr(paddle.fft, name)(paddle.to_tensor(x)), getattr(scipy.fft, name)(x))


def near(got, expected):
    assert list(got.shape) == list(expected.shape)
    np.testing.assert_allclose(got.numpy(), expected, rtol=0, atol=2e-6 * np.abs(expected).max())


@pytest.mark.parametrize("n", [2, 3, 4, 5, 14, 16, 32, 60, 64, 150, 243, 400, 512, 2048])
@pytest.mark.parametrize("lines", [3, 16, 37])
def test_float32_lines_in_either_order_of_memory(n, lines):
    x = (RNG.standard_normal((lines, n)) + 1j * RNG.standard_normal((lines, n))).astype("complex64")
    for array in (x, x.real):
        for axis, memory in ((-1, array), (0, np.ascontiguousarray(array.T))):
            wide, tensor = memory.astype("complex128"), paddle.to_tensor(np.ascontiguousarray(memory))
            near(paddle.fft.fft(tensor, axis=axis), np.fft.fft(wide, axis=axis))
            near(paddle.fft.ifft(tensor, axis=axis), np.fft.ifft(wide, axis=axis))
            if np.iscomplexobj(memory):
                for length in (2 * n - 2, 2 * n):
                    near(paddle.fft.irfft(tensor, length, axis), np.fft.irfft(wide, length, axis))
                    near(paddle.fft.hfft(tensor, length, axis), np.fft.hfft(wide, length, axis))
            else:
                near(paddle.fft.rfft(tensor, axis=axis), np.fft.rfft(wide.real, axis=axis))
                near(paddle.fft.ihfft(tensor, axis=axis), np.fft.ihfft(wide.real, axis=axis))


@pytest.mark.parametrize("shape, axes", [((3, 32, 34), (1, 2)), ((2, 5, 12, 20), (3, 1)), ((9, 16, 16), (0, 1, 2))])
def test_float32_transforms_of_several_axes(shape, axes):
    x = (RNG.standard_normal(shape) + 1j * RNG.standard_normal(shape)).astype("complex64")
    wide, tensor = x.astype("complex128"), paddle.to_tensor(x)
    near(paddle.fft.fftn(tensor, axes=axes), scipy.fft.fftn(wide, axes=axes))
    near(paddle.fft.ifftn(tensor[..., ::2], axes=axes), scipy.fft.ifftn(wide[..., ::2], axes=axes))
    near(paddle.fft.irfftn(tensor, axes=axes), scipy.fft.irfftn(wide, axes=axes))
    near(paddle.fft.rfftn(tensor.real(), axes=axes), scipy.fft.rfftn(wide.real, axes=axes))
    near(paddle.fft.fftn(tensor.real(), axes=axes), scipy.fft.fftn(wide.real, axes=axes))


@pytest.mark.parametrize("shape", [(100, 400), (7, 33, 60)])
def test_threads_do_not_change_float32_transforms(shape):
    x = paddle.to_tensor(RNG.standard_normal(shape), "float32")
    before, results = paddle.get_flags(["FLAGS_paddle_num_threads"]), []
    try:
        for threads in (1, 2, 3):
            paddle.set_flags({"FLAGS_paddle_num_threads": threads})
            spectrum = paddle.fft.rfft2(x)
            results.append([y.numpy().tobytes() for y in (spectrum, paddle.fft.irfft2(spectrum), paddle.fft.fft2(x))])
    finally:
        paddle.set_flags(before)
    assert results[1:] == results[:-1]


def test_real_and_integer_inputs_of_complex_transforms():
    close(paddle.fft.fft(paddle.to_tensor(REAL)), np.fft.fft(REAL))
    assert paddle.fft.fft(paddle.to_tensor([1, 2, 3])).dtype == paddle.complex64
    assert paddle.fft.rfft(paddle.to_tensor([1, 2, 3])).dtype == paddle.complex64


def test_frequencies_and_shifts():
    for n in (1, 4, 5):
        close(paddle.fft.fftfreq(n, 0.5, "float64"), np.fft.fftfreq(n, 0.5))
        close(paddle.fft.rfftfreq(n, 0.5, "float64"), np.fft.rfftfreq(n, 0.5))
    for axes in (None, 1, (0, 2)):
        close(paddle.fft.fftshift(paddle.to_tensor(REAL), axes), np.fft.fftshift(REAL, axes))
        close(paddle.fft.ifftshift(paddle.to_tensor(REAL), axes), np.fft.ifftshift(REAL, axes))


def test_results_go_into_out():
    out = paddle.zeros([3, 4, 6], dtype="complex128")
    assert paddle.fft.fft(paddle.to_tensor(REAL), out=out) is out
    close(out, np.fft.fft(REAL))


def test_gradient_through_a_spectral_convolution():
    x = paddle.to_tensor(REAL[:, 0])
    kernel = paddle.to_tensor(REAL[0, 1])
    x.stop_gradient = kernel.stop_gradient = False
    y = paddle.fft.irfft(paddle.fft.rfft(x) * paddle.fft.rfft(kernel), 6)
    (y * y).sum().backward()
    circulant = np.stack([np.roll(REAL[0, 1], i) for i in range(6)], 1)
    close(x.grad, 2 * (REAL[:, 0] @ circulant.T) @ circulant)


def test_errors():
    for call in (
        lambda: paddle.fft.fft(paddle.to_tensor(REAL), n=0),
        lambda: paddle.fft.fft(paddle.to_tensor(REAL), axis=3),
        lambda: paddle.fft.fft(paddle.to_tensor(REAL), norm="x"),
        lambda: paddle.fft.fftn(paddle.to_tensor(REAL), s=(4,), axes=(0, 1)),
        lambda: paddle.fft.fft2(paddle.ones([3])),
        lambda: paddle.fft.fftn(paddle.to_tensor(REAL), axes=(0, 0)),
        lambda: paddle.signal.stft(paddle.ones([4]), 8, center=False),
    ):
        with pytest.raises(ValueError):
            call()
    with pytest.raises(TypeError):
        paddle.fft.rfft(paddle.to_tensor(COMPLEX))


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("window", [None, "hann"])
def test_stft_is_that_of_scipy_and_istft_inverts_it(center, window):
    x = RNG.standard_normal((2, 64))
    w = np.ones(12) if window is None else scipy.signal.get_window("hann", 12) + 0.1
    wide = np.pad(w, 2)
    padded = np.pad(x, ((0, 0), (8, 8)), mode="reflect") if center else x
    frames = np.lib.stride_tricks.sliding_window_view(padded, 16, -1)[:, ::4]
    expected = np.swapaxes(np.fft.rfft(frames * wide), -1, -2)
    given = None if window is None else paddle.to_tensor(w)
    got = paddle.signal.stft(paddle.to_tensor(x), 16, 4, 12, given, center)
    close(got, expected)
    if center:
        back = paddle.signal.istft(got, 16, 4, 12, given, center, length=64)
        close(back, x)


def test_complex_stft_and_methods():
    z = paddle.to_tensor(RNG.standard_normal(40) + 1j * RNG.standard_normal(40))
    spectrum = z.stft(8)
    assert spectrum.shape == [8, 21]
    back = paddle.signal.istft(spectrum, 8, onesided=False, return_complex=True, length=40)
    close(back, z.numpy())


def test_a_real_signal_is_that_of_half_the_spectrum():
    spectrum = RNG.standard_normal((8, 1)) + 1j * RNG.standard_normal((8, 1))
    back = paddle.signal.istft(paddle.to_tensor(spectrum), 8, onesided=False, center=False)
    close(back, np.fft.irfft(spectrum[:5, 0], 8))


def test_frame_and_overlap_add_of_both_layouts():
    x = np.arange(8.0)
    close(paddle.signal.frame(paddle.to_tensor(x), 4, 2), np.stack([x[i : i + 4] for i in (0, 2, 4)], 1))
    close(paddle.signal.frame(paddle.to_tensor(x), 4, 2, axis=0), np.stack([x[i : i + 4] for i in (0, 2, 4)]))
    close(paddle.signal.overlap_add(paddle.ones([3, 2], "float64"), 2), [1, 1, 2, 1, 1])


def test_complex_tensors():
    z = paddle.to_tensor(COMPLEX)
    close(paddle.polar(paddle.abs(z), paddle.angle(z)), COMPLEX)
    close(paddle.as_complex(paddle.as_real(z)), COMPLEX)
    close(paddle.complex(z.real(), z.imag()), COMPLEX)
    assert paddle.isreal(paddle.to_tensor([1 + 0j, 1j])).tolist() == [True, False]
    assert paddle.is_complex(z) and not paddle.is_complex(z.real())


@pytest.mark.parametrize(
    ("function", "arguments"),
    [("fft", (None, (0, 1))), ("fft", (1.5,)), ("fft2", (-1, (0, 1))), ("fft2", (None, -1)), ("fftn", (11, (0, 1)))],
)
def test_sizes_and_axes_of_another_form(function, arguments):
    with pytest.raises(ValueError, match=r"must be (an integer|a sequence)"):
        getattr(paddle.fft, function)(paddle.ones([3, 4]), *arguments)


def test_two_axis_transforms_take_all_axes_for_none():
    x = np.arange(24.0).reshape(2, 3, 4)
    np.testing.assert_allclose(paddle.fft.fft2(paddle.to_tensor(x), axes=None), np.fft.fftn(x), atol=1e-9)
    np.testing.assert_allclose(paddle.fft.rfft2(paddle.to_tensor(x), axes=None), np.fft.rfftn(x), atol=1e-9)


@pytest.mark.parametrize("kind", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"])
@pytest.mark.parametrize("axes", ["", "2", "n"])
def test_refusals_name_the_function_that_was_called(kind, axes):
    name = kind + axes
    function = getattr(paddle.fft, name)
    x = paddle.ones([2, 4])
    axis, size = ({"axis": 9}, {"n": 0}) if not axes else ({"axes": [0, 9]}, {"s": [0, 0]})
    for refused in (axis, size, {"norm": "none"}):
        with pytest.raises(ValueError, match=f"^{name}: "):
            function(x, **refused)
    with pytest.raises(TypeError, match=f"^{name}: argument x must be a Tensor"):
        function([1.0])


@pytest.mark.parametrize("name", ["fftshift", "ifftshift"])
def test_shifts_name_themselves_when_they_refuse(name):
    with pytest.raises(ValueError, match=f"^{name}: axis is 2"):
        getattr(paddle.fft, name)(paddle.ones([2]), 2)


@pytest.mark.parametrize("name", ["fftfreq", "rfftfreq"])
def test_frequencies_name_themselves_when_they_refuse(name):
    with pytest.raises(ValueError, match=f"^{name}: n is 0"):
        getattr(paddle.fft, name)(0)


def test_integer_signals_and_real_spectra_are_taken():
    signal = paddle.to_tensor([1, -2, 3, 5, 0, 7, -1, 2, 4])
    spectrum = paddle.signal.stft(signal, 4)
    assert spectrum.dtype == paddle.complex64
    np.testing.assert_array_equal(spectrum.numpy(), paddle.signal.stft(signal.astype("float32"), 4).numpy())
    real = spectrum.real()
    back = paddle.signal.istft(real, 4)
    np.testing.assert_array_equal(back.numpy(), paddle.signal.istft(real.astype("complex64"), 4).numpy())


@pytest.mark.parametrize("error", [AssertionError, ValueError])
@pytest.mark.parametrize(
    "settings",
    [
        {"hop_length": 0},
        {"win_length": 9},
        {"n_fft": 20, "center": False},
        {"pad_mode": "other"},
        {"x": paddle.ones([16], "complex64"), "onesided": True},
        {"x": paddle.ones([2, 3, 16])},
    ],
)
def test_settings_of_stft_that_are_refused(settings, error):
    with pytest.raises(error, match="^stft: "):
        paddle.signal.stft(**{"x": paddle.ones([16]), "n_fft": 8} | settings)


@pytest.mark.parametrize("settings", [{"hop_length": 9}, {"return_complex": True}, {"n_fft": 6}])
def test_settings_of_istft_that_are_refused(settings):
    spectrum = paddle.signal.stft(paddle.ones([16]), 8)
    with pytest.raises(AssertionError, match="^istft: "):
        paddle.signal.istft(spectrum, **{"n_fft": 8} | settings)
