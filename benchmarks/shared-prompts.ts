// How many prompt tokens a rollout of groups does not read because another row has read them: counts of tokens, no times.
//   node --conditions=source --import tsx benchmarks/shared-prompts.ts [textcraft | webshop | babyai | …] [episodes] [group] [slots] [turns]
import { collect, policyPlayer, textDialogues, trainingRun } from '@bowyer/algorithms';
import { Rng } from '@bowyer/core';
import { makeEnv } from '@bowyer/envs';
import { openDevice } from '@bowyer/graph';
import { LanguageModel, type Episodes } from '@bowyer/models';
import { wordLevelTokenizer } from '@bowyer/text';

const [name = 'textcraft', ...sizes] = process.argv.slice(2);
const [episodes = 64, groupSize = 8, slots = 32, turns = 3] = sizes.map(Number);

const device = await openDevice({ device: 'cpu', threads: 1 });
try {
  const env = makeEnv(name);
  const texts: string[] = [];
  for (let seed = 0; seed < 50; seed++) texts.push((await env.reset({ seed })).observation);
  await env.close();
  const tokenizer = wordLevelTokenizer(texts);
  const config = { model_type: 'gpt2', n_layer: 1, n_head: 2, n_embd: 16, n_positions: 4096 };
  const policy = await LanguageModel.create({ device, tokenizer, config, rng: new Rng(1) });
  const opened: Episodes[] = [];
  const openEpisodes: LanguageModel['openEpisodes'] = async (options) => {
    const episodes = await policy.openEpisodes(options);
    opened.push(episodes);
    return episodes;
  };
  const counted = Object.create(policy, { openEpisodes: { value: openEpisodes } }) as LanguageModel;
  const sampling = { temperature: 1, topK: 0, topP: 1, greedy: false, maxNewTokens: 8, terminatorIds: [] };
  const player = policyPlayer({ policy: counted, dialogues: textDialogues(tokenizer) }, { slots });
  const run = trainingRun({ policy, makeEnv: () => makeEnv(name) });
  const options = { seed: 1, slots, sampling, rollout: { size: episodes, horizon: [[0, turns] as const] } };
  const rollout = await collect(run, player, 0, options, { groupSize });
  const { read, copied } = opened[0].promptTokens;
  console.log(
    `${name}: ${rollout.length} episodes in groups of ${groupSize}, ${slots} slots, ${turns} turns: ` +
      `of ${read + copied} prompt tokens ${copied} are copied (${((100 * copied) / (read + copied)).toFixed(0)} %)`,
  );
} finally {
  await device.close();
}
