// Tests the site's client against a server of ours that is restarted, refuses words and fails.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PageRequest } from './page.js';
import { Site } from './site.js';

const page = (body: string) => `<html><body><h4>Instruction:<br>i need a lamp</h4>${body}</body></html>`;

/** A server that knows a session only after its first page, as Princeton's site does. */
class ForgetfulSite {
  readonly asked: string[] = [];
  readonly known = new Set<string>();
  readonly server: Server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '');
    this.asked.push(path);
    const session = /fixed_\d+/.exec(path)?.[0] ?? '';
    const isStart = path === `/${session}`;
    if (isStart) this.known.add(session);
    // Flask replaces `//` by a redirect, and a slash in the words makes another path.
    const status = path.includes('//') ? 308 : path.includes('shade') ? 404 : this.known.has(session) ? 200 : 500;
    response.writeHead(status, { 'content-type': 'text/html' });
    response.end(status === 200 ? page(`<button>${isStart ? 'Search' : 'Next &gt;'}</button>`) : '<h1>No</h1>');
  });

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => void this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }
}

const results = (keywords: string): PageRequest => ({ page: 'results', session: 'fixed_1', keywords, number: 1 });

describe('a running site', () => {
  const forgetful = new ForgetfulSite();
  let site: Site;
  beforeAll(async () => {
    site = new Site({ baseUrl: await forgetful.listen(), timeoutMs: 5000, connections: 2 });
  });
  afterAll(async () => {
    await site.close();
    forgetful.server.close();
  });

  test('that was started again is shown the session again', async () => {
    await site.open({ page: 'start', session: 'fixed_1' });
    forgetful.known.clear();
    forgetful.asked.length = 0;
    const nodes = await site.open(results('lamp'));
    expect(nodes.at(-1)).toEqual({ kind: 'button', text: 'Next >' });
    expect(forgetful.asked).toEqual(['/search_results/fixed_1/lamp/1', '/fixed_1', '/search_results/fixed_1/lamp/1']);
  });

  test.each(['', 'lamp shade/cover'])('words that it has no page for, %j, find an empty one', async (keywords) => {
    await expect(site.open(results(keywords))).resolves.toEqual([]);
  });

  test('an error on any other page is reported with its address', async () => {
    const item = { page: 'item', session: 'fixed_1', asin: 'B0shade', keywords: 'lamp', number: 1 } as const;
    await expect(site.open({ ...item, chosen: new Map() })).rejects.toThrow(/GET .*B0shade.* answered 404/);
  });
});
