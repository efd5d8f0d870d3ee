// Calls kernels (updates of states, such as an optimizer's step) from the main thread. A kernel is a function that runs in the
// device's worker, or the same update as a graph.
import { GraphBuilder } from '../builder.js';
import { arrayClass, dataTypeOf, type TensorArray } from '../dtype.js';
import type { Value } from '../ir.js';
import type { BoundProgram, InputTensor, Program, ProgramWiring } from './program.js';
import type { State } from './state.js';
import type { WorkerClient } from './worker-client.js';

/** The inputs from which a kernel's graph is built, as values of the graph. */
export interface GraphKernelContext {
  /** The tensors of the states, by the state's role in the call and the tensor's name. */
  states: Readonly<Record<string, Readonly<Record<string, Value>>>>;
  /** The call's numbers as float32 scalars, and its typed arrays as vectors; their values may differ between calls. */
  args: Readonly<Record<string, Value>>;
  /** All other arguments (strings, booleans, lists), built into the graph; a call with others builds another graph. */
  constants: Readonly<Record<string, unknown>>;
}

export interface GraphKernelResult {
  /** The new values of state tensors, by the state's role in the call and the tensor's name. */
  states: Readonly<Record<string, Readonly<Record<string, Value>>>>;
  /** Small results of the call: scalars are returned as numbers, others as typed arrays. */
  results?: Readonly<Record<string, Value>>;
}

export type GraphKernelBuilder = (g: GraphBuilder, context: GraphKernelContext) => GraphKernelResult;

export interface KernelSource {
  /** The module that exports the function: the URL of the compiled `.js`; packages that run from sources use the `.ts` file. */
  module: URL;
  name: string;
  /** The same update as a graph, for states on a GPU. */
  graph?: GraphKernelBuilder;
  /** Whether the function reads no elements of states, only runs programs; if false, states on a GPU are copied at each call. */
  resident?: boolean;
  /** Overrides the device's choice between the function and the graph, so that a test can compare both. */
  run?: 'host' | 'graph';
}

export interface KernelArguments<Args> {
  states: Readonly<Record<string, State>>;
  /** Programs that a host kernel may run itself, without a message per run. */
  programs?: Readonly<Record<string, BoundProgram>>;
  /** The arguments of the function: JSON values and typed arrays. */
  args: Args;
}

/** A kernel, which updates states. Calls of kernels and programs run in the order in which they are made. */
export interface Kernel<Args = unknown, Result = unknown> {
  call(call: KernelArguments<Args>): Promise<Result>;
}

export class WorkerKernel<Args, Result> implements Kernel<Args, Result> {
  constructor(
    private readonly kernelId: number,
    private readonly client: WorkerClient,
    private readonly resident = false,
  ) {}

  async call({ states, programs = {}, args }: KernelArguments<Args>): Promise<Result> {
    const stateIds = Object.fromEntries(Object.entries(states).map(([role, state]) => [role, state.id]));
    for (const state of Object.values(states)) state.changes();
    const bindings = Object.fromEntries(Object.entries(programs).map(([role, program]) => [role, program.bindingId]));
    const result = await this.client.request({
      kind: 'callKernel',
      kernelId: this.kernelId,
      states: stateIds,
      programs: bindings,
      args,
      resident: this.resident,
    });
    return result as Result;
  }
}

/** A kernel in the form of a graph. The graph is built and compiled once for each combination of states and constants. */
export class GraphKernel implements Kernel {
  readonly #bound = new Map<string, Promise<BoundProgram>>();

  constructor(
    private readonly name: string,
    private readonly build: GraphKernelBuilder,
    private readonly compile: (graph: GraphBuilder) => Promise<Program>,
    private readonly residency: 'host' | 'gpu',
  ) {}

