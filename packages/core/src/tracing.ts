// Spans: what a run spends its time on. Nothing is measured where nobody listens.

export type SpanCategory = 'phase' | 'session' | 'environment' | 'http';

export interface Span {
  category: SpanCategory;
  name: string;
  /** Milliseconds since the epoch, with a fraction. */
  start: number;
  end: number;
  attributes: Readonly<Record<string, string | number | boolean>>;
  /** The error that it failed with. */
  error?: string;
}

export type SpanListener = (span: Span) => void;

const listeners = new Map<SpanListener, string | null>();

/**
 * Calls the listener with every span.
 *
 * @param kernelFolder where ONNX Runtime's profiles of single operators go; null: they are not wanted
 * @returns what ends it
 */
export function listenToSpans(listener: SpanListener, kernelFolder: string | null = null): () => void {
  listeners.set(listener, kernelFolder);
  return () => void listeners.delete(listener);
}

export const isTraced = (): boolean => listeners.size > 0;

/** Returns the folder for profiles of single operators; null if nobody wants them. */
export const kernelProfileFolder = (): string | null =>
  [...listeners.values()].find((folder) => folder !== null) ?? null;

/** Returns the wall clock in milliseconds with a fraction, the same in all threads. */
export const wallClock = (): number => performance.timeOrigin + performance.now();

export function emitSpan(span: Span): void {
  for (const listener of listeners.keys()) listener(span);
}

/** Does the work, and reports it as a span, failed or not. */
export async function timed<T>(
  category: SpanCategory,
  name: string,
  work: () => Promise<T>,
  attributes: (result: T | undefined) => Span['attributes'] = () => ({}),
): Promise<T> {
  if (!isTraced()) return work();
  const start = wallClock();
  try {
    const result = await work();
    emitSpan({ category, name, start, end: wallClock(), attributes: attributes(result) });
    return result;
  } catch (error) {
    const span = { category, name, start, end: wallClock(), attributes: attributes(undefined) };
    emitSpan({ ...span, error: error instanceof Error ? error.message : String(error) });
    throw error;
  }
}
