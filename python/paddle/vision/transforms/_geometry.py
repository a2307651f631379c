# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Geometry of images: matrices of affine and perspective maps, and the taps of resizing.

Coordinates are continuous, with the centre of pixel i at i + 0.5.  A map is a 3x3 matrix from
output to input coordinates.
"""

import math

import numpy as np


def affine_inverse(center, angle, translate, scale, shear):
    """Output-to-input matrix of: shear, rotate by `angle` degrees and scale about `center`, then move."""
    rotation, (sx, sy) = math.radians(angle), (math.radians(s) for s in shear)
    a, c = math.cos(rotation - sy) / math.cos(sy), math.sin(rotation - sy) / math.cos(sy)
    b = -a * math.tan(sx) - math.sin(rotation)
    d = -c * math.tan(sx) + math.cos(rotation)
    linear = scale * np.array([[a, b], [c, d]])
    inverse = np.eye(3)
    inverse[:2, :2] = np.linalg.inv(linear)
    center, translate = np.asarray(center, "float64"), np.asarray(translate, "float64")
    inverse[:2, 2] = center - inverse[:2, :2] @ (center + translate)
    return inverse


def rotation_inverse(width, height, angle, center, expand):
    """(output-to-input matrix, output width, output height) of a counter-clockwise rotation."""
    middle = (width / 2, height / 2)
    inverse = affine_inverse(middle if center is None else center, -angle, (0, 0), 1.0, (0.0, 0.0))
    if not expand:
        return inverse, width, height
    forward = np.linalg.inv(inverse)
    corners = forward @ np.array([[0, width, width, 0], [0, 0, height, height], [1, 1, 1, 1]], "float64")
    low, high = corners[:2].min(1), corners[:2].max(1)
    if angle % 90 == 0:
        size = [round(n) for n in high - low]
    else:
        size = [math.ceil(high[i]) - math.floor(low[i]) for i in range(2)]
    # the middle of the output shows the rotated middle of the input
    moved = (forward @ np.array([*middle, 1.0]))[:2] - np.array(size) / 2
    shift = np.eye(3)
    shift[:2, 2] = moved
    return inverse @ shift, size[0], size[1]


def perspective_inverse(startpoints, endpoints):
    """Output-to-input matrix that sends each of four endpoints to its startpoint."""
    rows, values = [], []
    for (x, y), (u, v) in zip(endpoints, startpoints, strict=True):
        rows.append([x, y, 1, 0, 0, 0, -u * x, -u * y])
        rows.append([0, 0, 0, x, y, 1, -v * x, -v * y])
        values += [u, v]
    solution = np.linalg.lstsq(np.array(rows, "float64"), np.array(values, "float64"), rcond=None)[0]
    return np.append(solution, 1.0).reshape(3, 3)


def of_centers(inverse):
    """A map between numbers of pixels, as one between their centres (OpenCV turns arrays by the former)."""
    shift = np.eye(3)
    shift[:2, 2] = 0.5
    return shift @ inverse @ np.linalg.inv(shift)


def source_points(inverse, width, height):
    """Input coordinates (x, y) of the pixels of a width x height output, each of shape [height, width]."""
    x, y = np.meshgrid(np.arange(width) + 0.5, np.arange(height) + 0.5)
    u, v, w = np.tensordot(inverse, np.stack([x, y, np.ones_like(x)]), 1)
    return u / w, v / w


def sample_taps(x, y, width, height, interpolation):
    """Flat indices and weights whose sum gives the image at points.

    Returns:
        List of (indices, weights), each of shape [height * width of the output]; the weight is 0
        outside of the image.
    """
    x, y = x.reshape(-1), y.reshape(-1)
    if interpolation == "nearest":
        corners = [(np.floor(x + 1e-9), np.floor(y + 1e-9), np.ones_like(x))]
    else:
        x, y = x - 0.5, y - 0.5
        left, top = np.floor(x), np.floor(y)
        fx, fy = x - left, y - top
        corners = [
            (left, top, (1 - fx) * (1 - fy)),
            (left + 1, top, fx * (1 - fy)),
            (left, top + 1, (1 - fx) * fy),
            (left + 1, top + 1, fx * fy),
        ]
    taps = []
    for column, row, weight in corners:
        inside = (column >= 0) & (column < width) & (row >= 0) & (row < height)
        index = np.where(inside, row * width + column, 0).astype("int64")
        taps.append((index, np.where(inside, weight, 0.0).astype("float32")))
    return taps


def _cubic(t, a=-0.75):
    """Keys' cubic convolution kernel (IEEE Trans. ASSP 29, 1981)."""
    t = np.abs(t)
    near = (a + 2) * t**3 - (a + 3) * t**2 + 1
    far = a * (t**3 - 5 * t**2 + 8 * t - 4)
    return np.where(t <= 1, near, np.where(t < 2, far, 0.0))


def _lanczos(t, size=4):
    return np.where(np.abs(t) < size, np.sinc(t) * np.sinc(t / size), 0.0)


def resize_taps(source, target, interpolation):
    """Indices and weights along one axis, as a list of pairs of shape [target]."""
    ratio = source / target
    if interpolation == "nearest":
        return [(np.minimum((np.arange(target) * ratio).astype("int64"), source - 1), None)]
    if interpolation in ("area", "box") and ratio > 1:
        return _area_taps(source, target, ratio)
    if interpolation == "area":
        return _enlarged_area_taps(source, target, ratio)
    kernel, reach = {
        "bicubic": (_cubic, 2),
        "lanczos": (_lanczos, 4),
    }.get(interpolation, (lambda t: np.maximum(1 - np.abs(t), 0.0), 1))
    position = (np.arange(target) + 0.5) * ratio - 0.5
    first = np.floor(position).astype("int64") - reach + 1
    weights = np.stack([kernel(position - (first + k)) for k in range(2 * reach)])
    weights /= weights.sum(0)
    return [(np.clip(first + k, 0, source - 1), weights[k].astype("float32")) for k in range(2 * reach)]


def _area_taps(source, target, ratio):
    low, high = np.arange(target) * ratio, (np.arange(target) + 1) * ratio
    first = np.floor(low).astype("int64")
    taps = []
    for k in range(math.ceil(ratio) + 1):
        cell = first + k
        overlap = np.minimum(high, cell + 1) - np.maximum(low, cell)
        taps.append((np.clip(cell, 0, source - 1), (np.clip(overlap, 0, None) / ratio).astype("float32")))
    return taps


def _enlarged_area_taps(source, target, ratio):
    """A new pixel that lies within an old one has its value; one on a border, a share of both."""
    place = np.arange(target)
    first = np.floor(place * ratio).astype("int64")
    beyond = (place + 1) - (first + 1) / ratio
    weight = np.where(beyond > 0, beyond - np.floor(beyond), 0).astype("float32")
    return [(np.clip(first + k, 0, source - 1), w) for k, w in ((0, 1 - weight), (1, weight))]


def output_size(size, width, height):
    """(height, width) that `size` asks for: a pair, or the length of the shorter side."""
    if isinstance(size, int):
        if width <= height:
            return int(size * height / width), size
        return size, int(size * width / height)
    return int(size[0]), int(size[1])


def sides(padding):
    """(left, top, right, bottom) of a number, a pair or four numbers."""
    if isinstance(padding, int):
        return padding, padding, padding, padding
    if len(padding) == 2:
        return padding[0], padding[1], padding[0], padding[1]
    return tuple(padding)
