"""Names: of hosts, of resource classes and traits, and uuids."""

from __future__ import annotations

import re
import uuid
from typing import NamedTuple

from scheduler_lib.exceptions import InvalidInput, InvalidRequest

MAX_NAME_LENGTH = 255

_CANONICAL_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\Z")
# The grammar of resource classes and traits, standard and custom alike (Placement API).
_SYMBOL = re.compile(r"[A-Z0-9_]{1,255}\Z")


class ResourceName(NamedTuple):
    """One compute node: its service host and its hypervisor's name.

    Names are compared exactly, code point by code point.
    """

    host: str
    node: str

    @classmethod
    def parse(cls, name: object, error: type[InvalidInput] = InvalidRequest) -> ResourceName:
        """Read a string (host and node alike) or a pair (host, node).

        :param name: ``"host"`` or ``("host", "node")``.
        :param error: the class to raise.
        :raises InvalidInput: (as the given class) when it is neither, empty, or too long.
        """
        if isinstance(name, str):
            parts: tuple[object, ...] = (name, name)
        elif isinstance(name, tuple | list) and len(name) == 2:
            parts = tuple(name)
        else:
            raise error(
                f"A resource name is a string or a pair (host, node), not {_short(name)}.",
                field="name",
                value=_short(name),
            )
        return cls(checked_name(parts[0], "host", error), checked_name(parts[1], "node", error))

    def __str__(self) -> str:
        return self.host if self.host == self.node else f"{self.host}/{self.node}"


def checked_name(value: object, field: str, error: type[InvalidInput]) -> str:
    """Return a host's, node's or provider's name, if it is one.

    :raises InvalidInput: (as the given class) when it is no string, empty or blank, has a control
        character, or is longer than 255 characters.
    """
    if not isinstance(value, str):
        raise error(f"{field} must be a string, not {_short(value)}.", field=field)
    if not value.strip():
        raise error(f"{field} must not be empty.", field=field, value=value)
    if len(value) > MAX_NAME_LENGTH:
        raise error(
            f"{field} has {len(value)} characters; at most {MAX_NAME_LENGTH} are allowed.",
            field=field,
            value=_short(value),
        )
    if not value.isprintable():
        raise error(f"{field} has a character that cannot be printed.", field=field)
    return value


def checked_symbol(value: object, field: str, error: type[InvalidInput]) -> str:
    """Return the name of a resource class or trait, if it has the form of one.

    :raises InvalidInput: (as the given class) when it has not.
    """
    if isinstance(value, str) and _SYMBOL.match(value):
        return value
    raise error(
        f"{field}: {_short(value)} is not a name of upper-case letters, digits and '_'.",
        field=field,
        value=_short(value),
    )


def checked_uuid(value: object, field: str, error: type[InvalidInput]) -> str:
    """Return a uuid in its dashed, lower-case form; 32 hex digits are taken too.

    :raises InvalidInput: (as the given class) when it is none.
    """
    if isinstance(value, str) and _CANONICAL_UUID.match(value):
        return value
    if isinstance(value, str) and len(value) <= 45:
        try:
            return str(uuid.UUID(value))
        except ValueError:
            pass
    raise error(f"{field}: {_short(value)} is not a UUID.", field=field, value=_short(value))


def _short(value: object) -> str:
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001 - whatever other people's classes raise
        # Numbers of thousands of digits and deep nests have no text either: what is wrong with
        # them is to be told all the same.
        text = f"<{type(value).__name__}>"
    return text if len(text) <= 80 else f"{text[:77]}..."


def shortened(value: object) -> str:
    """Return a value's text, cut to 80 characters, for messages."""
    return _short(value)


def key_text(key: object) -> str:
    """Return a mapping's key as a text, for paths and messages."""
    return key if isinstance(key, str) else _short(key)
