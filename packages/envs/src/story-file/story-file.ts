// Plays the environment `adventure`: text adventures in the format of the Z-machine. The default is a small game of our own;
// ArCHer's game "detective" can be set by the option `story`.
// Source: ArCHer's adventure environment (Zhou et al. 2024, arXiv:2402.19446), which plays through Jericho. Differs from it: an
// episode terminates at the game's own end and is truncated by a step limit, and each reset may have a seed.
import { readFileSync } from 'node:fs';
import { choice, flag, integer, text } from '@bowyer/core';
import type { Env, ResetResult, StepResult } from '../contract/env.js';
import { EpisodeOrder } from '../contract/episode-order.js';
import { Machine, type MachineSnapshot } from './machine/machine.js';
import { Story, StoryFormatError } from './machine/story.js';
import { giveCommand, readOpening } from './give-command.js';
import { endingIn, maximumIn, ScoreReader, type Ending } from './score.js';
import { ValidActionFinder } from './valid-actions.js';
import { options, type OptionsOf } from '../option.js';

export const storyFileSchema = options({
  story: text(
    null,
    'Path of a Z-machine story file (.z3, .z4, .z5, .z8, .zblorb); null plays the small game that ships with Bowyer.',
  ),
  stepLimit: integer(50, 'Commands after which an episode is truncated.'),
  observation: choice(
    ['archer', 'text'],
    'archer',
    "'archer': the answers to look and to inventory, then the answer to the command, then the valid actions if they are listed; 'text': the answer to the command alone.",
  ),
  validActions: flag(
    true,
    'List the valid actions, for which hundreds of commands are tried on saved states at each step.',
  ),
  undo: flag(false, "Allow the game's own command UNDO, which Jericho refuses."),
});

export type StoryFileOptions = OptionsOf<typeof storyFileSchema>;

export interface StoryFileInfo extends Record<string, unknown> {
  /** The game's answer to the last command, or its opening text. `look` and `inventory` are its answers to these commands. */
  text: string;
  look: string;
  inventory: string;
  /** The valid actions in alphabetical order; empty after the end of the game, and if the option `validActions` is off. */
  validActions: string[];
  score: number;
  /** The largest possible score; null if the game does not print it. */
  maxScore: number | null;
  moves: number | null;
  won: boolean;
  /** The rule of the Z-machine standard that the game broke, so that it cannot continue; null if it broke none. */
  fault: string | null;
}

/** The state of the machine after the game's opening text. Later episodes restore it instead of running the opening again. */
interface Opening {
  text: string;
  snapshot: MachineSnapshot;
  /** Whether the opening draws random numbers, so that the state depends on the episode's seed. */
  dependsOnSeed: boolean;
}

/** The built-in game, which is only in the source folder; this path leads to it also from the folder `dist`. */
const builtInStory = new URL('../../src/story-file/lighthouse/lighthouse.z5', import.meta.url);

/** The games that were read and checked, by path. All environments share a game's decoded code. */
const loadedStories = new Map<string, Story>();

/** Loads a game. @throws StoryFormatError if the file cannot be read or is not a Z-machine game */
export function loadStory(path: string | null): Story {
  const key = path ?? '';
  const known = loadedStories.get(key);
  if (known !== undefined) return known;
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path ?? builtInStory);
  } catch (error) {
    throw new StoryFormatError(path ?? builtInStory.pathname, `cannot be read (${(error as Error).message})`);
  }
  const story = new Story(bytes, path ?? 'lighthouse.z5');
  loadedStories.set(key, story);
  return story;
}

export class StoryFile implements Env {
  readonly #options: StoryFileOptions;
  readonly #order = new EpisodeOrder('adventure');
  readonly #scores: ScoreReader;
  #machine: Machine | null;
  #finder: ValidActionFinder | null = null;
  #opening: Opening | null = null;
  #maxScore: number | null = null;
  #score = 0;
  #steps = 0;

