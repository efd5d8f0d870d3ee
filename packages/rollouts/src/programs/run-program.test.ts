import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { cpuMilliseconds, newFolder } from '@bowyer/testing';
import type { AgentTask } from '../play/agent-task.js';
import { agentProgram } from './agent-program.js';
import { judgeProgram } from './judge-program.js';
import { ErrorLine } from './error-line.js';
import { LastLine } from './last-line.js';
import { runProgram } from './run-program.js';

/** The loader for processes that run TypeScript sources. */
const tsx = import.meta.resolve('tsx');

const folder = newFolder();

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

test('an exit code and a signal are errors that name the command and the file of its output', async () => {
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
  // The grandchild ignores SIGTERM, so that it has to be killed.
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
  const judgeOf = (command: string) => judgeProgram({ command, timeoutMs: 20_000, outputFolder: folder });
  const { signal } = new AbortController();
  const script =
    "node -e 'const {task, rollout} = JSON.parse(require(`fs`).readFileSync(0)); console.log(JSON.stringify({reward: task.words / 4, components: {turns: rollout.metrics.turns}}))'";
  expect(await judgeOf(script)(rollout, recorded, signal)).toEqual({ reward: 0.5, components: { turns: 3 } });
  expect(await judgeOf('echo 0.25')(rollout, recorded, signal)).toEqual({ reward: 0.25 });
  await expect(judgeOf('echo good')(rollout, recorded, signal)).rejects.toThrow(
    `'echo good' printed no reward: its last line must be a number or {"reward": …}, and is "good"`,
  );
});

test('a task that no environment variable can hold is in a file, and others are in both', async () => {
  const { signal } = new AbortController();
  const script = `
    const text = require('fs').readFileSync(process.env.BOWYER_TASK_FILE, 'utf8');
    const { BOWYER_TASK: variable = null, BOWYER_TASK_FILE: file } = process.env;
    console.log(JSON.stringify({ reward: JSON.parse(text).text.length, metrics: { same: Number(variable === text) } }));
    require('fs').writeFileSync(process.env.PLACE, file);`;
  const place = join(folder, 'place.txt');
  process.env.PLACE = place;
  await writeFile(join(folder, 'big.cjs'), script);
  const command = `${JSON.stringify(process.execPath)} ${JSON.stringify(join(folder, 'big.cjs'))}`;
  const agent = agentProgram({ command, passEnv: ['PLACE'], timeoutMs: 60_000, outputFolder: folder });
  const play = (length: number) =>
    agent({ ...rollout, task: { id: 'é', text: 'x'.repeat(length) } as AgentTask }, signal);
  // The limit also counts 'BOWYER_TASK=', the JSON around the text, and the NUL at the end.
  const longest = 128 * 1024 - 12 - Buffer.byteLength('{"id":"é","text":""}') - 1;
  expect(await play(longest)).toEqual({ reward: longest, metrics: { same: 1 } });
  expect(await play(longest + 1)).toEqual({ reward: longest + 1, metrics: { same: 0 } });
  expect(await play(3_000_000)).toEqual({ reward: 3_000_000, metrics: { same: 0 } });
  const file = await readFile(place, 'utf8');
  expect([dirname(file), existsSync(file)]).toEqual([join(folder, 'tasks'), false]);
  await writeFile(file, '{}'); // as a process that was killed leaves it
  agentProgram({ command, passEnv: [], timeoutMs: 60_000, outputFolder: folder });
  expect(existsSync(file)).toBe(false);
});

test.each([
  ['in the background', '', 'exec sleep 600', '7'],
  ['in a session of its own', 'setsid', 'exec sleep 600', '7'],
  ['in a session of its own that prints for ever', 'setsid', 'while :; do echo 7; done', '7'],
])('a child %s that holds the output is not waited for: the program has ended', async (_, session, does, line) => {
  const play = async (timeoutMs: number) => {
    const file = join(folder, `held-${randomUUID()}.txt`);
    const child = `${session} sh -c 'echo $$ > ${file}; ${does}'`;
    const command = `${child} & while [ ! -s ${file} ]; do sleep 0.01; done; echo 7`;
    expect(await runProgram({ ...options, timeoutMs, command })).toBe(line);
    const pid = Number(await readFile(file, 'utf8'));
    if (session !== '') process.kill(pid, 'SIGKILL');
    await until(() => !isAlive(pid));
  };
  await Promise.all([0, 100_000].map(play));
});

test('at the timeout a child in a session of its own, which holds the output, is not waited for', async () => {
  const file = join(folder, 'late.txt');
  const command = `setsid sh -c 'echo $$ > ${file}; exec sleep 600' & while [ ! -s ${file} ]; do sleep 0.01; done; sleep 600`;
  await expect(runProgram({ ...options, timeoutMs: 1000, command })).rejects.toThrow(
    /did not end within 1 s \(timeout\)$/,
  );
  process.kill(Number(await readFile(file, 'utf8')), 'SIGKILL');
});

test('all that a program has written before its end is read, however much', async () => {
  const outputFile = join(folder, 'much.txt');
  const line = 'y'.repeat(199);
  const script = `for (let i = 0; i < 1000; i++) require('fs').writeSync(i % 2 + 1, '${line}\\n'); require('fs').writeSync(1, '7\\n');`;
  const command = `${JSON.stringify(process.execPath)} -e ${JSON.stringify(script)}`;
  expect(await runProgram({ ...options, command, outputFile })).toBe('7');
  expect((await stat(outputFile)).size).toBe(200_002);
});

