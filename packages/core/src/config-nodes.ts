// The places of options in a config: a config is a tree of closed nodes (`algorithm`, `env`, `policy`, `play` …), while code gets the values
// that it reads under their flat names, as `maxNewTokens` of `sampling.max_new_tokens`.
import { Type, type TObject, type TProperties, type TSchema } from '@sinclair/typebox';

/**
 * Places options in a node of the config.
 *
 * @param node a path, '' for the root
 * @param names the name in the node of each option that has another one there
 */
export function placed<Keys extends TProperties>(
  node: string,
  options: Keys,
  names: Partial<Record<keyof Keys, string>> = {},
): Keys {
  const entries = Object.entries(options).map(([key, option]) => {
    const name = names[key] ?? key;
    return [key, { ...option, at: node === '' ? name : `${node}.${name}` }] as const;
  });
  const changed = { ...options } as Keys & Record<string, TSchema>;
  return Object.assign(changed, Object.fromEntries(entries));
}

/** Returns the path of an option in the config: it stands at the root unless it is placed. */
export const pathOfOption = (key: string, option: TSchema): string => (option.at as string | undefined) ?? key;

/** Returns whether a schema is that of a node with named options. */
export const isNode = (schema: TSchema): schema is TObject =>
  schema.properties !== undefined && schema.additionalProperties === false;

/**
 * Makes the schema of a config whose options have these flat names. Every node is closed.
 *
 * @param meanings of nodes at the root, in place of those of the options in them
 */
export function nodeSchema(options: TProperties, meanings: Readonly<Record<string, string>> = {}): TObject {
  const root = emptyNode();
  for (const [key, option] of Object.entries(options)) insert(root, pathOfOption(key, option).split('.'), option);
  for (const [key, description] of Object.entries(meanings)) {
    const node = root.properties.get(key);
    if (isTree(node)) node.description = description;
  }
  return Type.Object(closed(root).properties, { additionalProperties: false });
}

interface NodeTree {
  properties: Map<string, TSchema | NodeTree>;
  required: Set<string>;
  description?: string;
  decides?: false;
}

const emptyNode = (): NodeTree => ({ properties: new Map(), required: new Set() });

const isTree = (part: TSchema | NodeTree | undefined): part is NodeTree => part?.properties instanceof Map;

function insert(root: NodeTree, path: readonly string[], option: TSchema): void {
  const name = path.at(-1)!;
  let node = root;
  for (const key of path.slice(0, -1)) node = nodeIn(node, key);
  if (!isNode(option)) {
    node.properties.set(name, option);
    node.required.add(name);
    return;
  }
  const own = nodeIn(node, name);
  own.description = option.description as string | undefined;
  if (option.decides === false) own.decides = false;
  const required = (option.required ?? []) as readonly string[];
  for (const [key, inner] of Object.entries(option.properties as Record<string, TSchema>)) {
    own.properties.set(key, option.decides === false ? { ...inner, decides: false } : inner);
    if (required.includes(key)) own.required.add(key);
  }
}

function nodeIn(parent: NodeTree, key: string): NodeTree {
  const known = parent.properties.get(key);
  if (isTree(known)) return known;
  const node = emptyNode();
  if (known !== undefined && isNode(known)) insertAll(node, known);
  parent.properties.set(key, node);
  parent.required.add(key);
  return node;
}

function insertAll(node: NodeTree, schema: TObject): void {
  for (const [key, inner] of Object.entries(schema.properties as Record<string, TSchema>)) {
    node.properties.set(key, inner);
    if (((schema.required ?? []) as readonly string[]).includes(key)) node.required.add(key);
  }
}

function closed({ properties, required, description }: NodeTree): TObject {
  const entries = [...properties].map(([key, part]) => [key, isTree(part) ? closed(part) : part] as const);
  return Object.assign(
    Type.Object(Object.fromEntries(entries), {
      additionalProperties: false,
      ...(description !== undefined && { description }),
    }),
    { required: [...required] },
  );
}

/** Returns the values of a config under their flat names; an option that the config does not have is absent. */
export function flatValues(options: TProperties, config: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [key, option] of Object.entries(options)) {
    const value = valueAt(config, pathOfOption(key, option));
    if (value === undefined) continue;
    values[key] = isNode(option) && isObject(value) ? ownOptions(value, option) : value;
  }
  return values;
}

/** Selects a node's own options, without those that stand in the same node under flat names. */
const ownOptions = (value: Readonly<Record<string, unknown>>, { properties }: TObject): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).filter(([key]) => key in (properties as object)));

/** Returns the value at a path; undefined where there is none. */
export function valueAt(config: unknown, path: string): unknown {
  let at = config;
  for (const key of path.split('.')) at = isObject(at) ? at[key] : undefined;
  return at;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);
