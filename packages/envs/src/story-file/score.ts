// Reads the score, the number of turns and the end of the game from a running Z-machine game.
import { signedWord, type Machine, type Pause } from './machine/machine.js';
import type { Story } from './machine/story.js';

interface ScoreReading {
  score: number;
  /** The number of turns that the status line shows; null if the game does not count turns. */
  moves: number | null;
}

/**
 * Among the first global variables, 16 to 18, which the status line of version 3 shows and Inform's games of all versions use.
 */
const STATUS_SCORE = 17;
const STATUS_TURNS = 18;

/** The opcode that stores a value in a variable; Inform's status line begins with two: sline1 = score; sline2 = turns. */
const STORE_VARIABLE = 0x2d;

/**
 * Reads a game's score. In version 3 it is the global variable that the status line shows. Inform's games of later versions copy
 * `score` and `turns` to these global variables only when the status line is drawn, which is too late for the points of a winning
 * move. The original variables are therefore found by the two instructions that copy them. Other games print "Score: 5" or "5/12"
 * in the upper window, which is parsed.
 */
export class ScoreReader {
  readonly #scoreVariable: number | null;
  readonly #turnsVariable: number | null;

  constructor(story: Story) {
    const isTimed = story.version === 3 && (story.bytes[1] & 0b10) !== 0; // the status line shows the time
    const copied = story.version === 3 ? null : copiedScoreVariable(story);
    this.#scoreVariable = story.version === 3 ? (isTimed ? null : STATUS_SCORE) : copied;
    this.#turnsVariable = this.#scoreVariable === null ? null : STATUS_TURNS;
  }

  read(machine: Machine): ScoreReading {
    if (this.#scoreVariable === null) return readStatusLine(machine.screen.upperLines);
    const turns = this.#turnsVariable === null ? null : machine.load(this.#turnsVariable);
    return { score: signedWord(machine.load(this.#scoreVariable)), moves: turns };
  }
}

function copiedScoreVariable({ bytes, staticBase }: Story): number | null {
  for (let at = staticBase; at + 6 <= bytes.length; at++) {
    const isCopy = bytes[at] === STORE_VARIABLE && bytes[at + 1] === STATUS_SCORE && bytes[at + 2] >= 16;
    if (isCopy && bytes[at + 3] === STORE_VARIABLE && bytes[at + 4] === STATUS_TURNS && bytes[at + 5] >= 16)
      return bytes[at + 2];
  }
  return null;
}

function readStatusLine(lines: readonly string[]): ScoreReading {
  const status = lines.join('\n');
  const named = /score:\s*(-?\d+)/i.exec(status);
  const turns = /(?:moves|turns):\s*(\d+)/i.exec(status);
  if (named !== null) return { score: Number(named[1]), moves: turns === null ? null : Number(turns[1]) };
  const pair = /(-?\d+)\/(\d+)\s*$/m.exec(status);
  return pair === null ? { score: 0, moves: null } : { score: Number(pair[1]), moves: Number(pair[2]) };
}

export type Ending = 'won' | 'lost' | null;

/** Matches the line that ends a game, which is between stars: "*** You have won ***"; the oldest games have four stars. */
const CLOSING_LINE = /^[ \t]*\*{3,4}[ \t]*(\S.*?)[ \t]*\*{3,4}[ \t]*$/m;
const CLOSING_QUESTION = /\b(?:restart|restore|quit)\b/i;
const DEATH = /\byou(?: have|'ve)? (?:died|are dead)\b/i;
const VICTORY = /\b(?:won|win|victor\w*|triumph\w*|succeeded|congratulations)\b/i;

/**
 * Returns whether the text after a command ends the game, and how. A line between stars ends it if the game then offers to
 * restart or quit. A line between stars about death always ends it, as in Jericho, even if the game would continue.
 */
export function endingIn(text: string, pause: Pause): Ending {
  const line = CLOSING_LINE.exec(text);
  if (line !== null) {
    const rest = text.slice(line.index + line[0].length);
    if (CLOSING_QUESTION.test(rest) || pause === 'halted') return VICTORY.test(line[1]) ? 'won' : 'lost';
    if (DEATH.test(line[1])) return 'lost';
  }
  return pause === 'halted' ? 'lost' : null;
}

/** Returns the largest score as a game prints it after `score`: "… out of a possible 360", "(total of 350 points)". */
export function maximumIn(text: string): number | null {
  const found = /\bout of (?:an? )?(?:(?:possible|maximum|total) )*(?:of )?(\d+)|\btotal of (\d+) points/i.exec(text);
  return found === null ? null : Number(found[1] ?? found[2]);
}
