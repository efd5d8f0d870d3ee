// Encodes the postings of a term: the list of documents that contain it, with the term's number of occurrences in each. Each
// entry is twice the distance from the previous document's index, plus 1 if the term occurs once in the document; otherwise the
// number of occurrences follows. Numbers are in groups of 7 bits, lowest first; the highest bit says whether another group
// follows.

export class PostingsWriter {
  #bytes = new Uint8Array(2 ** 16);
  #length = 0;
  #last = 0;

  /** Begins the list of the next term. The distance of its first document is counted from index 0. */
  begin(): void {
    this.#last = 0;
  }

  add(document: number, frequency: number): void {
    if (this.#length + 10 > this.#bytes.length) this.#grow();
    this.#write((document - this.#last) * 2 + Number(frequency === 1));
    if (frequency !== 1) this.#write(frequency);
    this.#last = document;
  }

  get length(): number {
    return this.#length;
  }

  take(): Uint8Array {
    const bytes = this.#bytes.slice(0, this.#length);
    this.#length = 0;
    return bytes;
  }

  #write(number: number): void {
    let rest = number;
    while (rest > 127) {
      this.#bytes[this.#length++] = (rest & 127) | 128;
      rest >>>= 7;
    }
    this.#bytes[this.#length++] = rest;
  }

  #grow(): void {
    const bytes = new Uint8Array(this.#bytes.length * 2);
    bytes.set(this.#bytes);
    this.#bytes = bytes;
  }
}

/** Calls `visit` for each document in the encoded list of a term, with the term's number of occurrences. */
export function forEachPosting(bytes: Uint8Array, visit: (document: number, frequency: number) => void): void {
  let document = 0;
  for (let i = 0; i < bytes.length;) {
    let byte = bytes[i++];
    let number = byte & 127;
    for (let shift = 7; byte > 127; shift += 7) {
      byte = bytes[i++];
      number += (byte & 127) * 2 ** shift;
    }
    let frequency = 1;
    if ((number & 1) === 0) {
      byte = bytes[i++];
      frequency = byte & 127;
      for (let shift = 7; byte > 127; shift += 7) {
        byte = bytes[i++];
        frequency += (byte & 127) * 2 ** shift;
      }
    }
    document += number >>> 1;
    visit(document, frequency);
  }
}
