// Tests the site's client against a server of ours that is restarted, refuses words and fails.
import { answerRequests, type AnsweringServer } from '@bowyer/testing';
import type { PageRequest } from './page.js';
import { Site } from './site.js';

const page = (body: string) => `<html><body><h4>Instruction:<br>i need a lamp</h4>${body}</body></html>`;

/** Starts a server that knows a session only after its first page, as Princeton's site does. */
const forgetfulSite = (asked: string[], known: Set<string>): Promise<AnsweringServer> =>
  answerRequests(({ path: sent, response }) => {
    const path = decodeURIComponent(sent);
    asked.push(path);
    const session = /fixed_\d+/.exec(path)?.[0] ?? '';
    const isStart = path === `/${session}`;
    if (isStart) known.add(session);
    // Flask replaces `//` by a redirect, and a slash in the words makes another path.
    const status = path.includes('//') ? 308 : path.includes('shade') ? 404 : known.has(session) ? 200 : 500;
    response.writeHead(status, { 'content-type': 'text/html' });
    response.end(status === 200 ? page(`<button>${isStart ? 'Search' : 'Next &gt;'}</button>`) : '<h1>No</h1>');
  });

const results = (keywords: string): PageRequest => ({ page: 'results', session: 'fixed_1', keywords, number: 1 });

describe('a running site', () => {
  const asked: string[] = [];
  const known = new Set<string>();
  let server: AnsweringServer;
  let site: Site;
  beforeAll(async () => {
    server = await forgetfulSite(asked, known);
    site = new Site({ baseUrl: server.address, timeoutMs: 5000, connections: 2 });
  });
  afterAll(async () => {
    await site.close();
    server.close();
  });

  test('that was started again is shown the session again', async () => {
    await site.open({ page: 'start', session: 'fixed_1' });
    known.clear();
    asked.length = 0;
    const nodes = await site.open(results('lamp'));
    expect(nodes.at(-1)).toEqual({ kind: 'button', text: 'Next >' });
    expect(asked).toEqual(['/search_results/fixed_1/lamp/1', '/fixed_1', '/search_results/fixed_1/lamp/1']);
  });

  test.each(['', 'lamp shade/cover'])('words that it has no page for, %j, find an empty one', async (keywords) => {
    await expect(site.open(results(keywords))).resolves.toEqual([]);
  });

  test('an error on any other page is reported with its address', async () => {
    const item = { page: 'item', session: 'fixed_1', asin: 'B0shade', keywords: 'lamp', number: 1 } as const;
    await expect(site.open({ ...item, chosen: new Map() })).rejects.toThrow(/GET .*B0shade.* answered 404/);
  });
});
