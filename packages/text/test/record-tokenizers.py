"""Tokenizers of every kind, made with the Rust library, and what it says about many texts.

    record-tokenizers.py record FOLDER      small ones with a few texts each: the recordings that the tests read
    record-tokenizers.py fuzz FOLDER SEED COUNT [TOKENIZER_JSON...]
                                            large ones (and given files) with COUNT random texts each, for check-tokenizers.ts

Needs tokenizers and sentencepiece. Every file is one JSON object: `definition` (tokenizer.json), and `cases`, each
[text, ids, ids with special tokens, decoded, decoded without special tokens].
"""

import json
import pathlib
import random
import sys
import tempfile

import sentencepiece
from tokenizers import (
    AddedToken,
    Regex,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

GPT4 = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
QWEN2 = GPT4.replace(r"\p{N}{1,3}", r"\p{N}")
O200K = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
DEEPSEEK = (
    r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"
    r"| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
BLOOM = r" ?[^(\s|[.,!?…。，、।۔،])]+"

WORDS = (
    "the a is it of to and you that in was for on are with as his they be at one have this from or had by word but not "
    "what all were we when your can said there use an each which she do how their if will up other about out many then "
    "them these so some her would make like him into time has look two more write go see number no way could people "
    "don't I'm we've they're it's naïve café Straße Ελλάδα ΟΔΟΣ ὈΔΥΣΣΕΎΣ привет мир 漢字 仮名 日本語 한국어 مرحبا שלום "
    "नमस्ते ไทย 123 4567 3.14 hello, world! foo_bar bar-baz (x) [y] {z} <s> </s> ABC Hello HELLO İstanbul ﬁne ½ ① Ⅳ 🙂 👩‍👩‍👧 é"
).split()


def charsmap(rule: str | None, folder: str) -> bytes:
    """SentencePiece's precompiled table: one of its own by name, or one of a few rules."""
    corpus = pathlib.Path(folder, "corpus.txt")
    corpus.write_text("\n".join(" ".join(WORDS[i:] + WORDS[:i]) for i in range(len(WORDS))))
    options = {"normalization_rule_name": rule}
    if rule is None:
        rules = [("A", "a"), ("Ａ", "a"), ("é", "e"), ("ﬁ", "fi"), ("½", "1 2"), ("①", "1"), ("\u200b", ""),
                 ("e\u0301", "e"), ("\ufeff", " "), ("\t", " "), ("\r\n", "\n"), ("カ\u3099", "ガ"), ("の", "no")]
        tsv = pathlib.Path(folder, "rules.tsv")
        tsv.write_text("".join(f"{hexes(a)}\t{hexes(b)}\n" for a, b in rules))
        options = {"normalization_rule_tsv": str(tsv)}
    sentencepiece.SentencePieceTrainer.train(
        input=str(corpus), model_prefix=str(pathlib.Path(folder, "m")), vocab_size=150, hard_vocab_limit=False,
        minloglevel=2, **options,
    )
    return spec_field(pathlib.Path(folder, "m.model").read_bytes())


def hexes(text: str) -> str:
    return " ".join(f"{ord(c):X}" for c in text)


def spec_field(model: bytes) -> bytes:
    """Field 3 (normalizer_spec) of a ModelProto, and field 2 (precompiled_charsmap) within it."""
    spec = fields(model)[3]
    return fields(spec)[2]


def fields(message: bytes) -> dict[int, bytes]:
    found, at = {}, 0

    def varint() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(message):
        key = varint()
        if key & 7 == 2:
            size = varint()
            found[key >> 3] = message[at : at + size]
            at += size
        elif key & 7 == 0:
            varint()
        else:
            at += 4 if key & 7 == 5 else 8
    return found


def trained(tokenizer: Tokenizer, trainer, texts) -> Tokenizer:
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def byte_level(texts, size, pre, normalizer=None, suffix=None, **options) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE(**options))
    tokenizer.pre_tokenizer = pre
    if normalizer:
        tokenizer.normalizer = normalizer
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size, special_tokens=["<|endoftext|>"], initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer = trained(tokenizer, trainer, texts)
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    return tokenizer


def split(pattern: str, behavior="isolated", invert=False):
    return pre_tokenizers.Split(Regex(pattern), behavior, invert)


def plain_bytes():
    return pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)


