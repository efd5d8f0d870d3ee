#!/usr/bin/env python3
"""Records what the library of the checkpoints makes of small model folders: encoders, encoder-decoders and the fields of their config classes.

Weights come from a formula over the tensor's name, so a recording has the names and shapes of a folder's tensors and the
results alone. Each case is written as a folder and read by `from_pretrained`, so that ties, defaults and old spellings are
those of the library.

    python3 record-transformers.py [fields]    (needs torch and transformers; made with 2.13 and 5.18)
"""
import dataclasses
import json
import logging
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
import torch
import transformers
from safetensors.torch import save_file

OUT = Path(__file__).resolve().parent / "recordings"


def formula(name, shape):
    """The numbers of a tensor: a hash of its name and of each place, uniform in ±0.5; scales of norms are around 1."""
    seed = 2166136261
    for byte in name.encode():
        seed = (seed ^ byte) * 16777619 % 2**32
    h = (np.arange(int(np.prod(shape)), dtype=np.uint64) * 2654435761 + seed) % 2**32
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        h = (h ^ (h >> shift)) * factor % 2**32
    uniform = (h ^ (h >> 16)).astype(np.float64) / 2**32 - 0.5
    is_scale = name.lower().endswith("norm.weight") or name.endswith("layernorm_embedding.weight")
    values = 1 + 0.5 * uniform if is_scale else uniform
    return torch.tensor(values.astype(np.float32)).reshape(shape)


def folder_of(directory, config, tensors, extra=()):
    path = Path(directory)
    (path / "config.json").write_text(json.dumps(config))
    save_file(tensors, path / "model.safetensors", metadata={"format": "pt"})
    for name, contents in extra:
        (path / name).write_text(json.dumps(contents))
    return path


def tensors_of(model, keep, drop):
    """The names and shapes of a file: all tensors but those that the library ties to another, unless listed in `keep`."""
    copies = set(model.all_tied_weights_keys) - set(keep)
    return {name: list(value.shape) for name, value in model.state_dict().items() if name not in copies and name not in drop}


def rounded(tensor, digits=5):
    return [round(x, digits) + 0.0 for x in tensor.detach().double().flatten().tolist()]


# Encoders

SMALL = dict(vocab_size=31, hidden_size=16, num_hidden_layers=2, num_attention_heads=4, intermediate_size=24,
             max_position_embeddings=40)
MODERN = dict(vocab_size=31, hidden_size=16, num_hidden_layers=4, num_attention_heads=2, intermediate_size=20,
              max_position_embeddings=40, pad_token_id=0, local_attention=6)
DEBERTA = dict(SMALL, model_type="deberta-v2", relative_attention=True, hidden_act="gelu", pad_token_id=0)
HEAD = dict(SMALL, num_hidden_layers=1)
DISTIL = dict(model_type="distilbert", vocab_size=31, dim=16, n_layers=1, n_heads=4, hidden_dim=24,
              max_position_embeddings=40, pad_token_id=0)

