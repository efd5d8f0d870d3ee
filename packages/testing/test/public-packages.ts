import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export interface Manifest {
  name: string;
  version: string;
  private?: boolean;
  description?: string;
  keywords?: string[];
  license?: string;
  repository?: { type: string; url: string; directory: string };
  engines?: { node: string };
  exports?: Record<string, { browser?: string }>;
  files?: string[];
  publishConfig?: { access: string };
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  scripts?: Record<string, string>;
  nx?: { includedScripts?: string[]; targets?: Record<string, { options?: { command: string } }> };
}

const packages = resolve(import.meta.dirname, '../..');

export const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;

/** Lists the packages that can be published. */
export function publicPackages(): { folder: string; name: string; manifest: Manifest }[] {
  return readdirSync(packages)
    .map((name) => ({ name, folder: join(packages, name) }))
    .filter(({ folder }) => existsSync(join(folder, 'package.json')))
    .map((found) => ({ ...found, manifest: manifestOf(found.folder) }))
    .filter(({ manifest }) => !manifest.private);
}