def byte_fallback(texts, size, pre, normalizer, decoder) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    tokenizer.normalizer = normalizer
    tokenizer.decoder = decoder
    # Merges stay within words, as SentencePiece trains them; then the pre-tokenizer is what the family has.
    tokenizer.pre_tokenizer = pre_tokenizers.Split("▁", "merged_with_next")
    specials = ["<unk>", "<s>", "</s>", *(f"<0x{b:02X}>" for b in range(256))]
    tokenizer = trained(tokenizer, trainers.BpeTrainer(vocab_size=size, special_tokens=specials, show_progress=False), texts)
    definition = json.loads(tokenizer.to_str())
    definition["added_tokens"] = [t for t in definition["added_tokens"] if not t["content"].startswith("<0x")]
    definition["pre_tokenizer"] = pre and json.loads(pre.__getstate__())
    tokenizer = Tokenizer.from_str(json.dumps(definition))
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    return tokenizer


def unigram(texts, size, normalizer, pre, template="$A </s>", bytes_too=False) -> Tokenizer:
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre
    tokenizer.decoder = decoders.Metaspace()
    specials = ["<pad>", "</s>", "<unk>"] + ([f"<0x{b:02X}>" for b in range(256)] if bytes_too else [])
    trainer = trainers.UnigramTrainer(vocab_size=size, special_tokens=specials, unk_token="<unk>", show_progress=False)
    tokenizer = trained(tokenizer, trainer, texts)
    tokenizer.post_processor = processors.TemplateProcessing(single=template, special_tokens=[("</s>", 1), ("<pad>", 0)])
    if not bytes_too:
        return tokenizer
    definition = json.loads(tokenizer.to_str())
    definition["model"]["byte_fallback"] = True
    definition["added_tokens"] = [t for t in definition["added_tokens"] if not t["content"].startswith("<0x")]
    definition["decoder"] = {"type": "Sequence", "decoders": [{"type": "ByteFallback"}, definition["decoder"]]}
    return Tokenizer.from_str(json.dumps(definition))


def word_piece(texts, size, lowercase) -> Tokenizer:
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]", max_input_chars_per_word=40))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=lowercase)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokenizer = trained(tokenizer, trainers.WordPieceTrainer(vocab_size=size, special_tokens=specials, show_progress=False), texts)
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return tokenizer


