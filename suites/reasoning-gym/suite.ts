// Plays the tasks of reasoning-gym over env=openenv; OpenEnv's own environment serves them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { makeEnv, type Env } from '@bowyer/envs';
import { caseOf } from '../cases.js';
import { sources } from '../openenv/served.js';
import { outputOf } from '../programs.js';
import type { CaseResult, Suite } from '../suite.js';

type Task =
  | { readonly error: string }
  | { readonly question: string; readonly replies: readonly string[]; readonly scores: readonly (number | null)[] };

interface Tasks {
  readonly seed: number;
  readonly size: number;
  readonly tasks: Readonly<Record<string, Task>>;
}

/** Plays one task with each reply; a case is a reply, or the task that cannot be made. */
async function played(baseUrl: string, name: string, { seed, size }: Tasks, task: Task): Promise<CaseResult[]> {
  if ('error' in task) return [{ name: `${name}: not made`, outcome: 'skipped', detail: task.error }];
  const env = makeEnv('openenv', { baseUrl, reset: { dataset_name: name, size }, requireSeed: false });
  try {
    const cases: CaseResult[] = [];
    for (const [index, reply] of task.replies.entries()) {
      const problem = await problemWith(env, { seed, question: task.question, reply, score: task.scores[index] });
      cases.push(caseOf(`${name}: reply ${index + 1}`, problem));
    }
    return cases;
  } finally {
    await env.close();
  }
}

/** Plays a task with one reply, and returns what differs from the library, which may fail at a reply: then the step does as well. */
async function problemWith(
  env: Env,
  { seed, question, reply, score }: { seed: number; question: string; reply: string; score: number | null },
): Promise<string | null> {
  try {
    const { observation } = await env.reset({ seed });
    if (observation !== question) return `the observation is ${JSON.stringify(observation)}`;
    const { reward, terminated } = await env.step(reply);
    if (reward !== score) return `the reward is ${reward} instead of ${score}`;
    return terminated ? null : 'the episode has not ended';
  } catch (error) {
    return score === null ? null : (error as Error).message;
  }
}

const [openEnv, packages] = sources;

export default {
  title: "reasoning-gym's tasks",
  against: '`env=openenv`, against OpenEnv’s own server of them',
  sources: [
    { ...openEnv, version: `${openEnv.version}, reasoning_gym_env`, paths: ['src/openenv', 'envs/reasoning_gym_env'] },
    {
      github: 'open-thought/reasoning-gym',
      commit: '49b07130b3fcd12f2d064bba7c43869543a0e7e7',
      version: '0.1.26.dev0',
      // The anagrams are a large file, which a snapshot may lack.
      paths: ['reasoning_gym', ':!reasoning_gym/data/anagrams.jsonl'],
    },
    { pip: 'sympy', version: '1.14.0', with: [...packages.with, 'tabulate', 'pytz', 'numpy', 'python-dateutil'] },
  ],
  inCheck: false,
  notes:
    'One task of each dataset is played five times, with the right answer, with it in other words, and with wrong ones: question, end and reward must be those of the library.',
  async run({ folders: [server, library, python], work, log }) {
    const variables = {
      PYTHONPATH: [join(server, 'src'), join(server, 'envs/reasoning_gym_env'), library, import.meta.dirname].join(':'),
      PYTHONDONTWRITEBYTECODE: '1',
      // Some tasks are made of sets of texts, whose order differs from process to process.
      PYTHONHASHSEED: '0',
    };
    const program = join(python, 'bin/python');
    const made = JSON.parse(await outputOf([program, join(import.meta.dirname, 'tasks.py')], work, variables)) as Tasks;
    const child = spawn(program, [join(import.meta.dirname, 'serve.py')], {
      cwd: work,
      env: { ...process.env, ...variables },
      stdio: ['ignore', 'pipe', 'ignore'], // it reports each connection that ends
    });
    try {
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      const port = ((await lines.next()) as { value: string }).value;
      const cases: CaseResult[] = [];
      for (const [name, task] of Object.entries(made.tasks))
        cases.push(...(await played(`http://127.0.0.1:${port}`, name, made, task)));
      log(`${Object.keys(made.tasks).length} datasets`);
      return cases;
    } finally {
      child.kill();
      await once(child, 'exit');
    }
  },
} satisfies Suite;
