"""Runs `wandb sync FOLDER`; the packages of its own telemetry are stand-ins where they are not installed."""

import importlib.machinery
import importlib.util
import sys
import types

ABSENT = [name for name in ("opentelemetry", "sentry_sdk") if importlib.util.find_spec(name) is None]


class Stand(type):
    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return cls

    def __call__(cls, *given, **named):
        return cls


class StandModule(types.ModuleType):
    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Stand(name, (), {})


class Finder:
    def find_spec(self, name, path=None, target=None):
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if name.split(".")[0] in ABSENT else None

    def create_module(self, spec):
        return StandModule(spec.name)

    def exec_module(self, module):
        pass


sys.meta_path.append(Finder())

from wandb.cli.cli import cli  # noqa: E402

cli(["sync", *sys.argv[1:]])
