// Recorded traffic of AgentGym's servers, for tests that replay it. It is empty where there are no recordings.
import { recordedLines } from '@bowyer/testing';

export interface RecordedCall {
  request: { method: string; path: string; json?: Record<string, unknown> };
  response: { status: number; json?: unknown };
}

/** Returns one server's own recording, and the requests of AgentGym's controller to it. */
export function recordedCalls(server: string): RecordedCall[] {
  return [
    ...recordedLines<RecordedCall>(`transcripts/${server}.jsonl`),
    ...recordedLines<{ http: RecordedCall[] }>('transcripts/controller_rollouts.jsonl').flatMap(({ http }) => http),
  ];
}

/** Returns the episodes: the calls from a reset of this environment to the next one. @param prefix '', '/maze' or '/wordle' */
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
