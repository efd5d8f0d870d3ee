// Runs a session on WebAssembly with inputs and outputs that are connected to state tensors. ONNX Runtime copies inputs into its
// own memory and outputs out of it, and cannot write into a given tensor, so stored outputs are copied into the states here.
import type { InferenceSession, Tensor } from 'onnxruntime-node';
import type { DataType, TensorArray } from '../../dtype.js';
import { outputName } from '../../output-name.js';
import { inputTypes } from '../kernel-host.js';
import type { TypedHostTensor } from '../protocol.js';
import type { SessionSlot } from '../session-slot.js';

/** A tensor of a state. Its array may be another one at the next run. */
interface Bound {
  readonly tensor: Tensor;
}

export class HostBinding {
  /** The element type of each graph input. */
  readonly types: ReadonlyMap<string, DataType>;

  /**
   * @param feeds graph inputs, and the state tensors that they read
   * @param targets stored outputs, and the state tensors into which they are written
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

  /** Runs the session once with the state tensors and the inputs of this run. */
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
