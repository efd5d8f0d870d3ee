// Implements `--experimental-rerun`: runs a job again, in the same folder, with the config that its first run saved in `.hydra`.
// A record of an earlier version of a program, in which options have other names, is composed again from its command line and
// values.
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { compose, recompose } from '../compose.js';
import { Composition } from '../composition.js';
import { ConfigError } from '../config-error.js';
import { pathsNamed } from '../flat-names.js';
import { MapNode, type PlainObject, type PlainValue } from '../node.js';
import { parseOverride } from '../overrides/parser.js';
import { overrideText } from '../overrides/plain-value.js';
import type { Override } from '../overrides/value.js';
import { readConfigFile } from '../sources/config-file.js';
import { repositoryOf } from '../sources/search-path.js';
import { hintAtFullError } from './report-error.js';
import { runJob } from './run-job.js';
import { prepared } from './prepare.js';
import { composeOptions, type Session } from './session.js';

/** Runs a job again; returns the exit code. `given`: its folder, its `.hydra` folder, or a file in that folder. */
export async function rerun(session: Session, given: string): Promise<number> {
  const { cwd, flags, stderr, program } = session;
  if (flags.overrides.length > 0)
    stderr.write('warning: --experimental-rerun takes the config as it was saved; overrides are ignored\n');
  const folder = recordFolder(path.resolve(cwd, given), given);
  const saved = savedComposition(folder, session);
  const composition = await prepared(session, withPresentNames(saved, session), 'run');
  await program.validate?.(composition, { purpose: 'run' });
  const outputDirectory = path.dirname(folder);
  const number = composition.setting('hydra.job.num');
  const jobNumber = typeof number === 'number' ? number : undefined;
  const { failed } = await runJob(session, composition, {
    outputDirectory,
    setting: '--experimental-rerun',
    jobNumber,
    record: false,
  });
  if (failed) hintAtFullError(session);
  return failed ? 1 : 0;
}

function recordFolder(place: string, given: string): string {
  const isFolder = statSync(place, { throwIfNoEntry: false })?.isDirectory() === true;
  const folder = !isFolder
    ? path.dirname(place)
    : existsSync(path.join(place, 'hydra.yaml'))
      ? place
      : path.join(place, '.hydra');
  for (const name of ['config.yaml', 'hydra.yaml']) {
    if (existsSync(path.join(folder, name))) continue;
    throw new ConfigError(
      'missing-config',
      `'${given}' is not the record of a job: there is no '${name}'`,
      [`looked in ${folder}`, 'give the .hydra folder of a run, or a file in it'],
      { file: folder },
    );
  }
  return folder;
}

function savedComposition(folder: string, { env, now }: Session): Composition {
  const [job, hydra] = ['config.yaml', 'hydra.yaml'].map((name) => {
    const file = path.join(folder, name);
    const { body } = readConfigFile(file);
    if (body.kind !== 'map')
      throw new ConfigError('type', `'${file}' must contain a mapping`, ['it was not written by a run'], { file });
    return body;
  }) as [MapNode, MapNode];
  if (!hydra.get('hydra'))
    throw new ConfigError(
      'type',
      `'${path.join(folder, 'hydra.yaml')}' has no key 'hydra'`,
      ['it was not written by a run'],
      { file: folder },
    );
  const full = new MapNode(job.origin);
  for (const { entries } of [hydra, job]) for (const [id, entry] of entries) full.entries.set(id, entry);
  const compositionWith = (overrides: readonly Override[]) =>
    new Composition(full, { defaults: [], roots: [] }, repositoryOf([]), overrides, { env, now, names: {}, used: [] });
  const typed = compositionWith([]).setting('hydra.overrides.task');
  const overrides = Array.isArray(typed) ? typed.map((text) => parseOverride(String(text))) : [];
  return compositionWith(overrides);
}

/**
 * Returns the saved config of a job. If it was saved when options had other names, it is composed again from the job's command
 * line, then the saved values, which take precedence. Saved nulls are ignored: the command line gives them too, or they belong to
 * the second name of an option. Saved values without a present option are left out with a warning.
 */
function withPresentNames(saved: Composition, session: Session): Composition {
  const {
    stderr,
    env,
    program: { flatNames = {} },
  } = session;
  const leaves = leavesOf(saved.config);
  if (!leaves.some(([key]) => pathsNamed(saved.full, key, flatNames).length > 0)) return saved;
  const typed = saved.setting('hydra.overrides.task') as readonly string[] | null;
  const configName = saved.setting('hydra.job.config_name') as string | null;
  const command = compose({ ...composeOptions(session, typed ?? []), configName });
  const values = leaves.filter(([, value]) => value !== null);
  const [known, unknown] = [true, false].map((has) =>
    values.filter(([key]) => (command.setting(key) !== undefined) === has),
  );
  if (unknown.length > 0)
    stderr.write(`warning: the record has options that are no more: ${unknown.map(([key]) => key).join(', ')}\n`);
  const words = known.map(([key, value]) => overrideText(key, value));
  return recompose(command, words, { source: saved.full.origin.source, last: true, env });
}

const isTree = (value: PlainValue): value is PlainObject =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

const leavesOf = (config: PlainObject, prefix = ''): [key: string, value: PlainValue][] =>
  Object.entries(config).flatMap(([key, value]) =>
    isTree(value) ? leavesOf(value, `${prefix}${key}.`) : [[`${prefix}${key}`, value] as [string, PlainValue]],
  );
