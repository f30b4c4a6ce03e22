#!/usr/bin/env python3
"""A client of abd.py: one request a line on standard input, one outcome a line on standard output.

    client.py 127.0.0.1:PORT
"""

import json
import socket
import sys


def ask(address, request):
    host, port = address.rsplit(":", 1)
    try:
        connection = socket.create_connection((host, int(port)), timeout=2)
    except OSError as error:
        return {"failed": str(error)}
    with connection:
        try:
            connection.settimeout(5)
            connection.sendall(request.encode())
            answer = connection.makefile().readline()
            return {"answer": json.loads(answer)} if answer else {"unknown": "the server closed the connection"}
        except OSError as error:
            return {"unknown": str(error)}


def main():
    for line in sys.stdin:
        print(json.dumps(ask(sys.argv[1], line)), flush=True)


if __name__ == "__main__":
    main()
