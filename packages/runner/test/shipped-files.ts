// The YAML files that come with the project, and the configs that they contain.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from './command-line.js';

export interface ShippedConfig {
  /** Below the repository, such as `configs/optimizer.yaml`. */
  file: string;
  /** As it is composed: `optimizer/adam`, `experiment/paper_20q`. */
  config: string;
  text: string;
}

/** Every config of `configs` and `experiments`: a file, or a document of one that `# @config` names. */
export function shippedConfigs(): ShippedConfig[] {
  return ['configs', 'experiments'].flatMap((top) =>
    readdirSync(join(repository, top), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.yaml'))
      .sort()
      .flatMap((name) => configsOf(top, name)),
  );
}

function configsOf(top: string, name: string): ShippedConfig[] {
  const file = join(top, name);
  const path = name.replace(/\.yaml$/, '');
  // A study's folder is searched by itself.
  const folder = top === 'experiments' ? '' : path.replace(/[^/]*$/, '');
  const documents = readFileSync(join(repository, file), 'utf8').split(/^---\n(?=# @config )/m);
  return documents.map((text) => {
    const named = /^# @config (\S+)/.exec(text)?.[1];
    return { file, config: named === undefined ? path : folder + named, text };
  });
}