test('of a long output the file has the beginning and the end, and says how much is left out', async () => {
  const outputFile = join(folder, 'flood.txt');
  const command = "echo first; head -c 20000000 /dev/zero | tr '\\0' x; echo; echo; echo 0.5";
  expect(await runProgram({ ...options, timeoutMs: 100_000, command, outputFile })).toBe('0.5');
  const text = await readFile(outputFile, 'utf8');
  const [, note, kept] = /\n… (\d+) bytes are left out here: (\d+) are kept …\n/.exec(text)!;
  expect(Number(note) + Number(kept)).toBe('first\n'.length + 20_000_000 + '\n\n0.5\n'.length);
  expect(Number(kept)).toBe(2 ** 20);
  expect(text).toMatch(/^first\nx+\n…/);
  expect(text).toMatch(/…\nx+\n\n0\.5\n$/);
});

test('a long line on standard error costs time in its length alone, and says why the program has ended', () => {
  const said = new ErrorLine();
  const long = (text: string, count: number) => said.add(Buffer.from(`${text.repeat(count)}\n`));
  const milliseconds = cpuMilliseconds(() => {
    for (const text of ['Error.', 'Error', 'a.b$', 'Exception ', '\x1b]', '\x1b[', 'Error:', '\n']) long(text, 300_000);
    for (let i = 0; i < 300; i++) long('Error.', 600);
  });
  expect(milliseconds).toBeLessThan(5000);
  said.add(Buffer.from('my.ValueError [x]: no shelf\nValueError:none\nlast\n'));
  expect(said.text).toBe('my.ValueError [x]: no shelf');
});

test('a line in pieces is one line; of one without an end the last characters are kept', () => {
  const last = new LastLine();
  for (const byte of Buffer.from('é\n{"reward"')) last.add(Buffer.from([byte]));
  expect(last.text).toBe('{"reward"');
  last.add(Buffer.from(': 1}\n\n  \n'));
  expect(last.text).toBe('{"reward": 1}');
  const milliseconds = cpuMilliseconds(() => {
    for (let i = 0; i < 3000; i++) last.add(Buffer.alloc(2 ** 16, 'x'));
  });
  expect(milliseconds).toBeLessThan(5000);
  expect(last.text.length).toBe(2 ** 20);
  last.add(Buffer.from('\n0.5'));
  expect(last.text).toBe('0.5');
});

test('programs end with the process that has started them, even by SIGKILL, and those that never write too', async () => {
  const file = join(folder, 'orphan.txt');
  const command = `trap '' TERM HUP INT; echo $$ >> ${file}; while :; do sleep 0.05; done`;
  const source = `
    import { runProgram } from ${JSON.stringify(fileURLToPath(new URL('./run-program.ts', import.meta.url)))};
    const options = { env: { PATH: process.env.PATH }, outputFile: null, timeoutMs: 0 };
    await runProgram({ ...options, command: 'exit 0' });
    for (const command of ${JSON.stringify([command, command])}) void runProgram({ ...options, command });`;
  const script = join(folder, 'parent.mts');
  await writeFile(script, source);
  const parent = spawn(process.execPath, ['--import', tsx, script], { stdio: ['ignore', 'ignore', 'inherit'] });
  const pids = async () => (await readFile(file, 'utf8').catch(() => '')).trim().split('\n').map(Number);
  await until(async () => (await pids()).length === 2);
  parent.kill('SIGKILL');
  for (const pid of await pids()) await until(() => !isAlive(pid));
});

test('if no process can start because no file descriptors are left, the rollout fails with the reason, and this process continues', async () => {
  const source = `
    import { openSync } from 'node:fs';
    import { runProgram } from ${JSON.stringify(fileURLToPath(new URL('./run-program.ts', import.meta.url)))};
    const options = { env: { PATH: process.env.PATH }, outputFile: null, timeoutMs: 0 };
    console.log(await runProgram({ ...options, command: 'echo before' }));
    const held = [];
    try { for (;;) held.push(openSync('/dev/null')); } catch { /* all are in use */ }
    const error = await runProgram({ ...options, command: 'echo x' }).catch((error) => error);
    (await import('node:fs')).closeSync(held.pop());
    console.log(error.message);`;
  const script = join(folder, 'few.mts');
  await writeFile(script, source);
  const command = `ulimit -n 100; exec ${JSON.stringify(process.execPath)} --import ${tsx} ${JSON.stringify(script)}`;
  const { stdout } = await promisify(execFile)('/bin/sh', ['-c', command]);
  expect(stdout).toBe(
    "before\n'echo x' could not be started: EMFILE: too many open files, open '/dev/null'\n" +
      '  too many files are open: give a smaller concurrency, or a larger limit (ulimit -n)\n',
  );
});

test('the time of a program that is started ahead begins with its turn', async () => {
  const never = new Promise<void>(() => {});
  expect(await runProgram({ ...options, timeoutMs: 1, begun: never, command: 'sleep 0.3; echo 5' })).toBe('5');
  await expect(runProgram({ ...options, timeoutMs: 1, begun: Promise.resolve(), command: 'sleep 30' })).rejects.toThrow(
    'did not end within 0.001 s (timeout)',
  );
});
