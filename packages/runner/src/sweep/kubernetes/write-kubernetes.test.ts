import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SweepRequest } from '@bowyer/config';
import { newFolder } from '@bowyer/testing';
import type { PlannedSweep } from '../plan-jobs.js';
import type { LauncherConfig } from '../../keys/sweep-schema.js';
import { writeKubernetes } from './write-kubernetes.js';

let folder: string;
beforeEach(() => (folder = newFolder()));

/**
 * Writes the manifest of a sweep with this launcher.
 *
 * @returns the printed text
 */
async function written(launcher: Partial<LauncherConfig>): Promise<string> {
  let said = '';
  const request = {
    directory: join(folder, 'seeds'),
    announce: () => undefined,
    writeMaster: () => undefined,
    jobArguments: (_: number, overrides: string[], directory: string) => [...overrides, `hydra.run.dir=${directory}`],
    program: { env: { PATH: folder }, stdout: { write: (text: string) => void (said += text) } },
  };
  const jobs = [{ number: 0, overrides: ['seed=0'], directory: join(folder, 'seeds', '0') }];
  const sweep = {
    jobs,
    warnings: [],
    launcher: { kind: 'kubernetes', image: 'i', volume_claim: 'c', mount_path: folder, ...launcher },
  };
  await writeKubernetes(request as unknown as SweepRequest, sweep as unknown as PlannedSweep);
  return said;
}

test('the manifest is written, and the command that starts it is printed', async () => {
  const said = await written({ namespace: 'lab' });
  const file = join(folder, 'seeds', 'kubernetes', 'job.json');
  expect(said).toContain(`kubectl apply -f ${file}`);
  expect(said).toContain('kubectl get pods -n lab -l job-name=bowyer-');
  expect(await readFile(file, 'utf8')).toContain('exec npx bowyer seed=0 hydra.run.dir=');
});

test.each<[string, Partial<LauncherConfig>]>([
  ['launcher.image is missing', { image: null }],
  ['is not below launcher.mount_path /elsewhere', { mount_path: '/elsewhere' }],
  ['launcher.name=My_sweep is not a valid name of a Job', { name: 'My_sweep' }],
  ['launcher.apply=true needs kubectl, and it is not found', { apply: true }],
])('refused: %s', async (message, launcher) => {
  await expect(written(launcher)).rejects.toThrow(message);
});
