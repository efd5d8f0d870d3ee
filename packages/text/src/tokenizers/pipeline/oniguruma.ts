// Runs the patterns of tokenizer.json in Oniguruma, the engine of the Rust library `tokenizers`. It uses the WebAssembly file of
// the package vscode-oniguruma, but not the package's JavaScript, which loads asynchronously and hides an exceeded limit. The
// engine is version 6.9.8, compiled with a limit of 10,000,000 retries at one position of a text.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Span } from './matches.js';

type Module = object;

/** Declares what is used of the global WebAssembly. Node has it, but its types are in the library of browsers. */
declare const WebAssembly: {
  Module: { new (code: Uint8Array): Module; imports(module: Module): { module: string; name: string }[] };
  Instance: new (module: Module, imports: object) => { exports: object };
};

interface Exports {
  memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  omalloc(bytes: number): number;
  ofree(pointer: number): void;
  getLastOnigError(): number;
  createOnigScanner(patterns: number, lengths: number, count: number, options: number, syntax: number): number;
  findNextOnigScannerMatch(
    scanner: number,
    textId: number,
    text: number,
    bytes: number,
    at: number,
    options: number,
  ): number;
  __wasm_call_ctors(): void;
  _embind_initialize_bindings?(): void;
}

const NO_OPTIONS = 0;

export class PatternSyntaxError extends Error {
  override readonly name = 'PatternSyntaxError';
}

/** Thrown for a pattern search that Oniguruma has aborted after too many retries. */
export class RetryLimitError extends Error {
  override readonly name = 'RetryLimitError';
}

interface EncodedText {
  text: string;
  bytes: Uint8Array;
  /** [code units + 1] and [bytes + 1]: positions of code units and bytes; both null if they are equal. */
  byteOf: Uint32Array | null;
  unitOf: Uint32Array | null;
}

function encoded(text: string): EncodedText {
  const bytes = Buffer.from(text);
  if (bytes.length === text.length) return { text, bytes, byteOf: null, unitOf: null };
  const byteOf = new Uint32Array(text.length + 1);
  const unitOf = new Uint32Array(bytes.length + 1);
  let byte = 0;
  for (let unit = 0; unit < text.length; unit++) {
    const code = text.codePointAt(unit)!;
    byteOf[unit] = byte;
    unitOf[byte] = unit;
    byte += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (code >= 0x10000) byteOf[++unit] = byte;
  }
  byteOf[text.length] = byte;
  unitOf[byte] = text.length;
  return { text, bytes, byteOf, unitOf };
}

/** An instance of the Oniguruma engine, with its own WebAssembly memory. */
class Engine {
  static #module: Module | undefined;
  readonly #exports: Exports;
  #syntax = 0;
  #text = { pointer: 0, capacity: 0, held: null as EncodedText | null };
  #searches = 0;

