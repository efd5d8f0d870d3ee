// Plays the game Cooking World: the agent reads the recipe, gathers the ingredients, cuts and cooks them as the recipe says,
// prepares the meal and eats it. Each of these is one point: every ingredient that was ever held, every cut, every cooking, the
// meal, and eating it. A spoilt ingredient ends the game.
import { makeFood, type Content, type Preparation, type RecipeFood } from '../content/content.js';
import { makeKitchen, makeRoom, type HouseholdRoomName } from '../household.js';
import { JavaRandom } from '../java-random.js';
import { layOutHousehold } from '../layout.js';
import { gameSetNumber, isOn, type Fold, type ParameterSpec } from '../parameters.js';
import {
  cookingVerbs,
  cuttingStyles,
  cuttingVerbs,
  move,
  Thing,
  visibleThings,
  type CookingStyle,
  type Room,
} from '../things.js';
import { WorldGenerationError } from '../world-generation-error.js';
import { RoomGame } from './room-game.js';
import type { Score, WorldChoice } from './text-game.js';

export const cookingworldParameters: readonly ParameterSpec[] = [
  { name: 'numLocations', default: 11, range: [1, 11], meaning: 'rooms' },
  { name: 'numDistractorItems', default: 10, range: [0, 10], meaning: 'foods that the recipe does not need' },
  { name: 'numIngredients', default: 3, range: [1, 5], meaning: 'foods in the recipe' },
  { name: 'includeDoors', default: 1, range: 'flag', meaning: 'closed doors between some rooms' },
  { name: 'limitInventorySize', default: 1, range: 'flag', meaning: 'carry at most numIngredients + 2 things' },
];

export interface Ingredient {
  readonly preparation: Preparation;
  readonly thing: Thing;
  /** Whether the ingredient was in the inventory after any action of the episode. */
  wasHeld: boolean;
}

const roomsByNumber: readonly HouseholdRoomName[] = [
  'kitchen',
  'pantry',
  'backyard',
  'corridor',
  'bedroom',
  'living room',
  'bathroom',
  'laundry room',
  'driveway',
  'street',
  'supermarket',
];

const styleOfDevice: Readonly<Record<string, CookingStyle>> = {
  stove: 'fried',
  oven: 'roasted',
  barbeque: 'grilled',
  toaster: 'grilled',
};

export class CookingGame extends RoomGame {
  readonly taskDescription =
    'Cook a meal and eat it. The cookbook in the kitchen tells the ingredients and what to do with each of them.'; // prose-lint: off
  readonly properties: Readonly<Record<string, number>>;
  readonly ingredients: readonly Ingredient[];
  readonly #maxScore: number;
  #meal: { isEaten: boolean; pointsBefore: number } | null = null;

  constructor({ seed, fold, parameters: values, content }: WorldChoice) {
    const { rooms, ingredients } = makeWorld(seed, fold, values, content);
    super({
      rooms,
      start: rooms[0],
      carryLimit: isOn(values.limitInventorySize) ? ingredients.length + 2 : null,
      shuffleSeed: 0,
    });
    this.ingredients = ingredients;
    this.properties = { seed, ...values, gameSet: gameSetNumber(fold) };
    this.#maxScore = ingredients.reduce((sum, { preparation }) => sum + pointsFor(preparation), 2);
  }

  protected override addGeneralActions(): void {
    if (this.#canPrepareMeal()) this.add('prepare meal', () => this.#prepareMeal());
  }

  protected override addActionsOnVisible(thing: Thing): void {
    this.addExamine(thing);
    this.addTake(thing);
    this.addOpenOrClose(thing);
    this.addRead(thing);
  }

  protected override addActionsOnCarried(thing: Thing, visible: readonly Thing[]): void {
    this.addExamine(thing);
    for (const other of visible) {
      this.addPut(thing, other);
      this.#addCook(thing, other);
    }
    this.#addEat(thing);
    this.#addCut(thing);
    this.addRead(thing);
  }

  #canPrepareMeal(): boolean {
    return (
      this.room.name === 'kitchen' &&
      this.ingredients.every(({ thing, preparation }) => thing.holder === this.inventory && isReady(thing, preparation))
    );
  }

