"""Records what transformers makes of chat templates: rendered texts, token ids and assistant masks of a set of conversations.

    python packages/text/test/record-chat-templates.py FOLDER OUT.json [--tokenizer TOKENIZER_FOLDER] [--text]

FOLDER contains *.jinja files and may contain conversations.json; else the conversations below are used. Without --tokenizer a small
byte-level BPE is trained on the templates and the conversations. OUT.json contains the conversations, the tokenizer, and of every
template and conversation the text, with generation blocks tokens and mask, or the class of the error. `strftime_now` writes 4 March 2025, 15:06:07.

transformers' own code renders and marks (apply_chat_template with return_assistant_tokens_mask=True). Needs transformers, jinja2.
With --text the texts alone are recorded, by Jinja2 with the settings, filters and functions of transformers; needs jinja2.
"""

import argparse
import datetime as time
import json
import logging
import re
from pathlib import Path

logging.disable(logging.WARNING)

NOW = time.datetime(2025, 3, 4, 15, 6, 7)


class FixedTime(time.datetime):
    @classmethod
    def now(cls, tz=None):
        return NOW

WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "The weather of a place, \"now\" <or> later",
        "parameters": {
            "type": "object",
            "properties": {
                "city": {"type": "string", "description": "Name of the city, e.g. Zürich"},
                "days": {"type": "integer", "enum": [1, 2, 3], "default": 1},
                "units": {"type": ["string", "null"], "description": "metric or imperial"},
            },
            "required": ["city"],
        },
        "return": {"type": "string"},
    },
}
CLOCK = {
    "type": "function",
    "function": {"name": "clock", "description": "The time.", "parameters": {"type": "object", "properties": {}}},
}


def call(name, arguments, call_id="call12345"):
    return {"type": "function", "id": call_id, "function": {"name": name, "arguments": arguments}}


def user(content):
    return {"role": "user", "content": content}


def assistant(content, **more):
    return {"role": "assistant", "content": content, **more}


def tool(content, **more):
    return {"role": "tool", "content": content, **more}


SYSTEM = {"role": "system", "content": "Be brief.\n"}
ASKED = [user("What is the weather in Zürich?"), assistant("", tool_calls=[call("get_weather", {"city": "Zürich", "days": 2})])]
ANSWERED = [*ASKED, tool("12 °C, rain", name="get_weather", tool_call_id="call12345"), assistant("Rain, 12 °C.")]
TEXT = [{"type": "text", "text": "Two "}, {"type": "text", "text": "parts"}]

