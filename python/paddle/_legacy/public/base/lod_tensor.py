# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""DenseTensors of sequences that stand one after another."""


def create_lod_tensor(data, recursive_seq_lens, place):
    """A DenseTensor with lengths of sequences.

    Args:
        data: An array, a list of sequences of numbers, or a DenseTensor.
        recursive_seq_lens: Lengths of the sequences, a list for each level.
        place: The device.

    Raises:
        AssertionError: The lengths do not add up to the number of rows.
    """
    import numpy

    from ..static.scope import DenseTensor

    if isinstance(data, list):
        lengths = [len(sequence) for sequence in data]
        if [lengths] != [list(level) for level in recursive_seq_lens]:
            raise AssertionError(
                f"create_lod_tensor: data has sequences of {lengths}; recursive_seq_lens says {recursive_seq_lens}."
            )
        data = numpy.concatenate(data, axis=0).astype("int64").reshape(-1, 1)
    made = DenseTensor()
    made.set(numpy.array(data), place)
    made.set_recursive_sequence_lengths(recursive_seq_lens)
    if not made.has_valid_recursive_sequence_lengths():
        raise AssertionError(
            f"create_lod_tensor: recursive_seq_lens has value {recursive_seq_lens} for {made.shape()[0]} rows."
        )
    return made


def create_random_int_lodtensor(recursive_seq_lens, base_shape, place, low, high):
    """A DenseTensor of sequences of random whole numbers.

    Args:
        recursive_seq_lens: Lengths of the sequences, a list for each level.
        base_shape: Shape of one row.
        place: The device.
        low: Smallest number.
        high: Largest number.
    """
    import numpy

    shape = [sum(recursive_seq_lens[-1]), *base_shape]
    return create_lod_tensor(numpy.random.randint(low, high + 1, shape).astype("int64"), recursive_seq_lens, place)


__all__ = ["create_lod_tensor", "create_random_int_lodtensor"]
