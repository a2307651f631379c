# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Messages in the wire format of Protocol Buffers 2, with the methods that generated classes have.

A message class is made from lines of text: `1:name!:string` is field 1, `name`, required, a string; `*` marks a
repeated field, nothing an optional one; `=value` gives a default.
"""

import copy
import struct

from .varint import read_varint, to_varint

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_NUMBERS = {"double": ("<d", _FIXED64, 8), "float": ("<f", _FIXED32, 4)}
_ZERO = {"string": "", "bytes": b"", "bool": False, "double": 0.0, "float": 0.0}


class DecodeError(Exception):
    """The bytes are no message."""


class EncodeError(Exception):
    """A required field has no value."""


class Field:
    """One field of a message class."""

    def __init__(self, text, kinds):
        number, name, kind = text.split(":", 2)
        kind, _, default = kind.partition("=")
        self.number, self.kind = int(number), kind
        self.repeated, self.required = name.endswith("*"), name.endswith("!")
        self.name = name.rstrip("*!")
        self.message = kinds.get(kind)
        self.default = int(default) if default.lstrip("-").isdigit() else default == "true" if default else None
        if self.default is None:
            self.default = _ZERO.get(kind, 0)

    def checked(self, value):
        """`value` as the field keeps it; TypeError for one of another type."""
        kind = self.kind
        if kind in ("string", "bytes"):
            if kind == "string" and isinstance(value, bytes):
                return value.decode()
            if not isinstance(value, str if kind == "string" else bytes):
                raise TypeError(f"{self.name}: {value!r} has type {type(value).__name__}; it must be a {kind}.")
            return value
        if kind in _NUMBERS:
            number = float(value)
            return struct.unpack("<f", struct.pack("<f", number))[0] if kind == "float" else number
        return bool(value) if kind == "bool" else int(value)

    def encoded(self, value):
        if self.message is not None:
            body = value.SerializePartialToString()
            return self._key(_BYTES) + to_varint(len(body)) + body
        if self.kind in ("string", "bytes"):
            body = value.encode() if self.kind == "string" else value
            return self._key(_BYTES) + to_varint(len(body)) + body
        if self.kind in _NUMBERS:
            form, wire, _ = _NUMBERS[self.kind]
            return self._key(wire) + struct.pack(form, value)
        return self._key(_VARINT) + to_varint(int(value))

    def _key(self, wire):
        return to_varint(self.number << 3 | wire)

    def decoded(self, wire, payload):
        """The values in one record: several where numbers are packed."""
        if self.message is not None:
            return [self.message.FromString(payload)]
        if self.kind in ("string", "bytes"):
            return [payload.decode() if self.kind == "string" else bytes(payload)]
        if self.kind in _NUMBERS:
            form, _, size = _NUMBERS[self.kind]
            return [struct.unpack(form, payload[i : i + size])[0] for i in range(0, len(payload), size)]
        if wire != _BYTES:
            return [self._whole(payload)]
        found, at = [], 0
        while at < len(payload):
            number, at = read_varint(payload, at, DecodeError)
            found.append(self._whole(number))
        return found

    def _whole(self, number):
        if self.kind == "bool":
            return bool(number)
        return number - (1 << 64) if number >> 63 and self.kind != "uint64" else number


class Repeated(list):
    """The values of a repeated field; `add` makes a message at the end. Its message, the owner, is part of the one
    around it once there are values."""

    def __init__(self, field, values=(), owner=None):
        super().__init__()
        self._field, self._owner = field, owner
        self.extend(values)

    def _grown(self):
        if self and self._owner is not None:
            self._owner._appear()

    def _kept(self, value):
        return copy.deepcopy(value) if self._field.message is not None else self._field.checked(value)

    def append(self, value):
        super().append(self._kept(value))
        self._grown()

    def extend(self, values):
        super().extend([self._kept(v) for v in values])
        self._grown()

    MergeFrom = extend

    def add(self, **values):
        """A new message at the end."""
        super().append(self._field.message(**values))
        self._grown()
        return self[-1]

    def __deepcopy__(self, memo):
        return Repeated(self._field, self)


class Message:
    """Base of message classes."""

    _fields, _by_number = {}, {}

    def __init__(self, **values):
        object.__setattr__(self, "_values", {})
        for name, value in values.items():
            field = self._field(name)
            if field.repeated:
                getattr(self, name).extend(value)
            elif field.message is not None:
                getattr(self, name).CopyFrom(value)
            else:
                setattr(self, name, value)

    @classmethod
    def _field(cls, name):
        field = cls._fields.get(name)
        if field is None:
            raise ValueError(f"{cls.__name__}: there is no field {name!r}.")
        return field

    def __getattr__(self, name):
        field = self._fields.get(name)
        if field is None:
            raise AttributeError(f"{type(self).__name__}: there is no field {name!r}.")
        if name in self._values:
            return self._values[name]
        if field.repeated:
            return self._values.setdefault(name, Repeated(field, owner=self))
        if field.message is not None:
            made = field.message()
            object.__setattr__(made, "_home", (self, name))
            return made
        return field.default

    def __setattr__(self, name, value):
        field = self._fields.get(name)
        if field is None or field.repeated or field.message is not None:
            raise AttributeError(f"{type(self).__name__}: {name!r} is no field that takes a value.")
        self._values[name] = field.checked(value)
        self._appear()

    def _appear(self):
        """A message that was only looked at is part of its owner once it has a value."""
        home = self.__dict__.pop("_home", None)
        if home is not None:
            owner, name = home
            owner._values[name] = self
            owner._appear()

    SetInParent = _appear

    def __eq__(self, other):
        return type(self) is type(other) and self.ListFields() == other.ListFields()

    __hash__ = None

    def __deepcopy__(self, memo):
        made = type(self)()
        made.CopyFrom(self)
        return made

    def HasField(self, name):
        """Whether a field has a value; ValueError for a repeated one."""
        if self._field(name).repeated:
            raise ValueError(f"{type(self).__name__}: {name!r} is repeated; ask for its length.")
        return name in self._values

    def ClearField(self, name):
        """Take the value of a field away."""
        self._field(name)
        self._values.pop(name, None)

    def Clear(self):
        """Take all values away."""
        self._values.clear()

    def ListFields(self):
        """(field, value) of what has a value, by number."""
        held = [(self._fields[n], v) for n, v in self._values.items() if not (isinstance(v, Repeated) and not v)]
        return sorted(held, key=lambda pair: pair[0].number)

    def CopyFrom(self, other):
        """Become a copy of another message of the class."""
        if other is not self:
            self.Clear()
            self.MergeFrom(other)

    def MergeFrom(self, other):
        """Take the values of another message; repeated fields grow."""
        if type(other) is not type(self):
            raise TypeError(f"{type(self).__name__}: a {type(other).__name__} is given.")
        for field, value in other.ListFields():
            if field.repeated:
                getattr(self, field.name).extend(value)
            elif field.message is not None:
                inner = getattr(self, field.name)
                inner._appear()
                inner.MergeFrom(value)
            else:
                self._values[field.name] = value
        self._appear()

    def IsInitialized(self):
        """Whether all required fields have values."""
        return self._missing() is None

    def _missing(self):
        for name, field in self._fields.items():
            if field.required and name not in self._values:
                return name
            if field.message is not None and name in self._values:
                for inner in self._values[name] if field.repeated else [self._values[name]]:
                    if (found := inner._missing()) is not None:
                        return f"{name}.{found}"
        return None

    def SerializeToString(self):
        """The message as bytes; EncodeError when a required field has no value."""
        missing = self._missing()
        if missing is not None:
            raise EncodeError(f"{type(self).__name__}: the required field {missing} has no value.")
        return self.SerializePartialToString()

    def SerializePartialToString(self):
        """The message as bytes, whatever is missing."""
        parts = []
        for field, value in self.ListFields():
            parts.extend(field.encoded(v) for v in (value if field.repeated else [value]))
        return b"".join(parts)

    def ByteSize(self):
        """Number of bytes of the message."""
        return len(self.SerializePartialToString())

    @classmethod
    def FromString(cls, data):
        """The message that bytes hold; DecodeError when they hold none."""
        made = cls()
        made.MergeFromString(data)
        return made

    def ParseFromString(self, data):
        """Become the message that bytes hold."""
        self.Clear()
        return self.MergeFromString(data)

    def MergeFromString(self, data):
        """Take the values that bytes hold; how many bytes there were."""
        data, at = memoryview(bytes(data)), 0
        while at < len(data):
            key, at = read_varint(data, at, DecodeError)
            payload, at = self._payload(data, at, key & 7)
            field = self._by_number.get(key >> 3)
            if field is None:
                continue
            payload = bytes(payload) if isinstance(payload, memoryview) else payload
            for value in field.decoded(key & 7, payload):
                if field.repeated:
                    list.append(getattr(self, field.name), value)
                else:
                    self._values[field.name] = value
        self._appear()
        return len(data)

    @staticmethod
    def _payload(data, at, wire):
        if wire == _VARINT:
            return read_varint(data, at, DecodeError)
        if wire == _BYTES:
            size, at = read_varint(data, at, DecodeError)
        elif wire in (_FIXED64, _FIXED32):
            size = 8 if wire == _FIXED64 else 4
        else:
            raise DecodeError(f"message: wire type {wire} is unknown.")
        if at + size > len(data):
            raise DecodeError("message: the bytes end inside a field.")
        return data[at : at + size], at + size

    def __str__(self):
        lines = []
        for field, value in self.ListFields():
            for v in value if field.repeated else [value]:
                if field.message is None:
                    text = {True: "true", False: "false"}.get(v) if field.kind == "bool" else None
                    shown = f'"{v}"' if field.kind == "string" else text or v
                    lines.append(f"{field.name}: {shown}\n")
                else:
                    inner = "".join(f"  {line}\n" for line in str(v).splitlines())
                    lines.append(f"{field.name} {{\n{inner}}}\n")
        return "".join(lines)

    __repr__ = __str__


class Enum:
    """Names of whole numbers."""

    def __init__(self, **numbers):
        self._numbers = numbers
        for name, number in numbers.items():
            setattr(self, name, number)

    def Name(self, number):
        """The name of a number."""
        for name, known in self._numbers.items():
            if known == number:
                return name
        raise ValueError(f"{number!r} has no name here.")

    def Value(self, name):
        """The number of a name."""
        if name not in self._numbers:
            raise ValueError(f"{name!r} is not a name of this enumeration.")
        return self._numbers[name]

    def keys(self):
        """The names."""
        return list(self._numbers)

    def values(self):
        """The numbers."""
        return list(self._numbers.values())

    def items(self):
        """(name, number) pairs."""
        return list(self._numbers.items())


def message_class(name, fields, module, kinds=None, **members):
    """A message class.

    Args:
        name: Its name.
        fields: Its fields as text, separated by blanks.
        module: The module it belongs to.
        kinds: Message classes by the names that `fields` uses; other names are whole numbers of an enumeration.
        members: Enumerations and classes inside of it.
    """
    made = [Field(text, kinds or {}) for text in fields.split()]
    constants = {}
    for member in members.values():
        constants.update(member.items() if isinstance(member, Enum) else ())
    space = {
        "__module__": module,
        "__doc__": f"The message {name}.",
        "_fields": {f.name: f for f in made},
        "_by_number": {f.number: f for f in made},
        **members,
        **constants,
    }
    return type(name, (Message,), space)