  constructor(options: StoryFileOptions) {
    this.#options = options;
    const story = loadStory(options.story);
    this.#scores = new ScoreReader(story);
    this.#machine = new Machine(story, { seed: 0, hasUndo: options.undo });
  }

  async reset({ seed }: { seed?: number } = {}): Promise<ResetResult> {
    this.#order.begin();
    const machine = this.#playing;
    if (seed !== undefined) machine.random.reseed(seed);
    const text = this.#open(machine);
    this.#steps = 0;
    this.#score = this.#scores.read(machine).score;
    const info = this.#describe(text, null);
    return { observation: this.#observe(info, false), info };
  }

  async step(action: string): Promise<StepResult> {
    this.#order.assertRunning();
    const machine = this.#playing;
    this.#steps++;
    const before = this.#score;
    const text = giveCommand(machine, action.split(/\r?\n/, 1)[0]);
    const ending = endingIn(text, machine.pause);
    const terminated = ending !== null;
    const truncated = !terminated && this.#steps >= this.#options.stepLimit;
    const info = this.#describe(text, ending);
    this.#score = info.score;
    if (terminated || truncated) this.#order.end();
    return { observation: this.#observe(info, terminated), reward: info.score - before, terminated, truncated, info };
  }

  async close(): Promise<void> {
    this.#order.close();
    [this.#machine, this.#finder, this.#opening] = [null, null, null];
  }

  get #playing(): Machine {
    if (this.#machine === null) throw new Error('adventure: used after close()');
    return this.#machine;
  }

  #open(machine: Machine): string {
    machine.savedGame = null;
    machine.undoStates = [];
    if (this.#opening !== null && !this.#opening.dependsOnSeed) {
      const random = machine.random.save();
      machine.restore(this.#opening.snapshot);
      machine.random.restore(random);
      return this.#opening.text;
    }
    const drawsBefore = machine.random.drawCount;
    machine.restart();
    const text = readOpening(machine);
    this.#opening = { text, snapshot: machine.snapshot(), dependsOnSeed: machine.random.drawCount !== drawsBefore };
    this.#maxScore = maximumIn(this.#probe('score'));
    return text;
  }

  /** Returns the text that the game would answer to a command. The state of the game does not change. */
  #probe(command: string): string {
    const machine = this.#playing;
    if (machine.pause !== 'line') return '';
    const snapshot = machine.snapshot();
    const text = giveCommand(machine, command);
    machine.restore(snapshot);
    return text;
  }

  #describe(text: string, ending: Ending): StoryFileInfo {
    const machine = this.#playing;
    const { score, moves } = this.#scores.read(machine);
    const isOver = ending !== null;
    const isProbing = !isOver && this.#options.observation === 'archer';
    return {
      text,
      look: isProbing ? this.#probe('look') : '',
      inventory: isProbing ? this.#probe('inventory') : '',
      validActions: isOver || !this.#options.validActions ? [] : this.#findValidActions(machine),
      score,
      maxScore: this.#maxScore,
      moves,
      won: ending === 'won',
      fault: machine.fault?.message ?? null,
    };
  }

  #findValidActions(machine: Machine): string[] {
    this.#finder ??= new ValidActionFinder(machine, this.#scores);
    return this.#finder.find();
  }

  /** Writes an observation in the format of ArCHer and its policies: texts without separators; valid actions as a Python list. */
  #observe({ look, inventory, text, validActions }: StoryFileInfo, isOver: boolean): string {
    if (this.#options.observation === 'text' || isOver) return text;
    const list = this.#options.validActions ? pythonList(validActions) : '';
    return look + inventory + text + list;
  }
}

/** Formats a list as Python does: ['east', 'take paper']; a text with single and no double quotes gets double quotes. */
export function pythonList(texts: readonly string[]): string {
  const quoted = texts.map((text) => {
    const escaped = text.replaceAll('\\', '\\\\');
    return text.includes("'") && !text.includes('"') ? `"${escaped}"` : `'${escaped.replaceAll("'", "\\'")}'`;
  });
  return `[${quoted.join(', ')}]`;
}
