import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { compose } from '@bowyer/config';
import { toCamelCase, toSnakeCase } from '@bowyer/core';
import { environmentInfo, environmentNames, withDefaults } from '@bowyer/envs';
import { optionFiles } from '../src/config/option-files.js';

const repository = fileURLToPath(new URL('../../..', import.meta.url));
const pages = ['packages/envs/src', 'packages/algorithms/src'].flatMap((folder) =>
  readdirSync(`${repository}/${folder}`, { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`),
);
const pageOf = (name: string) => pages.find((file) => file.endsWith(`/${name}.md`))!;

const environmentsPage = readFileSync(`${repository}/docs/environments/README.md`, 'utf8');
test.each(Object.entries(optionFiles(pageOf, environmentsPage)))(
  '%s is as npm run option-files writes it',
  (path, text) => {
    expect(readFileSync(`${repository}/${path}`, 'utf8')).toBe(text);
  },
);

test.each(environmentNames())('env=%s is the environment with the defaults of its schema', (name) => {
  const configDirs = [{ dir: `${repository}/configs` }];
  const { config } = compose({ configDirs, configName: 'default', overrides: [`env=${name}`] });
  const { name: named, ...options } = config.env as Record<string, unknown>;
  expect(named).toBe(name);
  const inCamelCase = Object.fromEntries(Object.entries(options).map(([key, value]) => [toCamelCase(key), value]));
  expect(inCamelCase).toEqual(withDefaults(environmentInfo(name).schema, {}, name));
});

test.each(environmentNames())('%s has a page beside its code', (name) => {
  expect(readFileSync(`${repository}/${pageOf(name)}`, 'utf8').length).toBeGreaterThan(200);
});

test.each(environmentNames())('%s: option names go to snake_case and back', (name) => {
  const { schema, resetSchema } = environmentInfo(name);
  const keys = [...Object.keys(schema.properties), ...Object.keys(resetSchema.properties)];
  expect(keys.map((key) => toCamelCase(toSnakeCase(key)))).toEqual(keys);
});
