// Writes README.md or cookingworld.md from the runs of a sweep of this study, finished or not:
//   npx bowyer --config-name bc_20q +experiment=memory_twc hydra.sweep.dir=FOLDER
//   node --conditions=source --import tsx experiments/memory/table.ts FOLDER [COMMIT]
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bootstrapMean, mean, Rng } from '@bowyer/core';
import { halfInterval, headCommit } from '../sweep-runs.js';

/** By the name of the experiment. */
const PAGES: Record<string, { page: string; config: string; title: string; setting: string }> = {
  memory_twc: {
    page: 'experiments/memory/README.md',
    config: 'bc_20q',
    title: 'A clone that reads past successes, and one that does not',
    setting: `TextWorld Commonsense in one room with two things to put away, nine actions at most. A model of 0.5 M weights made here imitates
600 gold paths seven times, with \`memory=none\` or with the two most alike turns of other successes before every observation
(\`memory=bm25_turns\`). The test plays 200 worlds that no demonstration has; its things are those of the demonstrations
(\`env.fold=train\`), so what belongs where can be known from both the weights and the memory. The memory contains the 600
demonstrations and never the played world. Actions are sampled.`,
  },
  memory_cookingworld: {
    page: 'experiments/memory/cookingworld.md',
    config: 'sft_cookingworld',
    title: 'Past successes in Cooking World: a clone with and without them',
    setting: `Cooking World in one room with a recipe of one food, 20 actions at most. A model of 0.5 M weights made here imitates 1,500 gold
paths with slips once, with \`memory=none\` or with the two most alike turns of other successes before every observation
(\`memory=bm25_turns\`). The test plays 200 held-out worlds. The memory contains the 1,500 demonstrations and never the played
world. Actions are sampled.`,
  },
};

interface Turn {
  action: string;
  reply?: string;
  retrieved?: string[];
}

interface Episode {
  episode: number;
  item: string;
  policy: string;
  episodic_return: number;
  opening: string;
  turns: Turn[];
}

interface Run {
  seed: number;
  memory: string;
  seconds: number;
  metrics: Record<string, number>;
  interval: { low: number; high: number };
  /** Words that the policy has read in an episode, a mean. */
  words: number;
  episodes: Episode[];
}

const json = <T>(...path: string[]): T => JSON.parse(readFileSync(join(...path), 'utf8')) as T;

function readRun(folder: string): Run[] {
  const { overrides, status, seconds } = json<{ overrides: string[]; status: string; seconds: number }>(
    folder,
    'sweep-job.json',
  );
  if (status !== 'finished') return [];
  const value = (key: string) => overrides.find((one) => one.startsWith(`${key}=`))!.slice(key.length + 1);
  const { policies } = json<{ policies: (Pick<Run, 'metrics' | 'interval'> & { name: string })[] }>(
    folder,
    'results.json',
  );
  const lines = readFileSync(join(folder, 'trajectories', 'test.jsonl'), 'utf8')
    .trim()
    .split('\n');
  const { name, metrics, interval } = policies.at(-1)!;
  const played = lines.map((line) => JSON.parse(line) as Episode).filter(({ policy }) => policy === name);
  const words = mean(
    played.map(
      ({ opening, turns }) =>
        [opening, ...turns.map(({ action, reply = '' }) => action + reply)].join(' ').split(/\s+/).length,
    ),
  );
  return [
    { seed: Number(value('seed')), memory: value('memory'), seconds, metrics, interval, words, episodes: played },
  ];
}

const [sweep, commit = headCommit()] = process.argv.slice(2);
const experiment = json<{ overrides: string[] }>(sweep, '0', 'sweep-job.json')
  .overrides.find((one) => one.startsWith('+experiment='))!
  .slice('+experiment='.length);
const { page, config, title, setting } = PAGES[experiment];
const runs = readdirSync(sweep)
  .filter((name) => existsSync(join(sweep, name, 'sweep-job.json')))
  .flatMap((name) => readRun(join(sweep, name)));
if (runs.length === 0) throw new Error(`no finished run in ${sweep}`);
const kinds = [...new Set(runs.map(({ memory }) => memory))];
const ofKind = (kind: string) => runs.filter(({ memory }) => memory === kind).sort((a, b) => a.seed - b.seed);
const metric = (key: string) => (run: Run) => run.metrics[`test/${key}`];
const two = (value: number) => value.toFixed(2);
const range = ({ low, high }: { low: number; high: number }) => `${two(low)} … ${two(high)}`;

