// Represents a compiled graph (a program) on the main thread: checks every call against the graph's inputs and outputs, then
// sends one message to the device's worker, which runs it.
import { evaluateDim, formatShape, type Shape } from '../dims.js';
import {
  arrayClass,
  arrayTypes,
  holds,
  toTensorArray,
  type DataType,
  type Precision,
  type TensorArray,
} from '../dtype.js';
import { ProgramCallError } from '../errors.js';
import { float16Form } from '../float16-form.js';
import type { Graph } from '../graph.js';
import { serializeModel } from '../serialize.js';
import { webgpuForm } from '../webgpu-form.js';
import type { StateLink, StoreMode, TypedHostTensor, ViewLink, Wiring } from './protocol.js';
import { ModelFiles } from './node/platform.js';
import type { State } from './state.js';
import { sizeOf } from './tensor-size.js';
import type { WorkerClient } from './worker-client.js';

interface TensorSignature {
  readonly dtype: DataType;
  readonly shape: Shape;
}

/** Says which inputs and outputs of a graph are connected to tensors of states, which stay in the device between runs. */
export interface ProgramWiring {
  /** For each of these graph inputs, the state tensor that it reads. */
  state?: Readonly<Record<string, readonly [State, string]>>;
  /**
   * Graph inputs that become constants of the session, with the elements that a state tensor has at `bind`. ONNX Runtime then
   * packs a weight for fast products, which costs a second copy in memory and a session. Later changes of the state have no
   * effect. On a GPU this is the same as `state`.
   */
  constants?: Readonly<Record<string, readonly [State, string]>>;
  /** The outputs that are copied to the caller; keep them small. If not given, all outputs that are not stored in states. */
  fetch?: readonly string[];
  /** For each of these graph outputs, the state tensor into which it is written. */
  store?: Readonly<Record<string, readonly [State, string]>>;
  /** Whether stored outputs overwrite the state ('write', the default) or are added to it (sums over micro-batches). */
  mode?: StoreMode;
  /**
   * For each of these graph outputs, the graph input whose memory it overwrites; for states on a GPU. Either the output is a
   * ScatterND of that input, which the graph reads nowhere else, so that only the changed elements are written; or the output's
   * node comes after all other nodes that read the input, and does not read it itself. Each of the other stored outputs has two
   * buffers, which are used alternately.
   */
  inPlace?: Readonly<Record<string, string>>;
}

export interface InputTensor {
  dims: readonly number[];
  /** The elements. For an int64 input, an Int32Array or plain numbers are converted. */
  data: TensorArray | readonly number[];
}

export interface RunFeeds {
  inputs?: Readonly<Record<string, InputTensor>>;
  /** For each of these graph inputs, a state tensor whose first elements it reads, with other dimensions; nothing is copied. */
  views?: Readonly<Record<string, readonly [State, string, readonly number[]]>>;
}

export type RunOutputs = Record<string, { dims: readonly number[]; dtype: DataType; data: TensorArray }>;

/** The least size in bytes of an initializer that ONNX Runtime gets apart from the model: in a message, or as a file. */
const EXTERNAL_BYTES = { message: 1 << 20, file: 1 << 16 };

/** A graph compiled on a device. Calls run in the order in which they are made, even if they are not awaited one by one. */
export class Program {
  readonly inputs: ReadonlyMap<string, TensorSignature>;
  readonly outputs: ReadonlyMap<string, TensorSignature>;
  readonly name: string;

  private readonly residency: 'host' | 'gpu';
  readonly #programId: number;
  readonly #graph: Graph;
  readonly #sessions = new Map<string, Promise<null>>();

  constructor(
    graph: Graph,
    { residency, precision }: { residency: 'host' | 'gpu'; precision: Precision },
    private readonly client: WorkerClient,
    private readonly files: ModelFiles,
  ) {
    this.residency = residency;
    this.name = graph.name;
    this.#programId = client.nextId();
    this.#graph =
      residency === 'gpu' ? webgpuForm(precision === 'float16' ? float16Form(graph) : graph) : graph.snapshot();
    this.inputs = new Map([...graph.inputs].map(([name, { dtype, shape }]) => [name, { dtype, shape }]));
    this.outputs = new Map([...graph.outputs].map(([name, { dtype, shape }]) => [name, { dtype, shape }]));
  }

