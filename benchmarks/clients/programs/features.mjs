// Tries every feature with a client, whose program gives a function for each, and prints a line of JSON for each result.
import assert from 'node:assert/strict';

export const origin = process.env.SERVER ?? 'http://127.0.0.1:8123';
export const model = process.env.MODEL ?? 'tiny';

/** The answers that the model has learned. */
export const said = {
  hello: 'Hello! How can I help you?',
  count: 'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen',
  wear: 'Wear a warm coat in Paris.',
  compare: 'It is Rome.',
  tower: { city: 'Paris', country: 'France' },
};

export const ask = {
  hello: 'Hello',
  count: 'Count.',
  wear: 'What should I wear in Paris?',
  compare: 'Compare Paris and Rome.',
  tower: 'Where is the tower?',
  /** Its answer continues up to the token limit. */
  sing: 'Sing.',
};

export const schemas = {
  weather: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
  clothes: {
    type: 'object',
    properties: { weather: { type: 'string' } },
    required: ['weather'],
    additionalProperties: false,
  },
  tower: {
    type: 'object',
    properties: { city: { type: 'string' }, country: { type: 'string' } },
    required: ['city', 'country'],
    additionalProperties: false,
  },
};

/** Returns the tools, which record their calls. */
export function tools() {
  const called = [];
  return {
    called,
    get_weather(args) {
      called.push(['get_weather', args]);
      return args.city === 'Paris' ? '7 degrees' : '19 degrees';
    },
    get_clothes(args) {
      called.push(['get_clothes', args]);
      return 'a warm coat';
    },
  };
}

export const loopCalls = [
  ['get_weather', { city: 'Paris' }],
  ['get_clothes', { weather: 'cold' }],
];
export const parallelCalls = [
  ['get_weather', { city: 'Paris' }],
  ['get_weather', { city: 'Rome' }],
];

/** The statuses of all answers since the last call, since clients that retry do not report them. */
const statuses = [];
const plainFetch = globalThis.fetch;
globalThis.fetch = async (...given) => {
  const response = await plainFetch(...given);
  statuses.push(response.status);
  return response;
};

const load = async () => (await plainFetch(`${origin}/health`)).json();

/** Waits until no answer is in progress; throws after two seconds. */
export async function serverIsIdle() {
  for (const end = Date.now() + 2000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 20)))
    if ((await load()).running === 0) return;
  assert.fail('the answer goes on after its client has left');
}

/** Keeps all slots busy until the client has received its first 429. */
export async function retries(request) {
  const busy = new AbortController();
  const body = JSON.stringify({
    model,
    messages: [{ role: 'user', content: ask.sing }],
    stream: true,
    max_tokens: 800,
  });
  const headers = { 'content-type': 'application/json' };
  const occupy = () =>
    plainFetch(`${origin}/v1/chat/completions`, { method: 'POST', headers, body, signal: busy.signal });
  await Promise.all([occupy(), occupy()]);
  statuses.length = 0;
  const freed = setInterval(() => statuses.includes(429) && busy.abort(), 10);
  try {
    const answer = await request();
    assert.ok(statuses.includes(429), `no 429 was seen: ${statuses}`);
    return answer;
  } finally {
    clearInterval(freed);
    busy.abort();
    await serverIsIdle();
  }
}

/** @param features functions by the names in the table; null for a feature that the client does not have */
export async function run(client, features) {
  for (const [feature, tried] of Object.entries(features)) {
    let problem = null;
    try {
      await tried?.();
    } catch (error) {
      problem = String(error?.stack ?? error).slice(0, 1500);
    }
    console.log(
      JSON.stringify({
        client,
        feature,
        status: tried === null ? 'none' : problem === null ? 'ok' : 'failed',
        problem,
      }),
    );
  }
  process.exit(0);
}
