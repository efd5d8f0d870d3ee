"""The peer of embeddings.ts: small encoders with tokenizers, saved and read by sentence-transformers, and its vectors.

Settings: folder, texts. A line of standard input is a family, a mode of pooling, or several with "+" between, and "normalize"
or nothing, with spaces between. The answer is the folder of that encoder and a vector for each text.
"""
import json
import sys
from pathlib import Path

import sentence_transformers
import torch
import transformers
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Normalize, Pooling, Transformer
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
from tokenizers.processors import TemplateProcessing
from transformers import AutoConfig, AutoModel, PreTrainedTokenizerFast

SIZE, LAYERS, HEADS, INNER, POSITIONS, VOCABULARY = 32, 3, 4, 64, 128, 400
# Large enough that attention is far from even.
INITIALIZER_RANGE = 0.3

BERT_TOKENS = dict(pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]", mask_token="[MASK]")
ROBERTA_TOKENS = dict(cls_token="<s>", pad_token="<pad>", sep_token="</s>", unk_token="<unk>", mask_token="<mask>")
ALBERT_TOKENS = dict(pad_token="<pad>", unk_token="<unk>", cls_token="[CLS]", sep_token="[SEP]", mask_token="[MASK]")


def word_piece(texts):
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    specials = list(BERT_TOKENS.values())
    tokenizer.train_from_iterator(texts, trainers.WordPieceTrainer(vocab_size=VOCABULARY, special_tokens=specials, show_progress=False))
    return tokenizer, BERT_TOKENS


def byte_pairs(texts):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    specials = list(ROBERTA_TOKENS.values())
    trainer = trainers.BpeTrainer(vocab_size=VOCABULARY, special_tokens=specials, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer, ROBERTA_TOKENS


def unigram(texts):
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKD(), normalizers.StripAccents(), normalizers.Lowercase()])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    specials = list(ALBERT_TOKENS.values())
    trainer = trainers.UnigramTrainer(vocab_size=VOCABULARY, special_tokens=specials, unk_token="<unk>", show_progress=False)
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer, ALBERT_TOKENS


FAMILIES = dict(bert=(word_piece, {}), roberta=(byte_pairs, {}), albert=(unigram, dict(embedding_size=16)))


def with_marks(tokenizer, tokens):
    """A text between the two special tokens, as the families' published tokenizers have it."""
    first, last = tokens["cls_token"], tokens["sep_token"]
    ids = [(token, tokenizer.token_to_id(token)) for token in (first, last)]
    tokenizer.post_processor = TemplateProcessing(single=f"{first} $A {last}", special_tokens=ids)
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, **tokens)


def save_base(family, texts, folder):
    torch.manual_seed(0)
    make, settings = FAMILIES[family]
    tokenizer = with_marks(*make(texts))
    config = AutoConfig.for_model(
        family, vocab_size=len(tokenizer), hidden_size=SIZE, num_hidden_layers=LAYERS, num_attention_heads=HEADS,
        intermediate_size=INNER, max_position_embeddings=POSITIONS, initializer_range=INITIALIZER_RANGE,
        pad_token_id=tokenizer.pad_token_id, bos_token_id=tokenizer.cls_token_id, eos_token_id=tokenizer.sep_token_id, **settings)
    AutoModel.from_config(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def main():
    settings = json.loads(sys.argv[1])
    texts, folder = settings["texts"], Path(settings["folder"])
    versions = {module.__name__: module.__version__ for module in (sentence_transformers, transformers, torch)}
    print(json.dumps(versions), flush=True)
    for line in sys.stdin:
        family, modes, *normalize = line.split()
        base, saved = folder / family, folder / f"{family}-{modes}{'-normalize' if normalize else ''}"
        if not base.exists():
            save_base(family, texts, base)
        names = modes.split("+")
        pooling = Pooling(SIZE, pooling_mode=names[0] if len(names) == 1 else tuple(names))
        modules = [Transformer(str(base), max_seq_length=POSITIONS - 2), pooling, *([Normalize()] if normalize else [])]
        SentenceTransformer(modules=modules, device="cpu").save(str(saved))
        vectors = SentenceTransformer(str(saved), device="cpu").encode(texts, batch_size=32, show_progress_bar=False)
        print(json.dumps(dict(folder=str(saved), versions=versions, vectors=vectors.tolist())), flush=True)


if __name__ == "__main__":
    main()
