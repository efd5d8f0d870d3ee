// Finds the gold path (the expert's actions) of Cooking World: recipe, knife, ingredients room by room, cutting, cooking, meal.
// As in TextWorldExpress, it walks randomly with a java.util.Random of the world's seed, which reproduces recorded paths.
import type { CookingGame } from './cookingworld.js';
import { JavaRandom } from '../java-random.js';
import { cuttingVerbs, directions, visibleThings } from '../things.js';
import { walkTo, type Recorder } from './walking.js';

const ATTEMPTS = 50;
const MOST_MOVES = 36;

/** Returns a path that wins the game. @param makeGame makes a new game in the same world */
export function cookingGoldPath(makeGame: () => CookingGame, seed: number): string[] {
  const random = new JavaRandom(seed);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const cook = new Cook(makeGame(), (game, goal, act) => walkAtRandom(random, game, goal, act));
    if (cook.cookMeal()) return cook.path;
  }
  // If a random walk does not reach its goal, the whole path is made again with shortest paths.
  const cook = new Cook(makeGame(), (game, goal, act) => walkTo(game, (room) => room.name === goal, act));
  cook.cookMeal();
  return cook.path;
}

type Walk = (game: CookingGame, goal: string, act: Recorder) => boolean;

class Cook {
  readonly path: string[] = [];
  readonly #found = new Set<string>();

  constructor(
    private readonly game: CookingGame,
    private readonly walk: Walk,
  ) {}

  /** Plays until the meal is eaten. @returns false if a walk did not reach its goal */
  cookMeal(): boolean {
    this.game.begin();
    if (!this.#goTo('kitchen')) return false;
    this.#act('take cookbook');
    this.#act('read cookbook');
    this.#findKnife();
    for (const place of ['kitchen', 'pantry', 'backyard', 'supermarket']) {
      if (!this.#goTo(place)) return false;
      this.#collectHere();
      if (this.#hasAll()) break;
    }
    if (!this.#goTo('kitchen')) return false;
    if (!this.#prepareIngredients() || !this.#goTo('kitchen')) return false;
    this.#act('prepare meal');
    this.#act('eat meal');
    return true;
  }

  #findKnife(): void {
    if (!this.#sees('knife')) {
      this.#act('open cutlery drawer');
      if (!this.#sees('knife')) this.#act('open kitchen cupboard');
    }
    this.#act('take knife');
  }

  #collectHere(): void {
    const seen = visibleThings(this.game.room);
    this.#takeIngredients();
    if (this.#hasAll()) return;
    for (const { name } of seen) {
      if (name !== 'fridge' && name !== 'kitchen cupboard') continue;
      this.#act(`open ${name}`);
      this.#takeIngredients();
      this.#act(`close ${name}`);
      if (this.#hasAll()) return;
    }
  }

  #takeIngredients(): void {
    const seen = visibleThings(this.game.room);
    for (const { thing } of this.game.ingredients) {
      if (!seen.includes(thing)) continue;
      this.#act(`take ${thing.name}`);
      this.#found.add(thing.name);
    }
  }

  #prepareIngredients(): boolean {
    const { ingredients, rooms } = this.game;
    for (const { thing, preparation } of ingredients) {
      if (preparation.cutting !== 'uncut') this.#act(`${cuttingVerbs[preparation.cutting]} ${thing.name}`);
    }
    for (const { thing, preparation } of ingredients) {
      if (preparation.cooking === 'fried') this.#act(`cook ${thing.name} in stove`);
      if (preparation.cooking === 'roasted') this.#act(`cook ${thing.name} in oven`);
    }
    const [place, device] = rooms.length < 3 ? ['kitchen', 'toaster'] : ['backyard', 'barbeque'];
    for (const { thing, preparation } of ingredients) {
      if (preparation.cooking !== 'grilled') continue;
      if (!this.#goTo(place)) return false;
      this.#act(`cook ${thing.name} in ${device}`);
    }
    return true;
  }

  #hasAll(): boolean {
    return this.#found.size === this.game.ingredients.length;
  }

  #sees(name: string): boolean {
    return visibleThings(this.game.room).some((thing) => thing.name === name);
  }

  #goTo(place: string): boolean {
    return this.game.room.name === place || this.walk(this.game, place, (action) => this.#act(action));
  }

  /** Plays an action and appends it to the path, even if it changes nothing, such as opening an open cupboard. */
  #act(action: string): void {
    this.path.push(action);
    if (this.game.isPossible(action)) this.game.act(action);
  }
}

/** Enters the goal if it is adjacent, after opening the way, else walks in a random direction; gives up after 36 moves. */
function walkAtRandom(random: JavaRandom, game: CookingGame, goal: string, act: Recorder): boolean {
  for (let moves = 0; moves < MOST_MOVES; moves++) {
    if (game.room.name === goal) return true;
    const { exits } = game.room;
    const ways = directions.filter((direction) => exits[direction] !== null);
    const open = ways.find((way) => exits[way]?.to.name === goal && exits[way]?.door?.isOpen !== false);
    if (open !== undefined) {
      act(`move ${open}`);
      return true;
    }
    for (const way of ways) {
      if (exits[way]?.door?.isOpen === false) act(`open door to ${way}`);
      if (exits[way]?.to.name === goal) {
        act(`move ${way}`);
        return true;
      }
    }
    act(`move ${ways.length > 1 ? random.choice(ways) : ways[0]}`);
  }
  return false;
}
