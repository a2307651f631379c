# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`paddle.batch`: lists of samples from a function that makes a generator of samples."""


def batch(reader, batch_size, drop_last=False):
    """A reader of lists of samples.

    Args:
        reader: A function without arguments that returns an iterable of samples.
        batch_size: How many samples a list holds.
        drop_last: Whether a last, shorter list is left out.

    Returns:
        A function without arguments that returns a generator of lists.
    """
    if batch_size <= 0:
        raise ValueError(f"batch: batch_size has value {batch_size}; it must be positive.")

    def read():
        samples = []
        for sample in reader():
            samples.append(sample)
            if len(samples) == batch_size:
                yield samples
                samples = []
        if samples and not drop_last:
            yield samples

    return read
