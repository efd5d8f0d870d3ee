// Every option that a task or an algorithm declares is read somewhere in the sources: one that nobody reads would be ignored silently.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { algorithmNames, findAlgorithm } from '@bowyer/algorithms';
import { toCamelCase } from '@bowyer/core';
import type { TProperties } from '@sinclair/typebox';
import { findTask, taskNames } from '../src/tasks/registry.js';
import { repository } from './command-line.js';

/** Lists the names of a schema's leaves and nodes in camelCase. */
const namesIn = (options: TProperties): string[] =>
  Object.entries(options).flatMap(([key, own]) => [
    toCamelCase(key),
    ...(own.properties ? namesIn(own.properties as TProperties) : []),
  ]);

/** The names that the sources read: as a member, or taken apart. A name before a colon declares, and is not read. */
const read = new Set<string>();
beforeAll(() => {
  for (const name of readdirSync(join(repository, 'packages'))) {
    const folder = join(repository, 'packages', name, 'src');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
      /(?<!\.test)\.ts$/.test(file),
    );
    for (const file of files) {
      const source = readFileSync(join(folder, file), 'utf8').replaceAll(/\/\/.*|\/\*[^]*?\*\//g, '');
      for (const [, member] of source.matchAll(/(?:\??\.|[{,]\s*)(\w+)(?!\w|\s*(?:\??:|\())/g))
        read.add(toCamelCase(member));
      for (const [, names] of source.matchAll(/\{([^{}]*)\} = /g))
        for (const [name] of names.matchAll(/\w+(?=:)/g)) read.add(toCamelCase(name));
      for (const [, setting] of source.matchAll(/'(?:[\w.]+\.)?([\w]+)'/g)) read.add(toCamelCase(setting));
    }
  }
});

const choices = { algorithm: findAlgorithm('archer')!, env: 'twenty_questions', setting: () => undefined };

test.each(taskNames())('task=%s: its options are read', (name) => {
  const { launcher: _, sweeper: __, env: ___, ...options } = findTask(name)!.keys(choices); // the sweep and the environment read theirs
  const names = namesIn(options);
  expect(names.length).toBeGreaterThan(2);
  expect(names.filter((option) => !read.has(option))).toEqual([]);
});

test.each(algorithmNames())('algorithm=%s: its options are read', (name) => {
  const names = namesIn(findAlgorithm(name)!.options.properties as TProperties);
  expect(names.length).toBeGreaterThan(2);
  expect(names.filter((option) => !read.has(option))).toEqual([]);
});
