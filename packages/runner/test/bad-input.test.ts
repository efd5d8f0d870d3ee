// Tests users' mistakes: each leads to one clear message, an exit code other than 0, and no incomplete files.
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { wordLevelTokenizer } from '@bowyer/text';
import { newFolder } from '@bowyer/testing';
import { tinyGame } from './command-line.js';
import { runHere } from './in-process.js';

const directory = newFolder();

const HINT = '\nSet the environment variable HYDRA_FULL_ERROR=1 for a complete stack trace.\n';

const made = () => [...tinyGame('archer_20q'), `cache_dir=${join(directory, 'cache')}`];

/** Runs the command with a new folder. @returns the text of stderr, and whether the folder was made */
async function mistake(args: readonly string[], words = made()) {
  const folder = join(directory, `run-${args.join('-').replace(/\W+/g, '_').slice(0, 40)}`);
  const { code, stdout, stderr } = await runHere([...words, `save_path=${folder}`, ...args]);
  return { code, stdout, stderr, made: existsSync(folder) };
}

test('a key that no config has: place and nearest known key', async () => {
  expect(await mistake(['rollout_sise=3'])).toEqual({
    code: 1,
    stdout: '',
    stderr:
      "Could not override 'rollout_sise': no such key\n" +
      '  in the command line\n' +
      "  did you mean 'algorithm.rollout.size'?\n" +
      "  to add a key that no config declares, write '+rollout_sise=3'\n" +
      HINT,
    made: false,
  });
});

test('an unknown key in a config file: its file and line', async () => {
  const configs = join(directory, 'configs');
  await cp(new URL('../../../configs', import.meta.url), configs, { recursive: true });
  await writeFile(join(configs, 'mine.yaml'), 'defaults: [archer_20q, _self_]\n\nalgorithm: {iteratons: 3}\n');
  const { code, stderr } = await runHere(['--config-dir', configs, '--config-name', 'mine']);
  expect(code).toBe(1);
  expect(stderr).toContain("Unknown config key 'algorithm.iteratons'\n");
  expect(stderr).toContain(`  in ${join(configs, 'mine.yaml')}:3\n`);
  expect(stderr).toContain("  did you mean 'algorithm.iterations'?\n");
});

describe('a config file whose units the command line replaces', () => {
  const file = 'defaults: [archer_20q, _self_]\ncritic_lr: 2e-3\nalgorithm: {critic: {tau: 0.2}}\n';
  const shown = async (text: string, ...words: string[]) => {
    const configs = join(directory, 'replaced');
    await mkdir(configs, { recursive: true });
    await writeFile(join(configs, 'mine.yaml'), text);
    return runHere(['--config-dir', configs, '--config-name', 'mine', ...words, '--cfg', 'job']);
  };

  test('options of the replaced units are ignored', async () => {
    expect((await shown(file)).stdout).toMatch(/^ {4}lr: 0.002\n[^]*^ {4}tau: 0.2$/m);
    const { stdout, stderr } = await shown(file, 'algorithm=grpo');
    expect(stderr).toBe('');
    expect(stdout).not.toMatch(/critic|tau/);
  });

  test.each([['algorithm=grpo'], ['env=guess_my_city'], ['logger=none'], ['optimizer=sgd']])(
    'a key that no unit has is refused with %s',
    async (word) => {
      const { stderr } = await shown(`${file}nonsense: 5\nlm_lrr: 2\nenv: {word: 3}\n`, word);
      for (const key of ['nonsense', 'lm_lrr', 'env.word']) expect(stderr).toContain(`Unknown config key '${key}'\n`);
    },
  );

  test('an option of another algorithm is refused if the command line replaces only a logger', async () => {
    const text = 'defaults: [grpo_20q, _self_]\nalgorithm: {critic: {tau: 0.2}}\n';
    expect((await shown(text, 'logger=none')).stderr).toContain("Unknown config key 'algorithm.critic'\n");
  });
});

test('a config file without defaults: what to begin it with', async () => {
  const configs = join(directory, 'own');
  await mkdir(configs);
  await writeFile(join(configs, 'own.yaml'), 'lm_lr: 1e-3\n');
  expect((await runHere(['--config-dir', configs, '--config-name', 'own'])).stderr).toBe(
    "this config has no list of defaults, so that it lacks the project's own keys\n" +
      '  begin its file with\n    defaults:\n      - default\n      - algorithm: archer\n      - _self_\n' +
      HINT,
  );
});

test('all values of wrong types are reported at once', async () => {
  const { code, stderr, made } = await mistake(['lm_lr=fast', 'env.max_turns=0']);
  expect({ code, made }).toEqual({ code: 1, made: false });
  expect(stderr).toContain(
    "Config key 'algorithm.actor.lr' must be a number, not the text 'fast'\n    in command line: lm_lr=fast\n",
  );
  expect(stderr).toContain(
    "Config key 'env.max_turns' must be at least 1, not 0\n    in command line: env.max_turns=0\n",
  );
});

test('an unknown config name is reported with the known ones', async () => {
  const { code, stderr } = await runHere(['--config-name', 'archer_21q']);
  expect(code).toBe(1);
  expect(stderr).toContain("Cannot find primary config 'archer_21q'\n");
  expect(stderr).toContain("did you mean 'archer_20q'?\n");
  for (const name of ['archer_20q', 'chai_20q', 'online_filteredbc_20q']) expect(stderr).toContain(name);
});

