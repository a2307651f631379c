# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Recorded spans in a file of protobuf messages, and read back.

message Span { string name = 1; string kind = 2; uint64 begin_ns = 3; uint64 end_ns = 4; uint64 thread = 5; }
message Spans { uint64 version = 1; repeated Span spans = 2; }
"""

__all__ = ["ProfilerResult", "load_profiler_result", "write_spans"]

_VERSION = 1
_FIELDS = ("name", "kind", "begin_ns", "end_ns", "thread")


def _varint(number):
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def _field(number, value):
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    data = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def write_spans(path, spans):
    """Write spans.

    Args:
        path: The file.
        spans: Tuples (name, kind, begin_ns, end_ns, thread).
    """
    parts = [_field(1, _VERSION)]
    parts += [_field(2, b"".join(_field(i, value) for i, value in enumerate(span, 1))) for span in spans]
    with open(path, "wb") as file:
        file.write(b"".join(parts))


class _Reader:
    """The fields of one message; ValueError where it ends too early or holds another kind of field."""

    def __init__(self, data):
        self._data, self._at = data, 0

    def _number(self):
        value = shift = 0
        while True:
            if self._at >= len(self._data) or shift > 63:
                raise ValueError("a number is cut off")
            byte = self._data[self._at]
            self._at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value & (1 << 64) - 1
            shift += 7

    def __iter__(self):
        while self._at < len(self._data):
            key = self._number()
            if key & 7 == 0:
                yield key >> 3, self._number()
                continue
            size = self._number() if key & 7 == 2 else -1
            if not 0 <= size <= len(self._data) - self._at:
                raise ValueError("a field is cut off or of an unknown kind")
            self._at += size
            yield key >> 3, self._data[self._at - size : self._at]


class ProfilerResult:
    """Spans that were read from a file: `spans` holds tuples (name, kind, begin_ns, end_ns, thread)."""

    def __init__(self, spans):
        self.spans = spans

    def get_data(self):
        """The spans by the thread that they ran on."""
        found = {}
        for span in self.spans:
            found.setdefault(span[4], []).append(span)
        return found


def _text_or_number(value):
    return value.decode() if isinstance(value, bytes) else value


def load_profiler_result(filename):
    """Read what `Profiler.export(path, format="pb")` wrote.

    Args:
        filename: The file.

    Returns:
        A ProfilerResult.

    Raises:
        ValueError: It is no such file.

    Example:
        >>> import os, tempfile, paddle
        >>> with paddle.profiler.Profiler() as profiler:
        ...     _ = paddle.ones([2]) + 1.0
        >>> path = os.path.join(tempfile.mkdtemp(), "spans.pb")
        >>> profiler.export(path, format="pb")
        >>> "add" in [span[0] for span in paddle.profiler.load_profiler_result(path).spans]
        True
    """
    with open(filename, "rb") as file:
        data = file.read()
    try:
        fields = list(_Reader(data))
        if (1, _VERSION) not in fields:
            raise ValueError("its version is unknown")
        spans = []
        for number, value in fields:
            if number == 2:
                known = {i: _text_or_number(field) for i, field in _Reader(value)}
                spans.append(tuple(known[i] for i in range(1, len(_FIELDS) + 1)))
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"load_profiler_result: {filename} holds no spans of a Profiler ({error}).") from error
    return ProfilerResult(spans)
