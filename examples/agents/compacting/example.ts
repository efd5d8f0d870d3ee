// Things in numbered boxes, on pages that are forgotten: the notes must keep what the question asks for. Few records have more than
// two such boxes.
import type { Example } from '../common/example.js';

const things = ['keys', 'coins', 'rings'];
const PAGES = 4;

interface BoxTask {
  question: string;
  pages: string[];
  answer: string;
  /** How many boxes have what is asked for. */
  kind: number;
}

export const example: Example<BoxTask, string | null> = {
  draw(rng) {
    const boxes = rng.shuffle([1, 2, 3, 4, 5, 6, 7, 8, 9]).slice(0, 2 * PAGES);
    const content = boxes.map(() => rng.choice(things));
    const asked = rng.choice(things);
    const lines = boxes.map((box, i) => `${content[i]} ${box}`);
    const pages = Array.from({ length: PAGES }, (_, page) => lines.slice(2 * page, 2 * page + 2).join(', '));
    const found = boxes.filter((_, i) => content[i] === asked);
    return { question: `Where are the ${asked}?`, pages, answer: notesOf(found.map(String)), kind: found.length };
  },
  isRecorded: ({ kind }, rng) => kind < 3 || rng.uniform() < 0.15,
  warmStart: { records: 150, epochs: 25, batchSize: 16, lmLr: 4e-3 },
  training: { iterations: 30, lmLr: 3e-4 },
  expert(messages) {
    const asked = /the (\w+)\?/.exec(messages[0].content)![1];
    const noted = /Notes: (.*)/.exec(messages[0].content)?.[1] ?? '';
    const read = messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
    const found = read.flatMap((page) => [...page.matchAll(/(\w+) (\d)/g)].filter(([, thing]) => thing === asked));
    const notes = notesOf([...noted.matchAll(/\d/g), ...found.map(([, , box]) => box)].map(String));
    if (messages.at(-1)!.content === 'Write notes.' || read.includes('end')) return notes;
    return [['next_page', {}]];
  },
  reward: ({ answer }, said) => (said === answer ? 1 : 0),
};

const notesOf = (boxes: readonly string[]): string => boxes.join(' ') || 'none';
