// Lists a config's keys with value, type, unit and meaning for `--help`. The meanings come from a JSON Schema.
import { rootFrame } from '../key-path.js';
import { isContainer, keyText, plainScalar, type ConfigNode, type MapNode } from '../node.js';
import { nodeAt } from '../provenance.js';
import { nodeStr } from '../python-text.js';
import type { JsonSchema } from '../json-schema.js';

const lineWidth = 100;

/** The largest number of options that the overview of `--help` lists. */
const MAIN_OPTIONS = 20;

/** `main`: paths in order of importance; those that are not in the config are left out. */
export function overviewHelp(root: MapNode, schema: JsonSchema, main: readonly string[]): string {
  const shown = main.filter((path) => nodeAt(rootFrame(root), path) !== undefined).slice(0, MAIN_OPTIONS);
  const nodes = [...root.entries.values()].filter(({ node }) => node.kind === 'map' && node.entries.size > 0);
  const single = [...root.entries.values()].filter(({ node }) => node.kind !== 'map').map(({ key }) => keyText(key));
  const names = nodes.map(({ key }) => keyText(key));
  const width = names.reduce((widest, { length }) => Math.max(widest, length), 0);
  const lines = nodes.map(({ node }, i) => {
    const meaning = propertySchema(schema, names[i])?.description;
    const count = `${optionCount(node)} ${optionCount(node) === 1 ? 'option' : 'options'}`.padStart(10);
    return `  ${names[i].padEnd(width)} ${count}${typeof meaning === 'string' ? `  ${meaning}` : ''}`;
  });
  const further = single.filter((key) => !shown.includes(key));
  return [
    ...shown.map((path) => keysHelp(root, schema, path).trimEnd()),
    '',
    'All options by node; --help NODE lists those of one with their meanings, as --help algorithm:',
    ...lines,
    ...(further.length > 0 ? ['and beside the nodes:', ...wrapped(further.join(', '), '  ')] : []),
    '',
  ].join('\n');
}

const optionCount = (node: ConfigNode): number =>
  node.kind === 'map' && node.entries.size > 0
    ? [...node.entries.values()].reduce((count, { node: inner }) => count + optionCount(inner), 0)
    : 1;

/** Lists options as `key=value  (type, unit)` with the meaning below. `at`: the node or option to list; all if not given. */
export function keysHelp(root: MapNode, schema: JsonSchema, at = ''): string {
  const lines: string[] = [];
  let lastPart = '';
  const isShown = (path: string) => at === '' || path === at || path.startsWith(`${at}.`);
  const isAbove = (path: string) => path === '' || at.startsWith(`${path}.`);
  const walk = (node: ConfigNode, given: JsonSchema | undefined, keyPath: string, part: string) => {
    if (!isShown(keyPath) && !isAbove(keyPath)) return;
    const own = given && schemaFor(given, node, schema);
    const meaning = [own?.description, given?.description].find((text): text is string => typeof text === 'string');
    if (node.kind === 'map' && node.entries.size > 0) {
      if (keyPath !== '' && isShown(keyPath)) lines.push('', `${keyPath}:${meaning ? ` ${meaning}` : ''}`);
      lastPart = keyPath;
      for (const { key, node: child } of node.entries.values()) {
        const name = keyText(key);
        walk(child, own && propertySchema(own, name), keyPath === '' ? name : `${keyPath}.${name}`, keyPath);
      }
      return;
    }
    if (!isShown(keyPath)) return;
    if (part !== lastPart) lines.push('');
    lastPart = part;
    const kind = [given && typeText(given, schema), own?.unit].filter(Boolean).join(', ');
    lines.push(`  ${keyPath}=${typedText(node)}${kind === '' ? '' : `  (${kind})`}`);
    if (meaning) lines.push(...wrapped(meaning, '      '));
  };
  walk(root, schema, '', '');
  return `${lines.join('\n').replace(/^\n+/, '')}\n`;
}

/** Writes the value of a node as a user would type it in an override. */
function typedText(node: ConfigNode): string {
  if (node.kind === 'list') return `[${node.items.map(typedText).join(',')}]`;
  if (node.kind === 'map')
    return `{${[...node.entries.values()].map(({ key, node: child }) => `${keyText(key)}:${typedText(child)}`).join(',')}}`;
  const { value } = node;
  if (typeof value === 'boolean' || value === null) return String(value);
  if (typeof value !== 'string') return nodeStr(node);
  return /^[\w./:@%+?*$ {}|-]+$/.test(value) && value.trim() === value ? value : JSON.stringify(value);
}

export function propertySchema(schema: JsonSchema, key: string): JsonSchema | undefined {
  const properties = schema.properties as Record<string, JsonSchema> | undefined;
  if (properties && Object.hasOwn(properties, key)) return properties[key];
  const patterns = Object.entries((schema.patternProperties ?? {}) as Record<string, JsonSchema>);
  const matched = patterns.find(([pattern]) => new RegExp(pattern).test(key));
  if (matched) return matched[1];
  return isSchema(schema.additionalProperties) ? schema.additionalProperties : undefined;
}