const rows = kinds.flatMap((kind) => [
  ...ofKind(kind).map(
    (run) =>
      `| \`${kind}\` | ${run.seed} | ${two(metric('episodic_return')(run))} | ${range(run.interval)} | ${two(metric('win_rate')(run))} | ${two(metric('invalid_share')(run))} | ${run.words.toFixed(0)} | ${run.seconds.toFixed(0)} |`,
  ),
  `| \`${kind}\` | all | **${two(mean(ofKind(kind).map(metric('episodic_return'))))}** | ${halfInterval(ofKind(kind).map(metric('episodic_return')), 2)} | ${two(mean(ofKind(kind).map(metric('win_rate'))))} | ${two(mean(ofKind(kind).map(metric('invalid_share'))))} | ${mean(ofKind(kind).map(({ words }) => words)).toFixed(0)} | ${mean(ofKind(kind).map(({ seconds }) => seconds)).toFixed(0)} |`,
]);

/** Return with memory less return without, of the same world in the same seed. */
function differencesOf(kind: string, seed: number): number[] {
  const [without, own] = ['none', kind].map((one) => ofKind(one).find((run) => run.seed === seed));
  if (!without || !own) return [];
  const before = new Map(without.episodes.map(({ item, episodic_return }) => [item, episodic_return]));
  return own.episodes.flatMap(({ item, episodic_return }) =>
    before.has(item) ? [episodic_return - before.get(item)!] : [],
  );
}

const others = kinds.filter((kind) => kind !== 'none');
const pairs = others.flatMap((kind) =>
  ofKind(kind).flatMap(({ seed }) => {
    const differences = differencesOf(kind, seed);
    if (differences.length === 0) return [];
    const interval = bootstrapMean(
      differences.map((value) => [value]),
      Rng.forPurpose(seed, 'memory table'),
    );
    const mark = interval.low > 0 ? 'above 0' : interval.high < 0 ? 'below 0' : 'contains 0';
    return [
      `| \`${kind}\` | ${seed} | ${two(mean(differences))} | ${range(interval)} | ${mark} | ${differences.length} |`,
    ];
  }),
);
const seedDifferences = (kind: string) =>
  ofKind(kind).flatMap(({ seed }) => {
    const differences = differencesOf(kind, seed);
    return differences.length > 0 ? [mean(differences)] : [];
  });
const overall = others.flatMap((kind) => {
  const differences = seedDifferences(kind);
  return differences.length > 0
    ? [
        `| \`${kind}\` | all | **${two(mean(differences))}** | ${halfInterval(differences, 2)} | over seeds | ${differences.length} seeds |`,
      ]
    : [];
});

/** The longest text that a turn of the first episode with a memory has added, as the policy read it. */
function sample(): string {
  const run = runs.find(({ memory }) => memory !== 'none');
  const turn = run?.episodes.flatMap(({ turns }) => turns).find(({ reply }) => reply?.includes('Example:'));
  return turn === undefined ? '' : `${turn.action.trim()}\n${turn.reply!.trim()}`;
}

const retrieved = others.map((kind) => {
  const turns = ofKind(kind).flatMap(({ episodes }) => episodes.flatMap(({ turns }) => turns));
  const share = mean(turns.map((turn) => ((turn.retrieved ?? []).length > 0 ? 1 : 0)));
  return `With \`${kind}\` ${(100 * share).toFixed(0)} % of the test's turns read at least one example.`;
});

const text = `# ${title}

Written by \`experiments/memory/table.ts\` from ${runs.length} runs of \`+experiment=${experiment}\` at commit ${commit}:

\`\`\`sh
npx bowyer --config-name ${config} +experiment=${experiment} hydra.sweep.dir=FOLDER
node --conditions=source --import tsx experiments/memory/table.ts FOLDER
\`\`\`

${setting}

| memory | seed | return | interval | won | invalid | words | seconds |
|---|---|---|---|---|---|---|---|
${rows.join('\n')}

Intervals of a seed: 95 %, bootstrap over worlds; of all: Student's t over seeds. Words: of a test episode, what was
read and written. Seconds: of the whole run, on a core in use by others.

Return with memory less return without, on the same worlds:

| memory | seed | difference | interval | | worlds |
|---|---|---|---|---|---|
${[...pairs, ...overall].join('\n')}

${retrieved.join('\n')} A turn as the policy reads it, its action first:

\`\`\`text
${sample()}
\`\`\`
`;
mkdirSync(dirname(page), { recursive: true });
writeFileSync(page, text);
