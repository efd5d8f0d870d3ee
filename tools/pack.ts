// Makes the tarballs of all packages that can be published: npm run pack -- FOLDER; outputs/packages if none is given. A tarball
// is made from a copy, without outdated files of dist and without tests. The runner's contains the YAML and JSON files of configs
// and experiments, and that of the views the bundled pages.
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve, sep } from 'node:path';
import { packedPages } from '@bowyer/views';

const repository = resolve(import.meta.dirname, '..');

/** Lists the folders of the packages that are not private. */
export function publicPackages(): string[] {
  return readdirSync(join(repository, 'packages'))
    .map((name) => join(repository, 'packages', name))
    .filter((folder) => existsSync(join(folder, 'package.json')))
    .filter((folder) => !JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).private);
}

/**
 * Packs all packages.
 *
 * @returns paths of the tarballs
 */
export async function packAll(destination: string): Promise<string[]> {
  mkdirSync(destination, { recursive: true });
  const pages = await packedPages();
  const staging = mkdtempSync(join(tmpdir(), 'bowyer-pack-'));
  try {
    return publicPackages().map((folder) => {
      const copy = join(staging, relative(join(repository, 'packages'), folder));
      cpSync(folder, copy, { recursive: true, filter: (path) => isShipped(folder, path) });
      if (folder.endsWith(`${sep}runner`))
        for (const name of ['configs', 'experiments'])
          cpSync(join(repository, name), join(copy, name), { recursive: true, filter: isConfig });
      if (folder.endsWith(`${sep}views`)) writeFileSync(join(copy, 'dist', 'pages.json'), pages);
      const options = ['--json', '--ignore-scripts', '--pack-destination', destination];
      const [{ filename }] = JSON.parse(execFileSync('npm', ['pack', ...options], { cwd: copy, encoding: 'utf8' }));
      return join(destination, filename);
    });
  } finally {
    rmSync(staging, { recursive: true });
  }
}

/** Returns whether a file belongs to configs; a study's page and its scripts are not packed. */
const isConfig = (path: string): boolean => /\.(yaml|json)$/.test(path) || statSync(path).isDirectory();

/**
 * Returns whether a file is packed. Compiled files without a source are not, and each build makes the bundles again. `files` of
 * package.json excludes everything else.
 */
function isShipped(folder: string, path: string): boolean {
  const [room, ...rest] = relative(folder, path).split(sep);
  const compiled = /^(.*?)(\.d\.ts|\.js|\.js\.map)$/.exec(rest.join(sep));
  return (
    room !== 'dist' || rest[0] === 'bundle' || compiled === null || existsSync(join(folder, 'src', `${compiled[1]}.ts`))
  );
}

if (process.argv[1] === import.meta.filename) {
  const folder = resolve(process.argv[2] ?? join(repository, 'outputs/packages'));
  const files = await packAll(folder);
  console.log(`packed: ${files.length} packages; install them in a project by`);
  console.log(`  npm install --ignore-scripts ${join(folder, '*.tgz')}`);
}
