// Defines the options of the environment `sciworld`, which is played on AgentGym's server or in ScienceWorld's own simulator.
import { choice, flag, option, text } from '@bowyer/core';
import { agentGymProperties } from '../agentgym/options.js';
import { options, type OptionsOf } from '../option.js';

export const sciWorldSchema = options({
  backend: choice(
    ['agentgym', 'java'],
    'agentgym',
    "'agentgym' plays on AgentGym's server at baseUrl; 'java' in the simulator itself.",
  ),
  ...agentGymProperties,
  baseUrl: text(
    null,
    "Address of AgentGym's server; with backend 'java' and no jar, host:port of a listening simulator; null: none.",
  ),
  jar: text(
    null,
    'java: scienceworld.jar of ScienceWorld, or a class path; every environment starts its own process. null: a process that listens at baseUrl.',
  ),
  tasks: option<readonly string[] | null>({
    description: 'java: names of the tasks in the simulator from which seeds draw; null: all thirty.',
    type: ['array', 'null'],
    items: { type: 'string' },
    default: null,
  }),
  fold: choice(
    ['train', 'dev', 'test'],
    null,
    'java: variations from which seeds draw: half of them (train), a quarter (dev) or the rest (test); null: train for training, dev for evaluation, test for the test.',
  ),
  simplifications: text(
    '',
    "java: simplifications of the tasks, separated by commas: 'easy', or teleportAction, selfWateringFlowerPots, openContainers, openDoors, noElectricalAction; empty: none.",
  ),
  validActions: flag(false, 'java: list the valid actions in info, which takes the simulator 0.1 to 1 s a step.'),
});

export type SciWorldOptions = OptionsOf<typeof sciWorldSchema>;

/** The options that apply to the embedded simulator, without those that are only for AgentGym's server. */
export type SciWorldJavaOptions = Pick<
  SciWorldOptions,
  'baseUrl' | 'timeoutMs' | 'maxRounds' | 'jar' | 'tasks' | 'fold' | 'simplifications' | 'validActions'
>;

export type SciWorldFold = NonNullable<SciWorldOptions['fold']>;
