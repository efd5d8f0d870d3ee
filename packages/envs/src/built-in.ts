// Exports the environments that come with the package. Each export is a unit (an environment's definition) under the
// environment's name, or a record of such units by name.
export { alfworldUnit as alfworld } from './alfworld/unit.js';
export { babyAiUnit as babyai } from './babyai/unit.js';
export { codeUnit as code } from './code/unit.js';
export { guessMyCityUnit as guess_my_city } from './guess-my-city/unit.js';
export { harborUnit as harbor } from './harbor/unit.js';
export { mathUnit as math } from './math/unit.js';
export { mazeUnit as maze } from './maze/unit.js';
export { mcpUnit as mcp } from './mcp/unit.js';
export { openEnvUnit as openenv } from './open-env/unit.js';
export { questionsUnit as questions } from './questions/unit.js';
export { remoteOnlyUnits } from './agentgym/unit.js';
export { sciWorldUnit as sciworld } from './sciworld/unit.js';
export { storyFileUnit as adventure } from './story-file/unit.js';
export { tabularUnit as tabular } from './tabular/unit.js';
export { tau2Unit as tau2 } from './tau2/unit.js';
export { textCraftUnit as textcraft } from './textcraft/unit.js';
export { textWorldExpressUnits } from './textworld-express/unit.js';
export { twentyQuestionsUnit as twenty_questions } from './twenty-questions/unit.js';
export { verifiersUnit as verifiers } from './verifiers/unit.js';
export { webShopUnit as webshop } from './webshop/unit.js';
export { wordleUnit as wordle } from './wordle/unit.js';