/** Returns the schema that applies to a node: follows references in `root`, joins `allOf`, and chooses the best alternative. */
export function schemaFor(schema: JsonSchema, node: ConfigNode | undefined, root: JsonSchema): JsonSchema {
  const followed = followReference(schema, root);
  const all = schemas(followed.allOf).map((part) => schemaFor(part, node, root));
  const joined: JsonSchema = all.length === 0 ? followed : [...all, followed].reduce(joinSchemas);
  const alternatives = [...schemas(joined.anyOf), ...schemas(joined.oneOf)].map((part) => schemaFor(part, node, root));
  if (alternatives.length === 0) return joined;
  const best = alternatives
    .map((part) => ({ part, score: fit(part, node) }))
    .reduce((a, b) => (b.score > a.score ? b : a));
  return joinSchemas(best.part, joined);
}

function followReference(schema: JsonSchema, root: JsonSchema): JsonSchema {
  const { $ref: reference } = schema;
  if (typeof reference !== 'string' || !reference.startsWith('#')) return schema;
  const keys = reference
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  const target = keys.reduce<unknown>((at, key) => (isSchema(at) ? at[key] : undefined), root);
  const { $ref: _, ...rest } = schema;
  return isSchema(target) && target !== schema ? joinSchemas(followReference(target, root), rest) : rest;
}

const joinSchemas = (a: JsonSchema, b: JsonSchema): JsonSchema => ({
  ...a,
  ...b,
  properties: { ...(a.properties as object | undefined), ...(b.properties as object | undefined) },
});

const isSchema = (value: unknown): value is JsonSchema =>
  value !== null && typeof value === 'object' && !Array.isArray(value);
const schemas = (value: unknown): JsonSchema[] => (Array.isArray(value) ? value.filter(isSchema) : []);

/** Measures how well an alternative fits a node: matching constants count most, then the type, then known keys. */
function fit(schema: JsonSchema, node: ConfigNode | undefined): number {
  if (!node) return 0;
  if (node.kind === 'scalar') {
    const value = plainScalar(node.value);
    if ('const' in schema) return schema.const === value ? 10 : -10;
    if (Array.isArray(schema.enum)) return schema.enum.includes(value) ? 10 : -10;
    return types(schema).includes(typeName(node)) ? 1 : 0;
  }
  if (node.kind === 'list') return types(schema).includes('array') ? 1 : 0;
  let score = types(schema).includes('object') || schema.properties ? 1 : 0;
  for (const { key, node: child } of node.entries.values()) {
    const property = propertySchema(schema, keyText(key));
    if (!property) continue;
    score += 0.1;
    if (!isContainer(child) && ('const' in property || property.enum)) score += fit(property, child);
  }
  return score;
}

const types = (schema: JsonSchema): string[] => ([] as unknown[]).concat(schema.type ?? []).map(String);

function typeName(node: ConfigNode): string {
  if (node.kind !== 'scalar') return node.kind === 'map' ? 'object' : 'array';
  const value = plainScalar(node.value);
  if (value === null) return 'null';
  return typeof value === 'bigint' || Number.isInteger(value) ? 'integer' : typeof value;
}

const words: Record<string, string> = {
  integer: 'integer',
  string: 'text',
  boolean: 'true or false',
  array: 'list',
  object: 'dict',
};

/** Describes a schema's type: `integer ≥ 1`, `a | b`, `text or null`. */
function typeText(schema: JsonSchema, root: JsonSchema): string {
  const own = followReference(schema, root);
  const options = enumOptions(own, root);
  if (options.length > 0)
    return options.map((option) => (typeof option === 'string' ? option : JSON.stringify(option))).join(' | ');
  const alternatives = [...schemas(own.anyOf), ...schemas(own.oneOf)]
    .map((part) => typeText(part, root))
    .filter((text) => text !== '');
  if (alternatives.length > 0) return [...new Set(alternatives)].join(' or ');
  const items = isSchema(own.items) ? typeText(own.items, root) : '';
  const names = types(own).map((type) =>
    type === 'array' && items !== '' ? `list of ${items}` : (words[type] ?? type),
  );
  return [names.join(' or '), limits(own).join(' and ')].filter(Boolean).join(' ');
}

function limits({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: JsonSchema): string[] {
  const shown: [string, unknown][] = [
    ['≥', minimum],
    ['>', exclusiveMinimum],
    ['≤', maximum],
    ['<', exclusiveMaximum],
  ];
  return shown.filter(([, limit]) => typeof limit === 'number').map(([sign, limit]) => `${sign} ${String(limit)}`);
}

/** Lists the values that a schema allows: `enum`, `const`, or alternatives that are all constants. */
export function enumOptions(schema: JsonSchema, root: JsonSchema): unknown[] {
  const own = followReference(schema, root);
  if (Array.isArray(own.enum)) return own.enum;
  if ('const' in own) return [own.const];
  const alternatives = [...schemas(own.anyOf), ...schemas(own.oneOf)].map((part) => enumOptions(part, root));
  return alternatives.every((options) => options.length > 0) ? alternatives.flat() : [];
}

export function wrapped(text: string, indent: string): string[] {
  const lines: string[] = [];
  let line = indent;
  for (const word of text.split(/\s+/)) {
    if (line.length + word.length > lineWidth && line !== indent) {
      lines.push(line.trimEnd());
      line = indent;
    }
    line += `${word} `;
  }
  return [...lines, line.trimEnd()];
}
