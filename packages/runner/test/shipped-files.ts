// Lists the YAML files of the project, and the configs in them.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from './command-line.js';

interface ShippedConfig {
  /** The path in the repository, such as `configs/optimizer/adam.yaml`. */
  file: string;
  /** The name in compositions: `optimizer/adam`, `experiment/paper_20q`. */
  config: string;
  text: string;
}

/** Lists the configs of `configs` and of the studies in `experiments`. */
export function shippedConfigs(): ShippedConfig[] {
  return ['configs', 'experiments'].flatMap((top) =>
    readdirSync(join(repository, top), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.yaml'))
      .sort()
      .map((name) => {
        const file = join(top, name);
        const path = name.replace(/\.yaml$/, '');
        // A study's folder is a separate folder of configs.
        const config = top === 'experiments' ? path.replace(/^[^/]+\//, '') : path;
        return { file, config, text: readFileSync(join(repository, file), 'utf8') };
      }),
  );
}
