# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Windows by name.

A symmetric window of m points is a function of n = 0 ... m - 1; a periodic one (for Fourier transforms)
is the symmetric one of m + 1 points without its last.  Formulas: Harris, 1978; Nuttall, 1981; Taylor, 1955.
"""

import math

from ... import tensor


def _general_cosine(m, a):
    import numpy as np

    phase = np.linspace(-np.pi, np.pi, m)
    return sum(weight * np.cos(k * phase) for k, weight in enumerate(a))


def _general_hamming(m, alpha):
    return _general_cosine(m, [alpha, 1.0 - alpha])


def _hann(m):
    return _general_hamming(m, 0.5)


def _hamming(m):
    return _general_hamming(m, 0.54)


def _blackman(m):
    return _general_cosine(m, [0.42, 0.50, 0.08])


def _nuttall(m):
    return _general_cosine(m, [0.3635819, 0.4891775, 0.1365995, 0.0106411])


def _cosine(m):
    import numpy as np

    return np.sin(np.pi / m * (np.arange(m) + 0.5))


def _bohman(m):
    import numpy as np

    x = np.abs(np.linspace(-1, 1, m))
    window = (1 - x) * np.cos(np.pi * x) + np.sin(np.pi * x) / np.pi
    window[[0, -1]] = 0
    return window


def _triang(m):
    import numpy as np

    distance = np.abs(2 * np.arange(m) - (m - 1))
    return 1 - distance / (m + m % 2)


def _bartlett(m):
    import numpy as np

    return np.bartlett(m)


def _kaiser(m, beta):
    import numpy as np

    return np.kaiser(m, beta)


def _general_gaussian(m, p, sig):
    import numpy as np

    x = np.abs((np.arange(m) - (m - 1) / 2) / sig)
    return np.exp(-0.5 * x ** (2 * p))


def _gaussian(m, std):
    return _general_gaussian(m, 1, std)


def _exponential(m, center=None, tau=1.0):
    import numpy as np

    if center is not None:
        raise ValueError(f"get_window: the exponential window has center {center}; it must be None (the middle).")
    return np.exp(-np.abs(np.arange(m) - (m - 1) / 2) / tau)


def _tukey(m, alpha=0.5):
    import numpy as np

    if alpha <= 0:
        return np.ones(m)
    if alpha >= 1:
        return _hann(m)
    # Distance from the nearer end, as a part of the length of the cosine slope.
    n = np.arange(m)
    slope = np.minimum(1, 2 * np.minimum(n, m - 1 - n) / (alpha * (m - 1)))
    return 0.5 * (1 - np.cos(np.pi * slope))


def _taylor(m, nbar=4, sll=30, norm=True):
    import numpy as np

    a = math.acosh(10 ** (sll / 20)) / math.pi
    stretch = nbar**2 / (a**2 + (nbar - 0.5) ** 2)
    orders = range(1, nbar)
    weights = []
    for k in orders:
        top = math.prod(1 - k**2 / stretch / (a**2 + (j - 0.5) ** 2) for j in orders)
        bottom = math.prod(1 - k**2 / j**2 for j in orders if j != k)
        weights.append((-1) ** (k + 1) * top / bottom / 2)

    def at(n):
        phase = 2 * np.pi * (n - m / 2 + 0.5) / m
        return 1 + 2 * sum(weight * np.cos(k * phase) for k, weight in zip(orders, weights, strict=True))

    window = at(np.arange(m))
    return window / at((m - 1) / 2) if norm else window


_WINDOWS = {
    "bartlett": _bartlett,
    "blackman": _blackman,
    "bohman": _bohman,
    "cosine": _cosine,
    "exponential": _exponential,
    "gaussian": _gaussian,
    "general_cosine": _general_cosine,
    "general_gaussian": _general_gaussian,
    "general_hamming": _general_hamming,
    "hamming": _hamming,
    "hann": _hann,
    "kaiser": _kaiser,
    "nuttall": _nuttall,
    "taylor": _taylor,
    "triang": _triang,
    "tukey": _tukey,
}


def get_window(window, win_length, fftbins=True, dtype="float64"):
    """A window by its name.

    Args:
        window: Name ("hann", "hamming", "blackman", "bartlett", "bohman", "cosine", "nuttall", "taylor", "triang",
            "tukey"), or (name, parameters...), as in ("kaiser", beta), ("gaussian", std),
            ("exponential", None, tau), ("general_cosine", weights), ("general_gaussian", p, sig),
            ("general_hamming", alpha).
        win_length: Points.
        fftbins: Periodic, for a Fourier transform, rather than symmetric.
        dtype: Element type of the result.

    Returns:
        A Tensor of shape [win_length].

    Raises:
        ValueError: The window is unknown, or needs parameters.
    """
    import numpy as np

    if isinstance(window, tuple):
        name, parameters = window[0] if window else "", window[1:]
    elif isinstance(window, str):
        name, parameters = window, ()
        if name in ("kaiser", "gaussian", "exponential"):
            raise ValueError(f"get_window: the {name} window needs parameters; pass a tuple ({name!r}, ...).")
    else:
        raise ValueError(f"get_window: window has type {type(window).__name__}; it must be a str or a tuple.")
    if name not in _WINDOWS:
        raise ValueError(f"get_window: window has value {name!r}; it must be one of {sorted(_WINDOWS)}.")
    if win_length < 0:
        raise ValueError(f"get_window: win_length has value {win_length}; it must not be negative.")
    if win_length <= 1:
        return tensor.ones([win_length], dtype)
    values = _WINDOWS[name](win_length + 1 if fftbins else win_length, *parameters)
    return tensor.to_tensor(np.asarray(values)[:win_length], dtype=dtype)
