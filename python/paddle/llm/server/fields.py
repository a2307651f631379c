# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The fields of a JSON body: taken one by one with their types, so that what nobody has taken is an error."""

import json
import math

from .errors import bad

_NAMES = {bool: "a boolean", int: "an integer", float: "a number", str: "a string", list: "an array", dict: "an object"}


def _refuse(text):
    raise ValueError(f"{text} is no number of JSON")


def parse(body):
    """The object that a body holds, as Fields; APIError 400 where it is none."""
    try:
        found = json.loads(body, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise bad(f"We could not parse the JSON body of your request: {error}.") from None
    if not isinstance(found, dict):
        raise bad(f"The body of the request has type {type(found).__name__}; it must be a JSON object.")
    return Fields(found)


class Fields:
    """Fields of a request.

    Args:
        values: The dict. A field that is null counts as absent.
    """

    def __init__(self, values):
        self._values, self._taken = values, set()

    def raw(self, name):
        """The value of a field of any type, or None."""
        self._taken.add(name)
        return self._values.get(name)

    def take(self, name, kind, default=None, low=None, high=None):
        """The value of a field.

        Args:
            name: Of the field.
            kind: bool, int, float, str, list or dict.
            default: Where it is absent.
            low: The least number.
            high: The greatest one.
        """
        value = self.raw(name)
        if value is None:
            return default
        wrong = not isinstance(value, (int, float) if kind is float else kind)
        if wrong or (isinstance(value, bool) and kind is not bool):
            raise bad(f"{name!r} has the value {_short(value)}; it must be {_NAMES[kind]}.", name)
        if kind is float:
            if isinstance(value, int) and abs(value) > 1 << 53:
                raise bad(f"{name!r} has the value {_short(value)}; it is too large.", name)
            value = float(value)
            if not math.isfinite(value):
                raise bad(f"{name!r} must be finite.", name)
        if low is not None and value < low:
            raise bad(f"{name!r} has the value {_short(value)}; it must be at least {low}.", name)
        if high is not None and value > high:
            raise bad(f"{name!r} has the value {_short(value)}; it must be at most {high}.", name)
        return value

    def only(self, name, allowed, why):
        """Accepts a field with values that ask for nothing; an error says why others cannot be had."""
        value = self.raw(name)
        if value is not None and not any(
            value == a and isinstance(value, bool) == isinstance(a, bool) for a in allowed
        ):
            raise bad(f"{name!r} has the value {_short(value)}, which is not supported: {why}", name)

    def finish(self):
        """Raises where a field has been taken by nobody."""
        unknown = sorted(set(self._values) - self._taken)
        if unknown:
            plural = "s" if len(unknown) > 1 else ""
            raise bad(f"Unrecognized request argument{plural} supplied: {', '.join(unknown)}", unknown[0])


def _short(value):
    text = json.dumps(value)
    return text if len(text) <= 80 else text[:77] + "..."
