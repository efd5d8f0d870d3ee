// Questions about things in rooms: the agent looks a thing up by a tool and says where it is. `node tasks.mjs` writes an expert's
// conversations about all of them.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const colours = ['red', 'blue', 'green', 'black', 'white', 'pink', 'brown', 'gray'];
const things = ['cup', 'hat', 'ball', 'book', 'shoe', 'car', 'bear', 'cake'];
const rooms = ['the kitchen', 'the garden', 'the attic', 'the hall'];

/** A quarter of the pairs of a colour and a thing is held out. */
export const tasks = colours.flatMap((colour, i) =>
  things.map((thing, j) => ({
    what: `${colour} ${thing}`,
    room: rooms[(3 * i + 5 * j + ((i * j) >> 1)) % 4],
    isHeldOut: (i + 2 * j) % 4 === 0,
  })),
);

export const parameters = { type: 'object', properties: { thing: { type: 'string' } }, required: ['thing'] };

const conversationOf = ({ what, room }) => ({
  tools: [{ type: 'function', function: { name: 'find', description: 'Find a thing', parameters } }],
  messages: [
    { role: 'user', content: `Where is the ${what}?` },
    {
      role: 'assistant',
      content: '',
      tool_calls: [{ type: 'function', function: { name: 'find', arguments: { thing: what } } }],
    },
    { role: 'tool', name: 'find', content: room },
    { role: 'assistant', content: `It is in ${room}.` },
  ],
});

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync('expert.jsonl', tasks.map((task) => `${JSON.stringify(conversationOf(task))}\n`).join(''));