test('a model folder that is not there', async () => {
  const missing = join(directory, 'no-model');
  expect(await mistake([`checkpoint_path=${missing}`], tinyGame('archer_20q', 'given'))).toEqual({
    code: 1,
    stdout: '',
    stderr:
      `policy.checkpoint: there is no folder '${missing}'\n` +
      `  in command line: checkpoint_path=${missing}\n` +
      '  give a model in Hugging Face layout (a folder with config.json, model.safetensors and tokenizer.json), a GGUF file, a\n' +
      '  run or one of its checkpoints, or a model of the hub (OWNER/NAME)\n' +
      HINT,
    made: false,
  });
});

test('a critic checkpoint beside the critic that reads lines', async () => {
  const { code, stderr } = await mistake(['critic=line', 'critic_lm=roberta-base']);
  expect(code).toBe(1);
  expect(stderr).toContain(
    'critic.model=roberta-base: the built-in critic is made from scratch and would not use it\n' +
      '  in command line: critic_lm=roberta-base\n' +
      '  write critic=transformer or critic=roberta_base, or critic.model=null\n',
  );
});

test('a file of demonstrations that is not there', async () => {
  const missing = join(directory, 'no-games.json');
  // The file itself determines the number of demonstrations.
  const words = made().filter((word) => !word.startsWith('demonstrations.count='));
  expect(await mistake([`demonstrations.path=${missing}`], words)).toEqual({
    code: 1,
    stdout: '',
    stderr:
      `demonstrations.path: there is no file '${missing}'\n` +
      `  in command line: demonstrations.path=${missing}\n` +
      '  give a file of dialogues or episodes, or null for generated ones\n' +
      HINT,
    made: false,
  });
});

const notOneToken = (text: string, count: number) =>
  `sampling.eos_str ${JSON.stringify(text)} is ${count} tokens of this policy's tokenizer; it must be one\n`;

test('an eos_str of two words, before demonstrations are made', async () => {
  const { code, stdout, stderr } = await mistake(['eos_str=no way']);
  expect(code).toBe(1);
  expect(stderr).toContain(notOneToken('no way', 2));
  expect(stdout + stderr).not.toContain('making');
});

test.each(['generate', 'serve_model'])('%s: an eos_str of two words, before weights are read', async (name) => {
  const model = join(directory, 'without-weights');
  await mkdir(model, { recursive: true });
  await wordLevelTokenizer(['is it a dog ?']).save(model);
  await writeFile(join(model, 'config.json'), '{}');
  const prompts = join(directory, 'prompts.jsonl');
  await writeFile(prompts, '{"prompt": "is it"}\n');
  const files = name === 'generate' ? [`input=${prompts}`, `output=${join(directory, 'texts.jsonl')}`] : ['port=0'];
  const words = ['--config-name', name, `model=${model}`, ...files];
  expect(await mistake(['eos_str=is it'], words)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(notOneToken('is it', 2)) as unknown,
  });
  expect((await mistake([], words)).stderr).not.toContain('eos_str'); // its weights are then missing
});

test('an output folder that cannot be made', async () => {
  const file = join(directory, 'a-file');
  await writeFile(file, '');
  const { code, stderr } = await mistake([`save_path=${join(file, 'run')}`]);
  expect(code).toBe(1);
  expect(stderr).toBe(
    `save_path: '${join(file, 'run')}' cannot be written: a part of its path is a file, not a folder\n` +
      `  in command line: save_path=${join(file, 'run')}\n  give save_path another folder\n${HINT}`,
  );
});

test('a truncated model and a damaged checkpoint', async () => {
  const folder = join(directory, 'good');
  const command = [...made(), `save_path=${folder}`];
  expect(await runHere([...command])).toMatchObject({ code: 0 });

  // The error for an incomplete model file names the file and the missing part.
  const model = join(directory, 'truncated');
  await cp(join(folder, 'checkpoints', 'best'), model, { recursive: true });
  await truncate(join(model, 'model.safetensors'), 2000);
  const { code, stderr } = await runHere([
    ...tinyGame('archer_20q', 'given'),
    `save_path=${join(directory, 'from-truncated')}`,
    `checkpoint_path=${model}`,
  ]);
  expect(code).toBe(1);
  expect(stderr).toContain(join(model, 'model.safetensors'));
  expect(existsSync(join(directory, 'from-truncated', 'metrics.jsonl'))).toBe(false);

  // The newest checkpoint is damaged: the run reports it, resumes from the checkpoint before, and has the same results.
  const [older, newest] = (await readdir(join(folder, 'checkpoints'))).filter((name) => /^\d+$/.test(name));
  await truncate(join(folder, 'checkpoints', newest, 'policy', 'model.safetensors'), 100);
  await rm(join(folder, 'results.json'));
  const again = await runHere([...command]);
  expect(again.code).toBe(0);
  expect(again.stdout).toContain(
    `checkpoint ${join(folder, 'checkpoints', newest)} is damaged: policy/model.safetensors does not have the bytes that were written; ` +
      `falling back to checkpoint ${older}`,
  );
  expect(existsSync(join(folder, 'results.json'))).toBe(true);
}, 180_000);
