"""Lets transformers' own tests run offline, as a plugin of pytest: makes a small tokenizer under each name that they ask the hub
for, and records the chat templates that they render.

Each tokenizer has the class that the test names, with its pipeline and special tokens, and a vocabulary that is trained on a text of
the tests. It loads after recorder.py of the suite of tokenizers, which records what each tokenizer answers.
"""
import inspect
import json
import os
import sys
import types

import recorder


class Parameterized:
    @staticmethod
    def expand(cases):
        def decorate(test):
            def each(self):
                for case in cases:
                    with self.subTest(case=case):
                        test(self, *case)

            return each

        return decorate


try:
    import parameterized  # noqa: F401
except ImportError:
    module = types.ModuleType("parameterized")
    module.parameterized = Parameterized
    sys.modules["parameterized"] = module

from transformers import TokenizersBackend, testing_utils, tokenization_utils_base  # noqa: E402
from transformers.utils.chat_template_utils import get_json_schema  # noqa: E402

# The tokenizers of older tests needed a token of the hub; those of this plugin need none.
if not hasattr(testing_utils, "require_read_token"):
    testing_utils.require_read_token = lambda test: test

WORDS = 400


def made(owner, corpus):
    """Returns a tokenizer of the class with a trained vocabulary; None for one that Python code implements."""
    if not (inspect.isclass(owner) and issubclass(owner, TokenizersBackend)):
        return None
    try:
        return owner().train_new_from_iterator([corpus], WORDS)
    except Exception as problem:
        print(f"{owner.__name__}: {type(problem).__name__}: {problem}", file=sys.stderr)
        return None


def pytest_collection_modifyitems(items):
    with open("tests/fixtures/sample_text.txt", encoding="utf-8") as file:
        corpus = file.read().splitlines()
    for tests in {item.cls for item in items if getattr(item, "cls", None) is not None}:
        names = getattr(tests, "from_pretrained_id", None) or []
        for name in [names] if isinstance(names, str) else names:
            if os.path.exists(name):
                continue
            tokenizer = made(getattr(tests, "tokenizer_class", None), corpus)
            if tokenizer is not None:
                tokenizer.save_pretrained(name)


render = tokenization_utils_base.render_jinja_template


def render_recorded(conversations, tools=None, documents=None, chat_template=None, **named):
    found = render(conversations=conversations, tools=tools, documents=documents, chat_template=chat_template, **named)
    rest = {key: value for key, value in named.items() if key not in ("return_assistant_tokens_mask", "continue_final_message")}
    if not named.get("continue_final_message"):
        schemas = tools and [tool if isinstance(tool, dict) else get_json_schema(tool) for tool in tools]
        for conversation, text in zip(conversations, found[0]):
            given = {"messages": conversation, "tools": schemas, "documents": documents, **rest}
            try:
                json.dumps(given)
            except TypeError:
                continue
            recorder.record("render", {"type": "chat template", "source": chat_template}, given, text)
    return found


tokenization_utils_base.render_jinja_template = render_recorded


