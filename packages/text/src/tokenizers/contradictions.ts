// Finds fields of tokenizer_config.json that contradict tokenizer.json: in transformers, a specific `tokenizer_class` builds the
// tokenizer again from these fields, the general class ignores them.
import {
  DefinitionError,
  parts,
  type AddedToken,
  type Component,
  type TokenizerDefinition,
} from './pipeline/definition.js';

type Config = Readonly<Record<string, unknown>>;

/** The tokenizer classes of transformers that read only tokenizer.json. */
const GENERAL = [undefined, null, 'PreTrainedTokenizerFast', 'TokenizersBackend'];

/** `named`: the tokens that the config's other fields name. @throws DefinitionError with the field and both values */
export function refuseContradictions(
  definition: TokenizerDefinition,
  config: Config,
  named: readonly AddedToken[],
): void {
  refuseOtherFlags(definition, config);
  if (GENERAL.includes(config.tokenizer_class as string | null | undefined)) return;
  refuseMissing(definition, config, named);
  const normalizers = componentsOf(definition.normalizer, 'normalizers');
  const preTokenizers = componentsOf(definition.pre_tokenizer, 'pretokenizers');
  compare(config, 'add_prefix_space', beginsWithSpace(normalizers, preTokenizers));
  const { sep, cls } = (definition.post_processor ?? {}) as Partial<Record<'sep' | 'cls', [token: string, id: number]>>;
  compare(config, 'sep_token', sep?.[0]);
  compare(config, 'cls_token', cls?.[0]);
  const bert = normalizers.find(({ type }) => type === 'BertNormalizer');
  if (!bert) return;
  // In transformers, null counts as false in these fields.
  for (const [field, actual] of Object.entries({
    do_lower_case: bert.lowercase,
    tokenize_chinese_chars: bert.handle_chinese_chars,
  }))
    compare({ [field]: config[field] === null ? false : config[field] }, field, actual);
  // A value of null for strip_accents means the value of do_lower_case, in both files.
  const { do_lower_case: lowercase = bert.lowercase } = config;
  compare({ strip_accents: config.strip_accents ?? undefined }, 'strip_accents', bert.strip_accents ?? lowercase);
}

function compare(config: Config, field: string, actual: unknown): void {
  const entry = config[field] as { content?: unknown } | null | undefined;
  const value = entry?.content ?? entry;
  if (value === undefined || value === null || actual === undefined || value === actual) return;
  throw new DefinitionError(
    `tokenizer_config.json's ${field} is ${JSON.stringify(value)}, tokenizer.json has ${JSON.stringify(actual)}: make both the same`,
  );
}

function componentsOf(component: Component | null | undefined, list: string): Component[] {
  if (!component) return [];
  return component.type === 'Sequence' ? parts(component, list) : [component];
}

/** Returns whether the tokenizer puts a space before each text; undefined if no component determines it. */
function beginsWithSpace(normalizers: readonly Component[], preTokenizers: readonly Component[]): boolean | undefined {
  if (normalizers.some(({ type }) => type === 'Prepend')) return true;
  const space = preTokenizers.find(({ type }) => type === 'Metaspace' || type === 'ByteLevel');
  if (space?.type === 'ByteLevel') return space.add_prefix_space !== false;
  if (space)
    return space.prepend_scheme === undefined ? space.add_prefix_space !== false : space.prepend_scheme !== 'never';
  return undefined;
}

export function decoderTokens({ added_tokens_decoder: listed }: Config): AddedToken[] {
  if (typeof listed !== 'object' || listed === null) return [];
  const entries = Object.entries(listed as Record<string, AddedToken | null>).filter(
    ([, token]) => typeof token?.content === 'string',
  );
  return entries.sort(([a], [b]) => Number(a) - Number(b)).map(([id, token]) => ({ ...token!, id: Number(id) }));
}

const FLAGS = ['lstrip', 'rstrip', 'single_word', 'special', 'normalized'] as const;

/** If tokenizer_config.json lists tokens, a specific class knows no others. */
function refuseMissing({ added_tokens }: TokenizerDefinition, config: Config, named: readonly AddedToken[]): void {
  if (!('added_tokens_decoder' in config)) return;
  const known = new Set([...decoderTokens(config), ...named].map(({ content }) => content));
  const missing = (added_tokens ?? []).find(({ content }) => !known.has(content));
  if (missing)
    throw new DefinitionError(
      `added_tokens_decoder of tokenizer_config.json lacks ${JSON.stringify(missing.content)}, which tokenizer.json lists: make both the same`,
    );
}

/** Without a normalizer the flag `normalized` has no effect, so it is not compared. */
function refuseOtherFlags({ added_tokens, normalizer }: TokenizerDefinition, config: Config): void {
  const known = new Map((added_tokens ?? []).map((token) => [token.content, token]));
  const isOn = (token: AddedToken, flag: (typeof FLAGS)[number]) => token[flag] === true;
  for (const token of decoderTokens(config)) {
    const other = known.get(token.content);
    const flag =
      other && FLAGS.find((name) => isOn(token, name) !== isOn(other, name) && (name !== 'normalized' || normalizer));
    if (flag === undefined) continue;
    const text = JSON.stringify(token.content);
    throw new DefinitionError(
      `added_tokens_decoder of tokenizer_config.json has ${text} with ${flag} ${isOn(token, flag)}, tokenizer.json with ${isOn(other!, flag)}: make both the same`,
    );
  }
}
