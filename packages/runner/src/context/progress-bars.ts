// The context with which a task opens an agent: its log, and progress bars for slow work.
import { ProgressBar } from '@bowyer/logging';
import type { TaskContext } from './task-context.js';

/** The same context, which opens bars where its progress goes. */
export const withBars = <Context extends Pick<TaskContext, 'progress'>>(context: Context) => ({
  ...context,
  openBar: (label: string, total: number) => new ProgressBar(label, total, context.progress),
});
