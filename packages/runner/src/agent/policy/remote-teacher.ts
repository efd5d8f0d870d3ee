// Scores tokens with a teacher model that an OpenAI-compatible server runs. The log-probabilities of given tokens come from
// completions with `echo`, `logprobs` and `max_tokens: 0`, which return those of the prompt's tokens
// (platform.openai.com/docs/api-reference/completions; vLLM has these parameters too).
import type { ReferencePolicy } from '@bowyer/algorithms';
import { HttpServer, onlyChoice } from '@bowyer/envs';
import type { TokenExample } from '@bowyer/models';
import type { Tokenizer } from '@bowyer/text';

const REQUEST = 16;

interface Echo {
  tokens: string[];
  logprobs: (number | null)[];
}

/** A prompt, and the positions of the example that it scores: the target of each is the next token of the prompt. */
interface Question {
  prompt: number[];
  example: number;
  positions: number[];
}

export class RemoteTeacher implements ReferencePolicy {
  private constructor(
    private readonly server: HttpServer,
    private readonly model: string,
    private readonly tokenizer: Tokenizer,
  ) {}

  /**
   * @param baseUrl address up to the version, such as http://127.0.0.1:8000/v1, of a server with one model
   * @throws where the server has several models, gives no log-probabilities of given tokens, or has another tokenizer
   */
  static async open(baseUrl: string, tokenizer: Tokenizer): Promise<RemoteTeacher> {
    const server = new HttpServer(baseUrl, { connections: 1 });
    try {
      const names = await server.request({ method: 'GET', path: '/models', headers: key(), read: modelNames });
      if (names.length !== 1)
        throw new Error(
          `the teacher at ${baseUrl} has ${names.length} models: ${names.join(', ')}\n  give the address of a server with one model`,
        );
      const teacher = new RemoteTeacher(server, names[0], tokenizer);
      await teacher.#checkTokens();
      return teacher;
    } catch (error) {
      await server.close();
      throw error;
    }
  }

  /**
   * Computes the teacher's log-probabilities of the target tokens.
   *
   * @throws for answers that were sampled under a grammar's token masks: the server's probabilities are over all tokens, not only
   *   over those that the grammar allows
   */
  async logprobs(examples: readonly TokenExample[]): Promise<Float32Array[]> {
    if (examples.some(({ tokenMasks }) => tokenMasks !== undefined))
      throw new Error(
        `the teacher at ${this.server.url} cannot rate answers that were held to a grammar or to given actions\n` +
          '  give a folder as the teacher, or let the agent leave out response_format and forced calls',
      );
    const rows = examples.map(({ ids }) => new Float32Array(ids.length));
    const questions = examples.flatMap(questionsOf);
    for (let start = 0; start < questions.length; start += REQUEST) {
      const part = questions.slice(start, start + REQUEST);
      const echoes = await this.#ask(part.map(({ prompt }) => prompt));
      part.forEach(({ example, positions }, i) => {
        for (const position of positions) rows[example][position] = echoes[i].logprobs[position + 1]!;
      });
    }
    return rows;
  }

  release(): Promise<void> {
    return this.server.close();
  }

  #ask(prompts: readonly number[][]): Promise<Echo[]> {
    return this.server.request({
      method: 'POST',
      path: '/completions',
      json: { model: this.model, prompt: prompts, max_tokens: 0, echo: true, logprobs: 0 },
      headers: key(),
      idempotent: true,
      read: (body) => echoesOf(body, prompts),
    });
  }

  /** Checks in several requests that every token has the same text on the server as in the policy's tokenizer. */
  async #checkTokens(): Promise<void> {
    const all = Array.from({ length: this.tokenizer.vocabSize }, (_, id) => id);
    const some = all.filter((id) => id % Math.ceil(all.length / 256) === 0 || id === all.length - 1);
    const [{ tokens }] = await this.#ask([some]).catch((error: Error) => {
      throw new Error(
        `the teacher at ${this.server.url} gives no log-probabilities of given tokens: ${error.message}\n` +
          '  it must answer completions with echo=true, logprobs=0, max_tokens=0, as `serve_model` does, and have the tokenizer of the policy',
      );
    });
    some.forEach((id, i) => {
      const own = this.tokenizer.decode([id], { keepSpecialTokens: true });
      // A token that is only a part of a character has no text of its own, and is not compared.
      if (own.includes('\uFFFD') || own.trim() === tokens[i].trim()) return;
      throw new Error(
        `the teacher at ${this.server.url} has another tokenizer than the policy: token ${id} is ${JSON.stringify(tokens[i])}, ` +
          `and the policy's ${JSON.stringify(own)}\n  give a teacher with the same tokenizer, since it rates the very tokens that the policy wrote`,
      );
    });
  }
}

/**
 * Lists the prompts that score an example. One prompt scores all positions whose target is the example's next token; any other
 * target needs its own prompt.
 */
function questionsOf({ ids, targets, weights }: TokenExample, example: number): Question[] {
  const asked = [...weights.keys()].filter((position) => weights[position] !== 0);
  const last = ids.length - 1;
  const follows = (position: number) => position === last || targets[position] === ids[position + 1];
  const whole = {
    prompt: [...ids, ...(asked.includes(last) ? [targets[last]] : [])],
    example,
    positions: asked.filter(follows),
  };
  const apart = asked
    .filter((position) => !follows(position))
    .map((position) => ({
      prompt: [...ids.slice(0, position + 1), targets[position]],
      example,
      positions: [position],
    }));
  return [...(whole.positions.length > 0 ? [whole] : []), ...apart];
}

/** Returns the HTTP header with the API key from OPENAI_API_KEY, which a server without keys does not need. */
const key = (): Record<string, string> =>
  process.env.OPENAI_API_KEY ? { authorization: `Bearer ${process.env.OPENAI_API_KEY}` } : {};

function modelNames(body: unknown): string[] {
  const { data } = body as { data?: { id: string }[] };
  if (!Array.isArray(data)) throw new TypeError('no list of models');
  return data.map(({ id }) => id);
}

function echoesOf(body: unknown, prompts: readonly number[][]): Echo[] {
  type Choice = { index: number; logprobs?: { tokens?: string[]; token_logprobs?: (number | null)[] } | null };
  onlyChoice(body); // throws if the body is an error of the server
  const { choices } = body as { choices?: Choice[] };
  if (!Array.isArray(choices) || choices.length !== prompts.length)
    throw new TypeError(`no answer to each of ${prompts.length} prompts`);
  return [...choices]
    .sort((one, other) => one.index - other.index)
    .map(({ logprobs }, i) => {
      const [tokens, values] = [logprobs?.tokens ?? [], logprobs?.token_logprobs ?? []];
      if (values.length !== prompts[i].length || !values.slice(1).every(Number.isFinite))
        throw new TypeError(`${values.length} log-probabilities of ${prompts[i].length} tokens`);
      return { tokens, logprobs: values };
    });
}
