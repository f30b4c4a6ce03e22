"""Messages of PySyncObj as values of the node protocol, and back; its commands as text."""

import pickle
from typing import Any

# The first byte of a command is its type.
_TYPES = {0: "regular", 1: "noop", 2: "membership", 3: "version"}


def command_text(command: bytes) -> str:
    """A command in words. Only the adapter's own commands are unpickled: they come from its own nodes."""
    kind = _TYPES.get(command[0], "unknown")
    if kind != "regular":
        return kind
    parts = pickle.loads(command[1:])
    return " ".join(str(value) for value in parts[1]) if isinstance(parts, tuple) else "call"


def to_value(message: dict[str, Any]) -> dict[str, Any]:
    """A message without its type. Bytes travel as hexadecimal digits, so that both encodings carry the same."""
    value = {name: part for name, part in message.items() if name != "type"}
    if "entries" in value:
        value["entries"] = [[command.hex(), index, term] for command, index, term in value["entries"]]
    if "command" in value:
        value["command"] = value["command"].hex()
    return value


def to_message(kind: str, value: dict[str, Any]) -> dict[str, Any]:
    """A message as the library has made it."""
    message = {"type": kind, **value}
    if "entries" in message:
        message["entries"] = [(bytes.fromhex(command), index, term) for command, index, term in message["entries"]]
    if "command" in message:
        message["command"] = bytes.fromhex(message["command"])
    return message


def summary(message: dict[str, Any]) -> str:
    """A few words for diagrams."""
    match message["type"]:
        case "request_vote":
            return f"term {message['term']}, log {message['last_log_index']} of {message['last_log_term']}"
        case "append_entries" if "prevLogIdx" in message:
            entries = " ".join(f"{index}:{command_text(command)}" for command, index, _ in message.get("entries", []))
            after = f"after {message['prevLogIdx']} of {message['prevLogTerm']}"
            return f"term {message['term']}, {after}, [{entries}], commit {message['commit_index']}"
        case "next_node_idx":
            words = "yes" if message["success"] else "no"
            return f"{words}, next {message['next_node_idx']}{', reset' if message['reset'] else ''}"
        case "apply_command":
            return command_text(message["command"])
        case "apply_command_response" if "log_idx" in message:
            return f"place {message['log_idx']} of term {message['log_term']}"
        case "response_vote":
            return f"term {message['term']}"
    return ""
