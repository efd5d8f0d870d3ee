// Declares the supported parts of tokenizer.json. Format: https://huggingface.co/docs/tokenizers, as version 0.23 reads it.

/** A normalizer, pre-tokenizer, post-processor or decoder; the other fields depend on the type. */
export interface Component {
  type: string;
  [field: string]: unknown;
}

/** An added token, which is recognized in the text before the tokenizer's model sees the text. */
export interface AddedToken {
  id: number;
  content: string;
  /** Whether the token is recognized only if no letter, digit or underscore is next to it. */
  single_word?: boolean;
  /** Whether the token includes the white space before it. */
  lstrip?: boolean;
  /** Whether the token includes the white space after it. */
  rstrip?: boolean;
  /** Whether the token is looked for in the normalized text, in its own normalized form. */
  normalized?: boolean;
  special?: boolean;
}

export interface TokenizerDefinition {
  added_tokens?: readonly AddedToken[] | null;
  /** Whether special tokens in a text are not recognized, but split like other text. This field is not one of tokenizer.json. */
  splits_special_tokens?: boolean;
  normalizer?: Component | null;
  pre_tokenizer?: Component | null;
  post_processor?: Component | null;
  decoder?: Component | null;
  model: Readonly<Record<string, unknown>>;
}

/** Thrown for an unsupported or inconsistent part of tokenizer.json. */
export class DefinitionError extends Error {
  override readonly name = 'DefinitionError';
}

/** The key of each component in tokenizer.json, for error messages. */
const places = new WeakMap<Component, string>();

/** Records the component's key in the file, and returns the component. */
export function placed<T extends Component | null | undefined>(component: T, key: string): T {
  if (typeof component === 'object' && component !== null) places.set(component, key);
  return component;
}

export const placeOf = (component: Component): string => places.get(component) ?? component.type;

export function parts(component: Component, field: string): Component[] {
  const list = component[field];
  if (!Array.isArray(list)) throw new DefinitionError(`a ${component.type} has no list '${field}'`);
  return (list as Component[]).map((part, i) => placed(part, `${placeOf(component)}.${field}[${i}]`));
}

export const unknownType = (kind: string, { type }: Component): DefinitionError =>
  new DefinitionError(`the ${kind} ${JSON.stringify(type)} is not supported`);

/** Reads a field that is a text. `otherwise`: the value if the file omits the field. */
export function textField(component: Component, field: string, otherwise?: string): string {
  const value = component[field] ?? otherwise;
  if (typeof value !== 'string') throw new DefinitionError(`'${field}' of ${component.type} is not a string`);
  return value;
}
