// Plays a household as an expert that must explore it. The expert knows the kinds of things in the task, the things that it has
// seen, and the usual places of each kind. It is a shorter form of ALFWorld's hand-coded expert (Shridhar et al. 2021,
// arXiv:2010.03768, appendix).
import type { Rng } from '@bowyer/core';
import { furnishings } from './furnishings.js';
import type { Household } from './household.js';
import type { Receptacle, Task, TaskType, Thing } from './problem.js';

const applianceOf: Partial<Record<TaskType, { verb: 'clean' | 'heat' | 'cool'; appliance: string }>> = {
  pick_clean_then_place_in_recep: { verb: 'clean', appliance: 'sinkbasin' },
  pick_heat_then_place_in_recep: { verb: 'heat', appliance: 'microwave' },
  pick_cool_then_place_in_recep: { verb: 'cool', appliance: 'fridge' },
};

export class Expert {
  /** The receptacle in which each thing was last seen, keyed by the thing's name. */
  readonly #seen = new Map<string, Receptacle>();
  readonly #visited = new Set<string>();
  /** The names of things that were cleaned, heated or cooled, and of those that were brought to their destination. */
  readonly #treated = new Set<string>();
  readonly #brought = new Set<string>();
  /** The receptacle to which the first of two things was brought; the second must be brought there too. */
  #target: Receptacle | undefined;

  constructor(
    private readonly household: Household,
    private readonly task: Task,
    /** Draws the order in which equally likely places are searched; null: they are searched in the listed order. */
    private readonly rng: Rng | null,
  ) {}

  /** Returns the next command; null if everything was searched without success. */
  next(): string | null {
    this.#lookAround();
    const { held } = this.household;
    if (held === null) return this.#fetch(this.task.object);
    if (held.kind !== this.task.object) return this.#putBack(held);
    const treatment = applianceOf[this.task.type];
    if (treatment && !this.#treated.has(held.name)) return this.#treat(held, treatment);
    return this.task.type === 'look_at_obj_in_light' ? this.#lightUp() : this.#bring(held);
  }

  #lookAround(): void {
    const { household } = this;
    for (const receptacle of household.here) if (household.isOpen(receptacle)) this.#visited.add(receptacle.name);
    for (const { thing, receptacle } of household.reachable) this.#seen.set(thing.name, receptacle);
  }

  /** Returns the next command to take a thing of this kind, or, if none was seen yet, to search for one. */
  #fetch(kind: string): string | null {
    const [name, receptacle] = this.#known(kind) ?? [];
    if (name === undefined || receptacle === undefined) return this.#search(kind);
    return this.#at(receptacle) ?? this.#taken(name, receptacle);
  }

  #taken(name: string, receptacle: Receptacle): string {
    this.#seen.delete(name);
    return `take ${name} from ${receptacle.name}`;
  }

  #known(kind: string): [string, Receptacle] | undefined {
    return [...this.#seen].find(
      ([name]) =>
        this.household.problem.things.some((thing) => thing.name === name && thing.kind === kind) &&
        !this.#brought.has(name),
    );
  }

  /** Returns a command that opens the closed receptacle here, or goes to the likeliest place that was not searched yet. */
  #search(kind: string): string | null {
    const { household } = this;
    const closed = household.here.find(
      (receptacle) => !household.isOpen(receptacle) && !this.#visited.has(receptacle.name),
    );
    if (closed) return `open ${closed.name}`;
    const left = household.problem.receptacles.filter(({ name }) => !this.#visited.has(name));
    if (left.length === 0) return null;
    const places = furnishings().things.find((known) => known.kind === kind)?.places ?? [];
    const usual = left.filter((receptacle) => places.includes(receptacle.kind));
    const likely = usual.length > 0 ? usual : left;
    const { name } = this.rng === null ? likely[0] : this.rng.choice(likely);
    return `go to ${name}`;
  }

  #treat(held: Thing, { verb, appliance }: { verb: string; appliance: string }): string | null {
    const receptacle = this.#nearest(appliance);
    if (!receptacle) return null;
    const way = this.#near(receptacle);
    if (way !== null) return way;
    this.#treated.add(held.name);
    return `${verb} ${held.name} with ${receptacle.name}`;
  }

  #lightUp(): string | null {
    const [name, receptacle] = this.#known(this.task.target) ?? [];
    if (name === undefined || receptacle === undefined) return this.#search(this.task.target);
    return this.#at(receptacle) ?? `use ${name}`;
  }

  #bring(held: Thing): string | null {
    const receptacle = (this.#target ??= this.#nearest(this.task.target));
    if (!receptacle) return null;
    const way = this.#at(receptacle);
    if (way !== null) return way;
    this.#brought.add(held.name);
    return this.household.putCommand(held, receptacle);
  }

  /** Returns the command that puts down a held thing which the agent took without this expert's advice. */
  #putBack(held: Thing): string | null {
    const fits = this.household.problem.receptacles.find(({ kind }) =>
      this.household.holds('cancontain', [kind, held.kind]),
    );
    return fits ? (this.#at(fits) ?? this.household.putCommand(held, fits)) : null;
  }

  #nearest(kind: string): Receptacle | undefined {
    const ofKind = this.household.problem.receptacles.filter((receptacle) => receptacle.kind === kind);
    return ofKind.find((receptacle) => this.household.here.includes(receptacle)) ?? ofKind[0];
  }

  /** Returns the command that goes to a receptacle; null if the agent is already at it. */
  #near(receptacle: Receptacle): string | null {
    return this.household.here.includes(receptacle) ? null : `go to ${receptacle.name}`;
  }

  /** Returns the next command to reach and open a receptacle; null if the agent is already at it and it is open. */
  #at(receptacle: Receptacle): string | null {
    return this.#near(receptacle) ?? (this.household.isOpen(receptacle) ? null : `open ${receptacle.name}`);
  }
}
