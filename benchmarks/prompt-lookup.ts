// Episodes of a text game by a trained policy, one token at a time and with tokens guessed by looking up what followed before
// (draftTokens): the same texts, the share of guesses that were right, and CPU time, the settings taking turns.
//   node --conditions=source --import tsx benchmarks/prompt-lookup.ts ENVIRONMENT POLICY_FOLDER [slots] [draft] [turns] [rounds] [greedy]
import { loadavg } from 'node:os';
import { Rng } from '@bowyer/core';
import { makeEnv } from '@bowyer/envs';
import { openDevice } from '@bowyer/graph';
import { LanguageModel } from '@bowyer/models';
import { median } from './measure.js';
import { cpuSeconds } from './peer.js';

const [name = 'textcraft', dir, ...rest] = process.argv.slice(2);
const [slots = 4, draft = 6, turns = 12, rounds = 3] = rest.slice(0, 4).map(Number);
const greedy = rest[4] === 'greedy';
const device = await openDevice({ device: 'cpu', threads: 1 });

interface Played {
  texts: string[];
  cpu: number;
  tokens: number;
  guessed: number;
  accepted: number;
}

const model = await LanguageModel.load({ dir: dir!, device, maskedTokenIds: [], masksPadding: true });
const newline = model.tokenizer.encode('\n').at(-1)!;

async function played(draftTokens: number, round: number): Promise<Played> {
  const episodes = await model.openEpisodes({ slots });
  const envs = Array.from({ length: slots }, () => makeEnv(name));
  const seen: string[] = [];
  let fed = await Promise.all(
    envs.map(async (env, slot) => {
      const { observation } = await env.reset({ seed: 1000 * round + slot });
      seen[slot] = observation;
      return model.tokenizer.encode(observation);
    }),
  );
  const found: Played = { texts: [], cpu: 0, tokens: 0, guessed: 0, accepted: 0 };
  let playing = envs.map((_, slot) => slot);
  for (let turn = 0; turn < turns && playing.length > 0; turn++) {
    const asked = playing.map((slot) => ({ slot, tokens: fed[slot], rng: new Rng(97 * turn + slot) }));
    const options = {
      temperature: 1,
      topK: 0,
      topP: 1,
      greedy,
      maxNewTokens: 32,
      terminatorIds: [newline],
      draftTokens,
    };
    const start = cpuSeconds();
    const utterances = await episodes.act(asked, options);
    found.cpu += cpuSeconds() - start;
    const going: number[] = [];
    for (const { slot, ids } of utterances) {
      const action = `${model.tokenizer.decode(ids)}\n`;
      found.texts.push(action);
      found.tokens += ids.length + 1;
      const step = await envs[slot].step(action);
      if (step.terminated || step.truncated) continue;
      const { observation } = step;
      // If the environment returns the whole dialogue, only the part that it added is fed.
      const before = seen[slot] + action;
      const added = observation.startsWith(before) ? `\n${observation.slice(before.length)}` : observation;
      seen[slot] = observation;
      fed = Object.assign([...fed], { [slot]: model.tokenizer.encode(added) });
      going.push(slot);
    }
    playing = going;
  }
  found.guessed = episodes.drafts.guessed;
  found.accepted = episodes.drafts.accepted;
  await episodes.close();
  for (const env of envs) await env.close();
  return found;
}

try {
  const ratios: number[] = [];
  const sums = { tokens: 0, guessed: 0, accepted: 0, texts: 0, same: 0 };
  for (let round = 0; round <= rounds; round++) {
    const single = await played(0, round);
    const guessed = await played(draft, round);
    if (round === 0) continue; // compiles
    ratios.push(single.cpu / guessed.cpu);
    sums.tokens += guessed.tokens;
    sums.guessed += guessed.guessed;
    sums.accepted += guessed.accepted;
    sums.texts += single.texts.length;
    sums.same += single.texts.filter((text, i) => text === guessed.texts[i]).length;
  }
  console.log(
    `${name}, ${slots} slots, drafts of ${draft}, ${greedy ? 'greedy' : 'sampled'}: ${sums.same} of ${sums.texts} texts equal; ` +
      `${sums.guessed} guesses, ${((100 * sums.accepted) / sums.guessed).toFixed(0)} % right, ` +
      `${((100 * sums.accepted) / sums.tokens).toFixed(0)} % of ${sums.tokens} tokens; CPU time of single steps ÷ with drafts ` +
      `${median(ratios).toFixed(2)} (${ratios.map((ratio) => ratio.toFixed(2)).join(' ')}); ${model.parameters.size} weights, load ${loadavg()[0].toFixed(1)}`,
  );
} finally {
  await device.close();
}
