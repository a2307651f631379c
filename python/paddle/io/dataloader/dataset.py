# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Datasets."""

import bisect
import itertools

from ...framework.checked_numbers import check_real, shown


class Dataset:
    """A collection with `__getitem__(index)` and `__len__()`; subclasses define both.

    Example:
        >>> class Squares(paddle.io.Dataset):
        ...     def __len__(self):
        ...         return 4
        ...
        ...     def __getitem__(self, index):
        ...         return index**2
        >>> [batch.tolist() for batch in paddle.io.DataLoader(Squares(), batch_size=2)]
        [[0, 1], [4, 9]]
    """

    def __getitem__(self, idx):
        raise NotImplementedError(f"{type(self).__name__}: __getitem__ is not defined; define it in the subclass.")

    def __len__(self):
        raise NotImplementedError(f"{type(self).__name__}: __len__ is not defined; define it in the subclass.")


class IterableDataset(Dataset):
    """A stream of samples; subclasses define `__iter__`.

    Example:
        >>> class Squares(paddle.io.IterableDataset):
        ...     def __iter__(self):
        ...         return (i * i for i in range(4))
        >>> [batch.tolist() for batch in paddle.io.DataLoader(Squares(), batch_size=2)]
        [[0, 1], [4, 9]]
    """

    def __iter__(self):
        raise NotImplementedError(f"{type(self).__name__}: __iter__ is not defined; define it in the subclass.")

    def __getitem__(self, idx):
        raise RuntimeError(f"{type(self).__name__}: an IterableDataset has no items by index.")

    def __len__(self):
        raise RuntimeError(f"{type(self).__name__}: an IterableDataset has no length.")


class TensorDataset(Dataset):
    """Slices of tensors along their first axis.

    Args:
        tensors: A list of Tensors or arrays of one length.

    Raises:
        AssertionError: The lengths differ.
        TypeError: tensors is no list of them.

    Example:
        >>> data = paddle.io.TensorDataset([paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([10, 20])])
        >>> [part.item() for part in data[1]]
        [2.0, 20]
    """

    def __init__(self, tensors):
        if not isinstance(tensors, (list, tuple)) or not all(hasattr(t, "shape") for t in tensors):
            raise TypeError(f"TensorDataset: tensors {shown(tensors)}; it must be a list of Tensors or arrays.")
        sizes = {int(t.shape[0]) for t in tensors}
        if len(sizes) > 1:
            raise AssertionError(f"TensorDataset: the first axes have sizes {sorted(sizes)}; they must be equal.")
        self.tensors = tensors

    def __getitem__(self, index):
        return tuple(t[index] for t in self.tensors)

    def __len__(self):
        return self.tensors[0].shape[0]


def _check_datasets(owner, datasets, kind):
    if not datasets:
        raise AssertionError(f"{owner}: datasets is empty; pass at least one dataset.")
    for d in datasets:
        if not isinstance(d, kind):
            raise AssertionError(f"{owner}: datasets holds a {type(d).__name__}; all must be of type {kind.__name__}.")


class ComposeDataset(Dataset):
    """Samples of several datasets side by side."""

    def __init__(self, datasets):
        self.datasets = list(datasets)
        _check_datasets("ComposeDataset", self.datasets, Dataset)
        if any(isinstance(d, IterableDataset) for d in self.datasets):
            raise AssertionError("ComposeDataset: an IterableDataset has no items by index.")
        if len({len(d) for d in self.datasets}) > 1:
            raise AssertionError("ComposeDataset: the datasets must have equal lengths.")

    def __len__(self):
        return len(self.datasets[0])

    def __getitem__(self, idx):
        sample = []
        for d in self.datasets:
            item = d[idx]
            sample.extend(item if isinstance(item, (list, tuple)) else [item])
        return tuple(sample)


class ChainDataset(IterableDataset):
    """Streams one after the other."""

    def __init__(self, datasets):
        self.datasets = list(datasets)
        _check_datasets("ChainDataset", self.datasets, IterableDataset)

    def __iter__(self):
        for d in self.datasets:
            yield from d


class ConcatDataset(Dataset):
    """Datasets one after the other.

    Args:
        datasets: Datasets with a length.

    Example:
        >>> list(paddle.io.ConcatDataset([[1, 2], [3]]))
        [1, 2, 3]
    """

    def __init__(self, datasets):
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertionError("ConcatDataset: datasets is empty; pass at least one dataset.")
        if any(isinstance(d, IterableDataset) for d in self.datasets):
            raise AssertionError(
                "ConcatDataset: datasets holds an IterableDataset, which has no items by index; pass a Dataset."
            )
        self.cumulative_sizes = self.cumsum(self.datasets)

    @staticmethod
    def cumsum(sequence):
        """Running totals of the lengths."""
        return list(itertools.accumulate(len(d) for d in sequence))

    def __len__(self):
        return self.cumulative_sizes[-1]

    def __getitem__(self, idx):
        if idx < 0:
            if -idx > len(self):
                raise ValueError(f"ConcatDataset: index {idx} is out of range.")
            idx += len(self)
        if idx >= len(self):
            raise IndexError(f"ConcatDataset: index {idx} is out of range; there are {len(self)} samples.")
        number = bisect.bisect_right(self.cumulative_sizes, idx)
        before = self.cumulative_sizes[number - 1] if number else 0
        return self.datasets[number][idx - before]


class Subset(Dataset):
    """The samples of a dataset at given indices.

    Args:
        dataset: A Dataset with `__getitem__`.
        indices: Their positions in it.

    Example:
        >>> list(paddle.io.Subset([10, 20, 30], [2, 0]))
        [30, 10]
    """

    def __init__(self, dataset, indices):
        self.dataset, self.indices = dataset, indices

    def __getitem__(self, idx):
        return self.dataset[self.indices[idx]]

    def __len__(self):
        return len(self.indices)


def random_split(dataset, lengths, generator=None):
    """Random parts of a dataset.

    Args:
        dataset: A Dataset with a length.
        lengths: Sizes of the parts, or fractions that add up to 1.
        generator: Unused; NumPy's random state decides.

    Returns:
        A list of `Subset`s.

    Raises:
        TypeError: lengths is no list of numbers.
        ValueError: lengths do not add up to the length of the dataset.

    Example:
        >>> [len(part) for part in paddle.io.random_split(list(range(10)), [0.8, 0.2])]
        [8, 2]
    """
    if isinstance(lengths, str) or not hasattr(lengths, "__iter__"):
        raise TypeError(f"random_split: lengths {shown(lengths)}; it must be a list of numbers.")
    lengths = list(lengths)
    check_real("random_split", **{f"lengths[{i}]": n for i, n in enumerate(lengths)})
    if not hasattr(dataset, "__len__"):
        raise TypeError(f"random_split: dataset {shown(dataset)}; it must have a length.")
    if abs(sum(lengths) - 1) < 1e-9 and all(0 <= n <= 1 for n in lengths):
        sizes = [int(n * len(dataset)) for n in lengths]
        for i in range(len(dataset) - sum(sizes)):
            sizes[i % len(sizes)] += 1
        lengths = sizes
    if sum(lengths) != len(dataset):
        raise ValueError(
            f"random_split: lengths add up to {sum(lengths)} and the dataset has {len(dataset)} "
            f"samples; they must be equal."
        )
    import numpy

    order = numpy.random.permutation(sum(lengths)).tolist()
    parts, start = [], 0
    for n in lengths:
        parts.append(Subset(dataset, order[start : start + n]))
        start += n
    return parts
