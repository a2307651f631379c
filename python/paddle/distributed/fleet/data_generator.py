# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Generators of samples in the text form of slots: for every slot the number of its values, then the values."""

import sys


class DataGenerator:
    """Base: makes samples of lines and prints them as text. Subclasses define `generate_sample`."""

    def __init__(self):
        self.batch_size_ = 32
        self._proto_info = None

    def set_batch(self, batch_size):
        """Number of samples that `generate_batch` gets at once."""
        self.batch_size_ = batch_size

    def generate_sample(self, line):
        """A function that yields the samples of a line: lists of pairs (slot, values). `line` is None where there are
        no lines."""
        raise NotImplementedError(
            "generate_sample: define it; it returns a function that yields lists [(slot, values), ...]."
        )

    def generate_batch(self, samples):
        """A function that yields the samples of a batch; as they are unless a subclass changes them."""

        def batch():
            yield from samples

        return batch

    def _write(self, lines, out):
        waiting = []
        for line in lines:
            for sample in self.generate_sample(line)():
                if sample is None:
                    continue
                waiting.append(sample)
                if len(waiting) == self.batch_size_:
                    self._write_batch(waiting, out)
                    waiting = []
        if waiting:
            self._write_batch(waiting, out)

    def _write_batch(self, samples, out):
        for sample in self.generate_batch(samples)():
            out.write(self._gen_str(sample))

    def run_from_memory(self):
        """Print the samples of `generate_sample(None)`."""
        self._write([None], sys.stdout)

    def run_from_stdin(self):
        """Print the samples of the lines of the standard input."""
        self._write(sys.stdin, sys.stdout)

    def _gen_str(self, line):
        raise NotImplementedError("_gen_str: use MultiSlotDataGenerator or MultiSlotStringDataGenerator.")

    def _checked(self, line):
        if not isinstance(line, (list, tuple)):
            raise ValueError(
                f"generate_sample: a sample has type {type(line).__name__}; it must be a list or tuple "
                f"[(slot, values), ...]."
            )
        return line


class MultiSlotStringDataGenerator(DataGenerator):
    """Samples whose values are strings."""

    def _gen_str(self, line):
        parts = [" ".join([str(len(values)), *values]) for _, values in self._checked(line)]
        return " ".join(parts) + "\n"


class MultiSlotDataGenerator(DataGenerator):
    """Samples whose values are integers, or real numbers.

    Example:
        >>> import paddle.distributed.fleet as fleet
        >>> class Words(fleet.MultiSlotDataGenerator):
        ...     def generate_sample(self, line):
        ...         def samples():
        ...             yield [("words", [1, 2, 3]), ("label", [0])]
        ...         return samples
        >>> Words().run_from_memory()
        3 1 2 3 1 0
    """

    def _gen_str(self, line):
        slots = self._checked(line)
        if self._proto_info is None:
            self._proto_info = [(name, "uint64") for name, _ in slots]
        if len(slots) != len(self._proto_info):
            raise ValueError(
                f"generate_sample: a sample has {len(slots)} slots; the first had {len(self._proto_info)}."
            )
        parts = []
        for i, (name, values) in enumerate(slots):
            self._check_slot(i, name, values)
            parts += [str(len(values)), *(str(value) for value in values)]
        return " ".join(parts) + "\n"

    def _check_slot(self, i, name, values):
        known, _ = self._proto_info[i]
        if not isinstance(name, str) or name != known:
            raise ValueError(f"generate_sample: slot {i} is {name!r}; in the first sample it was {known!r}.")
        if not isinstance(values, list) or not values:
            raise ValueError(f"generate_sample: the values of slot {name!r} must be a list that is not empty.")
        for value in values:
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                raise ValueError(f"generate_sample: slot {name!r} holds a {type(value).__name__}; numbers are needed.")
            if isinstance(value, float):
                self._proto_info[i] = (name, "float")
