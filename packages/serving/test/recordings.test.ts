// Tests recorded requests to AgentGym's own servers against ours: maze, wordle and textcraft give equal answers; babyai's worlds
// and webshop's catalogue are different here, so that only routes, statuses and forms are compared.
import { recordedLines, sendJson, whenRecorded } from '@bowyer/testing';
import type { EnvName } from '@bowyer/envs';
import type { EnvServer } from '../src/env-server/env-server.js';
import { serveEnv } from '../src/env-server/serve-env.js';

interface Exchange {
  seq: number;
  request: { method: string; path: string; json?: Record<string, unknown> };
  response: { status: number; json?: unknown; text?: string };
}

interface Told {
  status: number;
  body: unknown;
}

async function ask(server: EnvServer, { method, path, json }: Exchange['request']): Promise<Told> {
  const { status, body } = await sendJson(new URL(server.url).origin + path, json, { method });
  return { status, body };
}

const toldThen = ({ status, json, text }: Exchange['response']): Told => ({ status, body: json ?? text });

/** Serves the environment, whose next /create gives the id `firstId`. */
async function serving(name: EnvName, firstId: number, task: (server: EnvServer) => Promise<void>): Promise<void> {
  const server = await serveEnv({ name, options: {}, host: '127.0.0.1', port: 0, maxInstances: 8, idleMs: 60_000 });
  try {
    for (let i = 0; i < firstId; i++) await sendJson(`${server.url}/create`, {});
    await task(server);
  } finally {
    await server.close();
  }
}

const files = ['lmrlgym', 'textcraft', 'babyai', 'webshop_api'].map((name) => `transcripts/${name}.jsonl`);
const [lmrlgym, textcraft, babyai, webshop] = files.map((file) => recordedLines<Exchange>(file));
const play = whenRecorded(...files).test;

play.each([
  ['maze', 2, lmrlgym.filter(({ request }) => request.path.startsWith('/maze/'))],
  ['wordle', 2, lmrlgym.filter(({ request }) => request.path.startsWith('/wordle/'))],
  ['textcraft', 5, textcraft],
] as const)('%s answers as recorded', async (name, recordedId, exchanges) => {
  expect(exchanges.length).toBeGreaterThan(10);
  await serving(name, recordedId, async (server) => {
    for (const { seq, request, response } of exchanges) {
      expect({ seq, ...(await ask(server, request)) }).toEqual({ seq, ...toldThen(response) });
    }
  });
});

/** Returns the names and types of fields; a text is replaced by the result of `ofText`. */
function form(value: unknown, ofText: (text: string) => unknown): unknown {
  if (typeof value === 'string') return ofText(value);
  if (Array.isArray(value)) return [...new Set(value.map((part) => JSON.stringify(form(part, ofText))))];
  if (typeof value !== 'object' || value === null) return value === null ? null : typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, part]: [string, unknown]) => [key, form(part, ofText)]));
}

/** Returns the parts of babyai's observations; other texts, such as errors, whole. */
const babyaiText = (text: string): unknown =>
  text.includes('Available actions: ')
    ? { goal: text.startsWith('Your goal: '), actions: /\nAvailable actions: \["[^\n]*"\]$/.test(text) }
    : text;

play('babyai has the routes, statuses and forms of the recorded server', async () => {
  await serving('babyai', 3, async (server) => {
    let ended = false;
    for (const { seq, request, response } of babyai) {
      const { status, body } = await ask(server, request);
      if (request.path === '/reset') ended = false;
      const told = { seq, status, form: form(body, babyaiText) };
      // Our server's episode may end earlier than the recorded one; a later step then gets the answer that lmrlgym gave after an
      // end.
      const isAfterEnd = ended && request.path !== '/reset' && request.path !== '/close' && request.json?.id === 3;
      const finished = { error: 'The task with environment 3 has finished.' };
      const expected = isAfterEnd ? finished : form(response.json, babyaiText);
      expect(told).toEqual({ seq, status: response.status, form: expected });
      ended ||= (body as { done?: boolean }).done === true;
    }
  });
});

play(
  'babyai before the first reset: an observation of its own, and a step that is refused by the bare id',
  async () => {
    await serving('babyai', 1, async (server) => {
      const { body } = await ask(server, { method: 'GET', path: '/observation?id=0' });
      expect(body).toEqual({
        observation: 'Environment not initialized',
        reward: 0,
        score: 0,
        deleted: false,
        done: false,
      });
      const step = await ask(server, { method: 'POST', path: '/step', json: { id: 0, action: 'drop' } });
      expect(step.body).toEqual({ error: '0' });
    });
  },
);

const BUTTONS = ['back to search', 'next >', '< prev', 'description', 'features', 'reviews', 'buy now', 'search'];
const PAGE_STARTS = ['WebShop [SEP] ', 'Instruction: [SEP] ', 'Thank you'];

/** Returns the parts that do not depend on the catalogue: the beginning of a page, the label of an instruction, the kind of a link or button. */
function shopText(text: string): unknown {
  if (text.includes(' [SEP] ')) return PAGE_STARTS.find((start) => text.startsWith(start));
  if (text.startsWith('Instruction: ')) return 'Instruction: ';
  if (/^b[0-9a-z]{9}$/.test(text)) return 'a product';
  return BUTTONS.includes(text) || /^[A-Z]|^(ok|url|html|instruction_text)$/.test(text) ? text : 'an option';
}

const OUR_ID = 3;

/** Returns the recorded request for our instance; recorded products and options are replaced by those in the same places. */
function toOurs({ method, path, json }: Exchange['request'], places: ReadonlyMap<string, string>): Exchange['request'] {
  const ours = path.replace(/env_idx=\d+/, `env_idx=${OUR_ID}`);
  if (json === undefined) return { method, path: ours };
  const clicked = /^click\[(.*)\]$/.exec(String(json.action))?.[1].toLowerCase();
  const instead = places.get(clicked ?? '');
  const action = instead === undefined ? {} : { action: `click[${instead}]` };
  return { method, path: ours, json: { ...json, ...action, env_idx: json.env_idx === 3 ? 77 : OUR_ID } };
}

const clickables = (body: unknown): readonly string[] => (body as { clickables?: string[] } | null)?.clickables ?? [];

play('webshop has the routes, statuses and forms of the recorded server', async () => {
  await serving('webshop', OUR_ID, async (server) => {
    const places = new Map<string, string>();
    for (const { seq, request, response } of webshop) {
      const asked = toOurs(request, places);
      const { status, body } = await ask(server, asked);
      const recorded = toldThen(response);
      const told = { seq, asked, status, form: form(body, shopText) };
      expect(told).toEqual({ seq, asked, status: recorded.status, form: form(recorded.body, shopText) });
      const here = clickables(body);
      clickables(recorded.body).forEach((theirs, i) => places.set(theirs, here[i]));
    }
  });
});
