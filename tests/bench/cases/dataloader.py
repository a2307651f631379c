# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""DataLoader over 512 in-memory uint8 images 256x256x3: crop 224, flip, normalise in numpy;
batch 32, 0 and 2 workers, shuffle off: images per second of a whole pass, workers started anew."""

import time

import numpy as np
from harness import generator

COUNT, SIDE, CROP, BATCH = 512, 256, 224, 32


class Images:
    """The map-style dataset both frameworks accept."""

    def __init__(self):
        self.images = generator("images").integers(0, 256, (COUNT, SIDE, SIDE, 3), dtype=np.uint8)

    def __len__(self):
        return COUNT

    def __getitem__(self, index):
        top, left = index * 7 % (SIDE - CROP), index * 13 % (SIDE - CROP)
        image = self.images[index][top : top + CROP, left : left + CROP]
        if index % 2:
            image = image[:, ::-1]
        image = (image.astype(np.float32) / 255 - 0.45) / 0.225
        return np.ascontiguousarray(image.transpose(2, 0, 1)), index


def measure(bench, load):
    for workers in (0, 2):
        seconds, total = [], 0.0
        for repeat in range(4):
            begin = time.perf_counter()
            count = 0
            for images, _labels in load(workers):
                count += images.shape[0]
                if repeat == 0:
                    total += float(images.mean())
            assert count == COUNT
            if repeat:
                seconds.append(time.perf_counter() - begin)
        bench.check(f"mean_sum.workers{workers}", total)
        bench.samples(f"rate.workers{workers}", "images/s", [COUNT / s for s in seconds], clock="wall")


def run_paddle(bench):
    bench.paddle()
    if bench.compiled:
        return
    from paddle.io import DataLoader, Dataset

    class Wrapped(Images, Dataset):
        pass

    data = Wrapped()
    measure(bench, lambda workers: DataLoader(data, batch_size=BATCH, num_workers=workers))


def run_torch(bench):
    bench.torch()
    if bench.compiled:
        return
    from torch.utils.data import DataLoader

    data = Images()
    measure(bench, lambda workers: DataLoader(data, batch_size=BATCH, num_workers=workers))