# name: config, and of the head: the tensors that a file has beside those that are not tied.
ENCODERS = {
    "xlm-roberta": dict(config=dict(SMALL, model_type="xlm-roberta", type_vocab_size=1, pad_token_id=1, layer_norm_eps=1e-5)),
    "camembert": dict(config=dict(SMALL, model_type="camembert", num_hidden_layers=1, type_vocab_size=1, pad_token_id=1)),
    "electra": dict(config=dict(SMALL, model_type="electra", embedding_size=8, hidden_act="relu")),
    "electra-base": dict(config=dict(SMALL, model_type="electra", num_hidden_layers=1, embedding_size=16)),
    "deberta-v3": dict(config=dict(DEBERTA, position_buckets=8, max_relative_positions=-1, position_biased_input=False,
                                   pos_att_type="p2c|c2p", share_att_key=True, norm_rel_ebd="layer_norm",
                                   type_vocab_size=0, layer_norm_eps=1e-7)),
    "deberta-v2": dict(config=dict(DEBERTA, max_relative_positions=12, pos_att_type=["c2p", "p2c"], type_vocab_size=2)),
    "deberta-p2c": dict(config=dict(DEBERTA, num_hidden_layers=1, position_buckets=6, max_relative_positions=20,
                                    pos_att_type=["p2c"], position_biased_input=False)),
    "deberta-absolute": dict(config=dict(DEBERTA, num_hidden_layers=1, relative_attention=False, pos_att_type="c2p")),
    "modernbert": dict(config=dict(MODERN, model_type="modernbert", global_attn_every_n_layers=3, global_rope_theta=500.0,
                                   local_rope_theta=100.0, layer_norm_eps=1e-3, norm_eps=1e-5)),
    "modernbert-biases": dict(config=dict(
        MODERN, model_type="modernbert", attention_bias=True, mlp_bias=True, norm_bias=True, classifier_bias=True,
        classifier_activation="relu", decoder_bias=False, hidden_activation="gelu_new",
        layer_types=["sliding_attention", "full_attention", "sliding_attention", "full_attention"],
        rope_parameters=dict(full_attention=dict(rope_type="default", rope_theta=300.0),
                             sliding_attention=dict(rope_type="default", rope_theta=40.0)))),
    "bert-own-head": dict(config=dict(HEAD, model_type="bert"),
                          keep=["cls.predictions.decoder.weight", "cls.predictions.decoder.bias"]),
    "bert-own-bias": dict(config=dict(HEAD, model_type="bert"), keep=["cls.predictions.decoder.bias"],
                          drop=["cls.predictions.bias"]),
    "bert-equal-head": dict(config=dict(HEAD, model_type="bert"), keep=["cls.predictions.decoder.weight"],
                            copies={"cls.predictions.decoder.weight": "bert.embeddings.word_embeddings.weight"}),
    "bert-untied": dict(config=dict(HEAD, model_type="bert", tie_word_embeddings=False)),
    "roberta-own-head": dict(config=dict(HEAD, model_type="roberta", type_vocab_size=1, pad_token_id=1),
                             keep=["lm_head.decoder.weight"]),
    "roberta-untied": dict(config=dict(HEAD, model_type="roberta", type_vocab_size=1, pad_token_id=1,
                                       tie_word_embeddings=False)),
    "albert-own-head": dict(config=dict(HEAD, model_type="albert", embedding_size=8),
                            keep=["predictions.decoder.weight", "predictions.decoder.bias"]),
    "distilbert-own-head": dict(config=DISTIL, keep=["vocab_projector.weight"]),
    "electra-own-head": dict(config=dict(HEAD, model_type="electra", embedding_size=8), keep=["generator_lm_head.weight"]),
    "modernbert-own-head": dict(config=dict(MODERN, model_type="modernbert", num_hidden_layers=1), keep=["decoder.weight"]),
    "deberta-own-head": dict(config=dict(DEBERTA, num_hidden_layers=1, pos_att_type=["c2p"]),
                             keep=["cls.predictions.decoder.weight"]),
}
TEXTS = [[2, 7, 9, 30, 4, 4, 11, 12, 13, 14, 15, 16, 17, 5, 28, 29, 21, 8, 6, 3], [2, 5, 3], [2, 25, 7, 7, 19, 22, 10, 3]]


def record_encoder(name, config, keep=(), drop=(), copies={}):
    with tempfile.TemporaryDirectory() as directory:
        kind = transformers.AutoConfig.for_model(**config)
        shapes = tensors_of(transformers.AutoModelForMaskedLM.from_config(kind), keep, drop)
        tensors = {key: formula(copies.get(key, key), shape) for key, shape in shapes.items()}
        folder = folder_of(directory, config, tensors)
        model = transformers.AutoModelForMaskedLM.from_pretrained(folder, attn_implementation="eager").eval()
    pad = config.get("pad_token_id", model.config.pad_token_id)
    longest = max(map(len, TEXTS))
    ids = torch.tensor([text + [pad] * (longest - len(text)) for text in TEXTS])
    mask = torch.tensor([[1] * len(text) + [0] * (longest - len(text)) for text in TEXTS])
    logits = model(input_ids=ids, attention_mask=mask).logits
    places = [(0, 9), (2, 7)]
    record = dict(config=config, tensors=shapes, copies=copies, texts=TEXTS, places=places,
                  logits=[rounded(logits[row, place]) for row, place in places])
    if not name.endswith(("-head", "-untied", "-bias")):
        record.update(encoder_results(model.base_model, ids, mask))
    return record


