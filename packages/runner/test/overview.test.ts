// Tests that `bowyer` without a config prints an overview and runs nothing, and that `--help` begins with the product's name and
// usage.
import { readdirSync } from 'node:fs';
import { runCommandLine } from '@bowyer/config';
import { newFolder } from '@bowyer/testing';
import { bowyer } from '../src/program.js';
import { taskNames } from '../src/tasks/registry.js';
import { contextOf } from './composed.js';
import { ConfigNotes } from '../src/config/config-notes.js';
import { shellWords } from './documented-commands.js';

const folder = newFolder();

async function printed(...argv: string[]) {
  const answer = { code: -1, stdout: '', stderr: '' };
  answer.code = await runCommandLine({
    ...bowyer(argv),
    cwd: folder,
    stdout: { write: (text) => (answer.stdout += text) },
    stderr: { write: (text) => (answer.stderr += text) },
  });
  return answer;
}

describe('without a config', () => {
  test.each([[[]], [['--quiet']], [['-m']]])('%j: what there is, and nothing runs', async (argv) => {
    const { code, stdout, stderr } = await printed(...argv);
    expect({ code, stderr, files: readdirSync(folder) }).toEqual({ code: 0, stderr: '', files: [] });
    for (const name of taskNames()) expect(stdout).toMatch(new RegExp(`^  ${name} +\\w`, 'm'));
    for (const name of ['archer', 'ppo', 'twenty_questions', 'wordle'])
      expect(stdout).toMatch(new RegExp(`^  .*\\b${name}\\b`, 'm'));
  });

  test('--json: the same text as an event', async () => {
    const { stdout } = await printed('--json');
    expect(JSON.parse(stdout)).toEqual({ event: 'text', text: (await printed()).stdout });
  });

  test('the commands that it shows are valid', async () => {
    const [init, ...commands] = [...(await printed()).stdout.matchAll(/^ {2}npx bowyer (.+)$/gm)].map(
      ([, line]) => line!,
    );
    expect(init).toBe('init agent'); // test/init.test.ts
    expect(commands).toHaveLength(3);
    for (const line of commands)
      expect(await printed(...shellWords(line), '--dry-run')).toMatchObject({ code: 0, stderr: '' });
  });

  test('overrides alone are for the default config, and the log says so', async () => {
    expect((await printed('iterations=2', '--dry-run')).stdout).toContain('The config is complete and valid.');
    expect(await bowyer([]).overview!(['iterations=2'])).toBeUndefined();
    const lines = async (isDefaultConfig: boolean) => {
      const notes = new ConfigNotes();
      await bowyer([], null, notes).translate!(['iterations=2'], { ...contextOf('archer_20q'), isDefaultConfig });
      return notes.ofCommandLine;
    };
    expect(await lines(true)).toEqual(['config archer_20q, since no --config-name is given']);
    expect(await lines(false)).toEqual([]);
  });

  test('a config named without its flag: what to write', async () => {
    const { code, stderr } = await printed('archer_20q');
    expect(code).toBe(1);
    expect(stderr).toContain("'=' is missing\n  write --config-name archer_20q\n");
  });

  test.each([
    [['train'], 'write --config-name archer_20q (an agent in an environment), --config-name train_agent'],
    [['--config-name', 'train'], 'or --config-name finetune (a model on your data)'],
    [['ppo'], 'write --config-name archer_20q algorithm=ppo'],
    [['evaluate'], 'write --config-name archer_20q task=evaluate'],
    [['play'], 'write --config-name play, as in npx bowyer --config-name play env=wordle\n'],
    [['figures'], 'write --config-name figures, as in npx bowyer --config-name figures task.dirs=[FOLDER,…]\n'],
    [['eval_agentgym'], 'as in npx bowyer --config-name eval_agentgym policy.checkpoint=RUN\n'],
    [['evaluate_agent'], 'task.model=RUN task.compare_with=[FOLDER] task.fail_below=0.8\n'],
    [['reverify'], 'env=NAME task.input=RUN/trajectories/test.jsonl\n'],
  ])('%j, which does not name a config: what to write', async (args, remedy) => {
    const { code, stderr } = await printed(...args);
    expect(code).toBe(1);
    expect(stderr).toContain(remedy);
    expect(stderr).not.toContain('train=value');
  });
});

test('--help: name and usage, the keys of the config, then groups without the internal ones', async () => {
  const { code, stdout } = await printed('--config-name', 'play', '--help');
  expect(code).toBe(0);
  const [name, keys, , usage] = stdout.split('\n');
  expect(name).toBe('Bowyer trains and evaluates language-model agents on multi-turn text tasks.');
  expect(keys).toBe('Below are the keys of play, then the groups and the configs to choose from.');
  expect(usage).toMatch(/^usage: npx bowyer \[--config-name NAME\]/);
  const places = ['== Config ==', '  seed=0', '== Configuration groups ==', '\nalgorithm: ', '== Primary configs =='];
  const found = places.map((part) => stdout.indexOf(part));
  expect(found).toEqual([...found].sort((a, b) => a - b));
  expect(found[0]).toBeGreaterThan(0);
  expect(stdout).not.toMatch(/^(shared|preset\/\w+):/m);
});
