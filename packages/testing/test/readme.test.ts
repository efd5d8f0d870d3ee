// Every program in a README of a package runs and prints something; every package shows one.
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readmePrograms } from '../src/index.js';
import { publicPackages } from './public-packages.js';

const repository = resolve(import.meta.dirname, '../../..');

describe.each(publicPackages().map(({ folder, name }) => [name, folder]))('%s', (_, folder) => {
  const programs = readmePrograms(join(folder, 'README.md'), repository);
  // A package may check in a test of its own what its README's programs print.
  const hasOwnTest = existsSync(join(folder, 'test')) && readdirSync(join(folder, 'test')).includes('readme.test.ts');

  test('shows how to use it as a library', () => {
    expect(programs.length > 0 || hasOwnTest).toBe(true);
  });

  if (!hasOwnTest)
    test.each(programs)('program $number runs', async ({ run }) => {
      expect((await run()).trim()).not.toBe('');
    });
});
