# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Cases of Fourier transforms, frames of signals and complex tensors."""

import numpy as np
import paddle
import scipy.signal

from tests.op_cases import Case

COMPLEX = ("complex128", "complex64")
TYPES = ("float64", "float32")


def _complex(rng, shape):
    return rng.standard_normal(shape) + 1j * rng.standard_normal(shape)


def _c2c(shape, axes, normalization, forward):
    def ref(x, axes, normalization, forward):
        return (np.fft.fftn if forward else np.fft.ifftn)(x, axes=axes, norm=normalization)

    return Case(
        op="fft_c2c",
        args=lambda rng: dict(x=_complex(rng, shape), axes=axes, normalization=normalization, forward=forward),
        ref=ref,
        dtypes=COMPLEX,
        atol=1e-4,
        id=f"{shape} {axes} {normalization} {forward}",
    )


def _r2c(shape, axes, normalization="backward", forward=True, onesided=True):
    def ref(x, axes, normalization, forward, onesided):
        if not onesided:
            return (np.fft.fftn if forward else np.fft.ifftn)(x, axes=axes, norm=normalization)
        if forward:
            return np.fft.rfftn(x, axes=axes, norm=normalization)
        swapped = {"backward": "forward", "forward": "backward"}.get(normalization, normalization)
        return np.conj(np.fft.rfftn(x, axes=axes, norm=swapped))

    return Case(
        op="fft_r2c",
        args=lambda rng: dict(
            x=rng.standard_normal(shape), axes=axes, normalization=normalization, forward=forward, onesided=onesided
        ),
        ref=ref,
        dtypes=TYPES,
        atol=1e-4,
        id=f"{shape} {axes} {normalization} {forward} {onesided}",
    )


def _c2r(shape, axes, n, normalization="backward", forward=False):
    def ref(x, axes, normalization, forward, last_dim_size):
        sizes = [x.shape[a] for a in axes[:-1]] + [last_dim_size]
        if forward:
            swapped = {"backward": "forward", "forward": "backward"}.get(normalization, normalization)
            return np.fft.irfftn(np.conj(x), s=sizes, axes=axes, norm=swapped)
        return np.fft.irfftn(x, s=sizes, axes=axes, norm=normalization)

    return Case(
        op="fft_c2r",
        args=lambda rng: dict(
            x=_complex(rng, shape), axes=axes, normalization=normalization, forward=forward, last_dim_size=n
        ),
        ref=ref,
        dtypes=COMPLEX,
        atol=1e-4,
        id=f"{shape} {axes} {n} {normalization} {forward}",
    )


def _through(op, name, **arguments):
    """Derivatives with real inputs: the parts of the complex ones."""

    def call(fn, x, y):
        out = fn(paddle.complex(x, y), **arguments) if op != "fft_r2c" else fn(x * y, **arguments)
        return (paddle.real(out), paddle.imag(out)) if out.dtype in (paddle.complex64, paddle.complex128) else out

    return Case(
        op=op,
        args=lambda rng: dict(x=rng.standard_normal((3, 4, 5)), y=rng.standard_normal((3, 4, 5))),
        ref=None,
        call=call,
        dtypes=("float64",),
        grad=("x", "y"),
        grad_order=2,
        id=f"derivative {name}",
    )


def _frame(shape, length, hop, axis):
    def ref(x, frame_length, hop_length, axis):
        windows = np.lib.stride_tricks.sliding_window_view(x, frame_length, axis=axis)
        if axis == 0:
            return np.moveaxis(windows[::hop_length], -1, 1)
        return np.swapaxes(windows[..., ::hop_length, :], -1, -2)

    return Case(
        op="frame",
        args=lambda rng: dict(x=rng.standard_normal(shape), frame_length=length, hop_length=hop, axis=axis),
        ref=ref,
        dtypes=("float32", "float64", "float16"),
        grad=("x",),
        id=f"{shape} {length} {hop} {axis}",
    )


