// The schemas that editors read are those that runs are validated by, and every shipped YAML file names its own and obeys it.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compose } from '@bowyer/config';
import { Ajv } from 'ajv';
import { editorSchemas, schemaLine, schemaNameOf } from '../src/index.js';
import { repository } from './command-line.js';

const schemas = editorSchemas();
const yamlFiles = ['configs', 'experiments'].flatMap((folder) =>
  readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => join(folder, name)),
);

test('schemas/*.json are up to date (tools/write-editor-schemas.ts writes them)', () => {
  const written = readdirSync(join(repository, 'schemas')).sort();
  expect(written).toEqual(
    Object.keys(schemas)
      .map((name) => `${name}.json`)
      .sort(),
  );
  for (const [name, schema] of Object.entries(schemas)) {
    expect(JSON.parse(readFileSync(join(repository, 'schemas', `${name}.json`), 'utf8'))).toEqual(schema);
  }
});

test.each(yamlFiles)('%s names its schema', (path) => {
  expect(readFileSync(join(repository, path), 'utf8').split('\n')).toContain(schemaLine(path));
});

const groupFiles = yamlFiles.filter((path) => path.split('/').length === 3 && schemaNameOf(path) !== 'run');

test.each(groupFiles)('%s obeys its schema', (path) => {
  const configName = path.replace(/^configs\//, '').replace(/\.yaml$/, '');
  const { config } = compose({ configDirs: [join(repository, 'configs')], configName, overrides: [] });
  const [group, name] = configName.split('/');
  const validate = new Ajv({ strict: false, validateFormats: false }).compile(schemas[schemaNameOf(path)]);
  const node = config[group] as Record<string, unknown> | undefined;
  const own = group === 'logger' ? (node?.[name] ?? node) : node;
  expect([validate(own ?? config), validate.errors]).toEqual([true, null]);
});
