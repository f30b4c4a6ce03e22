"""A replicated register: node 1 is the primary, the others are backups."""

from dataclasses import dataclass


@dataclass
class Replicate:
    """A message of the primary: hold this value, it has this version."""

    version: int
    value: int


@dataclass
class Ack:
    """A message of a backup: I hold that version."""

    version: int


class Register:
    """One node of the register."""

    def __init__(self, looks_at_versions: bool) -> None:
        self.version = 0
        self.value = 0
        # Whether a backup does not let an old message overwrite a newer value.
        self.looks_at_versions = looks_at_versions
        # At the primary: how many backups hold each version that not all of them hold.
        self.acks: dict[int, int] = {}

    def write(self, value: int) -> Replicate:
        """A client writes, at the primary. It gives what is to be sent to every backup."""
        self.version += 1
        self.value = value
        self.acks[self.version] = 0
        return Replicate(self.version, value)

    def replicate(self, message: Replicate) -> Ack:
        """The primary has sent a value, at a backup. It gives what is to be sent back."""
        if not self.looks_at_versions or message.version > self.version:
            self.version, self.value = message.version, message.value
        return Ack(message.version)

    def acknowledged(self, message: Ack, backups: int) -> bool:
        """A backup holds a version, at the primary. It reports whether all of them do now."""
        if message.version not in self.acks:
            return False
        self.acks[message.version] += 1
        complete = self.acks[message.version] == backups
        if complete:
            del self.acks[message.version]
        return complete
