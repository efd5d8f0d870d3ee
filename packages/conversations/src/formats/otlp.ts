// Reads the model calls in traces of OpenTelemetry, in the JSON of its protocol OTLP: {resourceSpans: [{scopeSpans: [{spans}]}]}.
// A file contains one such batch, or one per line, as the file exporter of the OpenTelemetry collector writes it. Source:
// opentelemetry-proto, trace/v1/trace.proto and the JSON mapping of the OTLP specification.
import { asRecord, BadItem, found } from '../files/data-error.js';
import { UnreadKeys } from '../files/unread-keys.js';
import { aiSdkCall } from './ai-sdk.js';
import { conversationOf } from './chat.js';
import type { Reading, RecordedDialogue, TraceFormat } from './format.js';
import { genAiCall } from './gen-ai.js';
import { spanOf, spansOf, withSpans, type GenAiSpan } from './spans.js';

export const otlpFormat: TraceFormat = {
  name: 'otlp',
  expected:
    '{"resourceSpans": [{"scopeSpans": [{"spans": […]}]}]} with spans that have gen_ai.input.messages or ai.prompt.messages',
  fits: (item) => item.resourceSpans !== undefined || item.resource_spans !== undefined,
  read: (item, reading) => spansOf(item).flatMap((span) => dialogueOf(span, reading)),
};

/** A batch of spans without those that cannot be read, for a receiver of traces. */
export interface CheckedSpans {
  kept: Record<string, unknown>;
  /** The number of kept spans that are model calls with their messages. */
  spans: number;
  /** The reason for each rejected span. */
  rejected: string[];
}

/** Separates the spans that can be read from the others. @throws {BadItem} if the batch does not have OTLP's structure */
export function checkedSpans(batch: unknown): CheckedSpans {
  const item = asRecord(batch);
  if (item === null || !otlpFormat.fits(item)) throw new BadItem(`it is ${found(batch)}, without 'resourceSpans'`);
  const rejected: string[] = [];
  let spans = 0;
  const kept = withSpans(item, (span) => {
    try {
      spans += dialogueOf(spanOf(span), { keys: new UnreadKeys(), place: '' }).length;
      return true;
    } catch (error) {
      if (!(error instanceof BadItem)) throw error;
      rejected.push(`span '${String(span.name)}': ${error.message}`);
      return false;
    }
  });
  return { kept, spans, rejected };
}

/** Returns the dialogue of a span; an empty list if it is not a model call, or lacks the messages. */
function dialogueOf(span: GenAiSpan, { keys, place }: Reading): RecordedDialogue[] {
  const call = genAiCall(span, keys) ?? aiSdkCall(span);
  if (call === null) return [];
  const score = scoreOfEvents(span);
  return [{ ...conversationOf(call, keys, place), trace: span.trace, ...(score !== undefined && { score }) }];
}

/** Returns the score with which an evaluator has rated a model call, from the event `gen_ai.evaluation.result`. */
function scoreOfEvents({ events }: GenAiSpan): number | undefined {
  const scores = events
    .filter(({ name }) => name === 'gen_ai.evaluation.result')
    .map(({ attributes }) => attributes['gen_ai.evaluation.score.value']);
  return scores.findLast((score): score is number => typeof score === 'number');
}
