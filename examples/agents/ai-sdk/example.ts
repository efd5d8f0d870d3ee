// Tasks: devices of some rooms must be switched off, and reported. A careless expert stops too early, or reports one device too
// many.
import type { Example, Message } from '../common/example.js';

const rooms = ['kitchen', 'bedroom', 'office', 'hall'];
const devices = ['lamp', 'fan', 'radio', 'heater', 'screen', 'oven', 'kettle', 'speaker'];

type Devices = Record<string, string[]>;

interface HouseTask {
  wish: string;
  room: string;
  /** The devices that are on, by room. */
  on: Devices;
  /** The number of devices to switch off. */
  kind: number;
}

export const example: Example<HouseTask, { on: Devices; report: string }> = {
  draw(rng) {
    const [room, other] = rng.shuffle(rooms);
    const [kind, inOther] = [rng.integer(0, 3), rng.integer(0, 2)];
    const shuffled = rng.shuffle(devices);
    const on = { [room]: shuffled.slice(0, kind), [other]: shuffled.slice(kind, kind + inOther) };
    return { wish: `Switch off the ${room}.`, room, on, kind };
  },
  names: [rooms, devices],
  warmStart: { records: 250, carelessness: 0.25, copies: 9, epochs: 5, batchSize: 16, lmLr: 4e-3 },
  expert(messages) {
    if (messages.at(-1)!.content === 'Report.') return `${switchedBy(messages)} switched off.`;
    const result = messages.findLast(({ role }) => role === 'tool')?.content;
    const room = /(\w+)\.$/.exec(messages[0].content)![1];
    if (result === undefined) return [['list', { room }]];
    const device = /(\w+)$/.exec(result)![1];
    return device === 'nothing' ? 'Done.' : [['switch_off', { room, device }]];
  },
  slip(messages) {
    if (messages.at(-1)!.content !== 'Report.') return 'Done.';
    return `${switchedBy(messages) + 1} switched off.`;
  },
  reward({ room, on: before, kind }, { on, report }) {
    const rest = Object.keys(before).filter((other) => other !== room);
    const untouched = rest.every((other) => on[other]?.join() === before[other].join());
    return on[room]?.length === 0 && untouched && report === `${kind} switched off.` ? 1 : 0;
  },
};

/** Returns the number of devices that have been switched off so far. */
function switchedBy(messages: readonly Message[]): number {
  const calls = messages.flatMap(({ tool_calls = [] }) => tool_calls);
  return calls.filter((call) => call.function.name === 'switch_off').length;
}
