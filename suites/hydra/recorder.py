"""Records, as a plugin of pytest, what Hydra's and OmegaConf's own tests give to Hydra and OmegaConf, and what these answer.

The tests stay as they are: every call of theirs that a config file or a command line could make becomes a line of JSON in
the file that BOWYER_RECORDING names.
"""

import json
import os
import sys
import warnings
from decimal import Decimal

recording = open(os.environ["BOWYER_RECORDING"], "a", encoding="utf-8")
environment = dict(os.environ)
current = ""
calls = []


def pytest_runtest_setup(item):
    global current
    current = item.nodeid
    calls.clear()


def pytest_runtest_teardown(item):
    global current
    current = ""
    for index, call in enumerate(calls):
        result = {"test": item.nodeid + (f" ({index + 1})" if index else ""), **call()}
        recording.write(json.dumps(result, ensure_ascii=True, allow_nan=False) + "\n")
    recording.flush()


def answered(call):
    """Returns what a call answers, or the first line of its error."""
    try:
        # The settings of pytest make errors of what Hydra only warns of.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return {"answer": call()}
    except Exception as problem:
        return {"error": (str(problem).split("\n") or [""])[0]}


def tagged(value):
    """Writes a value with its type, so that nothing of it is lost in JSON."""
    name = type(value).__name__
    if value is None or isinstance(value, bool) or (isinstance(value, str) and name in ("str", "AnyStr")):
        return value
    if isinstance(value, int):
        return {"int": str(value)}
    if isinstance(value, (float, Decimal)):
        return {"float": repr(float(value))}
    if isinstance(value, list):
        return {"list": [tagged(item) for item in value]}
    if isinstance(value, dict):
        return {"dict": [[tagged(key), tagged(item)] for key, item in value.items()]}
    if name == "QuotedString":
        return {"quoted": value.text, "quote": value.quote.name}
    if name == "Glob":
        return {"glob": value.include, "exclude": value.exclude}
    if name == "ListExtensionOverrideValue":
        return {"extend": [tagged(item) for item in value.values]}
    sweep = {"shuffle": bool(getattr(value, "shuffle", False)), "tags": sorted(value.tags)}
    if name == "ChoiceSweep":
        return {"choice": [tagged(item) for item in value.list], "simple": bool(value.simple_form), **sweep}
    if name == "RangeSweep":
        return {"range": [tagged(item) for item in (value.start, value.stop, value.step)], **sweep}
    if name == "IntervalSweep":
        return {"interval": [tagged(item) for item in (value.start, value.end)], **sweep}
    raise TypeError(f"no form for {name}")


