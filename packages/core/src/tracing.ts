// Reports spans: the times at which parts of a run begin and end. Nothing is measured unless there is a listener.

export type SpanCategory = 'phase' | 'session' | 'environment' | 'http';

export interface Span {
  category: SpanCategory;
  name: string;
  /** Milliseconds since the epoch, with a fraction. */
  start: number;
  end: number;
  attributes: Readonly<Record<string, string | number | boolean>>;
  error?: string;
}

export type SpanListener = (span: Span) => void;

const listeners = new Map<SpanListener, string | null>();

/**
 * Calls the listener with every span; returns a function that removes it.
 *
 * @param kernelFolder the folder for ONNX Runtime's profiles of single operators; null: none
 */
export function listenToSpans(listener: SpanListener, kernelFolder: string | null = null): () => void {
  listeners.set(listener, kernelFolder);
  return () => void listeners.delete(listener);
}

export const isTraced = (): boolean => listeners.size > 0;

/** Returns the folder for profiles of single operators; null if no listener wants them. */
export const kernelProfileFolder = (): string | null =>
  [...listeners.values()].find((folder) => folder !== null) ?? null;

/** Returns the time since the epoch in milliseconds with a fraction, the same in all threads. */
export const wallClock = (): number => performance.timeOrigin + performance.now();

export function emitSpan(span: Span): void {
  for (const listener of listeners.keys()) listener(span);
}

/** Runs the work, and reports it as a span even if it fails. */
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
