// Writes the tasks: tasks.jsonl for training, and test.jsonl. Each combination of a complaint and a request is in only one of the
// two files.
import { writeFileSync } from 'node:fs';

const complaints = {
  plumber: ['the water is cold', 'the sink leaks', 'the toilet runs', 'the shower drips'],
  electrician: ['the light flickers', 'the heating is off', 'a socket sparks', 'the television is dead'],
  housekeeping: ['the towels are used', 'the bed is not made', 'the carpet is wet', 'the minibar is empty'],
};
const requests = [
  (room, what) => `Room ${room} here, ${what}.`,
  (room, what) => `Hello, ${what} in ${room}.`,
  (room, what) => `In ${room}: ${what}, please help.`,
  (room, what) => `I am in ${room} and ${what}.`,
];

const files = { tasks: [], test: [] };
let number = 0;
for (let round = 0; round < 10; round++)
  for (const [team, texts] of Object.entries(complaints))
    for (const [t, what] of texts.entries())
      for (const [r, request] of requests.entries()) {
        const place = (number * 17 + round * 7) % 40;
        const room = String(100 * (1 + (place % 4)) + 1 + (place >> 2)); // 101 to 410
        const task = { id: `guest-${number}`, message: request(room, what), room, team };
        files[(t + r) % 4 === 0 ? 'test' : 'tasks'].push({
          ...task,
          guest: (number + round) % 2 ? 'asleep' : 'awake',
        });
        number++;
      }

for (const [name, tasks] of Object.entries(files))
  writeFileSync(new URL(`${name}.jsonl`, import.meta.url), tasks.map((task) => `${JSON.stringify(task)}\n`).join(''));
