// Splits a JSON object into its members, and keeps the text of each value, so that numbers and spaces stay as written.
import { IncomingText } from './incoming-text.js';
import { isJsonObject, readJson, readJsonString } from './json-reading.js';

/** Returns the members of a JSON object; null if the text is not an object. */
export function membersOf(json: string): [key: string, value: string][] | null {
  if (!isJsonObject(json)) return null;
  const input = new IncomingText();
  input.append(json, true);
  const steps = readMembers(input);
  return steps.next().value as [string, string][]; // the text is complete, so that the reader never yields
}

/** Parses the members of a text that is known to be a JSON object. */
function* readMembers(input: IncomingText): Generator<undefined, [string, string][]> {
  const members: [string, string][] = [];
  yield* input.skipSpace();
  input.at++;
  yield* input.skipSpace();
  while (!(yield* input.take('}'))) {
    const key = (yield* readJsonString(input)) as { text: string };
    yield* input.skipSpace();
    yield* input.take(':');
    yield* input.skipSpace();
    const start = input.at;
    yield* readJson(input);
    members.push([key.text, input.text.slice(start, input.at)]);
    yield* input.skipSpace();
    yield* input.take(',');
    yield* input.skipSpace();
  }
  return members;
}
