// A client's view of one LoRA on a Tinker server: batches, steps, log-probabilities and samples.
import type { TinkerClient } from '@bowyer/tinker';

/** A prompt with its answer as token ids, and a number for each token of the answer, by the name of the loss's input. */
export interface Example {
  prompt: readonly number[];
  answer: readonly number[];
  inputs: Readonly<Record<string, readonly number[]>>;
}

interface Sample {
  tokens: number[];
  /** The log-probability of each token, in nats. */
  logprobs: number[];
}

export class TinkerModel {
  #seq = 0;
  #samplers = 0;

  private constructor(
    private readonly client: TinkerClient,
    private readonly id: string,
  ) {}

  static async create(client: TinkerClient, baseModel: string, seed: number): Promise<TinkerModel> {
    const { session_id } = await client.json<{ session_id: string }>('POST', 'create_session', opening);
    const lora_config = { rank: 8, seed };
    const body = { session_id, model_seq_id: 0, base_model: baseModel, lora_config };
    const { model_id } = await client.run<{ model_id: string }>('create_model', body);
    return new TinkerModel(client, model_id);
  }

  /** Computes the gradients of a batch. @returns the log-probabilities of each answer's tokens before the step */
  async forwardBackward(examples: readonly Example[], loss: string): Promise<number[][]> {
    const forward_backward_input = { data: examples.map(datum), loss_fn: loss };
    const body = { model_id: this.id, seq_id: ++this.#seq, forward_backward_input };
    return answersOf(await this.client.run<Losses>('forward_backward', body), examples);
  }

  /** Computes only the log-probabilities of the answers' tokens. */
  async forward(examples: readonly Example[]): Promise<number[][]> {
    const forward_input = { data: examples.map(datum), loss_fn: 'cross_entropy' };
    const body = { model_id: this.id, seq_id: ++this.#seq, forward_input };
    return answersOf(await this.client.run<Losses>('forward', body), examples);
  }

  async step(learning_rate: number): Promise<void> {
    const adam_params = { learning_rate, beta1: 0.9, beta2: 0.95, eps: 1e-8 };
    await this.client.run('optim_step', { model_id: this.id, seq_id: ++this.#seq, adam_params });
  }

  async close(): Promise<void> {
    await this.client.run('unload_model', { model_id: this.id });
  }

  /** Samples `count` answers to each prompt from the present weights. @param stop the token that ends a sample */
  async sample(prompts: readonly (readonly number[])[], count: number, stop: number): Promise<Sample[][]> {
    const named = { model_id: this.id, seq_id: ++this.#seq, sampling_session_seq_id: ++this.#samplers };
    const { sampling_session_id } = await this.client.run<{ sampling_session_id: string }>(
      'save_weights_for_sampler',
      named,
    );
    const asked = prompts.map((tokens, seq_id) =>
      this.client.run<{ sequences: Sample[] }>('asample', {
        sampling_session_id,
        seq_id,
        num_samples: count,
        prompt: { chunks: [{ type: 'encoded_text', tokens }] },
        sampling_params: { max_tokens: 3, temperature: 1, stop: [stop] },
      }),
    );
    return (await Promise.all(asked)).map(({ sequences }) => sequences);
  }
}

const opening = { tags: [], user_metadata: null, sdk_version: '0.26.2' };

interface Losses {
  loss_fn_outputs: { logprobs: { data: number[] } }[];
}

/** Makes the wire's form of an example. In every input, positions of the prompt have the number 0. */
function datum({ prompt, answer, inputs }: Example) {
  const all = [...prompt, ...answer];
  const shape = [all.length - 1];
  const before = new Array<number>(prompt.length - 1).fill(0);
  const floats = (data: readonly number[]) => ({ data: [...before, ...data], dtype: 'float32', shape });
  return {
    model_input: { chunks: [{ type: 'encoded_text', tokens: all.slice(0, -1) }] },
    loss_fn_inputs: {
      target_tokens: { data: all.slice(1), dtype: 'int64', shape },
      ...Object.fromEntries(Object.entries(inputs).map(([name, data]) => [name, floats(data)])),
    },
  };
}

const answersOf = ({ loss_fn_outputs: outputs }: Losses, examples: readonly Example[]): number[][] =>
  outputs.map(({ logprobs }, i) => logprobs.data.slice(examples[i].prompt.length - 1));