  /** Runs the program once. For repeated runs with equal connections to states use `bind`, which checks and sends these once. */
  async run({ inputs, views, ...wiring }: RunFeeds & ProgramWiring): Promise<RunOutputs> {
    const checked = this.#wire(wiring);
    await this.#session(checked.wiring);
    const call = checkFeeds(this, checked, { inputs, views });
    for (const state of checked.stored) state.changes();
    return this.client.request({
      kind: 'run',
      binding: { programId: this.#programId, wiring: checked.wiring },
      ...call,
    });
  }

  /** Connects graph inputs and outputs to tensors of states, for repeated runs. */
  async bind(wiring: ProgramWiring): Promise<BoundProgram> {
    const checked = this.#wire(wiring);
    if (wiring.mode === 'add' && this.#hasCheapSessions)
      return new SummingProgram(this, checked, this.client, (mode) =>
        this.#bindChecked(this.#wire({ ...wiring, mode })),
      );
    return this.#bindChecked(checked);
  }

  /** Returns whether a further session needs little memory. On a GPU, each has a copy of the graph's initializers. */
  get #hasCheapSessions(): boolean {
    const bytes = this.#graph.initializers.reduce((sum, { data, stored }) => sum + (data ?? stored)!.byteLength, 0);
    return this.residency === 'gpu' && bytes < EXTERNAL_BYTES.message;
  }

  async #bindChecked(checked: CheckedWiring): Promise<BoundProgram> {
    await this.#session(checked.wiring);
    const bindingId = this.client.nextId();
    await this.client.request({ kind: 'bind', bindingId, programId: this.#programId, wiring: checked.wiring });
    return new BoundProgram(this, checked, bindingId, this.client);
  }

  /** Frees the program's sessions. Bindings of this program must not be used afterwards. */
  async release(): Promise<void> {
    await this.client.request({ kind: 'releaseProgram', programId: this.#programId });
  }

  /** Creates the session that a wiring (connections to states) needs, unless it exists already. */
  #session({ variant, store, mode, constants, inPlace }: Wiring): Promise<null> {
    let session = this.#sessions.get(variant);
    if (!session) {
      const stored = store.map(([output]) => output);
      const accumulate = new Set(mode === 'add' ? stored : []);
      // A GPU session copies the weights into GPU memory in any case, so passing them in files has no advantage.
      const { initializers } = this.#graph;
      const isLarge =
        this.residency === 'host' &&
        (initializers.some(({ stored }) => stored) || ModelFiles.isWorthIt(initializers.map(({ data }) => data!)));
      const options = {
        externalBytes: isLarge ? EXTERNAL_BYTES.file : EXTERNAL_BYTES.message,
        accumulate,
        constants: new Set(constants.map(([input]) => input)),
        noCopy: this.residency === 'host',
      };
      const path = isLarge && this.files.write((fileOf) => serializeModel(this.#graph, { ...options, fileOf }).bytes);
      const { bytes, externalData } = path ? { bytes: path, externalData: [] } : serializeModel(this.#graph, options);
      session = this.client.request({
        kind: 'compile',
        programId: this.#programId,
        name: this.name,
        variant,
        stored: inPlace.length > 0 ? [] : stored,
        model: bytes,
        externalData,
        constants,
      });
      this.#sessions.set(variant, session);
    }
    return session;
  }

  #wire({ state = {}, constants = {}, store = {}, mode = 'write', fetch, inPlace = {} }: ProgramWiring): CheckedWiring {
    const problems: string[] = [];
    const symbols = new Map<string, SymbolBinding>();
    const inputLink = ([input, [owner, name]]: [string, readonly [State, string]]): StateLink => {
      const expected = this.inputs.get(input);
      const { dtype, shape } = owner.info(name);
      if (!expected) problems.push(`no input is called '${input}'; inputs are ${listNames(this.inputs)}`);
      else compareTensors(`input '${input}' from state '${name}'`, expected, { dtype, dims: shape }, symbols, problems);
      return [input, owner.id, name];
    };
    const packs = this.residency === 'host';
    const stateLinks = Object.entries(packs ? state : { ...state, ...constants }).map(inputLink);
    const constantLinks = packs ? Object.entries(constants).map(inputLink) : [];
    const storeLinks = Object.entries(store).map(([output, [owner, name]]): StateLink => {
      const expected = this.outputs.get(output);
      const { dtype, shape } = owner.info(name);
      if (!expected) problems.push(`no output is called '${output}'; outputs are ${listNames(this.outputs)}`);
      else
        compareTensors(
          `output '${output}' into state '${name}'`,
          expected,
          { dtype, dims: shape },
          new Map(),
          problems,
        );
      return [output, owner.id, name];
    });
    for (const problem of this.#inPlaceProblems(inPlace)) problems.push(problem);
    const fetched = fetch ?? [...this.outputs.keys()].filter((name) => !(name in store) && !(name in inPlace));
    for (const name of fetched)
      if (!this.outputs.has(name))
        problems.push(`no output is called '${name}'; outputs are ${listNames(this.outputs)}`);
    if (problems.length > 0) throw new ProgramCallError(this.name, problems);
    const given = new Set([...Object.keys(state), ...Object.keys(constants)]);
    const missing = new Set([...this.inputs.keys()].filter((name) => !given.has(name)));
    // On the host, one session serves all wirings except those that add to states or have constants. A GPU session must know
    // which outputs stay on the GPU.
    const hasOwnTargets = Object.keys(inPlace).length > 0;
    const plain = storeLinks.length === 0 || hasOwnTargets || (this.residency === 'host' && mode === 'write');
    const variant = [
      plain ? 'plain' : `${mode} ${Object.keys(store).sort().join()}`,
      ...(constantLinks.length > 0 ? [`constants ${this.client.nextId()}`] : []),
    ].join(' ');
    const overwritten = Object.values(inPlace).flatMap((input) => (state[input] ? [state[input]] : []));
    const stored = [...new Set([...Object.values(store), ...overwritten].map(([owner]) => owner))];
    const links = { state: stateLinks, constants: constantLinks, store: storeLinks, inPlace: Object.entries(inPlace) };
    return { wiring: { ...links, mode, fetch: fetched, variant }, symbols, missing, stored };
  }

  #inPlaceProblems(inPlace: Readonly<Record<string, string>>): string[] {
    const entries = Object.entries(inPlace);
    if (entries.length === 0) return [];
    const problems = entries.flatMap(([output, input]) => {
      const [from, to] = [this.outputs.get(output), this.inputs.get(input)];
      if (!from) return [`no output is called '${output}'; outputs are ${listNames(this.outputs)}`];
      if (!to) return [`no input is called '${input}'; inputs are ${listNames(this.inputs)}`];
      return from.dtype === to.dtype && formatShape(from.shape) === formatShape(to.shape)
        ? []
        : [
            `output '${output}' is ${from.dtype} ${formatShape(from.shape)}, input '${input}' is ${to.dtype} ${formatShape(to.shape)}`,
          ];
    });
    if (this.residency === 'host')
      problems.push("an output can take the place of an input only on a GPU; name a state in 'store' here");
    return problems;
  }
}

/** A program whose inputs and outputs are connected to states: each call sends only the other inputs. */
export class BoundProgram {
  constructor(
    readonly program: Program,
    private readonly wiring: CheckedWiring,
    /** @internal */
    readonly bindingId: number,
    private readonly client: WorkerClient,
  ) {}

  async run(feeds: RunFeeds = {}): Promise<RunOutputs> {
    const call = checkFeeds(this.program, this.wiring, feeds);
    for (const state of this.wiring.stored) state.changes();
    return this.client.request({ kind: 'run', binding: this.bindingId, ...call });
  }

  async release(): Promise<void> {
    await this.client.request({ kind: 'releaseBinding', bindingId: this.bindingId });
  }
}

/** A bound program that adds its outputs to states; if these are known to be zero, it writes, which saves reading zeros. */
class SummingProgram extends BoundProgram {
  readonly #bound = new Map<StoreMode, Promise<BoundProgram>>();
  #turn: Promise<unknown> = Promise.resolve();

  constructor(
    program: Program,
    private readonly checked: CheckedWiring,
    client: WorkerClient,
    private readonly bind: (mode: StoreMode) => Promise<BoundProgram>,
  ) {
    super(program, checked, client.nextId(), client);
  }

  override async run(feeds: RunFeeds = {}): Promise<RunOutputs> {
    const { stored } = this.checked;
    const mode = stored.every(({ isZero }) => isZero) ? 'write' : 'add';
    for (const state of stored) state.changes();
    if (!this.#bound.has(mode)) this.#bound.set(mode, this.bind(mode));
    // A call waits until the sessions of earlier calls are bound, so that calls run in the order in which they are made.
    const turn = this.#turn.then(() => this.#bound.get(mode)!);
    this.#turn = turn.catch(() => undefined);
    return (await turn).run(feeds);
  }

  override async release(): Promise<void> {
    for (const bound of this.#bound.values()) await (await bound).release();
  }
}

interface SymbolBinding {
  size: number;
  where: string;
}

interface CheckedWiring {
  wiring: Wiring;
  /** The sizes of the graph's symbols that are known from the shapes of the bound state tensors. */
  symbols: ReadonlyMap<string, SymbolBinding>;
  /** The graph inputs that read no state, which each call must provide. */
  missing: ReadonlySet<string>;
  /** The states that each call writes to. */
  stored: readonly State[];
}

interface CheckedCall {
  inputs: Record<string, TypedHostTensor>;
  views: ViewLink[];
}

function checkFeeds(
  program: Program,
  { symbols: bound, missing }: CheckedWiring,
  { inputs = {}, views = {} }: RunFeeds,
): CheckedCall {
  const problems: string[] = [];
  const symbols = new Map(bound);
  const call: CheckedCall = { inputs: {}, views: [] };
  for (const name in inputs) {
    const signature = program.inputs.get(name);
    if (!signature || !missing.has(name)) problems.push(unexpected(program, name, missing));
    else {
      const tensor = hostTensor(name, inputs[name]!, signature.dtype, problems);
      compareTensors(`input '${name}'`, signature, tensor, symbols, problems);
      call.inputs[name] = tensor;
    }
  }
  for (const name in views) {
    const [owner, tensorName, dims] = views[name]!;
    const { dtype, shape } = owner.info(tensorName);
    const signature = program.inputs.get(name);
    if (!signature || !missing.has(name)) problems.push(unexpected(program, name, missing));
    else
      compareTensors(`input '${name}' from a view of '${tensorName}'`, signature, { dtype, dims }, symbols, problems);
    if (sizeOf(dims) > sizeOf(shape))
      problems.push(
        `view ${formatShape(dims)} for '${name}' is larger than state '${tensorName}' ${formatShape(shape)}`,
      );
    call.views.push([name, owner.id, tensorName, dims]);
  }
  for (const name of missing) {
    if (!(name in inputs) && !(name in views)) {
      const { dtype, shape } = program.inputs.get(name)!;
      problems.push(`input '${name}' is missing: expected ${dtype} ${formatShape(shape)} in inputs, state or views`);
    }
  }
  if (problems.length > 0) throw new ProgramCallError(program.name, problems);
  return call;
}

function unexpected(program: Program, name: string, missing: ReadonlySet<string>): string {
  if (program.inputs.has(name)) return `input '${name}' is given twice: it is already bound to a state`;
  return `no input is called '${name}'; ${missing.size > 0 ? `expected ${[...missing].join(', ')}` : `inputs are ${listNames(program.inputs)}`}`;
}

function hostTensor(name: string, { dims, data }: InputTensor, dtype: DataType, problems: string[]): TypedHostTensor {
  let array: TensorArray;
  if (holds(data, dtype)) array = data;
  else if (Array.isArray(data) || (dtype === 'int64' && arrayClass(data) === 'Int32Array'))
    array = toTensorArray(data as number[], dtype);
  else {
    problems.push(`input '${name}': ${arrayClass(data)} given, ${dtype} needs ${arrayTypes[dtype].name}`);
    array = new arrayTypes[dtype](data.length);
  }
  if (array.length !== sizeOf(dims))
    problems.push(`input '${name}': ${array.length} elements given for dims ${formatShape(dims)}`);
  // A message would contain the whole buffer of which `array` is a part, so the part is copied first.
  if (array.byteLength !== array.buffer.byteLength) array = array.slice();
  return { dtype, dims, data: array };
}

/** Adds a problem for each difference of two tensors. A symbol takes its size from the first tensor in which it occurs. */
function compareTensors(
  where: string,
  expected: TensorSignature,
  { dtype, dims }: { dtype: DataType; dims: readonly number[] },
  symbols: Map<string, SymbolBinding>,
  problems: string[],
): void {
  const found = `${where}: expected ${expected.dtype} ${formatShape(expected.shape)}, found ${dtype} ${formatShape(dims)}`;
  const sizesDiffer = expected.shape.some((dim, axis) => typeof dim === 'number' && dim !== dims[axis]);
  if (dtype !== expected.dtype || dims.length !== expected.shape.length || sizesDiffer) problems.push(found);
  if (dtype !== expected.dtype || dims.length !== expected.shape.length) return;
  expected.shape.forEach((dim, axis) => {
    if (typeof dim === 'number') return;
    const size = dims[axis]!;
    const known = symbols.get(dim) ?? evaluated(dim, symbols);
    if (!known) symbols.set(dim, { size, where });
    else if (known.size !== size) problems.push(`${found}; '${dim}' is ${known.size} in ${known.where}`);
  });
}

/** Evaluates a dimension that is an expression, such as 'past+tokens'; undefined until the sizes of all its symbols are known. */
function evaluated(dim: string, symbols: ReadonlyMap<string, SymbolBinding>): SymbolBinding | undefined {
  if (!/[+*-]/.test(dim)) return undefined;
  const size = evaluateDim(dim, (symbol) => symbols.get(symbol)?.size);
  return size === undefined ? undefined : { size, where: 'the sizes of its symbols' };
}

function listNames(map: ReadonlyMap<string, unknown>): string {
  const names = [...map.keys()];
  return names.slice(0, 12).join(', ') + (names.length > 12 ? `, … (${names.length})` : '');
}