def _overlap_add(shape, hop, axis):
    def ref(x, hop_length, axis):
        moved = np.moveaxis(x, (0, 1), (-1, -2)) if axis == 0 else x
        length, frames = moved.shape[-2:]
        out = np.zeros((*moved.shape[:-2], (frames - 1) * hop_length + length), x.dtype)
        for f in range(frames):
            out[..., f * hop_length : f * hop_length + length] += moved[..., f]
        return np.moveaxis(out, -1, 0) if axis == 0 else out

    return Case(
        op="overlap_add",
        args=lambda rng: dict(x=rng.standard_normal(shape), hop_length=hop, axis=axis),
        ref=ref,
        dtypes=TYPES,
        grad=("x",),
        id=f"{shape} {hop} {axis}",
    )


def _stft(normalized):
    def ref(x, window, n_fft, hop_length, normalized, onesided):
        count = (x.shape[-1] - n_fft) // hop_length + 1
        frames = np.stack([x[..., i * hop_length : i * hop_length + n_fft] * window for i in range(count)], -1)
        return np.fft.rfft(frames, axis=-2, norm="ortho" if normalized else None)

    return Case(
        op="stft",
        args=lambda rng: dict(
            x=rng.standard_normal((2, 21)),
            window=scipy.signal.get_window("hann", 8),
            n_fft=8,
            hop_length=3,
            normalized=normalized,
            onesided=True,
        ),
        ref=ref,
        dtypes=TYPES,
        atol=1e-5,
        id="normalized" if normalized else "",
    )


def _parts(fn, x, y):
    return fn(paddle.complex(x, y))


