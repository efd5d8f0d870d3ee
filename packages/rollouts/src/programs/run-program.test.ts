import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { agentProgram } from './agent-program.js';
import { judgeProgram } from './judge-program.js';
import { runProgram } from './run-program.js';

let folder: string;
beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), 'run-program-'))));
afterAll(() => rm(folder, { recursive: true, force: true }));

const options = { env: { PATH: process.env.PATH }, outputFile: null, timeoutMs: 20_000 };
const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};
const until = async (isTrue: () => boolean | Promise<boolean>) => {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 20));
};

test('the last line with text is returned; all output is in the file', async () => {
  const outputFile = join(folder, 'made', 'out.txt');
  const command = "printf 'one\\n'; printf 'aside\\n' >&2; printf '{\"reward\": 1}\\n\\n'";
  expect(await runProgram({ ...options, command, outputFile })).toBe('{"reward": 1}');
  expect((await readFile(outputFile, 'utf8')).split('\n').sort()).toEqual(['', '', 'aside', 'one', '{"reward": 1}']);
  expect(await runProgram({ ...options, command: 'cat', input: 'a\nb' })).toBe('b');
});

test('an exit code and a signal are errors that name the command and the place of its output', async () => {
  const outputFile = join(folder, 'bad.txt');
  await expect(runProgram({ ...options, command: 'exit 3', outputFile })).rejects.toThrow(
    `'exit 3' ended with exit code 3\n  its output: ${outputFile}`,
  );
  await expect(runProgram({ ...options, command: 'kill -9 $$' })).rejects.toThrow("'kill -9 $$' was ended by SIGKILL");
});

test('an error says what the program has said about it: the line of an uncaught error, else the last one', async () => {
  const node = (script: string) => `${JSON.stringify(process.execPath)} -e ${JSON.stringify(script)}`;
  const thrown = node("console.error('starting'); throw new TypeError('no such shelf')");
  await expect(runProgram({ ...options, command: thrown })).rejects.toThrow(
    /ended with exit code 1: TypeError: no such shelf$/,
  );
  const python = "printf 'Traceback\\n  File x\\nopenai.BadRequestError: Error code: 400\\n' >&2; exit 1";
  await expect(runProgram({ ...options, command: python })).rejects.toThrow(
    /ended with exit code 1: openai\.BadRequestError: Error code: 400$/,
  );
  await expect(runProgram({ ...options, command: "echo 'no config: give one' >&2; exit 2" })).rejects.toThrow(
    /ended with exit code 2: no config: give one$/,
  );
});

test('a program that takes too long is ended with everything that it has started', async () => {
  const file = join(folder, 'pids.txt');
  // The child of the child ignores the request to end, so that it has to be killed.
  const command = `(trap '' TERM; echo $(sh -c 'echo $PPID') > ${file}; while :; do sleep 0.05; done) & wait`;
  const begun = Date.now();
  await expect(runProgram({ ...options, command, timeoutMs: 600 })).rejects.toThrow(
    /did not end within 0\.6 s \(timeout\)$/,
  );
  expect(Date.now() - begun).toBeLessThan(8000);
  const pid = Number(await readFile(file, 'utf8'));
  expect(pid).toBeGreaterThan(0);
  await until(() => !isAlive(pid));
});

test('what a program leaves running when it ends is ended too', async () => {
  const file = join(folder, 'left.txt');
  await runProgram({ ...options, command: `sleep 60 >/dev/null 2>&1 & echo $! > ${file}` });
  const pid = Number(await readFile(file, 'utf8'));
  await until(() => !isAlive(pid));
});

const open = {
  id: 'x',
  baseURL: 'http://h/rollouts/x/v1',
  anthropicBaseURL: 'http://h/rollouts/x',
  apiKey: 'k',
  url: 'http://h/rollouts/x',
};
const rollout = { name: 'rollout-0.1', task: { id: 't', words: 2 }, open };

test("an agent has the model's addresses, its task and the variables that it was passed, and nothing else of this process", async () => {
  process.env.SECRET_OF_TEST = 'hidden';
  process.env.PASSED_IN_TEST = 'seen';
  const agent = agentProgram({ command: 'env', passEnv: ['PASSED_IN_TEST'], timeoutMs: 20_000, outputFolder: folder });
  expect(await agent(rollout, new AbortController().signal)).toEqual({});
  const env = await readFile(join(folder, 'rollout-0.1.txt'), 'utf8');
  expect(env.split('\n')).toEqual(
    expect.arrayContaining([
      'OPENAI_BASE_URL=http://h/rollouts/x/v1',
      'OPENAI_API_KEY=k',
      'ANTHROPIC_BASE_URL=http://h/rollouts/x',
      'ANTHROPIC_API_KEY=k',
      'BOWYER_ROLLOUT_URL=http://h/rollouts/x',
      'BOWYER_TASK={"id":"t","words":2}',
      'PASSED_IN_TEST=seen',
    ]),
  );
  expect(env).not.toContain('SECRET_OF_TEST');
});

test('a judge reads task and rollout, and its last line is the reward', async () => {
  const recorded = { id: 'x', calls: [], failures: [], rewards: [], metrics: { turns: 3 }, status: 'ended' as const };
  const judgeOf = (command: string) => judgeProgram({ command, timeoutMs: 20_000, outputFolder: null });
  const { signal } = new AbortController();
  const script =
    "node -e 'const {task, rollout} = JSON.parse(require(`fs`).readFileSync(0)); console.log(JSON.stringify({reward: task.words / 4, components: {turns: rollout.metrics.turns}}))'";
  expect(await judgeOf(script)(rollout, recorded, signal)).toEqual({ reward: 0.5, components: { turns: 3 } });
  expect(await judgeOf('echo 0.25')(rollout, recorded, signal)).toEqual({ reward: 0.25 });
  await expect(judgeOf('echo good')(rollout, recorded, signal)).rejects.toThrow(
    `'echo good' printed no reward: its last line must be a number or {"reward": …}, and is "good"`,
  );
});
