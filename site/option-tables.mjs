// Writes the tables of options from the schemas that validate a run: `schemas/*.json`, which `npm run build` writes for editors.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from './pages.mjs';

const schemas = join(repository, 'schemas');
const read = (name) => JSON.parse(readFileSync(join(schemas, `${name}.json`), 'utf8'));

const code = (value) => `\`${JSON.stringify(value)}\``;
const escaped = (text) => text.replaceAll('|', '\\|').replaceAll('\n', ' ').replaceAll('<', '&lt;');

/** Says what a value may be. */
function valuesOf(schema) {
  if (schema.enum) return schema.enum.map(code).join(', ');
  if ('const' in schema) return code(schema.const);
  if (schema.anyOf) return [...new Set(schema.anyOf.map(valuesOf))].join(' or ');
  const { type = 'any value', items, minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  if (type === 'array') return Array.isArray(items) || !items ? 'list' : `list of: ${valuesOf(items)}`;
  if (type === 'object') return 'mapping';
  const bounds = [
    minimum !== undefined && `≥ ${minimum}`,
    exclusiveMinimum !== undefined && `> ${exclusiveMinimum}`,
    maximum !== undefined && `≤ ${maximum}`,
    exclusiveMaximum !== undefined && `< ${exclusiveMaximum}`,
  ].filter(Boolean);
  return [type, ...bounds].join(' ');
}

/** Returns the rows of a node's options, those of its groups with their path. */
function rowsOf({ properties = {} }, path = '') {
  return Object.entries(properties).flatMap(([key, option]) => {
    if (path === '' && key === 'defaults') return []; // the list of what is composed
    if (option.properties) return rowsOf(option, `${path}${key}.`);
    const schema = option.anyOf?.[0] ?? option; // the second is an interpolation
    const standard = 'default' in schema ? code(schema.default) : '';
    const about = schema.description ?? option.description ?? '';
    return [`| \`${path}${key}\` | ${escaped(valuesOf(schema))} | ${escaped(standard)} | ${escaped(about)} |`];
  });
}

const tableOf = (schema) =>
  ['| option | values | default | meaning |', '|---|---|---|---|', ...rowsOf(schema)].join('\n');

/** Returns a page of tables for each kind of unit, by its name. */
export function optionPages() {
  const names = readdirSync(schemas).map((name) => name.replace('.json', ''));
  const kinds = [...new Set(names.map((name) => name.split('-')[0]))];
  return Object.fromEntries(
    kinds.map((kind) => {
      const members = names.filter((name) => name.split('-')[0] === kind);
      const parts = members.map((name) => {
        const schema = read(name);
        const rest = Object.entries(schema.properties ?? {}).filter(([key]) => kind !== 'run' || !kinds.includes(key));
        const table = tableOf({ properties: Object.fromEntries(rest) });
        return name === kind ? table : `## ${name.slice(kind.length + 1)}\n\n${table}`;
      });
      const title = kind === 'run' ? 'Options of a run' : `Options of \`${kind}\``;
      return [kind, `# ${title}\n\nWritten from the schemas that validate a run.\n\n${parts.join('\n\n')}\n`];
    }),
  );
}
