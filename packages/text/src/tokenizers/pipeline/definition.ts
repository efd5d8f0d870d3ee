// The parts of tokenizer.json that are read. Format: https://huggingface.co/docs/tokenizers, as version 0.23 reads it.

/** A normalizer, pre-tokenizer, post-processor or decoder; the other fields depend on the type. */
export interface Component {
  type: string;
  [field: string]: unknown;
}

/** A token that is found in the text before the model sees it. */
export interface AddedToken {
  id: number;
  content: string;
  /** Whether it is found only where no letter, digit or underscore touches it. */
  single_word?: boolean;
  /** Whether it takes the white space before it. */
  lstrip?: boolean;
  /** Whether it takes the white space after it. */
  rstrip?: boolean;
  /** Whether it is looked for in the normalized text, in its own normalized form. */
  normalized?: boolean;
  special?: boolean;
}

export interface TokenizerDefinition {
  added_tokens?: readonly AddedToken[] | null;
  /** Whether special tokens are not found in a text: it is split as any other text. Not a field of the file. */
  splits_special_tokens?: boolean;
  normalizer?: Component | null;
  pre_tokenizer?: Component | null;
  post_processor?: Component | null;
  decoder?: Component | null;
  model: Readonly<Record<string, unknown>>;
}

/** The error for something in tokenizer.json that is not supported or does not fit. */
export class DefinitionError extends Error {
  override readonly name = 'DefinitionError';
}

/** Keys of components in the file, for errors. */
const places = new WeakMap<Component, string>();

/** Notes the component's key in the file, and returns the component. */
export function placed<T extends Component | null | undefined>(component: T, key: string): T {
  if (typeof component === 'object' && component !== null) places.set(component, key);
  return component;
}

export const placeOf = (component: Component): string => places.get(component) ?? component.type;

/** Lists the components of a `Sequence`. */
export function parts(component: Component, field: string): Component[] {
  const list = component[field];
  if (!Array.isArray(list)) throw new DefinitionError(`a ${component.type} has no list '${field}'`);
  return (list as Component[]).map((part, i) => placed(part, `${placeOf(component)}.${field}[${i}]`));
}

export const unknownType = (kind: string, { type }: Component): DefinitionError =>
  new DefinitionError(`the ${kind} ${JSON.stringify(type)} is not supported`);

/**
 * Reads a field that is a text.
 *
 * @param otherwise what the field is where the file leaves it out
 */
export function textField(component: Component, field: string, otherwise?: string): string {
  const value = component[field] ?? otherwise;
  if (typeof value !== 'string') throw new DefinitionError(`'${field}' of ${component.type} is not a string`);
  return value;
}
