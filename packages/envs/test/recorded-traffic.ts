// Recorded traffic of AgentGym's servers (../shared/data/transcripts), for tests that replay it. Empty where absent.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface RecordedCall {
  request: { method: string; path: string; json?: Record<string, unknown> };
  response: { status: number; json?: unknown };
}

export const sharedData = fileURLToPath(new URL('../../../../shared/data/', import.meta.url));

/** One server's own recording, and what AgentGym's controller said to it. */
export function recordedCalls(server: string): RecordedCall[] {
  return [
    ...lines<RecordedCall>(`${server}.jsonl`),
    ...lines<{ http: RecordedCall[] }>('controller_rollouts.jsonl').flatMap(({ http }) => http),
  ];
}

/** Episodes: the calls from a reset of this environment to the next one. @param prefix '', '/maze' or '/wordle' */
export function recordedEpisodes(calls: readonly RecordedCall[], prefix: string): RecordedCall[][] {
  const episodes: RecordedCall[][] = [];
  for (const call of calls) {
    const answer = call.response.json as { observation?: string } | undefined;
    if (answer?.observation === undefined || call.request.method !== 'POST') continue;
    if (call.request.path === `${prefix}/reset`) episodes.push([call]);
    else if (call.request.path === `${prefix}/step`) episodes.at(-1)?.push(call);
  }
  return episodes;
}

function lines<Line>(name: string): Line[] {
  const path = `${sharedData}transcripts/${name}`;
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}
