"""Reading one field after another, whatever form the whole came in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from scheduler_lib.exceptions import InvalidRequest
from scheduler_lib.model.inventory import checked_units
from scheduler_lib.model.naming import shortened

_DATA = "nova_object.data"
MAX_TEXT_LENGTH = 65_535


class Record:
    """A mapping, a versioned-object primitive, or an object, read by field name.

    :param source: what is read; it is never changed.
    :param path: where it stands in the request, for messages.
    """

    def __init__(self, source: object, path: str) -> None:
        self.path = path
        self._source = source
        self._mapping: Mapping[str, object] | None = None
        if isinstance(source, Mapping):
            data = source.get(_DATA, source)
            if not isinstance(data, Mapping):
                raise InvalidRequest(f"{path}: {_DATA} must be a mapping.", field=path)
            self._mapping = data
        elif source is None or isinstance(source, str | bytes | int | float | list | tuple | set):
            raise InvalidRequest(
                f"{path} must be a mapping or an object, not {shortened(source)}.", field=path
            )

    def at(self, name: str) -> str:
        """Return the path of a field."""
        return f"{self.path}.{name}"

    def get(self, name: str) -> object:
        """Return a field's value; None where it is not set."""
        if self._mapping is not None:
            return self._mapping.get(name)
        try:
            is_set = getattr(type(self._source), "obj_attr_is_set", None)
            if callable(is_set) and not is_set(self._source, name):
                return None
            value: object = getattr(self._source, name, None)
        except (NotImplementedError, AttributeError):
            # A versioned object raises for a field that was never set (Nova bug 1739318's kind).
            return None
        except Exception as error:
            # And other things for one that it would have to fetch first.
            raise InvalidRequest(
                f"{self.at(name)} cannot be read: {type(error).__name__}.", field=self.at(name)
            ) from error
        return value

    def record(self, name: str) -> Record | None:
        """Return a field that holds fields itself; None where it is not set.

        :raises InvalidRequest: when it holds none.
        """
        value = self.get(name)
        return None if value is None else Record(value, self.at(name))

    def records(self, name: str) -> list[Record]:
        """Return a list of such fields: a list, or a versioned object with ``objects``.

        :raises InvalidRequest: when it is something else.
        """
        value = self.get(name)
        return [Record(item, path) for path, item in listed(value, self.at(name))]

    def text(self, name: str) -> str | None:
        """Return a text; None where it is not set or empty.

        :raises InvalidRequest: when it is none.
        """
        value = self.get(name)
        if value is None or value == "":
            return None
        if not isinstance(value, str):
            raise InvalidRequest(
                f"{self.at(name)} must be a string, not {shortened(value)}.", field=self.at(name)
            )
        return value

    def units(self, name: str) -> int:
        """Return a whole number that is not negative; 0 where it is not set.

        :raises InvalidRequest: when it is none.
        """
        value = self.get(name)
        return 0 if value is None else checked_units(value, self.at(name), InvalidRequest)

    def flag(self, name: str) -> bool:
        """Return true or false; false where it is not set.

        :raises InvalidRequest: when it is neither.
        """
        value = self.get(name)
        if value is None or isinstance(value, bool):
            return bool(value)
        raise InvalidRequest(
            f"{self.at(name)} must be true or false, not {shortened(value)}.", field=self.at(name)
        )

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of texts; one text alone is a list of one.

        :raises InvalidRequest: when it is neither.
        """
        return texts(self.get(name), self.at(name))


def texts(value: object, path: str) -> tuple[str, ...]:
    """Return a list of texts; one text alone is a list of one, None an empty list.

    :raises InvalidRequest: when it is something else.
    """
    if isinstance(value, str):
        value = (value,)
    found = []
    for item_path, item in listed(value, path):
        if not isinstance(item, str):
            raise InvalidRequest(
                f"{item_path} must be a string, not {shortened(item)}.", field=item_path
            )
        if len(item) > MAX_TEXT_LENGTH:
            raise InvalidRequest(
                f"{item_path} is longer than {MAX_TEXT_LENGTH} characters.", field=item_path
            )
        found.append(item)
    return tuple(found)


def listed(value: object, path: str) -> list[tuple[str, object]]:
    """Return the items of a list with their paths; sets are taken in order of their texts.

    :raises InvalidRequest: when it is no list, set or versioned object with ``objects``.
    """
    if value is None:
        return []
    if isinstance(value, Mapping):
        value = Record(value, path).get("objects") if _DATA in value else value
    elif not isinstance(value, Iterable) and hasattr(value, "objects"):
        value = value.objects
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise InvalidRequest(f"{path} must be a list, not {shortened(value)}.", field=path)
    items = sorted(value, key=str) if isinstance(value, set | frozenset) else list(value)
    return [(f"{path}[{index}]", item) for index, item in enumerate(items)]
