"""A node that does what its messages ask for, and a host of it."""

import sys
from collections.abc import Mapping
from typing import Any

import shakedown

# From before the host serves.
EARLY = sys.stdout


class Puppet(shakedown.Node):
    def boot(self, env: shakedown.Env, disk: Mapping[str, Any]) -> None:
        if "fails" in env.options:
            raise RuntimeError("option fails is set")
        self.fields: dict[str, Any] = {"life": env.life, "keys": sorted(disk)}
        if "term" in disk:
            self.fields["term"] = disk["term"]

    def receive(self, env: shakedown.Env, sender: int, kind: str, message: Any) -> None:
        getattr(self, "on_" + kind)(env, sender)

    def tick(self, env: shakedown.Env) -> None:
        self.fields["now"] = env.now

    def state(self) -> Mapping[str, Any]:
        return self.fields

    def on_everything(self, env: shakedown.Env, sender: int) -> None:
        env.send(2, "One", {"a": 1})
        env.send(3, "Two", b"\x01\x02", text="two bytes")
        env.broadcast("Three")
        env.answer(7, "done")
        env.fact("commit", index=7, ok=True, op="put")
        env.set_timer("election", 5)
        env.cancel_timer("election")
        env.write({"term": 3}, delete=["old"])
        env.flush()
        self.fields["from"] = sender

    def on_forget(self, env: shakedown.Env, sender: int) -> None:
        del self.fields["life"]

    def on_grow(self, env: shakedown.Env, sender: int) -> None:
        # In place: the same list object as before.
        self.fields.setdefault("log", []).append(len(self.fields["log"]) if "log" in self.fields else 0)

    def on_truth(self, env: shakedown.Env, sender: int) -> None:
        self.fields["now"] = bool(self.fields["now"])

    def on_aliased(self, env: shakedown.Env, sender: int) -> None:
        message = [1]
        env.send(2, "One", message)
        message.append(2)

    def on_random(self, env: shakedown.Env, sender: int) -> None:
        self.fields["random"] = env.random.below(1000)

    def on_order(self, env: shakedown.Env, sender: int) -> None:
        self.fields["order"] = list({"one", "two", "three", "four", "five"})

    def on_print(self, env: shakedown.Env, sender: int) -> None:
        print("this is not for the protocol")
        print("nor is this", file=EARLY)
        if sys.stdin.read():
            raise RuntimeError("a node reads the calls")

    def on_error(self, env: shakedown.Env, sender: int) -> None:
        raise KeyError("broken")

    def on_address(self, env: shakedown.Env, sender: int) -> None:
        raise RuntimeError(f"{object()!r} is broken")

    def on_exit(self, env: shakedown.Env, sender: int) -> None:
        sys.exit("enough")

    def on_failure(self, env: shakedown.Env, sender: int) -> None:
        raise shakedown.Failure("gave up", "library.py:7")

    def on_nobody(self, env: shakedown.Env, sender: int) -> None:
        env.send(9, "One")

    def on_name(self, env: shakedown.Env, sender: int) -> None:
        env.send(1, "one word and another")

    def on_value(self, env: shakedown.Env, sender: int) -> None:
        env.answer(1, {1, 2})

    def on_flood(self, env: shakedown.Env, sender: int) -> None:
        for _ in range(20_000):
            env.send(1, "One")

    def on_large(self, env: shakedown.Env, sender: int) -> None:
        for _ in range(17):
            env.send(1, "One", bytes(1 << 20))

    def on_twice(self, env: shakedown.Env, sender: int) -> None:
        env.write({"a": 1}, delete=["a"])

    def on_fact(self, env: shakedown.Env, sender: int) -> None:
        env.fact("commit", entries=[1])  # type: ignore[arg-type]

    def on_endless(self, env: shakedown.Env, sender: int) -> None:
        self.on_endless(env, sender)


HOST = shakedown.Host(Puppet, name="puppet", version="puppet 1", kinds=["One"])

if __name__ == "__main__":
    shakedown.serve(Puppet, name="puppet", version="puppet 1")
