// Tests critic_lm with the real command: ArCHer trains a critic on a DistilBERT, and on a BERT in the form of MiniLM's
// checkpoints.
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readWeights, writeWeights } from '@bowyer/checkpoints';
import { wordLevelTokenizer } from '@bowyer/text';
import { newFolder } from '@bowyer/testing';
import { repository, tinyGame } from './command-line.js';
import { runHere } from './in-process.js';

let directory: string;
beforeEach(() => (directory = newFolder()));

/** 24 words, two answers and three special tokens, as many as the fixtures' word tables have rows. */
const tokenizer = wordLevelTokenizer(
  ['is it a an the big small alive animal plant food made of can you eat hold does have in use house for ?'],
  { wholeTokens: [' Yes.\n', ' No.\n'] },
);

/** Copies a fixture of packages/models and adds a tokenizer. */
async function encoderDirectory(name: 'bert' | 'distilbert'): Promise<string> {
  const dir = join(directory, name);
  const fixture = join(repository, 'packages', 'models', 'test', 'encoder-fixtures', name);
  for (const file of ['config.json', 'model.safetensors']) await cp(join(fixture, file), join(dir, file));
  await tokenizer.save(dir);
  return dir;
}

/** Rewrites a BERT in the form of sentence-transformers' MiniLM: tensors without a prefix, a pooler, and no head. */
async function asMiniLM(dir: string): Promise<string> {
  const bert = Object.entries(await readWeights(dir)).filter(([name]) => name.startsWith('bert.'));
  await writeWeights(dir, Object.fromEntries(bert.map(([name, tensor]) => [name.slice('bert.'.length), tensor])));
  const json = JSON.parse(await readFile(join(dir, 'config.json'), 'utf8')) as object;
  await writeFile(join(dir, 'config.json'), JSON.stringify({ ...json, architectures: ['BertModel'] }));
  return dir;
}

test.each([
  { name: 'DistilBERT, its first token', feature: 'first', make: () => encoderDirectory('distilbert') },
  { name: 'MiniLM, its mean', feature: 'mean', make: async () => asMiniLM(await encoderDirectory('bert')) },
])(
  '$name: the run ends, the critic’s losses are finite and fall',
  async ({ feature, make }) => {
    const dir = await make();
    const save = join(directory, 'run');
    const critic = [
      'critic=transformer',
      `critic_lm=${dir}`,
      `critic.state_feature=${feature}`,
      'critic.max_length=20',
    ];
    const paths = [`save_path=${save}`, `cache_dir=${join(directory, 'cache')}`];
    const ended = await runHere([
      ...tinyGame('archer_20q').filter((word) => !word.startsWith('critic.width=')), // the checkpoint has its own value
      ...critic,
      ...paths,
      'iterations=4',
      'threads=1',
    ]);
    expect({ code: ended.code, said: ended.code === 0 ? '' : ended.stdout + ended.stderr }).toEqual({
      code: 0,
      said: '',
    });
    const lines = (await readFile(join(save, 'metrics.jsonl'), 'utf8')).trimEnd().split('\n');
    const losses = lines
      .map((line) => JSON.parse(line) as Record<string, number | null>)
      .flatMap((metrics) => ('losses/q1' in metrics ? [[metrics['losses/q1'], metrics['losses/v1']]] : []));
    expect(losses.length).toBe(4);
    for (const pair of losses) for (const loss of pair) expect(Number.isFinite(loss)).toBe(true);
    expect(losses.at(-1)![0]!).toBeLessThan(losses[0][0]!);
  },
  200_000,
);
