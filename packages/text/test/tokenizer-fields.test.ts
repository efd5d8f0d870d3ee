// Compares fields of tokenizer_config.json with transformers 5.18; packages/models/test/record-fields.py recorded its results.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { HuggingFaceTokenizer } from '../src/tokenizers/tokenizer.js';

/** The ids without and with special tokens, and the text of the latter with and without special tokens. */
type Found = [ids: number[], special: number[], whole: string, plain: string];
type Change = [field: string, value: unknown];

interface Recording {
  texts: string[];
  /** Changes of one field that every case tried; a change without an entry in `differ` has the results of the unchanged config. */
  tried: Change[];
  cases: {
    tokenizer: string;
    config: Record<string, unknown>;
    base: Found[];
    /** The results of the texts that differ, by index; a string if transformers fails. */
    differ: [field: string, value: unknown, found: Record<string, Found> | string][];
  }[];
}

const file = fileURLToPath(new URL('./recorded-fields.json', import.meta.url));
const { texts, tried, cases } = JSON.parse(readFileSync(file, 'utf8')) as Recording;

const definitionOf = (name: string) => {
  const path = fileURLToPath(new URL(`./tokenizer-fixtures/${name}.json`, import.meta.url));
  return (JSON.parse(readFileSync(path, 'utf8')) as { definition: Record<string, unknown> }).definition;
};

/** Encodes and decodes all texts. `cleanUpSpaces` is an option of the caller here; WordPiece and Unigram configs set it in the file. */
function found(definition: Record<string, unknown>, config: Record<string, unknown>): Found[] | string {
  try {
    const tokenizer = new HuggingFaceTokenizer(definition, config);
    const { type } = definition.model as { type: string };
    const cleanUpSpaces = type !== 'BPE' && config.clean_up_tokenization_spaces === true;
    return texts.map((text) => {
      const special = tokenizer.encodeWithSpecials(text);
      const [whole, plain] = [true, false].map((keepSpecialTokens) =>
        tokenizer.decode(special, { keepSpecialTokens, cleanUpSpaces }),
      );
      return [tokenizer.encode(text), special, whole, plain];
    });
  } catch (error) {
    return (error as Error).message;
  }
}

/** The fields that each tokenizer class takes from the config instead of tokenizer.json. */
const contradictions: Record<string, string[]> = {
  GPT2Tokenizer: ['add_prefix_space'],
  BertTokenizer: [
    'added_tokens_decoder',
    'sep_token',
    'cls_token',
    'do_lower_case',
    'strip_accents',
    'tokenize_chinese_chars',
  ],
  PreTrainedTokenizerFast: ['added_tokens_decoder'],
};

test.each(cases)('$tokenizer as $config.tokenizer_class', ({ tokenizer, config, base, differ }) => {
  const definition = definitionOf(tokenizer);
  expect(found(definition, config)).toEqual(base);
  const results = new Map(differ.map(([field, value, result]) => [JSON.stringify([field, value]), result]));
  const changes: Change[] = [...tried, ...differ.map(([field, value]): Change => [field, value])];
  const refused = new Set<string>();
  const wrong: unknown[] = [];
  for (const [field, value] of changes) {
    const change = results.get(JSON.stringify([field, value])) ?? {};
    if (typeof change === 'string') continue;
    const ours = found(definition, { ...config, [field]: value });
    if (typeof ours === 'string' && ours.includes(field)) refused.add(field);
    else if (JSON.stringify(ours) !== JSON.stringify(base.map((one, i) => change[i] ?? one)))
      wrong.push([field, value, typeof ours === 'string' ? ours : 'differs']);
  }
  expect(wrong).toEqual([]);
  const allowed = contradictions[String(config.tokenizer_class)];
  expect([...refused].filter((field) => !allowed.includes(field))).toEqual([]);
});

/**
 * Fields of tokenizer_config.json. `used`: read; if a token's value is not a text, there is no such token. `refused`: refused if it
 * contradicts tokenizer.json and the tokenizer's class would build the tokenizer again from it. `idle`: without effect on a result.
 */
const classes = {
  used: [
    'bos_token',
    'eos_token',
    'unk_token',
    'sep_token',
    'pad_token',
    'cls_token',
    'mask_token',
    'image_token',
    'extra_special_tokens',
    'additional_special_tokens',
    'model_specific_special_tokens',
    'added_tokens_decoder',
    'split_special_tokens',
    'clean_up_tokenization_spaces',
    'chat_template',
    'tokenizer_class',
  ],
  refused: ['add_prefix_space', 'do_lower_case', 'strip_accents', 'tokenize_chinese_chars'],
  idle: [
    'add_bos_token',
    'add_eos_token',
    'legacy',
    'use_default_system_prompt',
    'spaces_between_special_tokens',
    'trim_offsets',
    'add_dummy_prefix',
    'keep_accents',
    'fix_mistral_regex',
    'do_basic_tokenize',
    'lowercase',
    'remove_space',
    'sp_model_kwargs',
    'errors',
    'extra_ids',
    'never_split',
    'unk_id',
    'post_processor',
    'clean_up_tokenization_spaces_for_bpe_even_though_it_will_corrupt_output',
    'separate_vocabs',
    'language',
    // Fields of batches, which the model makes itself.
    'model_max_length',
    'max_len',
    'max_length',
    'stride',
    'pad_to_multiple_of',
    'truncation_strategy',
    'pad_token_type_id',
    'padding_side',
    'truncation_side',
    'model_input_names',
    'processor_class',
    'name_or_path',
    'special_tokens_map_file',
    'auto_map',
    'tokenizer_file',
    'vocab_file',
    'fast_tokenizer_files',
    'use_fast',
    'from_slow',
    'is_local',
    'backend',
    'verbose',
    'response_schema',
    'response_template',
  ],
};

test('every field that was tried has a class, and it is the right one', () => {
  const names = [...classes.used, ...classes.refused, ...classes.idle];
  const known = new Set([...tried, ...cases.flatMap(({ differ }) => differ)].map(([field]) => field));
  expect(names.sort()).toEqual([...known].sort());
  const effective = cases.flatMap(({ differ }) => differ.filter(([, , result]) => typeof result !== 'string'));
  expect(classes.idle.filter((name) => effective.some(([field]) => field === name))).toEqual([]);
});
