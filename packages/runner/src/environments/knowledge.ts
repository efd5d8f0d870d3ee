// What a run knows of an environment beyond playing it. An environment without an entry here can be played and replayed,
// and trained where a policy or a demonstration file is given.
import type { Demonstration } from '@bowyer/algorithms';
import { textWorldExpressGames, type EnvName, type ResetResult } from '@bowyer/envs';
import type { RunConfig } from '../run-config.js';
import { alfworld } from './alfworld.js';
import { babyai } from './babyai.js';
import { guessMyCity } from './guess-my-city.js';
import { maze } from './maze.js';
import { storyFile } from './story-file.js';
import { textCraft } from './textcraft.js';
import { textWorldExpress } from './textworld-express.js';
import { twentyQuestions } from './twenty-questions.js';
import { webShop } from './webshop.js';
import { wordle } from './wordle.js';

/** Expert play, to imitate and to write to a file. */
export interface DemonstrationSet {
  demonstrations: Demonstration[];
  /** How many episodes, how good. */
  summary: string;
  file: { name: string; text: () => string };
}

type ArcherKeys = readonly ('envIdx' | 'envLoadPath')[];

export interface EnvironmentKnowledge {
  /** Options that keys outside the `env` node give: ArCHer's own. */
  archerOptions?: (config: RunConfig) => Record<string, unknown>;
  /** The keys among `env_idx` and `env_load_path` that are read. */
  archerKeys?: ArcherKeys | ((config: RunConfig) => ArcherKeys);
  /** Options that recordings of the engine were made with, where they differ. */
  replayOptions?: Record<string, unknown>;
  /** What the engine itself said: recordings hold it and players read it, where an observation holds more than that. */
  engineText?: (result: ResetResult) => string;
  /** Answers that a word-level tokenizer keeps as one token each, and that an agent can never write. */
  answerTokens?: readonly string[] | ((config: RunConfig) => readonly string[]);
  /** Texts whose words a word-level tokenizer knows even where no demonstration holds them: what may yet be read or said. */
  vocabulary?: (config: RunConfig) => Iterable<string>;
  /** Read from `demonstrations.path` where it is given and no JSONL file, else generated. */
  demonstrations?: (config: RunConfig) => Promise<DemonstrationSet>;
  /** What of the `env` node decides the demonstrations; without it, all. */
  warmStartOptions?: (env: RunConfig['env']) => Record<string, unknown>;
  /** Mean return of the best player with the demonstrator's questions; null where it cannot be computed. */
  optimalReturn?: (config: RunConfig) => number | null;
}

const known: Partial<Record<EnvName, EnvironmentKnowledge>> = {
  twenty_questions: twentyQuestions,
  adventure: storyFile,
  alfworld,
  babyai,
  maze,
  wordle,
  guess_my_city: guessMyCity,
  textcraft: textCraft,
  webshop: webShop,
  ...Object.fromEntries(textWorldExpressGames.map((game) => [game, textWorldExpress])),
};

export const knowledgeOf = (name: EnvName): EnvironmentKnowledge => known[name] ?? {};
