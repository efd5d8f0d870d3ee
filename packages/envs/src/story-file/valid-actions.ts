// Finds the valid actions of a text adventure: the commands that would change the state of its world. It tries every sentence of
// the game's grammar on a snapshot of the machine.
// Source: Hausknecht et al. 2020, Interactive Fiction Games: A Colossal Adventure (arXiv:1909.05398), section 4.
// Differs from it: the names of objects come from the object tree, or, if it has no usable names, from words of the descriptions
// that are nouns in the dictionary. Changes that do not count (noise) are found in the running game, not listed for each game.
import { createHash } from 'node:crypto';
import { commonness } from './common-words.js';
import { OBJECT, readTemplates, templateOf, type Template } from './grammar.js';
import type { Machine, MachineSnapshot } from './machine/machine.js';
import type { WorldChange } from './machine/object-tree.js';
import type { Story } from './machine/story.js';
import type { StoryRandomState } from './machine/story-random.js';
import { giveCommand } from './give-command.js';
import { endingIn, type ScoreReader } from './score.js';

/** Commands that are tried in every game, after the sentence templates with at most one object. */
const BASIC_COMMANDS = 'north south west east northwest southwest northeast southeast up down enter exit'
  .split(' ')
  .concat('take all');

/** Sentence templates for games whose grammar cannot be read. Only those whose words are in the game's dictionary are tried. */
const PLAIN_TEMPLATES = (
  'take OBJ,drop OBJ,open OBJ,close OBJ,push OBJ,pull OBJ,turn OBJ,read OBJ,eat OBJ,drink OBJ,wear OBJ,move OBJ,' +
  'climb OBJ,enter OBJ,light OBJ,wait,put OBJ in OBJ,put OBJ on OBJ,give OBJ to OBJ,unlock OBJ with OBJ,attack OBJ with OBJ'
).split(',');

/** Matches the answers of games that mean "no such thing here" or "not understood". */
const NOT_UNDERSTOOD =
  /can't see any|not a verb|don't know the word|doesn't (?:know|recogni[sz]e) the word|didn't understand|not (?:something|clear what) you|isn't one i recogni[sz]e|noun missing|beg your pardon|you used the word|do you want to examine/i;
const AMBIGUOUS = /^\s*(?:which|who) do you mean/i;

/** Matches the names that games give to the object that stands for the player. */
const PLAYER_NAME = /^(?:yourself|your ?self|\(?self(?: object)?\)?|you|me|myself|cretin|adventurer)$/i;

const LOCATION_VARIABLE = 16;
const MAX_REMEMBERED_STATES = 4096;
/** The largest number of commands tried in a state; fewer objects come first, so that only unlikely pairs are omitted. */
const MAX_TRIALS = 4000;
/** Words that the dictionaries of games mark as nouns although they are pronouns or quantities. */
const EMPTY_NOUNS = new Set('it him her them me all everything other others each every both one ones of'.split(' '));
/** The flag by which the dictionary of a game by Inform marks a noun. */
const IS_NOUN = 0x80;

interface Remembered {
  actions: string[];
  /** The random generator's state before the search; null if no tried command drew a number, so that any seed gives this list. */
  random: StoryRandomState | null;
}

/** A cache of valid actions for each game, by the exact state of the machine. */
const rememberedByStory = new WeakMap<Story, Map<string, Remembered>>();

export class ValidActionFinder {
  readonly #templates: readonly Template[];
  readonly #players: readonly number[];
  readonly #remembered: Map<string, Remembered>;

