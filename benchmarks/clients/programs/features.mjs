// Tries a client with each feature of the table, and prints a line of JSON for each result. A program has the client's own code.
import assert from 'node:assert/strict';

export const origin = process.env.SERVER ?? 'http://127.0.0.1:8123';
const model = process.env.MODEL ?? 'tiny';

/** The answers that the model knows. */
const said = {
  hello: 'Hello! How can I help you?',
  count: 'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen',
  wear: 'Wear a warm coat in Paris.',
  compare: 'It is Rome.',
  tower: { city: 'Paris', country: 'France' },
};

const ask = {
  hello: 'Hello',
  count: 'Count.',
  wear: 'What should I wear in Paris?',
  compare: 'Compare Paris and Rome.',
  tower: 'Where is the tower?',
  /** Its answer continues up to the token limit. */
  sing: 'Sing.',
};

const texts = (...names) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
  required: names,
  additionalProperties: false,
});

/** JSON Schemas: of the tools' arguments by their names, and of the structured answer. */
export const schemas = { get_weather: texts('city'), get_clothes: texts('weather'), tower: texts('city', 'country') };

/** Returns the tools, which record their calls. */
function tools() {
  const called = [];
  const functions = {
    get_weather(args) {
      called.push(['get_weather', args]);
      return args.city === 'Paris' ? '7 degrees' : '19 degrees';
    },
    get_clothes(args) {
      called.push(['get_clothes', args]);
      return 'a warm coat';
    },
  };
  return { called, functions };
}

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
async function serverIsIdle() {
  for (const end = Date.now() + 2000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 20)))
    if ((await load()).running === 0) return;
  assert.fail('the answer goes on after its client has left');
}

/** Keeps all slots busy until the client has received its first 429. */
async function retries(request) {
  const busy = new AbortController();
  const messages = [{ role: 'user', content: ask.sing }];
  const body = JSON.stringify({ model, messages, stream: true, max_tokens: 800 });
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

/**
 * Tries a client with all features.
 *
 * @param client `text(question, model)` and `pieces(question, model, signal)`, an answer and its stream; `loop(question, model,
 *   functions)`, an answer that may call the tools; `object(question, model)`, an answer by `schemas.tower`; `comparesForm` where
 *   the words of that answer are not the model's
 */
export async function tryClient(name, { text, pieces, loop, object, comparesForm = false }) {
  const loopWith = async (question, answer, calls) => {
    const { called, functions } = tools();
    assert.equal(await loop(question, model, functions), answer);
    assert.deepEqual(called, calls);
  };
  const features = {
    async chat() {
      assert.equal(await text(ask.hello, model), said.hello);
    },
    async streaming() {
      const streamed = await Array.fromAsync(pieces(ask.count, model));
      assert.equal(streamed.join(''), said.count);
      assert.ok(streamed.length > 1);
    },
    async 'two tools'() {
      await loopWith(ask.wear, said.wear, [
        ['get_weather', { city: 'Paris' }],
        ['get_clothes', { weather: 'cold' }],
      ]);
    },
    async 'structured output'() {
      const found = await object(ask.tower, model);
      if (comparesForm) assert.deepEqual(Object.keys(found), Object.keys(said.tower));
      else assert.deepEqual(found, said.tower);
    },
    async 'parallel calls'() {
      await loopWith(ask.compare, said.compare, [
        ['get_weather', { city: 'Paris' }],
        ['get_weather', { city: 'Rome' }],
      ]);
    },
    async errors() {
      await assert.rejects(text(ask.hello, 'other'), /'other' does not exist|404/);
    },
    async abort() {
      const gone = new AbortController();
      for await (const _ of pieces(ask.sing, model, gone.signal)) break;
      gone.abort();
      await serverIsIdle();
    },
    async 'retry after 429'() {
      assert.equal(await retries(() => text(ask.hello, model)), said.hello);
    },
  };
  for (const [feature, tried] of Object.entries(features)) {
    let problem = null;
    try {
      await tried();
    } catch (error) {
      problem = String(error?.stack ?? error).slice(0, 1500);
    }
    console.log(JSON.stringify({ client: name, feature, status: problem === null ? 'ok' : 'failed', problem }));
  }
  process.exit(0);
}