if os.environ["BOWYER_RECORDED"] == "hydra":
    from hydra._internal import defaults_list
    from hydra.core.override_parser.overrides_parser import OverridesParser, create_functions

    parse_rule = OverridesParser.parse_rule
    parse_overrides = OverridesParser.parse_overrides
    create_root = defaults_list._create_root
    create_list = defaults_list.create_defaults_list
    given = {"overrides": [], "name": None, "hydra": False}
    WHOLE = ("override",)
    KEYS = ("key", "package", "packageOrGroup")

    def override_of(text):
        override = parse_rule(OverridesParser(create_functions()), text, "override")
        kind = {"CHANGE": "set", "ADD": "add", "FORCE_ADD": "force-add", "DEL": "delete", "EXTEND_LIST": "set"}
        value = override._value
        return {
            "kind": kind[override.type.name],
            "key": override.key_or_group,
            "package": override.package,
            "value": {"extend": tagged(value)["list"]}
            if override.type.name == "EXTEND_LIST"
            else None
            if value is None
            else tagged(value),
        }

    def recorded_rule(self, text, rule):
        if current and not sys._getframe(1).f_code.co_name.startswith("parse_override"):
            whole = text if rule in WHOLE else f"{text}=1" if rule in KEYS else f"key={text}"
            calls.append(lambda: {"kind": "override", "text": whole, **answered(lambda: override_of(whole))})
        return parse_rule(self, text, rule)

    def recorded_overrides(self, overrides):
        if current:
            given["overrides"] = list(overrides)
        return parse_overrides(self, overrides)

    def list_of(name, overrides, skip_missing):
        from tests.defaults_list import create_repo

        result = create_list(
            repo=create_repo(),
            config_name=name,
            overrides_list=parse_overrides(OverridesParser.create(), overrides=overrides),
            prepend_hydra=True,
            skip_missing=skip_missing,
        )
        own = [each for each in result.defaults if not (each.config_path or "").startswith("hydra/")]
        own = [each for each in own if not (each.parent or "").startswith("hydra/")]
        absent = (None, "<root>", "_dummy_empty_config_")
        parents = [None if each.parent in absent else each.parent for each in own]
        return [[each.config_path, each.package or "", parent, bool(each.is_self)] for each, parent in zip(own, parents)]

    def record_list(name, skip_missing):
        overrides = given["overrides"]
        calls.append(
            lambda: {
                "kind": "defaults",
                "name": name,
                "overrides": overrides,
                "skip": skip_missing,
                **answered(lambda: list_of(name, overrides, skip_missing)),
            }
        )

    def recorded_root(config_name, with_hydra):
        given["name"] = config_name
        return create_root(config_name, with_hydra)

    create_tree = defaults_list._create_defaults_tree

    def recorded_tree(*args, **named):
        if current and sys._getframe(1).f_code.co_name.startswith(("_test_", "test_")):
            record_list(given["name"], named.get("skip_missing", False))
        return create_tree(*args, **named)

    def recorded_list(*args, **named):
        if current and sys._getframe(1).f_code.co_name.startswith(("_test_", "test_")):
            record_list(named["config_name"], named.get("skip_missing", False))
        return create_list(*args, **named)

    OverridesParser.parse_rule = recorded_rule
    OverridesParser.parse_overrides = recorded_overrides
    defaults_list._create_root = recorded_root
    defaults_list._create_defaults_tree = recorded_tree
    defaults_list.create_defaults_list = recorded_list
else:
    from omegaconf import OmegaConf

    create = OmegaConf.create
    merge = OmegaConf.merge

    def plain(value):
        """Returns a config as plain data; raises where it has what no YAML file has."""
        data = OmegaConf.to_container(value, resolve=False) if OmegaConf.is_config(value) else value
        checked(data)
        return data

    def checked(value):
        if isinstance(value, dict):
            for key, item in value.items():
                if not isinstance(key, str):
                    raise TypeError("a key that is no text")
                checked(item)
        elif isinstance(value, list):
            for item in value:
                checked(item)
        elif not (value is None or type(value) in (bool, int, float, str)):
            raise TypeError("a value that no YAML has")

    def answered_in(env, call):
        os.environ.update(env)
        try:
            return answered(call)
        finally:
            for name in env:
                os.environ.pop(name, None)

    def record(kind, parts):
        try:
            parts = [plain(part) for part in parts]
            if not all(isinstance(part, dict) for part in parts):
                return
        except Exception:
            return

        def resolved():
            config = create(parts[0]) if kind == "interpolation" else merge(*parts)
            return tagged(OmegaConf.to_container(config, resolve=True, throw_on_missing=False))

        env = {name: value for name, value in os.environ.items() if environment.get(name) != value}
        calls.append(lambda: {"kind": kind, "parts": [tagged(part) for part in parts], "env": env, **answered_in(env, resolved)})

    def recorded_create(obj=None, *args, **named):
        if current and sys._getframe(1).f_code.co_filename.count("/tests/"):
            if isinstance(obj, (dict, str)) and "${" in str(obj):
                record("interpolation", [create(obj) if isinstance(obj, str) else obj])
        return create(obj, *args, **named) if args or named or obj is not None else create()

    def recorded_merge(*configs, **named):
        if current and sys._getframe(1).f_code.co_filename.count("/tests/"):
            record("merge", configs)
        return merge(*configs, **named)

    OmegaConf.create = staticmethod(recorded_create)
    OmegaConf.merge = staticmethod(recorded_merge)
