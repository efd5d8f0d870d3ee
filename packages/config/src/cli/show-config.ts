// `--cfg`: the composed config as YAML, whole or one part of it.
import { compose, type Composition } from '../compose.js';
import { rootFrame, type Frame } from '../key-path.js';
import { MapNode, isContainer, isMissing, isNull } from '../node.js';
import { nodeStr } from '../python-text.js';
import { writeYaml } from '../yaml/write.js';
import { composeOptions, type Session } from './session.js';

/** @returns the exit code */
export function showConfig(session: Session): number {
  const { flags, stdout, stderr } = session;
  const composition = compose(composeOptions(session));
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
  return 0;
}

const isWhole = (key: string | undefined) => key === undefined || key === '_global_';

/** The node to print, with the tree around it that its interpolations need; undefined where the key leads nowhere. */
function shownPart(
  composition: Composition,
  type: 'job' | 'hydra' | 'all',
  key: string | undefined,
): Frame | undefined {
  const { root, full } = composition;
  if (isWhole(key)) return rootFrame(type === 'job' ? root : type === 'all' ? full : hydraOnly(composition));
  // Settings of hydra may name keys of the job, so they are followed in the whole config.
  if (type === 'hydra' && !/^hydra(\.|$)/.test(key!)) return undefined;
  const found = composition.resolution().select(rootFrame(type === 'job' ? root : full), key!);
  return found && !isNull(found.node) && !isMissing(found.node) ? found : undefined;
}

/** The hydra node alone, without its help texts. */
function hydraOnly({ full }: Composition): MapNode {
  const hydra = full.get('hydra') as MapNode;
  const shown = new MapNode(hydra.origin);
  for (const [id, entry] of hydra.entries)
    if (entry.key !== 'help' && entry.key !== 'hydra_help') shown.entries.set(id, entry);
  const root = new MapNode(hydra.origin);
  root.set('hydra', shown);
  return root;
}
