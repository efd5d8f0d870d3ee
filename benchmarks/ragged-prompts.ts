// The cost of ragged prompts: 32 slots of a small Llama, of which one reads 900 new tokens at each turn and the others
// 60 to 149, as where a context outgrows the model's; compared with turns of as many tokens in rows of one length.
//   node --conditions=source --import tsx benchmarks/ragged-prompts.ts [repetitions]
import { loadavg } from 'node:os';
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { LanguageModel } from '@bowyer/models';
import { wordLevelTokenizer } from '@bowyer/text';
import { median } from './measure.js';

const REPEATS = Number(process.argv[2] ?? 5);
const SLOTS = 32;
const TURNS = 6;
const sampling = { temperature: 1, topK: 0, topP: 1, greedy: false, maxNewTokens: 1, terminatorIds: [] };

const device = await openDevice({ device: 'cpu', threads: 1 });
try {
  const words = Array.from({ length: 100 }, (_, i) => `w${i}`).join(' ');
  const tokenizer = wordLevelTokenizer([words], { wholeTokens: [] });
  const config = {
    model_type: 'llama',
    vocab_size: tokenizer.vocabSize,
    hidden_size: 128,
    intermediate_size: 342,
    num_hidden_layers: 3,
    num_attention_heads: 4,
    max_position_embeddings: 2048,
    tie_word_embeddings: true,
  };
  const policy = await LanguageModel.create({ device, tokenizer, maskedTokenIds: [], rng: new Rng(1), config });
  const ragged = new Rng(2);
  const lengths = Array.from({ length: TURNS }, (_, turn) =>
    Array.from({ length: SLOTS }, (_, slot) => (slot === turn ? 900 : 60 + ragged.integer(0, 89))),
  );
  const equal = lengths.map((own) => own.map(() => Math.round(own.reduce((a, b) => a + b) / SLOTS)));
  const seconds = async (turns: readonly number[][]) => {
    const rng = new Rng(3);
    const episodes = await policy.openEpisodes({ slots: SLOTS });
    const start = performance.now();
    for (const own of turns) {
      const ids = (length: number) => Array.from({ length }, () => rng.integer(3, tokenizer.vocabSize - 1));
      await episodes.act(
        own.map((length, slot) => ({ slot, rng, tokens: ids(length) })),
        sampling,
      );
    }
    const taken = (performance.now() - start) / 1000;
    await episodes.close();
    return taken;
  };
  const taken = { ragged: [] as number[], equal: [] as number[] };
  for (let repeat = 0; repeat <= REPEATS; repeat++) {
    const [one, other] = [await seconds(lengths), await seconds(equal)];
    if (repeat === 0) continue; // compiles
    taken.ragged.push(one);
    taken.equal.push(other);
  }
  const ratio = median(taken.ragged.map((one, i) => one / taken.equal[i]));
  console.log(
    `${TURNS} turns of ${SLOTS} rows: ragged ${median(taken.ragged).toFixed(2)} s, equal ${median(taken.equal).toFixed(2)} s, ` +
      `ratio ${ratio.toFixed(2)} (medians of ${REPEATS}; load ${loadavg()[0].toFixed(1)})`,
  );
} finally {
  await device.close();
}
