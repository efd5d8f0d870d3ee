// Tests that the editors' schemas are those that validate runs, and that every shipped config names its schema and is valid.
import { join } from 'node:path';
import { compose } from '@bowyer/config';
import { Ajv, type ValidateFunction } from 'ajv';
import { editorSchemas, schemaLine, schemaNameOf } from '../src/index.js';
import { repository } from './command-line.js';
import { shippedConfigs } from './shipped-files.js';

const schemas = editorSchemas();
const shipped = shippedConfigs();

test.each(shipped)('$config in $file names its schema, which the build writes', ({ file, config, text }) => {
  expect(text.split('\n')).toContain(schemaLine(file, config));
  expect(Object.keys(schemas)).toContain(schemaNameOf(config));
});

const ajv = new Ajv({ strict: false, validateFormats: false });
const validators = new Map<string, ValidateFunction>();

/** Compiles each schema once. */
function validatorOf(name: string): ValidateFunction {
  const known = validators.get(name) ?? ajv.compile(schemas[name]);
  validators.set(name, known);
  return known;
}

const ofGroups = shipped.filter(({ config }) => config.split('/').length === 2 && schemaNameOf(config) !== 'run');

test.each(ofGroups)('$config obeys its schema', ({ config: configName }) => {
  const { config } = compose({ configDirs: [join(repository, 'configs')], configName, overrides: [] });
  const [group, name] = configName.split('/');
  const validate = validatorOf(schemaNameOf(configName));
  const node = config[group] as Record<string, unknown> | undefined;
  const own = group === 'logger' ? (node?.[name] ?? node) : node;
  expect([validate(own ?? config), validate.errors]).toEqual([true, null]);
});

test('there are options of every group', () => expect(ofGroups.length).toBeGreaterThan(60));
