// Reads and changes the tree of game objects (rooms, things, the player) in a Z-machine's memory: parents, siblings, children,
// attributes and properties. Object 0 is "nothing": reading it returns 0, and changing it has no effect. Source: The Z-Machine
// Standards Document 1.1, section 12.
import type { Story } from './story.js';
import type { ZText } from './z-text.js';

/** A change of the object tree that a command causes: an object was moved, or one of its attributes was set or cleared. */
export interface WorldChange {
  kind: 'moved' | 'set' | 'cleared';
  object: number;
  /** The new parent object for `moved`, else the number of the attribute. */
  value: number;
}

export class ObjectTree {
  /** An array to which every move of an object and every change of an attribute is appended; null: changes are not recorded. */
  changes: WorldChange[] | null = null;
  readonly #isSmall: boolean;
  readonly #entryLength: number;
  readonly #firstEntry: number;
  readonly #familyOffset: number;
  readonly #propertyOffset: number;
  readonly #defaults: number;

  constructor(
    private readonly memory: Uint8Array,
    story: Story,
    private readonly text: ZText,
  ) {
    this.#isSmall = story.version <= 3;
    this.#entryLength = this.#isSmall ? 9 : 14;
    this.#familyOffset = this.#isSmall ? 4 : 6;
    this.#propertyOffset = this.#isSmall ? 7 : 12;
    this.#defaults = story.objectTable;
    this.#firstEntry = story.objectTable + (this.#isSmall ? 31 : 63) * 2;
  }

