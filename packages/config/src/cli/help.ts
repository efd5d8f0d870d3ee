// Implements `--help` and `--hydra-help`. A program with a schema of its config gets a list of all keys instead of plain YAML.
import { compose } from '../compose.js';
import type { Composition } from '../composition.js';
import { ConfigError } from '../config-error.js';
import { writeYaml } from '../yaml/write.js';
import { briefUsage, flagsHelp } from './flags.js';
import { groupLines, isHydraGroup } from './groups.js';
import { rootFrame } from '../key-path.js';
import { nodeAt } from '../provenance.js';
import { keysHelp, overviewHelp, wrapped } from './key-help.js';
import { prepared } from './prepare.js';
import { composeOptions, type Session } from './session.js';

export async function showHelp(session: Session): Promise<number> {
  const { flags, program, stdout } = session;
  const composition = await prepared(session, composeForHelp(session), 'help');
  const schema = await program.describe?.(composition);
  const config = () => {
    const root = flags.resolve ? composition.resolveNodes({ keepMissing: true }) : composition.root;
    if (!schema) return writeYaml(root);
    const key = flags.helpKey;
    if (key === undefined) return overviewHelp(root, schema, program.mainOptions ?? []);
    const path = composition.pathOf(key);
    if (nodeAt(rootFrame(root), path) === undefined)
      throw new ConfigError('usage', `--help ${key}: this config has no such node or option`, [
        `its nodes: ${[...root.entries.values()].map((entry) => String(entry.key)).join(', ')}`,
      ]);
    return keysHelp(root, schema, path);
  };
  const isInternal = (group: string) => isHydraGroup(group) || program.isInternalGroup?.(group) === true;
  const values = {
    USAGE: () => briefUsage(program.commandPrefix ?? program.programName),
    CONFIG: config,
    APP_CONFIG_GROUPS: () => groupLines(composition.repository, (group) => !isInternal(group)),
    PRIMARY_CONFIGS: () => primaryConfigs(composition, session.configName),
  };
  if (flags.helpKey !== undefined) {
    stdout.write(config());
    return 0;
  }
  const text = filled(templateText(composition, 'hydra.help.template'), values);
  stdout.write(text.endsWith('\n') ? text : `${text}\n`);
  return 0;
}

export function showHydraHelp(session: Session): number {
  const composition = compose({ ...composeOptions(session, []), configName: null });
  const values = {
    CONFIG: () => writeYaml(composition.root),
    HYDRA_CONFIG_GROUPS: () => groupLines(composition.repository, isHydraGroup),
    FLAGS_HELP: flagsHelp,
  };
  session.stdout.write(`${filled(templateText(composition, 'hydra.hydra_help.template'), values)}\n`);
  return 0;
}

function primaryConfigs({ repository }: Composition, chosen: string | null): string {
  const names = repository.options('').map((name) => (name === chosen ? `${name} (shown here)` : name));
  return wrapped(names.join(', '), '')
    .map((line) => `${line}\n`)
    .join('');
}

/** Composes the config for the help. Groups may be unset, since users may ask for help before they choose. */
function composeForHelp(session: Session): Composition {
  const options = composeOptions(session);
  try {
    return compose(options);
  } catch (error) {
    if (!(error instanceof ConfigError) || !['composition', 'sweep'].includes(error.kind)) throw error;
    return compose({ ...options, mode: 'multirun' });
  }
}

const templateText = (composition: Composition, keyPath: string) => String(composition.setting(keyPath));

/** Replaces `$CONFIG` and similar placeholders; `$$` is a dollar sign, unknown names are kept. */
const filled = (template: string, values: Readonly<Record<string, () => string>>): string =>
  template.replace(/\$\$|\$(?:\{(\w+)\}|(\w+))/g, (whole, braced?: string, bare?: string) =>
    whole === '$$' ? '$' : (values[(braced ?? bare)!]?.() ?? whole),
  );
