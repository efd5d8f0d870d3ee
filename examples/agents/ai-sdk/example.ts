// Rooms whose devices are to be switched off, and a report. Few of the records have more than two devices that are on.
import type { Example } from '../common/example.js';

const rooms = ['kitchen', 'bedroom', 'office', 'hall'];
const devices = ['lamp', 'fan', 'radio', 'heater', 'screen', 'oven', 'kettle', 'speaker'];

type Devices = Record<string, string[]>;

interface HouseTask {
  wish: string;
  room: string;
  /** By room. */
  on: Devices;
  /** How many are to be switched off. */
  kind: number;
}

export const example: Example<HouseTask, { on: Devices; report: string }> = {
  draw(rng) {
    const [room, other] = rng.shuffle(rooms);
    const [kind, inOther] = [rng.integer(0, 4), rng.integer(0, 2)];
    const shuffled = rng.shuffle(devices);
    const on = { [room]: shuffled.slice(0, kind), [other]: shuffled.slice(kind, kind + inOther) };
    return { wish: `Switch off the ${room}.`, room, on, kind };
  },
  isRecorded: ({ kind }, rng) => kind < 3 || rng.uniform() < 0.1,
  warmStart: { records: 250, epochs: 25, batchSize: 16, lmLr: 4e-3 },
  training: { iterations: 30, lmLr: 3e-4 },
  expert(messages) {
    if (messages.at(-1)!.content === 'Report.') {
      const calls = messages.flatMap(({ tool_calls = [] }) => tool_calls);
      return `${calls.filter((call) => call.function.name === 'switch_off').length} switched off.`;
    }
    const result = messages.findLast(({ role }) => role === 'tool')?.content;
    const room = /(\w+)\.$/.exec(messages[0].content)![1];
    if (result === undefined) return [['list', { room }]];
    const device = /on: (\w+)/.exec(result)![1];
    return device === 'nothing' ? 'Done.' : [['switch_off', { room, device }]];
  },
  reward({ room, on: before, kind }, { on, report }) {
    const rest = Object.keys(before).filter((other) => other !== room);
    const untouched = rest.every((other) => on[other]?.join() === before[other].join());
    return on[room]?.length === 0 && untouched && report === `${kind} switched off.` ? 1 : 0;
  },
};
