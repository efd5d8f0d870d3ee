// Sends requests to the dashboard's server. The access token is in the fragment of the page's address, and is sent with every
// request.
import type { RunSummary } from '../../data.js';

const KEY = 'bowyer-token';
const RETRY_MS = 3000;

/** Stores the access token from the page's address and removes it from there, so that bookmarks do not contain it. */
export function takeToken(): void {
  const token = /^#token=([\w-]+)/.exec(location.hash)?.[1];
  if (token === undefined) return;
  sessionStorage.setItem(KEY, token);
  history.replaceState(null, '', location.pathname);
}

const headers = () => ({ authorization: `Bearer ${sessionStorage.getItem(KEY) ?? ''}` });

/** Requests JSON from the dashboard's server. @throws {Error} with the server's error message */
export async function get<T>(path: string, query: Record<string, string> = {}): Promise<T> {
  return answerOf(await fetch(`${path}?${new URLSearchParams(query)}`, { headers: headers() }));
}

export async function post<T>(path: string, body: object): Promise<T> {
  const options = { method: 'POST', headers: { ...headers(), 'content-type': 'application/json' } };
  return answerOf(await fetch(path, { ...options, body: JSON.stringify(body) }));
}

async function answerOf<T>(response: Response): Promise<T> {
  const answer = (await response.json()) as T & { error?: string };
  if (!response.ok) throw new Error(answer.error ?? `status ${response.status}`);
  return answer;
}

/**
 * Receives the list of runs, again after each change, as long as the page is open. It uses fetch, since an EventSource cannot
 * send a token.
 *
 * @param onState called with the error message if the connection is lost; null: it works
 */
export async function followRuns(
  onRuns: (runs: RunSummary[]) => void,
  onState: (problem: string | null) => void,
): Promise<void> {
  for (;;) {
    try {
      const response = await fetch('/api/events', { headers: headers() });
      if (!response.ok) await answerOf(response);
      onState(null);
      await readEvents(response.body!, (data) => onRuns(JSON.parse(data) as RunSummary[]));
      throw new Error('the server has ended the connection');
    } catch (error) {
      onState((error as Error).message);
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

/** Calls `onData` with the data of each server-sent event in a response. Source: the HTML standard, section 9.2. */
async function readEvents(body: ReadableStream<Uint8Array>, onData: (data: string) => void): Promise<void> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let text = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const events = (text + value).split('\n\n');
    text = events.pop()!;
    for (const event of events) {
      const data = event.split('\n').find((line) => line.startsWith('data: '));
      if (data !== undefined) onData(data.slice('data: '.length));
    }
  }
}
