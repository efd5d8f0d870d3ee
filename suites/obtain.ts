// Obtains the files of a suite: installed from npm or PyPI, or checked out of a GitHub repository, with a fixed version.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Source } from './suite.js';

const run = (command: string, ...given: string[]): void => {
  execFileSync(command, given, { stdio: ['ignore', 'ignore', 'inherit'] });
};

/** Returns the name of a source with its version, for the page. */
export function sourceName(source: Source): string {
  if ('npm' in source) return `${source.npm} ${source.version}`;
  if ('pip' in source) return `${source.pip} ${source.version}`;
  return `${source.github} ${source.version} (${source.commit.slice(0, 8)})`;
}

/**
 * Downloads a source into the cache, once, and returns its folder: the parent of `node_modules` for npm, a virtual environment
 * for PyPI, the work tree for GitHub.
 *
 * A repository is cloned from github.com, or from `BOWYER_SUITES/OWNER+NAME`, a folder of clones for machines without that
 * connection.
 *
 * @throws if the source cannot be reached; the cache is then unchanged
 */
export function obtain(source: Source, cache: string): string {
  const folder = join(cache, sourceName(source).replaceAll(/[^\w.@+-]+/g, '_'));
  if (existsSync(folder)) return folder;
  const partial = `${folder}.partial`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { recursive: true });
  if ('npm' in source) {
    const packages = [`${source.npm}@${source.version}`, ...(source.with ?? [])];
    const options = ['--loglevel=error', '--no-save', '--ignore-scripts', '--engine-strict=false', '--prefix', partial];
    run('npm', 'install', ...options, ...packages);
  } else if ('pip' in source) {
    // A virtual environment cannot be moved, so its folder is made under its final name.
    rmSync(partial, { recursive: true });
    try {
      run('python3', '-m', 'venv', folder);
      run(join(folder, 'bin/pip'), 'install', '--quiet', `${source.pip}==${source.version}`, ...(source.with ?? []));
    } catch (problem) {
      rmSync(folder, { recursive: true, force: true });
      throw problem;
    }
    return folder;
  } else {
    const clones = process.env.BOWYER_SUITES;
    const local = clones === undefined ? null : join(clones, source.github.replace('/', '+'));
    const { commit, paths = ['.'] } = source;
    if (local !== null && existsSync(local)) {
      // Objects are not copied, since a snapshot may lack those of unneeded files.
      run('git', 'clone', '--quiet', '--shared', '--no-checkout', local, partial);
    } else {
      run('git', 'init', '--quiet', partial);
      const from = `https://github.com/${source.github}.git`;
      run('git', '-C', partial, 'fetch', '--quiet', '--depth', '1', from, commit);
    }
    run('git', '-C', partial, 'checkout', '--quiet', '--force', commit, '--', ...paths);
  }
  renameSync(partial, folder);
  return folder;
}
