// Requests to three desks, worded in twelve ways, of which the records hold six: where the others belong is found out by trying.
import type { Example } from '../common/example.js';

const wordings: Record<string, string[]> = {
  shipping: ['Where is', 'Please track', 'I still wait for', 'When comes'],
  billing: ['What did I pay for', 'I need the invoice of', 'How dear was', 'Show the bill of'],
  returns: ['I want to return', 'I do not like', 'It is broken:', 'Please take back'],
};
const desks = Object.keys(wordings);
const days = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'];
const toolOf: Record<string, string> = { shipping: 'track', billing: 'invoice', returns: 'send_back' };

interface DeskTask {
  request: string;
  orders: Record<string, Record<string, string>>;
  desk: string;
  answer: string;
  kind: string;
  wording: number;
}

export const example: Example<DeskTask, { answer: string; desk: string }> = {
  draw(rng) {
    const desk = rng.choice(desks);
    const wording = rng.integer(0, 3);
    const order = String(rng.integer(100, 999));
    const known = {
      shipping: rng.choice(days),
      billing: `${rng.integer(10, 99)} euros`,
      returns: `label ${rng.integer(100, 999)}`,
    };
    const request = `${wordings[desk][wording]} order ${order}.`;
    const kind = wording < 2 ? 'recorded' : 'new';
    return { request, orders: { [order]: known }, desk, answer: known[desk as keyof typeof known], kind, wording };
  },
  isRecorded: ({ wording }) => wording < 2,
  warmStart: { records: 200, epochs: 40, batchSize: 16, lmLr: 4e-3 },
  training: { iterations: 30, lmLr: 3e-4 },
  expert(messages, tools) {
    const last = messages.at(-1)!;
    const request = messages.find(({ role }) => role === 'user')!.content;
    const desk = desks.find((name) => wordings[name].some((wording) => request.startsWith(wording)))!;
    if (tools[0].startsWith('transfer_to_')) return [[`transfer_to_${desk}`, {}]];
    const answered = last.role === 'tool' && messages.some((message) => called(message) === toolOf[desk]);
    return answered ? last.content : [[toolOf[desk], { order: /\d+/.exec(request)![0] }]];
  },
  reward: ({ answer, desk }, said) => (said.answer === answer && said.desk === desk ? 1 : 0),
};

const called = ({ tool_calls }: { tool_calls?: { function: { name: string } }[] }) => tool_calls?.[0].function.name;
