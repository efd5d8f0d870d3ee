// A key in one of nine drawers, with hints: each turn costs 1, and so does each of the turns that are left where the model gives up.
import type { Message } from '../../../examples/agents/common/example.js';
import { studyAgent } from '../agent.js';
import { complete, type ChatMessage } from '../chat.js';

const people = ['Ada', 'Ben', 'Cleo', 'Dan', 'Eva', 'Finn', 'Gus', 'Hal'];
const rooms = ['kitchen', 'office', 'hall', 'cellar', 'garage', 'attic', 'bedroom', 'shop'];
const TURNS = 8;

interface DrawerTask {
  person: string;
  room: string;
  drawer: number;
}

export const agent = studyAgent<DrawerTask, number>({
  name: 'drawers',
  kind: 'a reward of −1 for each turn',
  failedReward: -TURNS,
  taskCount: 300,
  example: {
    draw: (rng) => ({ person: rng.choice(people), room: rng.choice(rooms), drawer: rng.integer(1, 9) }),
    names: [people, rooms],
    warmStart: { records: 800, carelessness: 0.6, copies: 1, epochs: 6, batchSize: 16, lmLr: 4e-3 },
    expert(messages) {
      const [low, high] = leftAfter(messages);
      return `Drawer ${Math.floor((low + high) / 2)}`;
    },
    slip: (_, __, rng) => (rng.uniform() < 0.1 ? 'It is lost.' : `Drawer ${rng.integer(1, 9)}`),
    reward: (_, turns) => -turns,
  },
  /** Opens drawers until the key is found. @returns the turns */
  async answer({ person, room, drawer }, endpoint) {
    const messages: ChatMessage[] = [{ role: 'user', content: `Find the key of ${person} in the ${room}.` }];
    for (let turn = 1; turn < TURNS; turn++) {
      const said = ((await complete(endpoint, messages)).content ?? '').trim();
      const opened = /^Drawer (\d)$/.exec(said)?.[1];
      if (opened === undefined) return TURNS;
      if (Number(opened) === drawer) return turn;
      messages.push({ role: 'assistant', content: said });
      messages.push({ role: 'user', content: Number(opened) < drawer ? 'A higher one.' : 'A lower one.' });
    }
    return TURNS;
  },
});

/** The lowest and the highest drawer that the hints leave. */
function leftAfter(messages: readonly Message[]): [low: number, high: number] {
  let [low, high] = [1, 9];
  messages.forEach(({ role, content }, i) => {
    if (role !== 'assistant') return;
    const opened = Number(/\d/.exec(content)![0]);
    if (messages[i + 1].content === 'A higher one.') low = Math.max(low, opened + 1);
    else high = Math.min(high, opened - 1);
  });
  return [low, high];
}
