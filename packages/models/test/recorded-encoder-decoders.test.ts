// Compares small encoder-decoders with the results of transformers 5.18, which record-transformers.py recorded.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDevice } from '@bowyer/graph';
import { collected, newFolder } from '@bowyer/testing';
import { generateTargets, scoreTargets } from '../src/inference/seq2seq-items.js';
import { Seq2SeqModel } from '../src/seq2seq/seq2seq-model.js';
import { furthest, writeFolder, type RecordedFolder } from './formula-folder.js';

interface Recording extends RecordedFolder {
  generation?: Record<string, unknown>;
  /** Token ids of sources and targets. */
  pairs: [number[], number[]][];
  new_tokens: number;
  greedy: number[][];
  first_logits: number[][];
  logprobs: number[][];
}

const recorded = (file: string) =>
  Object.entries(
    JSON.parse(readFileSync(new URL(`./recordings/${file}.json`, import.meta.url), 'utf8')) as Record<
      string,
      Recording
    >,
  );

const device = await openDevice({ device: 'cpu', threads: 1 });
let dir: string;
beforeEach(() => (dir = newFolder()));
afterAll(() => device.close());

async function load(recording: Recording): Promise<Seq2SeqModel> {
  await writeFolder(dir, recording);
  if (recording.generation) writeFileSync(join(dir, 'generation_config.json'), JSON.stringify(recording.generation));
  return Seq2SeqModel.load({ device, dir });
}

const items = ({ pairs }: Recording) => pairs.map(([promptIds, continuationIds]) => ({ promptIds, continuationIds }));

const greedyIds = async (model: Seq2SeqModel, recording: Recording) => {
  const sampling = { temperature: 1, topK: 0, topP: 1, greedy: true, seed: 0, batchSize: 3 };
  const options = { ...sampling, maxNewTokens: recording.new_tokens };
  return (await collected(generateTargets(model, items(recording), options))).map(({ ids }) => ids);
};

const families = ['bart', 'marian-pegasus', 't5'].flatMap(recorded);

test.each(families)('%s: logits, log-probabilities and greedy ids', async (_, recording) => {
  const model = await load(recording);
  const scores = await collected(scoreTargets(model, items(recording), { maxTokens: 4096 }));
  scores.forEach(({ logprobs, logitsHead }, i) => {
    expect(furthest(logitsHead, recording.first_logits[i])).toBeLessThan(5e-5);
    expect(furthest(logprobs, recording.logprobs[i])).toBeLessThan(5e-5);
  });
  expect(await greedyIds(model, recording)).toEqual(recording.greedy);
  await model.release();
});

test.each(recorded('target-rules'))('%s: greedy ids', async (_, recording) => {
  const model = await load(recording);
  expect(await greedyIds(model, recording)).toEqual(recording.greedy);
  await model.release();
});

test('several beams are refused by field and file, and only for generating', async () => {
  const [, recording] = recorded('bart')[0];
  const model = await load({ ...recording, generation: { eos_token_id: 2, num_beams: 4, forced_bos_token_id: 3 } });
  expect(await collected(scoreTargets(model, items(recording), { maxTokens: 4096 }))).toHaveLength(3);
  await expect(greedyIds(model, recording)).rejects.toThrow(
    `${join(dir, 'generation_config.json')} of a 'language' model: num_beams is 4, which is not supported`,
  );
  await model.release();
});
