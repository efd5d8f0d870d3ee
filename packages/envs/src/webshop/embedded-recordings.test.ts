// Tests the recorded sessions of ArCHer's client and of AgentGym's server, played again in a built-in shop that consists of what
// the recorded pages show. Observations, rewards, ends and clickable labels must be equal; search results have the recorded
// order.
import { isDeepStrictEqual } from 'node:util';
import { answerRequests, recordedLines, whenRecorded, type AnsweringServer } from '@bowyer/testing';
import { optionsIn, partsOf, readDict, RecordedShop } from '../../test/recorded-shop.js';
import type { AgentGymEnv } from '../agentgym/agentgym-env.js';
import { makeEnv } from '../registry.js';
import { ArcherSession } from './archer-session.js';
import type { Goal } from './goal.js';
import { nodesOfHtml } from './html-page.js';
import { pagePath, type PageRequest, type SubPage } from './page.js';
import { TextSession } from './text-session.js';

/** Parses an instruction: `i need WARE that are A and B, and i prefer VALUE, and price lower than 50.00 dollars`. */
function humanGoal(instruction: string, asin: string, title: string): Goal {
  const [, query, attributes, value, cap] =
    /^i need (.*?) that are (.*?)(?:, and i prefer (.*?))?, and price lower than ([\d.]+) dollars$/.exec(instruction)!;
  return {
    asin,
    title,
    query,
    productCategory: '',
    instruction,
    priceCap: Number(cap),
    attributes: attributes.split(' and '),
    options: value === undefined ? [] : [value],
  };
}

interface ArcherLine {
  session: string;
  instruction: string;
  reset_obs: string;
  steps: { action: string; obs: string; reward: number; done: boolean }[];
}

const archerSessions = recordedLines<ArcherLine>('transcripts/webshop_archer_client.jsonl');
const recorded = whenRecorded(
  ...['webshop_archer_client', 'webshop_site', 'webshop_api'].map((name) => `transcripts/${name}.jsonl`),
);

const lastPage = (obs: string) =>
  obs.slice(obs.lastIndexOf('\nObservation:\n') + 14, obs.lastIndexOf('\nInstruction:\n'));
const inBrackets = (text: string) => [...text.matchAll(/\[([^\]]*)\]/g)].map(([, label]) => label);

/** Builds a shop from a session of ArCHer's client, with the products that it shows. */
function shopOfArcher({ session, instruction, steps }: ArcherLine): RecordedShop {
  const shop = new RecordedShop();
  let [asin, title] = ['', ''];
  for (const { action, obs } of steps) {
    const told = lastPage(obs)
      .split('\n')
      .slice(1)
      .map((line) => line.replace(/ $/, ''));
    const label = inBrackets(action)[0];
    const at = told.findIndex((line) => line.startsWith('Page '));
    if (at >= 0)
      shop.addResults(
        action.slice('search['.length, -1),
        told.slice(at).map((line) => line.replace(/^\[(.*)\]$/, '$1')),
      );
    const price = told.findIndex((line) => line.startsWith('Price: '));
    if (price < 0) continue;
    [asin, title] = [label, told[price - 1]];
    const options = told.slice(2, price - 1).map((line) => [line.slice(0, line.indexOf(' [')), inBrackets(line)]);
    shop.addProduct(asin, { title, options: Object.fromEntries(options) as Record<string, string[]> });
  }
  const goal = humanGoal(instruction.trim(), asin, title);
  shop.addGoal(Number(session.slice('fixed_'.length)), goal);
  // A product that earned all attributes must have them.
  const score = steps.at(-1)!.reward;
  const all = (goal.attributes.length + 1) / (goal.attributes.length + goal.options.length + 1);
  if (asin !== '' && score >= all) shop.addProduct(asin, { attributes: goal.attributes });
  return shop;
}

recorded.describe('recorded sessions of ArCHer’s client, in the embedded shop', () => {
  test.each(archerSessions)('$session: every observation, reward and end', async (recorded) => {
    const session = new ArcherSession(shopOfArcher(recorded).open(), recorded.session);
    let history = `\nObservation:\n${await session.open()}`;
    const end = `\nInstruction:\n${session.instruction} `;
    expect(history + end).toBe(recorded.reset_obs);
    for (const { action, obs, reward, done } of recorded.steps) {
      const turn = await session.act(action);
      history += `\nAction:\n${action}\nObservation:\n${turn.text}`;
      expect([history + end, turn.reward, turn.bought]).toEqual([obs, reward, done]);
    }
  });
});

interface Exchange {
  request: { method: string; path: string; json?: { action?: string; session_id?: number } };
  response: { status: number; json?: unknown; text?: string };
}

const site = recordedLines<Exchange>('transcripts/webshop_site.jsonl').filter(
  ({ response }) => response.status === 200,
);