def words(texts, pre, normalizer=None) -> Tokenizer:
    tokenizer = Tokenizer(models.WordLevel(unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre
    if normalizer:
        tokenizer.normalizer = normalizer
    return trained(tokenizer, trainers.WordLevelTrainer(special_tokens=["<unk>"], show_progress=False), texts)


def suffixed(texts, size) -> Tokenizer:
    """CLIP's way: the end of a word is marked."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", end_of_word_suffix="</w>", fuse_unk=False))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.Replace(Regex(r"\s+"), " "), normalizers.Lowercase()])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([split(r"'s|'t|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+", "removed", True)])
    tokenizer.decoder = decoders.BPEDecoder()
    trainer = trainers.BpeTrainer(vocab_size=size, special_tokens=["<unk>"], end_of_word_suffix="</w>", show_progress=False)
    return trained(tokenizer, trainer, texts)


def prefixed(texts, size) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", continuing_subword_prefix="##", fuse_unk=True))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.decoder = decoders.WordPiece(cleanup=False)
    trainer = trainers.BpeTrainer(vocab_size=size, special_tokens=["<unk>"], continuing_subword_prefix="##", show_progress=False)
    return trained(tokenizer, trainer, texts)


def with_added(tokenizer: Tokenizer) -> Tokenizer:
    """Every switch of added tokens, alone and together."""
    tokenizer.add_tokens([
        AddedToken("[LEFT]", lstrip=True), AddedToken("[RIGHT]", rstrip=True), AddedToken("[BOTH]", lstrip=True, rstrip=True),
        AddedToken("word", single_word=True), AddedToken("Hello", normalized=True), AddedToken("HELLO", normalized=False),
        AddedToken("[LEFT]x", normalized=False), AddedToken("é", single_word=True, normalized=False), AddedToken("  "),
    ])
    tokenizer.add_special_tokens([AddedToken("<|im_start|>"), AddedToken("<|im end|>", lstrip=True, rstrip=True), AddedToken("🙂")])
    return tokenizer


def tokenizers(texts, size, rule):
    with tempfile.TemporaryDirectory() as folder:
        table = charsmap(rule, folder)
    precompiled = normalizers.Precompiled(table)
    b = pre_tokenizers.ByteLevel
    yield "gpt2", byte_level(texts, size, b(add_prefix_space=False))
    yield "roberta", roberta(byte_level(texts, size, b(add_prefix_space=True)))
    yield "llama3", ignoring_merges(byte_level(texts, size, pre_tokenizers.Sequence([split(GPT4), plain_bytes()])))
    yield "qwen2", with_added(byte_level(texts, size, pre_tokenizers.Sequence([split(QWEN2), plain_bytes()]), normalizers.NFC()))
    yield "o200k", byte_level(texts, size, pre_tokenizers.Sequence([split(O200K), plain_bytes()]))
    yield "deepseek", byte_level(texts, size, pre_tokenizers.Sequence([
        split(r"\p{N}{1,3}"), split(r"[一-龥\u3040-ゟ゠-ヿ]+"), split(DEEPSEEK), plain_bytes()]))
    yield "bloom", byte_level(texts, size, pre_tokenizers.Sequence([split(BLOOM), plain_bytes()]))
    yield "falcon", byte_level(texts, size, pre_tokenizers.Sequence([
        pre_tokenizers.Punctuation("contiguous"), b(add_prefix_space=False), pre_tokenizers.Digits(), split("[0-9][0-9][0-9]")]))
    yield "starcoder", with_added(byte_level(texts, size, pre_tokenizers.Sequence([
        pre_tokenizers.Digits(individual_digits=True), b(add_prefix_space=False)])))
    space = normalizers.Replace(" ", "▁")
    fallback = [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
    yield "llama2", byte_fallback(texts, size, None, normalizers.Sequence([normalizers.Prepend("▁"), space]),
                                  decoders.Sequence([*fallback, decoders.Strip(" ", 1, 0)]))
    yield "gemma", with_added(byte_fallback(texts, size, pre_tokenizers.Split(" ", "merged_with_previous"), space, decoders.Sequence(fallback)))
    yield "mistral", with_added(byte_fallback(texts, size, pre_tokenizers.Metaspace(prepend_scheme="first", split=False), normalizers.Sequence([]),
                                              decoders.Sequence([*fallback, decoders.Strip(" ", 1, 0)])))
    yield "t5", with_added(unigram(texts, size, precompiled, pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()])))
    yield "xlm-roberta", unigram(texts, size, normalizers.Sequence([precompiled, normalizers.Replace(Regex(" {2,}"), " ")]), pre_tokenizers.Metaspace(), "</s> $A </s>")
    yield "deberta3", unigram(texts, size, normalizers.Sequence([normalizers.Strip(), precompiled, normalizers.Replace(Regex(" {2,}"), " ")]),
                              pre_tokenizers.Metaspace(prepend_scheme="first"), "</s> $A </s>", bytes_too=True)
    yield "albert", unigram(texts, size, normalizers.Sequence([
        normalizers.Replace("``", '"'), normalizers.NFKD(), normalizers.StripAccents(), normalizers.Lowercase(), precompiled]),
        pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()]), "</s> $A </s>")
    yield "nmt", unigram(texts, size, normalizers.Sequence([normalizers.Nmt(), normalizers.NFKC(), normalizers.Strip(left=False)]), pre_tokenizers.Metaspace(prepend_scheme="never"))
    yield "bert-uncased", with_added(word_piece(texts, size, True))
    yield "bert-cased", word_piece(texts, size, False)
    yield "clip", suffixed(texts, size)
    yield "prefixed", prefixed(texts, size)
    yield "whitespace", words(texts, pre_tokenizers.Sequence([pre_tokenizers.Whitespace(), pre_tokenizers.Punctuation("merged_with_next")]))
    yield "digits", words(texts, pre_tokenizers.Sequence([split(r"[aeiou]", "merged_with_previous"), pre_tokenizers.Digits(), pre_tokenizers.CharDelimiterSplit("-")]), normalizers.NFD())
    yield "punctuation", words(texts, pre_tokenizers.Sequence([pre_tokenizers.Punctuation("removed"), split(r"\s+", "merged_with_next"), pre_tokenizers.FixedLength(3)]))
    yield "byte-normalizer", byte_level(texts, size, split(r"\S+|\s+"), normalizers.ByteLevel())


def roberta(tokenizer: Tokenizer) -> Tokenizer:
    tokenizer.add_special_tokens([AddedToken("<mask>", lstrip=True)])
    tokenizer.post_processor = processors.RobertaProcessing(("<|endoftext|>", 0), ("<|endoftext|>", 0))
    return tokenizer


def ignoring_merges(tokenizer: Tokenizer) -> Tokenizer:
    definition = json.loads(tokenizer.to_str())
    definition["model"]["ignore_merges"] = True
    tokenizer = Tokenizer.from_str(json.dumps(definition))
    tokenizer.post_processor = processors.Sequence([
        processors.ByteLevel(trim_offsets=False),
        processors.TemplateProcessing(single="<|endoftext|> $A", special_tokens=[("<|endoftext|>", 0)])])
    return tokenizer


SPACES = [" ", " ", " ", "  ", "   ", "\n", "\n\n", "\r\n", "\t", "\u00a0", "\u2003", "\u3000", "\u0085", "\ufeff", "\u200b", "\u2028", ""]
MARKS = ["[LEFT]", "[RIGHT]", "[BOTH]", "[LEFT]x", "word", "words", "Hello", "HELLO", "<|im_start|>", "<|im end|>", "<|endoftext|>",
         "<mask>", "▁", "▁▁", "``", "don't", "I'LL", "it's ", "'ſ", "K", " .", " ?", " n't", " do not", "<0x41>", "</w>", "##"]
BLOCKS = [(0, 0x7F), (0x80, 0x24F), (0x250, 0x36F), (0x370, 0x3FF), (0x400, 0x52F), (0x590, 0x6FF), (0x900, 0x97F), (0xE00, 0xE7F),
          (0x1100, 0x11FF), (0x1E00, 0x1FFF), (0x2000, 0x206F), (0x2070, 0x218F), (0x2460, 0x24FF), (0x3000, 0x30FF), (0x3130, 0x318F),
          (0x4E00, 0x4FFF), (0xAC00, 0xAD00), (0xE000, 0xE010), (0xF900, 0xFAFF), (0xFB00, 0xFB4F), (0xFE00, 0xFE0F), (0xFF00, 0xFFEF),
          (0xFFF9, 0xFFFF), (0x1D400, 0x1D4FF), (0x1F1E6, 0x1F1FF), (0x1F300, 0x1F64F), (0x20000, 0x20010), (0x2F800, 0x2F810)]


def random_text(rng: random.Random) -> str:
    parts = []
    for _ in range(rng.choice([0, 1, 2, 4, 8, 16, 24])):
        kind = rng.random()
        if kind < 0.55:
            parts.append(rng.choice(WORDS))
        elif kind < 0.7:
            parts.append(rng.choice(MARKS))
        else:
            low, high = rng.choice(BLOCKS)
            parts.append("".join(chr(rng.randint(low, high)) for _ in range(rng.choice([1, 1, 2, 5]))))
        if rng.random() < 0.75:
            parts.append(rng.choice(SPACES))
    return "".join(parts)


FIXED = ["", " ", "Hello world", "Is it\n\na dog?\n Yes.", "ΟΔΟΣ ΣΑΣ Σ", "a\ufeffb \ufeff c", "\u0085x", "İ", "e\u0301 é ﬁ ½ Ａ ①",
         "カ\u3099の\u200b", "don't DON'T it'S", "x" * 70, "the " * 30, " word words word.[LEFT] [RIGHT] x [BOTH] <|im end|> y", "1234567 12.5",
         "漢字仮名", "🙂🙂 👩‍👩‍👧", "tab\tand\r\nline  two   three", "I 'm here . do not go , please ?"]


def cases(tokenizer: Tokenizer, texts):
    for text in texts:
        ids = tokenizer.encode(text, add_special_tokens=False).ids
        special = tokenizer.encode(text).ids
        yield [text, ids, special, tokenizer.decode(special, skip_special_tokens=False), tokenizer.decode(special)]


def write(folder: pathlib.Path, name: str, tokenizer: Tokenizer, texts) -> None:
    tokenizer.no_truncation()
    tokenizer.no_padding()
    content = {"definition": json.loads(tokenizer.to_str()), "cases": list(cases(tokenizer, texts))}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.json").write_text(json.dumps(content, ensure_ascii=False, separators=(",", ":")))


def main(command: str, folder: str, *rest: str) -> None:
    out = pathlib.Path(folder)
    corpus_rng = random.Random(1)
    if command == "record":
        texts = [" ".join(corpus_rng.choices(WORDS, k=8)) for _ in range(60)]
        for name, tokenizer in tokenizers(texts, 420, None):
            write(out, name, tokenizer, FIXED + [random_text(random.Random(i)) for i in range(12)])
        return
    seed, count, *files = rest
    texts = [" ".join(corpus_rng.choices(WORDS, k=12)) for _ in range(3000)]
    rng = random.Random(int(seed))
    probes = FIXED + [random_text(rng) for _ in range(int(count))]
    for name, tokenizer in tokenizers(texts, 2000, "nmt_nfkc"):
        write(out, name, tokenizer, probes)
    for file in files:
        write(out, pathlib.Path(file).parent.name, Tokenizer.from_file(file), probes)


main(*sys.argv[1:])
