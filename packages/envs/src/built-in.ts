// The environments that come with the package.
import type { AgentGymOptions } from './agentgym/agentgym-env.js';
import type { BackendOptions } from './agentgym/backend.js';
import { remoteOnlyUnits, type RemoteOnlyEnv } from './agentgym/unit.js';
import type { AlfworldOptions } from './alfworld/alfworld.js';
import { alfworldUnit } from './alfworld/unit.js';
import type { BabyAiOptions } from './babyai/babyai.js';
import { babyAiUnit } from './babyai/unit.js';
import type { GuessMyCityOptions } from './guess-my-city/options.js';
import { guessMyCityUnit } from './guess-my-city/unit.js';
import type { MazeOptions } from './maze/maze.js';
import type { MathOptions } from './math/options.js';
import { mathUnit } from './math/unit.js';
import { mazeUnit } from './maze/unit.js';
import { openEnvUnit } from './open-env/unit.js';
import type { OpenEnvOptions } from './open-env/open-env-env.js';
import type { OracleOptions } from './oracle.js';
import type { SciWorldOptions } from './sciworld/options.js';
import { sciWorldUnit } from './sciworld/unit.js';
import type { StoryFileOptions } from './story-file/story-file.js';
import { storyFileUnit } from './story-file/unit.js';
import type { TabularOptions } from './tabular/tabular-game.js';
import { tabularUnit } from './tabular/unit.js';
import type { TextCraftOptions } from './textcraft/options.js';
import { textCraftUnit } from './textcraft/unit.js';
import type { TextWorldExpressGame } from './textworld-express/descriptions.js';
import type { TextWorldExpressOptions } from './textworld-express/options.js';
import { textWorldExpressUnits } from './textworld-express/unit.js';
import type { TwentyQuestionsOptions } from './twenty-questions/twenty-questions.js';
import { twentyQuestionsUnit } from './twenty-questions/unit.js';
import type { AnyEnvironment } from './unit.js';
import type { WebShopOptions } from './webshop/options.js';
import { webShopUnit } from './webshop/unit.js';
import { wordleUnit } from './wordle/unit.js';
import type { WordleOptions } from './wordle/wordle.js';

/** Their options, by name. */
export interface BuiltInOptions
  extends Record<TextWorldExpressGame, TextWorldExpressOptions>, Record<RemoteOnlyEnv, AgentGymOptions> {
  twenty_questions: TwentyQuestionsOptions & OracleOptions;
  alfworld: AlfworldOptions;
  babyai: BabyAiOptions;
  adventure: StoryFileOptions;
  math: MathOptions;
  maze: MazeOptions & BackendOptions;
  wordle: WordleOptions & BackendOptions;
  tabular: TabularOptions;
  guess_my_city: GuessMyCityOptions & OracleOptions;
  textcraft: TextCraftOptions & BackendOptions;
  sciworld: SciWorldOptions;
  webshop: WebShopOptions;
  openenv: OpenEnvOptions;
}

export const builtInEnvironments: readonly AnyEnvironment[] = [
  twentyQuestionsUnit,
  alfworldUnit,
  babyAiUnit,
  storyFileUnit,
  mathUnit,
  mazeUnit,
  wordleUnit,
  guessMyCityUnit,
  textCraftUnit,
  sciWorldUnit,
  webShopUnit,
  tabularUnit,
  ...textWorldExpressUnits,
  ...remoteOnlyUnits,
  openEnvUnit,
];
