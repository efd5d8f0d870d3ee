// Translates command lines of ArCHer and AgentGym to overrides of Bowyer's config before it is composed. The run logs the
// translation of each key; keys without a counterpart are refused together in one error.
import { ConfigError, type Composition, type TranslateContext } from '@bowyer/config';
import { environmentOfTask } from './agentgym.js';
import { environmentWords } from './archer.js';
import { originalKey, type OriginalKey } from './names.js';
import { each, isTrue, plain, type Outcome, type RunFacts } from './outcome.js';

/** An override of the command line, `KEY=VALUE`. */
interface Word {
  text: string;
  key: string;
  value: string;
}

const wordOf = (text: string): Word => {
  const [, key = '', value = ''] = /^\+{0,2}([A-Za-z_][\w.]*)=(.*)$/s.exec(text) ?? [];
  return { text, key, value };
};

/**
 * The inputs and outputs of translating a command line of ArCHer or AgentGym to Bowyer's overrides: facts about the composed run,
 * environment variables, and notes for the log.
 */
export interface Translation {
  /** @param typed the keys that were given on the command line */
  factsOf(composed: Composition, typed: ReadonlySet<string>): Promise<RunFacts>;
  env: Record<string, string | undefined>;
  note(line: string): void;
}

export async function translate(
  overrides: readonly string[],
  context: TranslateContext,
  translation: Translation,
): Promise<string[]> {
  const words = withUnits(overrides.map(wordOf), translation).map(wordOf);
  const found = words.flatMap((word) => {
    const original = originalKey(word.key);
    return original ? [{ ...word, original }] : [];
  });
  if (found.length === 0) return words.map(({ text }) => text);
  const isShared = ({ key }: Word) => originalKey(key)?.isOwn === true;
  const shared = words.filter(isShared);
  const factsOf: FactsOf = (texts) => translation.factsOf(context.compose(texts), new Set(words.map(({ key }) => key)));
  const { extra, facts } = await factsWithoutOriginals(words, found, factsOf);
  const notShared = words.filter((word) => !isShared(word));
  const problems: Problem[] = [];
  const ours = [...extra, ...inOurWords(notShared, facts, { ...translation, problems, all: words })];
  // Keys that exist both in Bowyer and in another program are translated last, since it depends on the translation of the other
  // keys whether the run reads them.
  const settled = shared.length === 0 ? facts : await factsOf(ours);
  const texts = [...ours, ...inOurWords(shared, settled, { ...translation, problems, all: words })];
  if (problems.length > 0) throw refusal(problems, settled);
  return texts;
}

/** Composes a config from overrides, and reads the facts about the run. */
type FactsOf = (texts: readonly string[]) => Promise<RunFacts>;

/**
 * Reads the facts about the run from the overrides that are not keys of other programs. A `base_url` in an evaluation is
 * AgentGym's and means that a chat endpoint plays.
 */
async function factsWithoutOriginals(words: readonly Word[], found: readonly Word[], factsOf: FactsOf) {
  const own = words.filter(({ key }) => originalKey(key) === undefined).map(({ text }) => text);
  const facts = await factsOf(own);
  const isServed = found.some(({ key }) => key === 'base_url') && !words.some(({ key }) => key === 'policy');
  if (!isServed || facts.task !== 'evaluate' || facts.isEndpoint) return { extra: [], facts };
  const extra = ['policy=openai'];
  return { extra, facts: await factsOf([...extra, ...own]) };
}

/** The keys whose values decide which other keys a run reads. */
const UNITS = ['algorithm', 'agent_type', 'env', 'env_name', 'task_name'];

interface Words extends Translation {
  all: readonly Word[];
  /** Receives the keys of other programs that have no counterpart in this run. */
  problems: Problem[];
}

function inOurWords(words: readonly Word[], facts: RunFacts, { env, note, all, problems }: Words): string[] {
  // In a sweep over algorithms or environments, a key of the other program is kept, since some jobs may read it; the composition of
  // each other job removes it.
  const isSwept = all.some(({ key, value }) => UNITS.includes(key) && value.includes(','));
  return words.flatMap((word) => {
    const original = originalKey(word.key);
    if (!original || facts.reads(word.key) || (original.isOwn && isSwept)) return [word.text];
    const outcome = original.meaning(word.value, facts);
    if (outcome === 'ours') return [word.text];
    problems.push(...problemsOf(word, original, outcome, all));
    note(`${word.text}: ${textOf(outcome)}`);
    if (!('words' in outcome)) return [];
    Object.assign(env, outcome.env);
    return outcome.words;
  });
}

interface Problem {
  word: Word;
  program: string;
  remedy: string;
}

