// Opens the networks that a run trains (policy, critic and value function), and writes them into its checkpoints.
import { join } from 'node:path';
import type { AnyAlgorithm } from '@bowyer/algorithms';
import type { Device } from '@bowyer/graph';
import type { DoubleCritic, LanguageModel } from '@bowyer/models';
import { makeCritic, type CriticConfig } from '../../agent/critic/critic-setup.js';
import type { AgentConfig } from '../../agent/keys/agent-keys.js';
import { freshPolicy, type FreshPolicyConfig } from '../../agent/policy/fresh-policy.js';
import {
  loadPolicy,
  policyOptimizer,
  restoreOptimizer,
  savePolicyState,
  type PolicyConfig,
} from '../../agent/policy/policy-setup.js';
import type { Start } from '../../agent/policy/reference-policy.js';
import { makeValueModel } from '../../agent/policy/value-model.js';

import type { TrainConfig } from './train-config.js';

/** The folder in a checkpoint with the network of the value function, if it is a separate network and not the policy's. */
const VALUE_MODEL = 'value';

type NetworkConfig = FreshPolicyConfig &
  PolicyConfig &
  CriticConfig &
  Pick<AgentConfig, 'optimizer'> &
  Pick<TrainConfig, 'algorithm'>;

export class TrainedModels {
  #valueModel: LanguageModel | null = null;

  private constructor(
    readonly policy: LanguageModel,
    readonly critic: DoubleCritic | null,
  ) {}

  /** @param checkpoint folder of the checkpoint from which the run resumes; null for a new run */
  static async open(
    unit: AnyAlgorithm,
    start: Start,
    checkpoint: string | null,
    config: NetworkConfig,
    device: Device,
  ): Promise<TrainedModels> {
    const folder = checkpoint === null ? start.folder : join(checkpoint, 'policy');
    const policy =
      folder === null
        ? await freshPolicy(start.data!, config, device)
        : await loadPolicy(folder, config, device, 'train');
    const critic = unit.needs.critic && (await makeCritic(config, device, policy.tokenizer));
    const models = new TrainedModels(policy, critic);
    try {
      await policy.createOptimizer(policyOptimizer(config));
      const valueFunction = unit.valueFunction?.(config.algorithm);
      if (valueFunction) {
        const valueFolder = checkpoint === null ? start.folder! : join(checkpoint, VALUE_MODEL);
        models.#valueModel = await makeValueModel(valueFunction, policy, valueFolder, config, device);
      }
      if (checkpoint !== null) await models.#restore(checkpoint);
      return models;
    } catch (error) {
      await models.release();
      throw error;
    }
  }

  /** The network with the value function, which may be the policy itself; null if the algorithm has none. */
  get valueModel(): LanguageModel | null {
    return this.#valueModel;
  }

  get #ownValueModel(): LanguageModel | null {
    return this.#valueModel === this.policy ? null : this.#valueModel;
  }

  /** All language models that are trained. The policy is listed once, even if the value function is a head of its network. */
  get networks(): readonly LanguageModel[] {
    return this.#ownValueModel === null ? [this.policy] : [this.policy, this.#ownValueModel];
  }

  async #restore(checkpoint: string): Promise<void> {
    await restoreOptimizer(this.policy, join(checkpoint, 'policy'));
    if (this.#ownValueModel !== null) await restoreOptimizer(this.#ownValueModel, join(checkpoint, VALUE_MODEL));
    await this.critic?.restore(join(checkpoint, 'critic'));
  }

  /** Saves everything that is needed to resume the training. */
  async saveState(folder: string): Promise<void> {
    await savePolicyState(this.policy, join(folder, 'policy'));
    if (this.#ownValueModel !== null) await savePolicyState(this.#ownValueModel, join(folder, VALUE_MODEL));
    await this.critic?.save(join(folder, 'critic'));
  }

  /** Saves the agent for play: the policy, and the critic in a subfolder. */
  async saveAgent(folder: string): Promise<void> {
    await this.policy.save(folder);
    await this.critic?.save(join(folder, 'critic'));
  }

  async release(): Promise<void> {
    await this.critic?.release();
    await this.#valueModel?.release();
    await this.policy.release();
  }
}
