// Lists the differences between an agent's request and the most similar recorded one, for the error of a replay.

export interface Difference {
  /** The path of the differing value in the request's JSON, such as `messages[2].content`. */
  place: string;
  recorded: unknown;
  sent: unknown;
}

/** Returns the differences between two JSON values, in the order of members. @param place path of both in the request */
export function differences(recorded: unknown, sent: unknown, place = ''): Difference[] {
  if (isNode(recorded) && isNode(sent) && Array.isArray(recorded) === Array.isArray(sent)) {
    const names = new Set([...Object.keys(recorded), ...Object.keys(sent)]);
    return [...names].flatMap((name) => differences(recorded[name], sent[name], placeIn(recorded, place, name)));
  }
  return recorded === sent ? [] : [{ place, recorded, sent }];
}

const isNode = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

function placeIn(parent: object, place: string, name: string): string {
  if (Array.isArray(parent)) return `${place}[${name}]`;
  return place === '' ? name : `${place}.${name}`;
}

/** The largest number of characters of a value in an error message. */
const SHOWN = 100;

/** Writes a difference as three lines: path, recorded value, sent value. Long texts are cut to where they first differ. */
export function shownDifference({ place, recorded, sent }: Difference): string {
  const [one, other] = [recorded, sent].map((value) => (value === undefined ? 'nothing' : JSON.stringify(value)));
  let same = 0;
  while (same < one.length && one[same] === other[same]) same++;
  const from = Math.max(0, same - SHOWN / 2);
  const part = (text: string) =>
    (from > 0 ? '…' : '') + text.slice(from, from + SHOWN) + (from + SHOWN < text.length ? '…' : '');
  return `  ${place}\n    recorded: ${part(one)}\n    sent:     ${part(other)}`;
}
