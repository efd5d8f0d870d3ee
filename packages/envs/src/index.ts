export type { Env, ResetResult, ResumableEnv, StepResult } from './contract/env.js';
export { EpisodeOrder, EpisodeOrderError } from './contract/episode-order.js';
export { checkEnv, EnvContractError, type CheckEnvOptions, type CheckEnvReport } from './contract/check-env.js';
export { UnknownNameError, nearestName } from './contract/unknown-name-error.js';
export {
  environmentInfo,
  environmentNames,
  makeEnv,
  withDefaults,
  type EnvironmentInfo,
  type EnvName,
  type EnvOptions,
} from './registry.js';
export { type OptionsSchema, type ResetSchema } from './registration.js';
export {
  playEpisodes,
  type Decision,
  type PlayEpisodesOptions,
  type PlayedEpisode,
  type PlayedTurn,
  type ReadyTurn,
} from './play-episodes.js';
export {
  TwentyQuestions,
  twentyQuestionsSchema,
  type TwentyQuestionsInfo,
  type TwentyQuestionsOptions,
} from './twenty-questions/twenty-questions.js';
export { allWords, findWord, guessQuestion, selectWords, subset10, type Word } from './twenty-questions/words.js';
export {
  historyHeader,
  historyLine,
  isWinnable,
  namesWord,
  normalizeAnswer,
  questionOf,
  type Answer,
  type WinTest,
} from './twenty-questions/rules.js';
export { MissingOracleError, oracleProperties, type EnvParts, type Oracle, type OracleOptions } from './oracle.js';
export { RulesOracle } from './twenty-questions/rules-oracle.js';
export type { Truth } from './twenty-questions/attributes/attribute.js';
export {
  indistinguishablePairs,
  questionSet,
  type Question,
  type QuestionSetOptions,
} from './twenty-questions/questions.js';
export { InformationGainPlayer } from './twenty-questions/expert.js';
export {
  demonstrationsSchema,
  twentyQuestionsDemonstrations,
  type DemonstrationOptions,
} from './twenty-questions/demonstrations.js';
export {
  DialogueFileError,
  dialogueEpisode,
  dialoguePairs,
  readDialogues,
  splitLine,
  type Dialogue,
  type DialogueEpisode,
} from './twenty-questions/dialogues.js';
export { optimalReturn } from './twenty-questions/optimum.js';
export {
  TextWorldExpress,
  type TextWorldExpressInfo,
  type TextWorldExpressReset,
} from './textworld-express/textworld-express.js';
export { textWorldExpressGames, type TextWorldExpressGame } from './textworld-express/descriptions.js';
export { textWorldExpressSchema, type TextWorldExpressOptions } from './textworld-express/options.js';
export { type Fold } from './textworld-express/parameters.js';
export {
  textWorldExpressDemonstrations,
  textWorldExpressDemonstrationsSchema,
  type TextWorldExpressDemonstration,
  type TextWorldExpressDemonstrationOptions,
} from './textworld-express/demonstrations.js';
export {
  loadStory,
  StoryFile,
  storyFileSchema,
  type StoryFileInfo,
  type StoryFileOptions,
} from './story-file/story-file.js';
export { StoryFormatError } from './story-file/machine/story.js';
export { HttpError, type HttpErrorFields, type HttpFailure } from './http/http-error.js';
export {
  HttpServer,
  httpServerDefaults,
  RefusedAnswer,
  type HttpRequest,
  type HttpServerOptions,
} from './http/http-server.js';
export {
  OpenAiChat,
  type ChatMessage,
  type ChatReply,
  type ChatSettings,
  type ChatUsage,
  type OpenAiChatOptions,
} from './http/openai-chat.js';
export {
  reactReply,
  reactRule,
  splitRule,
  sqlRule,
  wholeRule,
  withoutEndMarker,
  wordsRule,
  type ParsedReply,
  type ReplyRule,
} from './agentgym/reply-rules.js';
export { WebShop, type WebShopInfo } from './webshop/webshop.js';
export { loadShop as loadWebShop, webShopDefaults, webShopSchema, type WebShopOptions } from './webshop/options.js';
export { makeCatalogue as makeWebShopCatalogue } from './webshop/catalogue.js';
export { webShopDemonstrations, webShopTexts } from './webshop/demonstrations.js';
export { Shopper } from './webshop/expert.js';
export { type Demonstrator, type PlayedDemonstrationOptions } from './played-demonstrations.js';
export { Maze, mazeSchema, type MazeInfo, type MazeOptions } from './maze/maze.js';
export { mazeDemonstrations } from './maze/demonstrations.js';
export { Wordle, wordleSchema, type WordleInfo, type WordleOptions } from './wordle/wordle.js';
export { wordleDemonstrations } from './wordle/demonstrations.js';
export { Alfworld, alfworldSchema, type AlfworldOptions } from './alfworld/alfworld.js';
export { alfworldDemonstrations, type AlfworldDemonstrationOptions } from './alfworld/demonstrations.js';
export {
  AgentGymEnv,
  type ActionFormat,
  type AgentGymInfo,
  type AgentGymOptions,
  type AgentGymReset,
} from './agentgym/agentgym-env.js';
export { agentGymEnv, agentGymProperties, agentGymSchema } from './agentgym/options.js';
export { agentGymFamilies, type AgentGymFamily, type Family } from './agentgym/families.js';
export { remoteOnlyEnvs, type RemoteOnlyEnv } from './agentgym/registration.js';
export { ScienceWorld, type SciWorldReset } from './sciworld/scienceworld.js';
export { sciWorldSchema, type SciWorldJavaOptions, type SciWorldOptions } from './sciworld/options.js';
export { TextCraft, type TextCraftInfo } from './textcraft/textcraft.js';
export { textCraftSchema, type TextCraftOptions } from './textcraft/options.js';
export { textCraftDemonstrations } from './textcraft/demonstrations.js';
export { RecipeFileError } from './textcraft/recipe-json.js';
export { GuessMyCity, type GuessMyCityInfo } from './guess-my-city/guess-my-city.js';
export { guessMyCitySchema, type GuessMyCityOptions } from './guess-my-city/options.js';
export { allCities, type City } from './guess-my-city/city-table.js';
export { CityRulesOracle } from './guess-my-city/rules-oracle.js';
export {
  cityAnswerTokens,
  guessMyCityDemonstrations,
  type CityDemonstrationOptions,
} from './guess-my-city/demonstrations.js';
export {
  CityDialogueFileError,
  cityDialogueEpisode,
  readCityDialogues,
  type CityDialogue,
  type CityDialogueEpisode,
} from './guess-my-city/dialogues.js';
export { BabyAi, babyAiSchema, type BabyAiOptions } from './babyai/babyai.js';
export { babyAiDemonstrations, type BabyAiDemonstrationOptions } from './babyai/demonstrations.js';
export { levels as babyAiLevels } from './babyai/levels.js';
export { OpenAiOracle, openAiOracleRules, type OpenAiOracleRules } from './openai-oracle.js';
