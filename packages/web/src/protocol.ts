// Defines the messages between a page and the worker that runs the program.
import type { PageAsk } from '@bowyer/page';

export type PageRequest =
  | { kind: 'run'; id: number; argv: readonly string[] }
  | { kind: 'stop' }
  /** The answer is sent through the port. Any message from the page to the port aborts it. */
  | { kind: 'ask'; ask: PageAsk; port: MessagePort }
  | { kind: 'read'; id: number; path: string; last: number }
  | { kind: 'write'; id: number; path: string; data: Uint8Array }
  | { kind: 'mount'; id: number; path: string; blob: Blob }
  | { kind: 'list'; id: number; folder: string };

export type PageResponse =
  | { kind: 'ready' }
  | { kind: 'text'; text: string; channel: 'stdout' | 'stderr' }
  | { kind: 'result'; id: number; result: unknown }
  | { kind: 'error'; id: number; message: string; stack?: string };