  #prepareMeal(): string {
    // The meal replaces the ingredients, whose points are stored: only eating the meal can still change the score.
    this.#meal = { isEaten: false, pointsBefore: this.#ingredientPoints() };
    for (const { thing } of this.ingredients) move(thing, null);
    move(new Thing('meal', { food: preparedMeal() }), this.inventory);
    return 'You put everything together: the meal is ready and you carry it.';
  }

  #addCook(thing: Thing, device: Thing): void {
    const { food } = thing;
    if (device.kind !== 'device' || food?.isCookable !== true || food.cooked !== null) return;
    this.add(`cook ${thing.name} in ${device.name}`, () => {
      food.isRaw = false;
      food.cooked = styleOfDevice[device.name];
      return `You ${cookingVerbs[food.cooked]} the ${thing.name} with the ${device.name}.`;
    });
  }

  #addEat(thing: Thing): void {
    if (thing.food?.isEdible !== true) return;
    this.add(`eat ${thing.name}`, () => {
      move(thing, null);
      if (thing.name === 'meal' && this.#meal !== null) this.#meal.isEaten = true;
      return `You eat the ${thing.name}. It tastes good.`;
    });
  }

  #addCut(thing: Thing): void {
    const { food } = thing;
    if (food?.isCuttable !== true || food.cut !== null) return;
    if (!this.inventory.contents.some((held) => held.name === 'knife')) return;
    for (const style of cuttingStyles) {
      this.add(`${cuttingVerbs[style]} ${thing.name}`, () => {
        food.cut = style;
        return `You ${cuttingVerbs[style]} the ${thing.name} with the knife.`;
      });
    }
  }

  protected override score(): Score {
    const raw =
      this.#meal === null ? this.#ingredientPoints() : this.#meal.pointsBefore + 1 + (this.#meal.isEaten ? 1 : 0);
    return {
      raw,
      normalized: raw / this.#maxScore,
      won: this.#meal?.isEaten === true,
      failed: this.#meal === null && this.ingredients.some(isSpoilt),
    };
  }

  #ingredientPoints(): number {
    let points = 0;
    for (const ingredient of this.ingredients) {
      const { thing, preparation } = ingredient;
      ingredient.wasHeld ||= thing.holder === this.inventory;
      points += Number(ingredient.wasHeld);
      points += Number(preparation.cooking !== 'raw' && thing.food?.cooked === preparation.cooking);
      points += Number(preparation.cutting !== 'uncut' && thing.food?.cut === preparation.cutting);
    }
    return points;
  }
}

/** Returns the largest number of points that an ingredient can earn: for being held, cut and cooked. */
const pointsFor = ({ cooking, cutting }: Preparation) => 1 + Number(cutting !== 'uncut') + Number(cooking !== 'raw');

function isReady({ food }: Thing, { cooking, cutting }: Preparation): boolean {
  if (food === null) return false;
  const cookedRight = cooking === 'raw' ? food.isRaw : food.cooked === cooking;
  return cookedRight && (cutting === 'uncut' ? food.cut === null : food.cut === cutting);
}

/** Returns whether an ingredient was eaten, or cooked or cut other than in the recipe; a missing step does not spoil it. */
function isSpoilt({ thing, preparation: { cooking, cutting } }: Ingredient): boolean {
  const { food, holder } = thing;
  if (holder === null || food === null) return true;
  if (cooking === 'raw' ? !food.isRaw : food.cooked !== null && food.cooked !== cooking) return true;
  return cutting === 'uncut' ? food.cut !== null : food.cut !== null && food.cut !== cutting;
}

const preparedMeal = () => ({
  isEdible: true,
  isCookable: false,
  isCuttable: false,
  needsCooking: false,
  isRaw: false,
  cooked: null,
  cut: null,
});

