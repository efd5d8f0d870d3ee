// Tracks the open objects of a JSON text that is written byte by byte, and their names so far, so that no name is repeated.

/** An object or array of the JSON text that has not been closed yet. */
interface Level {
  /** Whether its texts must differ: an object's names, or the strings of an array of distinct strings. */
  readonly isNamed: boolean;
  /** The names that it has so far, each as the UTF-8 bytes of its text. */
  readonly names: readonly string[];
  readonly outer: Level | null;
}

/** A position in a JSON text. Immutable, so that several tokens can be tried from it. */
export type OpenNames =
  | { readonly at: 'value' | 'string' | 'escape' | 'before name'; readonly level: Level | null }
  | {
      readonly at: 'name';
      readonly level: Level;
      readonly text: string;
      /** The part that has been written of an escape sequence in the name. */
      readonly escape: string;
      /** The names that the object already has and that begin with `text`, which the name may therefore repeat. */
      readonly rivals: readonly string[];
    };

export const outsideOfObjects: OpenNames = { at: 'value', level: null };

/** Returns whether the name that is being written, or is written next, may still equal a name that the object has. */
export function hasRivals(place: OpenNames): boolean {
  if (place.at === 'name') return place.rivals.length > 0;
  return place.at === 'before name' && place.level!.names.length > 0;
}

/** Null if one more byte of a valid JSON text completes a name that the object already has. */
export function afterByte(place: OpenNames, byte: number, isDistinct = false): OpenNames | null {
  const character = String.fromCharCode(byte);
  const { level } = place;
  switch (place.at) {
    case 'string':
      return character === '"' ? { at: 'value', level } : character === '\\' ? { at: 'escape', level } : place;
    case 'escape':
      return { at: 'string', level };
    case 'name':
      return afterNameByte(place, character);
    default:
      return afterStructure(place, character, isDistinct);
  }
}

function afterStructure(place: OpenNames, character: string, isDistinct: boolean): OpenNames {
  const { level } = place;
  switch (character) {
    case '{':
    case '[': {
      const isNamed = character === '{' || isDistinct;
      return { at: isNamed ? 'before name' : 'value', level: { isNamed, names: [], outer: level } };
    }
    case '}':
    case ']':
      return { at: 'value', level: level?.outer ?? null };
    case ',':
      return { at: level?.isNamed ? 'before name' : 'value', level };
    case '"':
      if (place.at !== 'before name') return { at: 'string', level };
      return { at: 'name', level: level!, text: '', escape: '', rivals: level!.names };
    default:
      return place;
  }
}

function afterNameByte(place: OpenNames & { at: 'name' }, character: string): OpenNames | null {
  const { level, text, escape, rivals } = place;
  if (escape === '' && character === '"') {
    if (rivals.includes(text)) return null;
    return { at: 'value', level: { ...level, names: [...level.names, text] } };
  }
  const written = escape + character;
  const isWhole = written.startsWith('\\u') ? written.length === 6 : written.length === 2 || written !== '\\';
  if (!isWhole) return { ...place, escape: written };
  const longer =
    text + (escape === '' ? character : Buffer.from(JSON.parse(`"${written}"`) as string).toString('latin1'));
  return { at: 'name', level, text: longer, escape: '', rivals: rivals.filter((name) => name.startsWith(longer)) };
}
