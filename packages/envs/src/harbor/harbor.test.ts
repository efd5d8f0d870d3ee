import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { newFolder } from '@bowyer/testing';
import { defaultsOf } from '../option.js';
import { HarborEnv } from './harbor-env.js';
import { harborSchema, type HarborOptions } from './options.js';
import { rewardOf } from './reward.js';
import { harborTasks } from './task-folder.js';
import { harborUnit } from './unit.js';

const folder = newFolder();

const options = (given: Partial<HarborOptions>) => ({ ...defaultsOf(harborSchema), ...given });

const plain = {
  'task.toml': '[metadata]\ncategory = "files"\n',
  'instruction.md': 'Write 5.\n',
  'environment/Dockerfile': 'FROM ubuntu\n',
  'tests/test.sh': 'cat /five.txt > /logs/verifier/reward.txt\n',
};

/** Writes folders of tasks; null leaves out a file of the plain task. */
function tasks(name: string, all: Record<string, Record<string, string | null>>): string {
  for (const [task, files] of Object.entries(all))
    for (const [path, text] of Object.entries({ ...plain, ...files })) {
      if (text === null) continue;
      mkdirSync(dirname(join(folder, name, task, path)), { recursive: true });
      writeFileSync(join(folder, name, task, path), text);
    }
  return join(folder, name);
}

test('the solution of every task that ships is rewarded with 1, and doing nothing with 0', async () => {
  const env = new HarborEnv(options({}));
  const ids = harborTasks({ tasks: null }).map(({ id }) => id);
  expect(ids).toEqual(['count-errors', 'rename-notes', 'set-port']);
  const played: [string, number, number][] = [];
  for (const task of ids) {
    await env.reset({ task });
    await env.step(env.expertReply()!);
    const solved = await env.step(env.expertReply()!);
    await env.reset({ task });
    const idle = await env.step('submit');
    played.push([task, solved.reward, idle.reward]);
    expect(solved).toMatchObject({ terminated: true, info: { won: true } });
    expect(idle).toMatchObject({ terminated: true, info: { won: false } });
  }
  expect(played).toEqual(ids.map((task) => [task, 1, 0]));
  await env.close();
});

test('an episode: the output of commands, the folder they leave, and numbers of reward.json by name', async () => {
  const env = new HarborEnv(options({ maxTurns: 7, outputChars: 100, commandMs: 3_000, instruction: '' }));
  const start = await env.reset({ task: 'rename-notes' });
  expect(start.observation).toMatch(/^In \/app\/notes, give every file/);
  const said = async (reply: string) => (await env.step(reply)).observation;
  expect(await said('I look first.\n```bash\ncd notes && pwd\n```')).toBe('/app/notes');
  expect(await said('<think>ls?</think>ls; ls /tests')).toMatch(
    /^plan\.csv\nstring\.txt\nyew\.txt\nls: \/tests: No such file/,
  );
  expect(await said('mv yew.txt yew.md')).toBe('(no output)');
  expect(await said('nosuch')).toBe('bash: nosuch: command not found\n(exit code 127)');
  expect(await said('seq 1 1000')).toContain('characters left out');
  expect(await said('sleep 30')).toMatch(/\(ended after 3 s\)$/);
  const end = await env.step(
    'echo 1 > /logs/verifier/reward.txt; mkdir -p /tests; echo exit > /tests/test.sh; rm plan.csv',
  );
  expect(end).toMatchObject({ reward: 0, terminated: false, truncated: true });
  expect(end.info).toMatchObject({ components: { reward: 0, renamed: 0, kept: 0 }, won: false, kind: 'files' });
  await env.close();
});

test('a Dockerfile of a plain base, files, variables and simple commands is followed', async () => {
  const path = tasks('docker', {
    one: {
      'environment/Dockerfile':
        '# a base\nFROM --platform=linux/amd64 docker.io/library/debian:12 AS base\nENV A=1 B="two words"\nRUN apt-get update && apt-get install -y --no-install-recommends jq coreutils && rm -rf /var/lib/apt/lists/*\nWORKDIR /srv\nCOPY --chown=root data ./data/\nADD first.txt second.txt /srv/\nRUN mkdir x \\\n && echo made > x/y\nCMD ["bash"]\n',
      'environment/data/a/b.txt': 'deep',
      'environment/first.txt': '1',
      'environment/second.txt': '2',
      'task.toml': '[environment]\nenv = { C = "3" }\n[verifier]\nenv = { D = "0.5" }\ntimeout_sec = 50\n',
      'tests/test.sh': 'echo "$D" > /logs/verifier/reward.txt',
    },
  });
  writeFileSync(join(path, 'README.md'), 'Not a task.');
  const env = new HarborEnv(options({ tasks: path }));
  await env.reset();
  const { observation } = await env.step('pwd; echo $A $B $C; cat data/a/b.txt first.txt second.txt x/y');
  expect(observation).toBe('/srv\n1 two words 3\ndeep12made');
  expect(await env.step('submit')).toMatchObject({ reward: 0.5 });
  await env.close();
});

