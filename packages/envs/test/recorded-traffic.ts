// Recorded traffic of AgentGym's servers, for tests that replay it; empty without recordings.
import { recordedLines } from '@bowyer/testing';

export interface RecordedCall {
  request: { method: string; path: string; json?: Record<string, unknown> };
  response: { status: number; json?: unknown };
}

/** Returns the recorded calls of one server, and those of AgentGym's controller to it. */
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
