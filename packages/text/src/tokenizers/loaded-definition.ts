// Changes a tokenizer.json as its tokenizer_config.json requires. Source: transformers 5.18, tokenization_utils_base.py and
// tokenization_utils_tokenizers.py. Differs from it: where transformers builds the tokenizer again from `tokenizer_class`, the
// components of tokenizer.json are used, and a field that contradicts them is refused (docs/decisions/tokenizers.md).
import { decoderTokens, refuseContradictions } from './contradictions.js';
import { DefinitionError, type AddedToken, type TokenizerDefinition } from './pipeline/definition.js';

const ROLES = ['bos_token', 'eos_token', 'unk_token', 'sep_token', 'pad_token', 'cls_token', 'mask_token'];

type Config = Readonly<Record<string, unknown>>;

/**
 * Special tokens that the config names are recognized in texts and omitted from decoded texts, even if tokenizer.json does not
 * list them; those that are not in the vocabulary get the next ids.
 *
 * @throws DefinitionError if a field of the config contradicts tokenizer.json
 */
export function asTransformersLoadsIt(definition: TokenizerDefinition, config: Config): TokenizerDefinition {
  const listed = definition.added_tokens ?? [];
  if (!Array.isArray(listed) || !listed.every(isToken))
    throw new DefinitionError("its 'added_tokens' is not a list of tokens");
  const named = namedTokens(config);
  refuseContradictions(definition, config, named);
  const tokens = new Map(listed.map((token: AddedToken) => [token.content, token]));
  for (const token of [...decoderTokens(config), ...named])
    if (!tokens.has(token.content)) tokens.set(token.content, token);
  return {
    ...definition,
    added_tokens: [...tokens.values()],
    splits_special_tokens: config.split_special_tokens === true,
  };
}

const isToken = (entry: unknown) => typeof (entry as AddedToken | null)?.content === 'string';

/** Returns the text of a special token. The entry of a role such as `bos_token` is the text, or an object with `content`. */
export function spelling(entry: unknown): string | undefined {
  if (typeof entry === 'string') return entry;
  const content = (entry as { content?: unknown } | null | undefined)?.content;
  return typeof content === 'string' ? content : undefined;
}

/** Lists the special tokens that a config names: those of roles such as `bos_token`, and those in lists of further tokens. */
function namedTokens(config: Config): AddedToken[] {
  const { extra_special_tokens: extra, additional_special_tokens: additional } = config;
  const hasExtra = typeof extra === 'object' && extra !== null && Object.keys(extra).length > 0;
  const [list, byName] = Array.isArray(hasExtra ? extra : additional)
    ? [(hasExtra ? extra : additional) as unknown[], {}]
    : [[], (hasExtra ? extra : {}) as object];
  const ofModel = Object.entries(config).filter(([field]) => field.endsWith('_token') && !ROLES.includes(field));
  const { model_specific_special_tokens: specific } = config;
  const further = [...ofModel.map(([, entry]) => entry), ...Object.values(byName), ...Object.values(specific ?? {})];
  return [...ROLES.map((role) => config[role]), ...further, ...list].flatMap((entry) => {
    const content = spelling(entry);
    if (content === undefined) return [];
    const flags = typeof entry === 'object' ? (entry as object) : { normalized: false };
    return [{ ...flags, content, special: true } as AddedToken];
  });
}
