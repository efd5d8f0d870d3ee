// Tasks: numbered boxes contain things, and each page of the list is forgotten, so the notes must contain what the question is
// about. A careless expert answers before the last page, or writes useless notes.
import { digits, type Example, type Message } from '../common/example.js';

const things = ['keys', 'coins', 'rings'];
const PAGES = 2;

interface BoxTask {
  question: string;
  pages: string[];
  answer: string;
  /** The number of boxes that contain the thing in question. */
  kind: number;
}

export const example: Example<BoxTask, string | null> = {
  draw(rng) {
    const boxes = rng.shuffle([1, 2, 3, 4, 5, 6, 7, 8, 9]).slice(0, 2 * PAGES);
    const asked = rng.choice(things);
    const content = rng.shuffle([asked, ...boxes.slice(1).map(() => rng.choice(things))]);
    const lines = boxes.map((box, i) => `${content[i]} ${box}`);
    const pages = Array.from({ length: PAGES }, (_, page) => lines.slice(2 * page, 2 * page + 2).join(', '));
    const found = boxes.filter((_, i) => content[i] === asked);
    return { question: `Where are the ${asked}?`, pages, answer: notesOf(found.map(String)), kind: found.length };
  },
  names: [things, digits],
  warmStart: { records: 200, carelessness: 0.12, copies: 5, epochs: 16, batchSize: 16, lmLr: 4e-3 },
  expert(messages) {
    const { role, content } = messages.at(-1)!;
    const isAtEnd = role === 'tool' && content === 'end';
    return isAtEnd || content === 'Write notes.' ? notesSoFar(messages) : [['next_page', {}]];
  },
  slip: (messages) => (messages.at(-1)!.content === 'Write notes.' ? 'none' : notesSoFar(messages)),
  reward: ({ answer }, said) => (said === answer ? 1 : 0),
};

const notesOf = (boxes: readonly string[]): string => boxes.join(' ') || 'none';

/** Returns the boxes in the notes, and those on the pages since then. */
function notesSoFar(messages: readonly Message[]): string {
  const [{ content: first }] = messages;
  const asked = /the (\w+)\?/.exec(first)![1];
  const noted = /Notes: (.*)/.exec(first)?.[1] ?? '';
  const read = messages
    .filter(({ role }) => role === 'tool')
    .flatMap(({ content }) => [...content.matchAll(/(\w+) (\d)/g)]);
  const found = read.filter(([, thing]) => thing === asked).map(([, , box]) => box);
  return notesOf([...[...noted.matchAll(/\d/g)].map(String), ...found]);
}
