import { Rng, spokenIds } from '@bowyer/core';
import { openDevice, webgpuAvailable, type Device, type State } from '@bowyer/graph';
import { describeOnDevices, when } from '@bowyer/testing';
import { gpt2LoopLogits, logprobOf } from '../../test/reference/gpt2-loops.js';
import { tinyConfig, tinyParameters } from '../../test/reference/tiny-gpt2.js';
import { DecodePrograms } from './decode-programs.js';
import { Episodes } from './episodes.js';
import type { SlotInput } from './turns.js';
import { gpt2 } from '../decoder/families/gpt2.js';
import type { SamplingOptions } from './sampling-options.js';
import { TokenScorer } from '../training/token-scorer.js';

const config = tinyConfig({ n_positions: 40, vocab_size: 13 });
const tensors = tinyParameters(config, 21);
const architecture = gpt2(config);
const TERMINATORS = [3, 7];

describeOnDevices(await webgpuAvailable(), (kind) => {
  let device: Device;
  let parameters: State;
  let programs: DecodePrograms;
  let maskingPrograms: DecodePrograms;
  beforeAll(async () => {
    device = await openDevice({ device: kind, threads: 1 });
    parameters = await device.createState(tinyParameters(config, 21));
    programs = new DecodePrograms({ device, architecture, parameters, maskedTokenIds: [] });
    maskingPrograms = new DecodePrograms({ device, architecture, parameters, maskedTokenIds: [5] });
  });
  afterAll(() => device.close());

  async function withEpisodes<T>(
    options: {
      slots: number;
      programs?: DecodePrograms;
      contextLength?: number;
      prefillChunk?: number;
      leastShared?: number;
    },
    use: (episodes: Episodes) => Promise<T>,
  ): Promise<T> {
    const episodes = await Episodes.open({ programs, contextLength: 40, ...options });
    try {
      return await use(episodes);
    } finally {
      await episodes.close();
    }
  }

  type TestSampling = SamplingOptions & { rng: Rng };

  const sampling = (changes: Partial<TestSampling> = {}): TestSampling => ({
    temperature: 1,
    topK: 0,
    topP: 1,
    greedy: false,
    maxNewTokens: 6,
    terminatorIds: TERMINATORS,
    rng: new Rng(1),
    ...changes,
  });

  /** Samples utterances for turns that all draw their random numbers from the same generator. */
  const act = (episodes: Episodes, turns: Omit<SlotInput, 'rng'>[], { rng, ...options }: TestSampling) =>
    episodes.act(
      turns.map((turn) => ({ ...turn, rng })),
      options,
    );

  const prompt = (length: number, seed: number) => {
    const rng = new Rng(seed);
    return Array.from({ length }, () => rng.integer(0, 12));
  };

  /** Continues a context greedily with plain float64 loops over GPT-2's formulas, without a KV cache. */
  function loopGreedy(context: number[], maxNewTokens: number): number[] {
    const ids = [...context];
    while (ids.length < context.length + maxNewTokens) {
      const logits = gpt2LoopLogits(config, tensors, ids).at(-1)!;
      ids.push(logits.indexOf(Math.max(...logits)));
      if (TERMINATORS.includes(ids.at(-1)!)) break;
    }
    return ids.slice(context.length);
  }

  test('cached = uncached: greedy tokens over several turns of ragged slots are those of plain loops', async () => {
    await withEpisodes({ slots: 5 }, async (episodes) => {
      const contexts: number[][] = [[], [], [], [], []];
      for (let turn = 0; turn < 4; turn++) {
        // Each call has turns of different slots, so that their rows in the cache change.
        const slots = [
          [0, 1, 2, 3, 4],
          [4, 2],
          [3, 0, 1],
          [1, 4, 0, 2, 3],
        ][turn];
        const turns = slots.map((slot) => ({ slot, tokens: prompt(1 + ((slot + 2 * turn) % 4), 10 * turn + slot) }));
        const utterances = await act(episodes, turns, sampling({ greedy: true, maxNewTokens: 5 }));
        utterances.forEach((utterance, i) => {
          expect(utterance.slot).toBe(slots[i]);
          const context = contexts[utterance.slot];
          context.push(...turns[i].tokens);
          expect(utterance.ids).toEqual(loopGreedy(context, 5));
          expect(utterance.contextTokens).toBe(context.length);
          context.push(...spokenIds(utterance));
          expect(episodes.length(utterance.slot)).toBe(context.length);
        });
      }
    });
  });

  test('prompts fed in chunks are prompts fed at once, whatever their lengths', async () => {
    await withEpisodes({ slots: 4, prefillChunk: 3 }, async (episodes) => {
      // With these chunks, prompts of 1, 3, 7 and 10 tokens need up to four runs of the graph; every row's last token is in the
      // last run.
      const prompts = [1, 3, 7, 10].map((length) => prompt(length, 60 + length));
      const turns = prompts.map((tokens, slot) => ({ slot, tokens }));
      const utterances = await act(episodes, turns, sampling({ greedy: true }));
      utterances.forEach((utterance, i) => expect(utterance.ids).toEqual(loopGreedy(prompts[i], 6)));
    });
  });

  test('rows whose prompts are much longer come first and are read for themselves; each keeps its own text', async () => {
    const long = tinyConfig({ n_positions: 160, vocab_size: 13 });
    const longTensors = tinyParameters(long, 23);
    const longPrograms = new DecodePrograms({
      device,
      architecture: gpt2(long),
      parameters: await device.createState(tinyParameters(long, 23)),
      maskedTokenIds: [],
    });
    await withEpisodes({ slots: 4, programs: longPrograms, contextLength: 160, prefillChunk: 32 }, async (episodes) => {
      const contexts: number[][] = [[], [], [], []];
      for (const [turn, lengths] of [
        [3, 90, 5, 130],
        [70, 2, 80, 4],
      ].entries()) {
        const turns = lengths.map((length, slot) => ({ slot, tokens: prompt(length, 90 + 4 * turn + slot) }));
        const utterances = await act(episodes, turns, sampling({ greedy: true, maxNewTokens: 3 }));
        utterances.forEach((utterance, slot) => {
          contexts[slot].push(...turns[slot].tokens);
          const logits = gpt2LoopLogits(long, longTensors, contexts[slot]).at(-1)!;
          expect(utterance.ids[0]).toBe(logits.indexOf(Math.max(...logits)));
          contexts[slot].push(...spokenIds(utterance));
          expect([...episodes.context(slot)]).toEqual(contexts[slot]);
        });
      }
    });
    await longPrograms.release();
  });

  test('the common prefix of prompts is read once, by one slot for all', async () => {
    await withEpisodes({ slots: 7, prefillChunk: 3, leastShared: 4 }, async (episodes) => {
      const [task, one, other] = [prompt(8, 1), prompt(5, 2), prompt(6, 3)];
      const prompts = [
        [...task, ...one],
        [...task, ...other],
        prompt(9, 4),
        [...task, ...one],
        [...task, ...other],
        task,
      ];
      const turns = prompts.map((tokens, slot) => ({ slot, tokens }));
      const first = await act(episodes, turns, sampling({ greedy: true }));
      first.forEach((utterance, i) => expect(utterance.ids).toEqual(loopGreedy(prompts[i], 6)));
      // The last token of a prompt is always read, never copied. Five prompts begin with `task`, which has 8 tokens; one reads it
      // and the other four copy 7 tokens of it, since one prompt is `task` itself. In each of the two pairs of equal prompts, one
      // prompt copies 5 or 6 further tokens.
      expect(episodes.promptTokens.copied).toBe(4 * 7 + 5 + 6);
      const { read, copied } = episodes.promptTokens;
      expect(read + copied).toBe(prompts.flat().length);

      // An episode that begins later copies the prefix that a running episode has read.
      const [late] = await act(episodes, [{ slot: 6, tokens: [...task, ...other, 1] }], sampling({ greedy: true }));
      expect(late.ids).toEqual(loopGreedy([...task, ...other, 1], 6));
      expect(episodes.promptTokens.read - read).toBe(1);
    });
  });

  test("the sampler's log-probabilities are the scorer's, over a ragged batch and several turns", async () => {
    const scorer = new TokenScorer({ device, architecture, parameters, maskedTokenIds: [5], padTokenId: 0 });
    const rng = new Rng(2);
    await withEpisodes({ slots: 6, programs: maskingPrograms }, async (episodes) => {
      let checked = 0;
      for (let turn = 0; turn < 3; turn++) {
        const turns = [0, 1, 2, 3, 4, 5].map((slot) => ({
          slot,
          tokens: prompt(1 + ((slot * 7 + turn) % 5), 100 * turn + slot),
        }));
        const before = turns.map(({ slot, tokens }) => [...episodes.context(slot), ...tokens]);
        const utterances = await act(episodes, turns, sampling({ rng, temperature: turn === 1 ? 0.7 : 1 }));
        const examples = utterances.map((utterance, i) => {
          const all = [...before[i], ...utterance.ids];
          const start = before[i].length - 1;
          return {
            ids: Int32Array.from(all.slice(0, -1)),
            targets: Int32Array.from(all.slice(1)),
            weights: Float32Array.from(all.slice(1), (_, t) => Number(t >= start)),
          };
        });
        const scored = await scorer.logprobs(examples);
        utterances.forEach((utterance, i) => {
          expect(utterance.ids).not.toContain(5);
          expect(utterance.logprobs.length).toBe(utterance.ids.length);
          utterance.logprobs.forEach((logprob, t) => {
            expect(Math.abs(logprob - scored[i][before[i].length - 1 + t])).toBeLessThan(5e-5);
            checked++;
          });
          if (turn !== 1) expect([...utterance.samplingLogprobs]).toEqual([...utterance.logprobs]);
        });
      }
      expect(checked).toBeGreaterThan(20);
    });
  });

  test('a row has the same text alone, at another index, and beside other rows', async () => {
    const tokensOf = (slot: number) => prompt(3 + slot, slot);
    const together = await withEpisodes({ slots: 8 }, async (episodes) => {
      const turns = [0, 1, 2, 3, 4, 5, 6, 7].map((slot) => ({ slot, tokens: tokensOf(slot) }));
      return act(episodes, turns, sampling({ rng: new Rng(5) }));
    });
    // Turn i draws the i-th number of the generator, so that the numbers of the turns before it must be skipped.
    const rng = new Rng(5);
    rng.uint32();
    rng.uint32();
    const alone = await withEpisodes({ slots: 1 }, (episodes) =>
      act(episodes, [{ slot: 0, tokens: tokensOf(2) }], sampling({ rng })),
    );
    expect(alone[0].ids).toEqual(together[2].ids);
    alone[0].logprobs.forEach((logprob, t) => expect(logprob).toBeCloseTo(together[2].logprobs[t], 4));
  });

  // Each of these tests samples two thousand utterances, which takes a minute on a software GPU.
  when(kind === 'cpu', 'too slow on a GPU in software').test(
    'tokens come as often as their probability says; top-k and top-p leave only the likeliest',
    async () => {
      const context = prompt(4, 9);
      const probabilities = gpt2LoopLogits(config, tensors, context)
        .at(-1)!
        .map((_, id, logits) => Math.exp(logprobOf(logits, id)));
      const ranked = probabilities.map((_, id) => id).sort((a, b) => probabilities[b] - probabilities[a]);
      const draw = (changes: Partial<TestSampling>) =>
        withEpisodes({ slots: 200 }, async (episodes) => {
          const counts = new Array<number>(13).fill(0);
          const rng = new Rng(6);
          for (let round = 0; round < 10; round++) {
            const turns = Array.from({ length: 200 }, (_, slot) => ({ slot, reset: true, tokens: context }));
            const utterances = await act(episodes, turns, sampling({ maxNewTokens: 1, rng, ...changes }));
            for (const utterance of utterances) counts[utterance.ids[0]]++;
          }
          return counts.map((count) => count / 2000);
        });
      // The standard deviation of a frequency is at most √(¼ / 2000) = 0.011, so that the bound of 0.05 is more than four of
      // them.
      (await draw({})).forEach((frequency, id) => expect(Math.abs(frequency - probabilities[id])).toBeLessThan(0.05));

      const kept = ranked.slice(0, 3);
      const mass = kept.reduce((sum, id) => sum + probabilities[id], 0);
      (await draw({ topK: 3 })).forEach((frequency, id) =>
        expect(Math.abs(frequency - (kept.includes(id) ? probabilities[id] / mass : 0))).toBeLessThan(
          kept.includes(id) ? 0.05 : 1e-9,
        ),
      );

      // With a top-p just above the probability of the likeliest token, this token and the next one can be chosen.
      const frequencies = await draw({ topP: probabilities[ranked[0]] + 1e-3 });
      expect(ranked.filter((id) => frequencies[id] > 0).sort()).toEqual(ranked.slice(0, 2).sort());
    },
  );

  test('a low temperature sharpens: samplingLogprobs are those of the tempered distribution', async () => {
    const context = prompt(4, 11);
    const logits = gpt2LoopLogits(config, tensors, context).at(-1)!;
    const [
      {
        ids: [token],
        logprobs,
        samplingLogprobs,
      },
    ] = await withEpisodes({ slots: 1 }, (episodes) =>
      act(episodes, [{ slot: 0, tokens: context }], sampling({ temperature: 0.5, maxNewTokens: 1 })),
    );
    expect(logprobs[0]).toBeCloseTo(logprobOf(logits, token), 4);
    expect(samplingLogprobs[0]).toBeCloseTo(
      logprobOf(
        logits.map((x) => x / 0.5),
        token,
      ),
      4,
    );
  });

  test.each<Partial<TestSampling>>([
    { temperature: 0 },
    { temperature: 1e-320 },
    { temperature: 1e-40 }, // float32 divides by it to infinity
    { temperature: 1e-12 },
    { temperature: 1e-40, topK: 5, topP: 0.9 },
    { temperature: 100, topP: 1e-40 },
    { temperature: 100, topP: 1e-320 }, // 0 in float32
    { temperature: 100, topK: 1 },
  ])('%j takes the most likely token', async (changes) => {
    const play = (options: Partial<TestSampling>) =>
      withEpisodes({ slots: 2, programs: maskingPrograms }, async (episodes) => {
        const turns = [0, 1].map((slot) => ({ slot, tokens: prompt(3 + slot, slot) }));
        return (await act(episodes, turns, sampling(options))).map(({ ids }) => ids);
      });
    expect(await play(changes)).toEqual(await play({ greedy: true }));
  });

  test('a context that outgrows the model loses its oldest tokens and continues as if it had begun there', async () => {
    await withEpisodes({ slots: 2, contextLength: 20 }, async (episodes) => {
      for (let turn = 0; turn < 6; turn++) {
        const turns = [0, 1].map((slot) => ({ slot, tokens: prompt(3 + slot, 50 + turn) }));
        const before = turns.map(({ slot, tokens }) => [...episodes.context(slot), ...tokens]);
        const utterances = await act(episodes, turns, sampling({ greedy: true, maxNewTokens: 5, terminatorIds: [] }));
        utterances.forEach((utterance, i) => {
          // The model reads 4 of the 5 new tokens (never the last one), which leaves room for 16 tokens of the earlier context.
          expect(utterance.contextTokens).toBe(Math.min(16, before[i].length));
          const seen = before[i].slice(-utterance.contextTokens);
          const ids = [...seen];
          for (let t = 0; t < 5; t++) {
            const logits = gpt2LoopLogits(config, tensors, ids).at(-1)!;
            ids.push(logits.indexOf(Math.max(...logits)));
          }
          expect(utterance.ids).toEqual(ids.slice(seen.length));
          expect(utterance.terminated).toBe(false);
        });
      }
      expect(episodes.length(0)).toBe(6 * (3 + 5));
    });
  });

  test('truncate removes an utterance: the same context gives the same one again', async () => {
    await withEpisodes({ slots: 3 }, async (episodes) => {
      const tokens = prompt(5, 30);
      const greedy = sampling({ greedy: true });
      const [first] = await act(episodes, [{ slot: 1, tokens }], greedy);
      await act(episodes, [{ slot: 0, tokens: prompt(9, 31) }], greedy);
      episodes.truncate(1, 5);
      expect(episodes.length(1)).toBe(5);
      const [again] = await act(episodes, [{ slot: 1, tokens: [] }], greedy);
      expect(again.ids).toEqual(first.ids);
      episodes.truncate(1, 2);
      const [other] = await act(episodes, [{ slot: 1, tokens: [8, 9] }], greedy);
      expect(other.ids).toEqual(loopGreedy([...tokens.slice(0, 2), 8, 9], 6));
    });
  });

  test('reset begins a new episode in a slot', async () => {
    await withEpisodes({ slots: 1 }, async (episodes) => {
      const greedy = sampling({ greedy: true });
      await act(episodes, [{ slot: 0, tokens: prompt(7, 40) }], greedy);
      const [fresh] = await act(episodes, [{ slot: 0, reset: true, tokens: prompt(4, 41) }], greedy);
      expect(fresh.contextTokens).toBe(4);
      expect(fresh.ids).toEqual(loopGreedy(prompt(4, 41), 6));
    });
  });

  test.each([-1e-9, 101, Number.NaN])('a temperature of %d is refused', async (temperature) => {
    await withEpisodes({ slots: 1 }, async (episodes) => {
      const played = act(episodes, [{ slot: 0, tokens: [1] }], sampling({ temperature }));
      await expect(played).rejects.toThrow(`temperature ${temperature} must be from 0`);
    });
  });

  test('mistakes are named', async () => {
    await withEpisodes({ slots: 2 }, async (episodes) => {
      await expect(act(episodes, [{ slot: 0, tokens: [] }], sampling())).rejects.toThrow(
        'slot 0 has no token to continue from',
      );
      await expect(act(episodes, [{ slot: 2, tokens: [1] }], sampling())).rejects.toThrow(
        'there is no slot 2; slots are 0 to 1',
      );
      await expect(act(episodes, [{ slot: 0, tokens: [13] }], sampling())).rejects.toThrow(
        'slot 0 is given the token id 13; the vocabulary has 13 tokens',
      );
      await expect(
        act(
          episodes,
          [
            { slot: 0, tokens: [1] },
            { slot: 0, tokens: [1] },
          ],
          sampling(),
        ),
      ).rejects.toThrow('slot 0 has two turns in one call');
      await expect(act(episodes, [{ slot: 0, tokens: [1] }], sampling({ maxNewTokens: 41 }))).rejects.toThrow(
        "must be from 1 to the context's 40 tokens",
      );
    });
  });
});
