// Names the worker's requests in a trace.
import { emitSpan } from '@bowyer/core';
import type { Request, WorkTime } from './protocol.js';

export class RequestNames {
  /** Names of programs and kernels by id, and the program of each binding. */
  readonly #programs = new Map<number, string>();
  readonly #kernels = new Map<number, string>();
  readonly #bindings = new Map<number, number>();

  /** Emits the span of a request. Must be called in the order of the requests. */
  report(request: Request, [start, end]: WorkTime): void {
    const name = this.#nameOf(request);
    emitSpan({ category: 'session', name, start, end, attributes: { request: request.kind } });
  }

  #nameOf(request: Request): string {
    switch (request.kind) {
      case 'compile':
        this.#programs.set(request.programId, request.name);
        return `open ${request.name}`;
      case 'bind':
        this.#bindings.set(request.bindingId, request.programId);
        return 'bind';
      case 'run': {
        const { binding } = request;
        const program = typeof binding === 'number' ? this.#bindings.get(binding) : binding.programId;
        return this.#programs.get(program ?? -1) ?? 'program';
      }
      case 'loadKernel':
        this.#kernels.set(request.kernelId, request.name);
        return `load ${request.name}`;
      case 'callKernel':
        return this.#kernels.get(request.kernelId) ?? 'kernel';
      default:
        return request.kind;
    }
  }
}
