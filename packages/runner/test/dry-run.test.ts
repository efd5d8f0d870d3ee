// Tests that a dry run of a sweep shows the notes about implied keys after each job, with every launcher and sweeper.
import { runHere } from './in-process.js';

const image = ['launcher.image=bowyer', 'launcher.volume_claim=runs', 'launcher.mount_path=/runs'];
const asha = ['sweeper=asha', 'launcher=local', 'eval_freq=10', 'lm_schedule.kind=constant', 'warmup_iter=0'];

test.each([
  ['the basic ones', ['seed=1,2']],
  ['launcher=local', ['seed=1,2', 'launcher=local']],
  ['launcher=slurm', ['seed=1,2', 'launcher=slurm']],
  ['launcher=kubernetes', ['seed=1,2', 'launcher=kubernetes', ...image]],
  ['sweeper=random', ['seed=1,2', 'sweeper=random', 'sweeper.trials=2']],
  ['sweeper=asha', ['seed=1,2', 'sweeper.trials=2', ...asha]],
])(
  '%s: a note below each of two jobs',
  async (_, sweep) => {
    const address = 'env_server_base=http://127.0.0.1:1';
    const typed = ['-m', '--config-name', 'archer_20q', '--dry-run', 'env=textcraft', address, ...sweep];
    const { code, stdout, stderr } = await runHere(typed);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const note = '  env.backend=agentgym, since env.base_url=http://127.0.0.1:1';
    expect(stdout.split('\n').filter((line) => /^#\d+ : | since /.test(line))).toEqual([
      expect.stringMatching(/^#0 : .*seed=\d/),
      note,
      expect.stringMatching(/^#1 : .*seed=\d/),
      note,
    ]);
  },
  60_000,
);
