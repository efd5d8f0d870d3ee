// Checks a batch of OpenTelemetry spans one span at a time, so that a large batch does not block the server: a few kilobytes of
// gzip can expand to a million brackets in each of hundreds of spans.
import { checkedSpans, type CheckedSpans } from '@bowyer/conversations';
import { BodyError, checkCounts, countsOf } from '@bowyer/serving';

type Item = Readonly<Record<string, unknown>>;

/**
 * Checks the spans of a batch, and yields after each one.
 *
 * @param otherOwner returns the rollout to which a trace already belongs, if it is not the one whose key was sent
 * @throws {BadItem} if the structure is not that of OTLP (OpenTelemetry's protocol)
 */
export function* checkedBatch(
  batch: unknown,
  otherOwner: (trace: string) => string | null,
): Generator<undefined, CheckedSpans> {
  const lists: unknown[][] = [];
  const { kept } = checkedSpans(withoutSpans(batch, lists));
  const scopes = (kept.resourceSpans as Item[]).flatMap(({ scopeSpans }) => scopeSpans as { spans: unknown[] }[]);
  const rejected: string[] = [];
  let spans = 0;
  for (const [i, list] of lists.entries())
    for (const span of list) {
      const checked = checkedSpan(span, otherOwner);
      spans += checked.spans;
      rejected.push(...checked.rejected);
      if (checked.rejected.length === 0) scopes[i].spans.push(span);
      yield;
    }
  return { kept, spans, rejected };
}

/** Returns the batch without its spans. @param lists receives the list of spans of each scope, in order */
function withoutSpans(batch: unknown, lists: unknown[][]): unknown {
  const taken = (spans: unknown): unknown => (Array.isArray(spans) ? (lists.push(spans), []) : spans);
  const scope = (each: unknown) => changed(each, ['spans'], taken, () => lists.push([]));
  const resource = (each: unknown) => changed(each, ['scopeSpans', 'scope_spans'], mapped(scope));
  return changed(batch, ['resourceSpans', 'resource_spans'], mapped(resource));
}

const mapped = (change: (each: unknown) => unknown) => (list: unknown) =>
  Array.isArray(list) ? list.map((each) => change(each)) : list;

/** Returns a copy of an object in which the first present of the named members is replaced. @param otherwise called if none is */
function changed(
  value: unknown,
  names: readonly string[],
  change: (member: unknown) => unknown,
  otherwise: () => void = () => undefined,
): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const name = names.find((each) => (value as Item)[each] !== undefined && (value as Item)[each] !== null);
  if (name === undefined) otherwise();
  return name === undefined ? value : { ...value, [name]: change((value as Item)[name]) };
}

function checkedSpan(span: unknown, otherOwner: (trace: string) => string | null): CheckedSpans {
  const refused = (reason: string): CheckedSpans => {
    return { kept: {}, spans: 0, rejected: [`span '${String((span as Item).name)}': ${reason}`] };
  };
  try {
    checkTexts(span);
  } catch (error) {
    if (!(error instanceof BodyError)) throw error;
    return refused(`an attribute is too large: ${error.message}`);
  }
  const checked = checkedSpans({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] });
  if (checked.rejected.length > 0) return checked;
  const { traceId, trace_id: other } = span as { traceId?: string; trace_id?: string };
  const trace = (traceId ?? other)!;
  return otherOwner(trace) === null ? checked : refused(`the trace '${shownId(trace)}' belongs to another rollout`);
}

const shownId = (id: string): string => (id.length > 64 ? `${id.slice(0, 64)}…` : id);

/** Checks the sizes of JSON values, including JSON texts within strings. @throws {BodyError} if they are too large */
function checkTexts(value: unknown): void {
  if (typeof value === 'string' && /^\s*[[{]/.test(value)) checkCounts(countsOf(value));
  else if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) checkTexts(each);
}
