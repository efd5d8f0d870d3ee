// Makes the tokenizer files for transformers.js.
// Source: the functions create_… of @huggingface/tokenizers 0.2, which name the supported types.
import type { HuggingFaceTokenizer } from '@bowyer/text';

const known = {
  normalizer:
    'BertNormalizer Precompiled Sequence Replace NFC NFD NFKC NFKD Strip StripAccents Lowercase Prepend'.split(' '),
  pre_tokenizer:
    'BertPreTokenizer Sequence Whitespace WhitespaceSplit Metaspace ByteLevel Split Punctuation Digits Replace FixedLength'.split(
      ' ',
    ),
  post_processor: 'TemplateProcessing ByteLevel BertProcessing RobertaProcessing Sequence'.split(' '),
  decoder: 'ByteLevel WordPiece Metaspace BPEDecoder CTC Sequence Replace Fuse Strip ByteFallback'.split(' '),
};

type Json = Readonly<Record<string, unknown>>;

/** Makes tokenizer.json and tokenizer_config.json. @param fail makes the error for what transformers.js does not support */
export function tokenizerFiles(
  { definition, config, addedTokens }: HuggingFaceTokenizer,
  fail: (problem: string) => Error,
): { definition: Json; config: Json } {
  for (const [part, types] of Object.entries(known))
    for (const type of typesIn(definition[part]))
      if (!types.includes(type))
        throw fail(`transformers.js has no ${part} of type ${type}, which tokenizer.json names`);
  const { unk_token: unknown } = definition.model as { unk_token?: string | null };
  return {
    // transformers.js ignores added tokens that are only in tokenizer_config.json, so they are listed here.
    definition: { ...definition, added_tokens: addedTokens },
    // transformers.js reads WordLevel's unknown token from tokenizer_config.json.
    config: { ...config, ...(config.unk_token === undefined && typeof unknown === 'string' && { unk_token: unknown }) },
  };
}

/** Lists the types of a component and of the components in it. */
function typesIn(part: unknown): string[] {
  if (part === null || typeof part !== 'object') return [];
  const { type, ...fields } = part as { type?: unknown } & Json;
  const nested = ['normalizers', 'pretokenizers', 'processors', 'decoders'].flatMap((key) => fields[key] ?? []);
  return [...(typeof type === 'string' ? [type] : []), ...nested.flatMap(typesIn)];
}
