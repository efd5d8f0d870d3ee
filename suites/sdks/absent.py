"""Provides, as a plugin of pytest, the modules for recorded answers that conftest.py imports: no test of a resource uses them."""

import sys
import types


class Absent:
    def __init__(self, *given, **named):
        raise RuntimeError("recorded answers are not a part of this suite")


for name, members in {
    "inline_snapshot": ["snapshot", "external"],
    "http_snapshot": ["SnapshotSerializerOptions"],
    "http_snapshot.httpx": ["HttpxSyncSnapshotClient", "HttpxAsyncSnapshotClient"],
}.items():
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__dict__.update({member: Absent for member in members})
