// Tests that each package has what npm needs for publishing, and declares exactly what its shipped source imports.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { manifestOf, publicPackages } from './public-packages.js';

const repository = resolve(import.meta.dirname, '../../..');
const packages = join(repository, 'packages');
const root = manifestOf(repository);
const { targetDefaults } = JSON.parse(readFileSync(join(repository, 'nx.json'), 'utf8')) as {
  targetDefaults: Record<string, { options: { command: string } }>;
};

/** Lists the packages that a package's shipped source imports or resolves. */
function importedPackages(folder: string): string[] {
  const files = readdirSync(join(folder, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.m?ts$|\.mjs$/.test(file) && !/\.test\.ts$|test-program|fixtures/.test(file))
    .map((file) => readFileSync(join(folder, 'src', file), 'utf8'));
  const specifiers = files.flatMap((text) => [
    ...[...text.matchAll(/^(?:import|export)\b[^'"`;]*?from '([^'.][^']*)'|^import '([^'.][^']*)'/gm)].map(
      ([, a, b]) => a ?? b!,
    ),
    ...[...text.matchAll(/\b(?:import|resolve)\('([^'.][^']*)'\)/g)].map(([, name]) => name!),
  ]);
  const names = specifiers.map((name) =>
    name
      .split('/')
      .slice(0, name.startsWith('@') ? 2 : 1)
      .join('/'),
  );
  return [...new Set(names)].filter((name) => !isBuiltin(name) && /^[@a-z][^:]*$/.test(name)).sort();
}

/** Lists imports that the tests of a package must not have: files of other packages, and undeclared packages. */
function strangeImports(folder: string): string[] {
  const { name, dependencies, devDependencies } = manifestOf(folder);
  const declared = Object.keys({ ...dependencies, ...devDependencies, '@bowyer/testing': '' });
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /^src\/.*\.test\.ts$|^test\/.*\.ts$/.test(file))
    .map((file) => join(folder, file));
  return files.flatMap((file) =>
    [
      ...readFileSync(file, 'utf8').matchAll(
        /^(?:(?:import|export)\b[^'"`;]*? from|import) '([^']+)'|\bimport\('([^']+)'\)/gm,
      ),
    ]
      .map(([, named, loaded]) => named ?? loaded!)
      .filter((imported) =>
        imported.startsWith('.')
          ? relative(folder, resolve(dirname(file), imported)).startsWith('..')
          : imported.startsWith('@bowyer/') && (imported === name || !declared.includes(imported)),
      )
      .map((imported) => `${relative(folder, file)} imports ${imported}`),
  );
}

/** The tests of maintainers' tools are among those of the whole repository. */
const shared: Readonly<Record<string, readonly string[]>> = {
  testing: [
    'test/lint-prose.test.ts imports ../../../tools/lint-prose.js',
    'test/failures.test.ts imports ../../../tools/failures.js',
    'test/suites.test.ts imports ../../../suites/expectations.js',
  ],
};

test.each(readdirSync(packages).filter((name) => existsSync(join(packages, name, 'package.json'))))(
  'the tests of %s import what the package declares, by its name',
  (name) => {
    expect(strangeImports(join(packages, name)).sort()).toEqual([...(shared[name] ?? [])].sort());
  },
);

/** The dependencies that a published package of pages contains already: tools/pack.ts bundles them. */
const bundled = ['esbuild', 'uplot'];

describe.each(publicPackages().map(({ name, folder, manifest }) => ({ name, folder, manifest })))('$name', (one) => {
  const { name, folder, manifest } = one;

  test('has a README, the licence, and the fields that npm shows', () => {
    expect(existsSync(join(folder, 'README.md'))).toBe(true);
    expect(readFileSync(join(folder, 'LICENSE'), 'utf8')).toBe(readFileSync(join(repository, 'LICENSE'), 'utf8'));
    expect(manifest).toMatchObject({
      version: root.version,
      license: root.license,
      engines: root.engines,
      repository: { type: 'git', url: root.repository!.url, directory: `packages/${name}` },
      publishConfig: { access: 'public' },
    });
    expect(manifest.description).toMatch(/\.$/);
    expect(manifest.keywords!.length).toBeGreaterThan(1);
  });

  test('has the targets of the check, and their commands as scripts', () => {
    expect(manifest.nx!.includedScripts).toEqual([]); // nx would run scripts through npm, and not cache their results
    expect(Object.keys(manifest.nx!.targets!).sort()).toEqual(Object.keys(targetDefaults).sort());
    for (const [target, { options }] of Object.entries(targetDefaults))
      expect(manifest.scripts).toMatchObject({
        [target]: manifest.nx!.targets![target]!.options?.command ?? options.command,
      });
  });

  test('ships its build and its source without tests', () => {
    expect(manifest.files).toEqual(expect.arrayContaining(['dist', 'src', '!**/*.test.ts', '!**/fixtures']));
  });

  test('declares what it imports, and nothing else', () => {
    const { dependencies, optionalDependencies, peerDependencies, devDependencies = {} } = manifest;
    const declared = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }).sort();
    // A package that bundles itself contains everything that it imports.
    const isWhole = manifest.scripts!.build!.endsWith('node bundle.mjs');
    const isBundled = (imported: string) => (isWhole || bundled.includes(imported)) && !declared.includes(imported);
    const needed = importedPackages(folder).filter((imported) => !isBundled(imported));
    if (manifest.exports?.['.']?.browser !== undefined) needed.push('@bowyer/page'); // tools/browser-entry.mjs writes the import
    expect(declared).toEqual(needed.sort());
    const inPages = importedPackages(folder).filter(isBundled);
    expect(Object.keys(devDependencies)).toEqual(expect.arrayContaining(inPages));
  });
});
