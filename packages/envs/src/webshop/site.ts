// Reads the pages of a running WebShop site, as ArCHer's client does, by GETs that can be repeated after a failure.
import { openServer } from '../agentgym/instances.js';
import { HttpError } from '../http/http-error.js';
import { pagePath, type PageNode, type PageRequest, type PageSource } from './page.js';

interface SiteOptions {
  baseUrl: string;
  timeoutMs: number;
  /** The largest number of open connections of all environments that use this site. */
  connections: number;
}

/** A WebShop site. Environments with the same address share connections and the circuit breaker that stops failing requests. */
export class Site implements PageSource {
  readonly #shared: ReturnType<typeof openServer>;

  constructor({ baseUrl, timeoutMs, connections }: SiteOptions) {
    this.#shared = openServer(baseUrl, { answerTimeoutMs: timeoutMs, connections });
  }

  /** Opens a page. @throws {HttpError} if the site does not answer, or answers with an error that the agent did not cause */
  async open(page: PageRequest): Promise<readonly PageNode[]> {
    try {
      return await this.#get(page);
    } catch (error) {
      if (!(error instanceof HttpError) || error.failure !== 'status') throw error;
      // ArCHer's client drops a page's first two texts. An error page has only these, so that the agent sees an empty page.
      if (isAgentsDoing(page, error)) return [];
      if (error.status !== 500 || page.page === 'start') throw error;
      // A site that was restarted has forgotten the session. Opening the session's first page makes it known again.
      await this.#get({ page: 'start', session: page.session });
      return this.#get(page);
    }
  }

  close(): Promise<void> {
    return this.#shared.leave();
  }

  async #get(page: PageRequest): Promise<readonly PageNode[]> {
    const path = pagePath(page);
    const html = await this.#shared.server.request({ method: 'GET', path, as: 'text', read: String });
    return (await import('./html-page.js')).nodesOfHtml(html);
  }
}

/** Returns whether the agent's keywords caused the error: no words or a slash (308 or 404), or a malformed list (500). */
const isAgentsDoing = (page: PageRequest, { status }: HttpError): boolean =>
  page.page === 'results' && (status === 308 || status === 404 || (status === 500 && page.keywords.startsWith('[')));
