// Each package with a browser entry is bundled for a page with all that it exports: esbuild refuses a module of Node.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundlePage } from './page-server.js';

const packages = join(import.meta.dirname, '../..');
const withEntries = readdirSync(packages).filter((name) => {
  const { exports } = JSON.parse(readFileSync(join(packages, name, 'package.json'), 'utf8')) as {
    exports?: { '.'?: { browser?: string } };
  };
  return exports?.['.']?.browser !== undefined;
});

test('these packages have an entry', () => {
  expect(withEntries).toEqual(
    expect.arrayContaining([
      'algorithms',
      'checkpoints',
      'config',
      'core',
      'envs',
      'graph',
      'logging',
      'models',
      'text',
    ]),
  );
});

test.each(withEntries)('@bowyer/%s is bundled for a page without a module of Node', async (name) => {
  const { inputs, imports } = await bundlePage(`export * from '@bowyer/${name}';`);
  expect(inputs).toContain(`../${name}/dist/browser/index.js`);
  expect(imports).toEqual([]);
});

test('a module of Node in a page is refused', async () => {
  await expect(bundlePage(`export * from 'node:fs';`)).rejects.toThrow('Could not resolve "node:fs"');
});