def encoder_results(encoder, ids, mask):
    """Hidden states of the places, and each gradient of Σ hidden · weights as its length and its product with a formula."""
    hidden = encoder(input_ids=ids, attention_mask=mask).last_hidden_state
    weights = formula("loss", hidden.shape) * mask[:, :, None]
    loss = (hidden * weights).sum()
    encoder.zero_grad()
    loss.backward()
    gradients = {}
    for name, parameter in encoder.named_parameters():
        if parameter.grad is None:
            continue
        gradient = parameter.grad.double()
        product = (gradient * formula("gradient", gradient.shape).double()).sum()
        gradients[name] = [round(gradient.norm().item(), 5), round(product.item(), 5)]
    rows = [(0, 0), (0, 7), (0, ids.shape[1] - 1), (1, 0), (2, 7)]
    return dict(rows=rows, hidden=[rounded(hidden[row, place]) for row, place in rows], loss=loss.item(), gradients=gradients)


# Encoder-decoders

BART = dict(model_type="bart", vocab_size=31, d_model=16, encoder_layers=1, decoder_layers=2, encoder_attention_heads=4,
            decoder_attention_heads=2, encoder_ffn_dim=24, decoder_ffn_dim=20, max_position_embeddings=24,
            pad_token_id=1, bos_token_id=0, eos_token_id=2, decoder_start_token_id=2, forced_eos_token_id=2)
MARIAN = dict(BART, model_type="marian", pad_token_id=30, eos_token_id=0, decoder_start_token_id=30, forced_eos_token_id=0,
              scale_embedding=True, static_position_embeddings=True, activation_function="swish")
PEGASUS = dict(BART, model_type="pegasus", pad_token_id=0, eos_token_id=1, decoder_start_token_id=0, forced_eos_token_id=1,
               scale_embedding=True, activation_function="relu", normalize_before=True, add_final_layer_norm=True)
T5 = dict(model_type="t5", vocab_size=31, d_model=16, d_kv=4, d_ff=20, num_layers=2, num_decoder_layers=1, num_heads=4,
          pad_token_id=0, eos_token_id=1, decoder_start_token_id=0)
ENCODER_WORDS, DECODER_WORDS = "model.encoder.embed_tokens.weight", "model.decoder.embed_tokens.weight"
POSITIONS = ["model.encoder.embed_positions.weight", "model.decoder.embed_positions.weight"]

