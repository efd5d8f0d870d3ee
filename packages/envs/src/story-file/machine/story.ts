// Reads the file of a Z-machine game: its bytes, the addresses in its header, and decoded texts. All machines that run the game
// share this data. Source: The Z-Machine Standards Document 1.1, sections 1 (memory map) and 11 (the header).

const SUPPORTED_VERSIONS = [3, 4, 5, 7, 8] as const;

export class StoryFormatError extends Error {
  override readonly name = 'StoryFormatError';

  /** Creates the error. @param storyName path or name of the file */
  constructor(
    readonly storyName: string,
    problem: string,
  ) {
    super(
      [
        `${storyName}: ${problem}`,
        `  a Z-machine story file of version ${SUPPORTED_VERSIONS.join(', ')} is expected (.z3 to .z8, or a .zblorb around one)`,
      ].join('\n'),
    );
  }
}

/** The immutable data of a game, for many machines at once. Addresses are in bytes unless they are called "packed". */
export class Story {
  readonly bytes: Uint8Array;
  readonly version: number;
  /** The first address of static memory. The game cannot write at this address or after it. */
  readonly staticBase: number;
  readonly initialPc: number;
  readonly dictionary: number;
  readonly objectTable: number;
  readonly globals: number;
  readonly abbreviations: number;
  readonly alphabetTable: number;
  readonly unicodeTable: number;
  readonly fileLength: number;
  readonly texts = new Map<number, string>();
  readonly #packedScale: number;
  readonly #routineOffset: number;
  readonly #stringOffset: number;

  constructor(
    file: Uint8Array,
    readonly name = 'story file',
  ) {
    // The bytes are copied, since the caller may reuse the memory of a Node Buffer.
    const bytes = new Uint8Array(unwrapBlorb(file, name));
    if (bytes.length < 64) throw new StoryFormatError(name, `only ${bytes.length} bytes, a header alone has 64`);
    this.bytes = bytes;
    this.version = bytes[0];
    if (!(SUPPORTED_VERSIONS as readonly number[]).includes(this.version)) {
      throw new StoryFormatError(name, `Z-machine version ${this.version} is not supported`);
    }
    this.initialPc = this.word(0x06);
    this.dictionary = this.word(0x08);
    this.objectTable = this.word(0x0a);
    this.globals = this.word(0x0c);
    this.staticBase = this.word(0x0e);
    this.abbreviations = this.word(0x18);
    this.alphabetTable = this.version >= 5 ? this.word(0x34) : 0;
    const extension = this.version >= 5 ? this.word(0x36) : 0;
    this.unicodeTable = extension > 0 && this.word(extension) >= 3 ? this.word(extension + 6) : 0;
    this.#packedScale = { 3: 2, 4: 4, 5: 4, 7: 4, 8: 8 }[this.version] ?? 4;
    this.#routineOffset = this.version === 7 ? this.word(0x28) * 8 : 0;
    this.#stringOffset = this.version === 7 ? this.word(0x2a) * 8 : 0;
    const lengthScale = this.version <= 3 ? 2 : this.version <= 5 ? 4 : 8;
    this.fileLength = Math.min(this.word(0x1a) * lengthScale || bytes.length, bytes.length);
    this.#assertPlausible();
  }

  word(address: number): number {
    return (this.bytes[address] << 8) | this.bytes[address + 1];
  }

  routineAddress(packed: number): number {
    return packed * this.#packedScale + this.#routineOffset;
  }

  stringAddress(packed: number): number {
    return packed * this.#packedScale + this.#stringOffset;
  }

  /** Returns the sum of all bytes after the header, which opcode `verify` compares with the header (section 11.1.6). */
  checksum(): number {
    let sum = 0;
    for (let i = 64; i < this.fileLength; i++) sum += this.bytes[i];
    return sum & 0xffff;
  }

  #assertPlausible(): void {
    const { length } = this.bytes;
    const addresses = {
      dictionary: this.dictionary,
      objects: this.objectTable,
      globals: this.globals,
      start: this.initialPc,
    };
    for (const [what, address] of Object.entries(addresses)) {
      if (address < 64 || address >= length) {
        throw new StoryFormatError(this.name, `the header puts ${what} at ${address}, the file has ${length} bytes`);
      }
    }
    if (this.staticBase < 64 || this.staticBase > length) {
      throw new StoryFormatError(this.name, `the header starts static memory at ${this.staticBase} of ${length} bytes`);
    }
  }
}

/** Returns the game inside a Blorb package, a container of a game and its media (FORM IFRS … ZCOD); other bytes unchanged. */
function unwrapBlorb(file: Uint8Array, name: string): Uint8Array {
  const id = (at: number) => Buffer.from(file.subarray(at, at + 4)).toString('latin1');
  if (id(0) !== 'FORM' || id(8) !== 'IFRS') return file;
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  for (let at = 12; at + 8 <= file.length;) {
    const length = view.getUint32(at + 4);
    if (id(at) === 'ZCOD') return file.subarray(at + 8, at + 8 + length);
    at += 8 + length + (length % 2); // chunks are padded to an even length
  }
  throw new StoryFormatError(name, 'a Blorb package without a ZCOD chunk');
}
