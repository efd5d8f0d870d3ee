// Behaviour cloning killed with SIGKILL on its way and started again ends with the bytes of one never killed. Adapters with dropout on
// conversations are in finetune.test.ts.
import { existsSync, readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newFolder, whenExhaustive } from '@bowyer/testing';
import { run, tinyGame } from './command-line.js';
import { runHere } from './in-process.js';

const directory = newFolder();

const at = (...path: string[]) => join(directory, ...path);
/** Sixteen dialogues in four steps an epoch, a checkpoint after each step. */
const common = ['test_size=1', 'slots=1', 'threads=1'];
const sixteen = ['demonstrations.count=16'];
const ofRun = ['epochs=3', 'batch_size=4', 'save_minutes=0'];
const ofStart = ['warm_start.epochs=3', 'warm_start.batch_size=4', 'warm_start.save_minutes=0'];
const oneIteration = ['iterations=1', 'warmup_iter=0', 'eval_freq=1', 'eval_size=1'];
const entries = (folder: string) => (existsSync(folder) ? readdirSync(folder) : []);

/** Who imitates: behaviour cloning in the run's own folder, or the warm start of another algorithm in the cache. */
interface Imitator {
  command: (name: string, overrides: readonly string[]) => string[];
  /** Lists the folders of its checkpoints on the way. */
  checkpoints: (name: string) => string[];
  /** Returns the folder of the policy. */
  policy: (name: string) => string;
  /** Returns the file of its losses. */
  metrics: (name: string) => string;
  resumed: RegExp;
}

const cloning = (start: 'made' | 'given', config = 'bc_20q'): Imitator => ({
  command: (name, overrides) => [
    ...tinyGame(config, start).filter((word) => !word.startsWith('demonstrations.count=')),
    ...common,
    ...ofRun,
    `save_path=${at(name)}`,
    ...overrides,
  ],
  checkpoints: (name) => [at(name, 'checkpoints')],
  policy: (name) => at(name, 'checkpoints', 'best'),
  metrics: (name) => at(name, 'metrics.jsonl'),
  resumed: /resumed after \d/,
});

const starts = (name: string) => at(name, 'cache', 'warm-starts');
const startOf = (name: string) =>
  join(
    starts(name),
    entries(starts(name)).find((entry) => /^[0-9a-f]+$/.test(entry))!,
  );
const warmStart: Imitator = {
  command: (name, overrides) => [
    ...tinyGame('archer_20q'),
    ...sixteen,
    ...common,
    ...ofStart,
    ...oneIteration,
    `save_path=${at(name)}`,
    `cache_dir=${at(name, 'cache')}`,
    ...overrides,
  ],
  checkpoints: (name) =>
    entries(starts(name))
      .filter((entry) => entry.endsWith('.partial'))
      .map((entry) => join(starts(name), entry, 'checkpoints')),
  policy: startOf,
  metrics: (name) => join(startOf(name), 'metrics.jsonl'),
  resumed: /: resumed after optimizer step \d/,
};

/**
 * Runs a command to its end, and again, killed on the way: policy and losses have the same bytes.
 *
 * @param kills after how many steps, or soon afterwards
 */
async function expectSameWhenKilled(
  { command, checkpoints, policy, metrics, resumed }: Imitator,
  title: string,
  weights: string,
  overrides: readonly string[],
  kills: readonly number[] = [5],
): Promise<void> {
  const [whole, killed] = [`${title} whole`, `${title} killed`];
  const steps = () => checkpoints(killed).flatMap(entries).map(Number); // half-written ones are NaN
  for (const enough of kills) {
    const { signal } = await run(command(killed, overrides), {
      killWhen: () => steps().some((step) => step >= enough),
    });
    expect(signal).toBe('SIGKILL');
    expect(steps().length).toBeGreaterThan(0);
  }
  for (const name of [killed, whole]) {
    const { code, stdout, stderr } = await run(command(name, overrides));
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
    expect(resumed.test(stdout + stderr)).toBe(name === killed);
  }
  for (const file of [(name: string) => join(policy(name), weights), metrics]) {
    const [a, b] = await Promise.all([whole, killed].map((name) => readFile(file(name))));
    expect(a.length).toBeGreaterThan(0);
    expect(b.equals(a)).toBe(true);
  }
}

const conversations = () => [`demonstrations.path='${at('rooms.json')}'`, 'chat_template=chatml', 'eos_str=null'];
const lora = ['use_lora=true', 'lora.r=2', 'lora.dropout=0.2', 'lora.target_modules=all-linear'];

whenExhaustive().test(
  'a fresh policy on conversations',
  async () => {
    const rooms = ['hall', 'attic', 'cellar', 'garden'];
    const messages = (i: number) => [
      { role: 'user', content: `You are in the ${rooms[i % 4]}.` },
      { role: 'assistant', content: `go to the ${rooms[(i * i + 1) % 4]}` },
    ];
    await writeFile(
      at('rooms.json'),
      JSON.stringify(Array.from({ length: 16 }, (_, i) => ({ messages: messages(i) }))),
    );
    await expectSameWhenKilled(cloning('made'), 'fresh', 'model.safetensors', conversations(), [2, 7]);
  },
  180_000,
);

whenExhaustive().test(
  'adapters in 8-bit AdamW beside a given model in 8 bits, by integer products, on demonstrations',
  async () => {
    const { command, policy } = cloning('made');
    expect(await runHere(command('start', sixteen))).toMatchObject({ code: 0 });
    const base = [`policy_lm=${policy('start')}`, 'quantization=8bit', 'lora.integer_products=true'];
    const given = [...sixteen, ...base, ...lora, 'optimizer=adamw_8bit'];
    await expectSameWhenKilled(cloning('given'), 'given', 'adapter_model.safetensors', given);
  },
  180_000,
);

whenExhaustive().test(
  'offline ArCHer: critic and policy, and evaluations on the way',
  async () => {
    const tiny = ['warmup_epochs=1', 'critic.width=16', 'eval_size=2', 'eval_freq=0.5', ...sixteen];
    await expectSameWhenKilled(cloning('made', 'offline_archer_20q'), 'offline', 'model.safetensors', tiny);
  },
  180_000,
);

test('the warm start of another algorithm, in the cache', async () => {
  await expectSameWhenKilled(warmStart, 'warm start', 'model.safetensors', []);
  expect(entries(starts('warm start killed')).filter((entry) => entry.endsWith('.partial'))).toEqual([]);
}, 180_000);
