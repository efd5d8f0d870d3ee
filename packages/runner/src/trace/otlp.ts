// Sends the spans of calls of environments and endpoints to an OpenTelemetry collector, over OTLP/HTTP in JSON. Source:
// opentelemetry.io/docs/specs/otlp and .../specs/otel/configuration/sdk-environment-variables.
import { randomBytes } from 'node:crypto';
import type { Span } from '@bowyer/core';

const NANOSECONDS = 1_000_000n;
const FLUSH_MS = 5000;
/** The maximum number of spans that wait to be sent to the collector; if there are more, the oldest are dropped. */
const MOST_WAITING = 2048;
const DEFAULT_TIMEOUT_MS = 10_000;

type Environment = Readonly<Record<string, string | undefined>>;

interface Collector {
  url: string;
  headers: Record<string, string>;
  timeoutMs: number;
}

/** Reads the standard environment variables. @throws if a variable's value is not an address */
export function collectorOf(env: Environment): Collector {
  const own = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT;
  const base = env.OTEL_EXPORTER_OTLP_ENDPOINT || 'http://localhost:4318';
  const url = own || `${base.replace(/\/$/, '')}/v1/traces`;
  if (!URL.canParse(url) || !/^https?:/.test(url))
    throw new Error(
      `open_telemetry=true: '${url}' is not the address of a collector\n  set OTEL_EXPORTER_OTLP_ENDPOINT=http://HOST:4318`,
    );
  const headers = pairs(env.OTEL_EXPORTER_OTLP_TRACES_HEADERS ?? env.OTEL_EXPORTER_OTLP_HEADERS ?? '');
  return { url, headers, timeoutMs: Number(env.OTEL_EXPORTER_OTLP_TIMEOUT) || DEFAULT_TIMEOUT_MS };
}

/** Never throws and never makes the run wait; spans that cannot be sent are counted. */
export class OtlpExporter {
  readonly #collector: Collector;
  readonly #resource: object;
  readonly #traceId = randomBytes(16).toString('hex');
  readonly #timer: NodeJS.Timeout;
  #waiting: Span[] = [];
  #sending: Promise<void> = Promise.resolve();
  #lost = 0;
  #problem = '';

  constructor(env: Environment) {
    this.#collector = collectorOf(env);
    const attributes = {
      'service.name': env.OTEL_SERVICE_NAME || 'bowyer',
      ...pairs(env.OTEL_RESOURCE_ATTRIBUTES ?? ''),
    };
    this.#resource = { attributes: keyValues(attributes) };
    this.#timer = setInterval(() => void this.flush(), FLUSH_MS);
    this.#timer.unref();
  }

  add(span: Span): void {
    if (span.category !== 'environment' && span.category !== 'http') return;
    if (this.#waiting.length === MOST_WAITING) {
      this.#waiting.shift();
      this.#lost++;
    }
    this.#waiting.push(span);
  }

  flush(): Promise<void> {
    const spans = this.#waiting;
    this.#waiting = [];
    if (spans.length > 0) this.#sending = this.#sending.then(() => this.#send(spans));
    return this.#sending;
  }

  /** Returns a sentence about spans that could not be sent; null if all were sent. */
  async close(): Promise<string | null> {
    clearInterval(this.#timer);
    await this.flush();
    return this.#lost === 0
      ? null
      : `OpenTelemetry: ${this.#lost} spans were lost: ${this.#collector.url}: ${this.#problem}`;
  }

  async #send(spans: readonly Span[]): Promise<void> {
    const { url, headers, timeoutMs } = this.#collector;
    const scopeSpans = [{ scope: { name: 'bowyer' }, spans: spans.map((span) => this.#record(span)) }];
    const body = JSON.stringify({ resourceSpans: [{ resource: this.#resource, scopeSpans }] });
    try {
      const signal = AbortSignal.timeout(timeoutMs);
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
        signal,
      });
      await response.arrayBuffer();
      if (!response.ok) throw new Error(`status ${response.status}`);
    } catch (error) {
      this.#lost += spans.length;
      const { message, cause } = error as Error;
      this.#problem = cause instanceof Error ? `${message} (${cause.message})` : message;
    }
  }

  #record({ category, name, start, end, attributes, error }: Span): object {
    return {
      traceId: this.#traceId,
      spanId: randomBytes(8).toString('hex'),
      name,
      kind: category === 'http' ? SPAN_KIND_CLIENT : SPAN_KIND_INTERNAL,
      startTimeUnixNano: nanoseconds(start),
      endTimeUnixNano: nanoseconds(end),
      attributes: keyValues(attributes),
      status: error === undefined ? {} : { code: STATUS_ERROR, message: error },
    };
  }
}

const SPAN_KIND_INTERNAL = 1;
const SPAN_KIND_CLIENT = 3;
const STATUS_ERROR = 2;

const nanoseconds = (milliseconds: number): string => {
  const whole = Math.floor(milliseconds);
  return String(BigInt(whole) * NANOSECONDS + BigInt(Math.round((milliseconds - whole) * 1e6)));
};

function keyValues(attributes: Readonly<Record<string, string | number | boolean>>): object[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) }));
}

function anyValue(value: string | number | boolean): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

/** Parses a list `key=value,key=value`, percent-encoded, as in W3C Baggage. */
function pairs(text: string): Record<string, string> {
  const entries = text.split(',').flatMap((pair) => {
    const at = pair.indexOf('=');
    return at > 0 ? [[pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())] as const] : [];
  });
  return Object.fromEntries(entries);
}
