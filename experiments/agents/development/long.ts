// A removal of 10 to 14 things, one in each turn. A careless expert puts things into any box, and stops too early.
import type { Message } from '../../../examples/agents/common/example.js';
import { studyAgent } from '../agent.js';
import { complete, type ChatMessage } from '../chat.js';

const boxes: Record<string, string[]> = {
  kitchen: ['plate', 'kettle', 'spoon', 'pan', 'cup', 'bowl', 'knife', 'toaster'],
  office: ['desk', 'folder', 'pencil', 'printer', 'stamp', 'paper', 'stapler', 'screen'],
  garden: ['rake', 'hose', 'spade', 'pot', 'seeds', 'gloves', 'bench', 'mower'],
  nursery: ['doll', 'blocks', 'cradle', 'puzzle', 'bear', 'kite', 'crayons', 'swing'],
};
const rooms = Object.keys(boxes);
const things = rooms.flatMap((room) => boxes[room]);
const roomOf = (thing: string) => rooms.find((room) => boxes[room].includes(thing))!;

interface RemovalTask {
  things: string[];
}

export const agent = studyAgent<RemovalTask, number>({
  name: 'long',
  kind: 'conversations of 10 to 14 turns, a reward for the share that is right',
  example: {
    draw: (rng) => ({ things: rng.shuffle(things).slice(0, rng.integer(10, 14)) }),
    names: [],
    warmStart: { records: 300, carelessness: 0.45, copies: 0, epochs: 6, batchSize: 8, lmLr: 4e-3 },
    expert: (messages) => roomOf(thingIn(messages)),
    slip: (_, __, rng) => (rng.uniform() < 0.08 ? 'Enough.' : rng.choice(rooms)),
    reward: ({ things: { length } }, right) => right / length,
  },
  /** Asks for the box of each thing in turn, until the model names none. */
  async answer({ things: all }, endpoint) {
    const messages: ChatMessage[] = [{ role: 'system', content: `Name the box: ${rooms.join(', ')}.` }];
    let right = 0;
    for (const thing of all) {
      messages.push({ role: 'user', content: `the ${thing}` });
      const said = ((await complete(endpoint, messages)).content ?? '').trim();
      if (!rooms.includes(said)) break;
      if (said === roomOf(thing)) right++;
      messages.push({ role: 'assistant', content: said });
    }
    return right;
  },
});

const thingIn = (messages: readonly Message[]) => messages.at(-1)!.content.slice('the '.length);
