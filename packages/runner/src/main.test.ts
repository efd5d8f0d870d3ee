import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const packages = resolve(import.meta.dirname, '..', '..');

/** Returns the modules that a module imports statically. */
const loadedBy = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(/^(?:import|export) (?!type )(?:[^;]*? from )?'([^']+)';/gms)].map(
    ([, name]) => name,
  );

/** Returns the modules that are loaded when the command line starts: our own files, and the packages of others. */
function loadedAtStart(main: string) {
  const [files, outside] = [new Set<string>(), new Set<string>()];
  const visit = (file: string): void => {
    if (files.has(file)) return;
    files.add(file);
    for (const name of loadedBy(file)) {
      if (name.startsWith('.')) visit(resolve(dirname(file), name.replace(/\.js$/, '.ts')));
      else if (name.startsWith('@bowyer/')) visit(join(packages, name.split('/')[1], 'src', 'index.ts'));
      else if (!name.startsWith('node:')) outside.add(name);
    }
  };
  visit(main);
  const own = new Set([...files].map((file) => file.slice(packages.length + 1).split('/')[0]));
  return { own: [...own].sort(), outside: [...outside].sort() };
}

test('a start loads only the composition of configs, neither environments nor schemas of options', () => {
  const { own, outside } = loadedAtStart(join(import.meta.dirname, 'main.ts'));
  expect(own).toEqual(['config', 'mpi', 'runner']);
  expect(outside).toEqual(['yaml']);
});