  constructor() {
    const file = createRequire(import.meta.url).resolve('vscode-oniguruma/release/onig.wasm');
    Engine.#module ??= new WebAssembly.Module(readFileSync(file));
    const imports: Record<string, Record<string, (...values: never[]) => unknown>> = {};
    for (const { module, name } of WebAssembly.Module.imports(Engine.#module)) (imports[module] ??= {})[name] = () => 0;
    Object.assign(imports.env, {
      emscripten_memcpy_big: (to: number, from: number, count: number) =>
        this.#bytes.copyWithin(to, from, from + count),
      emscripten_resize_heap: (bytes: number) => this.#grow(bytes),
      _embind_register_constant: (name: number, _type: number, value: number) => {
        if (this.#string(name) === 'ONIG_SYNTAX_DEFAULT') this.#syntax = value;
      },
    });
    this.#exports = new WebAssembly.Instance(Engine.#module, imports).exports as Exports;
    this.#exports.__wasm_call_ctors();
    this.#exports._embind_initialize_bindings?.();
  }

  /** Returns the pointer of the pattern's scanner, the engine's object that searches. @throws PatternSyntaxError */
  compile(pattern: string): number {
    const bytes = Buffer.from(pattern);
    const [source, arrays] = [this.#allocate(bytes.length + 1), this.#allocate(8)];
    this.#bytes.set(bytes, source);
    new Uint32Array(this.#exports.memory.buffer, arrays, 2).set([source, bytes.length]);
    const scanner = this.#exports.createOnigScanner(arrays, arrays + 4, 1, NO_OPTIONS, this.#syntax);
    this.#exports.ofree(source);
    this.#exports.ofree(arrays);
    if (scanner === 0) throw new PatternSyntaxError(this.#string(this.#exports.getLastOnigError()));
    return scanner;
  }

  /** Finds the first match from a byte on, in bytes; null if there is none or a limit was exceeded. */
  search(scanner: number, text: EncodedText, from: number): Span | null {
    const pointer = this.#hold(text);
    // Each search gets a new id, so that the scanner does not reuse a match of an earlier search, which would be wrong for \K and \G.
    const id = ++this.#searches;
    const region = this.#exports.findNextOnigScannerMatch(scanner, id, pointer, text.bytes.length, from, NO_OPTIONS);
    if (region === 0) return null;
    const [, , start, end] = new Int32Array(this.#exports.memory.buffer, region, 4);
    return [start, end];
  }

  #hold(text: EncodedText): number {
    if (this.#text.held === text) return this.#text.pointer;
    const { length } = text.bytes;
    if (length > this.#text.capacity || this.#text.pointer === 0) {
      this.#exports.ofree(this.#text.pointer);
      this.#text.capacity = Math.max(1024, 2 * length);
      this.#text.pointer = this.#allocate(this.#text.capacity);
    }
    this.#bytes.set(text.bytes, this.#text.pointer);
    this.#text.held = text;
    return this.#text.pointer;
  }

  #allocate(bytes: number): number {
    const pointer = this.#exports.omalloc(bytes);
    if (pointer === 0) throw new RangeError(`no memory for ${bytes} bytes`);
    return pointer;
  }

  get #bytes(): Uint8Array {
    return new Uint8Array(this.#exports.memory.buffer);
  }

  #string(pointer: number): string {
    const bytes = this.#bytes;
    return Buffer.from(bytes.subarray(pointer, bytes.indexOf(0, pointer))).toString();
  }

  #grow(bytes: number): number {
    try {
      const { memory } = this.#exports;
      memory.grow(Math.ceil((bytes - memory.buffer.byteLength) / 65_536));
      return 1;
    } catch {
      return 0;
    }
  }
}

/** Replaced after an interrupted search, which leaves the engine's memory in an undefined state. */
let shared: Engine | null = null;

/** Drops the shared engine, which must be called after an interrupted search. */
export const discardEngine = (): void => void (shared = null);

export class OnigurumaPattern {
  #compiled: { engine: Engine; plain: number; orEnd: number } | null = null;
  #text: EncodedText = encoded('');

  /**
   * Compiles the pattern.
   *
   * @throws PatternSyntaxError
   */
  constructor(readonly source: string) {
    if (/^\(\?[A-Za-z]*L/.test(source)) throw new PatternSyntaxError('the option L is not supported');
    this.#scanners();
  }

  /** Finds the first match that begins at code unit `from` or later; positions are in code units. */
  readonly find = (text: string, from: number): Span | null => {
    if (this.#text.text !== text) this.#text = encoded(text);
    const { byteOf, unitOf } = this.#text;
    const span = this.#findBytes(byteOf === null ? from : byteOf[from]);
    return span === null || unitOf === null ? span : [unitOf[span[0]], unitOf[span[1]]];
  };

  /**
   * The WebAssembly module returns "none" for an exceeded limit too. So a variant of the pattern also matches the end of a text:
   * if it finds nothing, the limit was exceeded; if it matches the end, the pattern itself may have no match.
   */
  #findBytes(from: number): Span | null {
    const { engine, plain, orEnd } = this.#scanners();
    const found = engine.search(orEnd, this.#text, from);
    if (found === null) throw new RetryLimitError('Oniguruma gave up after 10,000,000 retries');
    const { length } = this.#text.bytes;
    return found[0] === length && found[1] === length ? engine.search(plain, this.#text, from) : found;
  }

  #scanners(): { engine: Engine; plain: number; orEnd: number } {
    shared ??= new Engine();
    if (this.#compiled?.engine !== shared)
      this.#compiled = {
        engine: shared,
        plain: shared.compile(forThisRelease(this.source)),
        orEnd: shared.compile(orEnd(forThisRelease(this.source))),
      };
    return this.#compiled;
  }
}

/** Makes a variant of a pattern that also matches the end of a text; options of the whole pattern must stay at its beginning. */
const orEnd = (source: string): string => source.replace(/^(?:\(\?[A-Za-z]*[CI][A-Za-z]*\))?/, '$&\\z|');

/** Matches one element of a pattern: an escape, a property, the beginning of a class, or a character. */
const PART = /\\[pP]\{\^?\w+\}|\\[^]|\[\^?\]?|[^]/uy;

/**
 * Rewrites what release 6.9.10, which the Rust library uses, interprets differently from 6.9.8: repetitions of `\R`;
 * `[[:punct:]]`, which includes symbols in 6.9.10; `\p{Word}`, which equals `\w` in 6.9.10.
 */
function forThisRelease(source: string): string {
  let result = '';
  let depth = 0;
  for (let at = 0; at < source.length;) {
    const posix = depth > 0 ? /^\[:\^?punct:\]/.exec(source.slice(at, at + 10)) : null;
    if (posix !== null) result += posix[0].includes('^') ? '[^\\p{P}\\p{S}]' : '\\p{P}\\p{S}';
    PART.lastIndex = at;
    const part = posix?.[0] ?? PART.exec(source)![0];
    if (posix === null) {
      result += depth === 0 && part === '\\R' ? '(?>\\r\\n|[\\n-\\r\\u0085\\u2028\\u2029])' : word(part);
      depth += part.startsWith('[') ? 1 : part === ']' && depth > 0 ? -1 : 0;
    }
    at += part.length;
  }
  return result;
}

function word(part: string): string {
  const [, letter, not] = /^\\([pP])\{(\^?)word\}$/i.exec(part) ?? [];
  if (letter === undefined) return part;
  return (letter === 'P') === (not === '') ? '\\W' : '\\w';
}