/** Parses a recorded path to the request of a page. */
function requestOf(path: string): PageRequest {
  const [kind, session, ...rest] = path.slice(1).split('/').map(decodeURIComponent);
  if (session === undefined) return { page: 'start', session: kind };
  if (kind === 'search_results') return { page: 'results', session, keywords: rest[0], number: Number(rest[1]) };
  const [asin, keywords, number] = rest;
  const chosen = readDict(rest.at(-1)!);
  if (kind === 'done') return { page: 'done', session, asin, chosen };
  const place = { session, asin, keywords, number: Number(number), chosen };
  return kind === 'item_page' ? { page: 'item', ...place } : { page: 'sub', ...place, sub: rest[3] as SubPage };
}

/** Builds a shop from the recorded pages, without the scores, whose goals recordings.test.ts reads. */
function shopOfSite(): RecordedShop {
  const shop = new RecordedShop();
  for (const { request, response } of site) {
    const page = requestOf(request.path);
    const parts = partsOf(response.text!);
    if (page.page === 'start') {
      const goal = { asin: '', title: '', query: '', productCategory: '', attributes: [], options: [], priceCap: 0 };
      shop.addGoal(Number(page.session.slice('fixed_'.length)), { ...goal, instruction: parts[2] });
    }
    if (page.page === 'results') shop.addResults(page.keywords, parts.slice(3));
    if (page.page === 'sub' && page.sub === 'Description') shop.addProduct(page.asin, { description: parts[4] });
    if (page.page === 'item') {
      const values = new Set(
        nodesOfHtml(response.text!)
          .filter(({ kind }) => kind === 'option')
          .map(({ text }) => text),
      );
      const price = parts.findIndex((part) => part.startsWith('Price: '));
      shop.addProduct(page.asin, { options: optionsIn(parts.slice(4, price - 1), (part) => values.has(part)) });
    }
  }
  return shop;
}

recorded.describe('recorded pages of the site, in the embedded shop', () => {
  test.each(site.filter(({ request }) => !request.path.startsWith('/done/')))(
    '$request.path',
    ({ request, response }) => {
      const page = requestOf(request.path);
      expect(pagePath(page)).toBe(request.path);
      const plain = (nodes: readonly { kind: string; text: string }[]) => nodes.map(({ kind, text }) => [kind, text]);
      expect(plain(shopOfSite().open().nodes(page))).toEqual(plain(nodesOfHtml(response.text!)));
    },
  );
});

const api = recordedLines<Exchange>('transcripts/webshop_api.jsonl').filter(({ response }) => response.status === 200);

/** The attributes, in WebShop's public attribute file, of the products that the recorded sessions buy or want. */
const attributes: Record<string, string[]> = {
  B07FDJYBVW: ['white finish', 'storage rack', 'wood frame', 'assembly required'],
  B07K6TCDR9: ['animal testing', 'natural hair', 'dry hair', 'hair growth'],
  B094YFJ95K: [
    'twin size',
    'storage box',
    'sofa bed',
    'wood frame',
    'bed frame',
    'living room',
    'easy assemble',
    'storage space',
  ],
};

/** The sessions of AgentGym's server: the requests from one reset to the next. */
const apiSessions = api
  .reduce<Exchange[][]>((sessions, exchange) => {
    if (exchange.request.path === '/reset') sessions.push([]);
    sessions.at(-1)?.push(exchange);
    return sessions;
  }, [])
  .map((exchanges) => ({ item: exchanges[0].request.json!.session_id!, exchanges }));

const stateOf = ({ response }: Exchange): string =>
  Array.isArray(response.json) ? String(response.json[0]) : ((response.json as { state?: string }).state ?? '');

/** Parses an instruction: `Find me … with color: x, and size: y, and price lower than 80.00 dollars`. Attributes are those that it contains. */
function syntheticGoal(instruction: string, asin: string, title: string): Goal {
  const [, wanted, choices, cap] = /^(Find me .*?)(?: with ([^:]*: .*))?, and price lower than ([\d.]+) dollars$/.exec(
    instruction,
  )!;
  const options = (choices ?? '')
    .split(', and ')
    .filter(Boolean)
    .map((choice) => choice.split(': ') as [string, string]);
  const known = [
    'hair cutting',
    'water resistant',
    'beauty salon',
    'hair styling',
    ...Object.values(attributes).flat(),
  ];
  const wants = [...new Set(known)].filter((attribute) => wanted.includes(attribute) && attribute !== 'hair cutting');
  return {
    asin,
    title,
    query: asin,
    productCategory: '',
    instruction,
    attributes: wants,
    options,
    priceCap: Number(cap),
  };
}