SEQ2SEQ = {
    "bart": dict(config=BART),
    "bart-other-names": dict(config=dict(BART, hidden_size=16, num_attention_heads=2, num_hidden_layers=2)),
    "bart-own-head": dict(config=BART, keep=["lm_head.weight"]),
    "bart-own-encoder-words": dict(config=BART, keep=[ENCODER_WORDS]),
    "bart-three-tables": dict(config=BART, keep=["lm_head.weight", ENCODER_WORDS, DECODER_WORDS]),
    "bart-head-alone": dict(config=BART, keep=["lm_head.weight"], drop=["model.shared.weight"]),
    "bart-untied": dict(config=dict(BART, tie_word_embeddings=False)),
    "marian": dict(config=MARIAN, drop=POSITIONS),
    "marian-two-vocabularies": dict(config=dict(MARIAN, share_encoder_decoder_embeddings=False, decoder_vocab_size=37,
                                                decoder_start_token_id=36, pad_token_id=30), drop=POSITIONS),
    "marian-own-head": dict(config=MARIAN, keep=["lm_head.weight"], drop=POSITIONS),
    "pegasus": dict(config=PEGASUS, drop=POSITIONS),
    "pegasus-stored-positions": dict(config=PEGASUS),
    "t5": dict(config=T5),
    "t5-tie-false": dict(config=dict(T5, tie_word_embeddings=False)),
    "t5-tie-false-new": dict(config=dict(T5, tie_word_embeddings=False, transformers_version="5.18.0")),
    "t5-own-head": dict(config=dict(T5, tie_word_embeddings=False), keep=["lm_head.weight"]),
    "t5-own-scaled-head": dict(config=T5, keep=["lm_head.weight"]),
    "t5-unscaled": dict(config=dict(T5, tie_word_embeddings=True, scale_decoder_outputs=False)),
    "t5-three-tables": dict(config=T5, keep=["lm_head.weight", "encoder.embed_tokens.weight", "decoder.embed_tokens.weight"]),
    "t5-decoder-words": dict(config=T5, keep=["decoder.embed_tokens.weight"], drop=["shared.weight"]),
    "t5-dense-act-fn": dict(config=dict(T5, feed_forward_proj="gated-gelu", dense_act_fn="relu", is_gated_act=True)),
    "t5-gated-silu": dict(config=dict(T5, feed_forward_proj="gated-silu", is_decoder=True)),
    "mt5": dict(config=dict(T5, model_type="mt5", feed_forward_proj="gated-gelu", transformers_version="4.30.0")),
    "mt5-own-head": dict(config=dict(T5, model_type="mt5", tie_word_embeddings=True), keep=["lm_head.weight"]),
}
# Rules of generation_config.json, or of config.json where that is the only file.
TOKENS = dict(pad_token_id=1, bos_token_id=0, eos_token_id=2, decoder_start_token_id=2)
T5_TOKENS = dict(pad_token_id=0, eos_token_id=1, decoder_start_token_id=0)
GENERATION = {
    "no-repeat-ngram-size": dict(config=BART, generation=dict(TOKENS, no_repeat_ngram_size=2, forced_bos_token_id=5,
                                                              forced_eos_token_id=2)),
    "repetition-penalty": dict(config=BART, generation=dict(TOKENS, repetition_penalty=1.6)),
    "bad-words-ids": dict(config=BART, generation=dict(TOKENS, bad_words_ids=[[14], [0, 0], [16, 9, 3]])),
    "suppress-tokens": dict(config=BART, generation=dict(TOKENS, suppress_tokens=[0, 14], begin_suppress_tokens=[16, 9],
                                                         no_repeat_ngram_size=3)),
    "begin-suppress-after-forced-bos": dict(config=BART, generation=dict(TOKENS, forced_bos_token_id=4,
                                                                         begin_suppress_tokens=[0, 14])),
    "in-config-json": dict(config=dict(BART, no_repeat_ngram_size=2, forced_bos_token_id=7)),
    "sequence-bias": dict(config=MARIAN, drop=POSITIONS, generation=dict(
        pad_token_id=30, eos_token_id=0, decoder_start_token_id=30, sequence_bias=[[[14, 14], -9.0], [[9], 0.5]])),
    "min-length": dict(config=T5, keep=["decoder.embed_tokens.weight"], drop=["shared.weight"],
                       generation=dict(T5_TOKENS, min_length=5)),
    "min-new-tokens": dict(config=T5, keep=["decoder.embed_tokens.weight"], drop=["shared.weight"],
                           generation=dict(T5_TOKENS, min_new_tokens=5, no_repeat_ngram_size=1)),
}
PAIRS = [([7, 9, 29, 4, 4, 11, 12, 5, 2], [14, 3, 9, 8, 8, 21, 2]), ([6, 2], [28, 2]), ([25, 10, 18, 27, 2], [3, 17, 16])]


def record_seq2seq(name, config, keep=(), drop=(), generation=None):
    with tempfile.TemporaryDirectory() as directory:
        kind = transformers.AutoConfig.for_model(**config)
        shapes = tensors_of(transformers.AutoModelForSeq2SeqLM.from_config(kind), keep, drop)
        tensors = {key: formula(key, shape) for key, shape in shapes.items()}
        extra = [("generation_config.json", generation)] if generation else []
        folder = folder_of(directory, config, tensors, extra)
        model = transformers.AutoModelForSeq2SeqLM.from_pretrained(folder, attn_implementation="eager").eval()
    pad, start = model.config.pad_token_id, model.config.decoder_start_token_id
    padded = lambda rows, fill: torch.tensor([row + [fill] * (max(map(len, rows)) - len(row)) for row in rows])
    sources, targets = [source for source, _ in PAIRS], [target for _, target in PAIRS]
    inputs = dict(input_ids=padded(sources, pad), attention_mask=padded([[1] * len(row) for row in sources], 0))
    logits = model(**inputs, decoder_input_ids=padded([[start] + target[:-1] for target in targets], pad)).logits
    logprobs = logits.log_softmax(-1)
    new_tokens = 14
    greedy = model.generate(**inputs, do_sample=False, num_beams=1, max_new_tokens=new_tokens, max_length=None)
    ends = model.generation_config.eos_token_id
    ends = ends if isinstance(ends, list) else [ends]
    said = []
    for row in greedy.tolist():
        end = next((i + 1 for i, token in enumerate(row[1:]) if token in ends), new_tokens)
        said.append(row[1:1 + end])
    return dict(config=config, **({"generation": generation} if generation else {}), tensors=shapes, copies={}, pairs=PAIRS, new_tokens=new_tokens, greedy=said,
                first_logits=[rounded(row[0, :10]) for row in logits],
                logprobs=[rounded(logprobs[i, range(len(target)), target]) for i, target in enumerate(targets)])