/** Generates a world. It draws in this order: kitchen, map, doors, recipe, the places of the ingredients, distractors. */
function makeWorld(
  seed: number,
  fold: Fold,
  values: WorldChoice['parameters'],
  content: Content,
): { rooms: Room[]; ingredients: Ingredient[] } {
  const random = new JavaRandom(seed);
  const rooms = roomsByNumber
    .slice(0, values.numLocations)
    .map((name) =>
      name === 'kitchen'
        ? makeKitchen(random, { hasKnife: true, hasToaster: values.numLocations < 3 })
        : makeRoom(name, random),
    );
  layOutHousehold(random, rooms, isOn(values.includeDoors));
  const recipe = drawRecipe(random, content.recipes[fold], values.numIngredients);
  const ingredients = placeIngredients(random, rooms, recipe, content);
  addDistractors(random, rooms, values.numDistractorItems, ingredients, content);
  const counter = rooms[0].contents.find((thing) => thing.name === 'counter')!;
  move(new Thing('cookbook', { text: cookbookText(ingredients) }), counter);
  return { rooms, ingredients };
}

interface RecipeLine {
  name: string;
  preparation: Preparation;
}

function drawRecipe(random: JavaRandom, foods: readonly RecipeFood[], count: number): RecipeLine[] {
  const chosen = new Set<number>();
  for (let attempt = 0; chosen.size < count && attempt < 100; attempt++) chosen.add(random.nextInt(foods.length));
  return [...chosen].map((index) => ({
    name: foods[index].name,
    preparation: random.choice(foods[index].preparations),
  }));
}

const fallbackPlaces = ['fridge', 'counter', 'kitchen cupboard', 'dining table'];

function placeIngredients(random: JavaRandom, rooms: readonly Room[], recipe: readonly RecipeLine[], content: Content) {
  // If two pieces of furniture have the same name, the ingredients are put on or into the one in the later room.
  const places = new Map(rooms.flatMap((room) => visibleThings(room)).map((thing) => [thing.name, thing]));
  return recipe.map(({ name, preparation }): Ingredient => {
    const kind = content.foods.get(name);
    if (kind === undefined) throw new WorldGenerationError(`the recipe's food '${name}' is not among the foods`);
    const thing = makeFood(kind);
    const place = drawPlace(random, kind.places, places);
    if (place === undefined) throw new WorldGenerationError(`there is no place for the ingredient '${name}'`);
    move(thing, place);
    return { preparation, thing, wasHeld: false };
  });
}

function drawPlace(
  random: JavaRandom,
  usual: readonly string[],
  places: ReadonlyMap<string, Thing>,
): Thing | undefined {
  for (let attempt = 0; attempt < 100; attempt++) {
    const place = places.get(random.choice(usual));
    if (place !== undefined) return place;
  }
  const fallback = random.shuffle(fallbackPlaces).find((name) => places.has(name));
  return fallback === undefined ? undefined : places.get(fallback);
}

function addDistractors(
  random: JavaRandom,
  rooms: readonly Room[],
  count: number,
  ingredients: readonly Ingredient[],
  content: Content,
): void {
  const used = new Set(ingredients.map(({ thing }) => thing.name));
  const wanted = used.size + count;
  for (let attempt = 0; used.size < wanted && attempt < 100; attempt++) {
    const things = [...random.choice(rooms).contents].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
    if (things.length === 0) continue;
    const place = random.choice(things);
    const foods = content.foodsByPlace.get(place.name);
    if (foods === undefined) continue;
    const kind = random.choice(foods);
    if (used.has(kind.name)) continue;
    used.add(kind.name);
    move(makeFood(kind), place);
  }
}

function cookbookText(ingredients: readonly Ingredient[]): string {
  const steps = ingredients.flatMap(({ thing, preparation: { cooking, cutting } }) => [
    ...(cutting === 'uncut' ? [] : [`- ${cuttingVerbs[cutting]} the ${thing.name}`]),
    ...(cooking === 'raw' ? [] : [`- ${cookingVerbs[cooking]} the ${thing.name}`]),
  ]);
  return [
    'The recipe of the day.',
    'You need:',
    ...ingredients.map(({ thing }) => `- ${thing.name}`),
    'What to do:',
    ...steps,
    '- prepare meal',
  ].join('\n');
}
