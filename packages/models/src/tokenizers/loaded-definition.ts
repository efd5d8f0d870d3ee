// What tokenizer_config.json changes in tokenizer.json. Source: transformers 5.18, tokenization_utils_tokenizers.py.
import { DefinitionError, type AddedToken, type Component, type TokenizerDefinition } from './pipeline/definition.js';

const ROLES = ['bos_token', 'eos_token', 'unk_token', 'sep_token', 'pad_token', 'cls_token', 'mask_token'];

type Config = Readonly<Record<string, unknown>>;

/**
 * Named special tokens of the vocabulary are found in a text, and left out of decoded ones, even where the file does not
 * list them; `add_bos_token` and `add_eos_token`, where one is given, replace the post-processor.
 */
export function asTransformersLoadsIt(definition: TokenizerDefinition, config: Config): TokenizerDefinition {
  const listed = definition.added_tokens ?? [];
  if (!Array.isArray(listed) || !listed.every(isToken))
    throw new DefinitionError("its 'added_tokens' is not a list of tokens");
  const known = new Set(listed.map(({ content }) => content));
  const named = ROLES.flatMap((role) => spelling(config[role]) ?? []);
  const extra = [config.extra_special_tokens, config.additional_special_tokens].flatMap(listOf);
  const unlisted = [...new Set([...named, ...extra])].filter((token) => !known.has(token));
  return {
    ...definition,
    added_tokens: [...listed, ...inVocabulary(unlisted, definition)],
    post_processor: beginAndEnd(definition, config) ?? definition.post_processor,
  };
}

const isToken = (entry: unknown) => typeof (entry as AddedToken | null)?.content === 'string';

/** A role's entry is the token's text, or an object with it as `content`. */
export function spelling(entry: unknown): string | undefined {
  if (typeof entry === 'string') return entry;
  const content = (entry as { content?: unknown } | null | undefined)?.content;
  return typeof content === 'string' ? content : undefined;
}

const listOf = (entry: unknown): string[] =>
  Array.isArray(entry) ? entry.flatMap((token) => spelling(token) ?? []) : [];

function inVocabulary(tokens: readonly string[], { model }: TokenizerDefinition): AddedToken[] {
  if (tokens.length === 0 || typeof model?.vocab !== 'object' || model.vocab === null) return [];
  const { vocab } = model;
  const ids = new Map(
    Array.isArray(vocab)
      ? (vocab as [string, number][]).map(([token], id) => [token, id] as const)
      : Object.entries(vocab as Record<string, number>),
  );
  return tokens.flatMap((content) => {
    const id = ids.get(content);
    return id === undefined ? [] : [{ id, content, special: true, normalized: false }];
  });
}

function beginAndEnd({ added_tokens, model }: TokenizerDefinition, config: Config): Component | null {
  if (typeof config.add_bos_token !== 'boolean' && typeof config.add_eos_token !== 'boolean') return null;
  const ids = new Map((added_tokens ?? []).map(({ content, id }) => [content, id]));
  const vocab = (model?.vocab ?? {}) as Record<string, number>;
  const special: Record<string, { ids: number[] }> = {};
  const piece = (isAdded: unknown, role: string) => {
    const token = spelling(config[role]);
    const id =
      token === undefined ? undefined : (ids.get(token) ?? (Object.hasOwn(vocab, token) ? vocab[token] : undefined));
    if (isAdded !== true || id === undefined) return [];
    special[token!] = { ids: [id] };
    return [{ SpecialToken: { id: token } }];
  };
  const [bos, eos] = [piece(config.add_bos_token, 'bos_token'), piece(config.add_eos_token, 'eos_token')];
  const single = [...bos, { Sequence: { id: 'A' } }, ...eos];
  return { type: 'TemplateProcessing', single, special_tokens: special };
}
