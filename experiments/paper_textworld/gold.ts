// Writes experiments/paper_textworld/gold.md from the runs of sft_cookingworld and of ppo_cookingworld and from evaluations of both:
//   node --conditions=source --import tsx experiments/paper_textworld/gold.ts EVALUATION...
// EVALUATION: a folder of task=evaluate eval_decoding=both, of a run of PPO with compare_with=[a run of algorithm=bc with the same
// demonstrations]; several of several seeds.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { bootstrapMean, mean, Rng } from '@bowyer/core';
import { TextWorldExpress } from '@bowyer/envs';
import { halfInterval, headCommit } from '../sweep-runs.js';

type Fold = 'train' | 'dev' | 'test';

const PAGE = 'experiments/paper_textworld/gold.md';

interface Interval {
  low: number;
  high: number;
}

interface Tested {
  name: string;
  decoding: 'sample' | 'greedy';
  metrics: Record<string, number>;
  interval: Interval;
}

interface Comparison {
  baseline: string;
  name: string;
  decoding: string;
  episodes: number;
  meanDifference: number;
  interval: Interval;
}

interface Evaluation {
  folder: string;
  ppo: string;
  sft: string;
  policies: Tested[];
  comparisons: Comparison[];
  env: { params: string; stepLimit: number };
  /** The world of each episode. */
  worlds: { fold: Fold; seed: number }[];
}

const json = (...path: string[]): unknown => JSON.parse(readFileSync(join(...path), 'utf8'));
const lines = <Line>(...path: string[]): Line[] =>
  readFileSync(join(...path), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);

function readEvaluation(folder: string): Evaluation {
  const { policies, comparisons } = json(folder, 'results.json') as Pick<Evaluation, 'policies' | 'comparisons'>;
  const config = json(folder, 'run-config.json') as {
    checkpointPath: string;
    compareWith: string[];
    env: Evaluation['env'];
  };
  const played = lines<{ episode: number; item: string; policy: string; decoding: string }>(
    folder,
    'trajectories/test.jsonl',
  ).filter(({ policy, decoding }) => policy === policies[0].name && decoding === policies[0].decoding);
  const worlds = played.map(({ item }) => ({ fold: item.split(' ')[0] as Fold, seed: Number(item.split(' ')[1]) }));
  return {
    folder,
    policies,
    comparisons,
    worlds,
    env: config.env,
    ppo: config.checkpointPath,
    sft: config.compareWith[0],
  };
}

interface Played {
  returns: number[];
  won: number;
  turns: number;
}

/** A player of the same worlds: the expert, or one that draws among the valid actions. */
async function play({ env: { params, stepLimit }, worlds }: Evaluation, player: 'gold' | 'random'): Promise<Played> {
  const env = new TextWorldExpress('cookingworld', {
    fold: null,
    params,
    stepLimit,
    contentDir: null,
    showValidActions: false,
    backend: 'embedded',
    baseUrl: null,
    timeoutMs: 1,
  });
  const played: Played = { returns: [], won: 0, turns: 0 };
  for (const world of worlds) {
    const rng = new Rng(world.seed);
    let { info } = await env.reset(world);
    const path = await env.goldPath();
    let [total, over] = [0, false];
    for (let turn = 0; !over && (player === 'random' || turn < path.length); turn++) {
      const valid = info.validActions as string[];
      const action = player === 'gold' ? path[turn] : rng.choice(valid);
      if (!valid.includes(action)) continue;
      const result = await env.step(action);
      total += result.reward;
      played.turns++;
      info = result.info;
      over = result.terminated || result.truncated;
    }
    played.returns.push(total);
    played.won += Number(info.won);
  }
  await env.close();
  return played;
}

/** A job of a sweep has a number for a name. */
function nameOf(folder: string): string {
  const name = basename(folder);
  return /^\d+$/.test(name) ? `run_${name}` : name;
}