CASES = [
    *[_c2c((3, 8), [1], norm, forward) for norm in ("backward", "ortho", "forward") for forward in (True, False)],
    *[
        _c2c(shape, axes, "backward", True)
        for shape, axes in (
            ((7,), [0]),
            ((3, 4, 5), [0, 2]),
            ((3, 4, 5), [2, 0, 1]),
            ((1, 1), [0]),
            ((2, 3, 64, 66), [2, 3]),
            ((130, 140), [0, 1]),
            ((131,), [0]),
        )
    ],
    *[
        _r2c((3, n), [1], norm, forward)
        for n in (8, 7, 1)
        for norm in ("backward", "ortho")
        for forward in (True, False)
    ],
    _r2c((3, 4, 5), [2, 0]),
    _r2c((4, 40, 64, 62), [2, 3]),
    _r2c((130, 140), [0, 1], "forward"),
    _r2c((3, 6), [0, 1], onesided=False),
    _r2c((3, 6), [1], "backward", False, False),
    *[
        _c2r((3, 5), [1], n, norm, forward)
        for n in (8, 9, 6)
        for norm in ("backward", "ortho")
        for forward in (True, False)
    ],
    _c2r((4, 40, 64, 32), [2, 3], 62),
    _c2r((130, 71), [0, 1], 140),
    _through("fft_c2c", "forward", axes=[1, 2], normalization="backward", forward=True),
    _through("fft_c2c", "inverse", axes=[1, 2], normalization="backward", forward=False),
    _through("fft_c2c", "ortho", axes=[0], normalization="ortho", forward=False),
    *[
        _through("fft_r2c", f"{f} {o} {n} {a}", axes=a, normalization=n, forward=f, onesided=o)
        for f in (True, False)
        for o in (True, False)
        for n, a in (("backward", [0, 2]), ("forward", [2, 1]))
    ],
    *[
        _through("fft_c2r", f"{f} {n} {a} {size}", axes=a, normalization=n, forward=f, last_dim_size=size)
        for f in (True, False)
        for n, a, size in (("backward", [0, 2], 8), ("forward", [0, 1], 7), ("ortho", [2], 5))
    ],
    _frame((2, 11), 4, 2, -1),
    _frame((11,), 4, 3, -1),
    _frame((11, 2), 4, 5, 0),
    _frame((11,), 4, 1, 0),
    _overlap_add((2, 4, 3), 2, -1),
    _overlap_add((4, 3), 5, -1),
    _overlap_add((3, 4, 2), 3, 0),
    _stft(False),
    _stft(True),
    Case(
        op="stft",
        args=lambda rng: dict(x=rng.standard_normal((2, 13)), y=rng.standard_normal(6)),
        ref=None,
        call=lambda op, x, y: paddle.as_real(op(x, y, 6, 3, False, True)),
        dtypes=("float64",),
        grad=("x", "y"),
        id="derivative",
    ),
    Case(
        op="complex",
        args=lambda rng: dict(real=rng.standard_normal((2, 3)), imag=rng.standard_normal((3,))),
        ref=lambda real, imag: real + 1j * imag,
        dtypes=TYPES,
    ),
    Case(
        op="complex",
        args=lambda rng: dict(x=rng.standard_normal((2, 3)), y=rng.standard_normal((3,))),
        ref=None,
        call=lambda op, x, y: paddle.real(op(x, y) * op(y, x) * op(x, x)),
        dtypes=("float64",),
        grad=("x", "y"),
        id="derivative",
    ),
    Case(
        op="as_complex",
        args=lambda rng: dict(x=rng.standard_normal((3, 2))),
        ref=lambda x: x[..., 0] + 1j * x[..., 1],
        dtypes=TYPES,
    ),
    Case(
        op="as_complex",
        args=lambda rng: dict(x=rng.standard_normal((3, 2))),
        ref=lambda x: ((x[..., 0] + 1j * x[..., 1]) ** 2).imag,
        call=lambda op, x: paddle.imag(op(x) * op(x)),
        dtypes=("float64",),
        grad=("x",),
        id="derivative",
    ),
    Case(
        op="as_real",
        args=lambda rng: dict(x=_complex(rng, (2, 3))),
        ref=lambda x: np.stack([x.real, x.imag], -1),
        dtypes=COMPLEX,
    ),
    Case(
        op="as_real",
        args=lambda rng: dict(x=rng.standard_normal((3, 2)), y=rng.standard_normal((3, 2))),
        ref=None,
        call=lambda op, x, y: op(_square(paddle.complex(x, y))),
        dtypes=("float64",),
        grad=("x", "y"),
        id="derivative",
    ),
    Case(
        op="angle",
        args=lambda rng: dict(x=np.array([1.0, -2.0, 0.0, np.nan])),
        ref=np.angle,
        dtypes=("float32",),
        id="real",
    ),
    Case(
        op="angle", args=lambda rng: dict(x=np.array([1, -2, 0])), ref=lambda x: np.angle(x).astype("float32"), id="int"
    ),
    Case(op="angle", args=lambda rng: dict(x=_complex(rng, (2, 3))), ref=np.angle, dtypes=COMPLEX, id="complex"),
    *[
        Case(op=op, args=lambda rng: dict(x=_complex(rng, (2, 3)) * 4), ref=ref, dtypes=COMPLEX, id="complex")
        for op, ref in (
            ("softplus", lambda x: np.where(x.real > 20, x, np.log(1 + np.exp(x)))),
            ("softsign", lambda x: x / (1 + np.abs(x))),
            ("hardswish", lambda x: np.select([x.real < -3, x.real < 3], [0 * x, x * (x + 3) / 6], x)),
            ("logsigmoid", lambda x: -np.log(1 + np.exp(-x))),
            ("round", np.round),
        )
    ],
    Case(
        op="stanh",  # saved attributes are float32
        args=lambda rng: dict(x=_complex(rng, (2, 3)) * 4, scale_a=0.5, scale_b=2.0),
        ref=lambda x, scale_a, scale_b: scale_b * np.tanh(scale_a * x),
        dtypes=COMPLEX,
        id="complex",
    ),
    *[
        Case(
            op=op,
            args=lambda rng: dict(x=rng.standard_normal((2, 3)) + 2.5, y=rng.standard_normal((2, 3)) + 2.5),
            ref=None,
            call=call,
            dtypes=("float64",),
            grad=("x", "y"),
            id=f"derivative of complex {op}",
        )
        for op, call in (
            ("angle", _parts),
            ("abs", _parts),
            *[
                (name, lambda op, x, y: paddle.as_real(op(paddle.complex(x, y))))
                for name in ("silu", "softplus", "softsign", "hardswish", "stanh", "logsigmoid")
            ],
            ("conj", lambda op, x, y: paddle.as_real(op(_square(paddle.complex(x, y))))),
        )
    ],
]


def _square(z):
    return z * z