CONVERSATIONS = {
    "single": {"messages": [user("Hi"), assistant("Hello!")]},
    "prompt": {"messages": [user("Hi")]},
    "multi": {"messages": [user("Hi"), assistant("Hello!"), user(" And?\n"), assistant("  So\n\nbe it. ")]},
    "system": {"messages": [SYSTEM, user("Hi"), assistant("Hello!")]},
    "system_multi": {"messages": [SYSTEM, user("a"), assistant("b"), user("c"), assistant("d"), user("e")]},
    "unicode": {"messages": [user("日本語 🙂 é\u200d ß\u00a0"), assistant("naïve 🙂🙂")]},
    "quotes": {"messages": [user("<b>\"it's\" & {{ x }} \\n"), assistant("{'a': 1}\\")]},
    "empty": {"messages": [user(""), assistant("")]},
    "parts": {"messages": [user(TEXT), assistant("ok")]},
    "parts_all": {"messages": [{"role": "system", "content": [{"type": "text", "text": "S"}]}, user(TEXT), assistant(TEXT)]},
    "tools": {"messages": [user("Hi"), assistant("Hello!")], "tools": [WEATHER]},
    "tools_system": {"messages": [SYSTEM, user("Hi"), assistant("Hello!")], "tools": [WEATHER, CLOCK]},
    "tool_call": {"messages": ASKED, "tools": [WEATHER]},
    "tool_answer": {"messages": ANSWERED, "tools": [WEATHER, CLOCK]},
    "tool_answer_more": {"messages": [SYSTEM, *ANSWERED, user("And?"), assistant("No.")], "tools": [WEATHER]},
    "tool_call_no_tools": {"messages": ANSWERED},
    "tool_none_content": {"messages": [ASKED[0], assistant(None, tool_calls=ASKED[1]["tool_calls"])], "tools": [WEATHER]},
    "tool_text_and_call": {"messages": [ASKED[0], assistant("Let me see.", tool_calls=ASKED[1]["tool_calls"])], "tools": [WEATHER]},
    "tool_parallel": {
        "messages": [
            user("Both?"),
            assistant("", tool_calls=[call("get_weather", {"city": "A", "days": 1, "units": None}), call("clock", {}, "call54321")]),
            tool("{\"t\": 1.5}", name="get_weather", tool_call_id="call12345"),
            tool("12:00", name="clock", tool_call_id="call54321"),
            assistant("Done."),
        ],
        "tools": [WEATHER, CLOCK],
    },
    "tool_nested": {
        "messages": [user("x"), assistant("", tool_calls=[call("f", {"a": [1, 2.5, True, None], "b": {"c": "d\n\"e\""}, "ü": []})])],
    },
    "tool_json_arguments": {"messages": [user("x"), assistant("", tool_calls=[call("f", "{\"a\": 1}")])]},
    "reasoning": {"messages": [user("2+2?"), assistant("4", reasoning_content="Two and two.\nFour.")]},
    "reasoning_multi": {
        "messages": [user("a"), assistant("b", reasoning_content="one"), user("c"), assistant("d", reasoning_content="two")],
    },
    "thinking": {"messages": [user("2+2?"), assistant("4", thinking="Two and two.")]},
    "think_tags": {"messages": [user("a"), assistant("<think>\none\n</think>\n\nb"), user("c"), assistant("<think>\ntwo\n</think>\n\nd")]},
    "reasoning_tool": {
        "messages": [
            user("w?"),
            assistant("", reasoning_content="I call.", tool_calls=[call("clock", {})]),
            tool("9:00", name="clock", tool_call_id="call12345"),
            assistant("Nine.", reasoning_content="It is nine."),
        ],
        "tools": [CLOCK],
    },
    "no_thinking": {"messages": [user("a")], "chat_template_kwargs": {"enable_thinking": False}},
    "thinking_on": {"messages": [user("a"), assistant("b")], "chat_template_kwargs": {"enable_thinking": True, "thinking": True}},
    "effort": {"messages": [SYSTEM, user("a"), assistant("b")], "chat_template_kwargs": {"reasoning_effort": "high", "builtin_tools": ["browser"]}},
    "documents": {
        "messages": [user("Who?"), assistant("Ann.")],
        "documents": [{"title": "One", "text": "Ann is."}, {"title": "Two", "text": "Bob ¬"}],
    },
    "developer": {"messages": [{"role": "developer", "content": "Be kind."}, user("a"), assistant("b")]},
    "two_assistants": {"messages": [user("a"), assistant("b"), assistant("c")]},
    "assistant_first": {"messages": [assistant("b"), user("a")]},
    "long": {"messages": [m for i in range(6) for m in (user(f"q{i}\n" * 3), assistant(f"r{i} " * 4))]},
}


