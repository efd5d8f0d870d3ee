// Tests ArCHer's own files with the real command: a checkpoint of its trainer as checkpoint_path, an oracle's weights as
// env_load_path, and a token as a key.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { wordLevelTokenizer } from '@bowyer/text';
import { newFolder } from '@bowyer/testing';
import { repository, run, succeeds } from './command-line.js';
import { runHere } from './in-process.js';

const fixtures = join(repository, 'packages/models/test/fixtures');
const pickles = join(repository, 'packages/checkpoints/test/fixtures/pickles');

let directory: string;
const at = (...names: string[]) => join(directory, ...names);
beforeEach(() => (directory = newFolder()));

/** Writes a model in Hugging Face layout with the sizes of the pickles. */
async function model(): Promise<string> {
  cpSync(join(fixtures, 'gpt2'), at('gpt2'), { recursive: true });
  await wordLevelTokenizer(['once upon a time']).save(at('gpt2'));
  return at('gpt2');
}

const play = ['env=tabular', 'max_new_tokens=1', 'slots=4', 'test_size=4', 'threads=1', 'eos_str=null'];

test('checkpoint_path is a file of ArCHer’s trainer: converted once, and played', async () => {
  cpSync(join(pickles, 'gpt2-agent.pt'), at('trainer.pt'));
  const words = [
    '--config-name',
    'archer_20q',
    'task=evaluate',
    ...play,
    `policy_lm=${await model()}`,
    `checkpoint_path=${at('trainer.pt')}`,
    `save_path=${at('run')}`,
  ];
  const { stdout } = await succeeds(runHere(words, { cwd: directory }));
  const [folder] = readdirSync(at('.cache', 'converted'));
  expect(folder).toMatch(/^trainer-[0-9a-f]{12}$/);
  expect(readdirSync(at('.cache', 'converted', folder)).sort()).toEqual(
    expect.arrayContaining(['config.json', 'model.safetensors', 'tokenizer.json']),
  );
  expect(stdout).toContain(`${at('trainer.pt')}: converted to`);
  const again = await runHere([...words.slice(0, -1), `save_path=${at('again')}`], { cwd: directory });
  expect(again.stdout).toContain(`${at('trainer.pt')}: converted before`);
}, 180_000);

test('a missing file is refused before anything is written', async () => {
  const { code, stderr } = await runHere([
    '--config-name',
    'archer_20q',
    `checkpoint_path=${at('x.pt')}`,
    `save_path=${at('run')}`,
  ]);
  expect({ code, made: existsSync(at('run')) }).toEqual({ code: 1, made: false });
  expect(stderr).toContain(`policy.checkpoint: there is no file '${at('x.pt')}'`);
});

test('env_load_path is an oracle’s file: the game is answered by it', async () => {
  mkdirSync(at('oracle'));
  cpSync(join(fixtures, '../seq2seq-fixtures/flan-t5'), at('oracle'), { recursive: true });
  const { stdout } = await succeeds(
    run(
      [
        '--config-name',
        'bc_20q',
        'task=evaluate',
        'max_new_tokens=2',
        'slots=2',
        'test_size=2',
        'threads=1',
        'eos_str=null',
        `checkpoint_path=${await model()}`,
        'env.max_turns=1',
        `save_path=${at('run')}`,
        `env_load_path=${at('oracle', 'model.safetensors')}`,
      ],
      { cwd: directory },
    ),
  );
  expect(stdout).toContain(`env.oracle=t5, since env.oracle_model=${at('oracle', 'model.safetensors')}`);
  expect(readFileSync(at('run', 'trajectories', 'test.jsonl'), 'utf8')).toContain('t5:');
}, 180_000);

test('a token of the hub is in no file of the run, and what other keys became is in its log', async () => {
  await succeeds(
    runHere(
      [
        '--config-name',
        'bc_20q',
        'task=demonstrations',
        'demonstrations.count=2',
        'env_name=coin',
        `save_path=${at('run')}`,
        'huggingface_token=hf_secret',
        '--num_workers',
        '8',
      ],
      { cwd: directory },
    ),
  );
  const files = readdirSync(at('run'), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  for (const { parentPath, name } of files)
    expect(readFileSync(join(parentPath, name), 'utf8')).not.toContain('hf_secret');
  const log = readFileSync(at('run', 'run.log'), 'utf8');
  expect(log).toContain('env_name=coin: env=coin');
  expect(log).toContain('num_workers=8: changes nothing here: data are loaded in the process itself');
});
