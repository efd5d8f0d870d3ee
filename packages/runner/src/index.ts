export { runTask } from './run-task.js';
export { runConfigSchema, toRunConfig, type RunConfig, type RunConfigYaml } from './run-config.js';
export type { TaskContext } from './tasks/task.js';
export { editorSchemas, schemaLine, schemaNameOf } from './editor-schemas.js';
