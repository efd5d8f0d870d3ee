// The options of ScienceWorld: AgentGym's server, or the simulator itself.
import type { AgentGymOptions } from '../agentgym/agentgym-env.js';
import { agentGymProperties } from '../agentgym/options.js';

export type SciWorldFold = 'train' | 'dev' | 'test';

export interface SciWorldJavaOptions {
  /** The address of the simulator, host:port, if none is started. */
  baseUrl: string | null;
  timeoutMs: number;
  maxRounds: number | null;
  jar: string | null;
  tasks: readonly string[] | null;
  fold: SciWorldFold | null;
  simplifications: string;
  validActions: boolean;
}

export interface SciWorldOptions extends AgentGymOptions, SciWorldJavaOptions {
  backend: 'agentgym' | 'java';
}

export const sciWorldSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    backend: {
      description: "'agentgym' plays on AgentGym's server at baseUrl; 'java' in the simulator itself.",
      type: 'string',
      enum: ['agentgym', 'java'],
      default: 'agentgym',
    },
    ...agentGymProperties,
    baseUrl: {
      description: "Address of AgentGym's server; with backend 'java' and no jar, host:port of a listening simulator.",
      type: ['string', 'null'],
      default: null,
    },
    jar: {
      description:
        'java: scienceworld.jar of ScienceWorld, or a class path; a process of its own for every environment. null: one that listens at baseUrl.',
      type: ['string', 'null'],
      default: null,
    },
    tasks: {
      description: 'java: tasks that seeds draw from, by their names in the simulator; null: all thirty.',
      type: ['array', 'null'],
      items: { type: 'string' },
      default: null,
    },
    fold: {
      description:
        'java: variations that seeds draw from: half of them (train), a quarter (dev), the rest (test); null: train, dev and test as the run trains, evaluates and tests.',
      anyOf: [{ type: 'string', enum: ['train', 'dev', 'test'] }, { type: 'null' }],
      default: null,
    },
    simplifications: {
      description:
        "java: 'easy', or teleportAction, selfWateringFlowerPots, openContainers, openDoors, noElectricalAction.",
      type: 'string',
      default: '',
    },
    validActions: {
      description: 'java: list the valid actions in info, which takes the simulator 0.1 to 1 s a step.',
      type: 'boolean',
      default: false,
    },
  },
} as const;
