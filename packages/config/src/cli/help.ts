// `--help` and `--hydra-help`: the templates of `hydra.help` and `hydra.hydra_help` with their placeholders filled in. A program
// that describes its config by a schema gets a list of all its keys in place of plain YAML.
import { compose } from '../compose.js';
import type { Composition } from '../composition.js';
import { ConfigError } from '../config-error.js';
import { writeYaml } from '../yaml/write.js';
import { flagsHelp } from './flags.js';
import { groupLines, isHydraGroup } from './groups.js';
import { keysHelp } from './key-help.js';
import { prepared } from './prepare.js';
import { composeOptions, type Session } from './session.js';

/** @returns the exit code */
export async function showHelp(session: Session): Promise<number> {
  const { flags, program, stdout } = session;
  const composition = await prepared(session, composeForHelp(session), 'help');
  const schema = await program.describe?.(composition);
  const config = () => {
    const root = flags.resolve ? composition.resolveNodes({ keepMissing: true }) : composition.root;
    return schema ? keysHelp(root, schema) : writeYaml(root);
  };
  stdout.write(`${filled(templateText(composition, 'hydra.help.template'), composition, config)}\n`);
  if (schema) stdout.write(primaryConfigs(composition, session.configName));
  return 0;
}

/** @returns the exit code */
export function showHydraHelp(session: Session): number {
  const composition = compose({ ...composeOptions(session, []), configName: null });
  session.stdout.write(
    `${filled(templateText(composition, 'hydra.hydra_help.template'), composition, () => writeYaml(composition.root))}\n`,
  );
  return 0;
}

/** What `--config-name` can name. */
function primaryConfigs({ repository }: Composition, chosen: string | null): string {
  const names = repository.options('').map((name) => (name === chosen ? `${name} (shown here)` : name));
  return names.length > 0 ? `Primary configs (--config-name NAME): ${names.join(', ')}\n` : '';
}

/** Help is also for those who have not chosen yet: groups may be open. */
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

/** `$CONFIG` and the like; `$$` is a dollar sign, unknown names stay. */
function filled(template: string, { repository }: Composition, config: () => string): string {
  const values: Record<string, () => string> = {
    CONFIG: config,
    APP_CONFIG_GROUPS: () => groupLines(repository, (group) => !isHydraGroup(group)),
    HYDRA_CONFIG_GROUPS: () => groupLines(repository, isHydraGroup),
    FLAGS_HELP: flagsHelp,
  };
  return template.replace(/\$\$|\$(?:\{(\w+)\}|(\w+))/g, (whole, braced?: string, bare?: string) =>
    whole === '$$' ? '$' : (values[(braced ?? bare)!]?.() ?? whole),
  );
}
