"""Serves OpenEnv's environment of reasoning-gym at a free port, which it prints."""

import socket

import packages

packages.provide()

import uvicorn  # noqa: E402
from server.app import app  # noqa: E402

listener = socket.socket()
listener.bind(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
uvicorn.Server(uvicorn.Config(app, log_level="error")).run(sockets=[listener])