/** Reports a key that has no counterpart in this run, or whose replacement is on the command line with another value. */
function problemsOf(
  word: Word,
  { program }: OriginalKey,
  outcome: Exclude<Outcome, 'ours'>,
  words: readonly Word[],
): Problem[] {
  if ('refused' in outcome) return [{ word, program, remedy: outcome.refused }];
  if ('nothing' in outcome) return [];
  const twice = words.find(({ text, key }) =>
    outcome.words.some((ours) => wordOf(ours).key === key && wordOf(ours).value !== wordOf(text).value),
  );
  return twice
    ? [{ word, program, remedy: `it is ${outcome.words[0]}, and ${twice.text} is given too: leave one out` }]
    : [];
}

function textOf(outcome: Exclude<Outcome, 'ours'>): string {
  if ('refused' in outcome) return outcome.refused;
  if ('nothing' in outcome) return `changes nothing here: ${outcome.nothing}`;
  return [outcome.words.join(' '), outcome.note].filter(Boolean).join('; ');
}

function refusal(problems: readonly Problem[], { task, algorithm }: RunFacts): ConfigError {
  const [{ word, program }] = problems;
  const place = { keyPath: word.key, file: 'command line' };
  const who = [`task=${task}`, ...(algorithm === null ? [] : [`algorithm=${algorithm}`])].join(' ');
  if (problems.length === 1)
    return new ConfigError(
      'composition',
      `'${word.key}' is a key of ${program} that this run (${who}) cannot take`,
      [`in command line: ${word.text}`, `here: ${problems[0].remedy}`],
      place,
    );
  const lines = problems.map((problem) => `${problem.word.text}: ${problem.remedy}`);
  return new ConfigError(
    'composition',
    `${problems.length} keys of other programs that this run (${who}) cannot take`,
    lines,
    place,
  );
}

/** Replaces keys that name an environment, algorithm, logger or critic by overrides that choose an option of a config group. */
function withUnits(words: readonly Word[], translation: Translation): string[] {
  return withCritic(
    withLogger(
      words.flatMap((word) => unitWords(word, words, translation)),
      translation.note,
    ),
  );
}

function unitWords({ text, key, value }: Word, words: readonly Word[], { note }: Translation): string[] {
  if (key === 'agent_type') return [`agent_type=${value.toLowerCase()}`];
  if (key === 'checkpoint_path' && plain(value) === '') return ['checkpoint_path=null'];
  if (key !== 'env_name' && key !== 'task_name') return [text];
  if (plain(value) === 'null') return [];
  const names = value.split(',').map((name) => plain(name));
  const ours = names.map((name) => environmentWords(key === 'task_name' ? environmentOfTask(name) : name));
  const chosen =
    ours.length === 1 ? ours[0] : [`env=${each(ours.map(([word]) => wordOf(word).value).join(','), (one) => one)}`];
  const typed = words.find((word) => word.key === 'env');
  // If `env` and `env_name` name different environments, the contradiction is reported.
  if (typed !== undefined && key === 'env_name' && typed.value !== wordOf(chosen[0]).value)
    throw new ConfigError(
      'composition',
      `env_name is ${value}, but the options of the node 'env' are those of ${typed.value}`,
      [`choose the environment with its options: env=${value}`],
      { keyPath: key, file: 'command line' },
    );
  if (typed !== undefined) return typed.value === wordOf(chosen[0]).value ? [] : [...chosen];
  note(`${text}: ${chosen.join(' ')}`);
  return [...chosen];
}

/** Replaces `use_wandb=true` by an override that adds the logger of Weights & Biases to the chosen loggers. */
function withLogger(texts: readonly string[], note: Translation['note']): string[] {
  const words = texts.map(wordOf);
  const isSwitch = ({ key }: Word) => key === 'use_wandb' || key === 'wandb_log';
  const rest = words.filter((word) => !isSwitch(word)).map(({ text }) => text);
  const used = words.find((word) => isSwitch(word) && isTrue(word.value));
  if (used === undefined) return rest;
  note(`${used.text}: logger=wandb`);
  const logger = words.find(({ key }) => key === 'logger');
  if (logger === undefined) return ['logger=[wandb]', ...rest];
  const names = logger.value
    .replace(/^\[|\]$/g, '')
    .split(',')
    .filter((name) => name !== 'none' && name !== '');
  if (names.includes('wandb')) return rest;
  return rest.map((text) => (text === logger.text ? `logger=[${[...names, 'wandb'].join(',')}]` : text));
}

/**
 * Chooses the kind of critic if the command line gives both a critic's checkpoint and its options; for a checkpoint alone,
 * implied.ts chooses the kind.
 */
function withCritic(texts: readonly string[]): string[] {
  const words = texts.map(wordOf);
  const isGiven = words.some(({ key, value }) => key === 'critic_lm' && plain(value) !== 'null');
  const hasOptions = words.some(({ key }) => key.startsWith('critic.'));
  const isChosen = words.some(({ key }) => key === 'critic' || key === 'preset');
  return isGiven && hasOptions && !isChosen ? ['critic=roberta_base', ...texts] : [...texts];
}
