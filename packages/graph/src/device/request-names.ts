// Names the requests to a device's worker in a trace by the program or kernel that they run.
import { emitSpan } from '@bowyer/core';
import type { Request, WorkTime } from './protocol.js';

export class RequestNames {
  /** The names of programs and kernels by id, and the program's id by that of a binding. */
  readonly #programs = new Map<number, string>();
  readonly #kernels = new Map<number, string>();
  readonly #bindings = new Map<number, number>();

  /** Emits a request's span in the trace; call it in the order of requests, since earlier ones give names to ids. */
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