def deberta_buckets(buckets, longest):
    """Buckets of the distances 0 … longest − 1 in DeBERTa's attention."""
    from transformers.models.deberta_v2.modeling_deberta_v2 import make_log_bucket_position
    return make_log_bucket_position(torch.arange(longest), buckets, longest).int().tolist()


# Fields of config.json that the code reads beside those that the class declares.
UNDECLARED = {
    "": ["is_causal", "per_layer_config", "quantization_config"],
    "deberta-v2": ["attention_head_size", "conv_kernel_size", "embedding_size", "norm_rel_ebd", "pooler_hidden_size",
                   "position_buckets", "share_att_key"],
    "modernbert": ["global_attn_every_n_layers", "global_rope_theta", "head_dim", "local_rope_theta",
                   "partial_rotary_factor", "rope_scaling", "sliding_window"],
    "t5": ["decoder_start_token_id", "dense_act_fn", "is_gated_act", "scale_decoder_outputs", "tie_word_embeddings"],
    "mt5": ["dense_act_fn", "is_gated_act", "scale_decoder_outputs"],
}
TYPES = ["bert", "roberta", "xlm-roberta", "camembert", "albert", "distilbert", "electra", "deberta-v2", "modernbert",
         "bart", "marian", "pegasus", "t5", "mt5"]


def fields_of(kind):
    """Fields of a class with their defaults, other names of fields, and what the code reads besides."""
    cls = transformers.models.auto.configuration_auto.CONFIG_MAPPING[kind]
    found = {}
    for field in dataclasses.fields(cls):
        is_plain = isinstance(field.default, (bool, int, float, str, type(None)))
        found[field.name] = field.default if is_plain else None
    return dict(fields=found, other_names=cls.attribute_map, undeclared=UNDECLARED[""] + UNDECLARED.get(kind, []))


def write(name, contents):
    OUT.mkdir(parents=True, exist_ok=True)
    lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in contents.items())
    (OUT / name).write_text("{\n" + lines + "\n}\n")
    print(name, (OUT / name).stat().st_size, "bytes")


def main():
    if sys.argv[1:] == ["fields"]:
        return write("config-fields.json", {kind: fields_of(kind) for kind in TYPES})
    torch.set_num_threads(1)
    warnings.filterwarnings("ignore")
    transformers.logging.set_verbosity_error()
    logging.disable(logging.WARNING)
    transformers.logging.disable_progress_bar()
    encoders = {name: record_encoder(name, **case) for name, case in ENCODERS.items()}
    write("encoders.json", {name: record for name, record in encoders.items() if "hidden" in record})
    write("config-fields.json", {kind: fields_of(kind) for kind in TYPES})
    generation = {name: record_seq2seq(name, **case) for name, case in GENERATION.items()}
    for record in generation.values():
        del record["first_logits"], record["logprobs"]
    write("target-rules.json", generation)
    families = {"bart": ["bart"], "marian-pegasus": ["marian", "pegasus"], "t5": ["t5", "mt5"]}
    for family, types in families.items():
        cases = {name: case for name, case in SEQ2SEQ.items() if case["config"]["model_type"] in types}
        write(f"{family}.json", {name: record_seq2seq(name, **case) for name, case in cases.items()})
    write("deberta-buckets.json", {f"{b} {n}": deberta_buckets(b, n) for b, n in ((256, 512), (8, 40), (32, 300))})


if __name__ == "__main__":
    main()
