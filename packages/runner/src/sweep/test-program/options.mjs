// Defines the command line of the test program, whose sweeps are run by launchSweep. Its jobs run child.mjs, whose header lists
// their options.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ConfigError } from '@bowyer/config';

const child = fileURLToPath(new URL('./child.mjs', import.meta.url));
const folder = fileURLToPath(new URL('.', import.meta.url));

/** Returns the command line without its arguments. @param launchSweep of the sources, or of the build */
export const programOptions = (launchSweep) => ({
  programName: 'program',
  configDir: `${folder}configs`,
  configName: 'main',
  searchPaths: [{ dir: `${folder}experiments`, group: 'experiment' }],
  validate,
  // With the variable SWEEP_TEST_DIRECT, jobs run child.mjs without this command line, which starts much faster.
  launch: (request) =>
    process.env.SWEEP_TEST_DIRECT ? launchSweep(request, [process.execPath, child]) : launchSweep(request),
  job({ overrides, outputDirectory }) {
    const args = [child, ...overrides, `hydra.run.dir=${outputDirectory}`];
    const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
    if (status !== 0) throw new Error(`child.mjs ended with ${status}`);
  },
});

function validate(composition) {
  const { x, launcher } = composition.resolve();
  if (typeof x !== 'number') throw new ConfigError('validation', `x must be a number, not '${String(x)}'`);
  if (launcher.jobs === 0) throw new ConfigError('validation', 'launcher.jobs must be at least 1');
}
