"""The pieces of many texts by the Rust library's Split, by pattern.

    record-patterns.py record FILE            the patterns below with a few texts: the recording that the tests read
    record-patterns.py fuzz FILE SEED COUNT   those and COUNT random patterns with random texts, for check-patterns.ts

Needs tokenizers. The file is one JSON object: `texts`; `isolated`, each [pattern, [pieces of each text]], the pieces as their
lengths in characters, a digit of base 36 for each, or null where the library fails; and `behaviors`, each [pattern, behavior,
invert, [pieces of each text]], the pieces as texts.
"""

import json
import os
import random
import sys

from tokenizers import Regex, pre_tokenizers

CASES = r"'s|'t|'re|'ve|'m|'ll|'d"
PUBLISHED = {
    "gpt2": CASES + r"| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    "llama3": rf"(?i:{CASES})|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    "qwen2": rf"(?i:{CASES})|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    "qwen3.5": rf"(?i:{CASES})|[^\r\n\p{{L}}\p{{N}}]?[\p{{L}}\p{{M}}]+|\p{{N}}| ?[^\s\p{{L}}\p{{M}}\p{{N}}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    "cl100k": r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
    "cl100k-2023": r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+",
    "o200k": r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+" + rf"(?i:{CASES})?"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*" + rf"(?i:{CASES})?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    "tekken": r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    "kimi": r"[\p{Han}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+" + rf"(?i:{CASES})?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    "deepseek-digits": r"\p{N}{1,3}",
    "deepseek-cjk": r"[一-龥\u3040-ゟ゠-ヿ]+",
    "deepseek": r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    "deepseek-coder": r"[\r\n]|\s?\p{L}+|\s?\p{P}+|[一-龥ࠀ-一가-퟿]+|\p{N}",
    "superbpe": r"(?=(\d{3})+(?!\d))",
    "superbpe-left": r"\d{1,3}(?=(?:\d{3})*\b)",
    "bloom": r" ?[^(\s|[.,!?…。，、।۔،])]+",
    "clip": r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+",
    "falcon": r"[0-9][0-9][0-9]",
    "camel": r"(?<=\p{Ll})(?=\p{Lu})",
    "camel-words": r"\p{Lu}?\p{Ll}+|\p{Lu}+(?!\p{Ll})|\p{N}+|[^\p{L}\p{N}]+",
    "punctuation": r"\p{P}|\p{S}",
    "spaces": r"\s+",
    "newlines": r"\r?\n|\r",
    "code": r"[A-Za-z_]\w*|\d+\.?\d*|\s+|.",
    "chatglm": r"(?i:'s|'t|'re|'ve|'m|'ll|'d)| ?\p{L}+| ?\p{N}{1,2}| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
}
CONSTRUCTS = [
    "", "x*", "a|b|", r"\b", r"\B", r"\b\w+\b", r"(?=\p{Lu})", r"(?<=\s)", r"(?<!\S)(?=\S)", r"^", r"$", r"\A", r"\z", r"\Z", r"\G.", r"^.*$",
    r"(?m:^.+)", r"(?m).+", r"a.b", r"(?m)a.b", r"\R", r"\R+", r"\X", r"\X{2}", r"\N+", r"\O", r"\h+", r"\H", r"\d+", r"\D+", r"\w+", r"\W+", r"\S+",
    r"\K", r"a\K", r"(?<=a)\Kb", r"a\Kb", r"\p{^L}", r"\P{^L}+", r"\p{^Lu}+", r"[\p{^L}]+", r"[[:alpha:]]+", r"[[:^alpha:]]+", r"[[:punct:]]", r"[[:space:]]",
    r"[[:digit:]]+", r"[[:upper:]]+", r"[[:lower:]]+", r"[[:alnum:]]+", r"[[:word:]]+", r"[[:graph:]]+", r"[[:print:]]+", r"[[:cntrl:]]", r"[[:xdigit:]]+", r"[[:blank:]]",
    r"[a-z&&[^aeiou]]+", r"[\w&&[^\d_]]+", r"[^a&&b]", r"[a[bc]d]+", r"[^a[bc]]+", r"[]a]", r"[a\]]", r"[a-\d]", r"[\s\S]", r"[^\s\S]", r"[a-z-]+",
    r"(?i)hello", r"(?i)straße", r"(?i)ss", r"(?i)ß", r"(?i)i", r"(?i)İ", r"(?i)ı", r"(?i)σ", r"(?i)ς", r"(?i)k", r"(?i)ſ", r"(?i)ﬁ", r"(?i)fi", r"(?i)st", r"(?i)é",
    r"(?i:[a-k]+)", r"(?i:[^a-k]+)", r"(?i:[ks])", r"(?i)\p{Lu}+", r"a(?i)b|c", r"(?i)a(?-i)b", r"(?i:a)b", r"(?i:it's|don't)", r"(?i:f)i", r"(?i:s)(?i:s)", r"(?i)s+",
    r"(?x) a  b # c", r"(?x: \s+ | \p{L}+ )", r"(?xi) h e", r"(a)\1", r"(?<n>\w)\k<n>", r"(\w)\1+", r"(?<a>.)(?<b>.)\k<a>", r"(?<n>a|b\g<n>c)", r"\((?:[^()]|\g<0>)*\)",
    r"(?>a+)b", r"(?>a|ab)c", r"a++b", r"a*+a", r"a?+a", r"(?:ab)++", r"a{1,2}+", r"a{2}+b", r"a{,2}", r"a{1,}?", r"a{0}", r"\w{2,3}?", r"a??b", r"(?:a|b)*?c", r"(a*)*", r"(a*)+", r"(a|b?)*c",
    r"(?:a?b??)*", r"(?=a*)a", r"(?!a)\w", r"(?<=a|bc)\w", r"(?<!ab)c", r"(?<=\d{3})\d", r"(?<=^|\s)\w", r"(?~ab)", r"(?~\n)", r"(a)?(?(1)b|c)", r"(?<q>['\"]).*?\k<q>",
    r"\x41", r"\x{1F600}", r"\u00e9", r"\u{e9}", r"\t|\n|\r|\f|\v|\a|\e", r"\101", r"\cA", r"\Qa.b\E", r"\p{Han}+", r"\p{Script=Han}", r"\p{Hiragana}|\p{Katakana}", r"\p{Greek}+",
    r"\p{Alpha}+", r"\p{Alphabetic}+", r"\p{Letter}+", r"\p{Uppercase_Letter}", r"\p{Emoji}", r"\p{Any}", r"\p{Assigned}", r"\p{ASCII}+", r"\p{Punct}", r"\p{Space}", r"\p{Word}+", r"\p{Cn}", r"\p{Co}", r"\p{C}", r"\p{M}",
    r"\p{InGreek_and_Coptic}", r"(?W)\w+", r"(?D)\d+", r"(?S)\s", r"(?P)[[:alpha:]]+", r"(?y{g})\X", r"(?y{w})\X", r"\y", r"\Y", r"(?L)a|ab", r"(?I)k", r"(?C)(a)b",
    r"(*FAIL)|a", r"(?{x})", r"a|(?#comment)b", r"[", r"(", r")", r"a{1", r"+", r"a**", r"a+?+", r"(?P<n>a)", r"\k<x>", r"\p{Nope}", r"[z-a]", r"\1", r"(?<=a+)b", r"(?<=(a))b", r"\g<1>", r"[a", r"\\", "[&&a]", r"[^]", r"[[a]",
    r"(?:\d{3})+$", r"\d+(?=(?:\d{3})+\b)", r"[A-Z]{2,}(?=[A-Z][a-z])|[A-Z]?[a-z]+", r"\s*\n\s*", r"(?:\r\n|\n)+", r" +(?= )", r"[^\S\n]+", r"(\s|\p{P})", r"(?s)a", r"\p{L}\p{M}*", r".", r"(?m:.)", r"(?:)", r"|a", r"a||b", r"()", r"(?=)", r"(?!)",
]
BEHAVIORS = ["removed", "isolated", "merged_with_previous", "merged_with_next", "contiguous"]
BEHAVED = [r"\s+", r"\b", r"(?<=\p{Ll})(?=\p{Lu})", r"(?=(\d{3})+(?!\d))", r"x*", "", r"[^\S\n]+|(?=\d)", r"\p{N}", r"a++|\s"]

TEXTS = [
    "Total 1234567", "a\r\nb\n\n\nc", "camelCaseXYZText foo_bar2", "it's DON'T I'LL 'S we'Ve", "x  y   \n z \t\r\n ", "1,234,567.89 007 12", "e\u0301 é naïve ﬁn ﬀ",
    "👩\u200d👩\u200d👧🇩🇪👍🏽 ok", "İstanbul ıssız I i", "Straße STRASSE ẞ ss ſs", "ΟΔΟΣ ὈΔΥΣΣΕΎΣ ς", "漢字仮名カナ日本語 한국어", "١٢٣٤٥ १२३४५६ ½①Ⅳ",
    "a\u00a0b\u2003c\u0085d\u2028e\ufefff\u200bg", "foo(bar(baz))[x]{y}", "aaab abcc bab cabca", "$9.99 @user #tag <b>hi</b>", "\"quoted\" 'it' `c`", "\t\tif x:\n\t\t\ty()\n",
    "K Å ſ K k s S", "नमस्ते ไทย שלום مرحبا", "\x00\x07\x1b\x7f", "word", " ", "\n", "A.B.C. e.g. i.e.", "FileName2HTMLParser", "a-b_c~d^e\\f/g|h&i", "aab\n\naba\nb", "Ǆ ǅ ǆ ﬆ ŉ ǰ",
]

CELL = "0123456789abcdefghijklmnopqrstuvwxyz"


def pieces(pattern: str, text: str, behavior="isolated", invert=False) -> list[str] | None:
    try:
        return [piece for piece, _ in pre_tokenizers.Split(Regex(pattern), behavior, invert).pre_tokenize_str(text)]
    except BaseException as error:  # a PanicException of the library is no Exception
        if isinstance(error, KeyboardInterrupt):
            raise
        return None


def cell(pattern: str, text: str) -> str | None:
    found = pieces(pattern, text)
    return None if found is None else "".join(CELL[len(piece)] for piece in found)


ATOMS = ["a", "b", "s", "S", "k", "i", "f", "1", " ", r"\n", ".", r"\w", r"\d", r"\s", r"\S", r"\W", r"\p{L}", r"\p{Lu}", r"\p{N}", r"\p{M}", r"\p{P}", "[a-f]", "[^a]", r"[\s\d]",
         r"[^\p{L}\s]", r"[a-z&&[^s]]", "[[:alpha:]]", r"\h", r"\R", r"\X", "é", "ß", "İ", "漢", "👍", r"\p{^L}", r"\p{Han}", "[ks]", "[[a-c]x]"]
ANCHORS = ["^", "$", r"\b", r"\B", r"\A", r"\z", r"\Z", r"\G", r"\K", "(?=a)", r"(?!\s)", r"(?<=\d)", "(?<!a)", r"(?=\p{Lu})", r"(?<=\p{L})"]
COUNTS = ["*", "+", "?", "*?", "+?", "??", "*+", "++", "?+", "{2}", "{1,3}", "{2,}", "{,2}", "{1,3}+", "{1,2}?"]


def random_pattern(rng: random.Random, depth=0) -> str:
    def element() -> str:
        kind = rng.random()
        if kind < 0.12:
            return rng.choice(ANCHORS)
        if kind < 0.3 and depth < 2:
            begin = rng.choice(["(?:", "(?:", "(", "(?i:", "(?>", "(?=", "(?!", "(?m:"])
            body = begin + random_pattern(rng, depth + 1) + ")"
            return body if begin in ("(?=", "(?!") else body + rng.choice([""] * 2 + COUNTS)
        return rng.choice(ATOMS) + rng.choice([""] * 4 + COUNTS)

    return "|".join("".join(element() for _ in range(rng.choice([1, 1, 2, 3]))) for _ in range(rng.choice([1, 1, 2, 3])))


def random_text(rng: random.Random) -> str:
    characters = "aaabbcsSkKifFI1234 \t\n\r_-'.,éßİıſσςΣ漢字👍\u0301\u200d\u00a0\u0085\ufeff٣½ﬁ"
    return "".join(rng.choice(characters) for _ in range(rng.choice([1, 3, 8, 16, 30])))


def main(command: str, file: str, *rest: str) -> None:
    patterns, texts = [*PUBLISHED.values(), *CONSTRUCTS], TEXTS
    if command == "fuzz":
        rng = random.Random(int(rest[0]))
        patterns += [random_pattern(rng) for _ in range(int(rest[1]))]
        texts = texts + [random_text(rng) for _ in range(20)]
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # reports of panics
    content = {
        "texts": texts,
        "isolated": [[pattern, [cell(pattern, text) for text in texts]] for pattern in patterns],
        "behaviors": [
            [pattern, behavior, invert, [pieces(pattern, text, behavior, invert) for text in texts[:6]]]
            for pattern in BEHAVED for behavior in BEHAVIORS for invert in (False, True)
        ],
    }
    with open(file, "w") as out:
        lines = ",\n".join(json.dumps(key) + ":" + ("[\n" + ",\n".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in value) + "\n]") for key, value in content.items())
        out.write("{" + lines + "}\n")


main(*sys.argv[1:])
