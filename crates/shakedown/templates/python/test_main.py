"""Tests of the node without Shakedown's command: `python3 -m unittest`."""

import unittest

import shakedown
from main import Server
from shakedown.testing import Client

HOST = shakedown.Host(Server, name="NAME", version="NAME 1.0", kinds=["Replicate"])


class ServerTest(unittest.TestCase):
    def test_an_old_message_does_not_overwrite_a_newer_value(self) -> None:
        with Client(HOST) as client:
            client.boot(id=2)
            for version in (2, 1):
                message = {"version": version, "value": 10 * version}
                client.call("receive", node=1, now=0, from_=1, kind="Replicate", message=message)
            self.assertEqual(client.call("observe", node=1)["state"], {"version": 2, "value": 20})
