// Behaviour cloning killed with SIGKILL on its way and started again ends with the bytes of one never killed.
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run, tinyGame } from './command-line.js';

let directory: string;
beforeAll(async () => (directory = await mkdtemp(join(tmpdir(), 'bowyer-imitation-'))));
afterAll(() => rm(directory, { recursive: true, force: true }));

const at = (...path: string[]) => join(directory, ...path);
/** Sixteen dialogues in four steps an epoch, a checkpoint after each step. */
const small = [
  'demonstrations.count=16',
  'warm_start.epochs=3',
  'warm_start.batch_size=4',
  'warm_start.save_minutes=0',
];
const command = (name: string, overrides: readonly string[]) => [
  ...['--config-name', 'bc_20q', ...tinyGame, ...small, 'test_size=1', 'slots=1', 'threads=1'],
  ...[`save_path=${at(name)}`, `cache_dir=${at(name, 'cache')}`, ...overrides],
];
const entries = (folder: string) => (existsSync(folder) ? readdirSync(folder) : []);

/** Where policies are made: in the cache, or in the run. */
const inCache = (name: string) => at(name, 'cache', 'warm-starts');
const inRun = (name: string) => at(name, 'checkpoints');

/**
 * Runs a command to its end, and again, killed on the way.
 *
 * @param kills after how many steps, or soon afterwards
 * @returns the folders of both policies
 */
async function wholeAndKilled(
  place: (name: string) => string,
  title: string,
  overrides: readonly string[],
  kills: readonly number[] = [5],
) {
  const [whole, killed] = [`${title} whole`, `${title} killed`];
  const partial = () => entries(place(killed)).filter((entry) => entry.endsWith('.partial'));
  const steps = () =>
    partial()
      .flatMap((folder) => entries(join(place(killed), folder, 'checkpoints')))
      .map(Number); // half-written ones are NaN
  for (const enough of kills) {
    const { signal } = await run(command(killed, overrides), {
      killWhen: () => steps().some((step) => step >= enough),
    });
    expect(signal).toBe('SIGKILL');
    expect(partial()).toHaveLength(1);
  }
  for (const name of [killed, whole]) {
    const { code, stdout, stderr } = await run(command(name, overrides));
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(/: going on after optimizer step \d/.test(stdout + stderr)).toBe(name === killed);
  }
  expect(partial()).toEqual([]);
  const made = (name: string) => {
    const folders = entries(place(name)).map((entry) => join(place(name), entry));
    return folders.find((folder) => existsSync(join(folder, 'metrics.jsonl')))!;
  };
  return { whole: made(whole), killed: made(killed) };
}

async function expectSameBytes(folders: { whole: string; killed: string }, ...files: string[]): Promise<void> {
  for (const file of files) {
    const [whole, killed] = await Promise.all(
      [folders.whole, folders.killed].map((folder) => readFile(join(folder, file))),
    );
    expect(whole.length).toBeGreaterThan(0);
    expect(killed.equals(whole)).toBe(true);
  }
}

const conversations = () => [`demonstrations.path='${at('rooms.json')}'`, 'chat_template=chatml', 'eos_str=null'];
const lora = ['use_lora=true', 'lora.r=2', 'lora.dropout=0.2', 'lora.target_modules=all-linear'];

test('a fresh policy on conversations, then adapters beside it', async () => {
  const rooms = ['hall', 'attic', 'cellar', 'garden'];
  const messages = (i: number) => [
    { role: 'user', content: `You are in the ${rooms[i % 4]}.` },
    { role: 'assistant', content: `go to the ${rooms[(i * i + 1) % 4]}` },
  ];
  await writeFile(at('rooms.json'), JSON.stringify(Array.from({ length: 16 }, (_, i) => ({ messages: messages(i) }))));
  const fresh = await wholeAndKilled(inCache, 'fresh', conversations(), [2, 7]);
  await expectSameBytes(fresh, 'model.safetensors', 'metrics.jsonl');

  const given = `policy_lm=${fresh.whole}`;
  const adapters = await wholeAndKilled(inCache, 'adapters', [...conversations(), ...lora, given, 'optimizer=adamw']);
  await expectSameBytes(adapters, 'adapter_model.safetensors', 'metrics.jsonl');
}, 150_000);

test('adapters in 8-bit AdamW beside a given model, on demonstrations', async () => {
  await run(command('start', []));
  const [start] = entries(inCache('start'));
  const given = [`policy_lm=${join(inCache('start'), start)}`, ...lora, 'optimizer=adamw_8bit'];
  await expectSameBytes(await wholeAndKilled(inRun, 'given', given), 'adapter_model.safetensors', 'metrics.jsonl');
}, 150_000);
