// Keeps the state of a household game: the places of all things, the possible commands and their effects. Rules: the actions of
// ALFWorld's PDDL domain (Shridhar et al. 2021, arXiv:2010.03768), see alfworld.md.
import { isTrue, kindName, type Facts } from './formula.js';
import type { Problem, Receptacle, Thing } from './problem.js';
import { englishList, indefinite } from './wording.js';

/** The verb that puts O into R: `put O in/on R` until ALFWorld 0.3, `move O to R` since. Both are accepted as input. */
export type PutPhrase = 'put' | 'move';

type Treatment = 'clean' | 'heat' | 'cool';
type Flag = 'clean' | 'hot' | 'cool' | 'on' | 'toggled' | 'sliced' | 'checked';

/** For each treatment: the appliance that performs it, and the property that a thing needs for it. */
const treatments: Record<Treatment, { appliance: string; needs: 'cleanable' | 'heatable' | 'coolable' }> = {
  clean: { appliance: 'sinkbasin', needs: 'cleanable' },
  heat: { appliance: 'microwave', needs: 'heatable' },
  cool: { appliance: 'fridge', needs: 'coolable' },
};

const KNIVES = ['knife', 'butterknife'];

export const NOTHING_HAPPENS = 'Nothing happens.';

export class Household implements Facts {
  readonly #receptacles: ReadonlyMap<string, Receptacle>;
  readonly #things: ReadonlyMap<string, Thing>;
  /** The name of the receptacle of each thing that the agent does not hold, keyed by the thing's name. */
  readonly #places: Map<string, string>;
  readonly #opened: Set<string>;
  readonly #flags: Record<Flag, Set<string>> = {
    clean: new Set(),
    hot: new Set(),
    cool: new Set(),
    on: new Set(),
    toggled: new Set(),
    sliced: new Set(),
    checked: new Set(),
  };
  #location: string;
  /** The receptacle in front of the agent; null in the middle of the room. */
  #facing: Receptacle | null = null;
  #held: Thing | null = null;

  constructor(
    readonly problem: Problem,
    private readonly putPhrase: PutPhrase,
  ) {
    this.#receptacles = new Map(problem.receptacles.map((receptacle) => [receptacle.name, receptacle]));
    this.#things = new Map(problem.things.map((thing) => [thing.name, thing]));
    this.#places = new Map(problem.placements);
    this.#opened = new Set(problem.opened);
    this.#location = problem.startLocation;
  }

  get won(): boolean {
    return isTrue(this.problem.goal, this);
  }

  get held(): Thing | null {
    return this.#held;
  }

  get here(): readonly Receptacle[] {
    if (this.#facing === null) return [];
    return this.problem.receptacles.filter(({ location }) => location === this.#location);
  }

  isOpen({ name, openable }: Receptacle): boolean {
    return !openable || this.#opened.has(name);
  }

  /** Returns the things in a receptacle, even if it is closed. */
  contents({ name }: Receptacle): Thing[] {
    return this.problem.things.filter((thing) => this.#places.get(thing.name) === name);
  }

  /** Lists the things that the agent can take: those in or on the open receptacles where it stands. */
  get reachable(): { thing: Thing; receptacle: Receptacle }[] {
    return this.here
      .filter((receptacle) => this.isOpen(receptacle))
      .flatMap((receptacle) => this.contents(receptacle).map((thing) => ({ thing, receptacle })));
  }

  putCommand({ name }: Thing, receptacle: Receptacle): string {
    return this.putPhrase === 'put' ? `put ${name} in/on ${receptacle.name}` : `move ${name} to ${receptacle.name}`;
  }

  introduction(): string {
    return `You are in the middle of a room. Looking quickly around you, you see ${this.#listOf(this.problem.receptacles)}.`;
  }

  /** Lists the commands that are possible in the current state, sorted. */
  admissibleCommands(): string[] {
    const commands = ['look', 'inventory', 'help'];
    for (const receptacle of this.problem.receptacles) {
      if (receptacle.location !== this.#location || this.#facing === null) commands.push(`go to ${receptacle.name}`);
    }
    if (this.#facing !== null) commands.push(...this.#commandsHere());
    if (this.#held !== null) commands.push(`examine ${this.#held.name}`);
    return [...new Set(commands)].sort();
  }

  /** Carries out a command and returns its observation; `Nothing happens.` if it is unknown or impossible. */
  obey(command: string): string {
    const [verb, ...rest] = command.trim().toLowerCase().split(/\s+/);
    const words = rest.join(' ');
    switch (verb) {
      case 'look':
        return words === '' ? this.#look() : NOTHING_HAPPENS;
      case 'inventory':
        return words === '' ? this.#inventory() : NOTHING_HAPPENS;
      case 'help':
        return words === '' ? `You can say: ${englishList(this.#grammar())}.` : NOTHING_HAPPENS;
      case 'go':
        return this.#goTo(words.replace(/^to /, ''));
      case 'open':
      case 'close':
        return this.#openOrClose(verb, words);
      case 'take':
        return this.#take(split(words, ' from '));
      case 'put':
        return this.#put(split(words, ' in/on '));
      case 'move':
        return this.#put(split(words, ' to '));
      case 'use':
        return this.#use(words);
      case 'clean':
      case 'heat':
      case 'cool':
        return this.#treat(verb, split(words, ' with '));
      case 'slice':
        return this.#slice(split(words, ' with '));
      case 'examine':
        return this.#examine(words);
      default:
        return NOTHING_HAPPENS;
    }
  }

  candidates(type: string, kind?: string): readonly string[] {
    const ofKind = (items: readonly { name: string; kind: string }[]) =>
      items.filter((item) => kind === undefined || item.kind === kind).map(({ name }) => name);
    if (type === 'receptacle') return ofKind(this.problem.receptacles);
    if (type === 'object') return ofKind(this.problem.things);
    if (type === 'agent') return ['agent'];
    if (type === 'location') return [...new Set([this.#location, ...this.problem.receptacles.map((r) => r.location)])];
    const kinds = type === 'rtype' ? this.problem.receptacles : this.problem.things;
    return [...new Set(kinds.map((item) => item.kind))];
  }

  holds(predicate: string, terms: readonly string[]): boolean {
    const [first, second = ''] = terms;
    switch (predicate) {
      case 'objecttype':
        return this.#things.get(first)?.kind === kindName(second);
      case 'receptacletype':
        return this.#receptacles.get(first)?.kind === kindName(second);
      case 'inreceptacle':
        return this.#places.get(first) === second;
      case 'holds':
        return this.#held?.name === second;
      case 'holdsany':
        return this.#held !== null;
      case 'atlocation':
        return second === this.#location;
      case 'receptacleatlocation':
        return this.#receptacles.get(first)?.location === second;
      case 'objectatlocation':
        return this.#locationOf(first) === second;
      case 'cancontain':
        return this.problem.canContain.has(`${kindName(first)} ${kindName(second)}`);
      case 'opened':
        return this.#opened.has(first);
      case 'openable':
        return this.#receptacles.get(first)?.openable === true;
      default:
        return this.#holdsOfThing(predicate, first);
    }
  }

  #holdsOfThing(predicate: string, name: string): boolean {
    const flag = /^is(clean|hot|cool|on|toggled|sliced)$/.exec(predicate)?.[1] ?? predicate;
    if (flag in this.#flags) return this.#flags[flag as Flag].has(name);
    const thing = this.#things.get(name);
    if (thing && predicate in thing) return thing[predicate as 'cleanable'] === true;
    return false;
  }

  #locationOf(name: string): string | undefined {
    if (this.#held?.name === name) return this.#location;
    const place = this.#places.get(name);
    return place === undefined ? undefined : this.#receptacles.get(place)?.location;
  }

  #commandsHere(): string[] {
    const commands: string[] = [];
    for (const receptacle of this.here) {
      commands.push(`examine ${receptacle.name}`);
      if (receptacle.openable) commands.push(`${this.isOpen(receptacle) ? 'close' : 'open'} ${receptacle.name}`);
      if (this.#held === null) continue;
      const held = this.#held;
      if (this.isOpen(receptacle) && this.#fits(held, receptacle)) commands.push(this.putCommand(held, receptacle));
      for (const [verb, { appliance, needs }] of Object.entries(treatments))
        if (receptacle.kind === appliance && held[needs]) commands.push(`${verb} ${held.name} with ${receptacle.name}`);
    }
    for (const { thing, receptacle } of this.reachable) {
      commands.push(`examine ${thing.name}`);
      if (thing.pickupable && this.#held === null) commands.push(`take ${thing.name} from ${receptacle.name}`);
      if (thing.toggleable) commands.push(`use ${thing.name}`);
      if (thing.sliceable && this.#held !== null && KNIVES.includes(this.#held.kind))
        commands.push(`slice ${thing.name} with ${this.#held.name}`);
    }
    return commands;
  }

  #grammar(): string[] {
    const put = this.putPhrase === 'put' ? 'put O in/on R' : 'move O to R';
    return [
      'look',
      'inventory',
      'go to R',
      'open R',
      'close R',
      'take O from R',
      put,
      'use O',
      'examine R or O',
      'clean O with R',
      'heat O with R',
      'cool O with R',
      'slice O with a knife',
    ];
  }

  #look(): string {
    if (this.#facing === null) return this.introduction();
    return `You are facing ${this.#listOf(this.here, 'the')}. Next to it, you see nothing.`;
  }

  #inventory(): string {
    return this.#held === null ? 'You are not carrying anything.' : `You are carrying: ${indefinite(this.#held.name)}.`;
  }

  #goTo(name: string): string {
    const receptacle = this.#receptacles.get(name);
    if (!receptacle || (this.#facing !== null && receptacle.location === this.#location)) return NOTHING_HAPPENS;
    this.#location = receptacle.location;
    this.#facing = receptacle;
    return this.#described(receptacle);
  }

  #described(receptacle: Receptacle): string {
    const { name, openable } = receptacle;
    this.#flags.checked.add(name);
    if (!this.isOpen(receptacle)) return `The ${name} is closed.`;
    const seen = this.#listOf(this.contents(receptacle));
    return openable ? `The ${name} is open. In it, you see ${seen}.` : `On the ${name}, you see ${seen}.`;
  }

  #openOrClose(verb: 'open' | 'close', name: string): string {
    const receptacle = this.#receptacleHere(name);
    if (!receptacle?.openable || this.isOpen(receptacle) === (verb === 'open')) return NOTHING_HAPPENS;
    if (verb === 'close') {
      this.#opened.delete(name);
      return `You close the ${name}.`;
    }
    this.#opened.add(name);
    return `You open the ${name}. ${this.#described(receptacle)}`;
  }

  #take([name, from]: readonly string[]): string {
    const found = this.reachable.find(({ thing, receptacle }) => thing.name === name && receptacle.name === from);
    if (!found?.thing.pickupable || this.#held !== null) return NOTHING_HAPPENS;
    this.#held = found.thing;
    this.#places.delete(name);
    return `You pick up the ${name} from the ${from}.`;
  }

  #put([name, where]: readonly string[]): string {
    const receptacle = this.#receptacleHere(where);
    const held = this.#held;
    if (!receptacle || held?.name !== name || !this.isOpen(receptacle) || !this.#fits(held, receptacle))
      return NOTHING_HAPPENS;
    this.#places.set(name, where);
    this.#held = null;
    return this.putPhrase === 'put'
      ? `You put the ${name} in/on the ${where}.`
      : `You move the ${name} to the ${where}.`;
  }

  #use(name: string): string {
    const found = this.reachable.find(({ thing }) => thing.name === name);
    if (!found?.thing.toggleable) return NOTHING_HAPPENS;
    const { on, toggled } = this.#flags;
    if (!on.delete(name)) on.add(name);
    // Switching the lamp off does not remove this fact: a goal asks whether the lamp was ever switched on.
    toggled.add(name);
    return `You turn on the ${name}.`;
  }

  #treat(verb: Treatment, [name, by]: readonly string[]): string {
    const { appliance, needs } = treatments[verb];
    if (this.#held?.name !== name || !this.#held[needs] || this.#receptacleHere(by)?.kind !== appliance)
      return NOTHING_HAPPENS;
    const { clean, hot, cool } = this.#flags;
    if (verb === 'clean') clean.add(name);
    if (verb === 'heat') hot.add(name);
    if (verb === 'heat') cool.delete(name);
    if (verb === 'cool') cool.add(name);
    if (verb === 'cool') hot.delete(name);
    return `You ${verb} the ${name} using the ${by}.`;
  }

  #slice([name, by]: readonly string[]): string {
    const found = this.reachable.find(({ thing }) => thing.name === name);
    if (!found?.thing.sliceable || this.#held?.name !== by || !KNIVES.includes(this.#held.kind)) return NOTHING_HAPPENS;
    this.#flags.sliced.add(name);
    return `You slice the ${name} with the ${by}.`;
  }

  #examine(name: string): string {
    const receptacle = this.#receptacleHere(name);
    if (receptacle) return this.#described(receptacle);
    const seen = this.#held?.name === name || this.reachable.some(({ thing }) => thing.name === name);
    if (!seen) return NOTHING_HAPPENS;
    this.#flags.checked.add(name);
    const states = (['clean', 'hot', 'cool', 'sliced', 'on'] as const).filter((flag) => this.#flags[flag].has(name));
    return states.length === 0
      ? `There is nothing special about the ${name}.`
      : `The ${name} is ${englishList(states)}.`;
  }

  #fits = ({ kind }: Thing, receptacle: Receptacle) => this.problem.canContain.has(`${receptacle.kind} ${kind}`);

  #receptacleHere(name: string): Receptacle | undefined {
    const receptacle = this.#receptacles.get(name);
    return this.#facing !== null && receptacle?.location === this.#location ? receptacle : undefined;
  }

  #listOf(items: readonly { name: string }[], article: 'a' | 'the' = 'a'): string {
    if (items.length === 0) return 'nothing';
    return englishList(items.map(({ name }) => (article === 'a' ? indefinite(name) : `the ${name}`)));
  }
}

/** Returns the texts before and after `between` in a command; the second is empty if the command does not contain it. */
function split(words: string, between: string): [string, string] {
  const at = words.indexOf(between);
  return at < 0 ? [words, ''] : [words.slice(0, at), words.slice(at + between.length)];
}