def small_tokenizer(texts):
    """Byte-level BPE; marks such as <|im_end|> and [INST] are a token each."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    marks = sorted({mark for text in texts for mark in re.findall(r"<[|｜][^<>\s|｜]{1,30}[|｜]>|</?s>|\[/?INST\]|<(?:start|end)_of_turn>|</?think>", text)})
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=450, initial_alphabet=alphabet, special_tokens=["<s>", "</s>"], show_progress=False)
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.add_tokens([mark for mark in marks if mark not in ("<s>", "</s>")])
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>", clean_up_tokenization_spaces=False)


def rendered(tokenizer, template, conversation, asks):
    given = dict(
        tools=conversation.get("tools"),
        documents=conversation.get("documents"),
        chat_template=template,
        add_generation_prompt=asks,
        **conversation.get("chat_template_kwargs", {}),
    )
    try:
        text = tokenizer.apply_chat_template(conversation["messages"], tokenize=False, **given)
    except Exception as error:  # the template's own refusal, or Python's
        return {"error": type(error).__name__}
    if asks or not re.search(r"\{%-?\s*generation", template):
        return {"text": text}
    encoded = tokenizer.apply_chat_template(
        conversation["messages"], tokenize=True, return_dict=True, return_assistant_tokens_mask=True, **given
    )
    return {"text": text, "ids": encoded["input_ids"], "mask": "".join(map(str, encoded["assistant_masks"]))}


def record_texts(templates, conversations):
    import jinja2
    from jinja2.ext import Extension, loopcontrols
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    class Generation(Extension):
        """`{% generation %}` blocks, written as they are."""

        tags = {"generation"}

        def parse(self, parser):
            line = next(parser.stream).lineno
            body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
            return jinja2.nodes.CallBlock(self.call_method("_body"), [], [], body).set_lineno(line)

        def _body(self, caller):
            return caller()

    def refuse(message):
        raise jinja2.exceptions.TemplateError(message)

    def to_json(value, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
        return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)

    def text(template, conversation, asks):
        given = dict(tools=None, documents=None, bos_token="<s>", eos_token="</s>", add_generation_prompt=asks)
        given |= {key: value for key, value in conversation.items() if key != "chat_template_kwargs"}
        try:
            return {"text": template.render(**given | conversation.get("chat_template_kwargs", {}))}
        except Exception as error:  # the template's own refusal, or Python's
            return {"error": type(error).__name__}

    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[Generation, loopcontrols])
    environment.filters["tojson"] = to_json
    environment.globals |= {"raise_exception": refuse, "strftime_now": NOW.strftime}
    compiled = {name: environment.from_string(source) for name, source in templates.items()}
    return {
        name: {
            key: {"whole": text(template, conversation, False), "prompt": text(template, conversation, True)}
            for key, conversation in conversations.items()
        }
        for name, template in compiled.items()
    }


def write(path, recording):
    templates, conversations, results = (recording[key] for key in ("templates", "conversations", "results"))
    path.write_text(json.dumps(recording, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")
    count = sum("text" in each["whole"] for result in results.values() for each in result.values())
    print(f"{path}: {len(templates)} templates, {len(conversations)} conversations, {count} of {len(templates) * len(conversations)} accepted")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--tokenizer")
    parser.add_argument("--text", action="store_true")
    options = parser.parse_args()
    templates = {file.stem: file.read_text(encoding="utf-8") for file in sorted(options.folder.glob("*.jinja"))}
    given = options.folder / "conversations.json"
    conversations = json.loads(given.read_text(encoding="utf-8")) if given.exists() else CONVERSATIONS
    if options.text:
        config = {"bos_token": "<s>", "eos_token": "</s>"}
        results = record_texts(templates, conversations)
        write(options.out, {"conversations": conversations, "config": config, "templates": templates, "results": results})
        return

    from transformers import PreTrainedTokenizerFast
    from transformers.utils import chat_template_utils

    chat_template_utils.datetime = FixedTime
    texts = [*templates.values(), json.dumps(conversations, ensure_ascii=False)]
    if options.tokenizer:
        tokenizer = PreTrainedTokenizerFast.from_pretrained(options.tokenizer)
    else:
        tokenizer = small_tokenizer(texts)
    results = {
        name: {
            key: {"whole": rendered(tokenizer, template, conversation, False), "prompt": rendered(tokenizer, template, conversation, True)}
            for key, conversation in conversations.items()
        }
        for name, template in templates.items()
    }
    definition = json.loads(tokenizer.backend_tokenizer.to_str())
    config = {"bos_token": tokenizer.bos_token, "eos_token": tokenizer.eos_token}
    recording = {"conversations": conversations, "tokenizer": definition, "config": config, "templates": templates, "results": results}
    write(options.out, recording)


main()