/** The command line that a folder's run was started with, folders by their names alone, with date and commit. */
function commandOf(folder: string): string {
  const start = lines<{ event: string; time: string; command: string; commit: string }>(folder, 'starts.jsonl')[0];
  const named = start.command.replaceAll(/(?<==|\[)\/\S*\/([^/\s\],']+)/g, (_, name: string) => nameOf(name));
  const words = named.replaceAll(/ '?hydra\.\S+/g, '').split(' ');
  const command = words.reduce((text, word) => {
    const line = text.slice(text.lastIndexOf('\n') + 1);
    return line.length + word.length > 110 ? `${text} \\\n  ${word}` : `${text} ${word}`;
  });
  return `# ${nameOf(folder)}: ${start.time.slice(0, 10)}, commit ${start.commit.slice(0, 7)}\nnpx ${command}`;
}

const range = ({ low, high }: Interval) => `${low.toFixed(2)} … ${high.toFixed(2)}`;

function scriptedRow(name: string, { returns, won, turns }: Played): string {
  const interval = bootstrapMean(
    returns.map((value) => [value]),
    Rng.forPurpose(0, 'bootstrap'),
  );
  const cells = [mean(returns).toFixed(2), range(interval), (won / returns.length).toFixed(2), '0.00'];
  return `| ${name} | – | – | ${cells.join(' | ')} | ${(turns / returns.length).toFixed(1)} |`;
}

const policyRow = (evaluation: Evaluation, { name, decoding, metrics, interval }: Tested): string => {
  const figure = (key: string, digits: number) => metrics[`test/${key}`].toFixed(digits);
  const cells = [
    name.startsWith(evaluation.ppo) ? 'PPO' : 'SFT',
    decoding === 'sample' ? 'sampled' : 'greedy',
    seedOf(evaluation),
    `**${figure('episodic_return', 2)}**`,
    range(interval),
    figure('win_rate', 2),
    figure('invalid_share', 2),
    figure('episode_turns', 1),
  ];
  return `| ${cells.join(' | ')} |`;
};

const seedOf = ({ ppo }: Evaluation): number => (json(ppo, 'run-config.json') as { seed: number }).seed;

/** The comparison is of the clone, minus PPO's policy. */
const gainRow = (evaluation: Evaluation, { decoding, meanDifference, interval, episodes }: Comparison): string => {
  const gain = { low: -interval.high, high: -interval.low };
  const cells = [seedOf(evaluation), decoding === 'sample' ? 'sampled' : 'greedy', (-meanDifference).toFixed(2)];
  return `| ${[...cells, range(gain), episodes].join(' | ')} |`;
};

type Metrics = Record<string, number>;
const number = (line: Metrics, key: string) => (key in line ? line[key].toFixed(2) : '–');

const sftCurve = ({ sft }: Evaluation): string[] =>
  lines<Metrics>(sft, 'metrics.jsonl').map(
    (line) =>
      `| ${line.iteration} | ${number(line, 'losses/nll')} | ${number(line, 'eval/nll')} | ${number(line, 'eval/episodic_return')} |`,
  );

function ppoCurve({ ppo }: Evaluation): string[] {
  const all = lines<Metrics>(ppo, 'metrics.jsonl');
  return all
    .filter((line) => 'eval/episodic_return' in line || line.iteration === 1)
    .map((line) => {
      const cells = [
        'rollout/episodic_return',
        'eval/episodic_return',
        'critic/explained_variance',
        'actor/kl_reference',
      ];
      return `| ${line.iteration} | ${cells.map((key) => number(line, key)).join(' | ')} |`;
    });
}

const evaluations = process.argv.slice(2).map(readEvaluation);
const [first] = evaluations;
const [gold, random] = [await play(first, 'gold'), await play(first, 'random')];
const overSeeds = (agent: 'ppo' | 'sft', decoding: string): string => {
  const values = evaluations.flatMap(({ policies, [agent]: folder }) =>
    policies
      .filter(({ name, decoding: own }) => own === decoding && name.startsWith(folder))
      .map(({ metrics }) => metrics['test/episodic_return']),
  );
  return `${mean(values).toFixed(2)} ${halfInterval(values, 2)}`;
};

mkdirSync(dirname(PAGE), { recursive: true });
writeFileSync(
  PAGE,
  `# A clone of Cooking World's expert, and PPO from there

Written by \`experiments/paper_textworld/gold.ts\` at commit ${headCommit()}, from ${evaluations.length} seed${evaluations.length === 1 ? '' : 's'} of these commands
(the clone and the start of PPO imitate the same games):

\`\`\`sh
${[first.sft, first.ppo, first.folder].map(commandOf).join('\n')}
node --conditions=source --import tsx experiments/paper_textworld/gold.ts EVALUATION
\`\`\`

World: \`${first.env.params}\`, at most ${first.env.stepLimit} + 1
actions. Training plays the train fold, evaluations on the way the dev fold; the table is of ${first.worlds.length} worlds of the test fold,
whose foods are known and whose preparations of each food are not. \`gold\` plays the expert's path, \`random\` draws among the
valid actions, on the same worlds. Intervals are 95 % bootstrap intervals over worlds.

| player | decoding | seed | return | interval | won | invalid | actions |
|---|---|---|---|---|---|---|---|
${scriptedRow('gold', gold)}
${evaluations.flatMap((evaluation) => evaluation.policies.map((policy) => policyRow(evaluation, policy))).join('\n')}
${scriptedRow('random', random)}
${
  evaluations.length > 1
    ? `\nOver seeds, with 95 % intervals of Student's t: SFT ${overSeeds('sft', 'sample')} sampled, ${overSeeds('sft', 'greedy')} greedy; PPO ${overSeeds('ppo', 'sample')} sampled, ${overSeeds('ppo', 'greedy')} greedy.\n`
    : ''
}
PPO minus SFT on the same worlds:

| seed | decoding | difference | interval | worlds |
|---|---|---|---|---|
${evaluations.flatMap((evaluation) => evaluation.comparisons.map((comparison) => gainRow(evaluation, comparison))).join('\n')}

## Curves of seed ${seedOf(first)}

SFT: nats per utterance on the demonstrations of train and on held-out ones, and the return of sampled play on the dev fold.

| epoch | training loss | held-out loss | return |
|---|---|---|---|
${sftCurve(first).join('\n')}

PPO: mean return of the iteration's episodes on the train fold, return of sampled play on the dev fold, explained variance
of V, and KL to the start in nats per token.

| iteration | rollout | return | explained variance | KL |
|---|---|---|---|---|
${ppoCurve(first).join('\n')}
`,
);
process.stdout.write(`${PAGE}: ${evaluations.map(({ folder }) => basename(folder)).join(', ')}\n`);
