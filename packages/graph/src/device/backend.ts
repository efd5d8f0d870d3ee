// Dispatches the requests that a device's worker gets to its states, sessions, bindings and kernels; host-backend.ts and
// gpu-backend.ts extend it.
import { Tensor, type InferenceSession } from 'onnxruntime-node';
import type { DataType, TensorArray } from '../dtype.js';
import { kernelProgram, type RunnableBinding, type ViewOf } from './kernel-host.js';
import type { HostKernel, KernelProgram, KernelState } from './kernel.js';
import type { Request, StateTensorSpec, TypedHostTensor, Wiring, WorkerSettings } from './protocol.js';
import { SessionSlot } from './session-slot.js';
import { raise } from './tensor-size.js';

/** Imports the module that exports a kernel's function, and returns its exports. */
export type LoadKernel = (module: string) => Promise<Readonly<Record<string, unknown>>>;

export type RequestOf<Kind extends Request['kind']> = Extract<Request, { kind: Kind }>;

/** A tensor of a state, which the worker keeps between runs. `tensor` is its form for ONNX Runtime's sessions. */
export interface StateTensor {
  dtype: DataType;
  dims: readonly number[];
  tensor: Tensor;
}

export abstract class Backend<T extends StateTensor, Binding extends RunnableBinding> {
  readonly #states = new Map<number, Record<string, T>>();
  /** The ids of states that are views: their tensors belong to another state, and are not freed with the view. */
  readonly #views = new Set<number>();
  /** The sessions by the id of their program and their variant (see `Wiring`). */
  readonly #sessions = new Map<number, Map<string, SessionSlot>>();
  readonly #bindings = new Map<number, Binding>();
  readonly #kernels = new Map<number, HostKernel>();

  constructor(
    protected readonly settings: WorkerSettings,
    private readonly loadKernel: LoadKernel,
  ) {}

  protected abstract createTensor(spec: StateTensorSpec): T | Promise<T>;
  protected abstract readTensor(tensor: T): TensorArray | Promise<TensorArray>;
  /** Overwrites elements of a state's tensor. @param offset the first element that is overwritten; 0 if not given */
  protected abstract writeTensor(tensor: T, data: TensorArray, offset?: number): void | Promise<void>;
  protected abstract freeTensor(tensor: T): void;
  /** Frees the memory of an all-zero tensor until its next use. The base class does nothing, for devices that cannot do this. */
  protected restTensor(_tensor: T): void {}
  /** Returns the first elements of a state's tensor as a tensor with other dimensions, without a copy. */
  protected abstract prefixOf(tensor: T, dims: readonly number[]): Tensor;
  protected abstract createSession(request: RequestOf<'compile'>): Promise<InferenceSession>;
  /** Returns whether a session's model is kept in memory and small, so that the session can be closed and opened again. */
  protected abstract canReopen(request: RequestOf<'compile'>): boolean;
  /**
   * Makes a binding: a session with the state tensors that its runs read and write.
   *
   * @param session the open session, of which the binding reads only the inputs and outputs, once
   * @param slot gives the session for each run, since it may be closed between runs
   */
  protected abstract createBinding(session: InferenceSession, wiring: Wiring, slot: SessionSlot): Binding;
  protected abstract callKernel(kernel: HostKernel, request: RequestOf<'callKernel'>): Promise<unknown>;

