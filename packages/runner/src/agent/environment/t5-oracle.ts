// Answers the questions of guessing games with a fine-tuned Flan-T5, which runs in this process. It reads the secret and the
// question in a prompt that the environment defines (Zhou et al. 2024, arXiv:2402.19446).
import { basename, resolve } from 'node:path';
import type { Oracle, T5OraclePrompt } from '@bowyer/envs';
import { openDevice, type Device, type DeviceOptions } from '@bowyer/graph';
import { Rng } from '@bowyer/core';
import { Seq2SeqModel } from '@bowyer/models';
import type { Tokenizer } from '@bowyer/text';

const LARGEST_BATCH = 64;

interface Pending {
  ids: number[];
  resolve: (answer: string) => void;
  reject: (error: unknown) => void;
}

export class T5Oracle implements Oracle {
  readonly id: string;
  #pending: Pending[] = [];
  #isAnswering = false;

  private constructor(
    dir: string,
    private readonly game: T5OraclePrompt,
    private readonly device: Device,
    private readonly model: Seq2SeqModel,
    private readonly tokenizer: Tokenizer,
  ) {
    this.id = `t5:${basename(resolve(dir))}`;
  }

  /**
   * @param game the prompt of the environment
   * @param dir a folder in Hugging Face's format with a tokenizer.json
   */
  static async open(game: T5OraclePrompt, dir: string, options: DeviceOptions): Promise<T5Oracle> {
    const device = await openDevice(options);
    try {
      const model = await Seq2SeqModel.load({ device, dir });
      if (model.tokenizer === null)
        throw new Error(`the t5 oracle in ${dir} has no tokenizer.json, so it reads no text`);
      return new T5Oracle(dir, game, device, model, model.tokenizer);
    } catch (error) {
      await device.close();
      throw error;
    }
  }

  /** Answers a question by greedy decoding. Questions that arrive while a batch is computed are answered in the next batch. */
  answer(secret: string, question: string): Promise<string> {
    const ids = this.tokenizer.encodeWithSpecials(this.game.prompt(secret, question));
    return new Promise((done, fail) => {
      this.#pending.push({ ids, resolve: done, reject: fail });
      if (this.#isAnswering) return;
      this.#isAnswering = true;
      setImmediate(() => void this.#answerAll()); // by then, the other slots have asked their questions
    });
  }

  async close(): Promise<void> {
    await this.device.close();
  }

  async #answerAll(): Promise<void> {
    while (this.#pending.length > 0) {
      const asked = this.#pending.splice(0, LARGEST_BATCH);
      try {
        const answers = await this.#answerBatch(asked.map(({ ids }) => ids));
        asked.forEach((question, i) => question.resolve(answers[i]));
      } catch (error) {
        for (const question of asked) question.reject(error);
      }
    }
    this.#isAnswering = false;
  }

  async #answerBatch(prompts: readonly number[][]): Promise<string[]> {
    const targets = await this.model.generate(
      prompts.map((ids) => ({ ids, rng: new Rng(0) })), // decoding is greedy, so no random numbers are drawn
      {
        temperature: 1,
        topK: 0,
        topP: 1,
        greedy: true,
        maxNewTokens: this.game.maxNewTokens,
        terminatorIds: this.model.rules.eosIds,
      },
    );
    return targets.map(({ tokens }) => this.tokenizer.decode(tokens));
  }
}
