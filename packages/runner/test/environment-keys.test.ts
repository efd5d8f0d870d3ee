import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { compose } from '@bowyer/config';
import { toCamelCase, toSnakeCase } from '@bowyer/core';
import { environmentInfo, environmentNames } from '@bowyer/envs';
import { envNodeSchema } from '@bowyer/agent';

const configDir = fileURLToPath(new URL('../../../../configs', import.meta.url));
const nodeOf = (name: string) => {
  const composition = compose({ configDirs: [{ dir: configDir }], configName: 'default', overrides: [`env=${name}`] });
  return composition.config.env as Record<string, unknown>;
};

/** A run learns within minutes on ten words, but the environment itself is the whole list. */
const otherThanRegistered: Record<string, unknown> = { 'twenty_questions.words': 'subset10' };

test.each(environmentNames())('configs/env/%s.yaml has every option, with its registered default', (name) => {
  const { schema } = environmentInfo(name);
  const { name: named, ...options } = nodeOf(name);
  expect(named).toBe(name);
  expect(['name', ...Object.keys(options)].sort()).toEqual([...envNodeSchema(name).required].sort());
  for (const [key, value] of Object.entries(options)) {
    const registered = schema.properties[toCamelCase(key)].default;
    expect({ key, value }).toEqual({ key, value: otherThanRegistered[`${name}.${key}`] ?? registered });
  }
});

test.each(environmentNames())('configs/env/%s.yaml names the docs page, which is there', (name) => {
  const page = /^# .*(docs\/environments\/\w+\.md)$/m.exec(readFileSync(`${configDir}/env/${name}.yaml`, 'utf8'))?.[1];
  expect(readFileSync(`${configDir}/../${page}`, 'utf8').length).toBeGreaterThan(200);
});

test.each(environmentNames())('%s: option names go to snake_case and back', (name) => {
  const { schema, resetSchema } = environmentInfo(name);
  const keys = [...Object.keys(schema.properties), ...Object.keys(resetSchema.properties)];
  expect(keys.map((key) => toCamelCase(toSnakeCase(key)))).toEqual(keys);
});
