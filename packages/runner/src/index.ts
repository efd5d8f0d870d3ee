// Exports the functions of @bowyer/runner for plugins, for tools that write schemas, for programs that start runs, and for tests.
export { registerTask, findTask, taskNames } from './tasks/registry.js';
export type { TaskConfig, TaskUnit } from './tasks/task.js';
export type { TaskContext } from './context/task-context.js';
export type { Choices } from './agent/keys/choices.js';
export { runKeys } from './keys/run-keys.js';
export { environmentKeysOf as environmentKeys } from './agent/environment/environment-keys.js';
export { optionFiles } from './config/option-files.js';
export { editorSchemas, schemaLine, schemaNameOf } from './config/editor-schemas.js';

// Functions for programs that start runs
export { runAsLibrary, type LibraryRun } from './library/run-as-library.js';
export { writeFigures, type FigureOptions, type PaperFigures } from './report/figures/write-figures.js';
export type { AgentEvaluation, FailedRollouts } from './tasks/evaluate-agent/evaluate-agent.js';
export type { RunProgress } from './context/iteration-line.js';
export type { GivenAgent } from './context/given-agent.js';
export type { Comparison, PolicyResult, RunResults } from './run/results.js';
