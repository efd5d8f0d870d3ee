import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { timed, type Span } from '@bowyer/core';
import { newFolder, answerRequests, type AnsweringServer } from '@bowyer/testing';
import { ChromeTrace } from './chrome-trace.js';
import { collectorOf, OtlpExporter } from './otlp.js';
import { TraceSummary } from './trace-summary.js';
import { withTracing } from './with-tracing.js';

let directory: string;
beforeEach(() => (directory = newFolder()));

const phase: Span = { category: 'phase', name: 'rollout', start: 1000, end: 1250.5, attributes: { iteration: 1 } };
const call: Span = { ...phase, category: 'http', name: 'POST /step', attributes: { 'http.request.method': 'POST' } };

test('a trace has microseconds from the start of the run; overlapping spans are pairs of events', async () => {
  const path = join(directory, 'trace.json');
  const trace = new ChromeTrace(path, 900);
  trace.add(phase);
  trace.add({ ...call, error: 'status 500' });
  trace.addKernel('MatMul', 1001, 0.5, 'layers.0');
  trace.close();
  const events = JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>[];
  expect(events.filter(({ ph }) => ph !== 'M')).toEqual([
    { pid: 1, ph: 'X', cat: 'phase', name: 'rollout', tid: 1, ts: 100_000, dur: 250_500, args: { iteration: 1 } },
    {
      pid: 1,
      ph: 'b',
      cat: 'http',
      name: 'POST /step',
      id: 1,
      tid: 0,
      ts: 100_000,
      args: { 'http.request.method': 'POST', error: 'status 500' },
    },
    { pid: 1, ph: 'e', cat: 'http', name: 'POST /step', id: 1, tid: 0, ts: 350_500 },
    { pid: 1, ph: 'X', cat: 'kernel', name: 'MatMul', tid: 3, ts: 101_000, dur: 500, args: { node: 'layers.0' } },
  ]);
});

test('consecutive spans of a row do not overlap, since Perfetto would leave one out', async () => {
  const path = join(directory, 'trace.json');
  const trace = new ChromeTrace(path, 0);
  trace.add({ ...phase, start: 1, end: 2.0006 });
  trace.add({ ...phase, name: 'critic', start: 1.9991, end: 3.25 });
  trace.add({ ...phase, name: 'around', start: 0.5, end: 4 });
  trace.close();
  const events = JSON.parse(await readFile(path, 'utf8')) as { ph: string; ts: number; dur: number }[];
  const times = events.filter(({ ph }) => ph === 'X').map(({ ts, dur }) => [ts, ts + dur]);
  expect(times).toEqual([
    [1000, 2001],
    [2001, 3250],
    [500, 4000],
  ]);
});

test('the summary has shares of the run for what comes one after another, and of their sum for what overlaps', () => {
  const summary = new TraceSummary();
  summary.add({ category: 'phase', name: 'rollout', start: 0, end: 6000 });
  summary.add({ category: 'phase', name: 'critic', start: 6000, end: 8000 });
  summary.add({ category: 'http', name: 'POST /step', start: 0, end: 3000 });
  expect(summary.text(10_000)).toBe(
    '10s in all; phases 80 % (rollout 60 %, critic 20 %); HTTP calls 3s (POST /step 100 %)',
  );
});

test('profile=true writes the spans of the work, failed ones too', async () => {
  const logged: string[] = [];
  const work = async () => {
    await timed('phase', 'critic', () => Promise.resolve());
    await timed('http', 'GET /', () => Promise.reject(new Error('gone')));
  };
  const context = { directory, log: (message: string) => void logged.push(message) };
  await expect(withTracing({ profile: true, openTelemetry: false }, context, work)).rejects.toThrow('gone');
  const events = JSON.parse(await readFile(join(directory, 'trace.json'), 'utf8')) as { name: string; args?: object }[];
  expect(events.map(({ name }) => name)).toEqual(expect.arrayContaining(['critic', 'GET /']));
  expect(logged[1]).toBe(`profile: ${join(directory, 'trace.json')} opens in ui.perfetto.dev`);
});

describe('a collector of OpenTelemetry', () => {
  let server: AnsweringServer;
  let status: number;
  let requests: { url: string; key: unknown; body: Record<string, never> }[];
  let endpoint: string;
  beforeEach(async () => {
    [status, requests] = [200, []];
    server = await answerRequests<never>(({ path, headers, json, response }) => {
      requests.push({ url: path, key: headers['x-key'], body: json });
      response.writeHead(status).end('{}');
    });
    endpoint = `${server.address}/base/`;
  });
  afterEach(() => server.close());

  test('gets the calls of environments and endpoints', async () => {
    const exporter = new OtlpExporter({
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%20b',
      OTEL_SERVICE_NAME: 'mine',
    });
    exporter.add(phase);
    exporter.add(call);
    expect(await exporter.close()).toBeNull();
    const text = (value: string) => ({ stringValue: value });
    expect(requests).toMatchObject([
      {
        url: '/base/v1/traces',
        key: 'a b',
        body: { resourceSpans: [{ resource: { attributes: [{ key: 'service.name', value: text('mine') }] } }] },
      },
    ]);
    const [
      {
        scopeSpans: [{ spans }],
      },
    ] = requests[0].body.resourceSpans as never as { scopeSpans: { spans: object[] }[] }[];
    expect(spans).toMatchObject([
      {
        name: 'POST /step',
        kind: 3,
        startTimeUnixNano: '1000000000',
        endTimeUnixNano: '1250500000',
        attributes: [{ key: 'http.request.method', value: text('POST') }],
      },
    ]);
  });

  test('that refuses spans causes a warning and does not end the run', async () => {
    status = 503;
    const exporter = new OtlpExporter({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint });
    exporter.add(call);
    expect(await exporter.close()).toBe(`OpenTelemetry: 1 spans were lost: ${endpoint}: status 503`);
  });
});

test('that has an invalid address is refused', () => {
  expect(() => collectorOf({ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' })).toThrow(
    "open_telemetry=true: 'collector:4318/v1/traces' is not the address of a collector\n  set OTEL_EXPORTER_OTLP_ENDPOINT=http://HOST:4318",
  );
});
