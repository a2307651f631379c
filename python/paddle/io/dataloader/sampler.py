# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Samplers: the order in which samples are taken."""


class Sampler:
    """An order of the samples of a dataset: subclasses define `__iter__`, which gives indices.

    Args:
        data_source: The Dataset; None where the order does not depend on one.
    """

    def __init__(self, data_source=None):
        self.data_source = data_source

    def __iter__(self):
        raise NotImplementedError(f"{type(self).__name__}: __iter__ is not defined; define it in the subclass.")


class SequenceSampler(Sampler):
    """0, 1, 2, ... up to the length of the data.

    Args:
        data_source: What has the length.

    Example:
        >>> list(paddle.io.SequenceSampler(["a", "b", "c"]))
        [0, 1, 2]
    """

    def __iter__(self):
        return iter(range(len(self.data_source)))

    def __len__(self):
        return len(self.data_source)


class RandomSampler(Sampler):
    """Random order, or random draws with `replacement`.

    Args:
        num_samples: How many indices; the length of the data by default.
        generator: An iterator of indices to take them from.
    """

    def __init__(self, data_source, replacement=False, num_samples=None, generator=None):
        super().__init__(data_source)
        if not isinstance(replacement, bool):
            raise TypeError(f"RandomSampler: replacement has value {replacement!r}; it must be a bool.")
        self.replacement, self._num_samples, self.generator = replacement, num_samples, generator
        if not isinstance(self.num_samples, int) or self.num_samples <= 0:
            raise ValueError(f"RandomSampler: num_samples has value {self.num_samples}; it must be a positive integer.")
        if not replacement and generator is None and self.num_samples > len(data_source):
            raise ValueError(
                f"RandomSampler: num_samples has value {self.num_samples} for {len(data_source)} samples; without "
                "replacement it must be at most their number."
            )

    @property
    def num_samples(self):
        """How many indices an epoch has."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self):
        import numpy

        size = len(self.data_source)
        if self.generator is not None:
            for _, index in zip(range(self.num_samples), self.generator, strict=False):
                yield index
        elif self.replacement:
            yield from numpy.random.choice(size, self.num_samples, replace=True).tolist()
        else:
            yield from numpy.random.permutation(size)[: self.num_samples].tolist()

    def __len__(self):
        return self.num_samples


class SubsetRandomSampler(Sampler):
    """Given indices in random order.

    Args:
        indices: A list of positions.

    Raises:
        ValueError: indices is empty.

    Example:
        >>> sorted(paddle.io.SubsetRandomSampler([1, 3, 5]))
        [1, 3, 5]
    """

    def __init__(self, indices):
        if len(indices) == 0:
            raise ValueError("SubsetRandomSampler: indices is empty; pass at least one index.")
        self.indices = indices

    def __iter__(self):
        import numpy

        return (self.indices[i] for i in numpy.random.permutation(len(self.indices)).tolist())

    def __len__(self):
        return len(self.indices)


class WeightedRandomSampler(Sampler):
    """Indices drawn with the given weights.

    Args:
        weights: Sequence of numbers >= 0, not all 0; they need not add up to 1.
        num_samples: How many indices an epoch has.
        replacement: Whether an index may be drawn twice.

    Raises:
        ValueError: An option has a wrong value.
        AssertionError: While iterating, the weights are not usable.
    """

    def __init__(self, weights, num_samples, replacement=True):
        if not isinstance(num_samples, int) or num_samples <= 0:
            raise ValueError(
                f"WeightedRandomSampler: num_samples has value {num_samples!r}; it must be a positive integer."
            )
        if not isinstance(replacement, bool):
            raise ValueError(f"WeightedRandomSampler: replacement has value {replacement!r}; it must be a bool.")
        self.weights, self.num_samples, self.replacement = weights, num_samples, replacement

    def __iter__(self):
        import numpy

        weights = numpy.asarray(self.weights, dtype="float64")
        if weights.ndim != 1 or (weights < 0).any() or not weights.sum() > 0:
            raise AssertionError("WeightedRandomSampler: weights must be numbers >= 0, one of them positive.")
        if not self.replacement and self.num_samples > (weights > 0).sum():
            raise AssertionError(
                f"WeightedRandomSampler: num_samples has value {self.num_samples} and only "
                f"{int((weights > 0).sum())} weights are positive; pass replacement=True."
            )
        draws = numpy.random.choice(len(weights), self.num_samples, self.replacement, weights / weights.sum())
        return iter(draws.tolist())

    def __len__(self):
        return self.num_samples
