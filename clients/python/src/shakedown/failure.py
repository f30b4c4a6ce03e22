"""What a node's exception looks like in a reply: a message and a place."""

import os
import re
from types import TracebackType
from typing import Final

_LIBRARY: Final = os.path.dirname(__file__)
_MESSAGE_MAX: Final = 4096
# An address differs between processes, and two executions are compared by what they report.
_ADDRESS: Final = re.compile(r"\bat 0x[0-9A-Fa-f]+")


class Failure(Exception):
    """An exception with its own place.

    A node raises it when the place of the exception is not where it comes from, for example in a log handler that a
    library calls when it gives up.
    """

    def __init__(self, message: str, place: str) -> None:
        super().__init__(message)
        self.message = message
        self.place = place


def failure_of(error: BaseException) -> Failure:
    """Describes an exception that a node has raised."""
    if isinstance(error, Failure):
        return error
    try:
        text = str(error)
    except Exception:
        text = "(its message cannot be shown)"
    kind = type(error).__name__
    message = _ADDRESS.sub("at an address", f"{kind}: {text}" if text else kind)
    if len(message) > _MESSAGE_MAX:
        message = message[:_MESSAGE_MAX] + "..."
    return Failure(message, _place_of(error.__traceback__))


def _place_of(traceback: TracebackType | None) -> str:
    """The innermost frame outside of this library: whoever misuses an `Env` is shown, not the `Env`."""
    place = "unknown"
    while traceback is not None:
        file = traceback.tb_frame.f_code.co_filename
        if os.path.dirname(file) != _LIBRARY:
            place = f"{os.path.basename(file)}:{traceback.tb_lineno}"
        traceback = traceback.tb_next
    return place
