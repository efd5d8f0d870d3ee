// A place in a JSON text that is written byte by byte: the objects that are open, and the names that these have already.

/** An object or array that is open. */
interface Level {
  readonly isObject: boolean;
  /** The names so far, each as the bytes of its UTF-8 in a string. */
  readonly names: readonly string[];
  readonly outer: Level | null;
}

/** A place in a JSON text; it is never changed, so that tokens can be tried from it. */
export type OpenNames =
  | { readonly at: 'value' | 'string' | 'escape' | 'before name'; readonly level: Level | null }
  | {
      readonly at: 'name';
      readonly level: Level;
      readonly text: string;
      /** The part of an escape that is written. */
      readonly escape: string;
      /** The names of the object that begin with `text`. */
      readonly rivals: readonly string[];
    };

export const outsideOfObjects: OpenNames = { at: 'value', level: null };

/** Returns whether the next name may become one that the object has: there is one that begins like it. */
export function hasRivals(place: OpenNames): boolean {
  if (place.at === 'name') return place.rivals.length > 0;
  return place.at === 'before name' && place.level!.names.length > 0;
}

/** Reads one more byte of a valid text. @returns null where it ends a name that the object has already */
export function afterByte(place: OpenNames, byte: number): OpenNames | null {
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
      return afterStructure(place, character);
  }
}

function afterStructure(place: OpenNames, character: string): OpenNames {
  const { level } = place;
  switch (character) {
    case '{':
    case '[': {
      const isObject = character === '{';
      return { at: isObject ? 'before name' : 'value', level: { isObject, names: [], outer: level } };
    }
    case '}':
    case ']':
      return { at: 'value', level: level?.outer ?? null };
    case ',':
      return { at: level?.isObject ? 'before name' : 'value', level };
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
