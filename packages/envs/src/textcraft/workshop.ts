// Keeps the inventory in TextCraft and carries out actions, with the grammar and the texts of AgentGym's server.
import type { CraftingTree } from './crafting-tree.js';
import { shown, type Recipe } from './recipe.js';

/** An item or tag with a count, as in the agent's action. */
interface Typed {
  name: string;
  isTag: boolean;
  count: number;
}

/** The error for an action that is impossible. Its message becomes the observation, and the inventory does not change. */
class Refusal extends Error {}

export class Workshop {
  readonly inventory = new Map<string, number>();

  constructor(private readonly tree: CraftingTree) {}

  /** Carries out an action. Returns the observation, and the item that was crafted or fetched, or null. */
  act(action: string): { text: string; made: string | null } {
    try {
      const craft = /^craft ([^\n]*) using ([^\n]*)/.exec(action);
      if (craft !== null) return this.#craft(craft[1], craft[2]);
      const get = /^get ([0-9]+) ([^\n]*)/.exec(action);
      if (get !== null) return this.#get(Number(get[1]), get[2]);
      if (action.startsWith('inventory')) return { text: this.#inventoryText(), made: null };
      throw new Refusal(`Could not execute ${action}`);
    } catch (refusal) {
      if (refusal instanceof Refusal) return { text: refusal.message, made: null };
      throw refusal;
    }
  }

  #get(count: number, text: string): { text: string; made: string } {
    const { name, isTag } = this.#typed(text, count);
    if (isTag || this.tree.isCraftable(name) || !this.tree.isItem(name)) throw new Refusal(`Could not find ${text}`);
    this.#add(name, count);
    return { text: `Got ${count} ${text}`, made: name };
  }

  #craft(outputText: string, inputTexts: string): { text: string; made: string } {
    const numbered = /^([0-9]+) ([^\n]*)/.exec(outputText);
    const output = numbered === null ? this.#typed(outputText, 1) : this.#typed(numbered[2], Number(numbered[1]));
    const inputs = inputTexts.split(',').map((text) => this.#input(text.trim()));
    const inStore = inputs.every(({ name, isTag, count }) => !isTag && (this.inventory.get(name) ?? -1) >= count);
    if (!inStore) {
      const name = output.isTag ? 'None' : `minecraft:${output.name}`;
      throw new Refusal(`Could not find enough items to craft ${name}`);
    }
    const recipe = output.isTag
      ? undefined
      : this.tree.recipes.get(output.name)?.find((known) => this.#fits(known, inputs));
    if (recipe === undefined) throw new Refusal(`Could not find a valid recipe for ${pythonRepr(output)}`);
    for (const { name, count } of inputs) this.#add(name, -count);
    this.#add(recipe.output, recipe.count);
    return { text: `Crafted ${recipe.count} minecraft:${recipe.output}`, made: recipe.output };
  }

  #input(text: string): Typed {
    const match = /^([0-9]+) ([^\n]*)/.exec(text);
    if (match === null) throw new Refusal(`Wrong item format: ${text}`);
    return this.#typed(match[2], Number(match[1]));
  }

  #typed(text: string, count: number): Typed {
    const name = text.replaceAll(' ', '_');
    return { name, isTag: this.tree.isTag(name), count };
  }

  /** Returns whether items match a recipe: each ingredient takes the first item that fits, and none may remain. */
  #fits({ ingredients }: Recipe, inputs: readonly Typed[]): boolean {
    const left = [...inputs];
    for (const ingredient of ingredients) {
      const index = left.findIndex(({ name }) => this.tree.matches(ingredient, name));
      if (index < 0 || left[index].count !== ingredient.count) return false;
      left.splice(index, 1);
    }
    return left.length === 0;
  }

  #add(name: string, count: number): void {
    const total = (this.inventory.get(name) ?? 0) + count;
    // An item that is used up is removed from the inventory, but "get 0" adds an entry with the count 0, as on AgentGym's server.
    if (total === 0 && count < 0) this.inventory.delete(name);
    else this.inventory.set(name, total);
  }

  #inventoryText(): string {
    if (this.inventory.size === 0) return 'Inventory: You are not carrying anything.';
    return `Inventory: ${[...this.inventory].map(([name, count]) => `[${shown(name)}] (${count}) `).join('')}`;
  }
}

/** Formats an item as the server prints its Python object. */
function pythonRepr({ name, isTag, count }: Typed): string {
  const id = `minecraft:${name}`.replaceAll('\\', '\\\\');
  const quoted = id.includes("'") && !id.includes('"') ? `"${id}"` : `'${id.replaceAll("'", "\\'")}'`;
  const [tag, item] = isTag ? [quoted, 'None'] : ['None', quoted];
  return `ItemTagWithCount(item_tag=ItemTag(tag=${tag}, item_id=${item}), count=${count})`;
}
