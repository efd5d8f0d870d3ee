// Implements `--cfg`: prints the composed config or a part of it as YAML, and then reports what is invalid in it.
import { compose } from '../compose.js';
import type { Composition } from '../composition.js';
import { rootFrame, type Frame } from '../key-path.js';
import { MapNode, isContainer, isMissing, isNull } from '../node.js';
import { nodeStr } from '../python-text.js';
import { writeYaml } from '../yaml/write.js';
import { prepared } from './prepare.js';
import { errorText } from './report-error.js';
import { composeOptions, type Session } from './session.js';

export async function showConfig(session: Session): Promise<number> {
  const { flags, stdout, stderr } = session;
  const composition = await prepared(session, compose(composeOptions(session)), 'cfg');
  const resolution = composition.resolution();
  const frame = shownPart(composition, flags.cfg!, flags.package);
  if (!frame) {
    stderr.write(`package '${flags.package}' not found in config\n`);
    return 1;
  }
  if (!isContainer(frame.node)) stdout.write(`${nodeStr(frame.node)}\n`);
  else {
    const header = isWhole(flags.package) ? '' : `# @package ${flags.package}\n`;
    stdout.write(header + writeYaml(flags.resolve ? resolution.deep(frame, { keepMissing: true }) : frame.node));
  }
  if (flags.cfg !== 'hydra') await reportInvalid(session, composition);
  return 0;
}

/** Reports that a config is invalid. It is printed nevertheless and the exit code is 0, since Hydra prints it without a check. */
async function reportInvalid(session: Session, composition: Composition): Promise<void> {
  try {
    await session.program.validate?.(composition, { purpose: 'cfg' });
  } catch (error) {
    session.stderr.write(`The config is invalid:\n${errorText(error, session)}\n`);
  }
}

const isWhole = (key: string | undefined) => key === undefined || key === '_global_';

/** Returns the node to print, with the parents that its interpolations need; undefined if the key does not exist. */
function shownPart(
  composition: Composition,
  type: 'job' | 'hydra' | 'all',
  key: string | undefined,
): Frame | undefined {
  const { root, full } = composition;
  if (isWhole(key)) return rootFrame(type === 'job' ? root : type === 'all' ? full : hydraOnly(composition));
  // Settings of hydra may refer to keys of the job, so their interpolations are resolved in the config that contains both.
  if (type === 'hydra' && !/^hydra(\.|$)/.test(key!)) return undefined;
  const found = composition.resolution().select(rootFrame(type === 'job' ? root : full), key!);
  return found && !isNull(found.node) && !isMissing(found.node) ? found : undefined;
}

/** Returns the hydra node without its help texts. */
function hydraOnly({ full }: Composition): MapNode {
  const hydra = full.get('hydra') as MapNode;
  const shown = new MapNode(hydra.origin);
  for (const [id, entry] of hydra.entries)
    if (entry.key !== 'help' && entry.key !== 'hydra_help') shown.entries.set(id, entry);
  const root = new MapNode(hydra.origin);
  root.set('hydra', shown);
  return root;
}
