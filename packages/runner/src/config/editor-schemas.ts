// JSON Schemas for editors: what a YAML file of this repository may hold. Made from the schemas that validate a run, with
// nothing required (a file holds what differs) and interpolations allowed in every place.
import { envNodeSchema } from './env-schema.js';
import { runConfigSchema } from './run-config.js';
import { environmentNames } from '@bowyer/envs';

type Schema = { [key: string]: unknown };

/** Text that stands for a value: `${…}`, or `???` for one that must be given. */
const placeholder: Schema = { type: 'string', pattern: '\\$\\{|^\\?\\?\\?$' };

function editable(schema: Schema): Schema {
  if (schema.properties === undefined) return { anyOf: [schema, placeholder], description: schema.description };
  const properties = Object.entries(schema.properties as Record<string, Schema>);
  const { required: _, ...rest } = schema;
  return { ...rest, properties: Object.fromEntries(properties.map(([key, value]) => [key, editable(value)])) };
}

/** With the lists and settings that composition itself reads. */
function configFile(schema: Schema): Schema {
  const own = { defaults: { type: 'array', description: 'what is composed, in order' } };
  return { ...schema, properties: { ...own, ...(schema.properties as Schema) } };
}

function runFile(): Schema {
  const schema = editable(runConfigSchema as unknown as Schema);
  const hydra = { type: 'object', description: 'settings of the command line and of sweeps' };
  return { ...schema, properties: { ...(schema.properties as Schema), hydra } };
}

const groupNodes = ['critic', 'optimizer', 'policy', 'launcher', 'sweeper'] as const;

/** Schema files by name, without `.json`. */
export function editorSchemas(): Record<string, Schema> {
  const nodes = runConfigSchema.properties as unknown as Record<string, Schema>;
  const plain = (schema: Schema) => JSON.parse(JSON.stringify(configFile(schema))) as Schema;
  return {
    run: plain(runFile()),
    ...Object.fromEntries(groupNodes.map((group) => [group, plain(editable(nodes[group]))])),
    ...Object.fromEntries(
      environmentNames().map((name) => [`env-${name}`, plain(editable(envNodeSchema(name) as unknown as Schema))]),
    ),
  };
}

/** Which schema a YAML file has, by its path below the repository. */
export function schemaNameOf(path: string): string {
  const [top, group, file] = path.split('/');
  if (top === 'experiments' || file === undefined) return 'run';
  if (group === 'env') return `env-${file.replace(/\.yaml$/, '')}`;
  return groupNodes.find((node) => node === group) ?? 'run';
}

/** The line that tells an editor, relative to the YAML file. */
export function schemaLine(path: string): string {
  const up = '../'.repeat(path.split('/').length - 1);
  return `# yaml-language-server: $schema=${up}schemas/${schemaNameOf(path)}.json`;
}