test('tasks that need more than a shell are refused by name, all at once', () => {
  const path = tasks('refused', {
    a: { 'environment/Dockerfile': 'FROM python:3.13\n' },
    b: { 'environment/Dockerfile': 'FROM ubuntu\nRUN apt-get update && apt-get install -y tmux\n' },
    c: { 'environment/docker-compose.yaml': 'services: {}\n' },
    d: { 'tests/test.sh': 'set -e\nuvx pytest /tests\n' },
    e: { 'tests/test.sh': null },
    f: { 'task.toml': '[[steps]]\nname = "first"\n' },
    g: { 'task.toml': '[verifier]\nenv = { KEY = "${KEY}" }\n' },
    h: { 'task.toml': 'a = \n' },
    i: { 'task.toml': '[environment]\ngpus = 1\n' },
    j: { 'task.toml': null, 'task.yaml': 'instruction: x\n' },
    k: { 'environment/Dockerfile': 'FROM ubuntu\nCOPY lost.txt /\n' },
  });
  expect(() => harborTasks({ tasks: path })).toThrow(
    [
      `harbor: ${path} cannot be played`,
      '  a: FROM python:3.13 is an image; played are those on alpine, bash, busybox, debian, ubuntu, which bring a shell alone',
      '  b: environment/Dockerfile: RUN apt-get update && apt-get install -y tmux needs an image (apt-get)',
      '  c: environment/docker-compose.yaml needs containers',
      '  d: tests/test.sh runs uvx, which the shell of just-bash does not have',
      '  e: there is no tests/test.sh',
      '  f: [[steps]] of task.toml: tasks of several steps are not played',
      '  g: [verifier] env.KEY takes a variable of your machine: ${KEY}',
      '  h: task.toml is not TOML: Invalid TOML document: invalid value',
      '  i: [environment] gpus needs more than a shell',
      "  j: task.yaml is the older form of Terminal-Bench; Harbor's own command converts it to task.toml",
      '  k: environment/Dockerfile: there is no lost.txt to copy',
    ].join('\n'),
  );
  expect(() => harborTasks({ tasks: join(folder, 'none') })).toThrow(/there is no such folder/);
});

test.each([
  [
    '{"reward": 0.5, "style": 1, "note": "x"}',
    '1',
    { reward: 0.5, components: { reward: 0.5, style: 1 }, fault: null },
  ],
  ['{"style": 1}', ' 0.25\n', { reward: 0.25, components: { style: 1 }, fault: null }],
  ['0.75', null, { reward: 0.75, components: { reward: 0.75 }, fault: null }],
  [null, '1.0\n', { reward: 1, components: {}, fault: null }],
  [null, '', { reward: 0, components: {}, fault: 'reward.txt is no number' }],
  ['[1]', '1', { reward: 0, components: {}, fault: 'reward.json is neither a number nor an object' }],
  ['{', '1', { reward: 0, components: {}, fault: 'reward.json is not JSON' }],
  [null, null, { reward: 0, components: {}, fault: 'the tests wrote neither reward.json nor reward.txt' }],
])('reward.json %j with reward.txt %j', (json, text, reward) => {
  expect(rewardOf(json, text)).toEqual(reward);
});

test('a shell that takes too much memory or does not answer ends the episode, and the next one is sound', async () => {
  const path = tasks('bounds', { one: { 'tests/test.sh': 'while true; do :; done\n' } });
  const env = new HarborEnv(options({ tasks: path, memoryMb: 64, verifierMs: 500 }));
  await env.reset();
  const bomb =
    'x=aaaaaaaa; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24; do x=$x$x; done; echo ${#x}';
  const { observation } = await env.step(bomb);
  expect(observation).toMatch(/exceeded|The shell was ended|exit code/);
  await env.reset();
  expect((await env.step('echo sound')).observation).toBe('sound');
  expect(await env.step('submit')).toMatchObject({
    reward: 0,
    terminated: true,
    info: { fault: expect.any(String) as string },
  });
  await env.close();
});

test('solutions are demonstrations', async () => {
  const set = await harborUnit.demonstrations!.make(options({}), { count: 2, seed: 1 });
  expect(set.summary).toBe('2 episodes, 4 turns, mean return 1.00');
  expect(harborUnit.demonstrations!.problem!(options({ tasks: tasks('unsolved', { one: {} }) }))).toMatch(/no task of/);
});