  async handle(request: Request): Promise<unknown> {
    switch (request.kind) {
      case 'run':
        return this.#run(request);
      case 'bind':
        this.#bindings.set(request.bindingId, await this.#bind(request.programId, request.wiring));
        return null;
      case 'callKernel':
        return (await this.callKernel(this.#kernels.get(request.kernelId)!, request)) ?? null;
      case 'createState':
        this.#states.set(request.stateId, {
          ...this.#states.get(request.stateId),
          ...(await this.#createState(request.tensors)),
        });
        return null;
      case 'viewState':
        this.#states.set(request.stateId, pick(this.state(request.of), request.names));
        this.#views.add(request.stateId);
        return null;
      case 'readState':
        return this.read(this.state(request.stateId), request.names);
      case 'writeState':
        for (const { name, data, offset } of request.tensors)
          await this.writeTensor(this.tensor(request.stateId, name), data, offset);
        return null;
      case 'releaseState':
        if (!this.#views.delete(request.stateId))
          for (const tensor of Object.values(this.#states.get(request.stateId) ?? {})) this.freeTensor(tensor);
        this.#states.delete(request.stateId);
        return null;
      case 'compile':
        await this.#compile(request);
        return null;
      case 'releaseProgram':
        for (const session of this.#sessions.get(request.programId)?.values() ?? []) await session.release();
        this.#sessions.delete(request.programId);
        return null;
      case 'releaseBinding':
        this.#bindings.delete(request.bindingId);
        return null;
      case 'loadKernel':
        this.#kernels.set(request.kernelId, await this.#loadKernel(request.module, request.name));
        return null;
      case 'rest':
        for (const sessions of this.#sessions.values()) for (const session of sessions.values()) await session.rest();
        for (const id of request.stateIds) for (const tensor of Object.values(this.state(id))) this.restTensor(tensor);
        return null;
      case 'close':
        for (const sessions of this.#sessions.values())
          for (const session of sessions.values()) await session.release();
        return null;
    }
  }

  protected state(stateId: number): Record<string, T> {
    return this.#states.get(stateId) ?? raise('the state was released');
  }

  protected tensor(stateId: number, name: string): T {
    return this.state(stateId)[name] ?? raise(`the state has no tensor '${name}'`);
  }

  protected async read(
    state: Readonly<Record<string, T>>,
    names: readonly string[],
  ): Promise<Record<string, TypedHostTensor>> {
    const copies: Record<string, TypedHostTensor> = {};
    for (const name of names) {
      const tensor = state[name] ?? raise(`the state has no tensor '${name}'`);
      copies[name] = { dtype: tensor.dtype, dims: tensor.dims, data: await this.readTensor(tensor) };
    }
    return copies;
  }

  /** Returns the states that a kernel's call names, by their roles in the call, each in the form that `shown` makes. */
  protected async statesOf<Shown extends KernelState>(
    { states }: RequestOf<'callKernel'>,
    shown: (state: Record<string, T>) => Shown | Promise<Shown>,
  ): Promise<Record<string, Shown>> {
    const live: Record<string, Shown> = {};
    for (const [role, stateId] of Object.entries(states)) live[role] = await shown(this.state(stateId));
    return live;
  }

  /** Returns the programs that a kernel's call names, by their roles in the call, in a form that the kernel can run. */
  protected programsOf({ programs }: RequestOf<'callKernel'>, viewOf: ViewOf): Record<string, KernelProgram> {
    const runnable = Object.entries(programs).map(([role, id]) => [role, kernelProgram(this.#binding(id), viewOf)]);
    return Object.fromEntries(runnable) as Record<string, KernelProgram>;
  }

  async #createState(specs: readonly StateTensorSpec[]): Promise<Record<string, T>> {
    const tensors: Record<string, T> = {};
    for (const spec of specs) tensors[spec.name] = await this.createTensor(spec);
    return tensors;
  }

  async #compile(request: RequestOf<'compile'>): Promise<void> {
    const session = await this.createSession(request);
    const slot = new SessionSlot(session, this.canReopen(request) ? () => this.createSession(request) : null);
    const sessions = this.#sessions.get(request.programId) ?? new Map<string, SessionSlot>();
    this.#sessions.set(request.programId, sessions.set(request.variant, slot));
  }

  async #bind(programId: number, wiring: Wiring): Promise<Binding> {
    const slot = this.#sessions.get(programId)?.get(wiring.variant) ?? raise('the program was released');
    return this.createBinding(await slot.session(), wiring, slot);
  }

  async #loadKernel(module: string, name: string): Promise<HostKernel> {
    const exported = (await this.loadKernel(module))[name];
    if (typeof exported !== 'function')
      throw new Error(`kernel module ${module.slice(0, 200)} exports no function '${name}'`);
    return exported as HostKernel;
  }

  #binding(bindingId: number): Binding {
    return this.#bindings.get(bindingId) ?? raise('the program binding was released');
  }

  async #run({ binding, inputs, views }: RequestOf<'run'>): Promise<Record<string, TypedHostTensor>> {
    const bound =
      typeof binding === 'number' ? this.#binding(binding) : await this.#bind(binding.programId, binding.wiring);
    const feeds: Record<string, Tensor> = {};
    for (const name in inputs) {
      const { dtype, data, dims } = inputs[name]!;
      feeds[name] = new Tensor(dtype, data, dims);
    }
    for (const [input, stateId, name, dims] of views) feeds[input] = this.prefixOf(this.tensor(stateId, name), dims);
    return bound.run(feeds);
  }
}

const pick = <T>(record: Readonly<Record<string, T>>, names: readonly string[]): Record<string, T> =>
  Object.fromEntries(names.map((name) => [name, record[name] ?? raise(`the state has no tensor '${name}'`)]));
