// Pages of a running WebShop site (`backend: site`), as ArCHer's client reads them.
import { request as send } from 'undici';
import { nodesOfHtml } from './html-page.js';
import { pagePath, type PageNode, type PageRequest, type PageSource } from './page.js';

export class SiteError extends Error {
  override readonly name = 'SiteError';

  constructor(
    readonly url: string,
    readonly status: number | null,
    cause: string,
  ) {
    super(`GET ${url}: ${cause}\n  is the WebShop site running there? env.base_url names it`);
  }
}

export class Site implements PageSource {
  constructor(
    readonly baseUrl: string,
    readonly timeoutMs: number,
  ) {}

  async open(page: PageRequest): Promise<readonly PageNode[]> {
    const url = `${this.baseUrl.replace(/\/+$/, '')}${pagePath(page)}`;
    const timeouts = { headersTimeout: this.timeoutMs, bodyTimeout: this.timeoutMs };
    let status: number;
    let html: string;
    try {
      const answer = await send(url, timeouts);
      status = answer.statusCode;
      html = await answer.body.text();
    } catch (error) {
      throw new SiteError(url, null, (error as Error).message);
    }
    if (status !== 200) throw new SiteError(url, status, `status ${status}`);
    return nodesOfHtml(html);
  }
}