  /** The number of objects, which are stored before the lowest property table; the header does not contain it (section 12.3). */
  get count(): number {
    let lowest = this.memory.length;
    let object = 1;
    for (; this.#entry(object) + this.#entryLength <= lowest; object++) {
      const table = this.#propertyTable(object);
      if (table > this.#firstEntry) lowest = Math.min(lowest, table);
    }
    return object - 1;
  }

  parent(object: number): number {
    return object === 0 ? 0 : this.#relative(object, 0);
  }

  sibling(object: number): number {
    return object === 0 ? 0 : this.#relative(object, 1);
  }

  child(object: number): number {
    return object === 0 ? 0 : this.#relative(object, 2);
  }

  children(object: number): number[] {
    const children: number[] = [];
    // The limit ends the loop if a damaged tree contains a cycle: a game cannot have more objects than bytes.
    for (let child = this.child(object); child !== 0 && children.length < 65536; child = this.sibling(child))
      children.push(child);
    return children;
  }

  remove(object: number): void {
    if (object === 0) return;
    this.changes?.push({ kind: 'moved', object, value: 0 });
    this.#unlink(object);
  }

  insert(object: number, parent: number): void {
    if (object === 0) return;
    this.changes?.push({ kind: 'moved', object, value: parent });
    this.#unlink(object);
    if (parent === 0) return;
    this.#setRelative(object, 1, this.child(parent));
    this.#setRelative(object, 0, parent);
    this.#setRelative(parent, 2, object);
  }

  hasAttribute(object: number, attribute: number): boolean {
    return object !== 0 && (this.memory[this.#entry(object) + (attribute >> 3)] & (0x80 >> (attribute & 7))) !== 0;
  }

  setAttribute(object: number, attribute: number): void {
    if (object === 0) return;
    this.changes?.push({ kind: 'set', object, value: attribute });
    this.memory[this.#entry(object) + (attribute >> 3)] |= 0x80 >> (attribute & 7);
  }

  clearAttribute(object: number, attribute: number): void {
    if (object === 0) return;
    this.changes?.push({ kind: 'cleared', object, value: attribute });
    this.memory[this.#entry(object) + (attribute >> 3)] &= ~(0x80 >> (attribute & 7));
  }

  /** Returns the short name of an object; empty if it has none. */
  name(object: number): string {
    if (object === 0) return '';
    const table = this.#propertyTable(object);
    return this.memory[table] === 0 ? '' : this.text.decode(this.memory, table + 1).text;
  }

  /** Returns the address of a property's data; 0 if the object lacks the property. */
  propertyAddress(object: number, property: number): number {
    if (object === 0) return 0;
    let at = this.#firstProperty(object);
    for (;;) {
      const size = this.memory[at];
      const number = this.#propertyNumber(size);
      const data = at + (!this.#isSmall && size >= 0x80 ? 2 : 1);
      if (number === property) return number === 0 ? 0 : data;
      if (number < property) return 0; // properties are in descending order, and 0 ends them
      at = data + this.propertyLength(data);
    }
  }

  /** Returns the length in bytes of a property. @param dataAddress address of the property's data */
  propertyLength(dataAddress: number): number {
    if (dataAddress === 0) return 0;
    const size = this.memory[dataAddress - 1];
    if (this.#isSmall) return (size >> 5) + 1;
    if (size & 0x80) return size & 63 || 64; // 0 stands for 64 (Z-Machine Standard 1.1, 12.4.2.1.1)
    return size & 0x40 ? 2 : 1;
  }

  property(object: number, property: number): number {
    const at = this.propertyAddress(object, property);
    if (at === 0) return this.#word(this.#defaults + 2 * (property - 1));
    return this.propertyLength(at) === 1 ? this.memory[at] : this.#word(at);
  }

  /** Sets a property of an object. @returns false if the object lacks the property, which is an error of the game */
  setProperty(object: number, property: number, value: number): boolean {
    const at = this.propertyAddress(object, property);
    if (at === 0) return false;
    if (this.propertyLength(at) === 1) this.memory[at] = value;
    else this.#setWord(at, value);
    return true;
  }

  /** Returns the number of the property after the given one in an object's table; for 0 the first one, after the last 0. */
  nextProperty(object: number, property: number): number {
    if (object === 0) return 0;
    if (property === 0) return this.#propertyNumber(this.memory[this.#firstProperty(object)]);
    const at = this.propertyAddress(object, property);
    return at === 0 ? 0 : this.#propertyNumber(this.memory[at + this.propertyLength(at)]);
  }

  #unlink(object: number): void {
    const parent = this.parent(object);
    if (parent === 0) return;
    const younger = this.sibling(object);
    if (this.child(parent) === object) this.#setRelative(parent, 2, younger);
    else {
      let elder = this.child(parent);
      while (elder !== 0 && this.sibling(elder) !== object) elder = this.sibling(elder);
      if (elder !== 0) this.#setRelative(elder, 1, younger);
    }
    this.#setRelative(object, 0, 0);
    this.#setRelative(object, 1, 0);
  }

  #entry(object: number): number {
    return this.#firstEntry + (object - 1) * this.#entryLength;
  }

  /** Returns the parent, sibling or child of an object. @param which 0 parent, 1 sibling, 2 child */
  #relative(object: number, which: number): number {
    const at = this.#entry(object) + this.#familyOffset;
    return this.#isSmall ? this.memory[at + which] : this.#word(at + 2 * which);
  }

  #setRelative(object: number, which: number, value: number): void {
    const at = this.#entry(object) + this.#familyOffset;
    if (this.#isSmall) this.memory[at + which] = value;
    else this.#setWord(at + 2 * which, value);
  }

  #propertyTable(object: number): number {
    return this.#word(this.#entry(object) + this.#propertyOffset);
  }

  #firstProperty(object: number): number {
    const table = this.#propertyTable(object);
    return table + 1 + 2 * this.memory[table];
  }

  #propertyNumber(size: number): number {
    return size & (this.#isSmall ? 31 : 63);
  }

  #word(address: number): number {
    return (this.memory[address] << 8) | this.memory[address + 1];
  }

  #setWord(address: number, value: number): void {
    this.memory[address] = value >> 8;
    this.memory[address + 1] = value;
  }
}