function shopOfApi(session: readonly Exchange[]): RecordedShop {
  const shop = new RecordedShop();
  let [keywords, asin, first] = ['', '', ''];
  const steps = session.filter(({ request }) => request.path === '/step');
  for (const exchange of steps) {
    const action = exchange.request.json!.action!;
    const parts = stateOf(exchange).split(' [SEP] ');
    if (action.startsWith('search[') && action !== 'search[]') keywords = inBrackets(action)[0].toLowerCase();
    if (/^click\[b0\w{8}\]$/.test(action)) asin = inBrackets(action)[0].toUpperCase();
    if (parts[3]?.startsWith('Page ')) {
      shop.addResults(keywords, parts.slice(3));
      if (first === '') first = parts[parts.indexOf('Next >') + 1];
    }
    const price = parts.findIndex((part) => part.startsWith('Price: '));
    if (price >= 0) {
      const actions = session[session.indexOf(exchange) + 1]?.response.json as { clickables?: string[] };
      const values = new Set(actions.clickables ?? []);
      if (values.size > 0)
        shop.addProduct(asin, { options: optionsIn(parts.slice(4, price - 1), (part) => values.has(part)) });
      shop.addProduct(asin, { attributes: attributes[asin], query: asin });
    }
    if (action === 'click[Description]') shop.addProduct(asin, { description: parts[4] });
    if (action === 'click[Features]') shop.addProduct(asin, { bullets: parts.slice(4) });
  }
  const { session_id: index } = session[0].request.json!;
  const instruction = stateOf(session[0]).split(' [SEP] ')[2];
  const target = instruction.includes('hair cutting tools')
    ? 'Birchwood Hair Cutting Tools Water Resistant, Beauty Salon, Hair Styling'
    : '';
  shop.addGoal(index!, syntheticGoal(instruction, asin, target === '' ? titleIn(steps) : target));
  return shop;
}

/** Returns the title of the item that was bought. */
function titleIn(steps: readonly Exchange[]): string {
  const item = steps
    .map((step) => stateOf(step).split(' [SEP] '))
    .findLast((parts) => parts.some((part) => part.startsWith('Price: ')));
  return item?.[item.findIndex((part) => part.startsWith('Price: ')) - 1] ?? '';
}

recorded.describe('recorded sessions of AgentGym’s server, in the embedded shop', () => {
  test.each(apiSessions)('session $item: every state, reward, end and label', async ({ item, exchanges }) => {
    const session = new TextSession(shopOfApi(exchanges).open(), `fixed_${item}`);
    const first = await session.open();
    expect(first).toBe(stateOf(exchanges[0]));
    let text = first;
    for (const exchange of exchanges.slice(1)) {
      const { path, json } = exchange.request;
      if (path === '/step') {
        const turn = await session.act(json!.action!);
        text = turn.text;
        const { state, reward, done } = exchange.response.json as { state: string; reward: number; done: boolean };
        expect([turn.text, turn.reward, turn.bought]).toEqual([state, reward, done]);
      } else if (path.startsWith('/available_actions')) {
        const { hasSearchBar, clickables } = session.availableActions();
        expect({ has_search_bar: hasSearchBar, clickables }).toEqual(exchange.response.json);
      } else if (path.startsWith('/observation')) expect(text).toBe(exchange.response.json);
    }
  });
});

/** Answers each request with the next recorded answer to it; an observation that was not asked for is the last state. */
function answering(exchanges: readonly Exchange[], posted: unknown[]): Promise<AnsweringServer> {
  let [at, state] = [0, ''];
  return answerRequests<unknown>(({ path, json, request: { method }, response }) => {
    if (method === 'GET') return state;
    posted.push({ path, json });
    const found = exchanges.findIndex(
      ({ request: { path: known, json: sent } }, i) => i >= at && path === known && isDeepStrictEqual(sent, json),
    );
    if (found < 0) return void response.writeHead(599).end();
    at = found + 1;
    state = stateOf(exchanges[found]);
    return exchanges[found].response.json;
  });
}

recorded.describe('our client on a server that answers as AgentGym’s did', () => {
  test('sends what was recorded and reads what was answered, session by session', async () => {
    const posted: unknown[] = [];
    const { address, close } = await answering(api, posted);
    const client = makeEnv('webshop', { backend: 'agentgym', baseUrl: address, maxTurns: 100 }) as AgentGymEnv;
    for (const { item, exchanges } of apiSessions) {
      const { observation } = await client.reset({ dataIdx: item });
      expect(observation).toBe(stateOf(exchanges[0]));
      for (const { request, response } of exchanges) {
        if (request.path !== '/step') continue;
        const { state, reward, done } = response.json as { state: string; reward: number; done: boolean };
        const step = await client.step(request.json!.action!);
        expect([step.observation, step.reward, step.terminated]).toEqual([state, reward, done]);
      }
    }
    await client.close();
    close();
    const recorded = api.filter(({ request }) => request.method === 'POST');
    expect(posted).toEqual(recorded.map(({ request: { path, json } }) => ({ path, json })));
  });
});
