"""Records, as a plugin of pytest, what the tokenizers package computes in a test: definition, input and output, as JSON lines.

Each component and each tokenizer that a test uses is also given the texts of PROBES. BOWYER_RECORD names the file that is written.
"""
import json
import os

import pytest
from tokenizers import Tokenizer
from tokenizers.decoders import Decoder
from tokenizers.normalizers import Normalizer
from tokenizers.pre_tokenizers import PreTokenizer

PROBES = [
    "", " ", "Hello, world!", "  two  spaces ", "naïve café", "Ünïcödé É", "日本語 テキスト", "12,345.67 ½", "🙂🏳️‍🌈 x",
    "don't I'll we've", "a\tb\r\n\nc", "\u00a0\u2009x\u200b", "[CLS] a [SEP] <mask>", "ﬁ ① Ａ", "snake_case camelCase", "\x00\x07",
]
seen = set()
current = ""
out = open(os.environ["BOWYER_RECORD"], "w")


def record(kind, definition, given, found):
    line = json.dumps([kind, definition, given, found], sort_keys=True)
    if line in seen:
        return
    seen.add(line)
    out.write(json.dumps({"test": current, "kind": kind, "definition": definition, "given": given, "found": found}) + "\n")
    out.flush()


stored = {owner: owner.__getstate__ for owner in [Normalizer, PreTokenizer, Decoder, Tokenizer]}


def state(component):
    """Returns a component's JSON; None for one that Python code implements."""
    try:
        return json.loads(next(read for owner, read in stored.items() if isinstance(component, owner))(component))
    except Exception:
        return None


def watched(kind, owner, name, output):
    original = getattr(owner, name)

    def call(self, given, *rest, **options):
        found = original(self, given, *rest, **options)
        definition = state(self)
        if definition is not None and not rest and not options:
            record(kind, definition, given, output(found))
            if isinstance(given, str):
                for probe in PROBES:
                    record(kind, definition, probe, output(original(self, probe)))
        return found

    def getstate(self):
        """Records a component that a test only makes and pickles, as most do."""
        definition = state(self)
        if definition is not None and owner is not Decoder:
            for probe in PROBES:
                record(kind, definition, probe, output(original(self, probe)))
        return stored[owner](self)

    setattr(owner, name, call)
    owner.__getstate__ = getstate


watched("normalize", Normalizer, "normalize_str", lambda text: text)
watched("cut", PreTokenizer, "pre_tokenize_str", lambda pieces: [piece for piece, _ in pieces])
watched("join", Decoder, "decode", lambda text: text)

encode, decode = Tokenizer.encode, Tokenizer.decode


def definition_of(tokenizer):
    """Returns tokenizer.json; None where it does not say all."""
    if tokenizer.padding or tokenizer.truncation or tokenizer.encode_special_tokens:
        return None
    try:
        return tokenizer.to_str()
    except Exception:
        return None


encoded = set()


def record_encoding(tokenizer, text, special):
    definition = definition_of(tokenizer)
    if definition is None:
        return
    new = [given for given in [text, *PROBES] if (given, special, definition) not in encoded]
    encoded.update((given, special, definition) for given in new)
    for given in new:
        try:
            ids = encode(tokenizer, given, add_special_tokens=special).ids
        except Exception:
            continue
        record("encode specials" if special else "encode", json.loads(definition), given, ids)
        record("decode", json.loads(definition), ids, decode(tokenizer, ids))


def watched_encode(self, sequence, pair=None, is_pretokenized=False, add_special_tokens=True):
    found = encode(self, sequence, pair, is_pretokenized, add_special_tokens)
    if isinstance(sequence, str) and pair is None and not is_pretokenized:
        record_encoding(self, sequence, add_special_tokens)
    return found


batch = Tokenizer.encode_batch


def watched_batch(self, inputs, is_pretokenized=False, add_special_tokens=True):
    found = batch(self, inputs, is_pretokenized, add_special_tokens)
    if not is_pretokenized:
        for text in inputs:
            if isinstance(text, str):
                record_encoding(self, text, add_special_tokens)
    return found


def watched_decode(self, ids, skip_special_tokens=True):
    found = decode(self, ids, skip_special_tokens)
    definition = definition_of(self)
    if definition is not None and skip_special_tokens:
        given = (tuple(ids), None, definition)
        if given not in encoded:
            encoded.add(given)
            record("decode", json.loads(definition), list(ids), found)
    return found


Tokenizer.encode, Tokenizer.encode_batch, Tokenizer.decode = watched_encode, watched_batch, watched_decode


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    global current
    current = item.nodeid


def pytest_sessionfinish():
    out.close()
