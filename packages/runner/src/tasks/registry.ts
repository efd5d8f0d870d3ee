// Registers all tasks of the command line (`task=NAME`) by name. A user's plugin can register more.
import { canaryTask } from './canary/unit.js';
import { compareTask } from './compare/unit.js';
import { convertTask } from './convert/unit.js';
import { dashboardTask } from './dashboard/unit.js';
import { demonstrationsTask } from './demonstrations/unit.js';
import { evaluateTask } from './evaluate/unit.js';
import { evaluateAgentTask } from './evaluate-agent/unit.js';
import { exportTask } from './export/unit.js';
import { figuresTask } from './figures/unit.js';
import { finetuneTask } from './finetune/unit.js';
import { generateTask } from './generate/unit.js';
import { optimizePromptTask } from './optimize-prompt/unit.js';
import { playTask } from './play/unit.js';
import { recordAgentTask } from './record-agent/unit.js';
import { serveTinkerTask } from './serve-tinker/unit.js';
import { replayTask } from './replay/unit.js';
import { reportTask } from './report/unit.js';
import { reverifyTask } from './reverify/unit.js';
import { scoreTask } from './score/unit.js';
import { serveEnvTask } from './serve-env/unit.js';
import { serveModelTask } from './serve-model/unit.js';
import { startModelTask } from './start-model/unit.js';
import type { TaskUnit } from './task.js';
import { trainTask } from './train/unit.js';
import { trainAgentTask } from './train-agent/unit.js';
import { wandbAgentTask } from './wandb-agent/unit.js';
import { wandbSyncTask } from './wandb-sync/unit.js';

const tasks = new Map<string, TaskUnit>();

/** Throws if another task has the same name. */
export function registerTask(unit: TaskUnit): void {
  const other = tasks.get(unit.name);
  if (other !== undefined && other !== unit) throw new Error(`the task '${unit.name}' is registered already`);
  tasks.set(unit.name, unit);
}

for (const unit of [
  trainTask,
  trainAgentTask,
  evaluateTask,
  evaluateAgentTask,
  optimizePromptTask,
  reverifyTask,
  startModelTask,
  finetuneTask,
  demonstrationsTask,
  generateTask,
  scoreTask,
  serveModelTask,
  recordAgentTask,
  serveTinkerTask,
  canaryTask,
  convertTask,
  exportTask,
  playTask,
  replayTask,
  serveEnvTask,
  dashboardTask,
  wandbSyncTask,
  wandbAgentTask,
  reportTask,
  compareTask,
  figuresTask,
])
  registerTask(unit);

export const taskNames = (): string[] => [...tasks.keys()];

export const findTask = (name: string): TaskUnit | undefined => tasks.get(name);