  async call({ states, programs, args }: KernelArguments<unknown>): Promise<unknown> {
    if (programs) throw new Error(`kernel '${this.name}' runs as a graph and cannot run programs`);
    const { tensors, constants } = sortArguments((args ?? {}) as Record<string, unknown>);
    const roles = Object.entries(states).map(([role, { id }]) => `${role}=${id}`);
    const key = `${roles.join()} ${Object.keys(tensors).join()} ${JSON.stringify(constants)}`;
    let bound = this.#bound.get(key);
    if (!bound) {
      bound = this.#compile(states, tensors, constants);
      this.#bound.set(key, bound);
    }
    const inputs = Object.fromEntries(Object.entries(tensors).map(([name, tensor]) => [`args/${name}`, tensor]));
    const outputs = await (await bound).run({ inputs });
    const results = Object.entries(outputs).map(([name, { dims, data }]) => [
      name.slice('results/'.length),
      dims.length === 0 ? Number(data[0]) : data,
    ]);
    return results.length > 0 ? Object.fromEntries(results) : null;
  }

  async #compile(
    states: Readonly<Record<string, State>>,
    tensors: Record<string, InputTensor>,
    constants: Record<string, unknown>,
  ): Promise<BoundProgram> {
    const g = new GraphBuilder(this.name);
    const state: Record<string, readonly [State, string]> = {};
    const store: Record<string, readonly [State, string]> = {};
    const inPlace: Record<string, string> = {};
    const values: Record<string, Record<string, Value>> = {};
    for (const [role, owner] of Object.entries(states)) {
      values[role] = {};
      for (const [name, { dtype, shape }] of owner.tensors) {
        values[role][name] = g.input(`${role}/${name}`, dtype, shape);
        state[`${role}/${name}`] = [owner, name];
      }
    }
    const args = Object.fromEntries(
      Object.entries(tensors).map(([name, { dims, data }]) => [
        name,
        g.input(`args/${name}`, dataTypeOf(data as TensorArray), dims.length === 0 ? [] : [`${name}_size`]),
      ]),
    );
    const built = this.build(g, { states: values, args, constants });
    for (const [role, updates] of Object.entries(built.states)) {
      for (const [name, value] of Object.entries(updates)) {
        const tensor = `${role}/${name}`;
        g.output(tensor, value);
        if (this.residency === 'gpu' && canOverwrite(g, value, values[role]![name]!)) inPlace[tensor] = tensor;
        else store[tensor] = [states[role]!, name];
      }
    }
    for (const [name, value] of Object.entries(built.results ?? {})) g.output(`results/${name}`, value);
    const wiring: ProgramWiring = { state, store, inPlace };
    return (await this.compile(g)).bind(wiring);
  }
}

/**
 * Returns whether an output of a Split node may be written into the memory of a graph input. A shader cannot read and write one
 * buffer, so every node that reads the input must run before the Split.
 */
function canOverwrite(g: GraphBuilder, { node: split }: Value, input: Value): boolean {
  if (split?.op.opType !== 'Split') return false;
  const before = new Set<Value>();
  const visit = (value: Value | undefined): void => {
    if (!value || before.has(value)) return;
    before.add(value);
    value.node?.inputs.forEach(visit);
  };
  split.inputs.forEach(visit);
  return g.nodes.every(({ inputs, outputs }) => !inputs.includes(input) || outputs.some((value) => before.has(value)));
}

/** Divides arguments into inputs (numbers and typed arrays) and constants, which are built into the graph. */
function sortArguments(args: Record<string, unknown>): {
  tensors: Record<string, InputTensor>;
  constants: Record<string, unknown>;
} {
  const tensors: Record<string, InputTensor> = {};
  const constants: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(args)) {
    if (typeof value === 'number') tensors[name] = { dims: [], data: Float32Array.of(value) };
    else if (arrayClass(value).endsWith('Array') && ArrayBuffer.isView(value)) {
      tensors[name] = { dims: [(value as TensorArray).length], data: value as TensorArray };
    } else constants[name] = value;
  }
  return { tensors, constants };
}