  constructor(
    private readonly machine: Machine,
    private readonly scores: ScoreReader,
  ) {
    const templates = readTemplates(machine);
    const known = (text: string) => text.split(' ').every((word) => word === OBJECT || machine.dictionary.has(word));
    const sentences = templates.length > 0 ? templates : PLAIN_TEMPLATES.filter(known).map(templateOf);
    const basic = BASIC_COMMANDS.filter(known).map(templateOf);
    const isPair = ({ objectCount }: Template) => objectCount > 1;
    this.#templates = [...sentences.filter((t) => !isPair(t)), ...basic, ...sentences.filter(isPair)];
    this.#players = numbers(machine.objects.count).filter((object) => PLAYER_NAME.test(machine.objects.name(object)));
    this.#remembered = rememberedByStory.get(machine.story) ?? new Map<string, Remembered>();
    rememberedByStory.set(machine.story, this.#remembered);
  }

  /** Returns the valid actions in alphabetical order; empty if the game waits for a key. The machine's state is restored. */
  find(): string[] {
    if (this.machine.pause !== 'line') return [];
    const snapshot = this.machine.snapshot();
    const key = fingerprint(snapshot);
    const known = this.#remembered.get(key);
    if (known !== undefined && (known.random === null || isSame(known.random, snapshot.random)))
      return [...known.actions];
    const drawsBefore = this.machine.random.drawCount;
    const actions = this.#try(snapshot);
    this.machine.restore(snapshot);
    const hadLuck = this.machine.random.drawCount !== drawsBefore;
    this.#remember(key, { actions, random: hadLuck ? snapshot.random : null });
    return [...actions];
  }

  #remember(key: string, entry: Remembered): void {
    const oldest = this.#remembered.keys().next();
    if (this.#remembered.size >= MAX_REMEMBERED_STATES && !oldest.done) this.#remembered.delete(oldest.value);
    this.#remembered.set(key, entry);
  }

  #try(snapshot: MachineSnapshot): string[] {
    const noise = new Noise();
    const looks = ['look', 'inventory'].map((command) => this.#run(snapshot, command));
    for (const { changes } of looks) noise.learn(changes);
    this.machine.restore(snapshot);
    const inTree = this.#surroundings().map((object) => namesOf(this.machine.objects.name(object), this.#isKnown));
    let names = this.#distinctNames(snapshot, noise, inTree);
    if (names.length === 0)
      names = this.#distinctNames(snapshot, noise, this.#nounsIn(looks.map(({ text }) => text).join(' ')));
    const { score } = this.scores.read(this.machine);
    const byChange = new Map<string, string>();
    let trials = 0;
    for (const command of commandsFrom(this.#templates, [...names, 'all'])) {
      if (trials++ >= MAX_TRIALS) break;
      const { text, changes } = this.#run(snapshot, command);
      const worldChanges = changes.filter((change) => !noise.has(change));
      const hasEnded = endingIn(text, this.machine.pause) !== null;
      const isValid = worldChanges.length > 0 || hasEnded || this.scores.read(this.machine).score !== score;
      if (!isValid || this.machine.fault !== null || text.includes('(Taken)')) continue;
      const change = worldChanges.map(({ kind, object, value }) => `${kind} ${object} ${value}`).join();
      const rival = byChange.get(change);
      if (rival === undefined || verbCommonness(command) > verbCommonness(rival)) byChange.set(change, command);
    }
    return [...byChange.values()].sort();
  }

  readonly #isKnown = (word: string) => this.machine.dictionary.has(word);

  /**
   * Returns one name per object that `examine` knows, distinguished by description. @param candidates of each object, best first
   */
  #distinctNames(snapshot: MachineSnapshot, noise: Noise, candidates: readonly (readonly string[])[]): string[] {
    const byDescription = new Map<string, string>();
    for (const names of candidates) {
      for (const name of names) {
        const { text, changes } = this.#run(snapshot, `examine ${name}`);
        if (NOT_UNDERSTOOD.test(text) || AMBIGUOUS.test(text)) continue;
        noise.learn(changes);
        if (!byDescription.has(text)) byDescription.set(text, name);
        break;
      }
    }
    return [...byDescription.values()];
  }

  #nounsIn(text: string): string[][] {
    const words = new Set(text.toLowerCase().split(/[^\p{L}\p{N}'-]+/u));
    const isNoun = (word: string) => ((this.machine.dictionary.find(word)?.data[0] ?? 0) & IS_NOUN) !== 0;
    return [...words].filter((word) => !EMPTY_NOUNS.has(word) && isNoun(word)).map((word) => [word]);
  }

  /** Returns all objects in the player's room, also those inside other objects, without the player. */
  #surroundings(): number[] {
    const { objects } = this.machine;
    const player = this.#players.find((object) => objects.parent(object) !== 0) ?? 0;
    const place = objects.parent(player) || this.machine.load(LOCATION_VARIABLE);
    const found: number[] = [];
    const collect = (object: number) => {
      if (found.includes(object) || found.length > 500) return;
      if (object !== player) found.push(object);
      objects.children(object).forEach(collect);
    };
    if (place > 0 && place <= objects.count) objects.children(place).forEach(collect);
    return found;
  }

  #run(snapshot: MachineSnapshot, command: string): { text: string; changes: WorldChange[] } {
    const { machine } = this;
    machine.restore(snapshot);
    const changes: WorldChange[] = [];
    machine.objects.changes = changes;
    const text = giveCommand(machine, command);
    machine.objects.changes = null;
    return { text, changes };
  }
}

/** The changes of objects that even `look`, `inventory` and `examine` cause, which do not show that a command has an effect. */
class Noise {
  readonly #attributes = new Set<number>();
  readonly #moves = new Set<string>();

  learn(changes: readonly WorldChange[]): void {
    for (const { kind, object, value } of changes) {
      if (kind === 'moved') this.#moves.add(`${object} ${value}`);
      else this.#attributes.add(value);
    }
  }

  has({ kind, object, value }: WorldChange): boolean {
    return kind === 'moved' ? this.#moves.has(`${object} ${value}`) : this.#attributes.has(value);
  }
}

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i + 1);

const verbCommonness = (command: string) => commonness(command.split(' ', 1)[0]);

const isSame = (a: StoryRandomState, b: StoryRandomState) =>
  a.state === b.state && a.period === b.period && a.count === b.count;

const fingerprint = ({ memory, stack, frames, pc }: MachineSnapshot) =>
  createHash('sha1').update(memory).update(stack).update(frames).update(String(pc)).digest('base64');

/** Returns the possible names of an object, the noun first: "small black pistol" → pistol, black, small, and the whole name. */
function namesOf(name: string, isKnown: (word: string) => boolean): string[] {
  const words = name
    .toLowerCase()
    .split(/[^\p{L}\p{N}'-]+/u)
    .filter((word) => word !== '' && isKnown(word));
  return words.length > 1 ? [...words.toReversed(), words.join(' ')] : words;
}

/** Yields every sentence template with every choice of object names. No sentence contains an object twice. */
function* commandsFrom(templates: readonly Template[], names: readonly string[]): Generator<string> {
  for (const { text, objectCount } of templates) {
    if (objectCount === 0) yield text;
    else if (objectCount === 1) for (const name of names) yield text.replace(OBJECT, name);
    else if (objectCount === 2) {
      for (const first of names) {
        for (const second of names) if (first !== second) yield text.replace(OBJECT, first).replace(OBJECT, second);
      }
    }
  }
}
