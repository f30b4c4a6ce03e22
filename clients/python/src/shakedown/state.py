"""What a node has shown of its state, so that only changes are sent."""

from collections.abc import Mapping
from typing import Any, Final

from .codec import Codec
from .plain import BadValue

# Depth of a field of the state: inside of the map `state`, inside of the reply.
_DEPTH: Final = 2


class ShownState:
    """The fields of a node's state as they were sent last."""

    __slots__ = ("_codec", "_shown")

    def __init__(self, codec: Codec) -> None:
        self._codec = codec
        # A field's value if that cannot change in place (an int, a str, a bool), otherwise its encoding. The two are not
        # mistaken for each other: no value that is held here is of type bytes.
        self._shown: dict[str, Any] = {}

    def whole(self, fields: Mapping[str, Any]) -> dict[str, bytes]:
        """All fields, encoded."""
        self._shown.clear()
        return self.changes(fields)

    def changes(self, fields: Mapping[str, Any]) -> dict[str, bytes]:
        """The fields that are not as they were, encoded; null for those that are gone."""
        shown = self._shown
        changed: dict[str, bytes] = {}
        for name, value in fields.items():
            kind = type(value)
            if kind is int or kind is str or kind is bool:
                old = shown.get(name)
                # The types are compared too: True is equal to 1.
                if old == value and type(old) is kind:
                    continue
                shown[name] = value
                changed[name] = self._encoded(name, value)
            else:
                encoded = self._encoded(name, value)
                if shown.get(name) != encoded:
                    shown[name] = changed[name] = encoded
        if len(shown) > len(fields):
            for name in [name for name in shown if name not in fields]:
                del shown[name]
                changed[name] = self._codec.encode(None)
        return changed

    def _encoded(self, name: str, value: object) -> bytes:
        if type(name) is not str:
            raise BadValue(f"the name {name!r} of a state field is no text")
        try:
            return self._codec.encode(value, _DEPTH)
        except BadValue as error:
            raise BadValue(f"state field {name}: {error}") from None
