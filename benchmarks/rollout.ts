// How much of a rollout is spent outside the model: 64 episodes of Twenty Questions with the built-in policy.
// Alternating with the same number of utterances sampled without a game: fixed replies, contexts that never change.
//   node --conditions=source --import tsx benchmarks/rollout.ts [POLICY_FOLDER | ''] [repetitions] [episodes]
// Without a folder the policy has random weights, so that games last all their twenty turns.
import { loadavg } from 'node:os';
import { PolicyPlayer, play, type OpenPlayer } from '@bowyer/algorithms';
import { Rng } from '@bowyer/core';
import { makeEnv, twentyQuestionsDemonstrations, dialogueEpisode } from '@bowyer/envs';
import { openDevice } from '@bowyer/graph';
import { LanguageModel, type SamplingOptions } from '@bowyer/models';
import { wordLevelTokenizer, type Tokenizer } from '@bowyer/text';
import { median } from './measure.js';

const REPEATS = Number(process.argv[3] ?? 5);
const EPISODES = Number(process.argv[4] ?? 64);
const TURNS = 20;
const answers = [' Yes.\n', ' No.\n', ' Invalid Question.\n'];

const device = await openDevice({ device: 'cpu', threads: 1 });
try {
  const policy = await loadOrMake(process.argv[2]);
  const { tokenizer } = policy;
  const terminatorIds = tokenizer.encode('\n');
  const sampling = { temperature: 1, topK: 0, topP: 1, greedy: false, maxNewTokens: 16, terminatorIds };
  const runs: Record<'total' | 'tokens' | 'turns' | 'outside' | 'ratio' | 'cpuRatio', number>[] = [];
  for (let repeat = 0; repeat <= REPEATS; repeat++) {
    const clock = { generation: 0 };
    const openPlayer: OpenPlayer = (options) => PolicyPlayer.open(timed(policy, clock), EPISODES, options);
    const [started, cpuBefore] = [performance.now(), cpuSeconds()];
    const trajectories = await play(
      { makeEnv: () => makeEnv('twenty_questions', { words: 'subset10' }), hooks: { progress: () => {} } },
      openPlayer,
      { seed: repeat, slots: EPISODES, sampling },
      { purpose: 'benchmark', split: 'train', firstEpisode: 0, episodes: EPISODES },
    );
    const total = performance.now() - started;
    const tokens = trajectories
      .flatMap(({ segments }) => segments)
      .reduce((sum, { utterances }) => sum + count(utterances), 0);
    const turns = trajectories.reduce((sum, { transitions }) => sum + transitions.length, 0);
    const cpu = cpuSeconds() - cpuBefore;
    const bare = await sampleWithoutGames(policy, repeat, sampling);
    const ratio = tokens / total / (bare.tokens / bare.total);
    const cpuRatio = tokens / cpu / (bare.tokens / bare.cpu);
    if (repeat > 0) runs.push({ total, tokens, turns, outside: 1 - clock.generation / total, ratio, cpuRatio }); // the first one compiles
  }
  const of = (key: keyof (typeof runs)[number]) => median(runs.map((run) => run[key]));
  console.log(
    `${EPISODES} episodes, ${of('turns')} turns, ${of('tokens')} tokens in ${of('total').toFixed(0)} ms (median of ${REPEATS})`,
  );
  console.log(
    `${((1000 * of('tokens')) / of('total')).toFixed(0)} tokens/s, ${((1000 * EPISODES) / of('total')).toFixed(0)} episodes/s`,
  );
  console.log(
    `tokens/s compared with sampling without games: ${of('ratio').toFixed(2)}; tokens per second of CPU time: ${of('cpuRatio').toFixed(2)} (aim: 0.7); load ${loadavg()[0].toFixed(1)}`,
  );
  console.log(`outside generation: ${(100 * of('outside')).toFixed(1)} % of the time (aim: below 10 %)`);
} finally {
  await device.close();
}

function count(utterances: readonly { logprobs: readonly number[] }[]): number {
  return utterances.reduce((sum, { logprobs }) => sum + logprobs.length, 0);
}

/** Samples as many utterances as the games have, each followed by one reply. */
async function sampleWithoutGames(policy: LanguageModel, seed: number, sampling: SamplingOptions) {
  const episodes = await policy.openEpisodes({ slots: EPISODES });
  const [opening, reply] = ['Questions:\n', ' No.\n'].map((text) => policy.tokenizer.encode(text));
  const rngs = Array.from({ length: EPISODES }, (_, slot) => new Rng(seed * EPISODES + slot));
  const [started, cpuBefore] = [performance.now(), cpuSeconds()];
  let tokens = 0;
  for (let turn = 0; turn < TURNS; turn++) {
    const turns = rngs.map((rng, slot) => ({ slot, rng, tokens: turn === 0 ? opening : reply }));
    for (const { logprobs } of await episodes.act(turns, sampling)) tokens += logprobs.length;
  }
  const figures = { tokens, total: performance.now() - started, cpu: cpuSeconds() - cpuBefore };
  await episodes.close();
  return figures;
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** The same policy, with the time between a question to the model and its answer added up. */
function timed(policy: LanguageModel, clock: { generation: number }): LanguageModel {
  const openEpisodes: LanguageModel['openEpisodes'] = async (options) => {
    const episodes = await policy.openEpisodes(options);
    const act = episodes.act.bind(episodes);
    episodes.act = async (turns, sampling) => {
      const started = performance.now();
      try {
        return await act(turns, sampling);
      } finally {
        clock.generation += performance.now() - started;
      }
    };
    return episodes;
  };
  return Object.create(policy, { openEpisodes: { value: openEpisodes } }) as LanguageModel;
}

async function loadOrMake(folder: string | undefined): Promise<LanguageModel> {
  const masked = (tokenizer: Tokenizer) => answers.map((answer) => tokenizer.encode(answer)[0]);
  if (folder) return LanguageModel.load({ device, dir: folder });
  const dialogues = twentyQuestionsDemonstrations({
    games: 300,
    words: 'subset10',
    winTest: 'lastToken',
    maxTurns: 20,
    noise: 0.5,
    attributes: 20,
    wordings: 2,
    maxUnclear: 0,
    ties: 'drawn',
    seed: 0,
  }).map(dialogueEpisode);
  const texts = dialogues.map(
    ({ header, turns }) => header + turns.map(({ action, reply }) => action + reply).join(''),
  );
  const tokenizer = wordLevelTokenizer(texts, { wholeTokens: answers });
  const config = { model_type: 'gpt2', n_layer: 2, n_head: 4, n_embd: 64, n_positions: 512 };
  return LanguageModel.create({ device, tokenizer, config, maskedTokenIds: masked(tokenizer), rng: new Rng(0) });
}
