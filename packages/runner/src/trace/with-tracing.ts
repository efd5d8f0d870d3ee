// Runs a task and traces it as the config's `profile` (trace.json) and `open_telemetry` (a collector) request.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { listenToSpans, makeTemporaryFolder, wallClock } from '@bowyer/core';
import type { TaskContext } from '../context/task-context.js';
import { ChromeTrace } from './chrome-trace.js';
import { kernelRuns } from './kernel-profiles.js';
import { OtlpExporter } from './otlp.js';
import { TraceSummary } from './trace-summary.js';

export interface TraceConfig {
  profile: boolean;
  openTelemetry: boolean;
}

type Context = Pick<TaskContext, 'directory' | 'log'>;

export async function withTracing(config: TraceConfig, context: Context, work: () => Promise<void>): Promise<void> {
  const { profile, openTelemetry } = config;
  const exported = openTelemetry ? () => withExporter(context, work) : work;
  return profile ? withProfile(context, exported) : exported();
}

async function withProfile({ directory, log }: Context, work: () => Promise<void>): Promise<void> {
  const folder = makeTemporaryFolder('profile');
  const start = wallClock();
  const path = join(directory, 'trace.json');
  const trace = new ChromeTrace(path, start);
  const summary = new TraceSummary();
  const stop = listenToSpans((span) => {
    trace.add(span);
    summary.add(span);
  }, folder);
  try {
    await work();
  } finally {
    stop();
    const milliseconds = wallClock() - start;
    for await (const { operator, node, start, milliseconds } of kernelRuns(folder)) {
      trace.addKernel(operator, start, milliseconds, node);
      summary.add({ category: 'kernel', name: operator, start: 0, end: milliseconds });
    }
    trace.close();
    await rm(folder, { recursive: true, force: true });
    log(`profile: ${summary.text(milliseconds)}`);
    const rest = trace.leftOut > 0 ? ` (without ${trace.leftOut} later spans)` : '';
    log(`profile: ${path}${rest} opens in ui.perfetto.dev`);
  }
}

async function withExporter({ log }: Context, work: () => Promise<void>): Promise<void> {
  const exporter = new OtlpExporter(process.env);
  const stop = listenToSpans((span) => exporter.add(span));
  try {
    await work();
  } finally {
    stop();
    const problem = await exporter.close();
    if (problem !== null) log(problem, 'WARNING');
  }
}
