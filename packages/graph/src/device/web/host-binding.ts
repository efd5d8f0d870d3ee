// Runs a session with fixed feeds and targets on WebAssembly. ONNX Runtime copies feeds into its own memory and outputs out of it, and
// cannot write into a given tensor, so stored outputs are copied into their states here.
import type { InferenceSession, Tensor } from 'onnxruntime-node';
import type { DataType, TensorArray } from '../../dtype.js';
import { outputName } from '../../output-name.js';
import { inputTypes } from '../kernel-host.js';
import type { TypedHostTensor } from '../protocol.js';
import type { SessionSlot } from '../session-slot.js';

/** A tensor of a state, whose array may be another one at the next run. */
interface Bound {
  readonly tensor: Tensor;
}

export class HostBinding {
  /** Element type of each graph input. */
  readonly types: ReadonlyMap<string, DataType>;

  /**
   * @param feeds inputs that are the same for each run
   * @param targets stored outputs, and the state arrays into which they are written
   */
  constructor(
    session: InferenceSession,
    private readonly slot: SessionSlot,
    private readonly feeds: Readonly<Record<string, Bound>>,
    private readonly targets: Readonly<Record<string, Bound>>,
    private readonly fetch: readonly string[],
  ) {
    this.types = inputTypes(session);
  }

  /** Runs the session once with the bound tensors and the inputs of this run. */
  async run(given: Readonly<Record<string, Tensor>>): Promise<Record<string, TypedHostTensor>> {
    const wanted = [...Object.keys(this.targets), ...this.fetch.map(outputName)];
    const feeds = Object.fromEntries(Object.entries(this.feeds).map(([input, { tensor }]) => [input, tensor]));
    const results = (await (await this.slot.session()).run({ ...feeds, ...given }, wanted)) as Record<string, Tensor>;
    for (const [output, { tensor }] of Object.entries(this.targets))
      (tensor.data as Float32Array).set(results[output]!.data as Float32Array);
    return Object.fromEntries(
      this.fetch.map((name) => {
        const { type, dims, data } = results[outputName(name)]!;
        return [name, { dtype: type as DataType, dims, data: data as TensorArray }];
      }),
    );
  }
}
