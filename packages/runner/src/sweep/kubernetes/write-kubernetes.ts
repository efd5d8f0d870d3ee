// Implements launcher=kubernetes: writes the manifest of a sweep, and passes it to kubectl if the config says so. It does not
// wait until the jobs have ended.
import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ConfigError, type SweepOutcome, type SweepRequest } from '@bowyer/config';
import { shellQuoted, writeFileAtomically } from '@bowyer/core';
import type { PlannedSweep } from '../plan-jobs.js';
import type { LauncherConfig } from '../../keys/sweep-schema.js';
import { jobManifest, jobName } from './job-manifest.js';

const execute = promisify(execFile);

export async function writeKubernetes(
  request: SweepRequest,
  { jobs, launcher, warnings }: PlannedSweep,
): Promise<SweepOutcome> {
  checkSettings(launcher, request.directory);
  for (const warning of warnings) request.announce(warning);
  request.writeMaster();
  const command = launcher.command ?? ['npx', 'bowyer'];
  const tasks = jobs.map(({ number, overrides, directory }) => ({
    directory,
    command: [...command, ...request.jobArguments(number, overrides, directory)],
  }));
  const folder = join(request.directory, 'kubernetes');
  await mkdir(folder, { recursive: true });
  const file = join(folder, 'job.json');
  await writeFileAtomically(file, `${JSON.stringify(jobManifest(tasks, launcher, request.directory), null, 1)}\n`);
  const name = jobName(launcher.name ?? 'bowyer', request.directory);
  const space = launcher.namespace ? ` -n ${shellQuoted(launcher.namespace)}` : '';
  const lines = [`${jobs.length} jobs as one Indexed Job, ${name}: ${file}`];
  if (launcher.apply) lines.push(await apply(file, request.program.env));
  else lines.push('to start it:', `  kubectl apply -f ${shellQuoted(file)}`);
  lines.push(
    'to follow and to end it:',
    `  kubectl get pods${space} -l job-name=${name}`,
    `  kubectl delete job${space} ${name}`,
  );
  request.program.stdout.write(`${lines.join('\n')}\n`);
  return { exitCode: 0 };
}

/** Throws ConfigError for settings with which no pod could run. */
function checkSettings(config: LauncherConfig, directory: string): void {
  const { name, image, volume_claim: claim, mount_path: mount } = config;
  const missing = Object.entries({ image, volume_claim: claim, mount_path: mount }).find(([, value]) => !value);
  if (missing !== undefined)
    throw new ConfigError('sweep', `launcher.${missing[0]} is missing`, [
      'launcher=kubernetes needs an image with Bowyer, a volume claim for the runs, and where pods mount it (docs/kubernetes.md)',
    ]);
  if (name && !/^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(name))
    throw new ConfigError('sweep', `launcher.name=${name} is not a valid name of a Job`, [
      'Kubernetes takes lower-case letters, digits and hyphens, a letter first',
    ]);
  if (!`${directory}/`.startsWith(`${mount!.replace(/\/$/, '')}/`))
    throw new ConfigError('sweep', `the sweep's folder ${directory} is not below launcher.mount_path ${mount}`, [
      'pods would write their runs outside the volume claim; give hydra.sweep.dir=MOUNT_PATH/NAME, and mount the claim here in the same place',
    ]);
}

/** Returns kubectl's output. */
async function apply(file: string, env: Readonly<Record<string, string | undefined>>): Promise<string> {
  try {
    return (await execute('kubectl', ['apply', '-f', file], { env })).stdout.trim();
  } catch (error) {
    const { code, stderr, message } = error as { code?: string; stderr?: string; message: string };
    if (code === 'ENOENT')
      throw new ConfigError('sweep', 'launcher.apply=true needs kubectl, and it is not found', [
        `install kubectl with access to the cluster, or write launcher.apply=false and give it ${file} elsewhere`,
      ]);
    throw new ConfigError('sweep', `kubectl refuses ${file}: ${(stderr ?? '').trim() || message}`, []);
  }
}
